//! What there is to see, as plain records.

use serde::Serialize;

use super::Engine;
use crate::content::Json;
use crate::content::scan::{ScanFault, Scanner};
use crate::history::title::title;
use crate::history::{PathStatus, StepIx, Turn};
use crate::session::CanRedo;
use crate::wire::{Ending, Usage};

/// Everything about the present but the steps and turns themselves.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewHeader {
    /// Whether the socket is open.
    pub live: bool,
    /// What the agent is doing.
    pub agent_state: &'static str,
    /// R9.
    pub stale_stopping: bool,
    /// HEAD.
    pub head_id: String,
    /// T5: `ok`, `unknown_head`, `broken_parent`, `cycle`.
    pub path_status: &'static str,
    /// Where.
    pub path_at: Option<String>,
    /// T3.
    pub diverged: bool,
    /// Number of visible steps.
    pub length: usize,
    /// R4; `None` = nobody knows.
    pub can_redo: Option<bool>,
    /// R5.
    pub redo_leads_to: Option<String>,
    /// R8.
    pub pending: Option<&'static str>,
    /// R10.
    pub autosave: bool,
    /// Whether a canvas is bound.
    pub canvas_bound: bool,
    /// Whether the canvas was seen to differ from HEAD's content.
    pub canvas_differs: bool,
    /// R7.
    pub content_unknown: bool,
    /// Tokens on the path.
    pub path_usage: UsageView,
    /// Tokens of everything.
    pub total_usage: UsageView,
    /// What the server announces.
    pub capabilities: Vec<String>,
}

/// Token counts by the server's names.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageView {
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_tokens: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_input_tokens: Option<f64>,
}

impl From<Usage> for UsageView {
    fn from(usage: Usage) -> Self {
        let [input_tokens, output_tokens, total_tokens, cached_input_tokens] = usage.counts;
        UsageView { input_tokens, output_tokens, total_tokens, cached_input_tokens }
    }
}

/// One turn on the path (H1).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnView {
    /// Its name.
    pub id: String,
    /// The text of its user step.
    pub prompt: String,
    /// H3.
    pub title: String,
    /// Where HEAD goes when it is reverted.
    pub parent_id: String,
    /// Its first step.
    pub first_step: String,
    /// Its last step.
    pub last_step: String,
    /// Number of steps.
    pub steps: u32,
    /// Number of tool calls.
    pub tool_calls: u32,
    /// `running`, `done`, `stopped`, `failed`.
    pub ended: &'static str,
    /// Whether the content after it differs from the content before it.
    pub changed: bool,
    /// Why it cannot be reverted now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<&'static str>,
    /// Other turns that begin where it begins.
    pub branches: Vec<String>,
    /// Its tokens; `None` when no step told any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageView>,
    /// When its first step was made.
    pub started_at: f64,
    /// When its last step was made; `None` while it is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<f64>,
}

/// Sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatsView {
    /// Steps in the tree.
    pub steps: usize,
    /// Distinct contents held.
    pub contents: usize,
    /// Bytes of their text.
    pub content_bytes: usize,
}

impl Engine {
    /// The present, without steps and turns. O(1).
    pub fn view(&mut self) -> ViewHeader {
        let path_usage = self.history.path_usage().into();
        let tree = self.history.tree();
        let id = |step: StepIx| tree.id(step).to_owned();
        let (path_status, path_at) = match self.history.path().status() {
            PathStatus::Ok => ("ok", None),
            PathStatus::UnknownHead(at) => ("unknown_head", Some(id(at))),
            PathStatus::BrokenParent(at) => ("broken_parent", Some(id(at))),
            PathStatus::Cycle(at) => ("cycle", Some(id(at))),
        };
        let session = &self.session;
        let head = self.history.head();
        let redo_turn = session.redo.leads_to().and_then(|step| tree.data(step));
        ViewHeader {
            live: session.live,
            agent_state: session.agent.as_str(),
            stale_stopping: session.stale_stopping,
            head_id: id(head),
            path_status,
            path_at,
            diverged: self.history.diverged(),
            length: self.history.path().len(),
            can_redo: match session.can_redo {
                CanRedo::No => Some(false),
                CanRedo::Yes => Some(true),
                CanRedo::Unknown => None,
            },
            redo_leads_to: redo_turn.map(|data| tree.turn_name(data.turn).to_owned()),
            pending: session.pending.as_ref().map(|pending| pending.asked.name()),
            autosave: session.autosave(),
            canvas_bound: self.canvas.is_bound(),
            canvas_differs: self.canvas.differs(),
            content_unknown: self.history.content_at(head).is_none()
                && (!tree.is_empty() || self.canvas.shows_ours()),
            path_usage,
            total_usage: tree.total_usage().into(),
            capabilities: session.capabilities.clone().unwrap_or_default(),
        }
    }

    /// The turns on the path, oldest first (H1).
    pub fn turns(&mut self) -> Vec<TurnView> {
        let turns = self.history.turns().to_vec();
        let refusal = self.session.can_revert().err().map(|refusal| refusal.code());
        turns.iter().enumerate().map(|(index, turn)| self.turn_view(turn, index + 1, refusal)).collect()
    }

    fn turn_view(&mut self, turn: &Turn, number: usize, refusal: Option<&'static str>) -> TurnView {
        let parent = self.history.parent_or_root(turn.first);
        let prompt = turn.prompt_step.map(|step| self.said(step)).unwrap_or_default();
        let changed = self.turn_changed(turn, parent);
        let tree = self.history.tree();
        let id = |step: StepIx| tree.id(step).to_owned();
        let last = tree.data(turn.last);
        let is_running =
            self.session.agent.is_busy() && self.session.live && turn.last == self.history.head();
        let ended = match last.map(|data| data.ending) {
            Some(Ending::Done) => "done",
            Some(Ending::Stopped) => "stopped",
            Some(Ending::Failed) => "failed",
            _ if is_running => "running",
            // A run that left no last step was cut off.
            _ => "stopped",
        };
        let usage = turn.usage();
        let has_usage = usage.counts.iter().any(Option::is_some);
        TurnView {
            id: tree.turn_name(turn.turn).to_owned(),
            title: title(&prompt, number),
            prompt,
            parent_id: id(parent),
            first_step: id(turn.first),
            last_step: id(turn.last),
            steps: turn.steps,
            tool_calls: turn.tool_calls,
            ended,
            changed,
            refusal,
            branches: self.history.sibling_turns(turn, parent),
            usage: has_usage.then(|| usage.into()),
            started_at: tree.data(turn.first).map_or(0.0, |data| data.timestamp),
            ended_at: last.filter(|_| ended != "running").map(|data| data.timestamp),
        }
    }

    fn turn_changed(&mut self, turn: &Turn, parent: StepIx) -> bool {
        let first = self.history.tree().data(turn.first);
        let before = first.and_then(|data| data.before).or_else(|| self.history.content_at(parent));
        match (before, self.history.content_at(turn.last)) {
            (Some(before), Some(after)) => !self.contents.equal(before, after),
            _ => false,
        }
    }

    /// What a step says.
    pub(super) fn said(&self, step: StepIx) -> String {
        let text = self.history.tree().data(step).map_or("{}", |data| &data.text);
        let mut said = None;
        let walk = Scanner::new(text).members(|key, scanner| {
            let value = scanner.value()?;
            if key == "content" {
                said = Some(value);
            }
            Ok::<(), ScanFault>(())
        });
        walk.ok().and(said).and_then(Json::as_text).unwrap_or_default()
    }

    /// Sizes.
    pub fn stats(&self) -> StatsView {
        StatsView {
            steps: self.history.tree().len(),
            contents: self.contents.len(),
            content_bytes: self.contents.bytes(),
        }
    }
}
