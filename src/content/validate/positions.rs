//! Positions: what has none, and giving it one.

use super::super::atom::EntityId;
use super::super::edit::Place;
use super::super::field::{at_path, field};
use super::super::json::{Json, quoted};
use super::super::schema::{Kind, Ref};
use super::super::splice::{Change, splice};
use super::examine::Examination;
use super::layout::beside;
use super::sheet::{Sheet, keys};
use super::{FaultCode, Repair};

/// Something that needs a position.
pub struct Unplaced {
    sheet: usize,
    what: What,
    /// The fault that says so.
    fault: usize,
}

enum What {
    /// An entity, by its index.
    Inside(usize),
    /// A new entry for an entity elsewhere.
    Entry(EntityId),
}

impl<'s> Examination<'s> {
    /// 6.: positions, of the entities themselves and of those that they are the positions of.
    pub(super) fn look_for_positions(&mut self, sheet: &Sheet<'s>) {
        let (collection, index) = (sheet.collection, self.sheets.len());
        let Some(path) = &collection.position else { return };
        for entity in sheet.entities() {
            if let Some(taken) = sheet.facts(entity).and_then(|facts| facts.position) {
                self.taken.push(taken);
                continue;
            }
            let Some(value) = self.value(entity.atom) else { continue };
            let found = at_path(Json::scanned(&value), path);
            let name = self.name(collection, entity);
            let (code, message) = match found.filter(|found| !found.is_null()) {
                None => (FaultCode::NoPosition, format!("{name} in `{}` has no position.", collection.path)),
                Some(_) => (
                    FaultCode::BadPosition,
                    format!("{name} in `{}` has a position that is not two finite numbers.", collection.path),
                ),
            };
            let fault = self.faults.len();
            self.unplaced.push(Unplaced { sheet: index, what: What::Inside(entity.at), fault });
            self.fault(code, sheet.place(entity.id, self.store), keys(path), message, None);
        }
        if collection.kind != Kind::Map || !sheet.is_readable {
            return;
        }
        for reference in collection.refs.iter().filter(|reference| reference.field.is_empty()) {
            self.look_for_entries(sheet, reference, path);
        }
    }

    /// Everything that a map of positions is for has to be in it.
    fn look_for_entries(&mut self, sheet: &Sheet<'s>, reference: &Ref, path: &[String]) {
        let (collection, index) = (sheet.collection, self.sheets.len());
        // A new entry is a position and nothing else.
        let is_simple = collection.refs.len() == 1
            && reference.port.is_none()
            && collection.required.iter().all(|field| Some(field) == path.first());
        let target = self.sheets.iter().find(|to| to.collection.path == reference.to && to.is_readable);
        let Some((to, entities)) = target.map(|to| (to.collection, to.entities())) else { return };
        for entity in entities.into_iter().filter(|entity| sheet.find(entity.id).is_none()) {
            let name = self.name(to, entity);
            let message = format!("{name} in `{}` has no position in `{}`.", to.path, collection.path);
            if is_simple {
                let what = What::Entry(entity.id);
                self.unplaced.push(Unplaced { sheet: index, what, fault: self.faults.len() });
            }
            let id = self.store.atoms.id_text(entity.id).into();
            let place = Place { collection: to.path.as_str().into(), id };
            self.fault(FaultCode::NoPosition, place, vec![], message, None);
        }
    }

    /// Gives everything a place that has none.
    pub(super) fn place_the_unplaced(&mut self) {
        let places = beside(&self.taken, self.unplaced.len());
        for (unplaced, place) in self.unplaced.iter().zip(places) {
            let Some(sheet) = self.sheets.get_mut(unplaced.sheet) else { continue };
            let path = sheet.collection.position.as_deref().unwrap_or_default();
            match unplaced.what {
                What::Inside(at) => {
                    let value = sheet.items.get(at).and_then(|item| self.store.atoms.value(item.atom));
                    let Some(value) = value.and_then(|value| placed(Json::scanned(&value), path, place))
                    else {
                        continue;
                    };
                    sheet.changed.insert(at, value);
                }
                What::Entry(id) => sheet.added.push((id, position(path, place))),
            }
            if let Some(fault) = self.faults.get_mut(unplaced.fault) {
                fault.repaired = Some(Repair::Placed);
            }
        }
    }
}

/// The value of an entity with a position in it; `None` when something else is in the way.
fn placed(value: Json<'_>, path: &[String], (x, y): (f64, f64)) -> Option<String> {
    let there = |depth: usize| path.get(..depth).and_then(|path| at_path(value, path));
    let depth = (1..=path.len()).find(|depth| there(*depth).is_none()).map_or(path.len(), |depth| depth - 1);
    let (reached, missing) = path.split_at_checked(depth)?;
    let found = there(depth)?;
    let text = value.text();
    if missing.is_empty() && found.is_object() {
        // What else is beside the two numbers is kept.
        let with = |text: &str, name: &str, number: f64| {
            let mut path = path.to_vec();
            path.push(name.to_owned());
            let number = number.to_string();
            let is_there = field(found, name).is_some();
            let change = if is_there { Change::Replace(&number) } else { Change::Insert(&number) };
            splice(text, &keys(&path), change)
        };
        return with(&with(text, "x", x)?, "y", y);
    }
    if missing.is_empty() || found.is_null() {
        return splice(text, &keys(reached), Change::Replace(&position(missing, (x, y))));
    }
    let rest = missing.split_first().map_or(missing, |(_, rest)| rest);
    let first = path.get(..=depth)?;
    let is_object = found.is_object();
    is_object.then(|| splice(text, &keys(first), Change::Insert(&position(rest, (x, y))))).flatten()
}

/// A position inside of nothing but the objects that lead to it.
fn position(path: &[String], (x, y): (f64, f64)) -> String {
    let point = format!(r#"{{"x":{x},"y":{y}}}"#);
    path.iter().rev().fold(point, |inside, key| format!("{{{}:{inside}}}", quoted(key)))
}

/// The two numbers of a position, when they are two finite numbers.
pub fn finite(x: Option<Json<'_>>, y: Option<Json<'_>>) -> Option<(f64, f64)> {
    let number = |value: Option<Json<'_>>| {
        let text = value?.text();
        let is_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        is_number.then(|| text.parse::<f64>().ok())?.filter(|number| number.is_finite())
    };
    Some((number(x)?, number(y)?))
}
