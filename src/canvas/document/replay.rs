//! Edits as the smallest change to a document: what is written where, in one transaction.
//!
//! Everything that can be refused is refused before the transaction begins (P5); what a document has no place for is left out.

use std::borrow::Cow;
use std::sync::Arc;

use hashbrown::HashSet;
use yrs::{Map, MapRef};

use super::plain::Plain;
use super::shelves::{Shelf, Shelves};
use super::write::{Change, change_entity, has_plain, put_entity};
use super::{Document, DocumentFault};
use crate::content::edit::{Edit, Path, PathStep, Place};
use crate::content::json::unescaped;
use crate::content::{ContentIx, ContentStore};

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
            if let Writing::Place { root, key, .. } = writing {
                // Whose position that is depends on what else has the key: it is read again.
                self.replica.touch(*root, key);
            }
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
