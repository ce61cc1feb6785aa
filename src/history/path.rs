//! The visible path: root → HEAD (T4), with its status (T5).
//!
//! Each step on the path knows its place, so that moving HEAD is a climb from the new HEAD to the first step that is
//! on the path already: O(distance through the lowest common ancestor), whatever the size of the tree (T7). Places
//! count from a moving base, so a missing parent that arrives late is put in front in O(1), too.

use std::collections::VecDeque;

use super::tree::{StepIx, Tree};
use super::turns::Turns;

/// Whether the path is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStatus {
    /// From the root to HEAD.
    Ok,
    /// Nobody knows this HEAD; the last good path is on show.
    UnknownHead(StepIx),
    /// The parent of this step is not known; what hangs below it is on show.
    BrokenParent(StepIx),
    /// The ancestors of HEAD come back to this step; each is shown once.
    Cycle(StepIx),
}

/// Where the front of the path stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Front {
    Root,
    Broken(StepIx),
    Cycle(StepIx),
}

/// Off the path.
const NOWHERE: i32 = i32::MIN;

#[derive(Clone, Copy)]
struct Mark {
    place: i32,
    /// The climb that last came by.
    climb: u32,
}

/// The steps on show, oldest first.
pub struct Path {
    line: VecDeque<StepIx>,
    /// Place of the first of them.
    base: i32,
    marks: Vec<Mark>,
    climb: u32,
    head: StepIx,
    front: Front,
    head_lost: bool,
    changed_from: usize,
    steps_touched: u64,
}

/// How a climb ended.
enum Landing {
    Root,
    OnPath(StepIx),
    Nowhere,
    Cycle(StepIx),
}

impl Path {
    pub(super) fn at_root(tree: &Tree) -> Self {
        let mut path = Path {
            line: VecDeque::new(),
            base: 0,
            marks: Vec::new(),
            climb: 0,
            head: Tree::ROOT,
            front: Front::Root,
            head_lost: false,
            changed_from: 0,
            steps_touched: 0,
        };
        path.grow(tree);
        path
    }

    /// HEAD.
    pub fn head(&self) -> StepIx {
        self.head
    }

    /// Whether the path is whole.
    pub fn status(&self) -> PathStatus {
        match self.front {
            _ if self.head_lost => PathStatus::UnknownHead(self.head),
            Front::Root => PathStatus::Ok,
            Front::Broken(at) => PathStatus::BrokenParent(at),
            Front::Cycle(at) => PathStatus::Cycle(at),
        }
    }

    /// Whether nobody knows HEAD.
    pub(super) fn is_head_lost(&self) -> bool {
        self.head_lost
    }

    /// Number of steps on show.
    pub fn len(&self) -> usize {
        self.line.len()
    }

    /// Whether nothing is on show.
    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// The steps on show, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = StepIx> + ExactSizeIterator + '_ {
        self.line.iter().copied()
    }

    /// The step at a position, from 0.
    pub fn get(&self, position: usize) -> Option<StepIx> {
        self.line.get(position).copied()
    }

    /// The position of a step, when it is on show.
    pub fn position(&self, step: StepIx) -> Option<usize> {
        let place = self.marks.get(step.index())?.place;
        usize::try_from(place.checked_sub(self.base)?).ok().filter(|_| place != NOWHERE)
    }

    /// How many steps all calls so far have touched: what T7 is checked with.
    pub fn steps_touched(&self) -> u64 {
        self.steps_touched
    }

    pub(super) fn take_changed_from(&mut self) -> usize {
        std::mem::replace(&mut self.changed_from, self.line.len()).min(self.line.len())
    }

    /// A step on show is not what it was.
    pub(super) fn touched(&mut self, step: StepIx) {
        if let Some(position) = self.position(step) {
            self.changed_from = self.changed_from.min(position);
        }
    }

    fn grow(&mut self, tree: &Tree) {
        let fresh = Mark { place: NOWHERE, climb: 0 };
        self.marks.resize(tree.capacity().max(self.marks.len()), fresh);
    }

    fn set_place(&mut self, step: StepIx, place: i32) {
        self.steps_touched += 1;
        if let Some(mark) = self.marks.get_mut(step.index()) {
            mark.place = place;
        }
    }

    /// Climbs from a step towards the root, to the first step that is on the path. Gives what lies between, the
    /// deepest first.
    fn climb(&mut self, tree: &Tree, from: StepIx) -> (Vec<StepIx>, Landing) {
        self.grow(tree);
        self.climb = self.climb.wrapping_add(1);
        let mut climbed = Vec::new();
        let mut at = from;
        loop {
            if at == Tree::ROOT {
                return (climbed, Landing::Root);
            }
            if self.position(at).is_some() {
                return (climbed, Landing::OnPath(at));
            }
            // A bare name has none.
            let Some(parent) = tree.parent(at) else {
                return (climbed, Landing::Nowhere);
            };
            let climb = self.climb;
            let Some(mark) = self.marks.get_mut(at.index()) else {
                return (climbed, Landing::Nowhere);
            };
            if mark.climb == climb {
                return (climbed, Landing::Cycle(at));
            }
            mark.climb = climb;
            self.steps_touched += 1;
            climbed.push(at);
            at = parent;
        }
    }

    fn cut_to(&mut self, length: usize, tree: &Tree, turns: &mut Turns) {
        if length >= self.line.len() {
            return;
        }
        self.changed_from = self.changed_from.min(length);
        turns.cut(tree, &self.line, length);
        for step in self.line.drain(length..) {
            self.steps_touched += 1;
            if let Some(mark) = self.marks.get_mut(step.index()) {
                mark.place = NOWHERE;
            }
        }
    }

    fn push(&mut self, step: StepIx) {
        let place = self.base + i32::try_from(self.line.len()).unwrap_or(i32::MAX - 1);
        self.set_place(step, place);
        self.line.push_back(step);
    }

    /// Moves HEAD and shows the path to it. A HEAD that nobody knows leaves the path as it is (T5).
    pub(super) fn move_head(&mut self, tree: &Tree, to: StepIx, turns: &mut Turns) {
        if !tree.is_known(to) {
            self.grow(tree);
            self.lose_head(to);
            return;
        }
        self.head_lost = false;
        self.head = to;
        let (climbed, landing) = self.climb(tree, to);
        let below_the_end = matches!(landing, Landing::OnPath(step) if self.line.back() == Some(&step));
        if matches!(self.front, Front::Cycle(_)) && !below_the_end {
            // Where a cycle is entered decides what of it is shown, so nothing can be kept.
            self.start_over(tree, to);
            turns.forget();
            return;
        }
        let keep = match landing {
            Landing::OnPath(step) => self.position(step).map_or(0, |position| position + 1),
            _ => 0,
        };
        self.cut_to(keep, tree, turns);
        match landing {
            Landing::OnPath(_) => {}
            Landing::Root => self.front = Front::Root,
            Landing::Nowhere => self.front = climbed.last().map_or(Front::Root, |at| Front::Broken(*at)),
            Landing::Cycle(at) => self.front = Front::Cycle(at),
        }
        for step in climbed.into_iter().rev() {
            self.push(step);
        }
    }

    /// Nobody knows this HEAD: what is on show stays.
    pub(super) fn lose_head(&mut self, head: StepIx) {
        self.head = head;
        self.head_lost = true;
    }

    /// A step came that was only a name before. When the path broke off below it, the path now goes on upwards.
    pub(super) fn parent_became_known(&mut self, tree: &Tree, step: StepIx, turns: &mut Turns) {
        self.grow(tree);
        let Front::Broken(at) = self.front else { return };
        if tree.parent(at) != Some(step) || self.line.is_empty() {
            return;
        }
        let (climbed, landing) = self.climb(tree, step);
        self.front = match landing {
            Landing::Root => Front::Root,
            Landing::Nowhere => climbed.last().map_or(self.front, |at| Front::Broken(*at)),
            Landing::OnPath(at) | Landing::Cycle(at) => Front::Cycle(at),
        };
        for step in climbed {
            self.base -= 1;
            let base = self.base;
            self.set_place(step, base);
            self.line.push_front(step);
        }
        self.changed_from = 0;
        turns.forget();
    }

    /// Walks the path to where it leads now from scratch. O(length).
    pub(super) fn rebuild(&mut self, tree: &Tree) {
        let to = match self.line.back() {
            Some(&last) if self.head_lost => last,
            _ if self.head_lost => return,
            _ => self.head,
        };
        let (head, lost) = (self.head, self.head_lost);
        self.start_over(tree, to);
        (self.head, self.head_lost) = (head, lost);
    }

    /// Shows the path to a step that is known, from scratch. The turns have to be forgotten with it.
    pub(super) fn start_over(&mut self, tree: &Tree, head: StepIx) {
        self.grow(tree);
        for mark in &mut self.marks {
            mark.place = NOWHERE;
        }
        self.line.clear();
        self.base = 0;
        self.changed_from = 0;
        self.front = Front::Root; // and no longer a cycle, so this cannot come back here
        let mut unused = Turns::default();
        self.move_head(tree, head, &mut unused);
    }
}
