//! Our own words: what names in code read like, and what a person must not take for one of them.

use super::text::cut;

/// Writes a name in code as words: `dataTransferBatchSize` is `data transfer batch size`, `fileURL` is `file URL`.
/// `name` is an identifier.
pub fn push_words(name: &str, out: &mut String) {
    let start = out.len();
    let mut word = start;
    let mut before = b'_';
    let bytes = name.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let ends_run = before.is_ascii_uppercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let begins =
            before == b'_' || (byte.is_ascii_uppercase() && (!before.is_ascii_uppercase() || ends_run));
        before = byte;
        if byte == b'_' {
            continue;
        }
        if begins && out.len() > start {
            lower(out, word);
            out.push(' ');
            word = out.len();
        }
        out.push(char::from(byte));
    }
    lower(out, word);
    cut(out, start);
}

/// A word that is no abbreviation is in small letters.
fn lower(out: &mut str, from: usize) {
    if let Some(word) = out.get_mut(from..)
        && (word.len() == 1 || word.bytes().any(|byte| byte.is_ascii_lowercase()))
    {
        word.make_ascii_lowercase();
    }
}

/// Whether a name is one that code has.
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a text reads like something that we say about a value.
pub fn is_ours(text: &str) -> bool {
    let is_count = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text {
        "nothing" | "something" | "on" | "off" | "true" | "false" | "null" | "no items" | "1 item" => true,
        "an empty text" | "white space" | "invisible characters" | "a text" | "an empty object" => true,
        _ => {
            text.starts_with("an object with ")
                || text.starts_with("changed ")
                || text.strip_suffix(" items").is_some_and(is_count)
        }
    }
}

/// Whether a text, or what is left of one that was cut, reads like a number.
pub fn is_number(text: &str) -> bool {
    let may_be = text.starts_with(|c: char| c.is_ascii_digit() || "+-.iInN".contains(c));
    may_be && text.strip_suffix('…').unwrap_or(text).parse::<f64>().is_ok()
}

/// Begins what was written from a position on with a capital letter.
pub fn capitalise(out: &mut String, start: usize) {
    let Some(first) = out.get(start..).and_then(|text| text.chars().next()) else { return };
    let upper: String = first.to_uppercase().collect();
    out.replace_range(start..start + first.len_utf8(), &upper);
}
