//! What a person asks for, and how it is settled (R1–R3, R8).

use super::{Authority, Engine, Failure, Outcome, Settled};
use crate::content::ContentIx;
use crate::content::merge::Conflict;
use crate::error::Error;
use crate::history::{StepIx, Tree};
use crate::session::{Asked, ManualEdits, Pending, Refusal, Ticket};
use crate::wire::{AgentState, Command, PromptSource, ServerError};

/// A command that needs no argument to be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandName {
    /// A new turn.
    Prompt,
    /// End the run.
    Stop,
    /// Take the latest revert back.
    Redo,
}

/// A command that moves HEAD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move<'t> {
    /// To before a turn.
    Revert(&'t str),
    /// Back from the latest revert.
    Redo,
    /// To a step.
    Checkout(&'t str),
    /// To before a step.
    RevertStep(&'t str),
}

impl Engine {
    /// Whether a command would be sent now, and if not, why (R2). Changes nothing.
    pub fn can(&self, command: CommandName) -> Result<(), Refusal> {
        match command {
            CommandName::Prompt => self.session.can_prompt(),
            CommandName::Stop => self.session.can_stop(),
            CommandName::Redo => self.session.can_redo(),
        }
    }

    /// Whether a revert of this turn would be sent now (R2). Changes nothing.
    pub fn can_revert(&mut self, turn_id: &str) -> Result<(), Refusal> {
        self.session.can_revert()?;
        self.before_turn(turn_id).map(drop)
    }

    /// Where a revert of a turn leads, and the step that says what was asked.
    fn before_turn(&mut self, turn_id: &str) -> Result<(StepIx, Option<StepIx>), Refusal> {
        let turn = self.history.tree().find_turn(turn_id).ok_or(Refusal::UnknownTurn)?;
        let found = self.history.turn_on_path(turn).map(|turn| (turn.first, turn.prompt_step));
        let (first, prompt) = found.ok_or(Refusal::NotOnPath)?;
        Ok((self.history.parent_or_root(first), prompt))
    }

    /// Asks for a new turn. Settled when its user step comes.
    pub fn prompt(
        &mut self,
        text: &str,
        source: PromptSource,
        now: f64,
    ) -> Result<(Ticket, Outcome), Refusal> {
        self.session.can_prompt()?;
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(Refusal::EmptyPrompt);
        }
        let asked = Asked::Prompt { text: trimmed.to_owned(), other_step: false };
        self.ask(Command::Prompt { content: text, source }, asked, ManualEdits::Overwrite, now)
    }

    /// Asks for the end of the run. Settled when the agent stops generating.
    pub fn stop(&mut self, now: f64) -> Result<(Ticket, Outcome), Refusal> {
        self.session.can_stop()?;
        self.ask(Command::Stop, Asked::Stop, ManualEdits::Overwrite, now)
    }

    /// Asks to go back to before a turn (R1). Settled when HEAD is there.
    pub fn revert(&mut self, turn_id: &str, now: f64) -> Result<(Ticket, Outcome), Refusal> {
        self.revert_with(turn_id, ManualEdits::Overwrite, now)
    }

    /// The same, with what becomes of edits by hand (P6).
    pub fn revert_with(
        &mut self,
        turn_id: &str,
        manual_edits: ManualEdits,
        now: f64,
    ) -> Result<(Ticket, Outcome), Refusal> {
        self.session.can_revert()?;
        let (leads_to, prompt) = self.before_turn(turn_id)?;
        let prompt = prompt.map(|step| self.said(step)).unwrap_or_default();
        let asked = Asked::Revert { leads_to, prompt };
        self.ask(Command::Revert { message_id: turn_id }, asked, manual_edits, now)
    }

    /// Whether a checkout of this step would be sent now (R1, R2). Changes nothing.
    pub fn can_checkout(&self, step_id: &str) -> Result<(), Refusal> {
        self.session.can_checkout()?;
        self.history.tree().get(step_id).map(drop).ok_or(Refusal::UnknownStep)
    }

    /// Asks for HEAD to move to a step, on the path or off it (R1). Settled when HEAD is there.
    pub fn checkout(
        &mut self,
        step_id: &str,
        manual_edits: ManualEdits,
        now: f64,
    ) -> Result<(Ticket, Outcome), Refusal> {
        self.session.can_checkout()?;
        let leads_to = self.history.tree().get(step_id).ok_or(Refusal::UnknownStep)?;
        self.ask(Command::Checkout { step_id }, Asked::Checkout { leads_to }, manual_edits, now)
    }

    /// Whether a revert of this step would be sent now (R1, R2). Changes nothing.
    pub fn can_revert_step(&self, step_id: &str) -> Result<(), Refusal> {
        self.session.can_checkout()?;
        self.before_step(step_id).map(drop)
    }

    /// Asks to go back to before a step on the path (R1). Settled when HEAD is there.
    pub fn revert_step(
        &mut self,
        step_id: &str,
        manual_edits: ManualEdits,
        now: f64,
    ) -> Result<(Ticket, Outcome), Refusal> {
        self.session.can_checkout()?;
        let leads_to = self.before_step(step_id)?;
        let id = self.history.tree().id(leads_to).to_owned();
        self.ask(Command::Checkout { step_id: &id }, Asked::Checkout { leads_to }, manual_edits, now)
    }

    /// Where a revert of a step leads.
    fn before_step(&self, step_id: &str) -> Result<StepIx, Refusal> {
        let step = self.history.tree().get(step_id).filter(|step| *step != Tree::ROOT);
        let step = step.ok_or(Refusal::UnknownStep)?;
        self.history.path().position(step).ok_or(Refusal::NotOnPath)?;
        Ok(self.history.parent_or_root(step))
    }

    /// Where HEAD would be after a command; `None` for a redo when nobody here saw the revert (R5). Whether it may be sent now is another
    /// question. Changes nothing.
    pub fn leads_to(&mut self, command: Move<'_>) -> Result<Option<StepIx>, Refusal> {
        Ok(match command {
            Move::Revert(turn) => Some(self.before_turn(turn)?.0),
            Move::Redo => self.session.redo_leads_to(),
            Move::Checkout(step) => Some(self.history.tree().get(step).ok_or(Refusal::UnknownStep)?),
            Move::RevertStep(step) => Some(self.before_step(step)?),
        })
    }

    /// What of the edits by hand stands against a move (P6). `on_canvas` is what a plain canvas shows. Changes nothing.
    pub fn edits_against(&mut self, to: Move<'_>, on_canvas: &str) -> Result<Vec<Conflict>, Error> {
        let to = self.leads_to(to)?;
        let mut target = to.and_then(|to| self.history.content_at(to));
        if to == Some(Tree::ROOT) {
            target = self.history.content_before_path().or(target);
        }
        self.against(target.ok_or(Refusal::ContentUnknown)?, on_canvas)
    }

    /// What of the edits by hand stands against HEAD's content.
    pub fn edits_against_head(&mut self, on_canvas: &str) -> Result<Vec<Conflict>, Error> {
        let content = self.content_of(None)?.ok_or(Refusal::ContentUnknown)?;
        self.against(content, on_canvas)
    }

    /// What the canvas shows. What was read of something that makes no sense is not kept.
    pub(super) fn on_canvas(&mut self, on_canvas: &str, near: Option<ContentIx>) -> Result<ContentIx, Error> {
        let shown = self.canvas.shown(&mut self.contents, on_canvas, near);
        if shown.is_err() {
            self.collect();
        }
        shown
    }

    fn against(&mut self, target: ContentIx, on_canvas: &str) -> Result<Vec<Conflict>, Error> {
        let head = self.history.content_at(self.history.head());
        let target = self.target(target)?;
        let before = head.and_then(|head| self.target(head).ok());
        let shown = self.on_canvas(on_canvas, before)?;
        Ok(self.canvas.conflicts(&mut self.contents, shown, target, before))
    }

    /// Asks to take the latest revert back (R3). Settled when HEAD is there.
    pub fn redo(&mut self, now: f64) -> Result<(Ticket, Outcome), Refusal> {
        self.redo_with(ManualEdits::Overwrite, now)
    }

    /// The same, with what becomes of edits by hand (P6).
    pub fn redo_with(&mut self, manual_edits: ManualEdits, now: f64) -> Result<(Ticket, Outcome), Refusal> {
        self.session.can_redo()?;
        let leads_to = self.session.redo_leads_to();
        self.ask(Command::Redo, Asked::Redo { leads_to }, manual_edits, now)
    }

    /// Puts a command on the wire, or decides about it.
    fn ask(
        &mut self,
        command: Command<'_>,
        asked: Asked,
        manual_edits: ManualEdits,
        now: f64,
    ) -> Result<(Ticket, Outcome), Refusal> {
        let text = match self.options.authority {
            Authority::Server => Some(command.to_text(self.session.dialect).ok_or(Refusal::Unsupported)?),
            Authority::Local => None,
        };
        self.now = now;
        self.last_ticket = self.last_ticket.wrapping_add(1);
        let ticket = self.last_ticket;
        self.session.pending = Some(Pending {
            ticket,
            asked: asked.clone(),
            due: now + self.options.command_timeout,
            head: self.history.head(),
            manual_edits,
            socket: self.session.sockets,
        });
        self.outcome.changed = true;
        match text {
            Some(text) => self.outcome.send.push(text),
            None => self.decide(&asked),
        }
        Ok((ticket, self.finish()))
    }

    /// The host could not send what the last command gave: nobody will answer it.
    pub fn not_sent(&mut self, ticket: Ticket, why: &str) -> Outcome {
        if self.session.pending.as_ref().is_some_and(|p| p.ticket == ticket) {
            self.fail("offline", &format!("The command could not be sent: {why}"));
        }
        self.finish()
    }

    /// Lets time-outs fall due (R8). `now` in ms since the epoch.
    pub fn tick(&mut self, now: f64) -> Outcome {
        self.now = now;
        self.outcome.changed |= self.session.gives_up_stopping(now, self.options.stopping_limit);
        if self.session.pending.as_ref().is_some_and(|pending| now >= pending.due) {
            self.session.gave_up();
            let message =
                "The agent service has not answered in time; what it does later will still be shown.";
            self.fail("timed_out", message);
        }
        self.finish()
    }

    fn settle(&mut self, failure: Option<Failure>) {
        let Some(pending) = self.session.pending.take() else { return };
        self.is_awaited |= failure.is_none() && !matches!(pending.asked, Asked::Prompt { .. } | Asked::Stop);
        let prompt = match pending.asked {
            Asked::Revert { prompt, .. } if failure.is_none() => Some(prompt),
            _ => None,
        };
        self.outcome.changed = true;
        let head_id = self.history.tree().id(self.history.head()).to_owned();
        self.outcome.settled.push(Settled { ticket: pending.ticket, failure, head_id, prompt });
    }

    fn done(&mut self) {
        self.settle(None);
    }

    fn fail(&mut self, code: &str, message: &str) {
        self.settle(Some(Failure { code: code.to_owned(), message: message.to_owned() }));
    }

    /// A user step that is new came: ours, when it says what we said.
    pub(super) fn user_step_came(&mut self, step: StepIx) {
        if !matches!(self.session.pending, Some(Pending { asked: Asked::Prompt { .. }, .. })) {
            return;
        }
        let said = self.said(step);
        if let Some(Pending { asked: Asked::Prompt { text, other_step }, .. }) = &mut self.session.pending {
            if said.trim() == text {
                self.done();
            } else {
                *other_step = true;
            }
        }
    }

    /// The agent's state came, changed or not.
    pub(super) fn agent_state_came(&mut self) {
        let agent = self.session.agent;
        let answered = match self.session.pending.as_ref().map(|pending| &pending.asked) {
            Some(Asked::Stop) => agent != AgentState::Generating,
            // A run came and went and no step says what we said: the server changed our words.
            Some(Asked::Prompt { other_step, .. }) => *other_step && !agent.is_busy(),
            _ => false,
        };
        if answered {
            self.done();
        }
    }

    /// HEAD moved without a new step. It answers our command when it is where that would have led; tells whether it does.
    pub(super) fn head_moved(&mut self, to: StepIx) -> bool {
        let answered = match self.session.pending.as_ref().map(|pending| &pending.asked) {
            Some(Asked::Revert { leads_to, .. } | Asked::Checkout { leads_to }) => *leads_to == to,
            // The server owns the stack: wherever its redo leads is right (R5).
            Some(Asked::Redo { .. }) => true,
            _ => false,
        };
        if answered {
            self.done();
        }
        answered
    }

    /// A snapshot came. It answers what it shows as done. A command that was sent on an earlier socket will have no
    /// other answer: HEAD tells what became of it (R6). `new_user_steps` came with it; `head_was_known` before it.
    pub(super) fn snapshot_came(&mut self, new_user_steps: &[StepIx], head_was_known: bool) {
        let head = self.history.head();
        let Some(pending) = &self.session.pending else { return };
        let is_lost = pending.socket != self.session.sockets;
        let is_there = match &pending.asked {
            // Where HEAD was before, a snapshot shows nothing as done, and the answer is still to come.
            Asked::Revert { leads_to, .. } | Asked::Checkout { leads_to } => {
                *leads_to == head && (is_lost || pending.head != head)
            }
            // A redo leads to a step that was there before.
            Asked::Redo { leads_to } => {
                leads_to.map_or(head != pending.head && head_was_known, |to| to == head)
            }
            Asked::Prompt { text, .. } => new_user_steps.iter().any(|step| self.said(*step).trim() == text),
            Asked::Stop => self.session.agent != AgentState::Generating,
        };
        if is_there {
            self.done();
        } else if is_lost {
            let message =
                "The connection was lost before the answer came, and the command was not carried out.";
            self.fail("lost", message);
        }
    }

    /// An error came: the answer to what is in flight if it can be, else a notice (R8).
    pub(super) fn error_came(&mut self, error: ServerError) {
        let pending = self.session.pending.as_ref();
        if pending.is_some_and(|pending| pending.asked.is_one_of(error.answers)) {
            self.fail(&error.code, &error.text);
            return;
        }
        match error.code.as_str() {
            "agent_not_found" => {
                self.notice("agent_not_found", "The server has no such agent any more.", None, None);
            }
            _ => {
                let message = format!("The agent service reports: {}", error.text);
                self.notice("server_error", message, None, None);
            }
        }
    }
}
