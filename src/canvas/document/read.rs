//! Shared types as plain values.

use std::sync::Arc;

use yrs::branch::Branch;
use yrs::{Any, Array, GetString, Map, Number, Out, ReadTxn};

use super::plain::{DEEPEST, Plain};
use super::replica::is_sound_list;
use crate::sort::sort_by;

/// Reads a value. What has no form in JSON (a file, an XML element, a list that cannot be gone through, what is nested too deep) is
/// `null`, and `is_whole` becomes false.
pub fn read(out: &Out, transaction: &impl ReadTxn, is_whole: &mut bool) -> Plain {
    shared(out, transaction, DEEPEST, is_whole)
}

fn shared(out: &Out, transaction: &impl ReadTxn, levels: usize, is_whole: &mut bool) -> Plain {
    if levels == 0 {
        *is_whole = false;
        return Plain::Null;
    }
    match out {
        Out::Any(any) => plain(any, levels, is_whole),
        Out::YText(text) => Plain::Text(text.get_string(transaction).into()),
        Out::YArray(array) => {
            let branch: &Branch = array.as_ref();
            if !is_sound_list(branch, transaction) {
                *is_whole = false;
                return Plain::Null;
            }
            let items = array.iter(transaction);
            Plain::List(items.map(|item| shared(&item, transaction, levels - 1, is_whole)).collect())
        }
        Out::YMap(map) => {
            let mut members: Vec<(Arc<str>, Plain)> = Vec::new();
            for (key, value) in map.iter(transaction) {
                if !matches!(value, Out::Any(Any::Undefined)) {
                    members.push((key.into(), shared(&value, transaction, levels - 1, is_whole)));
                }
            }
            Plain::Object(sorted(members))
        }
        _ => {
            *is_whole = false;
            Plain::Null
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
