//! What goes between the engine and the canvas: what should be on it, in which form, and what came of it (C7, P1–P15).
//!
//! Nothing is put on a canvas from here. A wish is noted and the host is told to look; then it is decided with what the canvas shows at that
//! moment, and the host, or the replica of a live document, does it.

use super::as_json::replay_json;
use super::normal::Showing;
use super::{Engine, Outcome, Validation};
use crate::canvas::document::shape::Types;
use crate::canvas::document::{Author, Document, DocumentFault};
use crate::canvas::{Plan, Policy, Surface};
use crate::content::ContentIx;
use crate::session::{ManualEdits, Refusal};

impl Engine {
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
    pub(super) fn show(&mut self, content: ContentIx, policy: Policy, before: Option<ContentIx>) {
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
    pub(super) fn show_nothing(&mut self) {
        self.canvas.want_nothing();
        self.take_waiting();
    }

    /// What a canvas would become to show a content.
    pub(super) fn target(&mut self, content: ContentIx) -> Result<ContentIx, Refusal> {
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
}
