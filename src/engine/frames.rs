//! What a server frame does to the state.

use super::Engine;
use super::frame_contents::FrameContents;
use crate::canvas::Policy;
use crate::error::Error;
use crate::history::{Arrival, Change, StepData, StepIx, Tree};
use crate::session::Connection;
use crate::wire::{
    AgentState, Frame, HeadChange, ROOT_ID, Role, ServerError, ServerFrame, Snapshot, WireStep,
};

impl Engine {
    /// Takes in one text frame, exactly as it came. A frame that makes no sense is a notice and changes nothing (X1).
    pub fn receive(&mut self, text: &str) -> super::Outcome {
        let mut contents = FrameContents::new(&mut self.contents, &self.history);
        match Frame::read(text, &mut contents, self.options.keep_input_messages) {
            Ok(frame) => {
                let (before, was_torn) = (self.glance(), self.needs_resync());
                let has_leftovers = !frame.refused.is_empty();
                self.follow(frame);
                if !self.is_torn() {
                    self.session.fits_together();
                }
                self.outcome.changed |= self.glance() != before;
                if self.needs_resync() && !was_torn {
                    let message = "The history does not fit together; a reconnect brings a snapshot that tells where HEAD is.";
                    self.notice("resync_needed", message, None, None);
                }
                if has_leftovers {
                    self.collect();
                } else {
                    self.collect_if_due();
                }
                self.stay_within_budget();
            }
            Err(fault) => {
                self.left_out("frame", None, &fault.into(), None);
                self.collect();
            }
        }
        self.finish()
    }

    /// X2: what was left out, why, and where in the frame.
    fn left_out(&mut self, what: &str, id: Option<&str>, error: &Error, place: Option<&str>) {
        let path = match (place, error.field()) {
            (Some(place), Some(field)) => Some(format!("{place}.{field}")),
            (place, field) => place.or(field).map(str::to_owned),
        };
        self.notice(error.code(), format!("A {what} was left out: {error}."), id, path);
    }

    fn follow(&mut self, frame: Frame) {
        for (place, id, fault) in frame.refused {
            self.left_out("step", id.as_deref(), &fault.into(), Some(&place));
        }
        if self.session.connection == Connection::Unknown {
            // Somebody speaks, so somebody is there.
            self.session.opened();
        }
        if let Some(dialect) = frame.dialect {
            self.session.dialect = dialect;
        }
        match frame.says {
            ServerFrame::Snapshot(snapshot) => self.snapshot(snapshot),
            ServerFrame::Step(step) => self.step(step),
            ServerFrame::NoStep => {}
            ServerFrame::Status(state) => self.status(state),
            ServerFrame::HeadChange(head_change) => self.head_change(head_change),
            ServerFrame::Error(error) => self.server_error(error),
        }
    }

    /// Turns a wire step into what the tree keeps.
    fn keep(&mut self, step: &mut WireStep) -> StepData {
        StepData {
            turn: self.history.name_turn(&step.message_id),
            role: step.role,
            ending: step.ending,
            timestamp: step.timestamp,
            tool_calls: step.tool_calls,
            usage: step.usage.into(),
            before: step.before,
            after: step.after,
            text: std::mem::take(&mut step.text).into_boxed_str(),
        }
    }

    /// T10: a step that is known by its id and says something else about where it belongs.
    fn tell_of_update(&mut self, id: &str, change: Change) {
        if let Change::Updated { moved, regrouped, recast } = change {
            let named = [(moved, "parent"), (regrouped, "turn"), (recast, "role")];
            let fields: Vec<&str> = named.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
            if !fields.is_empty() {
                let message =
                    format!("A known step came with another {}; the latest counts.", fields.join(" and "));
                self.notice("step_rewritten", message, Some(id), None);
            }
        }
    }

    pub(super) fn step(&mut self, mut step: WireStep) {
        let (old_head, old_content) = (self.history.head(), self.history.content_at(self.history.head()));
        let head_was_lost = self.history.is_head_lost();
        let diverged = self.history.diverged();
        self.session.run_goes_on();
        let data = self.keep(&mut step);
        let before = data.before;
        let Arrival { step: ix, change, moved_head } =
            self.history.arrive(&step.id, step.parent_id.as_deref(), data);
        self.tell_of_update(&step.id, change);
        self.outcome.changed |= change != Change::Same;
        if change == Change::New && step.role == Role::User {
            // R3: a new question from anybody ends what could be redone.
            self.session.redo_ended();
            self.user_step_came(ix);
        }
        if self.history.diverged() && !diverged {
            let message = "A step joined the history away from HEAD; a reconnect will tell where HEAD is.";
            self.notice("diverged", message, Some(&step.id), None);
        }
        let goes_on = moved_head && !head_was_lost && self.history.tree().parent(ix) == Some(old_head);
        let Some(content) = self.history.content_at(self.history.head()) else {
            self.show_nothing();
            return;
        };
        let base = before.filter(|_| goes_on).or(old_content);
        if base == Some(content) && old_content == base {
            return;
        }
        let says_the_same = base.is_some_and(|base| self.contents.equal(base, content));
        let policy = match (says_the_same, moved_head) {
            // What HEAD has was not known before: what nobody edited since the agent last had something on it follows (P14).
            (true, _) if old_content.is_none() && self.canvas.shows_ours() => Policy::IfUntouched,
            // A step that only talks leaves the canvas alone, whatever a person did on it meanwhile.
            (true, _) => Policy::Look,
            // Nobody knows how HEAD came to be where it is.
            (false, true) if !goes_on => Policy::IfUntouched,
            // Its change is done to the canvas as it is (P13).
            (false, _) => Policy::Follow,
        };
        self.show(content, policy, base);
    }

    fn status(&mut self, state: AgentState) {
        self.session.set_agent(state, self.history.head());
        self.agent_state_came();
    }

    pub(super) fn head_change(&mut self, HeadChange { head_id, steps, can_redo, content }: HeadChange) {
        let from = self.history.head();
        let old_content = self.history.content_at(from);
        let manual_edits = self.session.pending.as_ref().map(|pending| pending.manual_edits);
        self.take_in_steps(steps);
        let to = self.history.name(&head_id);
        let went_back = to != from && self.history.is_above_head(to);
        // At the root no step tells what is there, but the turn that is taken back tells what it began with (R1, R7).
        let begun_with = self.history.content_before_path().filter(|_| to == Tree::ROOT && went_back);
        self.history.move_head(to);
        if let Some(content) = content.or(begun_with) {
            self.history.tell_content(to, content);
        }
        self.history.settle();
        self.session.redo_told(from, to, went_back, can_redo);
        if !self.history.tree().is_known(to) {
            let message = "HEAD moved to a step that never came; the last good path stays on show.";
            self.notice("unknown_head", message, Some(&head_id), None);
        }
        let answered = manual_edits.filter(|_| self.head_moved(to));
        let policy = match answered.or_else(|| self.session.late_answer(to)) {
            Some(manual_edits) => manual_edits.into(),
            // On a live document who asked writes what they want of everybody's edits, and nobody else takes any away (P6, P8).
            None if self.canvas.is_shared() => Policy::GiveWay,
            // What somebody else asked for, they did not ask for our edits.
            None => Policy::Exact,
        };
        match self.history.content_at(to) {
            // The canvas is compared even when HEAD's content is the same: a person may have edited it (P12).
            Some(content) => self.show(content, policy, old_content),
            None => self.show_nothing(),
        }
    }

    /// Adds steps that come in a bunch. Gives the last one, and the user's that are new.
    fn take_in_steps(&mut self, steps: Vec<WireStep>) -> (Option<StepIx>, Vec<StepIx>) {
        let (mut newest, mut new_user_steps) = (None, Vec::new());
        for mut step in steps {
            let data = self.keep(&mut step);
            let (ix, change) = self.history.put(&step.id, step.parent_id.as_deref(), data);
            newest = Some(ix);
            self.tell_of_update(&step.id, change);
            self.outcome.changed |= change != Change::Same;
            if change == Change::New && step.role == Role::User {
                new_user_steps.push(ix);
            }
        }
        (newest, new_user_steps)
    }

    fn snapshot(&mut self, snapshot: Snapshot) {
        let from = self.history.head();
        let at_connect = !std::mem::replace(&mut self.session.greeted, true);
        let head_id = snapshot.head_id.as_deref().unwrap_or(ROOT_ID);
        let head_was_known = self.history.tree().get(head_id).is_some();

        let (had, comes) = (self.history.tree().len(), snapshot.steps.len());
        self.history.begin_snapshot();
        let (newest, new_user_steps) = self.take_in_steps(snapshot.steps);
        // Nothing that was known comes again: the history was cleared, or the agent is another one of the same name (R6).
        let is_another = had > 0 && self.history.tree().len() - had == comes;
        let differs = self.history.end_snapshot(head_id, newest, &self.session.steps());
        let head = self.history.head();
        if let Some(content) = snapshot.content {
            self.history.tell_content(head, content);
        }

        let (session, tree) = (&mut self.session, self.history.tree());
        self.outcome.changed |= differs || snapshot.capabilities != session.capabilities;
        session.capabilities = snapshot.capabilities;
        session.agent_found(snapshot.state, at_connect);
        // A new question from anybody ended what could be redone; what can be redone now is something else (R3).
        let goes_on = head == from && new_user_steps.is_empty();
        session.redo_confirmed(goes_on, snapshot.can_redo, |step| tree.is_known(step));
        if self.history.is_head_lost() {
            let message =
                "The server's HEAD is a step that it did not send; the last good path stays on show.";
            self.notice("unknown_head", message, Some(head_id), None);
        } else if is_another {
            let message =
                "The server's history is another one now: nothing of what was known is in it any more.";
            self.notice("history_replaced", message, None, None);
        }
        self.snapshot_came(&new_user_steps, head_was_known);
        match self.history.content_at(head) {
            Some(content) => self.show(content, Policy::IfUntouched, None),
            None => self.show_nothing(),
        }
        if differs {
            self.collect();
        }
    }

    fn server_error(&mut self, error: ServerError) {
        match error.code.as_str() {
            "agent_not_found" => self.session.set_agent(AgentState::Unavailable, self.history.head()),
            // The server knows better than we do (R5).
            "nothing_to_redo" => self.session.redo_ended(),
            _ => {}
        }
        self.error_came(error);
    }
}
