//! Numbers, texts and plain values as lib0 writes them, read without recursion and without room of their own (X1).

use super::{MAX_CLOCK, MAX_DEPTH, MAX_NUMBER, Offence, UpdateFault};

/// A place in a document: the clock-th thing that a client made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id {
    /// Who.
    pub client: u64,
    /// The how-manieth.
    pub clock: u64,
}

/// Bytes, read from the front.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A list or an object in which values are still to come.
#[derive(Clone, Copy, Default)]
struct Open {
    left: u64,
    keyed: bool,
}

/// What the first byte of a plain value says.
pub(super) mod tag {
    pub const BUFFER: u8 = 116;
    pub const LIST: u8 = 117;
    pub const OBJECT: u8 = 118;
    pub const TEXT: u8 = 119;
    pub const TRUE: u8 = 120;
    pub const FALSE: u8 = 121;
    pub const BIGINT: u8 = 122;
    pub const FLOAT_64: u8 = 123;
    pub const FLOAT_32: u8 = 124;
    pub const INTEGER: u8 = 125;
    pub const NULL: u8 = 126;
    pub const UNDEFINED: u8 = 127;
}

/// Set in each byte of a number but the last.
const MORE: u8 = 0x80;
/// An integer is read into 64 bits: 6 of its first byte, 7 of each other.
const INTEGER_BYTES: usize = 9;

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What was read since a place.
    pub fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or(&[])
    }

    /// What is still to be read.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<(), UpdateFault> {
        if self.left() == 0 { Ok(()) } else { Err(Offence::Trailing.at(self.at)) }
    }

    pub fn byte(&mut self) -> Result<u8, UpdateFault> {
        let byte = self.bytes.get(self.at).ok_or(Offence::Truncated.at(self.at))?;
        self.at += 1;
        Ok(*byte)
    }

    /// A number without sign, 7 bits to the byte, the lowest first.
    pub fn number(&mut self) -> Result<u64, UpdateFault> {
        let start = self.at;
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & !MORE) << shift;
            shift += 7;
            if number > MAX_NUMBER || shift > 56 {
                return Err(Offence::NumberTooLarge.at(start));
            }
            if byte & MORE == 0 {
                return Ok(number);
            }
        }
    }

    /// How many things of at least one byte each follow.
    pub fn count(&mut self) -> Result<u64, UpdateFault> {
        let start = self.at;
        let count = self.number()?;
        if count > self.left() as u64 { Err(Offence::CountTooLarge(count).at(start)) } else { Ok(count) }
    }

    /// How long a run is that would not be there if it were empty.
    pub fn length(&mut self) -> Result<u64, UpdateFault> {
        let start = self.at;
        let length = self.number()?;
        if length == 0 { Err(Offence::Empty.at(start)) } else { Ok(length) }
    }

    pub fn clock(&mut self) -> Result<u64, UpdateFault> {
        let start = self.at;
        let clock = self.number()?;
        if clock > MAX_CLOCK { Err(Offence::ClockTooLarge.at(start)) } else { Ok(clock) }
    }

    pub fn id(&mut self) -> Result<Id, UpdateFault> {
        Ok(Id { client: self.number()?, clock: self.clock()? })
    }

    /// What the item `own` refers to: of its own client only something that was there before.
    pub fn id_before(&mut self, own: Id) -> Result<Id, UpdateFault> {
        let start = self.at;
        let id = self.id()?;
        if id.client == own.client && id.clock >= own.clock {
            return Err(Offence::LaterReference.at(start));
        }
        Ok(id)
    }

    /// Bytes behind their number.
    pub fn buffer(&mut self) -> Result<&'a [u8], UpdateFault> {
        let length = self.number()?;
        self.take(length)
    }

    pub fn text(&mut self) -> Result<&'a str, UpdateFault> {
        let bytes = self.buffer()?;
        let start = self.at - bytes.len();
        str::from_utf8(bytes).map_err(|error| Offence::NotUtf8.at(start + error.valid_up_to()))
    }

    /// A text that yrs will read as JSON: only how deep it nests is looked at.
    pub fn json(&mut self) -> Result<(), UpdateFault> {
        let text = self.text()?;
        let start = self.at - text.len();
        let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'[' | b'{' if depth == MAX_DEPTH => return Err(Offence::TooDeep.at(start + at)),
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Ok(())
    }

    /// A plain value with everything in it.
    pub fn value(&mut self) -> Result<(), UpdateFault> {
        match self.scalar_or_opening()? {
            Some(outermost) => self.rest_of(outermost),
            None => Ok(()),
        }
    }

    /// The values of a list or an object, whatever they hold.
    fn rest_of(&mut self, outermost: Open) -> Result<(), UpdateFault> {
        let mut around = [Open::default(); MAX_DEPTH - 1];
        let mut depth = 0;
        let mut open = outermost;
        loop {
            if open.left == 0 {
                let Some(outer) = around.get(..depth).and_then(<[Open]>::last) else {
                    return Ok(());
                };
                open = *outer;
                depth -= 1;
                continue;
            }
            open.left -= 1;
            if open.keyed {
                self.text()?;
            }
            let start = self.at;
            if let Some(inner) = self.scalar_or_opening()? {
                *around.get_mut(depth).ok_or(Offence::TooDeep.at(start))? = open;
                depth += 1;
                open = inner;
            }
        }
    }

    /// A value that holds no others, or the beginning of one that does.
    fn scalar_or_opening(&mut self) -> Result<Option<Open>, UpdateFault> {
        let start = self.at;
        match self.byte()? {
            tag::UNDEFINED | tag::NULL | tag::TRUE | tag::FALSE => {}
            tag::INTEGER => self.integer()?,
            tag::FLOAT_32 => self.take(4).map(drop)?,
            tag::FLOAT_64 | tag::BIGINT => self.take(8).map(drop)?,
            tag::TEXT => self.text().map(drop)?,
            tag::BUFFER => self.buffer().map(drop)?,
            tag::LIST => return Ok(Some(Open { left: self.count()?, keyed: false })),
            tag::OBJECT => return Ok(Some(Open { left: self.count()?, keyed: true })),
            kind => return Err(Offence::UnknownKind { what: "a value", kind: kind.into() }.at(start)),
        }
        Ok(None)
    }

    /// A number with a sign: 6 bits in its first byte.
    fn integer(&mut self) -> Result<(), UpdateFault> {
        let start = self.at;
        for _ in 0..INTEGER_BYTES {
            if self.byte()? & MORE == 0 {
                return Ok(());
            }
        }
        Err(Offence::NumberTooLarge.at(start))
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], UpdateFault> {
        let truncated = Offence::Truncated.at(self.bytes.len());
        let end =
            usize::try_from(count).ok().and_then(|count| self.at.checked_add(count)).ok_or(truncated)?;
        let taken = self.bytes.get(self.at..end).ok_or(truncated)?;
        self.at = end;
        Ok(taken)
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
}
