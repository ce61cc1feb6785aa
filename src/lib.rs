//! **Headway**: the state engine behind an AI agent's turn history on a live canvas.
//!
//! An agent edits a person's document in turns. Headway knows the version tree of its steps and which of them are on
//! show from HEAD, keeps the contents that they left behind, follows the server that owns the tree, and says what has
//! to be on the canvas. It owns no socket, clock or canvas: text goes in, [`engine::Outcome`]s come out.
//!
//! The map of the house, in the direction in which data flows:
//!
//! | module | what it is for |
//! |---|---|
//! | [`wire`] | server frames in, client commands out; the dialects of real servers |
//! | [`content`] | the documents that steps leave behind: kept once, given back exactly, compared canonically |
//! | [`history`] | the tree of steps, HEAD, the visible path, the turns |
//! | [`session`] | connection, agent state, the command in flight, redo |
//! | [`canvas`] | what is on the canvas and whether to write |
//! | [`engine`] | the facade that joins them |
//! | [`error`] | what every layer refuses, with stable codes |
//! | `bindings` | wasm-bindgen shells; the only module that knows JavaScript |
//!
//! `SPEC.md` has the rules by id (T1, R3, …); the comments here cite them.

pub mod canvas;
pub mod content;
pub mod engine;
pub mod error;
pub mod history;
pub mod session;
mod sort;
pub mod wire;

#[cfg(target_arch = "wasm32")]
pub mod bindings;

pub use engine::{Engine, Notice, Options, Outcome};
pub use error::Error;
pub use session::Refusal;
