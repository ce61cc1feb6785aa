//! The turns on the path as records (H1), and which of them are new.
//!
//! A turn's record is made only for whoever has not seen this version of it. A version is a number that names one state of
//! one turn and never comes twice; it is found by comparing what the record is made from, not the record.

use hashbrown::HashMap;
use serde::Serialize;

use super::Engine;
use super::view::UsageView;
use crate::content::ContentIx;
use crate::history::title::title;
use crate::history::{StepIx, Tree, Turn, TurnIx};
use crate::wire::Ending;

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

/// How a turn ended, or that it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Running,
    Done,
    Stopped,
    Failed,
}

/// All that the record of a turn is made from.
#[derive(Clone, Debug, PartialEq)]
struct Makings {
    turn: Turn,
    ended: Ended,
    /// Versions of its first, last and prompt step.
    revisions: [u32; 3],
    contents: [Option<ContentIx>; 2],
    brood: u32,
    number: usize,
}

/// The versions that were handed out last.
#[derive(Default)]
pub(super) struct TurnVersions {
    known: HashMap<TurnIx, (Makings, u32)>,
    last: u32,
}

impl Engine {
    /// The versions of the turns on the path, oldest first.
    pub fn turn_versions(&mut self) -> Vec<u32> {
        let turns = self.history.turns().to_vec();
        let ended = self.endings(&turns);
        let mut known = HashMap::with_capacity(turns.len());
        let mut versions = Vec::with_capacity(turns.len());
        for (index, (turn, ended)) in turns.into_iter().zip(ended).enumerate() {
            let (name, makings) = (turn.turn, self.makings(turn, ended, index + 1));
            let version = match self.turn_versions.known.remove(&name) {
                Some((old, version)) if old == makings => version,
                _ => {
                    self.turn_versions.last = self.turn_versions.last.wrapping_add(1);
                    self.turn_versions.last
                }
            };
            known.insert(name, (makings, version));
            versions.push(version);
        }
        self.turn_versions.known = known;
        versions
    }

    /// The turns at some positions, from 0.
    pub fn turns_at(&mut self, positions: &[u32]) -> Vec<TurnView> {
        let turns = self.history.turns().to_vec();
        let ended = self.endings(&turns);
        let wanted = positions.iter().filter_map(|at| {
            let at = *at as usize;
            Some((at, turns.get(at)?, *ended.get(at)?))
        });
        wanted.map(|(at, turn, ended)| self.turn_view(turn, ended, at + 1)).collect()
    }

    /// All turns on the path, oldest first.
    pub fn turns(&mut self) -> Vec<TurnView> {
        let all: Vec<u32> = (0..self.history.turns().len() as u32).collect();
        self.turns_at(&all)
    }

    fn makings(&self, turn: Turn, ended: Ended, number: usize) -> Makings {
        let tree = self.history.tree();
        let revision = |step: StepIx| tree.revision(step);
        Makings {
            ended,
            revisions: [revision(turn.first), revision(turn.last), turn.prompt_step.map_or(0, revision)],
            contents: self.contents_around(&turn),
            brood: tree.brood(self.history.parent_or_root(turn.first)),
            number,
            turn,
        }
    }

    /// The content before a turn and the one after it.
    fn contents_around(&self, turn: &Turn) -> [Option<ContentIx>; 2] {
        let begun_with = self.history.tree().data(turn.first).and_then(|data| data.before);
        let before = begun_with.or_else(|| self.history.content_at(self.history.parent_or_root(turn.first)));
        [before, self.history.content_at(turn.last)]
    }

    /// How each turn ended. One that has no last step is running if it began with the run that is going on; when nobody
    /// knows where that began, if no turn after it has ended.
    fn endings(&self, turns: &[Turn]) -> Vec<Ended> {
        let path = self.history.path();
        let run_from = self.session.run_from.and_then(|step| path.position(step));
        let at_root = self.session.run_from == Some(Tree::ROOT);
        let mut all_open = self.session.is_running();
        let mut endings: Vec<Ended> = Vec::with_capacity(turns.len());
        for turn in turns.iter().rev() {
            let ending = self.history.tree().data(turn.last).map(|data| data.ending);
            let of_this_run = match (run_from, path.position(turn.first)) {
                _ if at_root => true,
                (Some(from), Some(first)) => first > from,
                _ => all_open,
            };
            endings.push(match ending {
                Some(Ending::Done) => Ended::Done,
                Some(Ending::Stopped) => Ended::Stopped,
                Some(Ending::Failed) => Ended::Failed,
                _ if self.session.is_running() && of_this_run => Ended::Running,
                // A run that left no last step was cut off.
                _ => Ended::Stopped,
            });
            all_open &= endings.last() == Some(&Ended::Running);
        }
        endings.reverse();
        endings
    }

    fn turn_view(&mut self, turn: &Turn, ended: Ended, number: usize) -> TurnView {
        let parent = self.history.parent_or_root(turn.first);
        let prompt = turn.prompt_step.map(|step| self.said(step)).unwrap_or_default();
        let changed = match self.contents_around(turn) {
            [Some(before), Some(after)] => !self.contents.equal(before, after),
            _ => false,
        };
        let tree = self.history.tree();
        let id = |step: StepIx| tree.id(step).to_owned();
        let usage = turn.usage();
        let has_usage = usage.counts.iter().any(Option::is_some);
        let ended_at = tree.data(turn.last).filter(|_| ended != Ended::Running).map(|data| data.timestamp);
        TurnView {
            id: tree.turn_name(turn.turn).to_owned(),
            title: title(&prompt, number),
            prompt,
            parent_id: id(parent),
            first_step: id(turn.first),
            last_step: id(turn.last),
            steps: turn.steps,
            tool_calls: turn.tool_calls,
            ended: match ended {
                Ended::Running => "running",
                Ended::Done => "done",
                Ended::Stopped => "stopped",
                Ended::Failed => "failed",
            },
            changed,
            branches: self.history.sibling_turns(turn, parent),
            usage: has_usage.then(|| usage.into()),
            started_at: tree.data(turn.first).map_or(0.0, |data| data.timestamp),
            ended_at,
        }
    }
}
