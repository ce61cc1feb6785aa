//! The engine: everything joined, sans-IO.
//!
//! It owns no socket, clock, timer or canvas. Inputs are method calls (a frame's text, a command, the time, the state
//! of the socket, what is on the canvas); each gives an [`Outcome`] that says what the host has to do. The same inputs
//! give the same outcomes, always.
//!
//! * [`frames`]: what a server frame does;
//! * [`commands`]: what a person asks for, and how it is settled;
//! * [`compare`]: the edits between two contents, merges, faults; [`as_json`]: how they are handed out;
//! * [`local`]: what the engine decides itself;
//! * [`normal`]: contents as the host completes them;
//! * [`on_canvas`]: what is put on the canvas, and how it is decided;
//! * [`retention`]: which contents are kept; [`stashes`]: what was overwritten of edits by hand;
//! * [`view`]: what there is to see;
//! * [`outcome`]: what there is to do.

mod as_json;
mod commands;
mod compare;
mod frame_contents;
mod frames;
mod local;
mod normal;
mod on_canvas;
mod outcome;
mod retention;
mod stashes;
mod turn_view;
mod view;

pub use as_json::{conflicts_json, faults_json};
pub use commands::{CommandName, Move};
pub use compare::{Comparison, MergePlan, Side};
pub use local::{Authority, TurnEnd};
pub use outcome::{Failure, Notice, Outcome, Settled};
pub use stashes::StashView;
pub use turn_view::TurnView;
pub use view::{StatsView, ViewHeader};

use local::Record;
use normal::Normal;
use retention::Retention;
use stashes::Stashes;
use turn_view::TurnVersions;

use hashbrown::HashMap;

use crate::canvas::Canvas;
use crate::content::{ContentIx, ContentStore, Schema};
use crate::history::{History, StepIx};
use crate::session::{Refusal, Session, Ticket};

/// What becomes of a content with faults on its way to the canvas (C7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Validation {
    /// It is repaired as far as no guess is needed, and what was done is told.
    #[default]
    Repair,
    /// It is not put there, and the faults are told.
    Strict,
}

/// How an engine is set up.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Who owns the history.
    pub authority: Authority,
    /// What the document consists of.
    pub schema: Schema,
    /// How long a command may stay unanswered, in ms (R8).
    pub command_timeout: f64,
    /// How long nothing may come of STOPPING before it is taken for stale, in ms (R9).
    pub stopping_limit: f64,
    /// Keep the `inputMessages` of steps.
    pub keep_input_messages: bool,
    /// How many bytes the contents may take before those of abandoned branches are let go, the oldest first (C3).
    pub memory_budget: usize,
    /// What becomes of contents with faults.
    pub validation: Validation,
    /// Whether the host completes contents before they meet the canvas (P15).
    pub normalizes: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            authority: Authority::Server,
            schema: Schema::default(),
            command_timeout: 30_000.0,
            stopping_limit: 60_000.0,
            keep_input_messages: false,
            memory_budget: 256 << 20,
            validation: Validation::Repair,
            normalizes: false,
        }
    }
}

/// The state engine of one agent's history.
#[derive(Default)]
pub struct Engine {
    options: Options,
    history: History,
    contents: ContentStore,
    session: Session,
    canvas: Canvas,
    last_ticket: Ticket,
    record: Record,
    turn_versions: TurnVersions,
    /// What contents are once they are repaired, as far as somebody asked.
    whole: HashMap<ContentIx, ContentIx>,
    normal: Normal,
    retention: Retention,
    stashes: Stashes,
    /// Somebody waits to be told what the next replay did. To put that into words takes longer than the replay.
    is_awaited: bool,
    /// The time that was last told, in ms since the epoch.
    now: f64,
    outcome: Outcome,
}

impl Engine {
    /// An engine that knows nothing yet.
    pub fn new(options: Options) -> Self {
        let contents = ContentStore::new(options.schema.clone());
        let session = match options.authority {
            Authority::Server => Session::default(),
            Authority::Local => Session::local(),
        };
        Engine { options, contents, session, ..Engine::default() }
    }

    fn finish(&mut self) -> Outcome {
        std::mem::take(&mut self.outcome)
    }

    /// What of the view does not depend on the steps and turns themselves: when this is the same and no step changed,
    /// the view is the same (T8).
    fn glance(&self) -> impl PartialEq + use<> {
        let (history, session) = (&self.history, &self.session);
        let path = (history.head(), history.path().status(), history.diverged(), self.needs_resync());
        let agent = (session.connection, session.agent, session.stale_stopping, session.dialect);
        let redo = (session.redo(), session.redo_leads_to());
        let pending = session.pending.as_ref().map(|pending| pending.ticket);
        (path, agent, redo, pending, history.content_at(history.head()))
    }

    fn notice(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        step: Option<&str>,
        path: Option<String>,
    ) {
        self.outcome.notices.push(Notice {
            code,
            message: message.into(),
            step_id: step.map(str::to_owned),
            path,
        });
    }

    /// How long nothing may come of STOPPING, in ms (R9).
    pub fn set_stopping_limit(&mut self, limit: f64) {
        self.options.stopping_limit = limit;
    }

    /// Tells the time, in ms since the epoch.
    pub fn time_is(&mut self, now: f64) {
        self.now = now;
    }

    /// The socket opened. The snapshot that follows tells everything else.
    pub fn connected(&mut self) -> Outcome {
        self.outcome.changed = !self.session.is_live() || self.needs_resync();
        self.session.ask_again(self.is_torn(), self.history.head());
        self.session.opened();
        self.finish()
    }

    /// Whether the history does not fit together, so that only a server can tell where HEAD is (R16).
    fn is_torn(&self) -> bool {
        self.history.diverged() || self.history.is_head_lost()
    }

    /// Whether a new snapshot has to be asked for, by a new socket (R16).
    pub fn needs_resync(&self) -> bool {
        self.session.needs_resync(self.is_torn(), self.history.head())
    }

    /// The socket was lost. What is known stays on show; a command in flight waits for the next snapshot (R6).
    pub fn disconnected(&mut self) -> Outcome {
        let before = self.glance();
        self.session.lost();
        self.outcome.changed = self.glance() != before;
        self.finish()
    }

    /// The text of a content, exactly as it came (C1).
    pub fn content_text(&self, content: ContentIx) -> Option<String> {
        self.contents.text(content)
    }

    /// The content at a step, or at HEAD (R7); `None` when none is known there or it was evicted, which
    /// [`Engine::content_of`] tells apart.
    pub fn content(&self, at: Option<&str>) -> Option<String> {
        self.contents.text(self.content_of(at).ok()??)
    }

    /// The content at a step, or at HEAD (R7), by its handle. [`Refusal::Evicted`] when it was let go (C3).
    pub fn content_of(&self, at: Option<&str>) -> Result<Option<ContentIx>, Refusal> {
        let step = match at {
            Some(id) => self.history.tree().get(id),
            None => Some(self.history.head()),
        };
        self.held_at(step)
    }

    fn held_at(&self, step: Option<StepIx>) -> Result<Option<ContentIx>, Refusal> {
        match step.and_then(|step| self.history.content_at(step)) {
            Some(content) if !self.contents.is_held(content) => Err(Refusal::Evicted),
            content => Ok(content),
        }
    }

    /// The history, to look at.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The session, to look at.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// First position of the path that may have changed since this was last asked.
    pub fn take_changed_from(&mut self) -> usize {
        self.history.take_changed_from()
    }

    /// Whether a step changed the content, canonically (C2).
    pub fn step_changed(&mut self, step: StepIx) -> bool {
        let tree = self.history.tree();
        let after = tree.data(step).and_then(|data| data.after);
        match (tree.content_before(step), after) {
            (Some(before), Some(after)) => !self.contents.equal(before, after),
            _ => false,
        }
    }
}
