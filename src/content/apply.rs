//! `apply(a, edits)`: the content that the edits lead to. All or nothing: the first edit that does not fit refuses the whole
//! list, and nothing was changed (P5).

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::atom::{AtomIx, NO_COLLECTION, Role};
use super::edit::{Edit, Path, Place, Point};
use super::json::quoted;
use super::schema::Kind;
use super::splice::{Change, splice};
use super::store::{ContentIx, ContentStore, Part};

/// An edit that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("edit {index} does not fit: {reason}")]
pub struct ApplyFault {
    /// Which edit, from 0.
    pub index: usize,
    /// Where it should have gone.
    pub place: Place,
    /// What is in the way.
    pub reason: &'static str,
}

/// A member at the top level while it is made anew.
pub(super) enum Work {
    /// As it was.
    Untouched(Part),
    /// Entities, in order.
    Entities { collection: u8, open: Option<AtomIx>, close: Option<AtomIx>, entities: Entities },
    /// A value, as text.
    Value(String),
}

/// Entities in order, found by their ids.
#[derive(Default)]
pub(super) struct Entities {
    list: Vec<Entity>,
    ids: HashSet<Box<str>>,
    /// Where each is; made when somebody asks, and given up when places change.
    places: Option<HashMap<Box<str>, usize>>,
}

impl Entities {
    pub(super) fn of(list: Vec<Entity>) -> Self {
        Entities { ids: list.iter().map(|entity| entity.id.clone()).collect(), list, places: None }
    }

    /// Without a place, at the end.
    fn insert(&mut self, at: Option<usize>, entity: Entity) -> Fit<()> {
        if !self.ids.insert(entity.id.clone()) {
            return Err("an entity of that id is there already");
        }
        match at.filter(|at| *at < self.list.len()) {
            Some(at) => {
                self.places = None;
                self.list.insert(at, entity);
            }
            None => {
                let end = self.list.len();
                if let Some(places) = &mut self.places {
                    places.insert(entity.id.clone(), end);
                }
                self.list.push(entity);
            }
        }
        Ok(())
    }

    fn find(&mut self, id: &str) -> Fit<usize> {
        let list = &self.list;
        let places = self.places.get_or_insert_with(|| {
            list.iter().enumerate().map(|(at, entity)| (entity.id.clone(), at)).collect()
        });
        places.get(id).copied().ok_or("there is no such entity")
    }

    /// `at` is where it should be in a list; an edit list that was made for this content is right about that. Without it the
    /// order does not matter, and the last one takes the place.
    fn remove(&mut self, id: &str, at: Option<usize>) -> Fit<()> {
        let is_there = |at: &usize| self.list.get(*at).is_some_and(|entity| &*entity.id == id);
        if let Some(hint) = at {
            let at = if is_there(&hint) { hint } else { self.find(id)? };
            self.places = None;
            self.list.remove(at);
        } else {
            let at = self.find(id)?;
            self.list.swap_remove(at);
            if let Some(places) = &mut self.places {
                places.remove(id);
                if let Some(moved) = self.list.get(at) {
                    places.insert(moved.id.clone(), at);
                }
            }
        }
        self.ids.remove(id);
        Ok(())
    }
}

pub(super) struct Entity {
    pub(super) id: Box<str>,
    pub(super) text: EntityText,
}

pub(super) enum EntityText {
    Kept(AtomIx),
    /// The value alone.
    New(String),
}

type Fit<T> = Result<T, &'static str>;

impl ContentStore {
    /// The content that edits lead to.
    pub fn apply(&mut self, a: ContentIx, edits: &[Edit]) -> Result<ContentIx, ApplyFault> {
        let parts = self.parts(a).map_or(Vec::new(), <[Part]>::to_vec);
        let mut order: Vec<Box<str>> = Vec::new();
        let mut works: HashMap<Box<str>, Work> = HashMap::new();
        for part in parts {
            let (Part::Plain(atom) | Part::Collection { open: atom, .. }) = part;
            // White space between nothing but braces has no key and nothing to keep it for.
            let Some(id) = self.atoms.get(atom).and_then(|atom| atom.id) else { continue };
            let key: Box<str> = self.atoms.id_text(id).into();
            // Of a repeated key the last counts.
            if works.insert(key.clone(), Work::Untouched(part)).is_none() {
                order.push(key);
            }
        }
        for (index, edit) in edits.iter().enumerate() {
            let fit = self.apply_one(&mut order, &mut works, edit);
            fit.map_err(|reason| ApplyFault { index, place: place_of(edit), reason })?;
        }
        let mut parts = Vec::with_capacity(order.len());
        for key in order {
            if let Some(work) = works.remove(&key) {
                parts.push(self.finish(&key, work));
            }
        }
        Ok(self.keep_parts(parts))
    }

    /// One edit list with the effect of several, one after the other (C8).
    pub fn squash(&mut self, a: ContentIx, lists: &[&[Edit]]) -> Result<Vec<Edit>, ApplyFault> {
        let mut b = a;
        for edits in lists {
            b = self.apply(b, edits)?;
        }
        Ok(self.diff(a, b))
    }

    fn apply_one(
        &self,
        order: &mut Vec<Box<str>>,
        works: &mut HashMap<Box<str>, Work>,
        edit: &Edit,
    ) -> Fit<()> {
        let key = edit.collection();
        if let Edit::Set { place, path, from: None, to } = edit
            && place.id.is_empty()
            && path.is_empty()
        {
            if works.contains_key(key) {
                return Err("the key is there already");
            }
            order.push(key.into());
            works.insert(key.into(), Work::Value(to.to_string()));
            return Ok(());
        }
        if let Edit::Unset { place, path, .. } = edit
            && place.id.is_empty()
            && path.is_empty()
        {
            order.retain(|known| &**known != key);
            return works.remove(key).map(|_| ()).ok_or("there is no such key");
        }
        let work = works.get_mut(key).ok_or("there is no such key")?;
        match edit {
            Edit::Add { place, at, value } => {
                let entity = Entity { id: place.id.clone(), text: EntityText::New(value.to_string()) };
                self.entities_of(key, work)?.insert(*at, entity)?;
            }
            Edit::Remove { place, at, .. } => self.entities_of(key, work)?.remove(&place.id, *at)?,
            Edit::Set { place, path, from, to } => {
                let change = if from.is_some() { Change::Replace(to) } else { Change::Insert(to) };
                self.change(key, work, place, path, change)?;
            }
            Edit::Unset { place, path, .. } => self.change(key, work, place, path, Change::Remove)?,
            Edit::Move { place, to, .. } => {
                let collection = self.schema.at(key).map(|(_, collection)| collection);
                let path = collection
                    .and_then(|collection| collection.position.as_ref())
                    .ok_or("nothing moves here")?;
                let path: Path =
                    path.iter().map(|key| super::edit::PathStep::Key(key.as_str().into())).collect();
                let Point { x, y } = to;
                self.change(key, work, place, &path, Change::Replace(&format!(r#"{{"x":{x},"y":{y}}}"#)))?;
            }
            Edit::Order { to, .. } => {
                let entities = self.entities_of(key, work)?;
                let ranks: HashMap<&str, usize> =
                    to.iter().enumerate().map(|(rank, id)| (&**id, rank)).collect();
                let all = entities.list.iter().all(|entity| ranks.contains_key(&*entity.id));
                if !all || ranks.len() != entities.list.len() {
                    return Err("the order does not name exactly what is there");
                }
                entities.places = None;
                entities.list.sort_by_key(|entity| ranks.get(&*entity.id).copied());
            }
        }
        Ok(())
    }

    /// The text of a value that is changed in place.
    fn change(&self, key: &str, work: &mut Work, place: &Place, path: &Path, change: Change<'_>) -> Fit<()> {
        let nowhere = "the path leads nowhere";
        if place.id.is_empty() && !matches!(work, Work::Entities { .. }) {
            let text = match work {
                Work::Untouched(part) => self.part_value(*part),
                Work::Value(text) => std::mem::take(text),
                Work::Entities { .. } => return Err(nowhere),
            };
            *work = Work::Value(splice(&text, path, change).ok_or(nowhere)?);
            return Ok(());
        }
        let entities = self.entities_of(key, work)?;
        let at = entities.find(&place.id)?;
        let entity = entities.list.get_mut(at).ok_or(nowhere)?;
        let text = match &entity.text {
            EntityText::Kept(atom) => self.value_text(*atom),
            EntityText::New(text) => Cow::Borrowed(text.as_str()),
        };
        let changed = splice(&text, path, change).ok_or(nowhere)?;
        drop(text);
        entity.text = EntityText::New(changed);
        Ok(())
    }

    /// The entities of a member, taken apart if they were not yet.
    fn entities_of<'w>(&self, key: &str, work: &'w mut Work) -> Fit<&'w mut Entities> {
        let none = "there are no entities at this key";
        let taken = match work {
            Work::Untouched(Part::Collection { open, items, close }) => {
                let collection = self.atoms.get(*open).map_or(NO_COLLECTION, |open| open.collection);
                let entity = |atom: AtomIx| {
                    let id = self.atoms.get(atom).and_then(|atom| atom.id).ok_or("an entity has no id")?;
                    Ok(Entity { id: self.atoms.id_text(id).into(), text: EntityText::Kept(atom) })
                };
                let mut entities = self.sequences.atoms(*items).map(entity).collect::<Fit<Vec<_>>>()?;
                if self.schema.get(collection).is_some_and(|collection| collection.kind == Kind::Map) {
                    // Of a repeated key the last counts.
                    let mut seen = HashSet::new();
                    entities.reverse();
                    entities.retain(|entity| seen.insert(entity.id.clone()));
                    entities.reverse();
                }
                let entities = Entities::of(entities);
                Some(Work::Entities { collection, open: Some(*open), close: Some(*close), entities })
            }
            Work::Untouched(Part::Plain(_)) => return Err(none),
            // A key that came while edits are applied, and is empty still.
            Work::Value(text) => match self.schema.at(key).filter(|_| matches!(&**text, "[]" | "{}")) {
                Some((collection, _)) => {
                    let entities = Entities::default();
                    Some(Work::Entities { collection, open: None, close: None, entities })
                }
                None => return Err(none),
            },
            Work::Entities { .. } => None,
        };
        if let Some(taken) = taken {
            *work = taken;
        }
        match work {
            Work::Entities { entities, .. } => Ok(entities),
            Work::Untouched(_) | Work::Value(_) => Err(none),
        }
    }

    pub(super) fn finish(&mut self, key: &str, work: Work) -> Part {
        let name = quoted(key);
        match work {
            Work::Untouched(part) => part,
            Work::Value(value) => self.part_of(key, &format!("{name}:{value}")),
            Work::Entities { collection, open, close, entities } => {
                let is_map =
                    self.schema.get(collection).is_some_and(|collection| collection.kind == Kind::Map);
                let (bracket, end, role) =
                    if is_map { ("{", "}", Role::Member) } else { ("[", "]", Role::Item) };
                let id_field = self.schema.get(collection).and_then(|collection| collection.id.clone());
                let atoms: Vec<AtomIx> = entities
                    .list
                    .into_iter()
                    .map(|entity| match entity.text {
                        EntityText::Kept(atom) => atom,
                        EntityText::New(value) if is_map => {
                            let text = format!("{}:{value}", quoted(&entity.id));
                            self.atoms.keep(collection, role, &text, None, None)
                        }
                        EntityText::New(value) => {
                            self.atoms.keep(collection, role, &value, id_field.as_deref(), None)
                        }
                    })
                    .collect();
                let ends_so = |atom: &AtomIx| self.atoms.text(*atom).ends_with(bracket);
                let open = open.filter(ends_so).unwrap_or_else(|| {
                    self.atoms.keep(collection, Role::Edge, &format!("{name}:{bracket}"), None, None)
                });
                let close = close.unwrap_or_else(|| self.atoms.keep(collection, Role::Edge, end, None, None));
                Part::Collection { open, items: self.sequences.build(&atoms, &self.atoms), close }
            }
        }
    }

    /// The part that the text of a member makes.
    fn part_of(&mut self, key: &str, member: &str) -> Part {
        let text = format!("{{{member}}}");
        let content = self.take_in(&text, None).ok();
        let parts = content.and_then(|content| self.parts(content));
        match parts.and_then(|parts| parts.first()) {
            Some(part) => *part,
            // Only a key that cannot be written comes here, and there is none.
            None => Part::Plain(self.atoms.keep(
                NO_COLLECTION,
                Role::Member,
                &format!("{}:null", quoted(key)),
                None,
                None,
            )),
        }
    }

    pub(super) fn keep_parts(&mut self, parts: Vec<Part>) -> ContentIx {
        let lengths = parts.iter().map(|part| match *part {
            Part::Plain(atom) => self.atoms.text(atom).len(),
            Part::Collection { open, items, close } => {
                let inside: usize =
                    self.sequences.atoms(items).map(|atom| self.atoms.text(atom).len() + 1).sum();
                self.atoms.text(open).len() + inside + self.atoms.text(close).len()
            }
        });
        let length = lengths.map(|length| length + 1).sum::<usize>() + 2;
        self.keep(parts, length)
    }
}

fn place_of(edit: &Edit) -> Place {
    match edit {
        Edit::Add { place, .. }
        | Edit::Remove { place, .. }
        | Edit::Set { place, .. }
        | Edit::Unset { place, .. }
        | Edit::Move { place, .. } => place.clone(),
        Edit::Order { collection, .. } => Place { collection: collection.clone(), id: "".into() },
    }
}
