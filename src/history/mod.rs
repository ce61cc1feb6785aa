//! The history: the tree of steps, where HEAD is in it, and the path from the root to there.
//!
//! * [`tree`]: steps by id, parents stored, children derived (T1, T2);
//! * [`path`]: the visible steps and their status, kept up to date by what changed (T4, T5, T7);
//! * [`turns`]: the turns on the path, with their sums (H1);
//! * [`title`]: a turn in one line (H3).
//!
//! Invariant, checked by the property tests: after every call the path equals a fresh walk from HEAD to the root.
//! Nothing recurses on depth (T6).
//!
//! Place in the flow: after `wire` and `content`; knows nothing of servers, commands or canvases.

pub mod path;
mod running;
mod sums;
pub mod title;
pub mod tree;
mod turn_names;
pub mod turns;

pub use path::{Path, PathStatus};
pub use sums::Counts;
pub use tree::{Change, StepData, StepIx, Tree};
pub use turn_names::TurnIx;
pub use turns::{Turn, Turns};

use crate::content::ContentIx;

/// Tree, HEAD, path and turns, moved together.
pub struct History {
    tree: Tree,
    path: Path,
    turns: Turns,
    diverged: bool,
    /// Between `begin_snapshot` and `end_snapshot`: whether anything differed so far.
    snapshot: Option<bool>,
}

/// What the arrival of a step meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The step.
    pub step: StepIx,
    /// What changed about it.
    pub change: Change,
    /// Whether HEAD moved to it (T3).
    pub moved_head: bool,
}

impl Default for History {
    fn default() -> Self {
        let tree = Tree::default();
        let path = Path::at_root(&tree);
        History { tree, path, turns: Turns::default(), diverged: false, snapshot: None }
    }
}

impl History {
    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The visible path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// HEAD; it may be the root, or a step that is only known by its name.
    pub fn head(&self) -> StepIx {
        self.path.head()
    }

    /// Whether a step joined away from HEAD since the last snapshot or head change (T3).
    pub fn diverged(&self) -> bool {
        self.diverged
    }

    /// The turns on the path, oldest first.
    pub fn turns(&mut self) -> &[Turn] {
        self.turns.list(&self.tree, &self.path)
    }

    /// The turn of that name, when it is on the path.
    pub fn turn_on_path(&mut self, turn: TurnIx) -> Option<&Turn> {
        self.turns.find(turn, &self.tree, &self.path)
    }

    /// Tokens of the steps on the path (H1).
    pub fn path_usage(&mut self) -> crate::wire::Usage {
        self.turns.path_usage(&self.tree, &self.path)
    }

    /// First position of the path that may have changed since this was last asked; the path's length if none.
    pub fn take_changed_from(&mut self) -> usize {
        self.path.take_changed_from()
    }

    /// Takes in one live step (T1, T2, T3, T10). One that comes late, off the path, moves nothing (R11). O(1) below HEAD.
    pub fn arrive(&mut self, id: &str, parent: Option<&str>, data: StepData) -> Arrival {
        let head_was_known = !self.path.is_head_lost();
        let (step, change) = self.put(id, parent, data);
        let mut moved_head = false;
        if change == Change::New {
            let is_head = step == self.head();
            let below_head = self.tree.parent(step) == Some(self.head());
            if is_head || below_head || !head_was_known {
                self.move_head(step);
                moved_head = true;
            } else {
                self.diverged = true;
            }
        } else if step == self.head() && !head_was_known {
            // It was only on show because the path to it was; now the server has it again.
            self.move_head(step);
            moved_head = true;
        }
        Arrival { step, change, moved_head }
    }

    /// Adds or updates a step without moving HEAD.
    pub fn put(&mut self, id: &str, parent: Option<&str>, data: StepData) -> (StepIx, Change) {
        let before = self.tree.get(id).map(|ix| self.turns.share_of(&self.tree, ix));
        let (step, change) = self.tree.put(id, parent, data);
        if let Some(differs) = &mut self.snapshot {
            // The path is made anew at the end of a snapshot, once.
            *differs |= change != Change::Same;
            return (step, change);
        }
        // What is below it may begin with another content now.
        for child in self.tree.children(step) {
            self.path.touched(child);
        }
        match change {
            Change::New => self.path.parent_became_known(&self.tree, step, &mut self.turns),
            Change::Same => {}
            Change::Updated { moved, regrouped, .. } => {
                let is_shown = self.path.position(step).is_some();
                if moved && is_shown {
                    self.path.rebuild(&self.tree);
                    self.turns.forget();
                } else if regrouped && is_shown {
                    self.turns.forget();
                } else if let Some(before) = before {
                    self.turns.reweigh(&self.tree, &self.path, step, before);
                }
                self.path.touched(step);
            }
        }
        (step, change)
    }

    /// Moves HEAD (T7). O(distance through the lowest common ancestor).
    pub fn move_head(&mut self, to: StepIx) {
        self.path.move_head(&self.tree, to, &mut self.turns);
    }

    /// The handle of an id, known or not. An unknown one is kept as a name, for a HEAD or a parent to point at.
    pub fn name(&mut self, id: &str) -> StepIx {
        self.tree.name(id)
    }

    /// What a server says settles where things are (T3).
    pub fn settle(&mut self) {
        self.diverged = false;
    }

    /// Begins to take in a snapshot: until [`History::end_snapshot`], `put` marks what the server still has.
    pub fn begin_snapshot(&mut self) {
        self.snapshot = Some(false);
        self.tree.begin_snapshot();
    }

    /// Ends a snapshot: HEAD is where the server says, and steps that it no longer has are gone. Tells whether any step
    /// came, changed or went.
    ///
    /// A HEAD that nobody knows leaves the last good path on show, and its steps in the tree (T5); when there was no
    /// path, the one to the newest step is shown. Handles in `pinned` stay valid, if only as names.
    pub fn end_snapshot(&mut self, head_id: &str, newest: Option<StepIx>, pinned: &[StepIx]) -> bool {
        let head = self.tree.name(head_id);
        let is_known = self.tree.is_seen(head);
        if !is_known {
            for step in self.path.iter() {
                self.tree.mark_seen(step);
            }
        }
        let gone = self.tree.end_snapshot(&[pinned, &[head]].concat());
        let differs = self.snapshot.take().unwrap_or(false) || gone > 0;
        self.diverged = false;
        if is_known && !differs {
            self.move_head(head);
            return false;
        }
        let newest = newest.filter(|_| self.path.is_empty());
        match (is_known, newest) {
            (true, _) => self.path.start_over(&self.tree, head),
            (false, Some(newest)) => self.path.start_over(&self.tree, newest),
            (false, None) => self.path.rebuild(&self.tree),
        }
        if !is_known {
            self.path.lose_head(head);
        }
        self.turns.forget();
        differs
    }

    /// The content at a step: its own, else the nearest ancestor's (R7). `None` when no ancestor has one.
    pub fn content_at(&self, step: StepIx) -> Option<ContentIx> {
        self.tree.content_at(step)
    }

    /// The handle of a turn's name, for a step that is about to be put.
    pub fn name_turn(&mut self, name: &str) -> TurnIx {
        self.tree.name_turn(name)
    }

    /// The parent of a step; the root for a step without one.
    pub fn parent_or_root(&self, step: StepIx) -> StepIx {
        self.tree.parent(step).unwrap_or(Tree::ROOT)
    }

    /// Whether a step lies on the path above HEAD.
    pub fn is_above_head(&self, step: StepIx) -> bool {
        let root_on_show =
            step == Tree::ROOT && self.path.status() == PathStatus::Ok && !self.path.is_empty();
        root_on_show || (step != self.head() && self.path.position(step).is_some())
    }

    /// The names of the other turns that begin where this one begins: the branches that were left there.
    pub fn sibling_turns(&self, turn: &Turn, parent: StepIx) -> Vec<String> {
        // A child that goes on with its parent's turn begins nothing.
        let around = self.tree.data(parent).map(|data| data.turn);
        let others = self.tree.children(parent).filter(|child| *child != turn.first);
        let turns = others.filter_map(|child| self.tree.data(child).map(|data| data.turn));
        let mut seen = hashbrown::HashSet::new();
        turns
            .filter(|other| *other != turn.turn && Some(*other) != around && seen.insert(*other))
            .map(|other| self.tree.turn_name(other).to_owned())
            .collect()
    }

    /// What the first step on show began with.
    pub fn content_before_path(&self) -> Option<ContentIx> {
        self.tree.data(self.path.get(0)?)?.before
    }

    /// Whether nobody knows HEAD (T5).
    pub fn is_head_lost(&self) -> bool {
        self.path.is_head_lost()
    }

    /// A server told which content belongs to a step.
    pub fn tell_content(&mut self, step: StepIx, content: ContentIx) {
        self.tree.tell_content(step, content);
        for child in self.tree.children(step) {
            self.path.touched(child);
        }
    }
}
