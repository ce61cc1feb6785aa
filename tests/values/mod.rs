//! JSON values apart from how they are written, ways to write them, and documents that look like workflows.
#![allow(dead_code)] // each test file uses its part

use proptest::prelude::*;

/// A value without its spelling. Numbers are `digits × 10^power`; strings are code points and lone surrogates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Null,
    Bool(bool),
    Number(i32, i8),
    Text(Vec<u32>),
    List(Vec<Value>),
    /// Sorted by key, no key twice.
    Object(Vec<(Vec<u32>, Value)>),
}

pub fn text() -> impl Strategy<Value = Vec<u32>> {
    // U+DC00 never follows U+D800 here: together they would be another character.
    let unit = prop_oneof![
        8 => prop::sample::select(vec![0x61, 0x62, 0x22, 0x5c, 0x2f, 0x7f, 0x0, 0x1f, 0xe9, 0x4e2d, 0x1f64f]),
        1 => Just(0xd800u32),
    ];
    prop::collection::vec(unit, 0..4)
}

pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-1200..1200i32, -3..4i8).prop_map(|(digits, power)| Value::Number(digits, power)),
        text().prop_map(Value::Text),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The number without zeros at its end, so that two of them are the same if and only if they are equal.
pub fn number(mut digits: i32, mut power: i8) -> (i32, i8) {
    while digits != 0 && digits % 10 == 0 {
        (digits, power) = (digits / 10, power + 1);
    }
    if digits == 0 { (0, 0) } else { (digits, power) }
}

/// What the rules call the same.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(d, p), Value::Number(e, q)) => number(*d, *p) == number(*e, *q),
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => a == b,
    }
}

/// A stream of small choices for how to spell things.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    pub fn gap(&mut self) -> &'static str {
        [" ", "", "", "\n\t", "", "\r\n"][self.roll(6) as usize]
    }

    pub fn spell_text(&mut self, units: &[u32], out: &mut String) {
        out.push('"');
        for unit in units {
            let plain = char::from_u32(*unit).filter(|c| *c >= ' ' && *c != '"' && *c != '\\');
            match (plain, self.roll(3)) {
                (Some(c), 0 | 1) => out.push(c),
                (Some('/'), _) => out.push_str("\\/"),
                _ if *unit == 0x22 && self.roll(2) == 0 => out.push_str("\\\""),
                _ if *unit > 0xffff => {
                    let half = *unit - 0x10000;
                    out.push_str(&format!(
                        "\\u{:04x}\\u{:04X}",
                        0xd800 + (half >> 10),
                        0xdc00 + (half & 0x3ff)
                    ));
                }
                _ => out.push_str(&format!("\\u{unit:04x}")),
            }
        }
        out.push('"');
    }

    pub fn spell_number(&mut self, digits: i32, power: i8, out: &mut String) {
        let zero = if digits == 0 && self.roll(2) == 0 { "-" } else { "" };
        match self.roll(3) {
            0 => out.push_str(&format!("{zero}{digits}e{power}")),
            1 => out.push_str(&format!("{zero}{digits}.00E+{power}").replace("+-", "-")),
            _ => {
                // One digit before the point, the power moved by as many places.
                let text = digits.unsigned_abs().to_string();
                let sign = if digits < 0 { "-" } else { zero };
                let moved = i32::from(power) + text.len() as i32 - 1;
                out.push_str(&format!("{sign}{}.{}0e{moved}", &text[..1], &text[1..]));
            }
        }
    }

    pub fn spell(&mut self, value: &Value, out: &mut String) {
        out.push_str(self.gap());
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(is) => out.push_str(&is.to_string()),
            Value::Number(digits, power) => self.spell_number(*digits, *power, out),
            Value::Text(units) => self.spell_text(units, out),
            Value::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    self.spell(item, out);
                }
                out.push(']');
            }
            Value::Object(members) => {
                let mut order: Vec<usize> = (0..members.len()).collect();
                for at in (1..order.len()).rev() {
                    order.swap(at, self.roll(at as u64 + 1) as usize);
                }
                out.push('{');
                let mut first = true;
                for index in order {
                    let (key, member) = &members[index];
                    // Sometimes the key comes twice: the last one counts.
                    if self.roll(6) == 0 {
                        out.push_str(if first { "" } else { "," });
                        self.spell_text(key, out);
                        out.push_str(":{\"overridden\":[1]}");
                        first = false;
                    }
                    out.push_str(if first { "" } else { "," });
                    self.spell_text(key, out);
                    out.push_str(self.gap());
                    out.push(':');
                    self.spell(member, out);
                    first = false;
                }
                out.push('}');
            }
        }
        out.push_str(self.gap());
    }
}

pub fn spelled(value: &Value, seed: u64) -> String {
    let mut out = String::new();
    Dice(seed).spell(value, &mut out);
    out
}

/// The same value with one small thing changed somewhere.
pub fn nudge(value: &Value, dice: &mut Dice) -> Value {
    match value {
        Value::List(items) if !items.is_empty() && dice.roll(4) > 0 => {
            let mut items = items.clone();
            let at = dice.roll(items.len() as u64) as usize;
            if dice.roll(4) == 0 {
                items.remove(at);
            } else {
                items[at] = nudge(&items[at], dice);
            }
            Value::List(items)
        }
        Value::Object(members) if !members.is_empty() && dice.roll(4) > 0 => {
            let mut members = members.clone();
            let at = dice.roll(members.len() as u64) as usize;
            if dice.roll(4) == 0 {
                members.remove(at);
            } else {
                members[at].1 = nudge(&members[at].1, dice);
            }
            Value::Object(members)
        }
        Value::Number(digits, power) => Value::Number(digits + 1, *power),
        Value::Null => Value::Bool(false),
        _ => Value::Null,
    }
}

/// A workflow of a few entities on few ids, with some other values where entities should be.
pub fn document() -> impl Strategy<Value = Value> {
    let word = |text: &str| text.chars().map(u32::from).collect::<Vec<u32>>();
    let id = prop::sample::select(vec!["op1", "op2", "op3", "a\"b"]).prop_map(word);
    let entity = move |field: &'static str| {
        (id.clone(), value(), prop::option::of(value())).prop_map(move |(id, data, more)| {
            let mut members = vec![(word("data"), data), (word(field), Value::Text(id))];
            members.extend(more.map(|more| (word("more"), more)));
            members.sort();
            Value::Object(members)
        })
    };
    let odd = || prop_oneof![3 => Just(None), 1 => value().prop_map(Some)];
    let list = |field| {
        (prop::collection::vec(entity(field), 0..5), odd()).prop_map(|(mut list, odd)| {
            list.extend(odd);
            Value::List(list)
        })
    };
    let map = prop::collection::btree_map(prop::sample::select(vec!["op1", "op2", "op3"]), value(), 0..4)
        .prop_map(move |members| {
            Value::Object(members.into_iter().map(|(id, value)| (word(id), value)).collect())
        });
    let collections = (list("operatorID"), map, list("linkID"), odd(), odd(), any::<u8>());
    collections.prop_map(move |(operators, positions, links, settings, extra, which)| {
        let mut members = Vec::new();
        let parts = [
            ("operators", Some(operators)),
            ("operatorPositions", Some(positions)),
            ("links", Some(links)),
            ("settings", settings.clone()),
            ("commentBoxes", settings),
            ("unknown", extra),
        ];
        for (at, (key, part)) in parts.into_iter().enumerate() {
            members.extend(part.filter(|_| which >> at & 3 != 0).map(|part| (word(key), part)));
        }
        members.sort();
        Value::Object(members)
    })
}
