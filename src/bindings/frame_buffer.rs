//! Where a frame's bytes lie on their way in.
//!
//! JavaScript encodes a frame straight into this buffer (`TextEncoder.encodeInto`). The generated glue for `&str` copies
//! ASCII character by character instead and takes thrice the room for anything else; on a 9.3 MB snapshot it cost more
//! than everything that the engine does with it.

/// A buffer that is used again for frames of ordinary size and given back after a large one.
#[derive(Default)]
pub struct FrameBuffer(Vec<u8>);

/// A buffer up to this size stays.
const KEEP: usize = 1 << 20;

impl FrameBuffer {
    /// Grows to at least so many bytes and tells the address. What is in it stays; the address may change.
    pub fn room(&mut self, bytes: usize) -> usize {
        if self.0.len() < bytes {
            self.0.reserve_exact(bytes - self.0.len());
            self.0.resize(bytes, 0);
        }
        self.0.as_mut_ptr() as usize
    }

    /// The first bytes as text. An encoder never writes anything else; what is no text reads as no frame at all.
    pub fn text(&self, bytes: usize) -> &str {
        let bytes = self.0.get(..bytes).unwrap_or(&[]);
        simdutf8::basic::from_utf8(bytes).unwrap_or("")
    }

    /// Lets a large buffer go.
    pub fn give_back(&mut self) {
        if self.0.len() > KEEP {
            self.0 = Vec::new();
        }
    }
}
