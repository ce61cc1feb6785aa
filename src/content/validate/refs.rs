//! Where references lead, and which links say the same.

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::{HashMap, HashSet};

use super::super::atom::EntityId;
use super::super::edit::Path;
use super::super::field::{at_path, field};
use super::super::field::{items, members};
use super::super::json::{Json, name_of};
use super::super::schema::{Collection, Kind, Port, Ref};
use super::examine::Examination;
use super::facts::Facts;
use super::sheet::{Entity, Sheet, keys};
use super::wording::{self, dotted, form, shown};
use super::{FaultCode, Repair};
use crate::sort::sort_by;

/// The names of ports, in one spelling; `None` is the port without a name.
pub type Ports = HashSet<Option<Vec<u8>>>;

/// A reference of a collection, and what is looked at to follow it.
struct Way<'s> {
    reference: &'s Ref,
    /// Which of the ends of an entity it is.
    end: usize,
    /// Which collection it leads to.
    target: usize,
    /// Which of the lists of ports there it ends at.
    list: Option<usize>,
}

impl<'s> Examination<'s> {
    /// 3.: where references lead.
    pub(super) fn follow(&mut self, sheet: &mut Sheet<'s>) {
        let collection = sheet.collection;
        let way = |reference: &'s Ref| {
            let target = self.sheets.iter().position(|to| to.collection.path == reference.to)?;
            let list = self.sheets.get(target)?.reading.list(reference);
            Some(Way { reference, end: sheet.reading.end(reference)?, target, list })
        };
        let ways: Vec<Way<'s>> = collection.refs.iter().filter_map(way).collect();
        // A value as a whole is not dropped because of where it leads.
        let then = (collection.kind != Kind::Value).then_some(Repair::Dropped);
        if ways.is_empty() {
            return;
        }
        for entity in sheet.entities() {
            let Some(facts) = sheet.facts(entity) else { continue };
            let before = self.faults.len();
            for way in &ways {
                if self.arrives(entity.id, facts, way) {
                    continue;
                }
                let Some((code, path, message)) = self.follow_one(collection, entity, way) else { continue };
                self.fault(code, sheet.place(entity.id, self.store), path, message, then);
            }
            if self.faults.len() > before && then.is_some() {
                sheet.strike(entity.id);
            }
        }
    }

    /// Whether an entity is known to lead to what stands, and to a port that it has.
    fn arrives(&self, id: EntityId, facts: &Facts, way: &Way<'s>) -> bool {
        let is_of_key = way.reference.field.is_empty();
        let (Some(target), Some(end)) = (self.sheets.get(way.target), facts.ends.get(way.end)) else {
            return false;
        };
        let found = if is_of_key { Some(id) } else { end.id }.and_then(|id| target.find(id));
        let Some(found) = found.and_then(|found| target.facts(found)) else { return false };
        let ports = way.list.and_then(|list| found.ports.get(list)).and_then(Option::as_ref);
        ports.is_none_or(|names| names.binary_search(&end.port).is_ok())
    }

    /// What is wrong with where an entity leads that does not arrive.
    fn follow_one(
        &mut self,
        collection: &Collection,
        entity: Entity,
        way: &Way<'s>,
    ) -> Option<(FaultCode, Path, String)> {
        let reference = way.reference;
        let value = self.value(entity.atom)?;
        let value = Json::scanned(&value);
        let target = self.sheets.get(way.target).filter(|target| target.is_readable)?;
        let (to, from) = (target.collection, &collection.path);
        if reference.field.is_empty() && target.find(entity.id).is_none() {
            let id = shown(self.store.atoms.id_text(entity.id));
            let message = format!("`{from}` has an entry for {id}, which is not in `{}`.", to.path);
            return Some((FaultCode::Orphan, vec![], message));
        }
        let end = at_path(value, &reference.field);
        let id = if reference.field.is_empty() {
            Some(entity.id)
        } else {
            end.and_then(id_body).and_then(|id| self.store.atoms.find_id(&id))
        };
        let Some(found) = id.and_then(|id| target.find(id)) else {
            let (name, field) = (self.name(collection, entity), dotted(&reference.field));
            let message = match end.map(|end| (end, id_body(end))) {
                Some((_, Some(id))) => {
                    format!(
                        "{name} in `{from}`: `{field}` leads to {}, which is not in `{}`.",
                        shown(&id),
                        to.path
                    )
                }
                Some((end, None)) => {
                    format!("{name} in `{from}`: `{field}` is {}, but has to be an id.", wording::kind(end))
                }
                None => format!("{name} in `{from}` has no `{field}` to say where it leads."),
            };
            return Some((FaultCode::Dangling, keys(&reference.field), message));
        };
        let port = reference.port.as_ref()?;
        let end = at_path(value, &port.field);
        let (name, other) = (self.name(collection, entity), self.name(to, found));
        let said = end.and_then(id_body).map(|said| format!(" {}", shown(&said)));
        let message = format!(
            "{name} in `{from}` ends at a port{} that {other} does not have among its `{}`.",
            said.as_deref().unwrap_or(" without a name"),
            port.among
        );
        Some((FaultCode::NoPort, keys(&port.field), message))
    }

    /// 4.: links that say the same.
    ///
    /// Only links of the same ends can say the same, so those alone are read.
    pub(super) fn find_doubles(&mut self, sheet: &mut Sheet<'s>) {
        let collection = sheet.collection;
        let ends = sheet.reading.refs_in_fields().to_vec();
        let entities = sheet.entities();
        if collection.kind != Kind::List || ends.len() < 2 {
            return;
        }
        // Scattered by their ends, few of them meet that do not have the same.
        let places = (entities.len() * 32).next_power_of_two();
        let place = |entity: &Entity| {
            let ends = sheet.facts(*entity).and_then(|facts| facts.ends.get(..ends.len()));
            self.store.hasher.hash_one(ends) as usize % places
        };
        let at: Vec<usize> = entities.iter().map(place).collect();
        let mut crowd = vec![0_u8; places];
        for at in &at {
            if let Some(count) = crowd.get_mut(*at) {
                *count = count.saturating_add(1);
            }
        }
        let is_alone = |at: &usize| crowd.get(*at) == Some(&1);
        let mut seen: HashMap<Vec<Option<Vec<u8>>>, EntityId> = HashMap::new();
        for (entity, _) in entities.into_iter().zip(&at).filter(|(_, at)| !is_alone(at)) {
            let Some(said) = self
                .value(entity.atom)
                .and_then(|link| what_a_link_says(Json::scanned(&link), collection, &ends))
            else {
                continue;
            };
            let Some(first) = seen.get(&said).copied() else {
                seen.insert(said, entity.id);
                continue;
            };
            let name = self.name(collection, entity);
            let first = shown(self.store.atoms.id_text(first));
            let message = format!("{name} in `{}` connects the same as {first} does.", collection.path);
            let place = sheet.place(entity.id, self.store);
            self.fault(FaultCode::DuplicateLink, place, vec![], message, Some(Repair::Dropped));
            sheet.strike(entity.id);
        }
    }
}

/// The names of the ports that an entity says it has; `None` when it says nothing about them.
pub fn port_names(entity: Json<'_>, port: &Port) -> Option<Ports> {
    let ports = items(field(entity, &port.among).filter(|ports| ports.is_list())?);
    let names = ports.into_iter().filter(|item| item.is_object()).map(|item| form(field(item, &port.id)));
    Some(names.collect())
}

/// The name of the port that a reference ends at; `None` is the port without a name.
pub fn port_name(entity: Json<'_>, port: &Port) -> Option<Vec<u8>> {
    form(at_path(entity, &port.field))
}

/// The id that a value is.
pub fn id_body(value: Json<'_>) -> Option<Cow<'_, str>> {
    value.text().strip_prefix('"')?.strip_suffix('"').map(name_of)
}

/// What a link connects; `None` when that cannot be told, because an end is missing that could not be judged either.
pub fn what_a_link_says(
    link: Json<'_>,
    collection: &Collection,
    ends: &[&Ref],
) -> Option<Vec<Option<Vec<u8>>>> {
    let mut said = Vec::new();
    for end in ends {
        said.push(Some(form(at_path(link, &end.field))?));
        said.push(end.port.as_ref().and_then(|port| form(at_path(link, &port.field))));
    }
    if ends.iter().all(|end| end.port.is_none()) {
        let mut members = members(link);
        members.retain(|(key, _)| Some(&**key) != collection.id.as_deref());
        sort_by(&mut members, |(a, _), (b, _)| a.cmp(b));
        for (key, value) in members {
            said.extend([Some(key.as_bytes().to_vec()), form(Some(value))]);
        }
    }
    Some(said)
}
