//! From what was settled to a content that is kept.

use hashbrown::HashMap;

use super::super::atom::{AtomIx, EntityId, NO_COLLECTION, Role};
use super::super::edit::Place;
use super::super::json::{Json, quoted};
use super::super::schema::Kind;
use super::super::store::{ContentIx, ContentStore, Part};
use super::Conflict;
use super::collection::{Merging, Version};
use super::order::{self, Order};
use super::value::Inside;
use super::whole::{Settlement, Side};

/// A member at the top level, as it will be.
pub enum Draft {
    /// As a side has it.
    Kept(Part),
    /// A value under a key; `near` is an atom that it resembles.
    Value { key: EntityId, text: String, near: Option<AtomIx> },
    /// The entities of a collection of the schema; the edges are those of a side.
    Entities { key: EntityId, index: u8, edges: Option<(AtomIx, AtomIx)>, entities: Vec<Settled> },
}

/// An entity of the result.
pub struct Settled {
    id: EntityId,
    version: Version,
    /// An atom that it resembles.
    near: Option<AtomIx>,
}

impl Settlement<'_> {
    /// The members of the result, and the conflicts.
    pub fn drafts(mut self) -> (Vec<Draft>, Vec<Conflict>) {
        let mut keys: Vec<EntityId> = self.store.keys(self.contents.mine);
        let also = self.store.keys(self.contents.theirs);
        keys.extend(also.into_iter().filter(|key| !self.parts.mine.contains_key(key)));
        let (mut drafts, mut conflicts) = (Vec::new(), Vec::new());
        let mut mergings: HashMap<&str, (u8, Merging<'_>)> = HashMap::new();
        for (index, merging) in std::mem::take(&mut self.mergings).into_iter().enumerate() {
            let index = u8::try_from(index).unwrap_or(NO_COLLECTION);
            mergings.insert(&merging.collection.path, (index, merging));
        }
        for key in keys {
            let found = mergings.remove(self.store.atoms.id_text(key));
            drafts.extend(match found {
                Some((index, merging)) => collection_draft(self.store, key, index, merging, &mut conflicts),
                None => self.member_draft(key, &mut conflicts),
            });
        }
        conflicts.extend(self.found_conflicts());
        (drafts, conflicts)
    }

    /// A member that the schema does not know is one value.
    fn member_draft(&self, key: EntityId, conflicts: &mut Vec<Conflict>) -> Option<Draft> {
        let parts = self.parts.as_ref().map(|parts| parts.get(&key).copied());
        let texts = parts.map(|part| part.map(|part| self.store.part_value(part)));
        let values = texts.as_ref().map(|text| text.as_deref().map(Json::scanned));
        let place = Place { collection: self.store.atoms.id_text(key).into(), id: "".into() };
        let mut inside = Inside::of(&place, None, &[]);
        let text = inside.merge(values);
        conflicts.append(&mut inside.conflicts);
        let text = text?;
        let kept = |text: &str| {
            let is_of = |side: &Option<String>| side.as_deref() == Some(text);
            parts.mine.filter(|_| is_of(&texts.mine)).or(parts.theirs.filter(|_| is_of(&texts.theirs)))
        };
        Some(match kept(&text) {
            Some(part) => Draft::Kept(part),
            None => Draft::Value { key, text: text.into_owned(), near: parts.mine.and_then(plain) },
        })
    }
}

fn plain(part: Part) -> Option<AtomIx> {
    match part {
        Part::Plain(atom) => Some(atom),
        Part::Collection { .. } => None,
    }
}

fn collection_draft(
    store: &ContentStore,
    key: EntityId,
    index: u8,
    mut merging: Merging<'_>,
    conflicts: &mut Vec<Conflict>,
) -> Option<Draft> {
    let parts = merging.parts;
    if let Some(lump) = merging.lump {
        return if lump == Side::Mine { parts.mine } else { parts.theirs }.map(Draft::Kept);
    }
    if merging.collection.kind == Kind::Value {
        let near = parts.mine.and_then(plain);
        return merging.result.remove(&key).map(|version| match version {
            Version::Kept(atom) => Draft::Kept(Part::Plain(atom)),
            Version::Made(text) => Draft::Value { key, text, near },
        });
    }
    let ids = ordered(store, &merging, conflicts);
    let is_there = parts.map(|part| part.is_some()).clear(|a, b| a == b).unwrap_or(true);
    if ids.is_empty() && !is_there {
        return None;
    }
    let is_all_mine = ids == merging.sides.mine.ids && ids.iter().all(|id| merging.is_as_mine(*id));
    if let Some(mine) = parts.mine.filter(|_| is_all_mine) {
        return Some(Draft::Kept(mine));
    }
    let edges = parts.mine.or(parts.theirs).and_then(|part| match part {
        Part::Collection { open, close, .. } => Some((open, close)),
        Part::Plain(_) => None,
    });
    let entities = ids.into_iter().filter_map(|id| {
        let near = merging.sides.mine.atoms.get(&id).copied();
        Some(Settled { id, version: merging.result.remove(&id)?, near })
    });
    Some(Draft::Entities { key, index, edges, entities: entities.collect() })
}

/// The entities of the result in order.
fn ordered(store: &ContentStore, merging: &Merging<'_>, conflicts: &mut Vec<Conflict>) -> Vec<EntityId> {
    if merging.collection.kind != Kind::List {
        let mut ids = merging.ids();
        ids.retain(|id| merging.result.contains_key(id));
        return ids;
    }
    let lists = merging.sides.as_ref().map(|side| &*side.ids);
    let Order { ids, is_disputed } = order::merged(lists, |id| merging.result.contains_key(&id));
    if is_disputed {
        let list = |ids: &[EntityId]| {
            let ids: Vec<String> = ids.iter().map(|id| quoted(store.atoms.id_text(*id))).collect();
            Some(format!("[{}]", ids.join(",")))
        };
        conflicts.push(Conflict::at(&merging.whole(), &[], lists.map(list)));
    }
    ids
}

impl ContentStore {
    /// The keys at the top level, in order, each once.
    fn keys(&self, content: ContentIx) -> Vec<EntityId> {
        let mut seen = hashbrown::HashSet::new();
        let parts = self.parts(content).unwrap_or_default();
        let ids = parts.iter().filter_map(|part| {
            let (Part::Plain(atom) | Part::Collection { open: atom, .. }) = *part;
            self.atoms.get(atom)?.id
        });
        ids.filter(|id| seen.insert(*id)).collect()
    }

    /// Keeps what was drafted.
    pub(super) fn keep_drafts(&mut self, drafts: Vec<Draft>) -> ContentIx {
        let parts = drafts.into_iter().map(|draft| self.keep_draft(draft)).collect();
        self.keep_parts(parts)
    }

    fn keep_draft(&mut self, draft: Draft) -> Part {
        match draft {
            Draft::Kept(part) => part,
            Draft::Value { key, text, near } => {
                let member = format!("{}:{text}", quoted(self.atoms.id_text(key)));
                Part::Plain(self.atoms.keep(NO_COLLECTION, Role::Member, &member, None, near))
            }
            Draft::Entities { key, index, edges, entities } => {
                let collection = self.schema.get(index);
                let is_map = collection.is_some_and(|collection| collection.kind == Kind::Map);
                let id_field = collection.and_then(|collection| collection.id.clone());
                let (bracket, end, role) =
                    if is_map { ("{", "}", Role::Member) } else { ("[", "]", Role::Item) };
                let mut atoms = Vec::with_capacity(entities.len());
                for Settled { id, version, near } in entities {
                    atoms.push(match version {
                        Version::Kept(atom) => atom,
                        Version::Made(value) => {
                            let key =
                                if is_map { quoted(self.atoms.id_text(id)) + ":" } else { String::new() };
                            self.atoms.keep(index, role, &(key + &value), id_field.as_deref(), near)
                        }
                    });
                }
                // Between nothing but brackets there may be white space that belongs to the first.
                let open =
                    edges.map(|(open, _)| open).filter(|open| self.atoms.text(*open).ends_with(bracket));
                let open = open.unwrap_or_else(|| {
                    let text = format!("{}:{bracket}", quoted(self.atoms.id_text(key)));
                    self.atoms.keep(index, Role::Edge, &text, None, None)
                });
                let close = edges.map(|(_, close)| close);
                let close = close.unwrap_or_else(|| self.atoms.keep(index, Role::Edge, end, None, None));
                Part::Collection { open, items: self.sequences.build(&atoms, &self.atoms), close }
            }
        }
    }
}
