//! Shared types as plain values.

use std::sync::Arc;

use yrs::branch::Branch;
use yrs::{Any, Array, GetString, Map, Number, Out, ReadTxn};

use super::plain::{DEEPEST, Plain};
use super::shape::{Shape, Types};
use crate::sort::sort_by;

/// Reads values in one transaction.
pub struct Reader<'t, T> {
    transaction: &'t T,
    types: Types,
    /// Whether all that was read so far has a form in JSON. What has none (a file, an XML element, a list that cannot be gone through,
    /// what is nested too deep) is `null`.
    pub is_whole: bool,
}

impl<'t, T: ReadTxn> Reader<'t, T> {
    /// For documents whose shared types are so.
    pub fn new(types: Types, transaction: &'t T) -> Self {
        Reader { transaction, types, is_whole: true }
    }

    /// Reads a value. What is empty and of no kind is what is empty in `near`, and else an object.
    pub fn read(&mut self, out: Out, near: Option<&Plain>) -> Plain {
        self.shared(out, near, DEEPEST)
    }

    fn shared(&mut self, out: Out, near: Option<&Plain>, levels: usize) -> Plain {
        if levels == 0 {
            self.is_whole = false;
            return Plain::Null;
        }
        match Shape::of(out, self.types, self.transaction) {
            Shape::Plain(any) => plain(&any, levels, &mut self.is_whole),
            Shape::Text(text) => Plain::Text(text.get_string(self.transaction).into()),
            Shape::List(list) => {
                let near: &[Plain] = match near {
                    Some(Plain::List(items)) => items,
                    _ => &[],
                };
                let items = list.iter(self.transaction).enumerate();
                Plain::List(items.map(|(at, item)| self.shared(item, near.get(at), levels - 1)).collect())
            }
            Shape::Map(map) => {
                let branch: &Branch = map.as_ref();
                // Only a type that is all in one can have items beside its keys.
                self.is_whole &= branch.content_len() == 0;
                let mut members: Vec<(Arc<str>, Plain)> = Vec::new();
                for (key, value) in map.iter(self.transaction) {
                    if matches!(value, Out::Any(Any::Undefined)) {
                        continue;
                    }
                    let near = near.filter(|_| self.types == Types::Unified).and_then(|near| near.at(key));
                    members.push((key.into(), self.shared(value, near, levels - 1)));
                }
                Plain::Object(sorted(members))
            }
            Shape::Empty(_) => match near {
                Some(Plain::Text(_)) => Plain::Text("".into()),
                Some(Plain::List(_)) => Plain::List(Vec::new()),
                _ => Plain::Object(Vec::new()),
            },
            Shape::Foreign => {
                self.is_whole = false;
                Plain::Null
            }
        }
    }
}

/// Reads a value that is no shared type.
pub fn plain(any: &Any, levels: usize, is_whole: &mut bool) -> Plain {
    match any {
        Any::Null => Plain::Null,
        // As JSON.stringify has it for an item of a list.
        Any::Undefined => Plain::Null,
        Any::Bool(value) => Plain::Bool(*value),
        Any::Number(Number::Int(number)) => Plain::Number(*number as f64),
        Any::Number(Number::Float(number)) => Plain::Number(*number),
        Any::String(text) => Plain::Text((&**text).into()),
        Any::Array(items) if levels > 0 => {
            Plain::List(items.iter().map(|item| plain(item, levels - 1, is_whole)).collect())
        }
        Any::Map(members) if levels > 0 => {
            let known = members.iter().filter(|(_, value)| !matches!(value, Any::Undefined));
            let read = known.map(|(key, value)| (key.as_str().into(), plain(value, levels - 1, is_whole)));
            Plain::Object(sorted(read.collect()))
        }
        Any::Buffer(_) | Any::Array(_) | Any::Map(_) => {
            *is_whole = false;
            Plain::Null
        }
    }
}

/// A map has no order of its own here.
fn sorted(mut members: Vec<(Arc<str>, Plain)>) -> Vec<(Arc<str>, Plain)> {
    sort_by(&mut members, |(a, _), (b, _)| a.cmp(b));
    members
}
