//! Which contents are kept (C3).
//!
//! Roots, which are never let go: what the steps on the path refer to, and those that redos lead to; what the canvas shows
//! or is to show; what the root has. Everything else that a step refers to is kept for as long as the budget allows. When
//! it does not, contents of abandoned branches are evicted: first what lies inside of a branch, the oldest branch first,
//! then what branches lead to, in the same order, so that a branch can be gone to for as long as possible. How old a branch
//! is tells its youngest step.

use hashbrown::{HashMap, HashSet};

use super::Engine;
use crate::content::ContentIx;
use crate::history::{StepIx, Tree};
use crate::sort::sort_by;

/// What is remembered from one collection to the next.
#[derive(Default)]
pub(super) struct Retention {
    /// How many contents were live when they were last collected, and how many bytes they took.
    live: usize,
    live_bytes: usize,
    /// Bytes that were left when contents were last evicted.
    left: usize,
    /// Whether the roots alone were too much then.
    is_over: bool,
}

impl Engine {
    /// Collects when most of what is kept may be garbage.
    pub(super) fn collect_if_due(&mut self) {
        let Retention { live, live_bytes, .. } = self.retention;
        if self.contents.len() > 2 * live + 64 || self.contents.bytes() > 2 * live_bytes + (1 << 20) {
            self.collect();
        }
    }

    /// Drops contents that nothing refers to any more.
    pub(super) fn collect(&mut self) {
        // Handles of what goes can come again for something else.
        self.whole.clear();
        let head = self.history.content_at(self.history.head());
        self.normal.forget_but(head);
        let steps = self.history.tree().contents();
        let others = self.canvas.contents().chain(self.stashes.contents()).chain(self.normal.contents(head));
        self.contents.retain(steps.chain(others));
        self.note_what_is_live();
    }

    fn note_what_is_live(&mut self) {
        (self.retention.live, self.retention.live_bytes) = (self.contents.len(), self.contents.bytes());
    }

    /// Evicts contents of abandoned branches when all of them together take more than the budget.
    pub(super) fn stay_within_budget(&mut self) {
        let budget = self.options.memory_budget;
        let most = match self.retention.is_over {
            // The roots alone are too much: it is looked at again when there is a quarter more.
            true => self.retention.left + self.retention.left / 4,
            false => budget,
        };
        if self.contents.bytes() <= most {
            return;
        }
        self.collect();
        if self.contents.bytes() <= most {
            return;
        }
        let rooted = self.rooted();
        let pinned: Vec<ContentIx> = self.pinned(&rooted);
        let others = self.others(&rooted);
        self.remember_what_changed();
        // Some room for what comes next, so that this is not done for every frame.
        let evicted = self.contents.retain_within(pinned, &others, budget - budget / 8);
        self.note_what_is_live();
        self.retention.left = self.retention.live_bytes;
        let is_over = self.retention.left > budget;
        if evicted > 0 {
            self.outcome.changed = true;
            let message = format!(
                "{evicted} contents of abandoned branches were let go to stay within memoryBudget ({budget} bytes), \
                 those of the oldest branches first; they come back when the server sends them again."
            );
            self.notice("evicted", message, None, None);
        }
        if is_over && !self.retention.is_over {
            let message = format!(
                "What the visible path, redo and the canvas need takes {} bytes, more than memoryBudget ({budget} \
                 bytes); none of it was let go.",
                self.retention.left
            );
            self.notice("over_budget", message, None, None);
        }
        self.retention.is_over = is_over;
    }

    /// The steps whose contents are roots: on the path, or on the way to where a redo leads.
    fn rooted(&self) -> HashSet<StepIx> {
        let tree = self.history.tree();
        let mut rooted: HashSet<StepIx> = self.history.path().iter().collect();
        rooted.insert(Tree::ROOT);
        for target in self.session.redo_targets().iter().chain(&[self.history.head()]) {
            let mut at = Some(*target);
            // Ends at what is rooted already, so at the latest where a cycle closes.
            while let Some(step) = at.filter(|step| rooted.insert(*step)) {
                at = tree.parent(step);
            }
        }
        rooted
    }

    fn pinned(&self, rooted: &HashSet<StepIx>) -> Vec<ContentIx> {
        let tree = self.history.tree();
        let own = rooted.iter().flat_map(|step| tree.contents_of(*step));
        // Where a root says nothing itself, what it has is that of another step.
        let had = rooted.iter().filter_map(|step| tree.content_at(*step));
        let others = self.canvas.contents().chain(self.stashes.contents());
        let normal = self.normal.contents(tree.content_at(self.history.head()));
        own.chain(had).chain(others).chain(normal).collect()
    }

    /// What steps that are no roots refer to, the most wanted first.
    fn others(&self, rooted: &HashSet<StepIx>) -> Vec<ContentIx> {
        let tree = self.history.tree();
        let ages = self.ages(rooted);
        let mut steps: Vec<StepIx> = ages.keys().copied().collect();
        let time = |step: StepIx| tree.data(step).map_or(0.0, |data| data.timestamp);
        let age = |step: StepIx| ages.get(&step).copied().unwrap_or(0.0);
        sort_by(&mut steps, |a, b| {
            let by_branch = age(*b).total_cmp(&age(*a));
            by_branch.then_with(|| time(*b).total_cmp(&time(*a))).then_with(|| tree.id(*b).cmp(tree.id(*a)))
        });
        let is_leaf = |step: &StepIx| tree.children(*step).next().is_none();
        let leaves = steps.iter().filter(|step| is_leaf(step)).filter_map(|step| tree.content_at(*step));
        let inside = steps.iter().flat_map(|step| tree.contents_of(*step));
        leaves.chain(inside).collect()
    }

    /// For each step that is no root, when the youngest step of its branch was made.
    fn ages(&self, rooted: &HashSet<StepIx>) -> HashMap<StepIx, f64> {
        let tree = self.history.tree();
        // By step, where its branch begins.
        let mut begins: HashMap<StepIx, StepIx> = HashMap::new();
        let mut youngest: HashMap<StepIx, f64> = HashMap::new();
        for (step, data) in tree.steps().filter(|(step, _)| !rooted.contains(step)) {
            let mut climbed = Vec::new();
            let mut at = step;
            let begin = loop {
                if let Some(begin) = begins.get(&at) {
                    break *begin;
                }
                // Where a cycle closes, the branch begins as well as anywhere.
                begins.insert(at, at);
                climbed.push(at);
                match tree.parent(at).filter(|parent| !rooted.contains(parent)) {
                    Some(parent) => at = parent,
                    None => break at,
                }
            };
            for step in climbed {
                begins.insert(step, begin);
            }
            let age = youngest.entry(begin).or_insert(f64::NEG_INFINITY);
            *age = age.max(data.timestamp);
        }
        let known = begins.into_iter().filter(|(step, _)| tree.data(*step).is_some());
        known.map(|(step, begin)| (step, youngest.get(&begin).copied().unwrap_or(0.0))).collect()
    }

    /// What a step did can be told when the contents around it are gone, if it was looked at before.
    fn remember_what_changed(&mut self) {
        let all: Vec<StepIx> = self.history.tree().steps().map(|(step, _)| step).collect();
        for step in all {
            self.step_changed(step);
        }
    }
}
