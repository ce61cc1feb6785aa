//! Content: the documents that steps leave behind, kept and compared.
//!
//! A content comes in as JSON text and is given back as exactly that text (C1). Two contents are *equal* when their
//! canonical forms are (C2): the order of keys, the spelling of numbers and the escapes in strings do not matter, the
//! order of a list does. Nothing here builds a tree of values to keep, and nothing recurses.
//!
//! * [`json`]: text that is known to be JSON, and the tokens in it;
//! * [`scan`]: the one pass over a text that checks it and hands out its parts;
//! * [`canonical`]: the canonical form, and the comparison of two texts without making it where that can be avoided;
//! * [`schema`]: what a document consists of, as data;
//! * [`store`]: every entity once, a content as a few handles; how a text is taken in along what is known; what is kept;
//! * [`diff`], [`edit`], [`apply`]: the edits between two contents, their laws, and what they lead to (`draft`, `group`: the content on
//!   its way there);
//! * [`merge`]: what two sides made of a base, together, and where they disagree;
//! * [`field`], [`align`], [`splice`]: the same inside of one value (`forms`: what values say, as numbers; `alike`: which items of a list belong together; `outline`, `ranks`:
//!   where things lie in a text, and in a list that changes).
//!
//! Place in the flow: `wire` hands over slices of a frame, `history` keeps the handles, `canvas` compares with what is
//! on the canvas now.

pub mod align;
mod alike;
pub mod apply;
mod atom;
pub mod canonical;
mod collect;
mod decimal;
pub mod describe;
pub mod diff;
mod draft;
pub mod edit;
pub mod field;
mod forms;
mod group;
mod ingest;
mod interner;
pub mod json;
pub mod merge;
mod outline;
mod ranks;
pub mod revise;
pub mod scan;
pub mod schema;
mod sequence;
pub mod splice;
pub mod store;
pub mod validate;

pub use ingest::begins_with;
pub use json::{Json, JsonFault};
pub use schema::Schema;
pub use store::{ContentIx, ContentStore};
