//! A walk over the bytes of an update before yrs sees them (X1).
//!
//! Updates come from other people's browsers. yrs 0.28.1 answers most broken ones with an error, and trusts the rest:
//!
//! | what yrs takes as it stands | what came of it | so here |
//! |---|---|---|
//! | a count: it reserves room for that many | 16 bytes took 0.5 to 1.3 GB of wasm memory, for good | no more things than bytes left |
//! | values in values: it decodes by recursion | 8,000 lists in each other trap | [`MAX_DEPTH`] |
//! | clocks: `u32` that wrap, subtracted as `i32` | near 2^32 a segmentation fault or a hang | [`MAX_CLOCK`], at the end too |
//! | the same client listed twice | a segmentation fault | strictly descending, as yjs and yrs write them |
//! | an item that hangs on itself, or on a later one of its client | a segmentation fault | refused; nobody can have made one |
//! | a client without items, a gap or a deletion of length 0 | nothing known | refused; nobody writes them |
//! | numbers of any length: the bits above are dropped | a length that means two things | [`MAX_NUMBER`] |
//! | JSON content (yjs before 13): it reads one string too many | everything after is read askew | refused |
//! | an XML hook: it reads no name | everything after is read askew | refused |
//!
//! Nothing here allocates or recurses, and each byte is looked at once or twice: 2 µs for a kilobyte. The same walk tells what an
//! update puts into texts and lists ([`runs`]), for who looks for the same said twice.
//!
//! The document has to do its part: **`skip_gc: true`**. An update may be well-formed and nonsense in meaning, such as one
//! that takes ids which an honest client is about to use. When yrs frees what was deleted, one in some 50,000 of these
//! leaves it with pointers to freed memory, and the process ends. With `skip_gc` 240,000 of them, invented by the fuzzer and
//! passed by this check, made yrs neither panic nor hang nor crash, while freed memory was being overwritten.
//!
//! What remains: yrs may refuse an update half-way when it is applied (the parent is no shared type); the replica then
//! starts afresh from the live document. Text in an array, and shared types that nest without end, are for the reader of
//! the document to stop at.
//!
//! Place in the flow: the first thing that happens to the bytes; what passes is decoded by yrs. `Reader` has the
//! numbers, texts and values, this file the order in which they come.

mod reader;

pub use reader::Id;
use reader::Reader;

/// Plain values nest no deeper than this.
pub const MAX_DEPTH: usize = 64;
/// No item ends later than this in the line of its client.
pub const MAX_CLOCK: u64 = i32::MAX as u64;
/// JavaScript counts no further, so yjs writes nothing above.
pub const MAX_NUMBER: u64 = (1 << 53) - 1;

/// Why an update, or a state vector, was refused. yrs has not seen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no sense at byte {at}: {offence}")]
pub struct UpdateFault {
    /// Where the offence begins, in bytes from 0.
    pub at: usize,
    /// What is wrong there.
    pub offence: Offence,
}

/// What yrs is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Offence {
    /// The bytes end too early.
    #[error("the bytes end in the middle of something")]
    Truncated,
    /// The bytes go on after the end.
    #[error("there are bytes after the end")]
    Trailing,
    /// A number above [`MAX_NUMBER`].
    #[error("a number has more than 53 bits")]
    NumberTooLarge,
    /// More things than bytes are left.
    #[error("{0} things are announced, more than there are bytes left")]
    CountTooLarge(u64),
    /// A text that is not UTF-8.
    #[error("a text is not UTF-8")]
    NotUtf8,
    /// Plain values in each other, deeper than [`MAX_DEPTH`].
    #[error("values nest more than {MAX_DEPTH} deep")]
    TooDeep,
    /// A clock above [`MAX_CLOCK`].
    #[error("a clock goes beyond 2^31 - 1")]
    ClockTooLarge,
    /// A client that is not below the one before.
    #[error("client {0} is listed twice or out of order")]
    ClientOutOfOrder(u64),
    /// A client without items, a gap or a deletion of length 0.
    #[error("something is announced, and then there is none of it")]
    Empty,
    /// An item that hangs on itself, or on a later one of its client.
    #[error("an item refers to itself or to a later one of its client")]
    LaterReference,
    /// Something that yrs does not read, or not as yjs wrote it.
    #[error("{what} of kind {kind} is not read here")]
    UnknownKind {
        /// What it should have been.
        what: &'static str,
        /// The number that says its kind.
        kind: u64,
    },
}

/// Checks an update in the first version of the encoding, in one pass. What passes may be decoded by yrs.
pub fn check_update(bytes: &[u8]) -> Result<(), UpdateFault> {
    runs(bytes, &mut |_| ())
}

/// Something that an update puts into a text or a list, in the line of its client without a gap.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The first of it.
    pub id: Id,
    /// What it stood behind and before when it was made.
    pub left: Option<Id>,
    /// See `left`.
    pub right: Option<Id>,
    /// The shared type that it is in. Not told where a neighbour tells, nor for a root.
    pub parent: Option<Id>,
    /// What it says.
    pub said: Said<'a>,
}

/// What a run says.
#[derive(Clone, Copy, Debug)]
pub enum Said<'a> {
    /// Characters.
    Text(&'a str),
    /// So many plain values, as they are encoded.
    Values(u64, &'a [u8]),
    /// One shared type.
    Shared,
    /// So much that is gone and that nobody knows any more.
    Deleted(u64),
}

/// Checks an update and shows what it puts into texts and lists.
pub fn runs<'a>(bytes: &'a [u8], visit: &mut impl FnMut(Run<'a>)) -> Result<(), UpdateFault> {
    let mut reader = Reader::new(bytes);
    let mut client_before = None;
    for _ in 0..reader.count()? {
        client_before = Some(items_of_client(&mut reader, client_before, visit)?);
    }
    deletions(&mut reader)?;
    reader.end()
}

/// Checks a state vector in the first version of the encoding. What passes may be decoded by yrs.
pub fn check_state_vector(bytes: &[u8]) -> Result<(), UpdateFault> {
    let mut reader = Reader::new(bytes);
    for _ in 0..reader.count()? {
        reader.id()?;
    }
    reader.end()
}

/// A run of items of one client. Gives the client.
fn items_of_client<'a>(
    reader: &mut Reader<'a>,
    client_before: Option<u64>,
    visit: &mut impl FnMut(Run<'a>),
) -> Result<u64, UpdateFault> {
    let start = reader.at();
    let count = reader.count()?;
    if count == 0 {
        return Err(Offence::Empty.at(start));
    }
    let start = reader.at();
    let mut id = reader.id()?;
    if client_before.is_some_and(|before| before <= id.client) {
        return Err(Offence::ClientOutOfOrder(id.client).at(start));
    }
    for _ in 0..count {
        let start = reader.at();
        // An old yrs made empty items: yrs leaves them out.
        let length = item(reader, id, visit)?;
        id.clock = end_of_run(id.clock, length, start)?;
    }
    Ok(id.client)
}

/// Bits of an item's first byte: what comes before its content.
mod has {
    pub const LEFT: u8 = 0x80;
    pub const RIGHT: u8 = 0x40;
    pub const KEY: u8 = 0x20;
}

/// Kinds of items, in the other bits of the first byte.
mod kind {
    pub const COLLECTED: u8 = 0;
    pub const DELETED: u8 = 1;
    pub const BINARY: u8 = 3;
    pub const TEXT: u8 = 4;
    pub const EMBED: u8 = 5;
    pub const FORMAT: u8 = 6;
    pub const SHARED_TYPE: u8 = 7;
    pub const VALUES: u8 = 8;
    pub const SUBDOCUMENT: u8 = 9;
    pub const GAP: u8 = 10;
}

/// Kinds of shared types.
mod shared {
    pub const ARRAY: u8 = 0;
    pub const MAP: u8 = 1;
    pub const TEXT: u8 = 2;
    pub const XML_ELEMENT: u8 = 3;
    pub const XML_FRAGMENT: u8 = 4;
    pub const XML_TEXT: u8 = 6;
}

/// One item. Gives how many clocks it takes.
fn item<'a>(reader: &mut Reader<'a>, own: Id, visit: &mut impl FnMut(Run<'a>)) -> Result<u64, UpdateFault> {
    let start = reader.at();
    let info = reader.byte()?;
    if matches!(info, kind::COLLECTED | kind::GAP) {
        return reader.length();
    }
    let left = if info & has::LEFT != 0 { Some(reader.id_before(own)?) } else { None };
    let right = if info & has::RIGHT != 0 { Some(reader.id_before(own)?) } else { None };
    let mut hangs_in = None;
    if info & (has::LEFT | has::RIGHT) == 0 {
        hangs_in = parent(reader, own)?;
        if info & has::KEY != 0 {
            reader.text()?;
        }
    }
    let kind = info & !(has::LEFT | has::RIGHT | has::KEY);
    let inside = reader.at();
    let length = content(reader, kind, start)?;
    let said = match kind {
        // What has a key is in a map.
        _ if info & has::KEY != 0 => None,
        kind::TEXT => Reader::new(reader.since(inside)).text().ok().map(Said::Text),
        kind::VALUES => {
            let mut values = Reader::new(reader.since(inside));
            values.count()?;
            Some(Said::Values(length, values.rest()))
        }
        kind::SHARED_TYPE => Some(Said::Shared),
        kind::DELETED => Some(Said::Deleted(length)),
        _ => None,
    };
    if let Some(said) = said {
        visit(Run { id: own, left, right, parent: hangs_in, said });
    }
    Ok(length)
}

/// What an item without neighbours hangs in: a root by its name, or a shared type by its id.
fn parent(reader: &mut Reader<'_>, own: Id) -> Result<Option<Id>, UpdateFault> {
    let start = reader.at();
    match reader.number()? {
        0 => reader.id_before(own).map(Some),
        1 => reader.text().map(|_| None),
        kind => Err(Offence::UnknownKind { what: "a parent", kind }.at(start)),
    }
}

/// What is in an item that began at `start`. Gives how many clocks it takes.
fn content(reader: &mut Reader<'_>, kind: u8, start: usize) -> Result<u64, UpdateFault> {
    match kind {
        kind::DELETED => return reader.number(),
        kind::TEXT => return Ok(reader.text()?.encode_utf16().count() as u64),
        kind::VALUES => {
            let count = reader.count()?;
            for _ in 0..count {
                reader.value()?;
            }
            return Ok(count);
        }
        kind::BINARY => reader.buffer().map(drop)?,
        kind::EMBED => reader.json()?,
        kind::FORMAT => {
            reader.text()?;
            reader.json()?;
        }
        kind::SHARED_TYPE => shared_type(reader)?,
        kind::SUBDOCUMENT => {
            reader.text()?;
            reader.value()?;
        }
        _ => return Err(Offence::UnknownKind { what: "an item", kind: kind.into() }.at(start)),
    }
    Ok(1)
}

fn shared_type(reader: &mut Reader<'_>) -> Result<(), UpdateFault> {
    let start = reader.at();
    match reader.byte()? {
        shared::ARRAY | shared::MAP | shared::TEXT | shared::XML_FRAGMENT | shared::XML_TEXT => Ok(()),
        shared::XML_ELEMENT => reader.text().map(drop),
        kind => Err(Offence::UnknownKind { what: "a shared type", kind: kind.into() }.at(start)),
    }
}

/// What has been deleted: for each client runs of clocks. Their clients come in any order: those of yrs ascend, those of
/// yjs descend.
fn deletions(reader: &mut Reader<'_>) -> Result<(), UpdateFault> {
    for _ in 0..reader.count()? {
        reader.number()?;
        for _ in 0..reader.count()? {
            let start = reader.at();
            let clock = reader.clock()?;
            let length = reader.length()?;
            end_of_run(clock, length, start)?;
        }
    }
    Ok(())
}

/// The clock after a run of that length.
fn end_of_run(clock: u64, length: u64, start: usize) -> Result<u64, UpdateFault> {
    clock.checked_add(length).filter(|&end| end <= MAX_CLOCK).ok_or(Offence::ClockTooLarge.at(start))
}

impl Offence {
    fn at(self, at: usize) -> UpdateFault {
        UpdateFault { at, offence: self }
    }
}

#[cfg(test)]
mod tests;
