//! Values as a document holds them: what JavaScript makes of JSON, and how that is written as JSON again.
//!
//! A number is a double, half a character is U+FFFD, of a repeated key the last counts. Two contents that differ only in what
//! is lost on that way are the same on a canvas, so they are compared in this form.

use std::sync::Arc;

use hashbrown::HashMap;
use yrs::{Any, Number};

use crate::content::json::{Token, unescaped};
use crate::content::{Json, JsonFault};

/// Deeper values are not put into a document: whoever decodes one recurses.
pub const DEEPEST: usize = 64;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A double.
    Number(f64),
    /// A text.
    Text(Arc<str>),
    /// A list.
    List(Vec<Plain>),
    /// An object, its keys in order, each once.
    Object(Vec<(Arc<str>, Plain)>),
}

/// Why a text cannot be put into a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlainFault {
    /// It is no JSON.
    #[error(transparent)]
    Json(#[from] JsonFault),
    /// It is nested too deep.
    #[error("it is nested deeper than {DEEPEST} levels")]
    TooDeep,
}

impl Plain {
    /// Reads JSON text. Does not recurse.
    pub fn read(text: &str) -> Result<Plain, PlainFault> {
        let json = Json::check(text)?;
        let mut open: Vec<Plain> = Vec::new();
        let mut keys: Vec<Option<Arc<str>>> = Vec::new();
        for token in json.tokens() {
            let is_key = matches!(open.last(), Some(Plain::Object(_))) && keys.last() == Some(&None);
            let done = match token {
                Token::Str(body) if is_key => {
                    if let Some(key) = keys.last_mut() {
                        *key = Some(unescaped(body).into());
                    }
                    continue;
                }
                Token::Open | Token::OpenList => {
                    if open.len() == DEEPEST {
                        return Err(PlainFault::TooDeep);
                    }
                    open.push(if token == Token::Open { Plain::Object(vec![]) } else { Plain::List(vec![]) });
                    keys.push(None);
                    continue;
                }
                Token::Close | Token::CloseList => {
                    keys.pop();
                    open.pop().map_or(Plain::Null, with_distinct_keys)
                }
                Token::Str(body) => Plain::Text(unescaped(body).into()),
                // What is too large for a double is infinite, as it is for JSON.parse.
                Token::Number(number) => Plain::Number(number.parse().unwrap_or(0.0)),
                Token::Word(word) => match word {
                    "true" => Plain::Bool(true),
                    "false" => Plain::Bool(false),
                    _ => Plain::Null,
                },
            };
            match (open.last_mut(), keys.last_mut()) {
                (Some(Plain::List(items)), _) => items.push(done),
                (Some(Plain::Object(members)), Some(key)) => {
                    members.push((key.take().unwrap_or_default(), done));
                }
                _ => return Ok(done),
            }
        }
        Ok(Plain::Null)
    }

    /// Whether two values are the same but for the order of keys.
    pub fn same(&self, other: &Plain) -> bool {
        match (self, other) {
            (Plain::List(a), Plain::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Plain::Object(a), Plain::Object(b)) if a.len() == b.len() => {
                // The usual case is the same order.
                if a.iter().zip(b).all(|((a, _), (b, _))| a == b) {
                    return a.iter().zip(b).all(|((_, a), (_, b))| a.same(b));
                }
                let by_key: HashMap<&str, &Plain> = b.iter().map(|(key, value)| (&**key, value)).collect();
                a.iter().all(|(key, value)| by_key.get(&**key).is_some_and(|other| value.same(other)))
            }
            (a, b) => a == b,
        }
    }

    /// JSON text. A number that JSON has no word for is `null`.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Plain::Null => out.push_str("null"),
            Plain::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Plain::Number(number) => out.push_str(&number_text(*number)),
            Plain::Text(text) => write_text(text, out),
            Plain::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Plain::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_text(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// The value as one that people cannot edit together.
    pub fn to_any(&self) -> Any {
        match self {
            Plain::Null => Any::Null,
            Plain::Bool(value) => Any::Bool(*value),
            Plain::Number(number) => any_number(*number),
            Plain::Text(text) => Any::String((&**text).into()),
            Plain::List(items) => Any::Array(items.iter().map(Plain::to_any).collect()),
            Plain::Object(members) => {
                let members = members.iter().map(|(key, value)| (key.to_string(), value.to_any()));
                Any::Map(members.collect::<std::collections::HashMap<_, _>>().into())
            }
        }
    }

    /// What lies at a key.
    pub fn at(&self, key: &str) -> Option<&Plain> {
        match self {
            Plain::Object(members) => {
                members.iter().find(|(other, _)| **other == *key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Puts a value at a key of an object; of anything else nothing becomes.
    pub fn set(&mut self, key: &str, value: Plain) {
        let Plain::Object(members) = self else { return };
        match members.iter_mut().find(|(other, _)| **other == *key) {
            Some(member) => member.1 = value,
            None => members.push((key.into(), value)),
        }
    }
}

/// Of a repeated key the last counts, at the place of the first.
fn with_distinct_keys(value: Plain) -> Plain {
    let Plain::Object(members) = value else { return value };
    let mut places: HashMap<Arc<str>, usize> = HashMap::with_capacity(members.len());
    let mut distinct: Vec<(Arc<str>, Plain)> = Vec::with_capacity(members.len());
    for (key, value) in members {
        match places.get(&key).and_then(|place| distinct.get_mut(*place)) {
            Some(member) => member.1 = value,
            None => {
                places.insert(key.clone(), distinct.len());
                distinct.push((key, value));
            }
        }
    }
    Plain::Object(distinct)
}

/// Whole numbers as yjs writes them, so that they come back as numbers and take as little room.
fn any_number(number: f64) -> Any {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT && !(number == 0.0 && number.is_sign_negative()) {
        Any::Number(Number::Int(number as i64))
    } else {
        Any::Number(Number::Float(number))
    }
}

fn number_text(number: f64) -> String {
    if !number.is_finite() {
        return "null".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    if (1e-7..1e21).contains(&number.abs()) { format!("{number}") } else { format!("{number:e}") }
}

fn write_text(text: &str, out: &mut String) {
    // A text can always be written.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(text: &str) -> String {
        Plain::read(text).unwrap().to_json()
    }

    #[test]
    fn p2_values_come_back_as_javascript_has_them() {
        for (text, expected) in [
            (r#"{"b":1.0,"a":[true,null,"x"]}"#, r#"{"b":1,"a":[true,null,"x"]}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (
                r#"["\ud800","\u0041","\\","\"","\n","\u0000"]"#,
                "[\"\u{fffd}\",\"A\",\"\\\\\",\"\\\"\",\"\\n\",\"\\u0000\"]",
            ),
            ("[-0,1e400,123456789012345678901234567890,0.1,1e-9]", "[0,null,1.2345678901234568e29,0.1,1e-9]"),
            (r#""\\ud800""#, r#""\\ud800""#),
            ("[]", "[]"),
            (r#"{"":{"":{}}}"#, r#"{"":{"":{}}}"#),
        ] {
            assert_eq!(through(text), expected, "{text}");
            assert_eq!(through(&through(text)), expected, "{text}");
        }
    }

    #[test]
    fn p2_the_order_of_keys_does_not_matter_and_all_else_does() {
        let same = |a: &str, b: &str| Plain::read(a).unwrap().same(&Plain::read(b).unwrap());
        assert!(same(r#"{"a":{"x":1,"y":2},"b":[1]}"#, r#"{"b":[1.0],"a":{"y":2,"x":1}}"#));
        for (a, b) in
            [("[1,2]", "[2,1]"), (r#"{"a":1}"#, r#"{"a":1,"b":null}"#), ("1", "\"1\""), ("{}", "[]")]
        {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn x1_what_is_nested_too_deep_is_refused_without_recursion() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Plain::read(&nested(DEEPEST)).is_ok());
        assert_eq!(Plain::read(&nested(DEEPEST + 1)), Err(PlainFault::TooDeep));
        assert_eq!(Plain::read(&nested(1_000_000)), Err(PlainFault::TooDeep));
    }
}
