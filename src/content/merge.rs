//! Three-way merge: what two sides made of a common base, entity by entity, then field by field (H10, P6).
//!
//! It is done in three steps:
//!
//! 1. every entity by itself ([`collection`]), then its fields ([`value`]) and the items of its lists ([`items`], [`likeness`]). Where both
//!    sides changed the same, each in its way, *mine* stays and a conflict tells all three values;
//! 2. what does not go together gives way ([`whole`], [`references`], [`doubles`]): a link to an operator that the other side took away, two
//!    links that say the same. Whatever gives way is from then on as mine has it, so this ends, and in the worst case it ends
//!    with mine. Where theirs is lost by that, it is a conflict, too;
//! 3. the entities that are left get an order ([`order`]) and are kept ([`draft`]).
//!
//! Laws, checked as properties:
//!
//! * `merge(b, m, b) = m`, `merge(b, b, t) = t`, `merge(b, x, x) = x`, each without a conflict;
//! * of three contents that are whole (C7) comes one that is whole;
//! * whatever mine changed is in the result. Whatever theirs changed is in the result, or a conflict names its place;
//! * what a conflict calls mine stands in the result at the conflict's place;
//! * there are conflicts in `merge(b, m, t)` if and only if there are in `merge(b, t, m)`, but for what refers to one link that
//!   both drew under two ids, and for its place in the order. The places of conflicts that follow from another can differ: a
//!   conflict lies where theirs had to give way.
//!
//! All of it takes time linear in the three texts, but for the effort that [`super::align`] bounds, and recurses nowhere but
//! [`super::field::DEPTH`] levels into a value.

mod collection;
mod doubles;
mod draft;
mod items;
mod likeness;
mod order;
mod references;
mod value;
mod whole;

use std::ops::Deref;

use super::edit::{Path, PathStep, Place, Text};
use super::store::{ContentIx, ContentStore};
use crate::sort::sort_by;
use whole::Settlement;

/// A place at which theirs is not in the result as it is: both sides changed it, each in its way, or something that mine has
/// does not go together with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The entity. Without an id it is the collection: its order, the values being the ids as lists; or all of it, when its
    /// entities cannot be told apart. What belongs to an entity under the same id, as its position does, goes with it and is
    /// not told again.
    pub place: Place,
    /// Where in it, an index being that in the result; empty for the entity as a whole.
    pub path: Path,
    /// What was there before; `None` when nothing was.
    pub base: Option<Text>,
    /// What is there in mine, and in the result.
    pub mine: Option<Text>,
    /// What is there in theirs.
    pub theirs: Option<Text>,
}

impl Conflict {
    fn at<S: Deref<Target = str>>(place: &Place, path: &[PathStep], values: Three<Option<S>>) -> Self {
        let text = |value: Option<S>| value.map(|value| Text::from(&*value));
        let Three { base, mine, theirs } = values;
        Conflict {
            place: place.clone(),
            path: path.to_vec(),
            base: text(base),
            mine: text(mine),
            theirs: text(theirs),
        }
    }
}

/// How a merge came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Mine, with everything of theirs that does not stand against it.
    pub content: ContentIx,
    /// What stood against it, by place.
    pub conflicts: Vec<Conflict>,
}

/// The base and its two sides.
#[derive(Clone, Copy)]
struct Three<T> {
    base: T,
    mine: T,
    theirs: T,
}

impl<T> Three<T> {
    fn map<U>(self, mut f: impl FnMut(T) -> U) -> Three<U> {
        Three { base: f(self.base), mine: f(self.mine), theirs: f(self.theirs) }
    }

    fn as_ref(&self) -> Three<&T> {
        Three { base: &self.base, mine: &self.mine, theirs: &self.theirs }
    }

    fn all(self, is: impl Fn(T) -> bool) -> bool {
        is(self.base) && is(self.mine) && is(self.theirs)
    }
}

impl<T: Copy> Three<T> {
    /// The one to take when at most one side changed; `None` when both did, each in its way.
    fn clear(self, same: impl Fn(T, T) -> bool) -> Option<T> {
        if same(self.mine, self.theirs) || same(self.base, self.theirs) {
            Some(self.mine)
        } else if same(self.base, self.mine) {
            Some(self.theirs)
        } else {
            None
        }
    }
}

impl ContentStore {
    /// Merges what two sides made of a base.
    pub fn merge(&mut self, base: ContentIx, mine: ContentIx, theirs: ContentIx) -> Merge {
        if self.equal(base, theirs) || self.equal(mine, theirs) {
            return Merge { content: mine, conflicts: Vec::new() };
        }
        if self.equal(base, mine) {
            return Merge { content: theirs, conflicts: Vec::new() };
        }
        let (drafts, mut conflicts) = Settlement::of(self, Three { base, mine, theirs }).drafts();
        sort_by(&mut conflicts, |a, b| (&a.place, &a.path).cmp(&(&b.place, &b.path)));
        Merge { content: self.keep_drafts(drafts), conflicts }
    }
}
