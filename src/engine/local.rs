//! Local authority: no server owns the history, the engine decides (R14).
//!
//! The host says when a turn begins, what each step of its agent did, and how the turn ended. Each becomes a step as a server would have
//! sent it, and is taken in like one; a revert, a redo or a checkout is answered at once, as a server would have answered it. So every
//! rule about steps, turns, HEAD, contents and the canvas is the same, and exists once.

use super::{Engine, Outcome};
use crate::canvas::Policy;
use crate::content::{ContentIx, Json, JsonFault};
use crate::error::Error;
use crate::history::{StepIx, Tree};
use crate::session::{Asked, Refusal};
use crate::wire::{AgentState, HeadChange, PromptSource, WireStep};

/// Who owns the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Authority {
    /// A server: commands are put on the wire, HEAD moves when it says so.
    #[default]
    Server,
    /// The engine itself.
    Local,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd<'t> {
    /// The agent was done.
    Done,
    /// A person stopped it.
    Stopped,
    /// An error ended it: what it says.
    Failed(&'t str),
}

/// What has been recorded.
#[derive(Default)]
pub(super) struct Record {
    /// Steps and turns that were ever made: no name is given twice (H6).
    steps: u64,
    turns: u64,
    /// The turn that is going on.
    turn: Option<OpenTurn>,
}

struct OpenTurn {
    id: String,
    /// Steps that it has.
    length: u64,
    /// Its latest step of the agent.
    latest: Option<StepIx>,
}

/// What a person reads in the last step of a turn that was stopped; the same as with the servers in the wild (H1).
const STOPPED: &str = "Generation stopped by user.";

impl Engine {
    /// Only who decides itself can be told what happened.
    fn is_local(&self) -> Result<(), Refusal> {
        match self.options.authority {
            Authority::Local => Ok(()),
            Authority::Server => Err(Refusal::Unsupported),
        }
    }

    /// What there is before the first turn. Counts until then.
    pub fn begin_with(&mut self, content: &str) -> Result<Outcome, Error> {
        self.is_local()?;
        let content = self.content_of_text(content, None)?;
        self.history.tell_content(Tree::ROOT, content);
        if self.history.head() == Tree::ROOT {
            self.outcome.changed = true;
            self.show(content, Policy::IfUntouched, None);
        }
        Ok(self.finish())
    }

    /// A turn begins with what a person asked. Gives its name: `id`, or one that is new. Ends what could be redone (R3).
    pub fn begin_turn(
        &mut self,
        prompt: &str,
        source: PromptSource,
        id: Option<&str>,
        now: f64,
    ) -> Result<(String, Outcome), Refusal> {
        self.is_local()?;
        if self.record.turn.is_some() {
            return Err(Refusal::Busy);
        }
        if prompt.trim().is_empty() {
            return Err(Refusal::EmptyPrompt);
        }
        let id = match id {
            Some(id) if id.is_empty() || self.history.tree().find_turn(id).is_some() => {
                return Err(Refusal::TurnTaken);
            }
            Some(id) => id.to_owned(),
            None => self.new_turn_id(now),
        };
        self.now = now;
        self.session.set_agent(AgentState::Generating, self.history.head());
        self.record.turn = Some(OpenTurn { id: id.clone(), length: 0, latest: None });
        let source = if source == PromptSource::Feedback { "feedback" } else { "chat" };
        let said = format!("\"content\":{},\"messageSource\":\"{source}\"", quoted(prompt));
        self.add_step("user", (true, true), &said, None);
        Ok((id, self.finish()))
    }

    /// The agent of the host did something. `fields` is the JSON text of an object with what a step can have beside its names
    /// (`content`, `toolCalls`, `toolResults`, `usage`, …); `after` is the content that it left behind, if that is another one. Gives
    /// the name of the step.
    pub fn record_step(
        &mut self,
        fields: &str,
        after: Option<&str>,
        now: f64,
    ) -> Result<(String, Outcome), Error> {
        self.is_local()?;
        let Some(turn) = &self.record.turn else { return Err(Refusal::NotRunning.into()) };
        let is_first = turn.length == 1;
        // Judged before anything is kept of it.
        let said = WireStep::recordable(Json::check(fields)?)?;
        WireStep::from_text(&self.step_text("agent", (is_first, false), said), false)?;
        let head = self.history.content_at(self.history.head());
        let after = after.map(|after| self.content_of_text(after, head)).transpose()?;
        self.now = now;
        let step = self.add_step("agent", (is_first, false), said, after);
        let id = self.history.tree().id(step).to_owned();
        Ok((id, self.finish()))
    }

    /// The turn is over.
    pub fn end_turn(&mut self, how: TurnEnd<'_>, now: f64) -> Result<Outcome, Refusal> {
        self.is_local()?;
        let Some(OpenTurn { latest, .. }) = &self.record.turn else { return Err(Refusal::NotRunning) };
        let latest = *latest;
        self.now = now;
        match (how, latest) {
            (TurnEnd::Done, Some(step)) => self.mark_end(step),
            (TurnEnd::Done, None) => drop(self.add_step("agent", (true, true), "\"content\":\"\"", None)),
            (TurnEnd::Stopped, _) => self.notice_step(STOPPED),
            (TurnEnd::Failed(why), _) => self.notice_step(&format!("Error: {why}")),
        }
        self.record.turn = None;
        self.session.set_agent(AgentState::Available, self.history.head());
        self.outcome.changed = true;
        Ok(self.finish())
    }

    /// Answers a command as a server would: HEAD moves at once.
    pub(super) fn decide(&mut self, asked: &Asked) {
        let to = match asked {
            Asked::Revert { leads_to, .. } | Asked::Checkout { leads_to } => Some(*leads_to),
            Asked::Redo { leads_to } => *leads_to,
            Asked::Prompt { .. } | Asked::Stop => None,
        };
        let Some(to) = to else { return };
        let head_id = self.history.tree().id(to).to_owned();
        self.head_change(HeadChange { head_id, steps: Vec::new(), can_redo: true, content: None });
        self.session.redo_decided();
    }

    fn notice_step(&mut self, words: &str) {
        self.add_step("agent", (false, true), &format!("\"content\":{}", quoted(words)), None);
    }

    /// Says of a step that it was the last of its turn.
    fn mark_end(&mut self, step: StepIx) {
        let tree = self.history.tree();
        let Some(data) = tree.data(step) else { return };
        // Ours is the first, and inside of a string its quotes would be escaped.
        let text = data.text.replacen("\"isEnd\":false", "\"isEnd\":true", 1);
        let (before, after) = (data.before, data.after);
        let keep = self.options.keep_input_messages;
        if let Ok(told) = WireStep::from_text(&text, keep) {
            self.step(WireStep { before, after, ..told });
        }
    }

    /// Adds a step below HEAD. `said` are members of an object, as text.
    fn add_step(&mut self, role: &str, flags: (bool, bool), said: &str, after: Option<ContentIx>) -> StepIx {
        let text = self.step_text(role, flags, said);
        let keep = self.options.keep_input_messages;
        let head = self.history.head();
        // What it is made of has been judged.
        let Ok(step) = WireStep::from_text(&text, keep) else { return head };
        let before = self.history.content_at(head);
        self.step(WireStep { before, after: after.or(before), ..step });
        self.record.steps += 1;
        let head = self.history.head();
        if let Some(turn) = &mut self.record.turn {
            turn.length += 1;
            turn.latest = (role == "agent").then_some(head);
        }
        head
    }

    /// The next step as text, with the fields that a server gives it.
    fn step_text(&self, role: &str, (is_begin, is_end): (bool, bool), said: &str) -> String {
        let (turn, length) = self.record.turn.as_ref().map_or(("", 0), |turn| (&*turn.id, turn.length));
        let tree = self.history.tree();
        let id = self.new_name("step", self.record.steps, |id| tree.get(id).is_none());
        let comma = if said.is_empty() { "" } else { "," };
        format!(
            "{{\"id\":{},\"parentId\":{},\"messageId\":{},\"stepId\":{length},\"timestamp\":{},\"role\":\"{role}\",\
             \"isBegin\":{is_begin},\"isEnd\":{is_end}{comma}{said}}}",
            quoted(&id),
            quoted(tree.id(self.history.head())),
            quoted(turn),
            self.now,
        )
    }

    fn new_turn_id(&mut self, now: f64) -> String {
        self.now = now;
        let tree = self.history.tree();
        let id = self.new_name("turn", self.record.turns, |id| tree.find_turn(id).is_none());
        self.record.turns += 1;
        id
    }

    /// A name that nobody has: a number, and the time, so that it is another one after a restart, too.
    fn new_name(&self, what: &str, made: u64, is_free: impl Fn(&str) -> bool) -> String {
        let name = |number: u64| format!("{what}-{number}-{}", self.now.max(0.0) as u64);
        (made + 1..).map(name).find(|name| is_free(name)).unwrap_or_default()
    }

    fn content_of_text(&mut self, text: &str, near: Option<ContentIx>) -> Result<ContentIx, JsonFault> {
        let taken = self.contents.take_in(text, near);
        if taken.is_err() {
            // What was read of it before it made no sense.
            self.collect();
        }
        taken
    }
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    // A string can always be written.
    serde_json::to_string(text).unwrap_or_default()
}
