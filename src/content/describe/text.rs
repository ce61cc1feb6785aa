//! A person's own text as it can stand in a sentence: on one line, without what cannot be seen, cut between two characters.
//!
//! Sentences about edits (C6) and about faults (C7) show texts by these rules and no others. However long a text is, no more
//! of it is written than can be shown.

use unicode_segmentation::UnicodeSegmentation;

/// Most characters (grapheme clusters) of a text that are shown.
pub const LONGEST: usize = 60;
/// Most bytes of one character: more than that is a pile of marks, not a letter.
pub const WIDEST: usize = 64;
/// So many bytes are more than is ever shown.
pub const MORE_THAN_ENOUGH: usize = LONGEST * WIDEST;

/// What a reader sees of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Seen,
    /// A space, or what counts as one: all white space, all control characters.
    Gap,
    /// Says how the character in front of it looks.
    Selector,
    /// Says how the characters on both sides of it join.
    Joiner,
    /// Nothing: what has no shape, and what turns the direction of the text that follows.
    Unseen,
}

fn look(c: char) -> Look {
    match c {
        '!'..='~' => Look::Seen,
        // A blank of Braille is a symbol by its kind and a space by its looks.
        '\u{2800}' => Look::Gap,
        _ if c.is_whitespace() || c.is_control() => Look::Gap,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Look::Selector,
        '\u{200c}' | '\u{200d}' => Look::Joiner,
        // What Unicode calls "default ignorable", and the signs around ruby.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' => Look::Unseen,
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => Look::Unseen,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => {
            Look::Unseen
        }
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => Look::Unseen,
        _ => Look::Seen,
    }
}

/// Whether a character is white space, or a control character.
pub fn is_gap(c: char) -> bool {
    look(c) == Look::Gap
}

/// Whether a character takes no room of its own.
pub fn is_unseen(c: char) -> bool {
    !matches!(look(c), Look::Seen | Look::Gap)
}

/// A text with each gap folded to one space, none at its ends, and without what cannot be seen. What shapes a character
/// (joiners in emoji, in Persian, in Hindi) stays where there is a character to shape.
pub struct Folded<I> {
    rest: I,
    /// What was given last; NUL before the first.
    before: char,
    held: Option<char>,
}

pub fn folded<I: Iterator<Item = char>>(rest: I) -> Folded<I> {
    Folded { rest, before: '\0', held: None }
}

impl<I: Iterator<Item = char>> Iterator for Folded<I> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        if let Some(held) = self.held.take() {
            self.before = held;
            return Some(held);
        }
        let (mut has_gap, mut joiner) = (false, None);
        loop {
            let c = self.rest.next()?;
            match look(c) {
                Look::Seen => {
                    let between = match joiner.filter(|_| !c.is_ascii()) {
                        _ if has_gap => (self.before != '\0').then_some(' '),
                        joiner => joiner,
                    };
                    self.held = between.map(|_| c);
                    self.before = between.unwrap_or(c);
                    return Some(self.before);
                }
                Look::Gap => has_gap = true,
                Look::Selector if !has_gap && joiner.is_none() && self.can_be_shaped() => {
                    self.before = c;
                    return Some(c);
                }
                Look::Joiner if !has_gap && joiner.is_none() && !self.before.is_ascii() => joiner = Some(c),
                Look::Selector | Look::Joiner | Look::Unseen => {}
            }
        }
    }
}

impl<I> Folded<I> {
    fn can_be_shaped(&self) -> bool {
        !self.before.is_ascii() && look(self.before) == Look::Seen
    }
}

/// Writes a text, folded and cut.
pub fn push_text(text: &str, out: &mut String) {
    match clean_start(text) {
        Some(clean) => push_cut(clean, out),
        None => push_folded(text.chars(), out),
    }
}

/// The same for characters that come one by one.
pub fn push_folded(chars: impl Iterator<Item = char>, out: &mut String) {
    let start = out.len();
    push_until_cut(&mut folded(chars), out, start);
}

/// Goes on with a folded text that was begun at a position, and cuts it.
pub fn push_until_cut(folded: &mut dyn Iterator<Item = char>, out: &mut String, start: usize) {
    let mut is_ascii = out.get(start..).is_some_and(str::is_ascii);
    for c in folded {
        out.push(c);
        is_ascii &= c.is_ascii();
        if out.len() - start > if is_ascii { LONGEST } else { MORE_THAN_ENOUGH } {
            break;
        }
    }
    cut(out, start);
}

/// As much of a text as is needed to show it, when there is nothing to fold in that: words of ASCII with a space between them.
pub fn clean_start(text: &str) -> Option<&str> {
    // One more than is shown, so that it is known to be longer.
    let start = text.get(..text.len().min(LONGEST + 1))?;
    let mut before = b' ';
    let is_clean = start.bytes().all(|byte| {
        let is_clean = matches!(byte, b'!'..=b'~') || (byte == b' ' && before != b' ');
        before = byte;
        is_clean
    });
    (is_clean && (before != b' ' || start.is_empty())).then_some(start)
}

/// Writes a folded text as far as it is shown.
pub fn push_cut(text: &str, out: &mut String) {
    let start = out.len();
    out.push_str(text);
    cut(out, start);
}

/// Cuts what was written from a position on, folded, between two characters as a reader sees them.
pub fn cut(out: &mut String, start: usize) {
    let Some(end) = out.get(start..).and_then(end_of_shown) else { return };
    out.truncate(start + end);
    out.truncate(out.trim_end().len().max(start));
    out.push('…');
}

/// Where to cut so that the sign of the cut has room; `None` when all of it is shown.
fn end_of_shown(text: &str) -> Option<usize> {
    if text.len() <= LONGEST {
        return None;
    }
    // Between two characters of ASCII there is always room for a cut, the carriage return aside, which is folded.
    if text.as_bytes().get(..=LONGEST).is_some_and(<[u8]>::is_ascii) {
        return Some(LONGEST - 1);
    }
    let mut last = 0;
    for (count, (at, grapheme)) in text.grapheme_indices(true).enumerate() {
        match count {
            LONGEST => return Some(last),
            _ if grapheme.len() > WIDEST => return Some(at),
            _ => last = at,
        }
    }
    None
}

/// The end of a folded text: so many characters of it, none of them wider than a letter can be.
pub fn last_characters(text: &str, most: usize) -> &str {
    let wide_enough = text.graphemes(true).rev().take(most).take_while(|grapheme| grapheme.len() <= WIDEST);
    let length: usize = wide_enough.map(str::len).sum();
    text.get(text.len() - length..).unwrap_or("")
}

/// Whether a text has at most so many characters.
pub fn is_short(text: &str) -> bool {
    text.len() <= LONGEST || (!text.is_ascii() && text.graphemes(true).take(LONGEST + 1).count() <= LONGEST)
}

/// Puts quotes around what was written from a position on.
pub fn quote(out: &mut String, start: usize) {
    out.insert(start, '“');
    out.push('”');
}

/// Whether a text can stand in a sentence without quotes.
pub fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '_' | '-' | '.' | '/' | '\\' | '(' | ')' | '#' | '+' => {
            true
        }
        '&' | '\'' | '’' | '%' | '@' | '*' | '<' | '>' | '=' | '!' | '?' | '$' | '^' | '~' | '…' => true,
        _ => !c.is_ascii() && c.is_alphanumeric(),
    };
    !text.is_empty() && text.chars().all(is_plain)
}
