//! Values in words, JSON never (C6): a value that is neither short nor text is summed up, and so is a text that spells JSON.
//! Such a text is looked into once; inside of it one more of the kind is just a text. So nothing recurses further than that, and
//! all of it takes time linear in the value.

use std::fmt::Write as _;

use super::super::field::members;
use super::super::json::{Json, Unit, Units, name_of, quoted};
use super::super::scan::{ScanFault, Scanner};
use super::text::{clean_start, folded, is_gap, is_plain, is_short, push_cut, push_folded, push_text, quote};
use super::words::{is_number, is_ours};

/// Most items of a list that are told.
const FEW_ITEMS: usize = 8;
/// What a condition consists of.
pub const CONDITION: [&str; 3] = ["attribute", "condition", "value"];

/// The parts of a condition, each where there is one.
pub type Condition<'a> = [Option<Json<'a>>; 3];

/// Where a value was found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// In a content.
    Content,
    /// In a text that spells JSON.
    Text,
}

/// A text as JSON, when it is.
pub fn json(text: &str) -> Option<Json<'_>> {
    Json::check(text).ok()
}

/// Writes a value in words; what is no JSON is something.
pub fn push_reading(value: Option<Json<'_>>, out: &mut String) {
    match value {
        Some(value) => push_value(value, Inside::Content, out),
        None => out.push_str("something"),
    }
}

/// Writes a name that somebody gave, or an id, or a key, as it is; in quotes where it could be taken for something else.
pub fn push_name(name: &str, out: &mut String) {
    // A name that begins with NUL is a body of JSON (see `name_of`).
    let odd = name.strip_prefix('\0').and_then(|_| json(&quoted(name))?.as_text());
    let name = odd.as_deref().unwrap_or(name);
    let start = out.len();
    if !push_spelled(name, Inside::Content, out) {
        push_text(name, out);
        quote_what_is_odd(out, start);
    }
}

/// Puts quotes around a name that was written from a position on, where it could be taken for something else.
pub fn quote_what_is_odd(out: &mut String, start: usize) {
    if out.get(start..).is_some_and(|text| !is_plain(text) || is_ours(text)) {
        quote(out, start);
    }
}

fn push_value(value: Json<'_>, inside: Inside, out: &mut String) {
    if value.is_object() {
        push_object(value, inside, out);
    } else if value.is_list() {
        push_list(value, inside, out);
    } else {
        push_scalar(value, inside, out);
    }
}

fn push_object(object: Json<'_>, inside: Inside, out: &mut String) {
    if condition_parts(object).is_some_and(|parts| push_condition_inside(parts, inside, out)) {
        return;
    }
    match members(object).len() {
        0 => out.push_str("an empty object"),
        1 => out.push_str("an object with 1 field"),
        count => drop(write!(out, "an object with {count} fields")),
    }
}

fn push_list(list: Json<'_>, inside: Inside, out: &mut String) {
    let start = out.len();
    let (mut count, mut is_told) = (0usize, true);
    // The text is JSON, so the walk cannot fail.
    let _ = Scanner::new(list.text()).items(|scanner| {
        let item = scanner.value()?;
        count += 1;
        if is_told {
            out.push_str(if count > 1 { ", " } else { "" });
            is_told = count <= FEW_ITEMS && push_item(item, inside, out);
        }
        Ok::<(), ScanFault>(())
    });
    if is_told && count > 0 && out.get(start..).is_some_and(is_short) {
        return;
    }
    out.truncate(start);
    match count {
        0 => out.push_str("no items"),
        1 => out.push_str("1 item"),
        count => drop(write!(out, "{count} items")),
    }
}

fn push_item(item: Json<'_>, inside: Inside, out: &mut String) -> bool {
    if item.is_object() {
        return condition_parts(item).is_some_and(|parts| push_condition_inside(parts, inside, out));
    }
    let is_told = !item.is_list();
    if is_told {
        push_scalar(item, inside, out);
    }
    is_told
}

fn push_scalar(value: Json<'_>, inside: Inside, out: &mut String) {
    match value.text() {
        text if text.starts_with('"') => push_string(value, inside, out),
        "null" => out.push_str("nothing"),
        "true" => out.push_str("on"),
        "false" => out.push_str("off"),
        number => push_cut(number, out),
    }
}

fn push_string(value: Json<'_>, inside: Inside, out: &mut String) {
    let start = out.len();
    if push_spelled_in(value, inside, out) {
        return;
    }
    push_body(value, out);
    match out.get(start..) {
        Some("") => out.push_str(match text_in(value).as_deref() {
            None | Some("") => "an empty text",
            Some(text) if text.chars().all(is_gap) => "white space",
            Some(_) => "invisible characters",
        }),
        // What would read like a number or one of our own words is in quotes.
        Some(text) if !is_plain(text) || is_ours(text) || is_number(text) => quote(out, start),
        _ => {}
    }
}

/// Writes the text of a string, folded and cut. No more of it is decoded than that takes.
fn push_body(value: Json<'_>, out: &mut String) {
    let Some(body) = body(value) else { return };
    match clean_start(body).filter(|clean| !clean.contains('\\')) {
        Some(clean) => push_cut(clean, out),
        None => push_folded(decoded(body), out),
    }
}

/// A string as it is written, without its quotes.
pub fn body(value: Json<'_>) -> Option<&str> {
    value.text().strip_prefix('"')?.strip_suffix('"')
}

/// The characters of a string as it is written. Half of a surrogate pair is U+FFFD.
pub fn decoded(body: &str) -> impl Iterator<Item = char> + '_ {
    Units::new(body).map(|unit| match unit {
        Unit::Char(c) => c,
        Unit::Lone(_) => char::REPLACEMENT_CHARACTER,
    })
}

fn text_in(value: Json<'_>) -> Option<String> {
    value.plain_text().map(str::to_owned).or_else(|| value.as_text())
}

/// Writes the object or list that a string spells, when it does: a person reads that no better than any other JSON.
fn push_spelled_in(value: Json<'_>, inside: Inside, out: &mut String) -> bool {
    let begins = |body| folded(decoded(body)).next().is_some_and(opens);
    body(value).is_some_and(begins) && text_in(value).is_some_and(|text| push_spelled(&text, inside, out))
}

fn push_spelled(text: &str, inside: Inside, out: &mut String) -> bool {
    let write = |value: Json<'_>| match inside {
        Inside::Content => push_value(value, Inside::Text, out),
        Inside::Text => out.push_str("a text"),
    };
    with_spelled(text, write)
}

/// Whether a string spells an object or a list.
pub fn spells_json_in(value: Json<'_>) -> bool {
    let begins = |body| folded(decoded(body)).next().is_some_and(opens);
    body(value).is_some_and(begins) && text_in(value).is_some_and(|text| spells_json(&text))
}

/// Whether a text spells an object or a list.
pub fn spells_json(text: &str) -> bool {
    with_spelled(text, |_| {})
}

fn with_spelled(text: &str, use_it: impl FnOnce(Json<'_>)) -> bool {
    if !folded(text.chars()).next().is_some_and(opens) {
        return false;
    }
    if let Some(value) = json(text) {
        use_it(value);
        return true;
    }
    // What keeps it from being JSON may be nothing that a reader sees.
    let text: String = folded(text.chars()).collect();
    json(&text).map(use_it).is_some()
}

fn opens(first: char) -> bool {
    matches!(first, '{' | '[')
}

/// Attribute, condition and value of an object that has nothing else.
pub fn condition_parts(value: Json<'_>) -> Option<Condition<'_>> {
    let mut parts = [None; 3];
    let walk = Scanner::new(value.text()).members(|key, scanner| {
        let key = name_of(key);
        let part = CONDITION.iter().position(|name| **name == *key);
        let part = part.and_then(|part| parts.get_mut(part));
        *part.ok_or_else(|| scanner.expected("nothing else"))? = Some(scanner.value()?);
        Ok::<(), ScanFault>(())
    });
    walk.is_ok().then_some(parts)
}

/// Writes a condition in words; or nothing, when it has no attribute or no operator, or is of more than scalars.
pub fn push_condition(parts: Condition<'_>, out: &mut String) -> bool {
    push_condition_inside(parts, Inside::Content, out)
}

fn push_condition_inside(parts: Condition<'_>, inside: Inside, out: &mut String) -> bool {
    let is_there = |part: &&Option<Json<'_>>| part.is_some_and(|part| !part.is_null());
    let there = parts.iter().take_while(is_there).count();
    let is_scalar = |part: &Json<'_>| !part.is_object() && !part.is_list();
    if there < 2 || !parts.iter().take(there).flatten().all(is_scalar) {
        return false;
    }
    let start = out.len();
    let mut words = 0;
    for part in parts.into_iter().take(there).flatten() {
        out.push_str(if words > 0 { " " } else { "" });
        let from = out.len();
        if body(part).is_none() {
            push_scalar(part, inside, out);
        } else if !push_spelled_in(part, inside, out) {
            // Between an attribute and its operator a number needs no quotes to be told from a text.
            push_body(part, out);
            if out.len() > from {
                quote_what_is_odd(out, from);
            }
        }
        words += usize::from(out.len() > from);
        if out.len() == from && words > 0 {
            out.pop();
        }
    }
    if words < 2 {
        out.truncate(start);
    }
    words > 1
}
