//! A content with some of its entities as they are somewhere else: what a canvas has, told by what changed on it.

use std::sync::Arc;

use hashbrown::HashMap;

use super::atom::{AtomIx, Role};
use super::json::quoted;
use super::schema::Kind;
use super::store::{ContentIx, ContentStore, Part};
use crate::sort::sort_by_key;

/// What an entity is now: its value as JSON text, or `None` when it is gone.
pub type Revised = HashMap<Arc<str>, Option<String>>;

impl ContentStore {
    /// The value of an entity, or of a collection that is one value, for which the id is empty. `None` when there is none.
    pub fn value_of(&self, content: ContentIx, collection: &str, id: &str) -> Option<String> {
        let part = self.part_at(content, collection)?;
        match part {
            Part::Plain(atom) => Some(self.value_text(atom).into_owned()),
            Part::Collection { items, .. } => {
                let id = self.atoms.find_id(id)?;
                let is_it = |atom: &AtomIx| self.atoms.get(*atom).is_some_and(|atom| atom.id == Some(id));
                let atom = self.sequences.atoms(items).find(is_it)?;
                Some(self.value_text(atom).into_owned())
            }
        }
    }

    /// The ids and values of the entities of a collection, in order.
    pub fn values(&self, content: ContentIx, collection: &str) -> Vec<(Arc<str>, String)> {
        let Some(Part::Collection { items, .. }) = self.part_at(content, collection) else {
            return Vec::new();
        };
        let value = |atom: AtomIx| {
            let id = self.atoms.get(atom)?.id?;
            Some((self.atoms.id_text(id).into(), self.value_text(atom).into_owned()))
        };
        self.sequences.atoms(items).filter_map(value).collect()
    }

    /// The content with the entities of a list in the order that they have in another; those that are not there come last.
    /// O(changed log n) when the order is the same.
    pub fn ordered_as(&mut self, content: ContentIx, collection: &str, other: ContentIx) -> ContentIx {
        let is_list = self.schema.at(collection).is_some_and(|(_, schema)| schema.kind == Kind::List);
        let parts = (self.part_at(content, collection), self.part_at(other, collection));
        let (Some(Part::Collection { open, items, close }), Some(Part::Collection { items: as_in, .. })) =
            parts
        else {
            return content;
        };
        let has_order = |sequence| self.sequences.are_distinct(sequence);
        if !is_list
            || !has_order(items)
            || !has_order(as_in)
            || self.sequences.aligned(items, as_in, &self.atoms.kept).is_some()
        {
            return content;
        }
        let id = |atom: AtomIx| self.atoms.get(atom).and_then(|atom| atom.id);
        let places: HashMap<_, usize> =
            self.sequences.atoms(as_in).enumerate().filter_map(|(at, atom)| Some((id(atom)?, at))).collect();
        let mut atoms: Vec<AtomIx> = self.sequences.atoms(items).collect();
        sort_by_key(&mut atoms, |atom| {
            id(*atom).and_then(|id| places.get(&id)).copied().unwrap_or(usize::MAX)
        });
        let new = Part::Collection { open, items: self.sequences.build(&atoms, &self.atoms), close };
        let old = Part::Collection { open, items, close };
        let parts = self.parts(content).unwrap_or_default();
        let parts = parts.iter().map(|part| if *part == old { new } else { *part }).collect();
        self.keep_parts(parts)
    }

    fn part_at(&self, content: ContentIx, collection: &str) -> Option<Part> {
        let key = self.atoms.find_id(collection)?;
        self.members(content)?.get(&key).copied()
    }

    /// The content with entities of one collection revised. Those that stay keep their places, those that are new come last, by
    /// their ids. All values have to be JSON. O(entities).
    pub fn revise(&mut self, content: ContentIx, collection: &str, revised: &Revised) -> ContentIx {
        let Some((index, schema)) = self.schema.at(collection) else { return content };
        let (kind, id_field) = (schema.kind, schema.id.clone());
        let mut parts = self.parts(content).map_or(Vec::new(), <[Part]>::to_vec);
        let place = parts.iter().rposition(|part| self.key_of(*part).is_some_and(|key| key == collection));
        let old = place.and_then(|place| parts.get(place).copied());
        let new = match kind {
            Kind::Value => match revised.get("") {
                Some(Some(value)) => Some(self.plain_part(collection, value)),
                Some(None) => None,
                None => return content,
            },
            Kind::List | Kind::Map => {
                let role = if kind == Kind::Map { Role::Member } else { Role::Item };
                let text = |id: &str, value: &str| match role {
                    Role::Member => format!("{}:{value}", quoted(id)),
                    _ => value.to_owned(),
                };
                let (mut open, mut close, mut atoms) = (None, None, Vec::new());
                if let Some(Part::Collection { open: first, items, close: last }) = old {
                    (open, close) = (Some(first), Some(last));
                    atoms = self.sequences.atoms(items).collect();
                }
                let mut coming: HashMap<&str, &str> =
                    revised.iter().filter_map(|(id, value)| Some((&**id, value.as_deref()?))).collect();
                let mut items = Vec::with_capacity(atoms.len() + coming.len());
                for atom in atoms {
                    let id = self.atoms.get(atom).and_then(|atom| atom.id);
                    let id: Arc<str> = id.map_or("", |id| self.atoms.id_text(id)).into();
                    match revised.get(&id) {
                        None => items.push(atom),
                        Some(None) => {}
                        Some(Some(value)) => {
                            if coming.remove(&*id).is_some() {
                                let text = text(&id, value);
                                let kept =
                                    self.atoms.keep(index, role, &text, id_field.as_deref(), Some(atom));
                                items.push(kept);
                            }
                        }
                    }
                }
                let mut coming: Vec<(&str, &str)> = coming.into_iter().collect();
                sort_by_key(&mut coming, |(id, _)| *id);
                for (id, value) in coming {
                    items.push(self.atoms.keep(index, role, &text(id, value), id_field.as_deref(), None));
                }
                if items.is_empty() && old.is_none() {
                    return content;
                }
                let (begin, end) = if role == Role::Member { ("{", "}") } else { ("[", "]") };
                let mut edge = |known: Option<AtomIx>, text: &str| {
                    known.unwrap_or_else(|| self.atoms.keep(index, Role::Edge, text, None, None))
                };
                let open = edge(open, &format!("{}:{begin}", quoted(collection)));
                let close = edge(close, end);
                Some(Part::Collection { open, items: self.sequences.build(&items, &self.atoms), close })
            }
        };
        match (place.and_then(|place| parts.get_mut(place)), new) {
            (Some(part), Some(new)) => *part = new,
            (None, Some(new)) => parts.push(new),
            (_, None) => {
                if let Some(place) = place {
                    parts.remove(place);
                }
            }
        }
        self.keep_parts(parts)
    }

    fn key_of(&self, part: Part) -> Option<&str> {
        let (Part::Plain(atom) | Part::Collection { open: atom, .. }) = part;
        Some(self.atoms.id_text(self.atoms.get(atom)?.id?))
    }

    fn plain_part(&mut self, key: &str, value: &str) -> Part {
        let text = format!("{}:{value}", quoted(key));
        Part::Plain(self.atoms.keep(super::atom::NO_COLLECTION, Role::Member, &text, None, None))
    }
}
