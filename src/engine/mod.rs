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
mod outcome;
mod retention;
mod stashes;
mod turn_view;
mod view;

use as_json::replay_json;
pub use as_json::{conflicts_json, faults_json};
pub use commands::{CommandName, Move};
pub use compare::{Comparison, MergePlan, Side};
pub use local::{Authority, TurnEnd};
pub use outcome::{Failure, Notice, Outcome, Settled};
pub use stashes::StashView;
pub use turn_view::TurnView;
pub use view::{StatsView, ViewHeader};

use local::Record;
use normal::{Normal, Showing};
use retention::Retention;
use stashes::Stashes;
use turn_view::TurnVersions;

use hashbrown::HashMap;

use crate::canvas::document::shape::Types;
use crate::canvas::document::{Author, Document, DocumentFault};
use crate::canvas::{Canvas, Plan, Policy, Surface};
use crate::content::{ContentIx, ContentStore, Schema};
use crate::history::{History, StepIx};
use crate::session::{ManualEdits, Refusal, Session, Ticket};

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

    /// A host binds a canvas (true) or takes it away (false).
    pub fn bind_canvas(&mut self, bound: bool) -> Outcome {
        self.canvas.bind(if bound { Surface::Plain } else { Surface::Unbound });
        self.take_waiting();
        self.outcome.changed = true;
        if let Some(content) = self.history.content_at(self.history.head()).filter(|_| bound) {
            self.show(content, Policy::IfUntouched, None);
        }
        self.finish()
    }

    /// A host binds a live document: `state` is all of it as one update, `client` names our writing in it, 53 bits that nobody
    /// else has or had, `types` is how it has shared types.
    pub fn bind_document(
        &mut self,
        client: u64,
        types: Types,
        state: &[u8],
    ) -> Result<Outcome, DocumentFault> {
        let mut document = Document::open(self.contents.schema(), types, client)?;
        document.apply_update(state)?;
        self.canvas.bind(Surface::Document(Box::new(document)));
        self.take_waiting();
        self.outcome.changed = true;
        if let Some(content) = self.history.content_at(self.history.head()) {
            self.show(content, Policy::IfUntouched, None);
        }
        Ok(self.finish())
    }

    /// Somebody else wrote to the document. When that says again what we have said, others have to be told what goes of it (P8), by
    /// [`Engine::replay`].
    pub fn apply_update(&mut self, update: &[u8], author: Author) -> Result<Outcome, DocumentFault> {
        if let Some(document) = self.canvas.document() {
            document.apply_update_of(update, author)?;
            self.outcome.look_at_canvas |= document.has_untold();
            self.outcome.changed |= self.canvas.touched();
        }
        Ok(self.finish())
    }

    /// What is on the live document, as text; `None` when none is bound or it is in a transaction.
    pub fn document_text(&mut self) -> Option<String> {
        let head = self.history.content_at(self.history.head());
        let content = self.canvas.document()?.content(&mut self.contents, head).ok()?;
        let text = self.contents.text(content);
        self.collect_if_due();
        text
    }

    /// The live document, to compare what each side has.
    pub fn document(&mut self) -> Option<&mut Document> {
        self.canvas.document()
    }

    /// Brings the live document to what was asked for, in one transaction (P1). Gives the update that tells it, when there is
    /// one, and whether anything was written.
    pub fn replay(&mut self) -> (Option<Vec<u8>>, Outcome) {
        if (self.canvas.is_wanted() || self.is_waiting_to_show())
            && let Some(document) = self.canvas.document()
        {
            // A fault is met again by the replay.
            document.before_replay().ok();
        }
        let (written, outcome) = self.bring_document();
        let update = match self.canvas.document() {
            Some(document) => document.tell(written),
            None => written,
        };
        (update, outcome)
    }

    fn bring_document(&mut self) -> (Option<Vec<u8>>, Outcome) {
        let (plan, outcome) = self.plan_canvas("");
        self.outcome = outcome;
        let Plan::Write(target) = plan else { return (None, self.finish()) };
        let Some(document) = self.canvas.document() else { return (None, self.finish()) };
        let edits = document.shown().map_or(Vec::new(), |shown| self.contents.diff(shown, target));
        match document.replay(&self.contents, &edits, target) {
            Ok(update) => {
                self.note_replay();
                if self.canvas.document().is_some_and(|document| document.is_changed()) {
                    self.canvas.touched();
                }
                (update, self.finish())
            }
            Err(fault) => {
                let outcome = self.canvas_failed(&fault.to_string());
                (None, outcome)
            }
        }
    }

    /// Asks for the canvas to become the content of HEAD (P14).
    pub fn sync_canvas(&mut self, manual_edits: ManualEdits) -> Result<Outcome, Refusal> {
        if !self.canvas.is_bound() {
            return Err(Refusal::CanvasUnbound);
        }
        let content = self.content_of(None)?.ok_or(Refusal::ContentUnknown)?;
        self.target(content)?;
        self.show(content, manual_edits.into(), None);
        self.is_awaited = true;
        Ok(self.finish())
    }

    /// Asks for the canvas to be compared with a content, and to become it if the policy says so. `before` is what it should have
    /// shown until now.
    fn show(&mut self, content: ContentIx, policy: Policy, before: Option<ContentIx>) {
        if !self.canvas.is_bound() {
            return;
        }
        if let Some(showing) = self.ready_to_show(Showing { content, policy, before }) {
            self.show_now(showing);
        }
    }

    fn show_now(&mut self, Showing { content, policy, before }: Showing) {
        let before = before.and_then(|before| self.target(before).ok());
        match self.target(content) {
            Ok(whole) => self.outcome.look_at_canvas |= self.canvas.want(whole, policy, before),
            Err(refusal) => {
                // What is on the canvas is not what HEAD has.
                self.canvas.leave_alone();
                let message = format!("The canvas was left alone: {refusal}.");
                self.notice(refusal.code(), message, None, None);
            }
        }
    }

    /// HEAD's content is not known: whatever is on the canvas stays.
    fn show_nothing(&mut self) {
        self.canvas.want_nothing();
        self.take_waiting();
    }

    /// What a canvas would become to show a content.
    fn target(&mut self, content: ContentIx) -> Result<ContentIx, Refusal> {
        if !self.contents.is_held(content) {
            return Err(Refusal::Evicted);
        }
        let content = self.normal_form(content)?;
        if self.options.validation == Validation::Strict {
            let is_whole = self.contents.validate(content).is_empty();
            return is_whole.then_some(content).ok_or(Refusal::InvalidContent);
        }
        Ok(self.whole(content))
    }

    /// A content as it can be put on a canvas (C7). Told when it is looked at first.
    fn whole(&mut self, content: ContentIx) -> ContentIx {
        if let Some(whole) = self.whole.get(&content) {
            return *whole;
        }
        let repaired = self.contents.repair(content);
        if let Some(first) = repaired.faults.first() {
            let (code, what) = match repaired.is_whole() {
                true => ("content_repaired", "was repaired on its way to the canvas"),
                false => ("content_faults", "is not whole, and not all of that could be repaired"),
            };
            let more = repaired.faults.len() - 1;
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            let path = format!("{}/{}", first.place.collection, first.place.id.trim_start_matches('\0'));
            self.notice(code, format!("The content {what}: {first}{more}"), None, Some(path));
        }
        self.whole.insert(content, repaired.content);
        repaired.content
    }

    /// Decides about the canvas, now that the host has read it. `Plan::Write` has to be followed by
    /// [`Engine::canvas_written`].
    pub fn plan_canvas(&mut self, on_canvas: &str) -> (Plan, Outcome) {
        let before = (self.canvas.differs(), self.canvas.manual_edits());
        for showing in self.take_waiting() {
            self.show_now(showing);
        }
        let plan = self.canvas.plan(&mut self.contents, on_canvas);
        // This was the look; what is to be put back besides has one of its own.
        self.outcome.look_at_canvas = self.canvas.is_wanted();
        match plan {
            // What was read of it before it made no sense.
            Plan::Unreadable => self.collect(),
            _ => self.collect_if_due(),
        }
        self.is_awaited &= matches!(plan, Plan::Write(_));
        match plan {
            Plan::LeaveAlone => self.notice(
                "canvas_differs",
                "The canvas does not show what HEAD has; it was left alone until syncCanvas is called.",
                None,
                None,
            ),
            Plan::Unreadable => self.notice(
                "canvas_unreadable",
                "What the canvas gave is not a JSON object; nothing was put on it.",
                None,
                None,
            ),
            Plan::Nothing | Plan::Write(_) => {}
        }
        self.tell_foreign();
        self.outcome.changed |= before != (self.canvas.differs(), self.canvas.manual_edits());
        (plan, self.finish())
    }

    /// The edits that the last plan wants on the canvas, as JSON text.
    pub fn planned_edits(&self) -> Option<String> {
        let (from, to) = self.canvas.planned()?;
        Some(self.comparison(from, to).to_json())
    }

    fn tell_foreign(&mut self) {
        let foreign = self.canvas.document().map(Document::take_foreign).unwrap_or_default();
        let Some(first) = foreign.first() else { return };
        let path = format!("{}/{}", first.collection, first.id);
        let what = match foreign.len() {
            1 => "Something on the canvas has".to_owned(),
            count => format!("{count} things on the canvas have"),
        };
        let message =
            format!("{what} a shape that no content has; what has no form in JSON was read as null.");
        self.notice("canvas_foreign", message, None, Some(path));
    }

    /// The host put on the canvas what the plan said.
    pub fn canvas_written(&mut self) -> Outcome {
        self.note_replay();
        self.finish()
    }

    fn note_replay(&mut self) {
        self.outcome.changed = true;
        let Some(replayed) = self.canvas.written(&mut self.contents) else { return };
        if let Some(wanted) = replayed.put_back {
            // It is there as a whole.
            let is_whole = wanted.manual_edits == ManualEdits::Overwrite || replayed.conflicts.is_empty();
            self.returned(wanted.stash, is_whole);
        }
        let stash = self.stash(&replayed);
        if let Some(stash) = &stash {
            let message = format!("What was edited by hand and is overwritten now is kept as {stash}.");
            self.notice("stashed", message, None, None);
        }
        if !std::mem::take(&mut self.is_awaited) {
            return;
        }
        let edits = self.comparison(replayed.from, replayed.to);
        self.outcome.replayed = Some(replay_json(&edits, &replayed.conflicts, stash.as_deref()));
    }

    /// The host could not put the content on the canvas.
    pub fn canvas_failed(&mut self, why: &str) -> Outcome {
        self.canvas.failed();
        let message = format!("The canvas could not be read or written: {why}");
        self.notice("canvas_failed", message, None, None);
        self.outcome.changed = true;
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
