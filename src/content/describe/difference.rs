//! Old → new: two values beside each other, and what differs between two long texts (C6).

use std::fmt::Write as _;

use super::super::json::Json;
use super::text::{
    LONGEST, MORE_THAN_ENOUGH, WIDEST, folded, is_unseen, last_characters, push_until_cut, quote,
};
use super::values::{body, decoded, push_reading, spells_json_in};

/// How many characters in front of a difference are shown.
const LEAD: usize = LONGEST / 3;

/// Writes old → new. Long texts that begin alike are shown from shortly before where they differ.
pub fn push_both<'a>(old: Option<Json<'a>>, new: Option<Json<'a>>, out: &mut String) {
    let start = out.len();
    push_reading(old, out);
    let end = out.len();
    out.push_str(" → ");
    let second = out.len();
    push_reading(new, out);
    if out.get(start..end) != out.get(second..) {
        return;
    }
    out.truncate(end);
    let text = |value: Option<Json<'a>>| value.filter(|value| !spells_json_in(*value)).and_then(body);
    match (text(old), text(new)) {
        (Some(old), Some(new)) => {
            out.truncate(start);
            push_difference(old, new, out);
        }
        _ => {
            out.insert_str(start, "changed (");
            out.push(')');
        }
    }
}

/// What differs between two texts that begin alike; both as they are written in JSON.
fn push_difference(old: &str, new: &str, out: &mut String) {
    let from = shortly_before(old, new);
    let (Some(old_rest), Some(new_rest)) = (old.get(from..), new.get(from..)) else { return };
    let (mut a, mut b) = (folded(decoded(old_rest)), folded(decoded(new_rest)));
    let (mut lead, mut is_cut) = (String::new(), from > 0);
    let (first, second) = loop {
        match (a.next(), b.next()) {
            (None, None) => {
                let seen = |rest| decoded(rest).filter(|c| !is_unseen(*c));
                let what =
                    if seen(old_rest).eq(seen(new_rest)) { "invisible characters" } else { "white space" };
                let _ = write!(out, "changed in {what} only");
                return;
            }
            (Some(a), Some(b)) if a == b => lead.push(a),
            pair => break pair,
        }
        if lead.len() > 2 * MORE_THAN_ENOUGH {
            let keep = last_characters(&lead, LONGEST).len();
            lead.drain(..lead.len() - keep);
            is_cut = true;
        }
    };
    let shown_lead = last_characters(&lead, LEAD);
    let is_cut = is_cut || shown_lead.len() < lead.len();
    let mut shown = |first: Option<char>, rest: &mut dyn Iterator<Item = char>| {
        let start = out.len();
        out.push_str(shown_lead);
        push_until_cut(&mut first.into_iter().chain(rest), out, start);
        if is_cut {
            out.insert(start, '…');
        }
        quote(out, start);
        (start, out.len())
    };
    let (start, end) = shown(first, &mut a);
    let (second, last) = shown(second, &mut b);
    if out.get(start..end) == out.get(second..last) {
        out.truncate(end);
        out.insert_str(start, "changed (");
        out.push(')');
    } else {
        out.insert_str(end, " → ");
    }
}

/// Where to begin to look for the first difference: so that what is shown in front of it is all there, something that is seen comes
/// before it, and no escape is cut in two.
fn shortly_before(old: &str, new: &str) -> usize {
    /// More than an escape takes, with its other half.
    const ESCAPE: usize = 12;
    let (old_bytes, new_bytes) = (old.as_bytes(), new.as_bytes());
    let alike = old_bytes.iter().zip(new_bytes).take_while(|(a, b)| a == b).count();
    let latest = alike.saturating_sub(LEAD * WIDEST);
    let is_safe = |at: &usize| {
        let before = old_bytes.get(at.saturating_sub(ESCAPE)..*at);
        old.is_char_boundary(*at) && before.is_some_and(|before| !before.contains(&b'\\'))
    };
    let is_seen = |at: &usize| {
        let between = old_bytes.get(*at..alike).unwrap_or(&[]);
        let is_letter =
            |piece: &[u8]| piece.last().is_some_and(u8::is_ascii_graphic) && !piece.contains(&b'\\');
        between.windows(ESCAPE + 1).any(is_letter)
    };
    (latest.saturating_sub(LEAD)..=latest).rev().find(is_safe).filter(is_seen).unwrap_or(0)
}
