//! Atoms: the smallest pieces that contents share. An entity with its key, or a stretch of text between entities.
//!
//! An atom is a text exactly as it stands between two commas, white space included, so a content is its atoms joined again
//! (C1). It knows which part of it is the value, and by which name the entity goes.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::field::field;
use super::ingest::begins_with;
use super::interner::{Handle, Interner, Thing};
use super::json::{Json, name_of};
use super::scan::{ScanFault, Scanner};

/// An atom in the store. Two are the same if and only if collection and text are.
pub type AtomIx = Handle<Atom>;

/// The id of an entity, or a key at the top level. Two are the same if and only if the texts are.
pub type EntityId = Handle<Box<str>>;

/// What an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An item of a list; its id is in the field of that name.
    Item,
    /// A member of an object: key, colon, value.
    Member,
    /// The beginning or the end of a collection: not a value.
    Edge,
}

/// A piece of a content.
pub struct Atom {
    text: AtomText,
    /// The collection it belongs to; [`NO_COLLECTION`] at the top level.
    pub collection: u8,
    /// The id of the entity, where it has one.
    pub id: Option<EntityId>,
    /// How many levels of a sequence end behind it.
    pub height: u8,
    /// Where in the text the value lies.
    value: (u32, u32),
}

impl Atom {
    /// Whether it holds a value: an edge does not, and nor does white space.
    pub fn has_value(&self) -> bool {
        self.value.0 < self.value.1
    }
}

/// The text of an atom, exactly. An agent that changes a property changes a few bytes of an entity, so a version of an entity
/// is kept as what is different in it.
enum AtomText {
    Whole(Box<str>),
    /// The beginning and the end of another atom, which is whole, and what lies between.
    Edited {
        base: AtomIx,
        head: u32,
        tail: u32,
        middle: Box<str>,
    },
}

/// The top level itself.
pub const NO_COLLECTION: u8 = u8::MAX;

/// All atoms, and the names in them.
#[derive(Default)]
pub struct Atoms {
    /// The atoms.
    pub kept: Interner<Atom>,
    /// The ids of entities and the keys at the top level.
    pub ids: Interner<Box<str>>,
}

impl Atoms {
    /// Keeps a text that was walked over. `id_field` is where the id of a list's item is; `near` is an atom that it is likely to
    /// resemble.
    pub fn keep(
        &mut self,
        collection: u8,
        role: Role,
        text: &str,
        id_field: Option<&str>,
        near: Option<AtomIx>,
    ) -> AtomIx {
        // The collection is part of what an atom is: the same text can be told apart by another field elsewhere.
        let hash = xxh3_64(text.as_bytes()) ^ (u64::from(collection) << 56);
        let is_same = |known: &Atom| known.collection == collection && self.is_text(known, text);
        if let Some(known) = self.kept.find(hash, is_same) {
            return known;
        }
        // The text is JSON already, so the walk cannot fail; if it did, the atom would have no value and no id.
        let (value, id) = parts(role, text, id_field).unwrap_or_default();
        let id_hash = xxh3_64(id.as_deref().unwrap_or(text).as_bytes());
        let id = id.map(|id| self.ids.intern(id_hash, |known| **known == *id, || id.as_str().into()));
        let kept =
            near.and_then(|near| self.edited(near, text)).unwrap_or_else(|| AtomText::Whole(text.into()));
        let height = (id_hash.trailing_zeros() / 4) as u8;
        self.kept.insert(hash, Atom { text: kept, collection, id, height, value })
    }

    /// A text as what is different in it from another atom, where that is little.
    fn edited(&self, near: AtomIx, text: &str) -> Option<AtomText> {
        let base = match self.get(near)?.text {
            AtomText::Whole(_) => near,
            AtomText::Edited { base, .. } => base,
        };
        let AtomText::Whole(whole) = &self.get(base)?.text else { return None };
        let (a, b) = (whole.as_bytes(), text.as_bytes());
        let mut head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        while !text.is_char_boundary(head) || !whole.is_char_boundary(head) {
            head -= 1;
        }
        let (a_rest, b_rest) = (a.get(head..)?, b.get(head..)?);
        let mut tail = a_rest.iter().rev().zip(b_rest.iter().rev()).take_while(|(a, b)| a == b).count();
        while !text.is_char_boundary(text.len() - tail) || !whole.is_char_boundary(whole.len() - tail) {
            tail -= 1;
        }
        let middle = text.get(head..text.len() - tail)?;
        let is_little = middle.len() <= text.len() / 4 && text.len() >= 64;
        // A base stays for as long as what is made from it, so it must not be much larger.
        let is_little = is_little && whole.len() <= 4 * text.len();
        let edited =
            || AtomText::Edited { base, head: head as u32, tail: tail as u32, middle: middle.into() };
        is_little.then(edited)
    }

    fn is_text(&self, atom: &Atom, text: &str) -> bool {
        let pieces = self.pieces_of(atom);
        pieces.iter().map(|piece| piece.len()).sum::<usize>() == text.len() && begins_with_all(text, pieces)
    }

    /// An atom.
    pub fn get(&self, atom: AtomIx) -> Option<&Atom> {
        self.kept.get(atom)
    }

    /// The text of an atom in pieces that have to be joined.
    pub fn pieces(&self, atom: AtomIx) -> [&str; 3] {
        self.get(atom).map_or([""; 3], |atom| self.pieces_of(atom))
    }

    fn pieces_of<'a>(&'a self, atom: &'a Atom) -> [&'a str; 3] {
        match &atom.text {
            AtomText::Whole(text) => [text, "", ""],
            AtomText::Edited { base, head, tail, middle } => {
                // A base stays for as long as an atom that is made from it, and is whole.
                let whole = match self.get(*base).map(|base| &base.text) {
                    Some(AtomText::Whole(whole)) => &**whole,
                    _ => "",
                };
                let (head, tail) = (*head as usize, *tail as usize);
                let end = whole.len().saturating_sub(tail);
                [whole.get(..head).unwrap_or(""), middle, whole.get(end..).unwrap_or("")]
            }
        }
    }

    /// The text of an atom.
    pub fn text(&self, atom: AtomIx) -> Cow<'_, str> {
        match self.pieces(atom) {
            [whole, "", ""] => Cow::Borrowed(whole),
            pieces => Cow::Owned(pieces.concat()),
        }
    }

    /// Bytes of the text of an atom.
    pub fn length(&self, atom: AtomIx) -> usize {
        self.pieces(atom).iter().map(|piece| piece.len()).sum()
    }

    /// The text of the value of an atom; `None` for an edge.
    pub fn value(&self, atom: AtomIx) -> Option<Cow<'_, str>> {
        let (from, to) = self.get(atom)?.value;
        let (from, to) = (from as usize, to as usize);
        if from == to {
            return None;
        }
        match self.text(atom) {
            Cow::Borrowed(text) => text.get(from..to).map(Cow::Borrowed),
            Cow::Owned(text) => text.get(from..to).map(|value| Cow::Owned(value.to_owned())),
        }
    }

    /// The text of an id.
    pub fn id_text(&self, id: EntityId) -> &str {
        self.ids.get(id).map_or("", |id| id)
    }

    /// The id of that text, when some atom has it.
    pub fn find_id(&self, text: &str) -> Option<EntityId> {
        self.ids.find(xxh3_64(text.as_bytes()), |known| **known == *text)
    }

    /// The atom that another is made from, when it is made from one.
    pub fn base(&self, atom: AtomIx) -> Option<AtomIx> {
        match self.get(atom)?.text {
            AtomText::Edited { base, .. } => Some(base),
            AtomText::Whole(_) => None,
        }
    }

    /// Bytes that the atoms take.
    pub fn bytes(&self) -> usize {
        self.kept.bytes() + self.ids.bytes()
    }
}

impl Thing for Atom {
    fn held_bytes(&self) -> usize {
        match &self.text {
            AtomText::Whole(text) => text.len(),
            AtomText::Edited { middle, .. } => middle.len(),
        }
    }
}

/// Whether a text begins with some pieces, one after the other.
pub fn begins_with_all(text: &str, pieces: [&str; 3]) -> bool {
    let mut at = 0;
    pieces.iter().all(|piece| {
        let fits = text.get(at..).is_some_and(|rest| begins_with(rest, piece));
        at += piece.len();
        fits
    })
}

type Parts = ((u32, u32), Option<String>);

/// Where the value lies, and the id.
fn parts(role: Role, text: &str, id_field: Option<&str>) -> Result<Parts, ScanFault> {
    let mut scanner = Scanner::new(text);
    let key = match role {
        // The beginning of a collection has its key, the end has none.
        Role::Edge if scanner.peek() != Some(b'"') => return Ok(((0, 0), None)),
        Role::Edge => return Ok(((0, 0), Some(name_of(scanner.key()?).into_owned()))),
        // Between nothing but braces there may be white space alone.
        Role::Member if scanner.peek().is_none() => return Ok(((0, 0), None)),
        Role::Member => Some(name_of(scanner.key()?).into_owned()),
        Role::Item => None,
    };
    scanner.peek();
    let from = scanner.at();
    let value = scanner.value()?;
    let span = (from as u32, (from + value.text().len()) as u32);
    let id = match id_field {
        Some(name) if value.is_object() => field(value, name).and_then(name_in),
        _ => key,
    };
    Ok((span, id))
}

/// A string as a name; `None` for anything else.
pub fn name_in(value: Json<'_>) -> Option<String> {
    let body = value.text().strip_prefix('"')?.strip_suffix('"')?;
    Some(name_of(body).into_owned())
}
