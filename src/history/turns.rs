//! The turns on the path (H1): all steps of one `messageId`, with their sums.
//!
//! A turn need not be contiguous: concurrent prompts interleave. The turns follow the path step by step when somebody looks, so that a
//! step that streams in costs O(1), and a HEAD that moves far and back costs nothing that nobody sees. What a revert takes
//! away is taken away again step by step, unless less is left than that; only what happens in front of the path
//! (a missing parent that arrives late, a snapshot) makes them anew.

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::path::Path;
use super::running::RunningUsage;
use super::sums::{Counts, Sums};
use super::tree::{StepIx, Tree};
use super::turn_names::TurnIx;
use crate::wire::{Role, Usage};

/// One turn on the path.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Its name.
    pub turn: TurnIx,
    /// Its first step on the path.
    pub first: StepIx,
    /// Its last step on the path.
    pub last: StepIx,
    /// Its first user step: the one with the prompt.
    pub prompt_step: Option<StepIx>,
    /// Number of steps on the path.
    pub steps: u32,
    /// Number of user steps on the path.
    pub user_steps: u32,
    /// Number of tool calls on the path.
    pub tool_calls: u32,
    sums: Sums,
}

impl Turn {
    /// Tokens of its steps on the path.
    pub fn usage(&self) -> Usage {
        self.sums.usage()
    }
}

/// What one step adds to its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    tool_calls: u32,
    usage: Counts,
    is_user: bool,
}

/// The turns of a path, oldest first.
#[derive(Default)]
pub struct Turns {
    list: Vec<Turn>,
    by_name: HashMap<TurnIx, usize>,
    /// For each step of the path that they have in them, the step before it in the same turn.
    previous: Vec<Option<StepIx>>,
    stale: bool,
    path_usage: RunningUsage,
}

impl Turns {
    pub(super) fn share_of(&self, tree: &Tree, step: StepIx) -> Share {
        tree.data(step).map_or(Share { tool_calls: 0, usage: Counts::default(), is_user: false }, |data| {
            Share { tool_calls: data.tool_calls, usage: data.usage, is_user: data.role == Role::User }
        })
    }

    /// The path changed in a way that only a fresh look can follow.
    pub(super) fn forget(&mut self) {
        self.stale = true;
        self.path_usage = RunningUsage::default();
    }

    /// The next step of the path.
    fn push(&mut self, tree: &Tree, step: StepIx) {
        let Some(data) = tree.data(step) else { return };
        let share = self.share_of(tree, step);
        let at = *self.by_name.entry(data.turn).or_insert_with(|| {
            self.list.push(Turn {
                turn: data.turn,
                first: step,
                last: step,
                prompt_step: None,
                steps: 0,
                user_steps: 0,
                tool_calls: 0,
                sums: Sums::default(),
            });
            self.list.len() - 1
        });
        let Some(turn) = self.list.get_mut(at) else { return };
        self.previous.push((turn.steps > 0).then_some(turn.last));
        turn.last = step;
        turn.steps += 1;
        turn.tool_calls += share.tool_calls;
        turn.sums.add(&share.usage);
        if share.is_user {
            turn.user_steps += 1;
            turn.prompt_step = turn.prompt_step.or(Some(step));
        }
    }

    /// The path, which is still whole, is about to be cut to so many steps.
    pub(super) fn cut(&mut self, tree: &Tree, line: &VecDeque<StepIx>, length: usize) {
        self.path_usage.cut(length);
        if length < self.previous.len() / 2 {
            self.stale = true;
        }
        while !self.stale && self.previous.len() > length {
            match line.get(self.previous.len() - 1) {
                Some(step) => self.pop(tree, *step),
                None => self.forget(),
            }
        }
    }

    /// The last step that they have in them is taken away.
    fn pop(&mut self, tree: &Tree, step: StepIx) {
        let share = self.share_of(tree, step);
        let known = tree.data(step).and_then(|data| self.by_name.get(&data.turn));
        let (Some(&at), Some(previous)) = (known, self.previous.pop()) else {
            self.forget();
            return;
        };
        let Some(turn) = self.list.get_mut(at) else { return };
        turn.sums.take(&share.usage);
        turn.tool_calls = turn.tool_calls.saturating_sub(share.tool_calls);
        turn.steps -= 1;
        turn.user_steps -= u32::from(share.is_user);
        if turn.prompt_step == Some(step) {
            turn.prompt_step = None;
        }
        match previous {
            Some(previous) => turn.last = previous,
            None => {
                // Turns are listed by their first step, so the one that began last is the last.
                self.by_name.remove(&turn.turn);
                self.list.pop();
            }
        }
    }

    /// A step on the path was updated in place and stayed in its turn.
    pub(super) fn reweigh(&mut self, tree: &Tree, path: &Path, step: StepIx, before: Share) {
        let Some(position) = path.position(step) else { return };
        let now = self.share_of(tree, step);
        self.path_usage.reweigh(position, &before.usage, &now.usage);
        if self.stale || position >= self.previous.len() {
            return;
        }
        if now.is_user != before.is_user {
            self.stale = true;
            return;
        }
        let known = tree.data(step).and_then(|data| self.by_name.get(&data.turn));
        let Some(turn) = known.and_then(|at| self.list.get_mut(*at)) else { return };
        turn.tool_calls = turn.tool_calls.saturating_sub(before.tool_calls) + now.tool_calls;
        turn.sums.take(&before.usage);
        turn.sums.add(&now.usage);
    }

    fn refresh(&mut self, tree: &Tree, path: &Path) {
        if std::mem::take(&mut self.stale) {
            self.list.clear();
            self.by_name.clear();
            self.previous.clear();
        }
        for step in path.iter().skip(self.previous.len()) {
            self.push(tree, step);
        }
    }

    pub(super) fn list(&mut self, tree: &Tree, path: &Path) -> &[Turn] {
        self.refresh(tree, path);
        &self.list
    }

    pub(super) fn find(&mut self, turn: TurnIx, tree: &Tree, path: &Path) -> Option<&Turn> {
        self.refresh(tree, path);
        self.list.get(*self.by_name.get(&turn)?)
    }

    pub(super) fn path_usage(&mut self, tree: &Tree, path: &Path) -> Usage {
        self.path_usage.of(tree, path)
    }
}
