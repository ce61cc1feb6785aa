//! A JSON scanner: walks over a text once, checks its grammar, and hands out slices of it.
//!
//! It builds nothing, decodes nothing and does not recurse: what is nested in a value that is only stored costs a bit of
//! scratch per level. Strings, which are most of a workflow, are skipped by words. The grammar is RFC 8259's,
//! as `JSON.parse` has it; the text is UTF-8 already, so lone surrogates can only come as escapes and pass untouched.

use super::json::{Json, JsonFault};

/// A position in a text that is being walked over.
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Containers that are open inside the value that is being skipped: a bit each, set for objects.
    open: Vec<u64>,
}

/// Where and why a text is not JSON. Becomes a [`JsonFault`] once somebody wants to know the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ScanFault {
    at: usize,
    reason: &'static str,
}

impl ScanFault {
    /// Counts lines and columns, both from 1, the column in bytes.
    pub fn within(self, text: &str) -> JsonFault {
        let before = text.as_bytes().get(..self.at).unwrap_or(text.as_bytes());
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        JsonFault {
            line: before.iter().filter(|b| **b == b'\n').count() + 1,
            column: before.len() - line_start + 1,
            reason: self.reason.to_owned(),
        }
    }
}

type Scan<T> = Result<T, ScanFault>;

/// Bytes looked at together.
const WORD: usize = 8;

impl<'a> Scanner<'a> {
    /// At the beginning of a text.
    pub fn new(text: &'a str) -> Self {
        Scanner { text, at: 0, open: Vec::new() }
    }

    fn fault<T>(&self, reason: &'static str) -> Scan<T> {
        Err(ScanFault { at: self.at, reason })
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// What has not been walked over yet.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Goes on by so many bytes that the caller knows to be a whole value.
    pub fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    fn slice(&self, from: usize) -> &'a str {
        // Both ends lie beside ASCII bytes, hence on character boundaries.
        self.text.get(from..self.at).unwrap_or("")
    }

    /// The next byte that is no white space. It stays where it is.
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.byte()? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Nothing but white space may follow.
    pub fn end(&mut self) -> Scan<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.fault("nothing may follow the value"),
        }
    }

    /// Walks over a whole value, whatever it is.
    pub fn value(&mut self) -> Scan<Json<'a>> {
        self.peek();
        let from = self.at;
        let mut depth = 0usize;
        // One turn a value or the end of a container; `continue` goes to the next value.
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.string()?;
                }
                Some(b'{') => {
                    self.at += 1;
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                    } else {
                        self.push(depth, true);
                        depth += 1;
                        self.key()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    if self.peek() == Some(b']') {
                        self.at += 1;
                    } else {
                        self.push(depth, false);
                        depth += 1;
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word("true")?,
                Some(b'f') => self.word("false")?,
                Some(b'n') => self.word("null")?,
                Some(_) => return self.fault("a value was expected"),
                None => return self.fault("the text ends in the middle"),
            }
            // After a value: go on in its container, or leave containers until one goes on.
            loop {
                if depth == 0 {
                    return Ok(Json::scanned(self.slice(from)));
                }
                let is_object = self.is_object(depth - 1);
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if is_object {
                            self.key()?;
                        }
                        break;
                    }
                    Some(b'}') if is_object => self.at += 1,
                    Some(b']') if !is_object => self.at += 1,
                    Some(_) if is_object => return self.fault("`,` or `}` was expected"),
                    Some(_) => return self.fault("`,` or `]` was expected"),
                    None => return self.fault("the text ends in the middle"),
                }
                depth -= 1;
            }
        }
    }

    fn push(&mut self, depth: usize, is_object: bool) {
        if depth / 64 == self.open.len() {
            self.open.push(0);
        }
        if let Some(word) = self.open.get_mut(depth / 64) {
            let bit = 1 << (depth % 64);
            *word = if is_object { *word | bit } else { *word & !bit };
        }
    }

    fn is_object(&self, depth: usize) -> bool {
        self.open.get(depth / 64).is_some_and(|word| word >> (depth % 64) & 1 == 1)
    }

    /// Walks over an object, calling `each` with every key as it is written (without its quotes). `each` has to walk over
    /// the value.
    pub fn members<E: From<ScanFault>>(
        &mut self,
        mut each: impl FnMut(&'a str, &mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.peek() != Some(b'{') {
            return Ok(self.fault("an object was expected")?);
        }
        self.at += 1;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.key()?;
            each(key, self)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Ok(self.fault("`,` or `}` was expected")?),
            }
        }
    }

    /// Walks over a list, calling `each` at every item. `each` has to walk over it.
    pub fn items<E: From<ScanFault>>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.peek() != Some(b'[') {
            return Ok(self.fault("a list was expected")?);
        }
        self.at += 1;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            each(self)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Ok(self.fault("`,` or `]` was expected")?),
            }
        }
    }

    /// The position: how many bytes have been walked over.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes back to a position that was walked over.
    pub fn rewind(&mut self, at: usize) {
        self.at = self.at.min(at);
    }

    /// Walks over a byte if it comes next.
    pub fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.byte() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The text from a position to here.
    pub fn since(&self, from: usize) -> &'a str {
        self.slice(from)
    }

    /// A fault here.
    pub fn expected(&self, reason: &'static str) -> ScanFault {
        ScanFault { at: self.at, reason }
    }

    /// A key and its colon; gives the key as it is written, without its quotes.
    pub fn key(&mut self) -> Scan<&'a str> {
        if self.peek() != Some(b'"') {
            return self.fault("a key in quotes was expected");
        }
        let key = self.string()?;
        if self.peek() != Some(b':') {
            return self.fault("`:` was expected");
        }
        self.at += 1;
        Ok(key)
    }

    /// A string, from its opening quote; gives what lies between the quotes.
    fn string(&mut self) -> Scan<&'a str> {
        self.at += 1;
        let from = self.at;
        loop {
            self.skip_plain();
            match self.byte() {
                Some(b'"') => {
                    let body = self.slice(from);
                    self.at += 1;
                    return Ok(body);
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fault("a control character has to be escaped"),
                None => return self.fault("the text ends in the middle of a string"),
            }
        }
    }

    /// Goes on to the next byte that ends or interrupts a string.
    fn skip_plain(&mut self) {
        let bytes = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        let mut plain = 0;
        // Keys and most values are short: a word or two decides.
        for word in bytes.as_chunks::<WORD>().0 {
            let stop = specials(*word).trailing_zeros() as usize / 8;
            plain += stop;
            if stop < WORD {
                self.at += plain;
                return;
            }
            if plain == 4 * WORD {
                break;
            }
        }
        let (blocks, _) = bytes.get(plain..).unwrap_or(&[]).as_chunks::<WORD>();
        for block in blocks.chunks_exact(4) {
            // No early exit inside a block, so that it compiles to a few vector instructions.
            if block.iter().fold(0, |found, word| found | specials(*word)) != 0 {
                break;
            }
            plain += 4 * WORD;
        }
        for word in bytes.get(plain..).unwrap_or(&[]).as_chunks::<WORD>().0 {
            let stop = specials(*word).trailing_zeros() as usize / 8;
            plain += stop;
            if stop < WORD {
                self.at += plain;
                return;
            }
        }
        let tail = bytes.get(plain..).unwrap_or(&[]);
        self.at += plain + tail.iter().position(|b| is_special(*b)).unwrap_or(tail.len());
    }

    fn escape(&mut self) -> Scan<()> {
        self.at += 1;
        match self.byte() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                let digits = self.text.as_bytes().get(self.at + 1..self.at + 5);
                if !digits.is_some_and(|four| four.iter().all(u8::is_ascii_hexdigit)) {
                    return self.fault("`\\u` has to be followed by four hexadecimal digits");
                }
                self.at += 5;
                Ok(())
            }
            _ => self.fault("`\\` is followed by something that it does not escape"),
        }
    }

    fn digits(&mut self) -> usize {
        let bytes = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        let count = bytes.iter().position(|b| !b.is_ascii_digit()).unwrap_or(bytes.len());
        self.at += count;
        count
    }

    fn number(&mut self) -> Scan<()> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else if self.digits() == 0 {
            return self.fault("a digit was expected");
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return self.fault("a digit was expected behind the point");
            }
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.fault("a digit was expected in the exponent");
            }
        }
        Ok(())
    }

    fn word(&mut self, word: &str) -> Scan<()> {
        if !self.rest().starts_with(word) {
            return self.fault("a value was expected");
        }
        self.at += word.len();
        Ok(())
    }
}

/// Whether a byte ends a string, begins an escape, or must not be in one.
fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// The special bytes of a word: the high bit of each is set, and the lowest bit that is set is never a false one.
///
/// A byte is zero exactly when subtracting one borrows into its high bit. (Mycroft, 1987; see "Determine if a word has a
/// zero byte" in Anderson's Bit Twiddling Hacks.)
fn specials(word: [u8; WORD]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; WORD]);
    const HIGHS: u64 = ONES << 7;
    let word = u64::from_le_bytes(word);
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let below_space = word.wrapping_sub(ONES * 0x20) & !word;
    (zero(word ^ (ONES * b'"' as u64)) | zero(word ^ (ONES * b'\\' as u64)) | below_space) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Result<Json<'_>, ScanFault> {
        let mut scanner = Scanner::new(text);
        let json = scanner.value()?;
        scanner.end()?;
        Ok(json)
    }

    #[test]
    fn x1_what_serde_json_takes_and_refuses() {
        for text in [
            "0",
            "-0",
            "0.5e-7",
            "1E+9",
            "\"\"",
            "\"\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
            "\"\\ud800\"",
            "true",
            "false",
            "null",
            "[]",
            "{}",
            "[[],{}]",
            " { \"a\" : [ 1 , 2 ] , \"b\" : { } } ",
            "[1,[2,[3,{\"x\":[]}]]]",
            "\"a string of more than sixteen bytes: 🙏\"",
            "\"0123456789abcde\\\"0123456789abcdef\"",
            "",
            " ",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "1e+",
            "+1",
            "tru",
            "nulls",
            "NaN",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\u12",
            "\"a\nb\"",
            "\"a\u{1}\"",
            "\"0123456789abcdef\u{1f}\"",
            "[",
            "]",
            "[1",
            "[1,",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,",
            "{\"a\":1,}",
            "{a:1}",
            "{1:1}",
            "{\"a\" 1}",
            "[1}",
            "{\"a\":1]",
            "[]]",
            "{}{}",
            "\u{feff}1",
            "'a'",
            "{\"a\":1,\"a\":2}",
            "\u{0}",
            "[\"\\\u{1}\"]",
            "1e999999999999",
        ] {
            let expected: Result<&serde_json::value::RawValue, _> = serde_json::from_str(text);
            match (whole(text), expected) {
                (Ok(json), Ok(raw)) => assert_eq!(json.text(), raw.get(), "{text:?}"),
                (Err(_), Err(_)) => {}
                (ours, theirs) => panic!("{text:?}: {ours:?}, serde_json: {theirs:?}"),
            }
        }
    }

    #[test]
    fn a_string_ends_where_it_ends_whatever_its_length_and_whatever_is_in_it() {
        for length in 0..200 {
            for filling in ["a", "\u{7f}", "é", "中", "🙏", " ", "!", "#", "]", "["] {
                let body: String = filling.chars().cycle().take(length).collect();
                let text = format!("[\"{body}\",1]");
                assert_eq!(whole(&text).map(Json::text), Ok(text.as_str()));
                for stop in ["\u{0}", "\u{1f}", "\n"] {
                    assert!(whole(&format!("[\"{body}{stop}{body}\"]")).is_err());
                }
                let escaped = format!("[\"{body}\\\"{body}\"]");
                assert_eq!(whole(&escaped).map(Json::text), Ok(escaped.as_str()));
            }
        }
    }

    #[test]
    fn x1_a_million_levels_cost_bits() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let depth = 1_000_000;
            let text = open.repeat(depth) + "1" + &close.repeat(depth);
            assert_eq!(whole(&text).map(|json| json.text().len()), Ok(text.len()));
            let mut scanner = Scanner::new(&text);
            scanner.value().unwrap();
            assert!(scanner.open.capacity() * 64 <= 4 * depth);
            assert!(whole(text.get(..text.len() - 1).unwrap()).is_err());
        }
    }

    #[test]
    fn x2_a_fault_tells_line_and_column() {
        let text = "{\n  \"a\": nope\n}";
        let fault = whole(text).unwrap_err().within(text);
        assert_eq!((fault.line, fault.column, fault.reason.as_str()), (2, 8, "a value was expected"));
    }
}
