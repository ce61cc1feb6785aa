//! What something in a document is: a text, a list or a map.
//!
//! yjs 13 has a shared type for each. @y/y 14 has one for all, which others know as an XML fragment: what such a one is, is told by what
//! is in it, as 14 itself prints it: keys make a map, characters a text, items a list. One that is empty can be any of the three.

use yrs::branch::{Branch, BranchPtr};
use yrs::{Any, ArrayRef, GetString, Map, MapRef, Out, ReadTxn, TextRef};

/// How the package that the host edits its document with has shared types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Types {
    /// One for each, as yjs 13. What is of no kind is nothing that its editors can show, so it is nothing here.
    #[default]
    Apart,
    /// One for all, as @y/y 14.
    Unified,
}

/// What something is.
pub enum Shape {
    /// A shared text.
    Text(TextRef),
    /// A shared list, and no text is in it.
    List(ArrayRef),
    /// A shared map.
    Map(MapRef),
    /// A shared type that is empty, and of no kind.
    Empty(BranchPtr),
    /// Not shared.
    Plain(Any),
    /// Nothing that a content has.
    Foreign,
}

impl Shape {
    /// Looks at what is in it only where its kind does not say what it is.
    pub fn of(out: Out, types: Types, transaction: &impl ReadTxn) -> Shape {
        match out {
            Out::Any(any) => Shape::Plain(any),
            Out::YText(text) => Shape::Text(text),
            Out::YMap(map) => Shape::Map(map),
            Out::YArray(list) if is_sound_list(list.as_ref(), transaction) => Shape::List(list),
            Out::YXmlFragment(fragment) if types == Types::Unified => {
                Shape::of_unified(fragment.as_ref(), transaction)
            }
            _ => Shape::Foreign,
        }
    }

    fn of_unified(branch: &Branch, transaction: &impl ReadTxn) -> Shape {
        let at = BranchPtr::from(branch);
        let map = MapRef::from(at);
        if map.len(transaction) > 0 {
            Shape::Map(map)
        } else if branch.content_len() == 0 {
            Shape::Empty(at)
        } else if is_sound_list(branch, transaction) {
            Shape::List(at.into())
        } else {
            Shape::Text(at.into())
        }
    }
}

/// Whether a list can be gone through: yrs never ends on one that holds text, as only a foreign document can.
fn is_sound_list(list: &Branch, transaction: &impl ReadTxn) -> bool {
    TextRef::from(BranchPtr::from(list)).get_string(transaction).is_empty()
}

#[cfg(test)]
mod tests {
    use yrs::{Array, Doc, Text, Transact, XmlFragmentPrelim};

    use super::*;

    type Writer<'t> = yrs::TransactionMut<'t>;

    /// What is read at a shared type as @y/y 14 writes any, with something in it.
    fn filled(types: Types, fill: impl FnOnce(BranchPtr, &mut Writer<'_>)) -> &'static str {
        let doc = Doc::new();
        let root = doc.get_or_insert_map("root");
        let mut transaction = doc.transact_mut();
        let fragment = root.insert(&mut transaction, "it", XmlFragmentPrelim::default());
        let branch: &Branch = fragment.as_ref();
        fill(BranchPtr::from(branch), &mut transaction);
        match root.get(&transaction, "it").map(|out| Shape::of(out, types, &transaction)) {
            Some(Shape::Text(_)) => "text",
            Some(Shape::List(_)) => "list",
            Some(Shape::Map(_)) => "map",
            Some(Shape::Empty(_)) => "empty",
            _ => "foreign",
        }
    }

    fn characters(it: BranchPtr, transaction: &mut Writer<'_>) {
        TextRef::from(it).insert(transaction, 0, "words");
    }

    fn item(it: BranchPtr, transaction: &mut Writer<'_>) {
        ArrayRef::from(it).insert(transaction, 0, "words");
    }

    fn key(it: BranchPtr, transaction: &mut Writer<'_>) {
        MapRef::from(it).insert(transaction, "key", 1);
    }

    #[test]
    fn what_is_in_it_tells_what_it_is() {
        let unified = |fill: fn(BranchPtr, &mut Writer<'_>)| filled(Types::Unified, fill);
        assert_eq!(unified(|_, _| {}), "empty");
        assert_eq!(unified(characters), "text");
        assert_eq!(unified(item), "list");
        assert_eq!(unified(key), "map");
    }

    #[test]
    fn where_each_type_has_a_kind_it_is_nothing() {
        for fill in [characters, item, key] {
            assert_eq!(filled(Types::Apart, fill), "foreign");
        }
    }

    #[test]
    fn keys_come_before_characters_and_characters_before_items() {
        let two = |it: BranchPtr, transaction: &mut Writer<'_>| {
            characters(it, transaction);
            TextRef::from(it).insert_embed(transaction, 0, 1);
        };
        assert_eq!(filled(Types::Unified, two), "text");
        let all = |it: BranchPtr, transaction: &mut Writer<'_>| {
            two(it, transaction);
            key(it, transaction);
        };
        assert_eq!(filled(Types::Unified, all), "map");
    }

    #[test]
    fn what_was_taken_out_again_tells_nothing() {
        let emptied = |it: BranchPtr, transaction: &mut Writer<'_>| {
            characters(it, transaction);
            TextRef::from(it).remove_range(transaction, 0, 5);
            key(it, transaction);
            MapRef::from(it).remove(transaction, "key");
        };
        assert_eq!(filled(Types::Unified, emptied), "empty");
    }
}
