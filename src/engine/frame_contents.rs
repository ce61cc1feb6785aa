//! The contents of a frame on their way into the store.
//!
//! Text that repeats what is known costs a comparison, not a scan: the `before` of a step is nearly always the `after` of
//! the one before it, and what comes again after a reconnect is what the same step had.

use crate::content::scan::{ScanFault, Scanner};
use crate::content::{ContentIx, ContentStore, Json};
use crate::history::{History, StepData};
use crate::wire::{ContentReader, Place};

/// Reads the contents of one frame.
pub(super) struct FrameContents<'e> {
    contents: &'e mut ContentStore,
    history: &'e History,
    /// The content that was read last.
    last: Option<ContentIx>,
}

impl<'e> FrameContents<'e> {
    pub(super) fn new(contents: &'e mut ContentStore, history: &'e History) -> Self {
        let last = history.content_at(history.head());
        FrameContents { contents, history, last }
    }

    /// What a step had when it last came.
    fn earlier(&self, id: Option<&str>) -> Option<&'e StepData> {
        let tree = self.history.tree();
        tree.data(tree.get(id?)?)
    }
}

impl ContentReader for FrameContents<'_> {
    fn read(&mut self, scanner: &mut Scanner<'_>, place: Place<'_>) -> Result<ContentIx, ScanFault> {
        let earlier = match place {
            Place::Before(id) => self.earlier(id).and_then(|data| data.before),
            Place::After(id) => self.earlier(id).and_then(|data| data.after),
            Place::Head => None,
        };
        let rest = scanner.rest();
        let candidates = [earlier, self.last].into_iter().flatten();
        let known = candidates
            .filter_map(|content| Some((content, self.contents.text(content)?)))
            .find(|(_, text)| begins_with(rest, text));
        let content = match known {
            Some((content, text)) => {
                scanner.advance(text.len());
                content
            }
            None => {
                let json: Json<'_> = scanner.value()?;
                self.contents.intern(json)
            }
        };
        self.last = Some(content);
        Ok(content)
    }
}

/// Whether a text begins with another. In blocks, because the comparison of the standard library goes byte by byte in
/// WebAssembly.
fn begins_with(text: &str, start: &str) -> bool {
    const BLOCK: usize = 64;
    let start = start.as_bytes();
    let Some(text) = text.as_bytes().get(..start.len()) else { return false };
    let (mut a, mut b) = (text.chunks_exact(BLOCK), start.chunks_exact(BLOCK));
    let same_blocks = a.by_ref().zip(b.by_ref()).all(|(a, b)| {
        // No early exit inside a block, so that it compiles to a few vector instructions.
        a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    });
    same_blocks && a.remainder() == b.remainder()
}

#[cfg(test)]
mod tests {
    use super::begins_with;

    #[test]
    fn begins_with_is_what_it_says() {
        let text: String = ('a'..='z').cycle().take(300).collect();
        for length in [0, 1, 63, 64, 65, 128, 200, 300] {
            let start = &text[..length];
            assert!(begins_with(&text, start));
            for at in 0..length {
                let mut other = start.to_owned();
                other.replace_range(at..=at, "_");
                assert!(!begins_with(&text, &other), "{length} bytes, another one at {at}");
            }
        }
        assert!(!begins_with("abc", "abcd"));
    }
}
