//! What comes out of the engine. Every input gives one [`Outcome`]; the host does what it says, in the order of its
//! fields, after the call has returned.

use serde::Serialize;

use crate::session::Ticket;

/// What an input led to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// There is something else to see (T8: when false, the view is the same).
    pub changed: bool,
    /// Text frames to send.
    pub send: Vec<String>,
    /// The canvas has to be read and handed to [`super::Engine::plan_canvas`].
    pub look_at_canvas: bool,
    /// What was put on the canvas just now, as JSON text: {comparison, conflicts, stash?}.
    pub replayed: Option<String>,
    /// Commands that have their answer.
    pub settled: Vec<Settled>,
    /// Worth knowing.
    pub notices: Vec<Notice>,
}

impl Outcome {
    /// Whether there is nothing to do but, perhaps, to look again.
    pub fn is_quiet(&self) -> bool {
        self.send.is_empty()
            && !self.look_at_canvas
            && self.replayed.is_none()
            && self.settled.is_empty()
            && self.notices.is_empty()
    }
}

/// A command that has its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Settled {
    /// Which command.
    pub ticket: Ticket,
    /// Why it failed; `None` when it was done.
    pub failure: Option<Failure>,
    /// HEAD now.
    pub head_id: String,
    /// The prompt of the turn that was reverted (R13).
    pub prompt: Option<String>,
}

/// Why a command failed after it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Stable, machine-readable.
    pub code: String,
    /// A sentence for a person; the server's own words where it had some.
    pub message: String,
}

/// Something that is worth knowing and refuses nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Stable, machine-readable.
    pub code: &'static str,
    /// A sentence for a person.
    pub message: String,
    /// The step it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// Where in the frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}
