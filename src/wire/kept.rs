//! The text of a step as it is kept: its members but for some, without white space between them.
//!
//! Servers write no white space, so the members that are kept lie beside each other in the frame, and are copied together once
//! it is known where they end: of a step without contents that is all of it.

use std::ops::Range;

use crate::content::Json;
use crate::content::scan::Scanner;

/// A text that is being put together, of members of an object that a scanner walks over.
#[derive(Default)]
pub(super) struct Kept {
    text: String,
    /// Members that are kept and not copied yet, as they lie in the frame.
    run: Range<usize>,
}

impl Kept {
    /// Keeps the member that the scanner has just walked over: its key as it is `written` and as it is to be spelled, where its
    /// colon ended, and its value.
    pub(super) fn member(
        &mut self,
        scanner: &Scanner<'_>,
        written: &str,
        key: &str,
        colon: usize,
        value: Json<'_>,
    ) {
        let (start, end) = (colon.saturating_sub(written.len() + 3), scanner.at());
        let has_no_space = end - colon == value.text().len()
            && scanner
                .since(start)
                .get(1..)
                .is_some_and(|behind_quote| behind_quote.as_ptr() == written.as_ptr());
        if !has_no_space || key != written {
            self.copy(scanner);
            self.begin(key.len() + value.text().len());
            for piece in ["\"", key, "\":", value.text()] {
                self.text.push_str(piece);
            }
        } else if !self.run.is_empty() && self.run.end + 1 == start {
            // Only a comma lies between.
            self.run.end = end;
        } else {
            self.copy(scanner);
            self.run = start..end;
        }
    }

    /// The whole object.
    pub(super) fn finish(mut self, scanner: &Scanner<'_>) -> String {
        self.copy(scanner);
        if self.text.is_empty() {
            self.text.push('{');
        }
        self.text.push('}');
        self.text
    }

    fn copy(&mut self, scanner: &Scanner<'_>) {
        let run = std::mem::take(&mut self.run);
        if !run.is_empty() {
            let members = scanner.since(run.start).get(..run.len()).unwrap_or("");
            self.begin(members.len());
            self.text.push_str(members);
        }
    }

    /// What comes before a member. Most texts are copied at once, so there is room for that and both braces.
    fn begin(&mut self, bytes: usize) {
        if self.text.is_empty() {
            self.text.reserve_exact(bytes + 2);
            self.text.push('{');
        } else {
            self.text.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::scan::ScanFault;

    /// All members but those called `skip`; those called `k\u0065y` are spelled `key`.
    fn kept(text: &str) -> String {
        let mut scanner = Scanner::new(text);
        let mut kept = Kept::default();
        let walk = scanner.members(|written, scanner| {
            let colon = scanner.at();
            let value = scanner.value()?;
            if written != "skip" {
                let key = if written == r"k\u0065y" { "key" } else { written };
                kept.member(scanner, written, key, colon, value);
            }
            Ok::<(), ScanFault>(())
        });
        assert_eq!(walk, Ok(()));
        kept.finish(&scanner)
    }

    #[test]
    fn what_is_kept_is_the_same_however_it_is_written() {
        for (text, wanted) in [
            ("{}", "{}"),
            (r#"{"skip":1}"#, "{}"),
            (r#"{"a":1,"b":[2, 3]}"#, r#"{"a":1,"b":[2, 3]}"#),
            (r#" {"skip":0,"a":1,"skip":{},"b":"é","":null} "#, r#"{"a":1,"b":"é","":null}"#),
            ("{ \"a\" :\n1 , \"b\": 2,\"c\":3 ,\"d\":4}", r#"{"a":1,"b":2,"c":3,"d":4}"#),
            (r#"{"a":1,"k\u0065y":2,"b":3}"#, r#"{"a":1,"key":2,"b":3}"#),
            (r#"{"\"a"  :1,"\"" :"\"","b":2}"#, r#"{"\"a":1,"\"":"\"","b":2}"#),
        ] {
            assert_eq!(kept(text), wanted, "{text}");
        }
    }
}
