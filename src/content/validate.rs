//! Whether a content is whole, and how to make it so (C7).
//!
//! What whole means is read off the schema; nothing here knows a document by name. The collections are gone through in the
//! schema's order, so what a reference leads to was judged before it. Inside a collection each check sees only what the
//! checks before it leave standing, so that one mistake is told once, and a repair brings no new one to light:
//!
//! 1. it is a list, or an object, as the schema says. One that is not there is empty;
//! 2. every item of a list is an object with an id that no other has. Of several with one id the last stands: what is
//!    written later replaces what was there, as JSON has it for keys and the rest of this store for entities. A key of an
//!    object that comes twice is no fault for the same reason: the last one counts, the document says one thing;
//! 3. references lead to an entity that stands, and to a port that it has. An entity that names no list of ports (none is
//!    there, or something that is no list) says nothing about them and takes any; an empty list says that it has none. A
//!    reference without a port ends at the port without a name;
//! 4. no two links have the same ends and ports: the first stands, being the one that was drawn. Where the schema knows of
//!    no ports, links differ as long as anything but their ids does;
//! 5. required fields are there and not null;
//! 6. everything on the canvas has a position: two numbers, x and y, that are finite.
//!
//! Where a collection cannot be read at all, what refers to it is not judged: one fault, not a thousand.
//!
//! Faults are a property of the value, not of its spelling (C2). All of it takes time linear in the text (and a sort of what
//! lies far out on the canvas and of the names of ports), recurses nowhere, and answers for any input (X1).
//!
//! An entity is read once for all checks ([`facts`]), and not again when another content has it as well ([`memory`]): of a
//! content that comes after another only what is new in it is read, and the rest is handles that are compared.
//!
//! Place in the flow: `history` asks before a content is used. Strict use is [`ContentStore::validate`] and a refusal with
//! the list; what comes from a server goes through [`ContentStore::repair`].

mod examine;
mod facts;
mod layout;
pub(super) mod memory;
mod positions;
mod rebuild;
pub(super) mod refs;
mod sheet;
mod wording;

use super::edit::{Path, Place};
use super::store::{ContentIx, ContentStore};
use examine::Examination;

/// Something about a content that is not as it has to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What kind of fault.
    pub code: FaultCode,
    /// Whose; the id is empty when it is about a collection, or about an item that has no id.
    pub place: Place,
    /// Where inside of that: what is wrong, or where what is missing should be.
    pub path: Path,
    /// A sentence for a person.
    pub message: String,
    /// What was done about it; `None` when nothing was.
    pub repaired: Option<Repair>,
}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultCode {
    /// A collection is a list where it should be an object, the other way round, or neither.
    WrongKind,
    /// An item of a list is no object.
    NotAnObject,
    /// An entity has no id that it could be told apart by.
    NoId,
    /// An entity has the id of a later one.
    DuplicateId,
    /// A reference leads nowhere.
    Dangling,
    /// An entry is for an entity that is not there.
    Orphan,
    /// A reference ends at a port that the entity does not have.
    NoPort,
    /// A link leads from and to the same as an earlier one.
    DuplicateLink,
    /// A required field is missing.
    MissingField,
    /// Something on the canvas has no position.
    NoPosition,
    /// A position is not two finite numbers.
    BadPosition,
}

impl FaultCode {
    /// Stable, machine-readable.
    pub fn as_str(self) -> &'static str {
        match self {
            FaultCode::WrongKind => "wrong_kind",
            FaultCode::NotAnObject => "not_an_object",
            FaultCode::NoId => "no_id",
            FaultCode::DuplicateId => "duplicate_id",
            FaultCode::Dangling => "dangling",
            FaultCode::Orphan => "orphan",
            FaultCode::NoPort => "no_port",
            FaultCode::DuplicateLink => "duplicate_link",
            FaultCode::MissingField => "missing_field",
            FaultCode::NoPosition => "no_position",
            FaultCode::BadPosition => "bad_position",
        }
    }
}

/// What a repair did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Repair {
    /// The entity was left out.
    Dropped,
    /// It was given a free place on the canvas.
    Placed,
    /// The collection was made anew, empty; nothing that could be read was in it.
    Emptied,
}

impl Repair {
    /// Stable, machine-readable.
    pub fn as_str(self) -> &'static str {
        match self {
            Repair::Dropped => "dropped",
            Repair::Placed => "placed",
            Repair::Emptied => "emptied",
        }
    }
}

/// A content after its repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// The content; the very same handle when there was nothing to do.
    pub content: ContentIx,
    /// What was repaired, and then what is left: exactly what [`ContentStore::validate`] says about `content`.
    pub faults: Vec<Fault>,
}

impl Repaired {
    /// Whether nothing is left to complain about.
    pub fn is_whole(&self) -> bool {
        self.faults.iter().all(|fault| fault.repaired.is_some())
    }
}

impl ContentStore {
    /// Everything that is wrong with a content (C7); nothing when it is whole, or not held.
    pub fn validate(&self, content: ContentIx) -> Vec<Fault> {
        let mut faults = Examination::of(self, content).faults;
        for fault in &mut faults {
            fault.repaired = None;
        }
        faults
    }

    /// Makes a content whole as far as no guess is needed, and says what was done and what was not (C7). What is left
    /// standing stays letter by letter.
    pub fn repair(&mut self, content: ContentIx) -> Repaired {
        let (text, mut faults) = Examination::of(self, content).repaired();
        // The text is made of JSON that was kept, so it is taken in.
        let Some(whole) = text.and_then(|text| self.take_in(&text, Some(content)).ok()) else {
            // Nothing could be done about any of them.
            faults.iter_mut().for_each(|fault| fault.repaired = None);
            return Repaired { content, faults };
        };
        faults.retain(|fault| fault.repaired.is_some());
        faults.extend(self.validate(whole));
        Repaired { content: whole, faults }
    }
}
