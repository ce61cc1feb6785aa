//! The session: what the client knows of its server besides the tree.
//!
//! Connection and agent state, the dialect that the server speaks, whether a redo is possible and where it would lead,
//! and the one command that waits for its answer. Decides what may be asked (R2) and what an answer means (R8).
//!
//! Place in the flow: after `history`; the engine joins the two.

mod pending;
mod redo;
mod refusal;

pub use pending::{Asked, ManualEdits, Pending, Ticket};
pub use redo::{CanRedo, RedoMirror};
pub use refusal::Refusal;

use crate::history::StepIx;
use crate::wire::{AgentState, Dialect};

/// Whether there is a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Connection {
    /// Nobody has said yet.
    #[default]
    Unknown,
    /// It is open.
    Live,
    /// It was lost.
    Lost,
}

/// Everything about the server that is not the tree.
#[derive(Debug, Default)]
pub struct Session {
    /// Whether the engine decides, and there is nobody to ask (R14).
    is_local: bool,
    /// Whether there is a socket.
    pub connection: Connection,
    /// Counts the sockets that were opened.
    pub sockets: u32,
    /// Whether a snapshot has come since the last one opened.
    pub greeted: bool,
    /// What the agent is doing.
    pub agent: AgentState,
    /// STOPPING was there at connect, or nothing has come of it for too long (R9).
    pub stale_stopping: bool,
    /// Since when nothing has come of STOPPING, in ms since the epoch, as far as anybody told the time.
    stopping_since: Option<f64>,
    /// HEAD when the run that is going on began; `None` when it began before we came.
    pub run_from: Option<StepIx>,
    /// The dialect that the server speaks.
    pub dialect: Dialect,
    /// What the server announces; `None` when it announces nothing.
    pub capabilities: Option<Vec<String>>,
    /// Whether a redo is possible (R4).
    can_redo: CanRedo,
    /// Where it would lead (R5).
    mirror: RedoMirror,
    /// The command in flight (R8).
    pub pending: Option<Pending>,
    /// Where the last command leads that was given up, and what should become of edits by hand then: its answer may still come (R8, P6).
    late: Option<(StepIx, ManualEdits)>,
    /// HEAD when a socket was opened anew for a history that did not fit together: as long as it does not, for the same one it is not asked again
    /// (R16).
    asked_again_at: Option<StepIx>,
}

impl Session {
    /// One that asks nobody: the engine decides (R14).
    pub fn local() -> Self {
        let can = ["revert", "redo", "checkout"].map(str::to_owned);
        Session {
            connection: Connection::Live,
            greeted: true,
            agent: AgentState::Available,
            capabilities: Some(can.to_vec()),
            is_local: true,
            ..Session::default()
        }
    }

    /// The steps that it remembers: their handles have to stay what they are.
    pub fn steps(&self) -> Vec<StepIx> {
        let pending = self.pending.iter().flat_map(Pending::steps);
        let late = self.late.map(|(leads_to, _)| leads_to);
        pending.chain(self.run_from).chain(late).chain(self.asked_again_at).collect()
    }

    /// Whether the socket is open.
    pub fn is_live(&self) -> bool {
        self.connection == Connection::Live
    }

    /// A socket opened; the one before is gone, whether anybody said so or not.
    pub fn opened(&mut self) {
        self.connection = Connection::Live;
        self.sockets = self.sockets.wrapping_add(1);
        self.greeted = false;
    }

    /// Whether only a new snapshot can tell where things are, and has not been asked for yet (R16). `is_torn` says that the history does not
    /// fit together. While a run is going on, the steps that are missing may still come.
    pub fn needs_resync(&self, is_torn: bool, head: StepIx) -> bool {
        is_torn && self.is_live() && self.greeted && !self.is_running() && self.asked_again_at != Some(head)
    }

    /// A socket is opened: what was asked of the one before.
    pub fn ask_again(&mut self, is_torn: bool, head: StepIx) {
        self.asked_again_at = is_torn.then_some(head);
    }

    /// The history fits together: when it is torn once more, that is another matter.
    pub fn fits_together(&mut self) {
        self.asked_again_at = None;
    }

    /// The socket was lost: nothing is certain about redo any more (R4).
    pub fn lost(&mut self) {
        self.connection = Connection::Lost;
        self.greeted = false;
        self.stale_stopping = false;
        self.stopping_since = None;
        self.can_redo = CanRedo::Unknown;
    }

    /// Whether a redo is possible.
    pub fn redo(&self) -> CanRedo {
        self.can_redo
    }

    /// HEAD after a redo; `None` when nobody here knows.
    pub fn redo_leads_to(&self) -> Option<StepIx> {
        self.mirror.leads_to()
    }

    /// The HEADs that redos lead to, as far as anybody here knows.
    pub fn redo_targets(&self) -> &[StepIx] {
        self.mirror.targets()
    }

    /// Nothing can be redone any more: somebody asked a new question, or the server says so (R3, R5).
    pub fn redo_ended(&mut self) {
        self.can_redo = CanRedo::No;
        self.mirror.clear();
    }

    /// HEAD moved without a new step, and the server says whether a redo is possible now (R4, R5). `went_back` = the new
    /// HEAD is an ancestor of the old one.
    pub fn redo_told(&mut self, from: StepIx, to: StepIx, went_back: bool, can_redo: bool) {
        self.mirror.follow(from, to, went_back, can_redo);
        self.can_redo = CanRedo::told(can_redo);
    }

    /// HEAD moved as we decided: what is remembered is all that there is to redo (R14).
    pub fn redo_decided(&mut self) {
        self.can_redo = CanRedo::told(self.mirror.leads_to().is_some());
    }

    /// A snapshot says whether a redo is possible; what we believe of it is kept if it fits (R4, R5). `goes_on` = HEAD is where it was, and
    /// nobody has asked anything new.
    pub fn redo_confirmed(&mut self, goes_on: bool, can_redo: bool, is_known: impl Fn(StepIx) -> bool) {
        self.mirror.confirm(goes_on, can_redo, is_known);
        self.can_redo = CanRedo::told(can_redo);
    }

    /// The command in flight is given up.
    pub fn gave_up(&mut self) {
        let pending = self.pending.as_ref();
        self.late = pending.and_then(|pending| Some((pending.asked.leads_to()?, pending.manual_edits)));
    }

    /// HEAD moved: what should become of edits by hand if that is what was asked for and given up (P6).
    pub fn late_answer(&mut self, to: StepIx) -> Option<ManualEdits> {
        self.late.take().filter(|(leads_to, _)| *leads_to == to).map(|(_, manual_edits)| manual_edits)
    }

    /// Why no command at all could be sent now.
    fn blocked(&self) -> Option<Refusal> {
        if !self.is_live() {
            Some(Refusal::Offline)
        } else if self.pending.is_some() {
            Some(Refusal::Pending)
        } else {
            None
        }
    }

    /// Whether a run is going on on a live socket. A STOPPING that is stale is none (R9).
    pub fn is_running(&self) -> bool {
        self.is_live() && self.agent.is_busy() && !self.stale_stopping
    }

    fn supports(&self, capability: &str) -> bool {
        match &self.capabilities {
            Some(list) => list.iter().any(|known| known == capability),
            // Who announces nothing knows what the dialect has words for.
            None => self.dialect.can_revert() && matches!(capability, "revert" | "redo"),
        }
    }

    /// Whether a prompt may be sent (R2).
    pub fn can_prompt(&self) -> Result<(), Refusal> {
        if self.is_local {
            return Err(Refusal::Unsupported);
        }
        self.blocked().or(self.is_running().then_some(Refusal::Busy)).map_or(Ok(()), Err)
    }

    /// Whether a run can be stopped. Nobody asks an idle agent to stop: it would never leave STOPPING.
    pub fn can_stop(&self) -> Result<(), Refusal> {
        if self.is_local {
            return Err(Refusal::Unsupported);
        }
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

    /// Whether a checkout may be sent, whatever the step (R1, R2).
    pub fn can_checkout(&self) -> Result<(), Refusal> {
        self.can_move("checkout")
    }

    fn can_move(&self, capability: &str) -> Result<(), Refusal> {
        if !self.is_live() {
            return Err(Refusal::Offline);
        }
        if !self.supports(capability) {
            return Err(Refusal::Unsupported);
        }
        self.blocked().or(self.is_running().then_some(Refusal::Busy)).map_or(Ok(()), Err)
    }

    /// Whether the host should save the canvas by itself (R10).
    pub fn autosave(&self) -> bool {
        !self.is_running()
    }

    /// The agent's state changed while the socket is open. `head` is HEAD.
    pub fn set_agent(&mut self, agent: AgentState, head: StepIx) {
        if agent.is_busy() && !self.agent.is_busy() {
            self.run_from = Some(head);
        }
        self.stale_stopping = self.stale_stopping && agent == AgentState::Stopping;
        self.stopping_since = None;
        self.agent = agent;
    }

    /// A step came: whatever is being stopped is still going on (R9).
    pub fn run_goes_on(&mut self) {
        self.stopping_since = None;
    }

    /// Gives STOPPING up when nothing has come of it for so long (R9). Tells whether it did.
    pub fn gives_up_stopping(&mut self, now: f64, limit: f64) -> bool {
        if !self.is_live() || self.agent != AgentState::Stopping || self.stale_stopping {
            return false;
        }
        let since = *self.stopping_since.get_or_insert(now);
        self.stale_stopping = now - since >= limit;
        self.stale_stopping
    }

    /// A snapshot says what the agent is doing. A run that is going on began before it.
    pub fn agent_found(&mut self, agent: AgentState, at_connect: bool) {
        let is_stopping = agent == AgentState::Stopping;
        self.stale_stopping = is_stopping && (at_connect || self.stale_stopping);
        if at_connect || !self.agent.is_busy() {
            self.run_from = None;
        }
        self.agent = agent;
    }
}
