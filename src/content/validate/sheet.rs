//! One collection of a content while it is judged: what is in it, and what of that stands.

use std::rc::Rc;

use hashbrown::HashMap;

use super::super::atom::{AtomIx, EntityId};
use super::super::edit::{Path, PathStep, Place};
use super::super::schema::{Collection, Kind};
use super::super::store::{ContentStore, Part};
use super::facts::{Facts, Reading};

/// A collection.
pub struct Sheet<'s> {
    pub collection: &'s Collection,
    /// How its entities are read.
    pub reading: Reading<'s>,
    /// Which member of the content it is, when it is there.
    pub part: Option<usize>,
    /// What is in it, in order.
    pub items: Vec<Item>,
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

/// Something in a collection.
pub struct Item {
    pub atom: AtomIx,
    pub facts: Rc<Facts>,
    /// Whether it is an entity that stands.
    stands: bool,
}

impl Item {
    pub fn new(atom: AtomIx, facts: Rc<Facts>) -> Self {
        Item { atom, facts, stands: false }
    }
}

/// An entity that stands.
#[derive(Clone, Copy)]
pub struct Entity {
    pub at: usize,
    pub atom: AtomIx,
    pub id: EntityId,
}

impl<'s> Sheet<'s> {
    pub fn empty(reading: Reading<'s>, part: Option<usize>) -> Self {
        Sheet {
            collection: reading.collection,
            reading,
            part,
            items: Vec::new(),
            standing: HashMap::new(),
            has_struck: false,
            is_readable: true,
            is_emptied: false,
            changed: HashMap::new(),
            added: Vec::new(),
        }
    }

    /// Makes room for every item to stand.
    pub fn expect(&mut self) {
        self.standing.reserve(self.items.len());
    }

    /// Lets an entity stand, in place of another of its id: gives back that one's index.
    pub fn stand(&mut self, id: EntityId, at: usize) -> Option<usize> {
        let earlier = self.standing.insert(id, at);
        if let Some(item) = earlier.and_then(|earlier| self.items.get_mut(earlier)) {
            item.stands = false;
        }
        if let Some(item) = self.items.get_mut(at) {
            item.stands = true;
        }
        earlier
    }

    /// Strikes an entity.
    pub fn strike(&mut self, id: EntityId) {
        self.has_struck = true;
        let item = self.standing.remove(&id).and_then(|at| self.items.get_mut(at));
        if let Some(item) = item {
            item.stands = false;
        }
    }

    /// The entity of an id, when it stands.
    pub fn find(&self, id: EntityId) -> Option<Entity> {
        let at = *self.standing.get(&id)?;
        Some(Entity { at, atom: self.items.get(at)?.atom, id })
    }

    /// What stands, in order.
    pub fn entities(&self) -> Vec<Entity> {
        let standing = self.items.iter().enumerate().filter(|(_, item)| item.stands);
        standing.filter_map(|(at, item)| Some(Entity { at, atom: item.atom, id: item.facts.id? })).collect()
    }

    /// What is known of an entity.
    pub fn facts(&self, entity: Entity) -> Option<&Rc<Facts>> {
        self.items.get(entity.at).map(|item| &item.facts)
    }

    /// Whether an item is kept. Of a key that comes twice in an object, all go or none: else the first would come to light.
    pub fn keeps(&self, item: &Item) -> bool {
        match self.collection.kind {
            Kind::List => item.stands,
            Kind::Map | Kind::Value => item.facts.id.is_some_and(|id| self.standing.contains_key(&id)),
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
