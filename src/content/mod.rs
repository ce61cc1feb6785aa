//! Content: the documents that steps leave behind, kept and compared.
//!
//! A content comes in as JSON text and is given back as exactly that text (C1). Two contents are *equal* when their
//! canonical forms are (C2): the order of keys, the spelling of numbers and the escapes in strings do not matter, the
//! order of a list does. Nothing here builds a tree of values to keep, and nothing recurses.
//!
//! * [`json`]: text that is known to be JSON, and the tokens in it;
//! * [`scan`]: the one pass over a text that checks it and hands out its parts;
//! * [`canonical`]: the canonical form, and the comparison of two texts without making it where that can be avoided;
//! * [`store`]: each distinct text once, behind an integer handle.
//!
//! Place in the flow: `wire` hands over slices of a frame, `history` keeps the handles, `canvas` compares with what is
//! on the canvas now.

mod atom;
pub mod canonical;
mod decimal;
mod ingest;
mod interner;
pub mod json;
pub mod scan;
pub mod schema;
mod sequence;
pub mod store;

pub use ingest::begins_with;
pub use json::{Json, JsonFault};
pub use schema::Schema;
pub use store::{ContentIx, ContentStore};
