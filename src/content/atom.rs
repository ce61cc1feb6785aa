//! Atoms: the smallest pieces that contents share. An entity with its key, or a stretch of text between entities.
//!
//! An atom is a text exactly as it stands between two commas, white space included, so a content is its atoms joined again
//! (C1). It knows which part of it is the value, and by which name the entity goes.

use xxhash_rust::xxh3::xxh3_64;

use super::interner::{Handle, Interner, Marks};
use super::json::{Json, name_of, unescaped};
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
    /// The text, exactly.
    pub text: Box<str>,
    /// The collection it belongs to; [`NO_COLLECTION`] at the top level.
    pub collection: u8,
    /// The id of the entity, where it has one.
    pub id: Option<EntityId>,
    /// How many levels of a sequence end behind it.
    pub height: u8,
    /// Where in the text the value lies.
    value: (u32, u32),
}

/// The top level itself.
pub const NO_COLLECTION: u8 = u8::MAX;

impl Atom {
    /// The value; `None` for an edge.
    pub fn value(&self) -> Option<Json<'_>> {
        let (from, to) = self.value;
        let text = self.text.get(from as usize..to as usize)?;
        (!text.is_empty()).then(|| Json::scanned(text))
    }
}

/// All atoms, and the names in them.
#[derive(Default)]
pub struct Atoms {
    /// The atoms.
    pub kept: Interner<Atom>,
    /// The ids of entities and the keys at the top level.
    pub ids: Interner<Box<str>>,
    text_bytes: usize,
}

impl Atoms {
    /// Keeps a text that was walked over. `id_field` is where the id of a list's item is.
    pub fn keep(&mut self, collection: u8, role: Role, text: &str, id_field: Option<&str>) -> AtomIx {
        // The collection is part of what an atom is: the same text can be told apart by another field elsewhere.
        let hash = xxh3_64(text.as_bytes()) ^ (u64::from(collection) << 56);
        let (ids, bytes) = (&mut self.ids, &mut self.text_bytes);
        self.kept.intern(
            hash,
            |known| known.collection == collection && *known.text == *text,
            || {
                *bytes += text.len();
                // The text is JSON already, so the walk cannot fail; if it did, the atom would have no value and no id.
                let (value, id) = parts(role, text, id_field).unwrap_or_default();
                let hash = xxh3_64(id.as_deref().unwrap_or(text).as_bytes());
                Atom {
                    text: text.into(),
                    collection,
                    id: id.map(|id| ids.intern(hash, |known| **known == *id, || id.as_str().into())),
                    height: (hash.trailing_zeros() / 4) as u8,
                    value,
                }
            },
        )
    }

    /// An atom.
    pub fn get(&self, atom: AtomIx) -> Option<&Atom> {
        self.kept.get(atom)
    }

    /// The text of an atom.
    pub fn text(&self, atom: AtomIx) -> &str {
        self.get(atom).map_or("", |atom| &atom.text)
    }

    /// The text of an id.
    pub fn id_text(&self, id: EntityId) -> &str {
        self.ids.get(id).map_or("", |id| id)
    }

    /// The id of that text, when some atom has it.
    pub fn find_id(&self, text: &str) -> Option<EntityId> {
        self.ids.find(xxh3_64(text.as_bytes()), |known| **known == *text)
    }

    /// Drops the atoms that are not marked, and the ids that only they had.
    pub fn sweep(&mut self, marks: &Marks<Atom>) {
        self.kept.sweep(marks);
        let mut ids = Marks::none();
        for id in self.kept.iter().filter_map(|atom| atom.id) {
            ids.add(id);
        }
        self.ids.sweep(&ids);
        self.text_bytes = self.kept.iter().map(|atom| atom.text.len()).sum();
    }

    /// Bytes that the atoms take.
    pub fn bytes(&self) -> usize {
        self.text_bytes + self.kept.table_bytes() + self.ids.table_bytes()
    }
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
        Some(field) if value.is_object() => field_text(value, field)?,
        _ => key,
    };
    Ok((span, id))
}

/// The text of a field of an object; `None` when it is not there or no text. Of a repeated key the last counts.
fn field_text(object: Json<'_>, field: &str) -> Result<Option<String>, ScanFault> {
    let mut found = None;
    Scanner::new(object.text()).members(|key, scanner| {
        let value = scanner.value()?;
        if unescaped(key) == field {
            found = value
                .text()
                .strip_prefix('"')
                .and_then(|body| body.strip_suffix('"'))
                .map(|body| name_of(body).into_owned());
        }
        Ok::<(), ScanFault>(())
    })?;
    Ok(found)
}
