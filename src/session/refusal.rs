//! Why a command was not sent. The state is exactly what it was (R2, X2).

/// A typed "no".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A run is going on or being stopped.
    #[error("the agent is working; wait for it or stop it first")]
    Busy,
    /// The socket is closed, or no snapshot has come yet.
    #[error("there is no connection to the agent; try again when it is back")]
    Offline,
    /// An earlier command is unanswered.
    #[error("the last command has not been answered yet; wait for its answer")]
    Pending,
    /// No step carries this turn.
    #[error("there is no such turn; look the turn up in the view again")]
    UnknownTurn,
    /// A turn has this id already.
    #[error("there is a turn of this id already; ids are never used twice")]
    TurnTaken,
    /// No step has this id.
    #[error("there is no such step; look it up in the view again")]
    UnknownStep,
    /// The turn lies on a branch that is not on show.
    #[error("this turn is not on the path that is on show; only turns on it can be reverted")]
    NotOnPath,
    /// The server said that there is no revert to take back.
    #[error("there is no revert to take back")]
    NothingToRedo,
    /// No run to stop.
    #[error("the agent is not working, so there is nothing to stop")]
    NotRunning,
    /// A prompt without text.
    #[error("a prompt has to say something")]
    EmptyPrompt,
    /// The server has no word for it.
    #[error("this agent service cannot do that")]
    Unsupported,
    /// HEAD has no content that the engine knows.
    #[error("the content at HEAD is not known; it comes with the next change of the agent")]
    ContentUnknown,
    /// No stash has this name.
    #[error("there is no such stash; `stashes` lists them")]
    UnknownStash,
    /// Edits by hand stand against it.
    #[error(
        "edits made by hand on the canvas stand against it; keep them, overwrite them, or undo them first"
    )]
    ManualEdits,
    /// The content was let go to stay within the memory budget.
    #[error(
        "this content was let go to stay within memoryBudget; it comes back with the next reconnect, or raise the budget"
    )]
    Evicted,
    /// The content has faults, and none is let through.
    #[error("the content has faults, and `validation` is \"strict\"; `validate` lists them")]
    InvalidContent,
    /// The host has to complete a content first; the engine is asked again then.
    #[error("a content has to be completed first")]
    Unprepared,
    /// No canvas was bound.
    #[error("no canvas is bound; call bindCanvas first")]
    CanvasUnbound,
}

impl Refusal {
    /// Stable, machine-readable.
    pub fn code(self) -> &'static str {
        match self {
            Refusal::Busy => "busy",
            Refusal::Offline => "offline",
            Refusal::Pending => "pending",
            Refusal::TurnTaken => "turn_taken",
            Refusal::UnknownTurn => "unknown_turn",
            Refusal::UnknownStep => "unknown_step",
            Refusal::InvalidContent => "invalid_content",
            Refusal::NotOnPath => "not_on_path",
            Refusal::NothingToRedo => "nothing_to_redo",
            Refusal::NotRunning => "not_running",
            Refusal::EmptyPrompt => "empty_prompt",
            Refusal::Unsupported => "unsupported",
            Refusal::ContentUnknown => "content_unknown",
            Refusal::UnknownStash => "unknown_stash",
            Refusal::ManualEdits => "manual_edits",
            Refusal::Evicted => "evicted",
            Refusal::Unprepared => "unprepared",
            Refusal::CanvasUnbound => "canvas_unbound",
        }
    }
}
