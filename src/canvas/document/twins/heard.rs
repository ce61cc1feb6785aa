//! Runs that are being looked at: what they say, read piece by piece, and where they were put in.

use std::borrow::Cow;
use std::collections::BTreeMap;

use yrs::block::{ClientID, ID};
use yrs::branch::BranchID;
use yrs::encoding::read::Cursor;
use yrs::types::TypeRef;
use yrs::{Any, ArrayRef, IdSet, MapRef, Out, ReadTxn, TextRef, TransactionMut, XmlFragmentRef};

use super::super::plain::{DEEPEST, Plain};
use super::super::read::{Reader, plain};
use super::super::shape::Types;
use super::super::update_check::{Id, Run, Said};

/// Where something was put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Behind what.
    pub left: Option<Id>,
    /// Before what.
    pub right: Option<Id>,
    /// Told when there are no neighbours.
    pub parent: Option<Id>,
}

#[derive(Clone, Debug)]
pub enum What {
    Text(Box<str>),
    Value(Plain),
    Shared(Plain),
}

/// A run of somebody else's, as far as it has not been found to be a twin.
pub struct Heard<'a> {
    /// The first of it.
    pub id: Id,
    /// Where it was put in.
    pub place: Place,
    /// What it says.
    pub said: HeardSaid<'a>,
}

pub enum HeardSaid<'a> {
    Text(Cow<'a, str>),
    Values(u64, &'a [u8]),
    Shared,
    Deleted(u64),
}

impl<'a> Heard<'a> {
    /// A run as it came.
    pub fn of(run: &Run<'a>) -> Self {
        let said = match run.said {
            Said::Text(text) => HeardSaid::Text(Cow::Borrowed(text)),
            Said::Values(count, bytes) => HeardSaid::Values(count, bytes),
            Said::Shared => HeardSaid::Shared,
            Said::Deleted(length) => HeardSaid::Deleted(length),
        };
        Heard { id: run.id, place: Place { left: run.left, right: run.right, parent: run.parent }, said }
    }

    /// Whether this text goes on in a run, which has been cut off it since; takes it up.
    pub fn goes_on_in(&mut self, run: &Run<'a>) -> bool {
        let (HeardSaid::Text(text), Said::Text(more)) = (&mut self.said, run.said) else { return false };
        let next = self.id.clock + text.encode_utf16().count() as u64;
        let is_next = run.id == Id { clock: next, ..self.id }
            && run.left == Some(Id { clock: next - 1, ..self.id })
            && run.right == self.place.right;
        if is_next {
            text.to_mut().push_str(more);
        }
        is_next
    }

    /// What is said first, and how long it is; of a text that is all.
    pub fn first(&self, transaction: &TransactionMut<'_>) -> Option<(What, usize)> {
        match &self.said {
            HeardSaid::Text(text) if text.is_empty() => None,
            HeardSaid::Text(text) => Some((What::Text((&**text).into()), text.encode_utf16().count())),
            HeardSaid::Values(_, bytes) => {
                let value = Any::decode(&mut Cursor::new(bytes)).ok()?;
                Some((What::Value(plain(&value, DEEPEST, &mut true)), 1))
            }
            HeardSaid::Shared => Some((What::Shared(shared(self.id, transaction)?), 1)),
            HeardSaid::Deleted(_) => None,
        }
    }

    /// What comes behind so much of it.
    pub fn after(self, length: u64) -> Option<Self> {
        let last = self.id.plus(length.checked_sub(1)?);
        let said = match self.said {
            HeardSaid::Text(text) => HeardSaid::Text(Cow::Owned(behind(&text, length)?.to_owned())),
            HeardSaid::Values(count, bytes) => {
                let mut cursor = Cursor::new(bytes);
                Any::decode(&mut cursor).ok()?;
                HeardSaid::Values(count.checked_sub(1).filter(|left| *left > 0)?, bytes.get(cursor.next..)?)
            }
            HeardSaid::Shared => return None,
            HeardSaid::Deleted(all) => HeardSaid::Deleted(all.checked_sub(length).filter(|left| *left > 0)?),
        };
        Some(Heard { id: self.id.plus(length), place: Place { left: Some(last), ..self.place }, said })
    }
}

/// What of a text comes behind so many units; `None` when nothing does.
fn behind(text: &str, units: u64) -> Option<&str> {
    let mut left = units;
    for (at, character) in text.char_indices() {
        if left == 0 {
            return text.get(at..);
        }
        left = left.saturating_sub(character.len_utf16() as u64);
    }
    None
}

/// Leaves out what lies in a shared type that is as new as it is: nobody else could put anything there.
pub fn newcomers<'a>(
    transaction: &TransactionMut<'_>,
    mut visit: impl FnMut(Run<'a>),
) -> impl FnMut(Run<'a>) {
    let new = transaction.insert_set();
    let mut in_new: BTreeMap<Id, u64> = BTreeMap::new();
    move |run| {
        let is_own = |id: &Id| id.client == run.id.client;
        let is_in_new = |id: Id| {
            let found = in_new.range(..=id).next_back();
            found.is_some_and(|(first, end)| first.client == id.client && id.clock < *end)
        };
        let mut neighbours = [run.left, run.right].into_iter().flatten().filter(is_own);
        if run.parent.is_some_and(|parent| is_own(&parent) && has(new, parent)) || neighbours.any(is_in_new) {
            in_new.insert(run.id, run.id.clock + length_of(&run.said));
        } else {
            visit(run);
        }
    }
}

fn length_of(said: &Said<'_>) -> u64 {
    match said {
        Said::Text(text) => text.encode_utf16().count() as u64,
        Said::Values(count, _) => *count,
        Said::Shared => 1,
        Said::Deleted(length) => *length,
    }
}

/// The value of a shared type.
pub fn shared(id: Id, transaction: &impl ReadTxn) -> Option<Plain> {
    let branch = BranchID::get_nested(transaction, &id.of_yrs()?)?;
    let out = match branch.type_ref() {
        TypeRef::Text => Out::YText(TextRef::from(branch)),
        TypeRef::Array => Out::YArray(ArrayRef::from(branch)),
        TypeRef::Map => Out::YMap(MapRef::from(branch)),
        TypeRef::XmlFragment => Out::YXmlFragment(XmlFragmentRef::from(branch)),
        _ => return None,
    };
    // Read in one way whatever the package: only twins are compared with each other.
    let mut reader = Reader::new(Types::Unified, transaction);
    Some(reader.read(out, None)).filter(|_| reader.is_whole)
}

/// Whether something is in a set.
pub fn has(set: &IdSet, id: Id) -> bool {
    id.of_yrs().is_some_and(|id| set.contains(&id))
}

impl Id {
    /// What was made so many later.
    pub fn plus(self, offset: u64) -> Self {
        Id { clock: self.clock + offset, ..self }
    }

    fn of_yrs(self) -> Option<ID> {
        Some(ID::new(ClientID::new(self.client), u32::try_from(self.clock).ok()?))
    }
}
