//! What the values in a text say, as numbers: two values have the same number if and only if they are equal (C2).
//!
//! Numbers are given from the inside out, each value once, so that a value deep inside costs no more than one at the top, and
//! comparing any two values afterwards costs nothing. (Hash consing: Ershov, "On programming of arithmetic operations", 1958.)

use std::borrow::Cow;

use hashbrown::HashMap;

use super::decimal::Decimal;
use super::json::{Json, canonical_body, name_of};
use super::outline::{Span, outline};
use crate::sort::sort_by_key;

/// The numbers that were given so far. Those of two texts can be compared when both were read by the same.
#[derive(Default)]
pub(super) struct Forms<'a>(HashMap<Form<'a>, u32>);

/// What a value says.
#[derive(PartialEq, Eq, Hash)]
enum Form<'a> {
    /// The name of a key.
    Key(Cow<'a, str>),
    /// A scalar as it stands in the canonical form.
    Scalar(Cow<'a, [u8]>),
    List(Box<[u32]>),
    /// Keys and values, sorted.
    Object(Box<[(u32, u32)]>),
}

/// A text, and what lies in it.
pub(super) struct Read<'a> {
    text: &'a str,
    values: Vec<Value>,
}

struct Value {
    span: Span,
    key: u32,
    form: u32,
}

/// A value in a text.
#[derive(Clone, Copy)]
pub(super) struct Part<'r, 'a> {
    read: &'r Read<'a>,
    /// Its number in the text.
    pub at: usize,
}

impl<'a> Forms<'a> {
    fn number(&mut self, form: Form<'a>) -> u32 {
        // A text has fewer values than that.
        let next = self.0.len() as u32;
        *self.0.entry(form).or_insert(next)
    }

    /// Reads a text. Does not recurse.
    pub fn read(&mut self, json: Json<'a>) -> Read<'a> {
        let text = json.text();
        let values = outline(json).into_iter().map(|span| Value { span, key: 0, form: 0 });
        let mut read = Read { text, values: values.collect() };
        self.0.reserve(read.values.len());
        // What is inside of a value follows it, so from the last to the first.
        for at in (0..read.values.len()).rev() {
            let part = Part { read: &read, at };
            let (key, form) = (part.key().map(Form::Key), part.form_of());
            let (key, form) = (key.map_or(0, |key| self.number(key)), self.number(form));
            if let Some(value) = read.values.get_mut(at) {
                (value.key, value.form) = (key, form);
            }
        }
        read
    }
}

impl<'a> Read<'a> {
    /// All of it.
    pub fn whole(&self) -> Part<'_, 'a> {
        Part { read: self, at: 0 }
    }
}

impl<'r, 'a> Part<'r, 'a> {
    fn value(self) -> Option<&'r Value> {
        self.read.values.get(self.at)
    }

    /// Its text.
    pub fn json(self) -> Json<'a> {
        let text: &'a str = self.read.text;
        let span = self.value().map(|value| value.span.from..value.span.to);
        Json::scanned(span.and_then(|span| text.get(span)).unwrap_or(""))
    }

    /// The number that tells what it says.
    pub fn form(self) -> u32 {
        self.value().map_or(0, |value| value.form)
    }

    /// In an object: its key.
    pub fn key(self) -> Option<Cow<'a, str>> {
        let text: &'a str = self.read.text;
        let (from, to) = self.value()?.span.key?;
        text.get(from + 1..to - 1).map(name_of)
    }

    /// The values in it, in order.
    pub fn items(self) -> impl Iterator<Item = Part<'r, 'a>> {
        let end = self.value().map_or(0, |value| value.span.next);
        let inside = move |at: usize| (at < end).then_some(Part { at, ..self });
        let next = move |part: &Part<'r, 'a>| inside(part.value()?.span.next);
        std::iter::successors(inside(self.at + 1), next)
    }

    /// The members of an object by the numbers of their keys, sorted; of a repeated key the last.
    pub fn members(self) -> Vec<(u32, Part<'r, 'a>)> {
        let member = |part: Part<'r, 'a>| (part.value().map_or(0, |value| value.key), part);
        let mut members: Vec<_> = self.items().map(member).collect();
        members.reverse();
        sort_by_key(&mut members, |(key, _)| *key);
        members.dedup_by_key(|(key, _)| *key);
        members
    }

    fn form_of(self) -> Form<'a> {
        let text = self.json().text();
        match text.as_bytes().first() {
            Some(b'[') => Form::List(self.items().map(Part::form).collect()),
            Some(b'{') => {
                Form::Object(self.members().into_iter().map(|(key, part)| (key, part.form())).collect())
            }
            Some(b'"') if text.contains('\\') => {
                let body = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or("");
                Form::Scalar(Cow::Owned(format!("\"{}\"", canonical_body(body)).into_bytes()))
            }
            Some(b'-' | b'0'..=b'9') => {
                let mut form = Vec::new();
                Decimal::of(text).write(&mut form);
                Form::Scalar(Cow::Owned(form))
            }
            _ => Form::Scalar(Cow::Borrowed(text.as_bytes())),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)] // a test may; the lint knows only a plain `cfg(test)`
mod tests {
    use super::super::canonical;
    use super::*;
    use proptest::prelude::*;

    fn same(a: &str, b: &str) -> bool {
        let mut forms = Forms::default();
        let [a, b] = [a, b].map(|text| Json::check(text).unwrap());
        let (left, right) = (forms.read(a), forms.read(b));
        let same = left.whole().form() == right.whole().form();
        assert_eq!(same, canonical::equal(a, b), "{a:?} {b:?}");
        same
    }

    #[test]
    fn c2_what_says_the_same_has_the_same_number() {
        assert!(same(r#"{"a":[1.0,"\u0041"],"b":{}}"#, r#"{ "b" : { }, "\u0061": [ 1, "A" ] }"#));
        assert!(same(r#"{"a":1,"b":0,"a":2}"#, r#"{"b":0,"a":2}"#));
        assert!(same(r#"["\ud800",-0]"#, r#"["\uD800",0]"#));
        assert!(!same(r#"["a"]"#, r#"{"a":"a"}"#));
        assert!(!same("[[1],2]", "[[1,2]]"));
        assert!(!same("[1]", r#"["1"]"#));
        assert!(!same(r#"["\ud800"]"#, r#"["\u0000\\ud800"]"#));
    }

    proptest! {
        #[test]
        fn c2_numbers_are_the_same_if_and_only_if_values_are_equal(
            a in r#"(\{("(a|b|\\u0061)":([01]|1\.0|"x"|\[\]|\[1,2\]|\{\}),){0,2}"c":[12]\})"#,
            b in r#"(\{("(a|b|\\u0061)":([01]|1\.0|"x"|\[\]|\[1,2\]|\{\}),){0,2}"c":[12]\})"#,
        ) {
            same(&a, &b);
        }
    }

    #[test]
    fn x1_depth_is_length_only() {
        let depth = 200_000;
        let deep = |inner: &str| r#"{"b":["#.repeat(depth) + inner + &"]}".repeat(depth);
        assert!(same(&deep("1"), &deep("1.0")));
        assert!(!same(&deep("1"), &deep("2")));
    }
}
