//! The one currency of change: a list of edits that leads from one content to another.
//!
//! An edit list is applied one edit after the other; what an edit says (an index in a list, a position in a collection) is
//! true at the moment when it is its turn. Laws, checked as properties (C4):
//!
//! * `apply(a, diff(a, b)) = b`, canonically; `diff(a, a)` is empty;
//! * `apply(b, reverse(diff(a, b))) = a`;
//! * `apply(a, squash(a, x, y)) = apply(apply(a, x), y)`;
//! * `apply(apply(a, x), reverse(x)) = a` for every list that fits (P5) and says of list items where they are.
//!
//! Values are JSON text, as it stands in the content.

use std::sync::Arc;

/// A JSON text.
pub type Text = Box<str>;

/// An id or a key, decoded. Many edits name the same one, and share it.
pub type Name = Arc<str>;

/// A step of a path into a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathStep {
    /// A key of an object, decoded.
    Key(Name),
    /// An index of a list, from 0.
    Index(usize),
}

/// Where something lies inside an entity.
pub type Path = Vec<PathStep>;

/// A position on the canvas: two JSON numbers, as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// To the right.
    pub x: Text,
    /// Down.
    pub y: Text,
}

/// Which entity an edit is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The top-level key of its collection.
    pub collection: Name,
    /// Its id there; empty when the collection is one value.
    pub id: Name,
}

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// An entity comes.
    Add {
        /// Which.
        place: Place,
        /// Where in the list, when the collection is one.
        at: Option<usize>,
        /// What.
        value: Text,
    },
    /// An entity goes.
    Remove {
        /// Which.
        place: Place,
        /// Where in the list it was.
        at: Option<usize>,
        /// What it was.
        value: Text,
    },
    /// A value changes. Without `from` it is new: a key is added, an item inserted.
    Set {
        /// In which entity.
        place: Place,
        /// Where in it; empty for the entity as a whole.
        path: Path,
        /// What was there.
        from: Option<Text>,
        /// What is there now.
        to: Text,
    },
    /// A key or an item goes.
    Unset {
        /// In which entity.
        place: Place,
        /// Where in it.
        path: Path,
        /// What was there.
        from: Text,
    },
    /// An entity is somewhere else on the canvas.
    Move {
        /// Which.
        place: Place,
        /// Where it was.
        from: Point,
        /// Where it is now.
        to: Point,
    },
    /// A list has its entities in another order.
    Order {
        /// The collection.
        collection: Name,
        /// The ids as they were.
        from: Vec<Name>,
        /// The ids as they are now.
        to: Vec<Name>,
    },
}

impl Edit {
    /// The collection it is about.
    pub fn collection(&self) -> &str {
        match self {
            Edit::Add { place, .. }
            | Edit::Remove { place, .. }
            | Edit::Set { place, .. }
            | Edit::Unset { place, .. }
            | Edit::Move { place, .. } => &place.collection,
            Edit::Order { collection, .. } => collection,
        }
    }

    /// The edit that takes this one back.
    pub fn reverse(self) -> Edit {
        match self {
            Edit::Add { place, at, value } => Edit::Remove { place, at, value },
            Edit::Remove { place, at, value } => Edit::Add { place, at, value },
            Edit::Set { place, path, from: Some(from), to } => {
                Edit::Set { place, path, from: Some(to), to: from }
            }
            Edit::Set { place, path, from: None, to } => Edit::Unset { place, path, from: to },
            Edit::Unset { place, path, from } => Edit::Set { place, path, from: None, to: from },
            Edit::Move { place, from, to } => Edit::Move { place, from: to, to: from },
            Edit::Order { collection, from, to } => Edit::Order { collection, from: to, to: from },
        }
    }
}

/// The edits that take these back, in the order in which they have to be applied.
pub fn reverse(edits: Vec<Edit>) -> Vec<Edit> {
    edits.into_iter().rev().map(Edit::reverse).collect()
}

/// How many entities an edit list touches, by what happens to them. Each counts once; what belongs to an entity, as its position
/// does, counts with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize)]
pub struct Summary {
    /// Come.
    pub added: usize,
    /// Go.
    pub removed: usize,
    /// Are there before and after, and differ in more than where they are.
    pub changed: usize,
    /// Only move.
    pub moved: usize,
}

impl Summary {
    /// How many that are together.
    pub fn entities(&self) -> usize {
        self.added + self.removed + self.changed + self.moved
    }
}
