//! From values to words.

use unicode_segmentation::UnicodeSegmentation;

use super::super::edit::PathStep;
use super::super::field::{items, members};
use super::super::json::{Json, quoted};
use super::Change;

/// Most items of a list that are told.
const FEW_ITEMS: usize = 8;
/// Most steps of a path that are told.
const FEW_STEPS: usize = 6;
/// Most characters (grapheme clusters) of a value or a name.
const LONGEST: usize = 60;
/// Most bytes of one character: more than that is a pile of marks, not a letter.
const WIDEST: usize = 64;
/// What a condition consists of.
pub(super) const CONDITION: [&str; 3] = ["attribute", "condition", "value"];

pub(super) fn json(text: &str) -> Option<Json<'_>> {
    Json::check(text).ok()
}

pub(super) fn child<'a>(value: Json<'a>, step: &PathStep) -> Option<Json<'a>> {
    match step {
        PathStep::Key(key) if value.is_object() => {
            members(value).into_iter().find(|(name, _)| **name == **key).map(|(_, value)| value)
        }
        PathStep::Index(at) if value.is_list() => items(value).get(*at).copied(),
        _ => None,
    }
}

pub(super) fn change(Change { about, path, from, to, .. }: &Change<'_>) -> String {
    let label = label(*about, path);
    let with = |text: &str| if label.is_empty() { text.to_owned() } else { format!("{label}: {text}") };
    let is_item = matches!(path.last(), Some(PathStep::Index(_)));
    match (from, to) {
        (Some(from), Some(to)) => with(&both(from, to)),
        (None, Some(to)) if !is_item && reading(to) != "nothing" => {
            with(&format!("nothing → {}", reading(to)))
        }
        (Some(from), None) if !is_item && reading(from) != "nothing" => {
            with(&format!("{} → nothing", reading(from)))
        }
        (None, Some(to)) => format!("{label} added: {}", reading(to)),
        (Some(from), None) => format!("{label} removed, was {}", reading(from)),
        (None, None) => label,
    }
}

/// Old → new. Long texts that begin alike are shown from shortly before where they differ.
pub(super) fn both(from: &str, to: &str) -> String {
    let (old, new) = (reading(from), reading(to));
    if old != new {
        return format!("{old} → {new}");
    }
    let text = |text| json(text)?.as_text().filter(|text| inner_json(text).is_none());
    let (Some(from), Some(to)) = (text(from), text(to)) else { return format!("changed ({new})") };
    let (from, to) = (folded(&from), folded(&to));
    if from == to {
        return "changed in white space only".to_owned();
    }
    let alike = from.chars().zip(to.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let lead: usize =
        from.get(..alike).unwrap_or("").graphemes(true).rev().take(LONGEST / 3).map(str::len).sum();
    let shown = |text: &str| match text.get(alike - lead..) {
        Some(rest) => format!("“…{}”", shortened(rest)),
        None => "something".to_owned(),
    };
    let (old, new) = (shown(&from), shown(&to));
    if old == new { format!("changed ({})", shown(&to)) } else { format!("{old} → {new}") }
}

/// A value in words.
pub(super) fn reading(text: &str) -> String {
    json(text).map_or_else(|| "something".to_owned(), value_text)
}

pub(super) fn value_text(value: Json<'_>) -> String {
    if value.is_object() {
        return match condition_parts(value).and_then(condition_text) {
            Some(condition) => condition,
            None => match members(value).len() {
                0 => "an empty object".to_owned(),
                1 => "an object with 1 field".to_owned(),
                count => format!("an object with {count} fields"),
            },
        };
    }
    if value.is_list() {
        let items = items(value);
        let short = |item: &Json<'_>| match (item.is_list(), item.is_object()) {
            (true, _) => None,
            (_, true) => condition_parts(*item).and_then(condition_text),
            _ => Some(scalar(*item)),
        };
        let few: Option<Vec<String>> =
            if items.len() <= FEW_ITEMS { items.iter().map(short).collect() } else { None };
        let joined = few.map(|few| few.join(", ")).filter(|text| text.graphemes(true).count() <= LONGEST);
        return match (items.len(), joined) {
            (0, _) => "no items".to_owned(),
            (_, Some(joined)) => joined,
            (1, None) => "1 item".to_owned(),
            (count, None) => format!("{count} items"),
        };
    }
    scalar(value)
}

pub(super) fn scalar(value: Json<'_>) -> String {
    match (value.text(), value.as_text()) {
        (_, Some(text)) => string(&text),
        ("null", _) => "nothing".to_owned(),
        ("true", _) => "on".to_owned(),
        ("false", _) => "off".to_owned(),
        (number, _) => shortened(number),
    }
}

pub(super) fn string(text: &str) -> String {
    if let Some(inner) = inner_json(text) {
        return value_text(inner);
    }
    let folded = folded(text);
    match (text.is_empty(), folded.is_empty()) {
        (true, _) => return "an empty text".to_owned(),
        (_, true) => return "white space".to_owned(),
        _ => {}
    }
    let short = shortened(&folded);
    // What would read like a number or one of our own words is in quotes.
    let is_word = matches!(&*folded, "nothing" | "something" | "on" | "off" | "true" | "false" | "null");
    let is_word = is_word || folded.parse::<f64>().is_ok();
    if is_word || !is_plain(&short) { format!("“{short}”") } else { short }
}

/// The object or list that a text spells: a person reads that no better than any other JSON. Not followed twice.
pub(super) fn inner_json(text: &str) -> Option<Json<'_>> {
    text.trim_start().starts_with(['{', '[']).then(|| json(text))?
}

/// Attribute, condition and value of an object that has nothing else.
pub(super) fn condition_parts(value: Json<'_>) -> Option<[Option<Json<'_>>; 3]> {
    let mut parts = [None; 3];
    for (key, member) in members(value) {
        let part = CONDITION.iter().position(|name| **name == *key)?;
        *parts.get_mut(part)? = Some(member);
    }
    Some(parts)
}

/// A condition in words; `None` when it has no attribute or no operator, or is of more than scalars.
pub(super) fn condition_text(parts: [Option<Json<'_>>; 3]) -> Option<String> {
    let mut words = Vec::new();
    for (at, part) in parts.into_iter().enumerate() {
        let Some(part) = part.filter(|part| !part.is_null()) else {
            if at < 2 {
                return None;
            }
            break;
        };
        if part.is_object() || part.is_list() {
            return None;
        }
        // Between an attribute and its operator a number needs no quotes to be told from a text.
        match part.as_text() {
            Some(text) if inner_json(&text).is_none() => words.push(shortened(&folded(&text))),
            _ => words.push(scalar(part)),
        }
    }
    words.retain(|word| !word.is_empty());
    (words.len() > 1).then(|| words.join(" "))
}

/// Where in an entity, for a person.
pub(super) fn label(about: Option<&str>, path: &[PathStep]) -> String {
    let path = match path {
        [PathStep::Key(first), rest @ ..] if &**first == "operatorProperties" && !rest.is_empty() => rest,
        _ => path,
    };
    let is_long = path.len() > FEW_STEPS;
    let (head, tail) = if is_long { (FEW_STEPS / 2, FEW_STEPS / 2) } else { (path.len(), 0) };
    let mut label = about.map(words).unwrap_or_default();
    let ends = path.iter().take(head).map(Some).chain(is_long.then_some(None));
    for step in ends.chain(path.iter().skip(path.len() - tail).map(Some)) {
        let (between, word) = match step {
            Some(PathStep::Key(key)) => (" › ", words(key)),
            Some(PathStep::Index(at)) => (" ", format!("#{}", at.saturating_add(1))),
            None => (" › ", "…".to_owned()),
        };
        label.push_str(if label.is_empty() { "" } else { between });
        label.push_str(&word);
    }
    label
}

/// A name in code as words: `dataTransferBatchSize` is `data transfer batch size`, `fileURL` is `file URL`.
pub(super) fn words(name: &str) -> String {
    if !is_identifier(name) {
        return shown_name(name);
    }
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_run = before.is_ascii_uppercase() && rest.peek().is_some_and(char::is_ascii_lowercase);
        let begins = before == '_' || (c.is_ascii_uppercase() && (!before.is_ascii_uppercase() || ends_run));
        match words.last_mut() {
            _ if c == '_' => {}
            Some(word) if !begins => word.push(c),
            _ => words.push(c.into()),
        }
        before = c;
    }
    for word in &mut words {
        if word.len() == 1 || word.contains(|c: char| c.is_ascii_lowercase()) {
            word.make_ascii_lowercase();
        }
    }
    shortened(&words.join(" "))
}

pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// An id or a key as it is, in quotes where it could be taken for something else.
pub(super) fn shown_name(name: &str) -> String {
    // A name that begins with NUL is a body of JSON (see `name_of`).
    let odd = name.strip_prefix('\0').and_then(|_| json(&quoted(name))?.as_text());
    let short = shortened(&folded(odd.as_deref().unwrap_or(name)));
    if is_plain(&short) { short } else { format!("“{short}”") }
}

/// Whether a text can stand in a sentence without quotes.
pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || " _-./\\()#+&'’%@*<>=!?$^~…".contains(c))
}

/// Whether a type says more than the name does.
pub(super) fn is_other_kind(kind: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let (kind_letters, name) = (letters(kind), letters(name));
    // `default`, `input`: a type in small letters is for the program, not for a person.
    kind.starts_with(char::is_uppercase) && !kind_letters.contains(&name) && !name.contains(&kind_letters)
}

pub(super) fn counted(count: usize, collection: &str) -> String {
    if count == 1 { format!("1 {}", singular(collection)) } else { format!("{count} {}", words(collection)) }
}

pub(super) fn singular(collection: &str) -> String {
    let words = words(collection);
    for (ending, one) in
        [("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("ies", "y"), ("ss", "ss"), ("s", "")]
    {
        if let Some(stem) = words.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
            return format!("{stem}{one}");
        }
    }
    words
}

pub(super) fn first_upper(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// White space folded to one space; so are control characters, and those that turn the direction of what follows them.
pub(super) fn folded(text: &str) -> String {
    let is_gap = |c: char| {
        c.is_whitespace() || c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out = String::with_capacity(text.len());
    for word in text.split(is_gap).filter(|word| !word.is_empty()) {
        out.push_str(if out.is_empty() { "" } else { " " });
        out.push_str(word);
    }
    out
}

/// Cut between two characters as a reader sees them.
pub(super) fn shortened(text: &str) -> String {
    let mut ends = text.grapheme_indices(true).map(|(at, grapheme)| (at, at + grapheme.len()));
    let mut cut = 0;
    for count in 0.. {
        match ends.next() {
            None => break,
            Some((from, to)) if count == LONGEST || to - from > WIDEST => {
                return format!(
                    "{}…",
                    text.get(..if count == LONGEST { cut } else { from }).unwrap_or("").trim_end()
                );
            }
            // Where to cut so that the sign of the cut has room.
            Some((from, _)) => cut = from,
        }
    }
    text.to_owned()
}
