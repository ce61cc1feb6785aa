//! The one command that waits for its answer (R8).

use crate::history::StepIx;

/// Names a command towards the one who gave it.
pub type Ticket = u32;

/// What becomes of edits by hand when a command changes the canvas (P6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ManualEdits {
    /// They are overwritten, and kept aside.
    #[default]
    Overwrite,
    /// They stay, but where the command did something to the same.
    Keep,
}

/// What was asked, with what its answer can be told by.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// A prompt: answered by a new user step of the same text.
    Prompt {
        /// What the user wrote, trimmed.
        text: String,
        /// Whether a user step of another text came in the meantime: the server may have changed ours.
        other_step: bool,
    },
    /// A stop: answered when the agent is no longer generating.
    Stop,
    /// A revert: answered when HEAD is at `leads_to`.
    Revert {
        /// The parent of the turn's first step.
        leads_to: StepIx,
        /// The turn's prompt, for the composer (R13).
        prompt: String,
    },
    /// A redo: answered when HEAD is at `leads_to`, or moves at all where nobody knows.
    Redo {
        /// The top of the mirror.
        leads_to: Option<StepIx>,
    },
    /// A checkout: answered when HEAD is at `leads_to`.
    Checkout {
        /// The step.
        leads_to: StepIx,
    },
}

impl Asked {
    /// Whether an error that speaks of these commands can be the answer.
    pub fn is_one_of(&self, commands: &[&str]) -> bool {
        commands.is_empty() || commands.contains(&self.name())
    }

    /// Where HEAD is when it is done, as far as anybody here knows.
    pub fn leads_to(&self) -> Option<StepIx> {
        match self {
            Asked::Revert { leads_to, .. } | Asked::Checkout { leads_to } => Some(*leads_to),
            Asked::Redo { leads_to } => *leads_to,
            Asked::Prompt { .. } | Asked::Stop => None,
        }
    }

    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Asked::Prompt { .. } => "prompt",
            Asked::Stop => "stop",
            Asked::Revert { .. } => "revert",
            Asked::Redo { .. } => "redo",
            Asked::Checkout { .. } => "checkout",
        }
    }
}

impl Pending {
    /// The steps that its answer is told by.
    pub fn steps(&self) -> Vec<StepIx> {
        self.asked.leads_to().into_iter().chain([self.head]).collect()
    }
}

/// A command in flight.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// Its name towards the one who gave it.
    pub ticket: Ticket,
    /// What was asked.
    pub asked: Asked,
    /// When it is given up, in ms since the epoch.
    pub due: f64,
    /// HEAD when it was asked.
    pub head: StepIx,
    /// What becomes of edits by hand when it is done.
    pub manual_edits: ManualEdits,
    /// The socket it was sent on, by number.
    pub socket: u32,
}
