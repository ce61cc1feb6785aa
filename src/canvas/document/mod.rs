//! The canvas as a live `Y.Doc`: a replica of it, what is on it as a content, and the smallest change to it.
//!
//! The replica follows the live document update by update. What is on the canvas is kept as a content and brought up to date
//! by the entities that changed since (never by a scan), and compared in the form that JavaScript has of a value, so that
//! what a document cannot keep (the spelling of a number, the order of keys) is no difference. A content is put on the canvas
//! as a list of edits, in one transaction.
//!
//! * [`shelves`]: where each collection of the schema lies;
//! * [`update_check`]: what is no update is refused before anybody reads it;
//! * [`replica`]: updates in and out, and what changed; [`twins`]: what several have said at once;
//! * [`plain`]: values as JavaScript has them; [`shape`]: which shared type is what; [`read`]: shared types as values; [`replay`]: edits as writings; [`write`]: how each is written.
//!
//! Invariant, held against a reading from scratch in the property tests: after [`Document::content`] and after
//! [`Document::replay`], what is kept as shown is what is in the document.

pub mod plain;
pub mod read;
mod replay;
pub mod replica;
pub mod shape;
pub mod shelves;
mod twins;
pub mod update_check;
pub mod write;

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use yrs::{Any, Map, MapRef, Out, ReadTxn};

use self::plain::{Plain, PlainFault};
use self::read::Reader;
use self::replica::{Replica, ReplicaFault};
use self::shape::Types;
use self::shelves::{Shelf, Shelves};
use crate::content::edit::Place;
use crate::content::revise::Revised;
use crate::content::{ContentIx, ContentStore, Schema};

/// Why a document could not be read or written. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentFault {
    /// The replica refused.
    #[error(transparent)]
    Replica(#[from] ReplicaFault),
    /// A value cannot be put into a document.
    #[error("{}/{} cannot be put into a document: {why}", .place.collection, .place.id)]
    Value {
        /// Whose.
        place: Place,
        /// Why.
        why: PlainFault,
    },
}

impl DocumentFault {
    /// Stable, machine-readable.
    pub fn code(&self) -> &'static str {
        match self {
            DocumentFault::Replica(ReplicaFault::ClientId) => "invalid_argument",
            DocumentFault::Replica(ReplicaFault::Corrupt(..)) => "corrupt_update",
            DocumentFault::Replica(ReplicaFault::Broken(_)) => "broken_document",
            DocumentFault::Replica(ReplicaFault::Busy) => "busy",
            DocumentFault::Value { .. } => "invalid_content",
        }
    }
}

/// Who wrote what is taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The person in front of this canvas.
    Here,
    /// Anybody else.
    Elsewhere,
}

/// A live document.
pub struct Document {
    replica: Replica,
    shelves: Shelves,
    /// What is on it, as of when somebody last looked.
    shown: Option<ContentIx>,
    /// Of the shelves that hold one value, whether the document has had it.
    had: Vec<bool>,
    /// Entities that have a shape which no content has; they were read as far as they can be.
    foreign: Vec<Place>,
}

impl Document {
    /// An empty one, to take in the updates of the live one. `client` names our writing in it: 53 bits that nobody else has.
    pub fn open(schema: &Schema, types: Types, client: u64) -> Result<Self, DocumentFault> {
        let shelves = Shelves::of(schema, types);
        let replica = Replica::open(client, &shelves.roots)?;
        let had = vec![false; shelves.all.len()];
        Ok(Document { replica, shelves, shown: None, had, foreign: Vec::new() })
    }

    /// Takes in what somebody else wrote.
    pub fn apply_update(&mut self, update: &[u8]) -> Result<(), DocumentFault> {
        self.apply_update_of(update, Author::Elsewhere)
    }

    /// The same, of whom it is known where they are.
    pub fn apply_update_of(&mut self, update: &[u8], author: Author) -> Result<(), DocumentFault> {
        Ok(self.replica.apply(update, author)?)
    }

    /// A replay is about to begin, and what is on the canvas to be looked at for it.
    pub fn before_replay(&mut self) -> Result<(), DocumentFault> {
        Ok(self.replica.before_replay()?)
    }

    /// Whether others have to be told of twins that were taken away (P8).
    pub fn has_untold(&self) -> bool {
        self.replica.has_untold()
    }

    /// What others have to be told: the twins that were taken away since this was last asked, and what a replay wrote, in one update.
    pub fn tell(&mut self, written: Option<Vec<u8>>) -> Option<Vec<u8>> {
        self.replica.tell(written)
    }

    /// What it has of each writer.
    pub fn state_vector(&self) -> Result<Vec<u8>, DocumentFault> {
        Ok(self.replica.state_vector()?)
    }

    /// What it has and another does not.
    pub fn diff(&self, state_vector: Option<&[u8]>) -> Result<Vec<u8>, DocumentFault> {
        Ok(self.replica.diff(state_vector)?)
    }

    /// Whether what is kept as shown may be another thing than what is in the document.
    pub fn is_changed(&self) -> bool {
        self.replica.is_changed()
    }

    /// Entities with a foreign shape that were met since this was last asked.
    pub fn take_foreign(&mut self) -> Vec<Place> {
        std::mem::take(&mut self.foreign)
    }

    /// The content that it refers to.
    pub fn shown(&self) -> Option<ContentIx> {
        self.shown
    }

    /// What is on the canvas now. What does not lie in the document is as in what was shown before, and the first time as in `near`;
    /// the order of a list is always as in `near`.
    pub fn content(
        &mut self,
        store: &mut ContentStore,
        near: Option<ContentIx>,
    ) -> Result<ContentIx, DocumentFault> {
        let known = self.shown.filter(|shown| store.is_held(*shown));
        let is_first = known.is_none();
        // An empty object is JSON.
        let Some(mut content) = known.or(near).or_else(|| store.take_in("{}", None).ok()) else {
            return Err(ReplicaFault::Busy.into());
        };
        let mut changed: Vec<HashSet<Arc<str>>> = Vec::new();
        for root in 0..self.shelves.roots.len() {
            changed.push(self.replica.take_changed(root)?);
        }
        for at in 0..self.shelves.all.len() {
            let revised = self.revised(at, store, content, (!is_first).then_some(&changed))?;
            if let Some(shelf) = self.shelves.all.get(at).filter(|_| !revised.is_empty()) {
                content = store.revise(content, &shelf.collection, &revised);
            }
        }
        if let Some(near) = near.filter(|near| store.is_held(*near)) {
            content = self.in_order_of(store, content, near);
        }
        self.shown = Some(content);
        Ok(content)
    }

    /// A content with its lists in the order of another.
    pub fn in_order_of(&self, store: &mut ContentStore, content: ContentIx, other: ContentIx) -> ContentIx {
        let collections = self.shelves.all.iter().map(|shelf| &shelf.collection);
        collections.fold(content, |content, collection| store.ordered_as(content, collection, other))
    }

    /// The entities of a shelf that are others than in a content, among those that changed; without `changed`, among all.
    fn revised(
        &mut self,
        at: usize,
        store: &ContentStore,
        content: ContentIx,
        changed: Option<&Vec<HashSet<Arc<str>>>>,
    ) -> Result<Revised, DocumentFault> {
        let Some(shelf) = self.shelves.all.get(at) else { return Ok(Revised::new()) };
        let shelves = &self.shelves;
        let had = self.had.get(at).copied().unwrap_or(false);
        let mut has = had;
        let mut foreign = Vec::new();
        let revised = self.replica.read(|root, transaction| {
            let mut keys: HashSet<Arc<str>> = HashSet::new();
            let mut known: Option<HashMap<Arc<str>, String>> = None;
            match (changed, &shelf.at) {
                (_, Some(at)) => drop(keys.insert(at.clone())),
                (Some(changed), None) => {
                    let of = |root: usize| changed.get(root).into_iter().flatten().cloned();
                    keys.extend(of(shelf.root));
                    keys.extend(shelf.positions.into_iter().flat_map(of));
                    keys.extend(shelves.placed_in(shelf.root).flat_map(|other| of(other.root)));
                }
                (None, None) => {
                    if let Some(map) = root(shelf.root) {
                        keys.extend(map.keys(transaction).map(Into::into));
                    }
                    let values = store.values(content, &shelf.collection);
                    keys.extend(values.iter().map(|(id, _)| id.clone()));
                    known = Some(values.into_iter().collect());
                }
            }
            if keys.len() > FEW && known.is_none() && shelf.at.is_none() {
                known = Some(store.values(content, &shelf.collection).into_iter().collect());
            }
            let mut revised = Revised::new();
            for key in keys {
                let id: Arc<str> = if shelf.at.is_some() { "".into() } else { key.clone() };
                let old = match &known {
                    Some(known) => known.get(&id).cloned(),
                    None => store.value_of(content, &shelf.collection, &id),
                };
                let old_value = old.as_deref().and_then(|old| Plain::read(old).ok());
                let near = old_value.as_ref();
                let mut reader = Reader::new(shelf.types, transaction);
                let now = entity(shelves, shelf, &key, root, transaction, near, &mut reader);
                if !reader.is_whole {
                    foreign.push(Place { collection: shelf.collection.clone(), id: id.clone() });
                }
                has = now.is_some();
                match (old, now) {
                    (None, None) => {}
                    // A value that nobody has put into the document yet is as it was.
                    (Some(_), None) if shelf.at.is_some() && !had => {}
                    (Some(_), None) => drop(revised.insert(id, None)),
                    (_, Some(now)) => {
                        if !near.is_some_and(|old| old.same(&now)) {
                            revised.insert(id, Some(now.to_json()));
                        }
                    }
                }
            }
            revised
        })?;
        self.foreign.extend(foreign);
        if let Some(had) = self.had.get_mut(at) {
            *had = has;
        }
        Ok(revised)
    }
}

/// So many entities are looked up one by one.
const FEW: usize = 4;

/// What the document has at a key of a shelf, as the content has it. `near` is what the content has there so far.
fn entity<T: ReadTxn>(
    shelves: &Shelves,
    shelf: &Shelf,
    key: &str,
    root: &dyn Fn(usize) -> Option<MapRef>,
    transaction: &T,
    near: Option<&Plain>,
    reader: &mut Reader<'_, T>,
) -> Option<Plain> {
    // A position of something that keeps it elsewhere, too, is not told here.
    let is_others = |other: &Shelf| root(other.root).is_some_and(|map| map.contains_key(transaction, key));
    if shelves.placed_in(shelf.root).any(is_others) {
        return None;
    }
    let out = root(shelf.root)?.get(transaction, key)?;
    if matches!(out, Out::Any(Any::Undefined)) {
        return None;
    }
    let mut value = reader.read(out, near);
    if let Some(field) = &shelf.id {
        let id = Plain::Text(key.into());
        if !matches!(value, Plain::Object(_)) {
            reader.is_whole = false;
            value = Plain::Object(Vec::new());
        }
        if value.at(field) != Some(&id) {
            // Its key is its name; another one in it is nobody's.
            reader.is_whole &= value.at(field).is_none();
            value.set(field, id);
        }
    }
    if let (Some(positions), Some([field])) = (shelf.positions, shelf.position.as_deref())
        && let Some(position) = root(positions).and_then(|map| map.get(transaction, key))
    {
        value.set(field, reader.read(position, None));
    }
    Some(value)
}
