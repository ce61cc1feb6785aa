//! Whether a redo is possible, and where it would lead.

use crate::history::StepIx;

/// What the client may believe about redo (R4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CanRedo {
    /// No revert to take back.
    #[default]
    No,
    /// The server said so.
    Yes,
    /// The socket was lost since; the next snapshot tells.
    Unknown,
}

impl CanRedo {
    /// What a server says.
    pub fn told(by_server: bool) -> Self {
        if by_server { CanRedo::Yes } else { CanRedo::No }
    }
}

/// The HEADs that reverts left, as far as this client saw them leave: last in, first out (R5).
///
/// The server owns the stack. This copy says where a redo would lead, and is dropped as soon as the server contradicts
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedoMirror(Vec<StepIx>);

impl RedoMirror {
    /// HEAD after a redo; `None` when nobody here knows.
    pub fn leads_to(&self) -> Option<StepIx> {
        self.0.last().copied()
    }

    /// The HEADs that redos lead to, the nearest last.
    pub fn targets(&self) -> &[StepIx] {
        &self.0
    }

    /// Nothing is believed any more.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// HEAD moved without a new step, and the server says whether a redo is possible now. `went_back` = the new HEAD is
    /// an ancestor of the old one.
    pub fn follow(&mut self, from: StepIx, to: StepIx, went_back: bool, can_redo: bool) {
        if from == to {
            // Nothing moved; the word of the server below still counts.
        } else if self.leads_to() == Some(to) {
            self.0.pop();
        } else if went_back {
            self.0.push(from);
        } else {
            self.0.clear();
        }
        if !can_redo {
            self.0.clear();
        }
    }

    /// Drops the belief when a snapshot does not go on where we were (`goes_on`), shows no redo, or a tree without the steps.
    pub fn confirm(&mut self, goes_on: bool, can_redo: bool, is_known: impl Fn(StepIx) -> bool) {
        if !goes_on || !can_redo || !self.0.iter().all(|step| is_known(*step)) {
            self.0.clear();
        }
    }
}
