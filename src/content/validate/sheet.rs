//! One collection of a content while it is judged: what is in it, and what of that stands.

use hashbrown::HashMap;

use super::super::atom::{AtomIx, EntityId};
use super::super::edit::{Path, PathStep, Place};
use super::super::schema::{Collection, Kind};
use super::super::store::{ContentStore, Part};

/// A collection.
pub struct Sheet<'s> {
    pub collection: &'s Collection,
    /// Which member of the content it is, when it is there.
    pub part: Option<usize>,
    /// What is in it, in order.
    pub atoms: Vec<AtomIx>,
    /// The entities that stand, by id, with their index.
    standing: HashMap<EntityId, usize>,
    /// Whether something was struck.
    pub has_struck: bool,
    /// Whether it is, or was made, what the schema says.
    pub is_readable: bool,
    /// Whether it has to be made anew.
    pub is_emptied: bool,
    /// Other values for entities that stand, by index.
    pub changed: HashMap<usize, String>,
    /// Entries that are new.
    pub added: Vec<(EntityId, String)>,
}

/// An entity that stands.
#[derive(Clone, Copy)]
pub struct Entity {
    pub at: usize,
    pub atom: AtomIx,
    pub id: EntityId,
}

impl<'s> Sheet<'s> {
    pub fn empty(collection: &'s Collection, part: Option<usize>) -> Self {
        Sheet {
            collection,
            part,
            atoms: Vec::new(),
            standing: HashMap::new(),
            has_struck: false,
            is_readable: true,
            is_emptied: false,
            changed: HashMap::new(),
            added: Vec::new(),
        }
    }

    /// Lets an entity stand, in place of another of its id: gives back that one's index.
    pub fn stand(&mut self, id: EntityId, at: usize) -> Option<usize> {
        self.standing.insert(id, at)
    }

    /// Strikes an entity.
    pub fn strike(&mut self, id: EntityId) {
        self.has_struck = true;
        self.standing.remove(&id);
    }

    /// The entity of an id, when it stands.
    pub fn find(&self, id: EntityId) -> Option<Entity> {
        let at = *self.standing.get(&id)?;
        Some(Entity { at, atom: *self.atoms.get(at)?, id })
    }

    /// What stands, in order.
    pub fn entities(&self, store: &ContentStore) -> Vec<Entity> {
        let entity = |(at, atom): (usize, &AtomIx)| {
            let id = store.atoms.get(*atom)?.id?;
            (self.standing.get(&id) == Some(&at)).then_some(Entity { at, atom: *atom, id })
        };
        self.atoms.iter().enumerate().filter_map(entity).collect()
    }

    /// Whether an item is kept. Of a key that comes twice in an object, all go or none: else the first would come to light.
    pub fn keeps(&self, at: usize, store: &ContentStore) -> bool {
        let id = self.atoms.get(at).and_then(|atom| store.atoms.get(*atom)?.id);
        let standing = id.and_then(|id| self.standing.get(&id));
        match self.collection.kind {
            Kind::List => standing == Some(&at),
            Kind::Map | Kind::Value => standing.is_some(),
        }
    }

    /// Whether anything is not as it was.
    pub fn is_changed(&self) -> bool {
        self.has_struck || self.is_emptied || !self.changed.is_empty() || !self.added.is_empty()
    }

    /// Where an entity of it is.
    pub fn place(&self, id: EntityId, store: &ContentStore) -> Place {
        let id = if self.collection.kind == Kind::Value { "" } else { store.atoms.id_text(id) };
        Place { collection: self.collection.path.as_str().into(), id: id.into() }
    }

    /// Where the collection is.
    pub fn whole(&self) -> Place {
        Place { collection: self.collection.path.as_str().into(), id: "".into() }
    }
}

/// A path of keys.
pub fn keys(path: &[String]) -> Path {
    path.iter().map(|key| PathStep::Key(key.as_str().into())).collect()
}

/// The members at the top level that count: of a repeated key the last, with its index.
pub fn parts_by_key(store: &ContentStore, parts: &[Part]) -> HashMap<EntityId, usize> {
    let keyed = parts.iter().enumerate().filter_map(|(at, part)| {
        let (Part::Plain(atom) | Part::Collection { open: atom, .. }) = *part;
        Some((store.atoms.get(atom)?.id?, at))
    });
    keyed.collect()
}
