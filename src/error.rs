//! One error for the whole crate: what each layer refuses, with a stable code, a sentence and a place (X2).

use crate::canvas::document::DocumentFault;
use crate::content::JsonFault;
use crate::content::schema::SchemaFault;
use crate::session::Refusal;
use crate::wire::{FrameFault, StepFault};

/// Anything that was refused. The state is exactly what it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A command that was not sent.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A frame that makes no sense.
    #[error(transparent)]
    Frame(#[from] FrameFault),
    /// A schema that makes no sense.
    #[error(transparent)]
    Schema(#[from] SchemaFault),
    /// A content that is no JSON object.
    #[error(transparent)]
    Content(#[from] JsonFault),
    /// A live document that could not be read or written.
    #[error(transparent)]
    Document(#[from] DocumentFault),
    /// A step that makes no sense.
    #[error(transparent)]
    Step(#[from] StepFault),
}

impl Error {
    /// Stable, machine-readable; SPEC.md lists them all.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Refused(refusal) => refusal.code(),
            Error::Frame(fault) => fault.code(),
            Error::Schema(_) => "invalid_schema",
            Error::Content(_) => "invalid_content",
            Error::Document(fault) => fault.code(),
            Error::Step(_) => "malformed_step",
        }
    }

    /// The field it is about.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            Error::Frame(fault) => fault.field(),
            Error::Step(fault) => fault.field(),
            Error::Refused(_) | Error::Schema(_) | Error::Content(_) | Error::Document(_) => None,
        }
    }
}
