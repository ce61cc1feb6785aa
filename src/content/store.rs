//! The content store: every entity once, a content as a few handles.
//!
//! A content is the list of its top-level members. A collection of the schema is a sequence of entities between two edges;
//! everything else is an atom. Joined again they are the text that came in, byte for byte (C1). What two contents have in
//! common they share: storing one that differs from another in k of n entities costs O(k log n) memory (C3).

use std::borrow::Cow;
use std::cell::Cell;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap};

use super::atom::{AtomIx, Atoms, EntityId};
use super::canonical;
use super::collect::Fingerprint;
use super::interner::{Handle, Interner, Thing};
use super::json::Json;
use super::schema::{Kind, Schema};
use super::sequence::{SequenceIx, Sequences};
use super::validate::memory::Memory;

/// A content in the store. Two handles are the same if and only if the texts are.
pub type ContentIx = Handle<Content>;

/// A content in the store, or what is left of it.
#[derive(Debug)]
pub struct Content(pub(super) State);

/// Whether a content is there.
#[derive(Debug)]
pub(super) enum State {
    /// One that can be looked at.
    Held {
        /// What lies at its top level, in order.
        parts: Box<[Part]>,
        /// Bytes of its text.
        length: usize,
    },
    /// One that was let go to stay within a budget (C3). It is known again when it comes again.
    Evicted,
}

impl Thing for Content {
    fn held_bytes(&self) -> usize {
        match &self.0 {
            State::Held { parts, .. } => size_of_val(&**parts),
            State::Evicted => 0,
        }
    }
}

/// A member at the top level of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// A member that is no collection.
    Plain(AtomIx),
    /// A collection between its edges.
    Collection { open: AtomIx, items: SequenceIx, close: AtomIx },
}

/// The contents that something still refers to.
#[derive(Default)]
pub struct ContentStore {
    pub(super) schema: Schema,
    pub(super) atoms: Atoms,
    pub(super) sequences: Sequences,
    pub(super) contents: Interner<Content>,
    /// The contents that were let go, to know them again.
    pub(super) evicted: HashMap<Fingerprint, ContentIx>,
    pub(super) hasher: DefaultHashBuilder,
    /// Answers of [`ContentStore::equal`], smaller handle first.
    pub(super) compared: HashMap<(ContentIx, ContentIx), bool>,
    /// What is known of entities from judging contents (C7). No answer depends on it.
    pub(super) judged: Cell<Memory>,
}

impl ContentStore {
    /// A store for documents of a schema.
    pub fn new(schema: Schema) -> Self {
        ContentStore { schema, ..ContentStore::default() }
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(super) fn keep(&mut self, parts: Vec<Part>, length: usize) -> ContentIx {
        let hash = self.hasher.hash_one(&parts);
        let is_same =
            |known: &Content| matches!(&known.0, State::Held { parts: known, .. } if **known == *parts);
        if let Some(known) = self.contents.find(hash, is_same) {
            return known;
        }
        let evicted = match self.evicted.is_empty() {
            true => None,
            false => self.evicted.remove(&self.fingerprint(&parts)),
        };
        let content = Content(State::Held { parts: parts.into(), length });
        match evicted {
            Some(handle) => {
                self.contents.replace(handle, hash, content);
                handle
            }
            None => self.contents.insert(hash, content),
        }
    }

    /// What lies at the top level of a content; `None` when it is not held.
    pub(super) fn parts(&self, content: ContentIx) -> Option<&[Part]> {
        match &self.contents.get(content)?.0 {
            State::Held { parts, .. } => Some(parts),
            State::Evicted => None,
        }
    }

    /// Whether a content is there to be looked at, not evicted.
    pub fn is_held(&self, content: ContentIx) -> bool {
        self.parts(content).is_some()
    }

    /// The text, exactly as it came in (C1); `None` when it is not held.
    pub fn text(&self, content: ContentIx) -> Option<String> {
        let State::Held { parts, length } = &self.contents.get(content)?.0 else { return None };
        let mut text = String::with_capacity(*length);
        text.push('{');
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            self.push_part(*part, &mut text);
        }
        text.push('}');
        Some(text)
    }

    /// A member at the top level, letter by letter.
    pub(super) fn push_part(&self, part: Part, text: &mut String) {
        match part {
            Part::Plain(atom) => self.push(atom, text),
            Part::Collection { open, items, close } => {
                self.push(open, text);
                for (at, atom) in self.sequences.atoms(items).enumerate() {
                    if at > 0 {
                        text.push(',');
                    }
                    self.push(atom, text);
                }
                self.push(close, text);
            }
        }
    }

    fn push(&self, atom: AtomIx, text: &mut String) {
        for piece in self.atoms.pieces(atom) {
            text.push_str(piece);
        }
    }

    /// The value of a member at the top level, as text.
    pub(super) fn part_value(&self, part: Part) -> String {
        match part {
            Part::Plain(atom) => self.value_text(atom).into_owned(),
            Part::Collection { open, items, close } => {
                let open = self.atoms.text(open);
                // Behind the key and its colon.
                let bracket = open.trim_end().len().saturating_sub(1);
                let mut text = open.get(bracket..).unwrap_or("").to_owned();
                for (at, atom) in self.sequences.atoms(items).enumerate() {
                    text.push_str(if at > 0 { "," } else { "" });
                    self.push(atom, &mut text);
                }
                text.push_str(self.atoms.text(close).trim_end());
                text
            }
        }
    }

    /// The value of an atom, as text.
    pub(super) fn value_text(&self, atom: AtomIx) -> Cow<'_, str> {
        self.atoms.value(atom).unwrap_or(Cow::Borrowed("null"))
    }

    /// Whether two contents are canonically equal (C2). Remembered, so asking again is free, and possible when one of them
    /// has been evicted since. One that is not held and was not asked about before is equal to itself alone.
    pub fn equal(&mut self, a: ContentIx, b: ContentIx) -> bool {
        if a == b {
            return true;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.compared.get(&pair) {
            return known;
        }
        let answer = self.compare(a, b);
        if self.is_held(a) && self.is_held(b) {
            self.compared.insert(pair, answer);
        }
        answer
    }

    fn compare(&self, a: ContentIx, b: ContentIx) -> bool {
        let (Some(mine), Some(theirs)) = (self.members(a), self.members(b)) else { return false };
        mine.len() == theirs.len()
            && mine
                .iter()
                .all(|(key, part)| theirs.get(key).is_some_and(|other| self.same_part(*part, *other)))
    }

    /// The members at the top level by key; of a repeated key the last.
    pub(super) fn members(&self, content: ContentIx) -> Option<HashMap<EntityId, Part>> {
        let keyed = self.parts(content)?.iter().filter_map(|part| {
            let (Part::Plain(atom) | Part::Collection { open: atom, .. }) = *part;
            Some((self.atoms.get(atom)?.id?, *part))
        });
        Some(keyed.collect())
    }

    fn same_part(&self, a: Part, b: Part) -> bool {
        match (a, b) {
            (Part::Plain(x), Part::Plain(y)) => self.same_value(x, y),
            (Part::Collection { open, items: x, .. }, Part::Collection { items: y, .. }) => {
                x == y || self.same_items(open, x, y)
            }
            _ => false,
        }
    }

    fn same_items(&self, open: AtomIx, x: SequenceIx, y: SequenceIx) -> bool {
        let collection = self.atoms.get(open).map(|open| open.collection);
        let kind = collection.and_then(|index| self.schema.get(index)).map(|c| c.kind);
        if kind != Some(Kind::Map) {
            // The order of a list is part of the content.
            return self
                .sequences
                .atoms(x)
                .map(Some)
                .chain([None])
                .zip(self.sequences.atoms(y).map(Some).chain([None]))
                .all(|pair| match pair {
                    (Some(a), Some(b)) => self.same_value(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                })
                && self.sequences.atoms(x).count() == self.sequences.atoms(y).count();
        }
        let by_key = |sequence| -> HashMap<Option<EntityId>, AtomIx> {
            let atoms = self.sequences.atoms(sequence);
            atoms.filter_map(|atom| Some((self.atoms.get(atom)?.id, atom))).collect()
        };
        let (mine, theirs) = (by_key(x), by_key(y));
        mine.len() == theirs.len()
            && mine.iter().all(|(key, a)| theirs.get(key).is_some_and(|b| self.same_value(*a, *b)))
    }

    /// Whether two atoms hold canonically equal values.
    pub(super) fn same_value(&self, a: AtomIx, b: AtomIx) -> bool {
        if a == b {
            return true;
        }
        match (self.atoms.value(a), self.atoms.value(b)) {
            (Some(a), Some(b)) => canonical::equal(Json::scanned(&a), Json::scanned(&b)),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// Number of distinct contents held.
    pub fn len(&self) -> usize {
        self.contents.len() - self.evicted.len()
    }

    /// Number of contents that something refers to and that were let go.
    pub fn evicted(&self) -> usize {
        self.evicted.len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of distinct pieces held: entities, and what lies between them.
    pub fn entities(&self) -> usize {
        self.atoms.kept.len()
    }

    /// Number of nodes that the sequences are made of.
    pub fn nodes(&self) -> usize {
        self.sequences.nodes.len()
    }

    /// Bytes that it all takes, without the room that tables keep for more.
    pub fn bytes(&self) -> usize {
        self.atoms.bytes() + self.sequences.nodes.bytes() + self.contents.bytes()
    }
}
