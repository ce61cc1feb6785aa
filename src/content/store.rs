//! The content store: every entity once, a content as a few handles.
//!
//! A content is the list of its top-level members. A collection of the schema is a sequence of entities between two edges;
//! everything else is an atom. Joined again they are the text that came in, byte for byte (C1). What two contents have in
//! common they share: storing one that differs from another in k of n entities costs O(k log n) memory (C3).

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap};

use super::atom::{Atom, AtomIx, Atoms, EntityId};
use super::canonical;
use super::interner::{Handle, Interner, Marks};
use super::json::Json;
use super::schema::{Kind, Schema};
use super::sequence::{Node, SequenceIx, Sequences};

/// A content in the store. Two handles are the same if and only if the texts are.
pub type ContentIx = Handle<Content>;

/// A content: what lies at its top level, in order.
#[derive(Debug)]
pub struct Content {
    pub(super) parts: Box<[Part]>,
    /// Bytes of its text.
    pub(super) length: usize,
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
    hasher: DefaultHashBuilder,
    /// Answers of [`ContentStore::equal`], smaller handle first.
    compared: HashMap<(ContentIx, ContentIx), bool>,
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
        self.contents.intern(
            hash,
            |known| *known.parts == *parts,
            || Content { parts: parts.clone().into(), length },
        )
    }

    /// The text, exactly as it came in (C1).
    pub fn text(&self, content: ContentIx) -> Option<String> {
        let content = self.contents.get(content)?;
        let mut text = String::with_capacity(content.length);
        text.push('{');
        for (at, part) in content.parts.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            match *part {
                Part::Plain(atom) => self.push(atom, &mut text),
                Part::Collection { open, items, close } => {
                    self.push(open, &mut text);
                    for (at, atom) in self.sequences.atoms(items).enumerate() {
                        if at > 0 {
                            text.push(',');
                        }
                        self.push(atom, &mut text);
                    }
                    self.push(close, &mut text);
                }
            }
        }
        text.push('}');
        Some(text)
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

    /// Whether two contents are canonically equal (C2). Remembered, so asking again is free.
    pub fn equal(&mut self, a: ContentIx, b: ContentIx) -> bool {
        if a == b {
            return true;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.compared.get(&pair) {
            return known;
        }
        let answer = self.compare(a, b);
        self.compared.insert(pair, answer);
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
        let content = self.contents.get(content)?;
        let keyed = content.parts.iter().filter_map(|part| {
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

    /// Drops every content for which `is_live` is false, and what only it needed. Handles of those that stay remain valid.
    pub fn retain(&mut self, live: impl Iterator<Item = ContentIx>) {
        let (mut contents, mut nodes, mut atoms) =
            (Marks::none(), Marks::<Node>::none(), Marks::<Atom>::none());
        for content in live {
            if !contents.add(content) {
                continue;
            }
            for part in self.contents.get(content).iter().flat_map(|content| content.parts.iter()) {
                match *part {
                    Part::Plain(atom) => {
                        atoms.add(atom);
                    }
                    Part::Collection { open, items, close } => {
                        atoms.add(open);
                        atoms.add(close);
                        self.sequences.mark(items, &mut nodes, &mut atoms);
                    }
                }
            }
        }
        self.contents.sweep(&contents);
        self.sequences.sweep(&nodes);
        self.atoms.sweep(&mut atoms);
        self.compared.retain(|(a, b), _| contents.has(*a) && contents.has(*b));
    }

    /// Number of distinct contents held.
    pub fn len(&self) -> usize {
        self.contents.len()
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
        self.sequences.len()
    }

    /// Bytes that it all takes.
    pub fn bytes(&self) -> usize {
        let parts = self.contents.iter().map(|content| size_of_val(&*content.parts));
        self.atoms.bytes() + self.sequences.bytes() + parts.sum::<usize>() + self.contents.table_bytes()
    }
}
