//! JSON text that has been checked once, and the tokens in it.
//!
//! [`Json`] can only be made from text that the scanner has walked over, so the tokenizer has no error path: it never
//! allocates, never recurses and is linear in the text. Strings stay as they are written, so that lone surrogates,
//! `__proto__`, 30-digit numbers and duplicate keys pass through untouched (C1, X1).

use std::borrow::Cow;

use super::scan::Scanner;

/// Text that is one JSON value. White space around it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<'a>(&'a str);

/// Text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not JSON at line {line}, column {column}: {reason}")]
pub struct JsonFault {
    /// Line of the first offence, from 1.
    pub line: usize,
    /// Column of the first offence, in bytes from 1.
    pub column: usize,
    /// What is wrong.
    pub reason: String,
}

impl<'a> Json<'a> {
    /// Checks a text in one pass, without recursion.
    pub fn check(text: &'a str) -> Result<Self, JsonFault> {
        let mut scanner = Scanner::new(text);
        let json = scanner.value().map_err(|fault| fault.within(text))?;
        scanner.end().map_err(|fault| fault.within(text))?;
        Ok(json)
    }

    /// A slice that the scanner has walked over.
    pub(super) fn scanned(text: &'a str) -> Self {
        Json(text)
    }

    /// The text.
    pub fn text(self) -> &'a str {
        self.0
    }

    /// The tokens, in order.
    pub fn tokens(self) -> Tokens<'a> {
        Tokens { text: self.0, at: 0 }
    }

    /// Whether this is an object.
    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// Whether this is a list.
    pub fn is_list(self) -> bool {
        self.0.starts_with('[')
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// The body of a string that is written without escapes. `None` for everything else.
    pub fn plain_text(self) -> Option<&'a str> {
        let body = self.0.strip_prefix('"')?.strip_suffix('"')?;
        (!body.contains('\\')).then_some(body)
    }

    /// The text of a string, escapes decoded. `None` when this is no string, or one with a lone surrogate.
    pub fn as_string(self) -> Option<String> {
        let body = self.0.strip_prefix('"')?.strip_suffix('"')?;
        Units::new(body)
            .map(|unit| match unit {
                Unit::Char(c) => Some(c),
                Unit::Lone(_) => None,
            })
            .collect()
    }

    /// The text of a string, escapes decoded; a lone surrogate becomes U+FFFD. `None` when this is no string.
    pub fn as_text(self) -> Option<String> {
        let body = self.0.strip_prefix('"')?.strip_suffix('"')?;
        let mut out = String::with_capacity(body.len());
        for unit in Units::new(body) {
            out.push(match unit {
                Unit::Char(c) => c,
                Unit::Lone(_) => char::REPLACEMENT_CHARACTER,
            });
        }
        Some(out)
    }
}

/// A key as the scanner gives it, escapes decoded. Borrowed in the usual case, where it has none.
pub fn unescaped(key: &str) -> Cow<'_, str> {
    if key.contains('\\') {
        let text = Units::new(key).map(|unit| match unit {
            Unit::Char(c) => c,
            Unit::Lone(_) => char::REPLACEMENT_CHARACTER,
        });
        Cow::Owned(text.collect())
    } else {
        Cow::Borrowed(key)
    }
}

/// The body of a string as a name: escapes decoded, so that a name is the same however it is written.
///
/// Half of a surrogate pair has no place in a Rust string. A name with one is NUL and then its canonical body, and so is a
/// name that begins with NUL itself, so that no two names become one. [`quoted`] is the other way round.
pub fn name_of(body: &str) -> Cow<'_, str> {
    if !body.contains('\\') {
        return Cow::Borrowed(body);
    }
    let is_odd = Units::new(body).enumerate().any(|(at, unit)| match unit {
        Unit::Lone(_) => true,
        Unit::Char(c) => at == 0 && c == '\0',
    });
    if is_odd { Cow::Owned(format!("\0{}", canonical_body(body))) } else { unescaped(body) }
}

/// A name as a JSON string.
pub fn quoted(name: &str) -> String {
    match name.strip_prefix('\0') {
        Some(body) => format!("\"{body}\""),
        // A string can always be written.
        None => serde_json::to_string(name).unwrap_or_default(),
    }
}

/// The body of a string, each character written in one way.
pub(crate) fn canonical_body(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    for unit in Units::new(body) {
        match unit {
            Unit::Char(c @ ('"' | '\\')) => out.extend(['\\', c]),
            Unit::Char(c) if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            Unit::Char(c) => out.push(c),
            Unit::Lone(half) => out.push_str(&format!("\\u{half:04x}")),
        }
    }
    out
}

/// One token. Commas and colons are not told: the order says it all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `[`
    OpenList,
    /// `]`
    CloseList,
    /// A string as it is written, without its quotes. Keys of objects are strings too.
    Str(&'a str),
    /// A number as it is written.
    Number(&'a str),
    /// `true`, `false` or `null`.
    Word(&'a str),
}

/// The tokens of a [`Json`] text.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// Where in the text the token that came last ends.
    pub fn at(&self) -> usize {
        self.at
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        // Both ends lie on ASCII bytes of a checked text, hence on character boundaries.
        self.text.get(from..to).unwrap_or("")
    }

    fn string(&mut self) -> Token<'a> {
        let bytes = self.text.as_bytes();
        let from = self.at;
        let mut at = from;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' => break,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Token::Str(self.slice(from, at))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        loop {
            let from = self.at;
            let byte = *bytes.get(from)?;
            self.at = from + 1;
            return Some(match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' => continue,
                b'{' => Token::Open,
                b'}' => Token::Close,
                b'[' => Token::OpenList,
                b']' => Token::CloseList,
                b'"' => self.string(),
                _ => {
                    let rest = bytes.get(from..).unwrap_or(&[]);
                    let length = rest
                        .iter()
                        .position(|b| !matches!(b, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'+' | b'-' | b'.'))
                        .unwrap_or(rest.len())
                        .max(1);
                    self.at = from + length;
                    let word = self.slice(from, self.at);
                    if byte.is_ascii_alphabetic() { Token::Word(word) } else { Token::Number(word) }
                }
            });
        }
    }
}

/// What a string is made of, once its escapes are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Char(char),
    /// Half of a surrogate pair without its other half; only an escape can say that.
    Lone(u16),
}

/// Decodes the body of a JSON string (what lies between the quotes).
pub(crate) struct Units<'a> {
    rest: std::str::Chars<'a>,
}

impl<'a> Units<'a> {
    pub(crate) fn new(body: &'a str) -> Self {
        Units { rest: body.chars() }
    }

    fn hex(rest: &mut std::str::Chars<'a>) -> Option<u16> {
        let text = rest.as_str().get(..4)?;
        let unit = u16::from_str_radix(text, 16).ok()?;
        *rest = rest.as_str().get(4..)?.chars();
        Some(unit)
    }

    fn escaped_unit(&mut self) -> Unit {
        let Some(first) = Self::hex(&mut self.rest) else {
            return Unit::Char(char::REPLACEMENT_CHARACTER);
        };
        if let Some(c) = char::from_u32(u32::from(first)) {
            return Unit::Char(c);
        }
        let mut ahead = self.rest.clone();
        if (0xd800..0xdc00).contains(&first)
            && ahead.next() == Some('\\')
            && ahead.next() == Some('u')
            && let Some(second) = Self::hex(&mut ahead).filter(|u| (0xdc00..0xe000).contains(u))
        {
            let joined = 0x10000 + ((u32::from(first) - 0xd800) << 10) + (u32::from(second) - 0xdc00);
            if let Some(c) = char::from_u32(joined) {
                self.rest = ahead;
                return Unit::Char(c);
            }
        }
        Unit::Lone(first)
    }
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        let c = self.rest.next()?;
        if c != '\\' {
            return Some(Unit::Char(c));
        }
        Some(match self.rest.next()? {
            'b' => Unit::Char('\u{8}'),
            'f' => Unit::Char('\u{c}'),
            'n' => Unit::Char('\n'),
            'r' => Unit::Char('\r'),
            't' => Unit::Char('\t'),
            'u' => self.escaped_unit(),
            other => Unit::Char(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_in_order_and_as_written() {
        let json = Json::check(r#" {"a\"b": [1.0, -2e+3, true], "": null} "#).unwrap();
        let tokens: Vec<_> = json.tokens().collect();
        assert_eq!(
            tokens,
            [
                Token::Open,
                Token::Str(r#"a\"b"#),
                Token::OpenList,
                Token::Number("1.0"),
                Token::Number("-2e+3"),
                Token::Word("true"),
                Token::CloseList,
                Token::Str(""),
                Token::Word("null"),
                Token::Close,
            ]
        );
    }

    #[test]
    fn x1_lone_surrogates_are_text_with_a_replacement_character() {
        let lone = Json::check(r#""a\ud800b""#).unwrap();
        assert_eq!(lone.as_text().as_deref(), Some("a\u{fffd}b"));
        let pair = Json::check(r#""\ud83d\ude4f""#).unwrap();
        assert_eq!(pair.as_text().as_deref(), Some("🙏"));
        assert_eq!(Json::check("12").unwrap().as_text(), None);
    }

    #[test]
    fn names_are_the_same_however_they_are_written_and_never_otherwise() {
        let same = |a: &str, b: &str| name_of(a) == name_of(b);
        assert!(same(r"\u0061\ud800", r"a\uD800") && same(r"\n", r"\u000a") && same("a", r"\u0061"));
        let odd = [
            r"\ud800",
            r"\\ud800",
            r"\u0000",
            r"\u0000\ud800",
            r"\u0000\\ud800",
            r"\ufffd",
            "",
            r"\u0000\u0000",
        ];
        for (at, a) in odd.iter().enumerate() {
            for b in &odd[at + 1..] {
                assert!(!same(a, b), "{a} {b}");
            }
            let written = quoted(&name_of(a));
            let json = Json::check(&written).unwrap();
            assert!(same(json.text().trim_matches('"'), a), "{a} comes back as {written}");
        }
    }

    #[test]
    fn x1_a_million_levels_are_walked_without_recursion() {
        let depth = 1_000_000;
        let text = "[".repeat(depth) + &"]".repeat(depth);
        let json = Json::check(&text).unwrap();
        assert_eq!(json.tokens().count(), 2 * depth);
    }

    #[test]
    fn x1_text_that_is_not_json_says_where() {
        let fault = Json::check("{\"a\": nope}").unwrap_err();
        assert_eq!((fault.line, fault.column), (1, 7));
        for text in ["", "\u{feff}{}", "{}{}", "\u{0}", "NaN", "{'a':1}", "[1,]"] {
            assert!(Json::check(text).is_err(), "{text:?}");
        }
    }
}
