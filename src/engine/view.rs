//! What there is to see, as plain records.

use serde::Serialize;

use super::Engine;
use crate::content::Json;
use crate::content::json::unescaped;
use crate::content::scan::{ScanFault, Scanner};
use crate::history::{PathStatus, StepIx};
use crate::session::CanRedo;
use crate::wire::Usage;

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
    /// R16.
    pub needs_resync: bool,
    /// Number of visible steps.
    pub length: usize,
    /// R4; `None` = nobody knows.
    pub can_redo: Option<bool>,
    /// R5.
    pub redo_leads_to: Option<String>,
    /// R8.
    pub pending: Option<&'static str>,
    /// R2: why no turn at all can be reverted now.
    pub revert_refusal: Option<&'static str>,
    /// R10.
    pub autosave: bool,
    /// Whether a canvas is bound.
    pub canvas_bound: bool,
    /// Whether the canvas was seen to differ from HEAD's content.
    pub canvas_differs: bool,
    /// P6: how many entities were edited by hand since the agent last had something on the canvas.
    pub manual_edits: usize,
    /// P7: how many stashes there are.
    pub stashes: usize,
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

/// Sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatsView {
    /// Steps in the tree.
    pub steps: usize,
    /// Distinct contents held: snapshots of the document.
    pub snapshots: usize,
    /// Contents that steps refer to and that were let go to stay within the memory budget (C3).
    pub evicted: usize,
    /// Distinct entities that they consist of, and what lies between them.
    pub entities: usize,
    /// Bytes that all this takes.
    pub content_bytes: usize,
}

impl Engine {
    /// The present, without steps and turns. O(1), but for the first look after the path was made anew.
    pub fn view(&mut self) -> ViewHeader {
        self.look_again();
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
        let redo_turn = session.redo_leads_to().and_then(|step| tree.data(step));
        let is_known = self.history.content_at(head).is_some_and(|content| self.contents.is_held(content));
        let content_unknown = !is_known && (!tree.is_empty() || self.canvas.shows_ours());
        ViewHeader {
            live: session.is_live(),
            agent_state: session.agent.as_str(),
            stale_stopping: session.stale_stopping,
            head_id: id(head),
            path_status,
            path_at,
            diverged: self.history.diverged(),
            needs_resync: self.needs_resync(),
            length: self.history.path().len(),
            can_redo: match session.redo() {
                CanRedo::No => Some(false),
                CanRedo::Yes => Some(true),
                CanRedo::Unknown => None,
            },
            redo_leads_to: redo_turn.map(|data| tree.turn_name(data.turn).to_owned()),
            pending: session.pending.as_ref().map(|pending| pending.asked.name()),
            revert_refusal: session.can_revert().err().map(|refusal| refusal.code()),
            autosave: session.autosave(),
            canvas_bound: self.canvas.is_bound(),
            canvas_differs: self.canvas.differs() || content_unknown && self.canvas.is_bound(),
            manual_edits: self.canvas.manual_edits(),
            stashes: self.stashes.len(),
            content_unknown,
            path_usage,
            total_usage: tree.total_usage().into(),
            capabilities: session.capabilities.clone().unwrap_or_default(),
        }
    }

    /// Whether a document that somebody changed still shows what HEAD has.
    fn look_again(&mut self) {
        let head = self.history.content_at(self.history.head());
        if let Some(target) = head.and_then(|head| self.target(head).ok()) {
            self.canvas.refresh(&mut self.contents, target);
            self.collect_if_due();
        }
    }

    /// What a step says.
    pub(super) fn said(&self, step: StepIx) -> String {
        let text = self.history.tree().data(step).map_or("{}", |data| &data.text);
        let mut said = None;
        let walk = Scanner::new(text).members(|key, scanner| {
            let value = scanner.value()?;
            if unescaped(key) == "content" {
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
            snapshots: self.contents.len(),
            evicted: self.contents.evicted(),
            entities: self.contents.entities(),
            content_bytes: self.contents.bytes(),
        }
    }
}
