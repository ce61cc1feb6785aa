//! Edits as the smallest writing to shared types.
//!
//! Text changes by a splice, a list by its items, a map by its keys; what is not written keeps its identity, and with it the
//! cursor and the concurrent edit that a co-editor has in it (P3). What is there decides how an edit is written: a field
//! that is a shared type stays one, a field that is plain JSON is put anew. Where an edit leads through something that is
//! neither as the edit nor as the schema has it, the entity is put anew as a whole; so no edit fails half-way (P5).

use std::sync::Arc;

use std::marker::PhantomData;

use yrs::block::{ItemContent, ItemPtr, Prelim};
use yrs::branch::{Branch, BranchPtr};
use yrs::types::TypeRef;
use yrs::{Any, Array, ArrayRef, GetString, Map, MapRef, Out, ReadTxn, Text, TextRef, TransactionMut};

use super::plain::{DEEPEST, Plain};
use super::read::plain;
use super::shape::{Shape, Types};
use super::shelves::Shelf;
use crate::content::edit::PathStep;

/// What to do at the end of a path.
#[derive(Clone, Debug)]
pub enum Change {
    /// A value takes the place of the one that is there.
    Replace(Plain),
    /// A key or an item is new.
    Insert(Plain),
    /// A key or an item goes.
    Remove,
}

/// A shared type that is still empty. (The crate's own would put what is in it in no order that anybody knows.)
struct Empty<T>(TypeRef, PhantomData<T>);

impl<T: TryFrom<ItemPtr>> Prelim for Empty<T> {
    type Return = T;

    fn into_content(self, _: &mut TransactionMut<'_>) -> (ItemContent, Option<Self>) {
        (ItemContent::Type(Branch::new(self.0)), None)
    }

    fn integrate(self, _: &mut TransactionMut<'_>, _: BranchPtr) {}
}

fn empty<T>(kind: TypeRef) -> Empty<T> {
    Empty(kind, PhantomData)
}

/// Puts an entity as a whole, in place of the one that has its key.
pub fn put_entity(
    transaction: &mut TransactionMut<'_>,
    root: &MapRef,
    shelf: &Shelf,
    key: &str,
    value: &Plain,
) {
    match value {
        Plain::Object(members) if shelf.is_nested => {
            let map: MapRef = root.insert(transaction, key, empty(TypeRef::Map));
            for (name, value) in members {
                let how = if shelf.plain.contains(name) { How::Plain } else { How::Nested };
                put_key(transaction, &map, name, value, how);
            }
        }
        _ => put_key(transaction, root, key, value, if shelf.is_nested { How::Nested } else { How::Plain }),
    }
}

/// Changes an entity at a path. Tells whether the path led there.
pub fn change_entity(
    transaction: &mut TransactionMut<'_>,
    root: &MapRef,
    shelf: &Shelf,
    key: &str,
    path: &[PathStep],
    change: &Change,
) -> bool {
    let is_plain = |name: &PathStep| matches!(name, PathStep::Key(name) if shelf.plain.contains(name));
    let how = if path.first().is_some_and(is_plain) || !shelf.is_nested { How::Plain } else { How::Nested };
    let mut at = Slot::Key(root.clone(), key.into());
    for (depth, step) in path.iter().enumerate() {
        let Some(there) = at.get(transaction) else { return false };
        at = match (Shape::of(there, shelf.types, transaction), step) {
            (Shape::Map(map), PathStep::Key(name)) => Slot::Key(map, name.clone()),
            (Shape::List(list), PathStep::Index(index)) => Slot::Item(list, *index),
            // It becomes what is put into it.
            (Shape::Empty(it), PathStep::Key(name)) => Slot::Key(it.into(), name.clone()),
            (Shape::Empty(it), PathStep::Index(index)) => Slot::Item(it.into(), *index),
            (Shape::Plain(any), _) => {
                // From here on it is one plain value.
                let mut value = plain(&any, DEEPEST, &mut true);
                let rest = path.get(depth..).unwrap_or(&[]);
                return change_plain(&mut value, rest, change)
                    && at.replace(transaction, shelf.types, &value, How::Plain);
            }
            _ => return false,
        };
    }
    match change {
        Change::Replace(value) => at.replace(transaction, shelf.types, value, how),
        Change::Insert(value) => at.insert(transaction, value, how),
        Change::Remove => at.remove(transaction),
    }
}

/// Whether what is made is shared or plain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Nested,
    /// A value is plain; a list is shared and its items are plain.
    Plain,
}

/// Where a value stands.
enum Slot {
    Key(MapRef, Arc<str>),
    Item(ArrayRef, usize),
}

impl Slot {
    fn get(&self, transaction: &impl ReadTxn) -> Option<Out> {
        match self {
            Slot::Key(map, name) => map.get(transaction, name),
            Slot::Item(list, index) => {
                let index = place(list, *index, transaction)?;
                list.get(transaction, index)
            }
        }
    }

    /// What is shared and stays of its kind is changed inside.
    fn replace(&self, transaction: &mut TransactionMut<'_>, types: Types, value: &Plain, how: How) -> bool {
        let Some(there) = self.get(transaction) else { return false };
        let text = match Shape::of(there, types, transaction) {
            Shape::Text(text) => Some(text),
            Shape::Empty(it) => Some(it.into()),
            _ => None,
        };
        if let (Some(text), Plain::Text(to)) = (text, value)
            && splice(transaction, &text, to)
        {
            return true;
        }
        match self {
            Slot::Key(map, name) => put_key(transaction, map, name, value, how),
            Slot::Item(list, index) => {
                let Some(index) = place(list, *index, transaction) else { return false };
                // Put before what it replaces while that is there: the same place for all who replace it (see `twins`).
                put_item(transaction, list, index, value, how);
                // Lost when somebody has used the ids that are ours.
                let Some(replaced) = place(list, index as usize + 1, transaction) else { return true };
                list.remove_range(transaction, replaced, 1);
            }
        }
        true
    }

    fn insert(&self, transaction: &mut TransactionMut<'_>, value: &Plain, how: How) -> bool {
        match self {
            Slot::Key(map, name) => put_key(transaction, map, name, value, how),
            Slot::Item(list, index) => {
                let Ok(at) = u32::try_from(*index) else { return false };
                if at > list.len(transaction) {
                    return false;
                }
                put_item(transaction, list, at, value, how);
            }
        }
        true
    }

    fn remove(&self, transaction: &mut TransactionMut<'_>) -> bool {
        match self {
            Slot::Key(map, name) => map.remove(transaction, name).is_some(),
            Slot::Item(list, index) => {
                let Some(index) = place(list, *index, transaction) else { return false };
                list.remove_range(transaction, index, 1);
                true
            }
        }
    }
}

/// The place of an item that is there: asking for any other panics.
fn place(list: &ArrayRef, index: usize, transaction: &impl ReadTxn) -> Option<u32> {
    let index = u32::try_from(index).ok()?;
    (index < list.len(transaction)).then_some(index)
}

fn put_key(transaction: &mut TransactionMut<'_>, map: &MapRef, name: &str, value: &Plain, how: How) {
    match value {
        Plain::Text(text) if how == How::Nested => {
            let made: TextRef = map.insert(transaction, name, empty(TypeRef::Text));
            made.insert(transaction, 0, text);
        }
        Plain::List(items) => {
            let made: ArrayRef = map.insert(transaction, name, empty(TypeRef::Array));
            put_items(transaction, &made, items, how);
        }
        Plain::Object(members) if how == How::Nested => {
            let made: MapRef = map.insert(transaction, name, empty(TypeRef::Map));
            for (name, value) in members {
                put_key(transaction, &made, name, value, how);
            }
        }
        _ => drop(map.insert(transaction, name, value.to_any())),
    }
}

fn put_items(transaction: &mut TransactionMut<'_>, list: &ArrayRef, items: &[Plain], how: How) {
    for (at, item) in items.iter().enumerate() {
        put_item(transaction, list, at as u32, item, how);
    }
}

fn put_item(transaction: &mut TransactionMut<'_>, list: &ArrayRef, at: u32, value: &Plain, how: How) {
    match value {
        Plain::Text(text) if how == How::Nested => {
            let made: TextRef = list.insert(transaction, at, empty(TypeRef::Text));
            made.insert(transaction, 0, text);
        }
        Plain::List(items) if how == How::Nested => {
            let made: ArrayRef = list.insert(transaction, at, empty(TypeRef::Array));
            put_items(transaction, &made, items, how);
        }
        Plain::Object(members) if how == How::Nested => {
            let made: MapRef = list.insert(transaction, at, empty(TypeRef::Map));
            for (name, value) in members {
                put_key(transaction, &made, name, value, how);
            }
        }
        _ => drop(list.insert(transaction, at, value.to_any())),
    }
}

/// Changes a text by the smallest splice, between whole characters. Tells whether that could be done: a text with something else
/// than text in it counts places in another way.
fn splice(transaction: &mut TransactionMut<'_>, text: &TextRef, to: &str) -> bool {
    let from = text.get_string(transaction);
    let units = |text: &str| text.encode_utf16().count() as u32;
    if units(&from) != text.len(transaction) {
        return false;
    }
    let head: usize =
        from.chars().zip(to.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    let (from_rest, to_rest) = (from.get(head..).unwrap_or(""), to.get(head..).unwrap_or(""));
    let pairs = from_rest.chars().rev().zip(to_rest.chars().rev());
    let tail: usize = pairs.take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    let removed = from_rest.get(..from_rest.len() - tail).unwrap_or("");
    let added = to_rest.get(..to_rest.len() - tail).unwrap_or("");
    let at = units(from.get(..head).unwrap_or(""));
    // Put before what it replaces while that is there: the same place for all who replace it (see `twins`).
    if !added.is_empty() {
        text.insert(transaction, at, added);
    }
    if text.len(transaction) != units(&from) + units(added) {
        // Somebody has used the ids that are ours: what is written is lost, and to remove what is not there panics.
        return false;
    }
    if !removed.is_empty() {
        text.remove_range(transaction, at + units(added), units(removed));
    }
    true
}

/// The same change to a value that is not shared. Does not recurse.
fn change_plain(value: &mut Plain, path: &[PathStep], change: &Change) -> bool {
    let Some((last, way)) = path.split_last() else {
        let Change::Replace(to) = change else { return false };
        value.clone_from(to);
        return true;
    };
    let mut at = value;
    for step in way {
        let Some(next) = child(at, step) else { return false };
        at = next;
    }
    match (change, at, last) {
        (Change::Replace(to), at, step) => match child(at, step) {
            Some(there) => {
                there.clone_from(to);
                true
            }
            None => false,
        },
        (Change::Insert(to), at @ Plain::Object(_), PathStep::Key(name)) => {
            at.set(name, to.clone());
            true
        }
        (Change::Insert(to), Plain::List(items), PathStep::Index(index)) if *index <= items.len() => {
            items.insert(*index, to.clone());
            true
        }
        (Change::Remove, Plain::Object(members), PathStep::Key(name)) => {
            let before = members.len();
            members.retain(|(key, _)| key != name);
            members.len() < before
        }
        (Change::Remove, Plain::List(items), PathStep::Index(index)) if *index < items.len() => {
            items.remove(*index);
            true
        }
        _ => false,
    }
}

fn child<'v>(value: &'v mut Plain, step: &PathStep) -> Option<&'v mut Plain> {
    match (value, step) {
        (Plain::Object(members), PathStep::Key(name)) => {
            members.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
        }
        (Plain::List(items), PathStep::Index(index)) => items.get_mut(*index),
        _ => None,
    }
}

/// Whether a key has this plain value already: writing it again would be news to everybody.
pub fn has_plain(transaction: &impl ReadTxn, root: &MapRef, key: &str, value: &Plain) -> bool {
    match root.get(transaction, key) {
        Some(Out::Any(Any::Undefined | Any::Buffer(_))) => false,
        Some(Out::Any(there)) => plain(&there, DEEPEST, &mut true).same(value),
        _ => false,
    }
}
