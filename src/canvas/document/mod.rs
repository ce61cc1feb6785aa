//! The canvas as a live `Y.Doc`: a replica of it, what is on it as a content, and the smallest change to it.
//!
//! The replica follows the live document update by update. What is on the canvas is kept as a content and brought up to date
//! by the entities that changed since (never by a scan), and compared in the form that JavaScript has of a value, so that
//! what a document cannot keep (the spelling of a number, the order of keys) is no difference. A content is put on the canvas
//! as a list of edits, in one transaction.
//!
//! * [`shelves`]: where each collection of the schema lies;
//! * [`update_check`]: what is no update is refused before anybody reads it;
//! * [`replica`]: updates in and out, and what changed;
//! * [`plain`]: values as JavaScript has them; [`read`]: shared types as values; [`write`]: edits as writing.
//!
//! Invariant, held against a reading from scratch in the property tests: after [`Document::content`] and after
//! [`Document::replay`], what is kept as shown is what is in the document.

pub mod plain;
pub mod read;
pub mod replica;
pub mod shelves;
pub mod update_check;
pub mod write;

use std::sync::Arc;

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use yrs::{Any, Map, MapRef, Out, ReadTxn};

use self::plain::{Plain, PlainFault};
use self::read::read;
use self::replica::{Replica, ReplicaFault};
use self::shelves::{Shelf, Shelves};
use self::write::{Change, change_entity, has_plain, put_entity};
use crate::content::edit::{Edit, Path, PathStep, Place};
use crate::content::json::unescaped;
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

/// One writing.
enum Writing {
    Put {
        shelf: usize,
        key: Arc<str>,
        value: Plain,
    },
    Take {
        shelf: usize,
        key: Arc<str>,
    },
    /// A change inside an entity. Should the way there be another than expected, the entity is put as a whole.
    Change {
        shelf: usize,
        key: Arc<str>,
        id: Arc<str>,
        path: Path,
        change: Change,
    },
    /// The position of an entity in the map that has it once more.
    Place {
        root: usize,
        key: Arc<str>,
        position: Option<Plain>,
    },
}

impl Document {
    /// An empty one, to take in the updates of the live one. `client` names our writing in it: 53 bits that nobody else has.
    pub fn open(schema: &Schema, client: u64) -> Result<Self, DocumentFault> {
        let shelves = Shelves::of(schema);
        let replica = Replica::open(client, &shelves.roots)?;
        let had = vec![false; shelves.all.len()];
        Ok(Document { replica, shelves, shown: None, had, foreign: Vec::new() })
    }

    /// Takes in what somebody else wrote.
    pub fn apply_update(&mut self, update: &[u8]) -> Result<(), DocumentFault> {
        Ok(self.replica.apply(update)?)
    }

    /// What it has of each writer.
    pub fn state_vector(&self) -> Result<Vec<u8>, DocumentFault> {
        Ok(self.replica.state_vector()?)
    }

    /// What it has and another does not.
    pub fn diff(&self, state_vector: Option<&[u8]>) -> Result<Vec<u8>, DocumentFault> {
        Ok(self.replica.diff(state_vector)?)
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
                let mut is_whole = true;
                let now = entity(shelves, shelf, &key, root, transaction, &mut is_whole);
                if !is_whole {
                    foreign.push(Place { collection: shelf.collection.clone(), id: id.clone() });
                }
                has = now.is_some();
                match (old, now) {
                    (None, None) => {}
                    // A value that nobody has put into the document yet is as it was.
                    (Some(_), None) if shelf.at.is_some() && !had => {}
                    (Some(_), None) => drop(revised.insert(id, None)),
                    (old, Some(now)) => {
                        let old = old.and_then(|old| Plain::read(&old).ok());
                        if !old.is_some_and(|old| old.same(&now)) {
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

    /// Writes the edits that lead from what is shown to `result`, in one transaction. Gives the update that tells others; `None`
    /// when there was nothing to write (P2). Nothing is written when anything cannot be (P5).
    pub fn replay(
        &mut self,
        store: &ContentStore,
        edits: &[Edit],
        result: ContentIx,
    ) -> Result<Option<Vec<u8>>, DocumentFault> {
        let writings = self.writings(store, edits, result)?;
        if writings.is_empty() {
            self.shown = Some(result);
            return Ok(None);
        }
        let shelves = &self.shelves;
        let update = self.replica.write(|root, transaction| {
            // What is put as a whole is as it should be in the end.
            let mut renewed: HashSet<(usize, &str)> = HashSet::new();
            for writing in &writings {
                if let Writing::Change { shelf, key, id, path, change } = writing {
                    if renewed.contains(&(*shelf, &**key)) {
                        continue;
                    }
                    let Some(at) = shelves.all.get(*shelf) else { continue };
                    let Some(map) = root(at.root) else { continue };
                    if !change_entity(transaction, &map, at, key, path, change) {
                        let whole = store.value_of(result, &at.collection, id);
                        if let Some(whole) = whole.and_then(|whole| Plain::read(&whole).ok()) {
                            put_entity(transaction, &map, at, key, &whole);
                        }
                        renewed.insert((*shelf, key));
                    }
                } else {
                    carry_out(writing, shelves, root, transaction);
                }
            }
        })?;
        for writing in &writings {
            let (root, key) = match writing {
                Writing::Put { shelf, key, .. }
                | Writing::Take { shelf, key }
                | Writing::Change { shelf, key, .. } => {
                    if let Some(had) = self.had.get_mut(*shelf) {
                        *had = !matches!(writing, Writing::Take { .. });
                    }
                    (self.shelves.all.get(*shelf).map_or(0, |shelf| shelf.root), key)
                }
                Writing::Place { root, key, .. } => (*root, key),
            };
            self.replica.note(root, key)?;
        }
        self.shown = Some(result);
        Ok(update)
    }

    /// What edits come to. Everything that can be refused is refused here.
    fn writings(
        &self,
        store: &ContentStore,
        edits: &[Edit],
        result: ContentIx,
    ) -> Result<Vec<Writing>, DocumentFault> {
        let mut writings = Vec::new();
        // What is put as a whole is put once.
        let mut whole: HashSet<(usize, &str)> = HashSet::new();
        for edit in edits {
            let Some(shelf_at) =
                self.shelves.all.iter().position(|shelf| *shelf.collection == *edit.collection())
            else {
                continue;
            };
            let Some(shelf) = self.shelves.all.get(shelf_at) else { continue };
            let (place, path, change) = match edit {
                // A map has no order.
                Edit::Order { .. } => continue,
                Edit::Add { place, value, .. } => {
                    let value = plain_of(place, value)?;
                    self.place(shelf, place, Some(&value), &mut writings);
                    writings.push(Writing::Put { shelf: shelf_at, key: key_of(&place.id).into(), value });
                    continue;
                }
                Edit::Remove { place, .. } => {
                    self.place(shelf, place, None, &mut writings);
                    writings.push(Writing::Take { shelf: shelf_at, key: key_of(&place.id).into() });
                    continue;
                }
                Edit::Set { place, path, from, to } => {
                    let to = plain_of(place, to)?;
                    (
                        place,
                        path_of(path),
                        if from.is_some() { Change::Replace(to) } else { Change::Insert(to) },
                    )
                }
                Edit::Unset { place, path, .. } => (place, path_of(path), Change::Remove),
                Edit::Move { place, .. } => (place, Vec::new(), Change::Remove),
            };
            if shelf.at.is_none() && place.id.is_empty() {
                if whole.insert((shelf_at, "")) {
                    self.put_all(store, shelf_at, result, &mut writings)?;
                }
                continue;
            }
            let key: Arc<str> = shelf.at.clone().unwrap_or_else(|| key_of(&place.id).into());
            let id = place.id.clone();
            if let (Edit::Move { from, to, .. }, Some(position)) = (edit, &shelf.position) {
                let [x, y] = [plain_of(place, &to.x)?, plain_of(place, &to.y)?];
                let point = Plain::Object(vec![("x".into(), x.clone()), ("y".into(), y.clone())]);
                if let Some(root) = shelf.positions {
                    writings.push(Writing::Place { root, key: key.clone(), position: Some(point.clone()) });
                }
                if !shelf.is_nested && position.is_empty() {
                    writings.push(Writing::Put { shelf: shelf_at, key, value: point });
                    continue;
                }
                if shelf.is_nested {
                    let way: Vec<PathStep> =
                        position.iter().map(|name| PathStep::Key(name.clone())).collect();
                    for (name, from, to) in [("x", &from.x, x), ("y", &from.y, y)] {
                        if plain_of(place, from)? != to {
                            let path = way.iter().cloned().chain([PathStep::Key(name.into())]).collect();
                            let (key, id, change) = (key.clone(), id.clone(), Change::Replace(to));
                            writings.push(Writing::Change { shelf: shelf_at, key, id, path, change });
                        }
                    }
                    continue;
                }
            }
            // A position that is changed as a value is kept once more all the same.
            let is_position = shelf.positions.is_some()
                && shelf
                    .position
                    .iter()
                    .flatten()
                    .zip(&path)
                    .all(|(name, step)| matches!(step, PathStep::Key(key) if key == name));
            let is_whole = !shelf.is_nested || path.is_empty();
            let now = match is_whole && whole.insert((shelf_at, &place.id)) || is_position {
                true => store.value_of(result, &shelf.collection, &place.id),
                false if is_whole => continue,
                false => None,
            };
            let now = now.map(|now| plain_of(place, &now)).transpose()?;
            if is_position {
                self.place(shelf, place, now.as_ref(), &mut writings);
            }
            writings.push(match (is_whole, now) {
                (false, _) => Writing::Change { shelf: shelf_at, key, id, path, change },
                (true, Some(value)) => Writing::Put { shelf: shelf_at, key, value },
                (true, None) => Writing::Take { shelf: shelf_at, key },
            });
        }
        Ok(writings)
    }

    /// The position of an entity, where that is kept once more.
    fn place(&self, shelf: &Shelf, place: &Place, value: Option<&Plain>, writings: &mut Vec<Writing>) {
        let (Some(root), Some(path)) = (shelf.positions, &shelf.position) else { return };
        let position = value.and_then(|value| path.iter().try_fold(value, |at, name| at.at(name)));
        writings.push(Writing::Place { root, key: key_of(&place.id).into(), position: position.cloned() });
    }

    /// Everything of a collection, for when its entities could not be told apart.
    fn put_all(
        &self,
        store: &ContentStore,
        shelf_at: usize,
        result: ContentIx,
        writings: &mut Vec<Writing>,
    ) -> Result<(), DocumentFault> {
        let Some(shelf) = self.shelves.all.get(shelf_at) else { return Ok(()) };
        let values = store.values(result, &shelf.collection);
        let stays: HashSet<&str> = values.iter().map(|(id, _)| &**id).collect();
        let gone: Vec<Arc<str>> = self.replica.read(|root, transaction| {
            let map = root(shelf.root);
            let keys = map.iter().flat_map(|map| map.keys(transaction));
            keys.filter(|key| !stays.contains(key)).map(Into::into).collect()
        })?;
        let positions: HashSet<Arc<str>> = self.replica.read(|root, transaction| {
            let boxes = self.shelves.placed_in(shelf.root).filter_map(|other| root(other.root));
            boxes.flat_map(|map| map.keys(transaction).map(Into::into).collect::<Vec<_>>()).collect()
        })?;
        for key in gone.into_iter().filter(|key| !positions.contains(key)) {
            if let Some(root) = shelf.positions {
                writings.push(Writing::Place { root, key: key.clone(), position: None });
            }
            writings.push(Writing::Take { shelf: shelf_at, key });
        }
        for (id, value) in &values {
            let place = Place { collection: shelf.collection.clone(), id: id.clone() };
            let value = plain_of(&place, value)?;
            self.place(shelf, &place, Some(&value), writings);
            writings.push(Writing::Put { shelf: shelf_at, key: key_of(id).into(), value });
        }
        Ok(())
    }
}

/// So many entities are looked up one by one.
const FEW: usize = 4;

/// An id as a key of a shared map, in which half a character is U+FFFD.
fn key_of(id: &str) -> Cow<'_, str> {
    match id.strip_prefix('\0') {
        Some(body) => unescaped(body),
        None => Cow::Borrowed(id),
    }
}

/// The same of the keys of a path.
fn path_of(path: &[PathStep]) -> Path {
    let step = |step: &PathStep| match step {
        PathStep::Key(name) => PathStep::Key(key_of(name).into()),
        PathStep::Index(at) => PathStep::Index(*at),
    };
    path.iter().map(step).collect()
}

fn plain_of(place: &Place, value: &str) -> Result<Plain, DocumentFault> {
    Plain::read(value).map_err(|why| DocumentFault::Value { place: place.clone(), why })
}

/// What the document has at a key of a shelf, as the content has it.
fn entity(
    shelves: &Shelves,
    shelf: &Shelf,
    key: &str,
    root: &dyn Fn(usize) -> Option<MapRef>,
    transaction: &impl ReadTxn,
    is_whole: &mut bool,
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
    let mut value = read(&out, transaction, is_whole);
    if let Some(field) = &shelf.id {
        let id = Plain::Text(key.into());
        if !matches!(value, Plain::Object(_)) {
            *is_whole = false;
            value = Plain::Object(Vec::new());
        }
        if value.at(field) != Some(&id) {
            // Its key is its name; another one in it is nobody's.
            *is_whole &= value.at(field).is_none();
            value.set(field, id);
        }
    }
    if let (Some(positions), Some([field])) = (shelf.positions, shelf.position.as_deref())
        && let Some(position) = root(positions).and_then(|map| map.get(transaction, key))
    {
        value.set(field, read(&position, transaction, is_whole));
    }
    Some(value)
}

fn carry_out(
    writing: &Writing,
    shelves: &Shelves,
    root: &dyn Fn(usize) -> Option<MapRef>,
    transaction: &mut yrs::TransactionMut<'_>,
) {
    let shelf_and_map = |shelf: usize| {
        let shelf = shelves.all.get(shelf)?;
        Some((shelf, root(shelf.root)?))
    };
    match writing {
        Writing::Put { shelf, key, value } => {
            let Some((shelf, map)) = shelf_and_map(*shelf) else { return };
            if shelf.is_nested || !has_plain(transaction, &map, key, value) {
                put_entity(transaction, &map, shelf, key, value);
            }
        }
        Writing::Take { shelf, key } => {
            if let Some((_, map)) = shelf_and_map(*shelf) {
                map.remove(transaction, key);
            }
        }
        // These may end in putting the whole, which the caller keeps count of.
        Writing::Change { .. } => {}
        Writing::Place { root: at, key, position } => {
            let Some(map) = root(*at) else { return };
            match position {
                Some(position) if has_plain(transaction, &map, key, position) => {}
                Some(position) => drop(map.insert(transaction, &**key, position.to_any())),
                None => drop(map.remove(transaction, key)),
            }
        }
    }
}
