//! `apply(a, edits)`: the content that the edits lead to. All or nothing: the first edit that does not fit refuses the whole
//! list, and nothing was changed (P5). An edit fits when everything that it says of the content is so at its turn: what was
//! there, and where; and when what it brings is JSON under the right id.
//!
//! O(n log n) in what is there and in the edits, whatever order they come in (X1): see `draft`.

use super::atom::{AtomIx, NO_COLLECTION, Role};
use super::draft::Draft;
use super::edit::{Edit, Place};
use super::json::quoted;
use super::schema::Kind;
use super::store::{ContentIx, ContentStore, Part};

/// An edit that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("edit {index} does not fit: {reason}")]
pub struct ApplyFault {
    /// Which edit, from 0; of several lists, as if they were one.
    pub index: usize,
    /// Where it should have gone.
    pub place: Place,
    /// What is in the way.
    pub reason: Misfit,
}

/// Why an edit does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// It is about a key that is not there.
    #[error("there is no such key")]
    NoKey,
    /// It brings a key that is there.
    #[error("the key is there already")]
    KeyThere,
    /// It is about an entity, and there are none here, or they cannot be told apart.
    #[error("there are no entities at this key")]
    NoEntities,
    /// It is about a collection as one value, after edits of its entities.
    #[error("this key is changed entity by entity")]
    EntityByEntity,
    /// It is about an entity that is not there.
    #[error("there is no such entity")]
    NoEntity,
    /// It brings an entity that is there.
    #[error("an entity of that id is there already")]
    EntityThere,
    /// It says that an entity has another place in its list, or gives it one behind the end.
    #[error("the entity does not have that place")]
    Elsewhere,
    /// It makes an entity that would have another id than the one it goes by, or none.
    #[error("the value has another id")]
    OtherId,
    /// Its path does not lead to anything, or something is there where something new should come.
    #[error("the path leads nowhere")]
    Nowhere,
    /// It says that something else was there.
    #[error("what was there is something else")]
    NotWhatIsThere,
    /// It brings something that is not JSON.
    #[error("the value is not JSON")]
    NotJson,
    /// It moves what has no position.
    #[error("nothing moves here")]
    NothingMoves,
    /// It moves something to what is not two numbers.
    #[error("a position is two numbers")]
    NoPoint,
    /// Its order does not name each entity once.
    #[error("the order does not name exactly what is there")]
    NoOrder,
}

/// What comes of an edit.
pub(super) type Fit<T> = Result<T, Misfit>;

/// A member at the top level while it is made anew.
pub(super) enum Work {
    /// As it was.
    Untouched(Part),
    /// Entities, in order.
    Entities { collection: u8, open: Option<AtomIx>, close: Option<AtomIx>, entities: Entities },
    /// A value, as text.
    Value(String),
}

/// Entities in order.
pub(super) struct Entities {
    list: Vec<Entity>,
    /// What each was made from, where it was.
    near: Vec<Option<AtomIx>>,
}

impl Entities {
    /// With what each was made from, so that only the difference is kept (C3).
    pub(super) fn near(list: Vec<Entity>, near: Vec<Option<AtomIx>>) -> Self {
        Entities { list, near }
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

impl ContentStore {
    /// The content that edits lead to.
    pub fn apply(&mut self, a: ContentIx, edits: &[Edit]) -> Result<ContentIx, ApplyFault> {
        let mut draft = Draft::of(self, a);
        for (index, edit) in edits.iter().enumerate() {
            draft.apply(edit).map_err(|reason| ApplyFault { index, place: place_of(edit), reason })?;
        }
        let done = draft.done();
        let parts = done.into_iter().map(|(key, work)| self.finish(&key, work)).collect();
        Ok(self.keep_parts(parts))
    }

    /// One edit list with the effect of several, one after the other (C8).
    pub fn squash(&mut self, a: ContentIx, lists: &[&[Edit]]) -> Result<Vec<Edit>, ApplyFault> {
        let (mut b, mut before) = (a, 0);
        for edits in lists {
            let applied = self.apply(b, edits);
            b = applied.map_err(|fault| ApplyFault { index: before + fault.index, ..fault })?;
            before += edits.len();
        }
        Ok(self.diff(a, b))
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
                    .zip(entities.near.into_iter().chain(std::iter::repeat(None)))
                    .map(|(entity, near)| match entity.text {
                        EntityText::Kept(atom) => atom,
                        EntityText::New(value) if is_map => {
                            let text = format!("{}:{value}", quoted(&entity.id));
                            self.atoms.keep(collection, role, &text, None, near)
                        }
                        EntityText::New(value) => {
                            self.atoms.keep(collection, role, &value, id_field.as_deref(), near)
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
