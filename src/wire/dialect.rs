//! The dialects that servers speak. Only names differ; the model is one.

/// Whose names the frames carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dialect {
    /// `init`, `step`, `state`, `complete`, `error`, `headChange`; commands `message` and `stop`.
    A,
    /// `snapshot`, `step`, `status`, `error`, `headChange`; commands `prompt` and `stop`.
    APrime,
    /// `WsServer…Event` frames without `canRedo`: no revert, no redo.
    B,
    /// B with `WsServerHeadChangeEvent` and `canRedo`, and the commands revert and redo. Assumed until a server speaks.
    #[default]
    C,
}

impl Dialect {
    /// The `type` of the prompt command.
    pub(super) fn prompt(self) -> &'static str {
        match self {
            Self::A => "message",
            Self::APrime => "prompt",
            Self::B | Self::C => "WsClientPromptCommand",
        }
    }

    /// The `type` of the stop command.
    pub(super) fn stop(self) -> &'static str {
        match self {
            Self::A | Self::APrime => "stop",
            Self::B | Self::C => "WsClientStopCommand",
        }
    }

    /// Whether the dialect has words for revert and redo.
    pub fn can_revert(self) -> bool {
        matches!(self, Self::C)
    }
}
