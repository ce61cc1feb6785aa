//! The protocol: server frames in, client commands out.
//!
//! One model inside, the dialects of real servers outside (SPEC "Protocol"). A frame is read in one pass over its text;
//! what is only stored (contents, tool inputs, unknown fields) is never decoded. A frame that makes no sense is a
//! [`FrameFault`], a step that makes none is a [`StepFault`] and leaves the rest of its frame in force (T9, X1).
//!
//! Place in the flow: first. Nothing here knows the tree or the session.

mod command;
mod contents;
mod dialect;
mod fault;
mod frame;
mod kept;
mod server_error;
mod step;

pub use command::{Command, PromptSource};
pub use contents::{ContentReader, Place};
pub use dialect::Dialect;
pub use fault::{FrameFault, StepFault};
pub use frame::{Frame, HeadChange, ServerFrame, Snapshot};
pub use server_error::ServerError;
pub use step::{Ending, ROOT_ID, Role, Usage, WireStep};

/// What the agent is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AgentState {
    /// Not there, not ready, or a word that this version does not know.
    #[default]
    Unavailable,
    /// At rest: a prompt, a revert or a redo is welcome.
    Available,
    /// A run is going on.
    Generating,
    /// A run was told to stop and has not ended yet.
    Stopping,
}

impl AgentState {
    /// Reads the word of a server, whatever its case.
    pub fn of(word: &str) -> Self {
        [Self::Available, Self::Generating, Self::Stopping]
            .into_iter()
            .find(|state| state.as_str().eq_ignore_ascii_case(word))
            .unwrap_or(Self::Unavailable)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "UNAVAILABLE",
            Self::Available => "AVAILABLE",
            Self::Generating => "GENERATING",
            Self::Stopping => "STOPPING",
        }
    }

    /// Whether a run is going on or being stopped.
    pub fn is_busy(self) -> bool {
        matches!(self, Self::Generating | Self::Stopping)
    }
}
