//! The session: what the client knows of its server besides the tree.
//!
//! Connection and agent state, the dialect that the server speaks, whether a redo is possible and where it would lead,
//! and the one command that waits for its answer. Decides what may be asked (R2) and what an answer means (R8).
//!
//! Place in the flow: after `history`; the engine joins the two.

mod pending;
mod redo;
mod refusal;

pub use pending::{Asked, Pending, Ticket};
pub use redo::{CanRedo, RedoMirror};
pub use refusal::Refusal;

use crate::wire::{AgentState, Dialect};

/// Everything about the server that is not the tree.
#[derive(Debug, Default)]
pub struct Session {
    /// Whether the socket is open.
    pub live: bool,
    /// Whether a snapshot has come since it opened.
    pub greeted: bool,
    /// What the agent is doing.
    pub agent: AgentState,
    /// STOPPING was there at connect (R9).
    pub stale_stopping: bool,
    /// The dialect that the server speaks.
    pub dialect: Dialect,
    /// What the server announces; `None` when it announces nothing.
    pub capabilities: Option<Vec<String>>,
    /// Whether a redo is possible (R4).
    pub can_redo: CanRedo,
    /// Where it would lead (R5).
    pub redo: RedoMirror,
    /// The command in flight (R8).
    pub pending: Option<Pending>,
}

impl Session {
    /// Why no command at all could be sent now.
    fn blocked(&self) -> Option<Refusal> {
        if !self.live {
            Some(Refusal::Offline)
        } else if self.pending.is_some() {
            Some(Refusal::Pending)
        } else {
            None
        }
    }

    /// Whether a run is going on, as far as a command cares: a stale STOPPING hinders nobody (R9).
    fn is_busy(&self) -> bool {
        self.agent.is_busy() && !self.stale_stopping
    }

    fn supports(&self, capability: &str) -> bool {
        match &self.capabilities {
            Some(list) => list.iter().any(|known| known == capability),
            None => self.dialect.can_revert(),
        }
    }

    /// Whether a prompt may be sent (R2).
    pub fn can_prompt(&self) -> Result<(), Refusal> {
        self.blocked().or(self.is_busy().then_some(Refusal::Busy)).map_or(Ok(()), Err)
    }

    /// Whether a run can be stopped. Nobody asks an idle agent to stop: it would never leave STOPPING.
    pub fn can_stop(&self) -> Result<(), Refusal> {
        let refusal = match self.agent {
            AgentState::Generating => None,
            AgentState::Stopping => Some(Refusal::Busy),
            _ => Some(Refusal::NotRunning),
        };
        self.blocked().or(refusal).map_or(Ok(()), Err)
    }

    /// Whether a revert may be sent, whatever the turn (R2).
    pub fn can_revert(&self) -> Result<(), Refusal> {
        self.can_move("revert")
    }

    /// Whether a redo may be sent (R2, R4).
    pub fn can_redo(&self) -> Result<(), Refusal> {
        self.can_move("redo")?;
        match self.can_redo {
            CanRedo::No => Err(Refusal::NothingToRedo),
            CanRedo::Yes | CanRedo::Unknown => Ok(()),
        }
    }

    fn can_move(&self, capability: &str) -> Result<(), Refusal> {
        if !self.live {
            return Err(Refusal::Offline);
        }
        if !self.supports(capability) {
            return Err(Refusal::Unsupported);
        }
        self.blocked().or(self.is_busy().then_some(Refusal::Busy)).map_or(Ok(()), Err)
    }

    /// Whether the host should save the canvas by itself (R10).
    pub fn autosave(&self) -> bool {
        !(self.live && self.agent.is_busy())
    }

    /// The agent's state changed while the socket is open.
    pub fn set_agent(&mut self, agent: AgentState) {
        self.stale_stopping = self.stale_stopping && agent == AgentState::Stopping;
        self.agent = agent;
    }
}
