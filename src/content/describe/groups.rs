//! Edits by the entity that they are about, for sentences and for sums.
//!
//! What belongs to an entity, as its position does, counts with it: a schema says so with a reference by key.

use hashbrown::HashMap;

use super::super::edit::{Edit, PathStep, Place, Summary};
use super::super::schema::{Collection, Kind};
use super::super::store::ContentStore;

/// What happens to an entity.
#[derive(Default)]
pub struct Group<'e> {
    pub collection: &'e str,
    /// The collection, when the schema has it.
    pub schema: Option<(u8, &'e Collection)>,
    pub id: &'e str,
    pub added: Option<&'e str>,
    pub removed: Option<&'e str>,
    pub changes: Vec<Change<'e>>,
    pub moved: bool,
    pub placed: bool,
    pub unplaced: bool,
    pub reordered: bool,
    /// Links that go with it.
    pub links: usize,
    /// A link that is counted where it ended.
    pub is_counted: bool,
}

/// One change inside of an entity.
pub struct Change<'e> {
    /// What of the entity, when that lies in a collection of its own.
    pub about: Option<&'e str>,
    pub place: &'e Place,
    pub path: &'e [PathStep],
    pub from: Option<&'e str>,
    pub to: Option<&'e str>,
}

impl Group<'_> {
    /// Where its collection comes among the others; what no schema knows comes last.
    pub fn rank(&self) -> u8 {
        self.schema.map_or(u8::MAX, |(index, _)| index)
    }

    /// Whether it is somewhere else on the canvas, and nothing more.
    pub fn only_moves(&self) -> bool {
        let stays = self.added.is_none() && self.removed.is_none() && !self.unplaced && !self.reordered;
        stays && self.changes.is_empty() && (self.moved || self.placed)
    }

    /// Whether all that happened is that a list of entities is there now, or no longer, and empty.
    pub fn is_empty_key(&self) -> bool {
        let [Change { path: [], from, to, .. }] = self.changes.as_slice() else { return false };
        let is_empty = |text: &&str| matches!(text.trim(), "[]" | "{}");
        self.id.is_empty()
            && from.xor(*to).as_ref().is_some_and(is_empty)
            && self.schema.is_some_and(|(_, schema)| schema.kind != Kind::Value)
    }
}

/// How the edits of one collection are told.
#[derive(Clone, Copy)]
struct Told<'e> {
    key: &'e str,
    /// Whose they are.
    owner: &'e str,
    schema: Option<(u8, &'e Collection)>,
    is_position: bool,
}

impl ContentStore {
    /// Counts the entities that edits touch, by what happens to them (C6). A new order is a change of the collection, so all is
    /// zero only when there is no edit.
    pub fn summary(&self, edits: &[Edit]) -> Summary {
        let mut summary = Summary::default();
        for group in self.grouped(edits) {
            match (group.added, group.removed) {
                (Some(_), None) => summary.added += 1,
                (None, Some(_)) => summary.removed += 1,
                (None, None) if group.changes.is_empty() && !group.reordered => summary.moved += 1,
                _ => summary.changed += 1,
            }
        }
        summary
    }

    pub(super) fn grouped<'e>(&'e self, edits: &'e [Edit]) -> Vec<Group<'e>> {
        let mut groups: Vec<Group<'e>> = Vec::new();
        let mut places: HashMap<(&str, &str), usize> = HashMap::new();
        let mut told: Option<Told<'e>> = None;
        for edit in edits {
            let key = edit.collection();
            let (id, is_whole): (&str, bool) = match edit {
                Edit::Set { place, .. } | Edit::Unset { place, .. } => (&place.id, place.id.is_empty()),
                Edit::Add { place, .. } | Edit::Remove { place, .. } | Edit::Move { place, .. } => {
                    (&place.id, false)
                }
                Edit::Order { .. } => ("", true),
            };
            // Edits of one collection follow each other, and so do those of one entity.
            let own = match told.filter(|told| told.key == key) {
                Some(told) => told,
                None => *told.insert(self.told(key)),
            };
            let collection = if is_whole { key } else { own.owner };
            let last = groups.last().filter(|last| last.id == id && last.collection == collection);
            let at = match last {
                Some(_) => groups.len() - 1,
                None => *places.entry((collection, id)).or_insert(groups.len()),
            };
            if at == groups.len() {
                let schema = if collection == key { own.schema } else { self.schema.at(collection) };
                groups.push(Group { collection, schema, id, ..Group::default() });
            }
            let Some(group) = groups.get_mut(at) else { continue };
            let about = (collection != key).then_some(if own.is_position { "position" } else { key });
            group.take(edit, about, own.is_position);
        }
        for group in &mut groups {
            if group.placed && group.unplaced {
                (group.moved, group.placed, group.unplaced) = (true, false, false);
            }
        }
        groups
    }

    fn told<'e>(&'e self, key: &'e str) -> Told<'e> {
        let Some((index, schema)) = self.schema.at(key) else {
            return Told { key, owner: key, schema: None, is_position: false };
        };
        let owner = |collection: &Collection| {
            let by_key = collection.refs.iter().find(|reference| reference.field.is_empty())?;
            self.schema.at(&by_key.to).map(|(_, owner)| owner)
        };
        let mut last = schema;
        // A schema that was read has no circle; one that was put together by hand may.
        for _ in &self.schema.collections {
            let Some(next) = owner(last) else { break };
            last = next;
        }
        let is_position = schema.position.as_ref().is_some_and(Vec::is_empty);
        Told { key, owner: &last.path, schema: Some((index, schema)), is_position }
    }
}

impl<'e> Group<'e> {
    fn take(&mut self, edit: &'e Edit, about: Option<&'e str>, is_position: bool) {
        let change = |place, path, from, to| Change { about, place, path, from, to };
        match edit {
            Edit::Add { value, .. } if about.is_none() => self.added = Some(value),
            Edit::Remove { value, .. } if about.is_none() => self.removed = Some(value),
            Edit::Add { .. } if is_position => self.placed = true,
            Edit::Remove { .. } if is_position => self.unplaced = true,
            Edit::Add { place, value, .. } => self.changes.push(change(place, &[], None, Some(value))),
            Edit::Remove { place, value, .. } => self.changes.push(change(place, &[], Some(value), None)),
            Edit::Set { place, path, from, to } => {
                self.changes.push(change(place, path, from.as_deref(), Some(to)));
            }
            Edit::Unset { place, path, from } => self.changes.push(change(place, path, Some(from), None)),
            Edit::Move { .. } => self.moved = true,
            Edit::Order { .. } => self.reordered = true,
        }
    }
}
