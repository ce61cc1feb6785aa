//! Why a frame, or a step in it, was left out (T9, X1, X2).

use crate::content::JsonFault;

/// Why a frame was refused. The state is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameFault {
    /// The text is not JSON.
    #[error(transparent)]
    NotJson(#[from] JsonFault),
    /// JSON, but no object.
    #[error("a frame has to be an object")]
    NotAnObject,
    /// No `type`, and no `error` either.
    #[error("a frame has to have a `type`")]
    NoType,
    /// A type that this version does not know.
    #[error("`{0}` is a type of frame that this version does not know")]
    UnknownType(String),
    /// A field that the frame cannot do without is missing or holds something else.
    #[error("a `{frame}` frame has to have `{field}`: {expected}")]
    BadField {
        /// The type of the frame.
        frame: String,
        /// The field.
        field: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
}

impl FrameFault {
    /// Stable code of the notice that tells of it.
    pub fn code(&self) -> &'static str {
        match self {
            FrameFault::NotJson(_) => "frame_not_json",
            FrameFault::NotAnObject | FrameFault::NoType | FrameFault::BadField { .. } => "malformed_frame",
            FrameFault::UnknownType(_) => "unknown_frame",
        }
    }

    /// The field it is about.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            FrameFault::BadField { field, .. } => Some(field),
            FrameFault::NoType | FrameFault::UnknownType(_) => Some("type"),
            _ => None,
        }
    }
}

/// Why a step was refused (T9).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepFault {
    /// The step is not an object.
    #[error("a step has to be an object")]
    NotAnObject,
    /// A field that a step cannot do without is not there.
    #[error("a step has to have `{0}`")]
    Missing(&'static str),
    /// A field holds something else than it should.
    #[error("`{field}` has to be {expected}")]
    WrongType {
        /// The field.
        field: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// The step calls itself by the name of the root.
    #[error("`step-initial` is the root and cannot be a step")]
    IsRoot,
    /// A field of a recorded step that the engine gives itself.
    #[error("`{0}` is given by the engine and cannot be recorded")]
    Given(&'static str),
}

impl StepFault {
    /// The field that is wrong; `None` when it is the step as a whole.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            StepFault::NotAnObject => None,
            StepFault::Missing(field) | StepFault::Given(field) | StepFault::WrongType { field, .. } => {
                Some(field)
            }
            StepFault::IsRoot => Some("id"),
        }
    }
}
