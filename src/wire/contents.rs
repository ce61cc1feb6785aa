//! Where the contents of a frame go while it is read.
//!
//! Contents are nearly all of a frame's bytes, and nearly all of them are known. So whoever keeps them gets the scanner
//! at their first byte, and may recognise what comes without looking for its end.

use crate::content::ContentIx;
use crate::content::scan::{ScanFault, Scanner};

/// Which content of a frame it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// Before the step of that id; the id is missing where it is not known yet.
    Before(Option<&'a str>),
    /// After the step of that id.
    After(Option<&'a str>),
    /// At HEAD.
    Head,
}

/// Takes in contents while a frame is read.
pub trait ContentReader<'a> {
    /// Walks over the object at the scanner's position, and keeps it. `'a` is the text of the frame.
    fn read(&mut self, scanner: &mut Scanner<'a>, place: Place<'_>) -> Result<ContentIx, ScanFault>;
}
