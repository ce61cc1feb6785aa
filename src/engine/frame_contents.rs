//! The contents of a frame on their way into the store.
//!
//! The `before` of a step is nearly always the `after` of the one before it, letter by letter, in the same frame: that costs
//! one comparison. What comes again after a reconnect is what the same step had: the store walks along it.

use crate::content::scan::{ScanFault, Scanner};
use crate::content::{ContentIx, ContentStore, begins_with};
use crate::history::{History, StepData};
use crate::wire::{ContentReader, Place};

/// Reads the contents of one frame; `'a` is its text.
pub(super) struct FrameContents<'e, 'a> {
    contents: &'e mut ContentStore,
    history: &'e History,
    /// The content at HEAD, until one was read.
    near: Option<ContentIx>,
    /// The content that was read last, and where it stands.
    last: Option<(ContentIx, &'a str)>,
}

impl<'e> FrameContents<'e, '_> {
    pub(super) fn new(contents: &'e mut ContentStore, history: &'e History) -> Self {
        let near = history.content_at(history.head());
        FrameContents { contents, history, near, last: None }
    }

    /// What a step had when it last came.
    fn earlier(&self, id: Option<&str>) -> Option<&'e StepData> {
        let tree = self.history.tree();
        tree.data(tree.get(id?)?)
    }
}

impl<'a> ContentReader<'a> for FrameContents<'_, 'a> {
    fn read(&mut self, scanner: &mut Scanner<'a>, place: Place<'_>) -> Result<ContentIx, ScanFault> {
        if let Some((content, text)) = self.last.filter(|(_, text)| begins_with(scanner.rest(), text)) {
            // A whole object, so what begins with it goes on behind it.
            scanner.advance(text.len());
            return Ok(content);
        }
        let earlier = match place {
            Place::Before(id) => self.earlier(id).and_then(|data| data.before),
            Place::After(id) => self.earlier(id).and_then(|data| data.after),
            Place::Head => None,
        };
        let earlier = earlier.filter(|content| self.contents.is_held(*content));
        let near = earlier.or(self.last.map(|(content, _)| content)).or(self.near);
        let start = scanner.at();
        let content = self.contents.read(scanner, near)?;
        self.last = Some((content, scanner.since(start)));
        Ok(content)
    }
}
