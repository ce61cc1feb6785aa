//! One collection in base, mine and theirs, and what becomes of its entities, each by itself.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::super::atom::{AtomIx, EntityId};
use super::super::canonical;
use super::super::edit::Place;
use super::super::json::Json;
use super::super::schema::{Collection, Kind};
use super::super::store::{ContentStore, Part};
use super::value::Inside;
use super::whole::Side;
use super::{Conflict, Three};

/// A collection while it is merged.
pub struct Merging<'s> {
    pub collection: &'s Collection,
    pub parts: Three<Option<Part>>,
    pub sides: Three<Members>,
    /// The entities of the result.
    pub result: HashMap<EntityId, Version>,
    /// Whether it is taken as one value, because some side's entities cannot be told apart; and whose it is.
    pub lump: Option<Side>,
}

/// Conflicts by entity; without an id they are about the collection.
pub type Found = Vec<(Option<EntityId>, Vec<Conflict>)>;

/// The entities of one side.
#[derive(Default)]
pub struct Members {
    /// In order, each once.
    pub ids: Vec<EntityId>,
    pub atoms: HashMap<EntityId, AtomIx>,
}

/// The value of an entity.
#[derive(Clone)]
pub enum Version {
    /// That of a side.
    Kept(AtomIx),
    /// One that is made of several.
    Made(String),
}

impl Version {
    pub fn text<'v>(&'v self, store: &'v ContentStore) -> Cow<'v, str> {
        match self {
            Version::Kept(atom) => store.value_text(*atom),
            Version::Made(text) => Cow::Borrowed(text),
        }
    }
}

impl<'s> Merging<'s> {
    /// Reads a collection and merges each of its entities.
    pub fn of(
        store: &'s ContentStore,
        collection: &'s Collection,
        parts: Three<Option<Part>>,
    ) -> (Self, Found) {
        let read = parts.map(|part| store.read_side(collection, part));
        let are_told_apart = read.as_ref().all(|(_, are_told_apart)| *are_told_apart);
        let sides = read.map(|(side, _)| side);
        let mut merging = Merging { collection, parts, sides, result: HashMap::new(), lump: None };
        let mut conflicts = Vec::new();
        if are_told_apart {
            for id in merging.ids() {
                let (version, found) = merging.merge_entity(store, id, &[]);
                merging.result.extend(version.map(|version| (id, version)));
                if !found.is_empty() {
                    conflicts.push((Some(id), found));
                }
            }
        } else {
            conflicts.extend(merging.merge_lump(store).map(|conflict| (None, vec![conflict])));
        }
        (merging, conflicts)
    }

    /// All ids, mine's first.
    pub fn ids(&self) -> Vec<EntityId> {
        let also = self.sides.theirs.ids.iter().filter(|id| !self.sides.mine.atoms.contains_key(*id));
        self.sides.mine.ids.iter().chain(also).copied().collect()
    }

    pub fn versions(&self, id: EntityId) -> Three<Option<AtomIx>> {
        self.sides.as_ref().map(|side| side.atoms.get(&id).copied())
    }

    /// Whether an entity is as mine has it, be it that there is none.
    pub fn is_as_mine(&self, id: EntityId) -> bool {
        match (self.result.get(&id), self.sides.mine.atoms.get(&id)) {
            (Some(Version::Kept(atom)), Some(mine)) => atom == mine,
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether it is, in the result, what the schema says, or nothing.
    pub fn is_readable(&self) -> bool {
        let part = match self.lump {
            None => return true,
            Some(Side::Mine) => self.parts.mine,
            Some(Side::Theirs) => self.parts.theirs,
        };
        !matches!(part, Some(Part::Plain(_)))
    }

    pub fn place(&self, store: &ContentStore, id: EntityId) -> Place {
        match self.collection.kind {
            Kind::Value => self.whole(),
            Kind::List | Kind::Map => store.place(self.collection, id),
        }
    }

    /// The place of the collection itself.
    pub fn whole(&self) -> Place {
        Place { collection: self.collection.path.as_str().into(), id: "".into() }
    }

    /// What becomes of an entity, and what of theirs stands against mine in it. `pinned` are fields that stay as mine has
    /// them.
    pub fn merge_entity(
        &self,
        store: &ContentStore,
        id: EntityId,
        pinned: &[&str],
    ) -> (Option<Version>, Vec<Conflict>) {
        let versions = self.versions(id);
        let same = |a: Option<AtomIx>, b: Option<AtomIx>| match (a, b) {
            (Some(a), Some(b)) => store.same_value(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        if let Some(atom) = versions.clear(same).filter(|_| pinned.is_empty()) {
            return (atom.map(Version::Kept), Vec::new());
        }
        if self.leads_elsewhere(store, id) {
            return (versions.mine.map(Version::Kept), vec![self.conflict(store, id)]);
        }
        let place = self.place(store, id);
        let texts = versions.map(|atom| atom.map(|atom| store.value_text(atom)));
        let values = texts.as_ref().map(|text| text.as_deref().map(Json::scanned));
        let mut inside = Inside::of(&place, self.collection.position.as_deref(), pinned);
        let merged = inside.merge(values);
        let version = merged.map(|text| match versions.mine {
            Some(mine) if texts.mine.as_deref() == Some(&*text) => Version::Kept(mine),
            _ => Version::Made(text.into_owned()),
        });
        (version, inside.conflicts)
    }

    /// C5: whether it is a link that leads elsewhere on some side: another link, of which nothing can be merged with this one.
    pub fn leads_elsewhere(&self, store: &ContentStore, id: EntityId) -> bool {
        let Three { base: Some(base), mine: Some(mine), theirs: Some(theirs) } = self.versions(id) else {
            return false;
        };
        let leads_elsewhere = |atom| store.has_other_ends(self.collection, base, atom);
        self.collection.kind != Kind::Value && (leads_elsewhere(mine) || leads_elsewhere(theirs))
    }

    /// The conflict about an entity as a whole.
    pub fn conflict(&self, store: &ContentStore, id: EntityId) -> Conflict {
        let texts = self.versions(id).map(|atom| atom.map(|atom| store.value_text(atom)));
        Conflict::at(&self.place(store, id), &[], texts)
    }

    /// The conflict about the collection as a whole.
    pub fn conflict_of_all(&self, store: &ContentStore) -> Conflict {
        let texts = self.parts.map(|part| part.map(|part| store.part_value(part)));
        Conflict::at(&self.whole(), &[], texts)
    }

    /// Entities that cannot be told apart are one value.
    fn merge_lump(&mut self, store: &ContentStore) -> Option<Conflict> {
        let texts = self.parts.map(|part| part.map(|part| store.part_value(part)));
        let same = |a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(a), Some(b)) => canonical::equal(Json::scanned(a), Json::scanned(b)),
            (a, b) => a.is_none() && b.is_none(),
        };
        let is_mine = same(&texts.base, &texts.theirs) || same(&texts.mine, &texts.theirs);
        let is_theirs = !is_mine && same(&texts.base, &texts.mine);
        self.take_lump(if is_theirs { Side::Theirs } else { Side::Mine });
        let is_clear = is_mine || is_theirs;
        (!is_clear).then(|| Conflict::at(&self.whole(), &[], texts))
    }

    /// Takes all of one side.
    pub fn take_lump(&mut self, side: Side) {
        let members = if side == Side::Mine { &self.sides.mine } else { &self.sides.theirs };
        self.result = members.atoms.iter().map(|(id, atom)| (*id, Version::Kept(*atom))).collect();
        self.lump = Some(side);
    }
}

impl ContentStore {
    /// The entities of a side, and whether they can be told apart. A key that is not there has none.
    fn read_side(&self, collection: &Collection, part: Option<Part>) -> (Members, bool) {
        let mut side = Members::default();
        let atoms: Vec<AtomIx> = match (part, collection.kind) {
            (None, _) => Vec::new(),
            (Some(Part::Plain(atom)), Kind::Value) => vec![atom],
            (Some(Part::Plain(_)), _) => return (side, false),
            (Some(Part::Collection { items, .. }), _) => self.sequences.atoms(items).collect(),
        };
        let mut are_told_apart = true;
        let mut seen = HashSet::new();
        for atom in &atoms {
            let id = self.atoms.get(*atom).and_then(|atom| atom.id);
            let Some(id) = id.filter(|id| !self.atoms.id_text(*id).is_empty()) else {
                are_told_apart = false;
                continue;
            };
            // Of a key that comes twice in an object the last counts (C2).
            are_told_apart &= side.atoms.insert(id, *atom).is_none() || collection.kind == Kind::Map;
            if seen.insert(id) {
                side.ids.push(id);
            }
        }
        (side, are_told_apart)
    }
}
