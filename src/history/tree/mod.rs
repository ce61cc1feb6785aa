//! Steps by id. Parents are stored, children are derived (T2).
//!
//! A step whose parent has not come yet hangs below a *name*: a node without data. When the parent comes it fills
//! that node, and its children are where they belong without being touched. HEAD can point at a name, too.
//!
//! Children are an intrusive, doubly linked list, so that joining and leaving cost O(1) at any fan-out (T6, T7).

mod contents;
mod snapshot;

use std::cell::Cell;
use std::num::NonZeroU32;

use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use std::hash::BuildHasher;

use super::sums::{Counts, Sums};
use super::turn_names::{TurnIx, TurnNames};
use crate::content::ContentIx;
use crate::wire::{Ending, ROOT_ID, Role, Usage};

/// A step in the tree. Valid until the step is gone from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepIx(NonZeroU32);

impl StepIx {
    pub(in crate::history) fn at(index: usize) -> Self {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        // 2^32 steps do not fit into any address space this runs in.
        StepIx(number.unwrap_or(NonZeroU32::MAX))
    }

    pub(in crate::history) fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The number that stands for it outside of Rust.
    pub fn number(self) -> u32 {
        self.0.get()
    }

    /// The step behind a number that came back from outside.
    pub fn from_number(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(StepIx)
    }
}

/// What the tree keeps of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepData {
    /// The turn it belongs to.
    pub turn: TurnIx,
    /// Who made it.
    pub role: Role,
    /// Whether and how it ends its run.
    pub ending: Ending,
    /// ms since the epoch.
    pub timestamp: f64,
    /// Number of tool calls.
    pub tool_calls: u32,
    /// Tokens it cost.
    pub usage: Counts,
    /// The content before it.
    pub before: Option<ContentIx>,
    /// The content after it.
    pub after: Option<ContentIx>,
    /// The step as JSON text, without its contents.
    pub text: Box<str>,
}

/// What became of a step that was put into the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not known.
    New,
    /// It was known, and nothing about it is new.
    Same,
    /// It was known; the latest wins (T10).
    Updated {
        /// It has another parent now.
        moved: bool,
        /// It belongs to another turn now.
        regrouped: bool,
        /// It has another role now.
        recast: bool,
    },
}

/// What a HEAD that moves far reads of each step on its way, apart from everything else: a walk then reads 8 bytes a step.
#[derive(Clone, Copy)]
struct Spine {
    parent: Option<StepIx>,
    /// Changes whenever the data does; never used twice.
    revision: u32,
}

struct Node {
    id: Box<str>,
    first_child: Option<StepIx>,
    last_child: Option<StepIx>,
    next: Option<StepIx>,
    previous: Option<StepIx>,
    data: Option<StepData>,
    /// The content that a server told for this place.
    told: Option<ContentIx>,
    /// The revision at which this became the node of its id.
    born: u32,
    /// Changes whenever a child comes, goes, or changes its turn.
    brood: u32,
    /// The nearest content, as of a state of all contents: the two numbers of [`Tree::content_at`].
    nearest: Cell<(u32, Option<ContentIx>)>,
    /// The snapshot that last named it.
    seen: u32,
}

/// The tree of steps.
pub struct Tree {
    nodes: Vec<Node>,
    /// One for each node.
    spine: Vec<Spine>,
    by_id: HashTable<StepIx>,
    hasher: DefaultHashBuilder,
    turn_names: TurnNames,
    free: Vec<StepIx>,
    known: usize,
    revision: u32,
    snapshot: u32,
    total: Sums,
    /// Counts changes that may give some step another nearest content.
    contents_state: u32,
    climbed: Cell<u64>,
    /// The earliest step below the root that says what was before it.
    earliest: Option<StepIx>,
}

impl Default for Tree {
    fn default() -> Self {
        let mut tree = Tree {
            nodes: Vec::new(),
            spine: Vec::new(),
            by_id: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            turn_names: TurnNames::default(),
            free: Vec::new(),
            known: 0,
            revision: 0,
            snapshot: 0,
            total: Sums::default(),
            contents_state: 1,
            climbed: Cell::new(0),
            earliest: None,
        };
        tree.name(ROOT_ID);
        tree
    }
}

impl Tree {
    /// The root: `step-initial`.
    pub const ROOT: StepIx = StepIx(NonZeroU32::MIN);

    fn node(&self, ix: StepIx) -> Option<&Node> {
        self.nodes.get(ix.index())
    }

    fn node_mut(&mut self, ix: StepIx) -> Option<&mut Node> {
        self.nodes.get_mut(ix.index())
    }

    fn find(&self, id: &str) -> Option<StepIx> {
        let hash = self.hasher.hash_one(id);
        let same = |ix: &StepIx| self.node(*ix).is_some_and(|node| &*node.id == id);
        self.by_id.find(hash, same).copied()
    }

    /// The step of that id, when it is known; the root is.
    pub fn get(&self, id: &str) -> Option<StepIx> {
        self.find(id).filter(|ix| self.is_known(*ix))
    }

    /// The node of that id, made as a bare name when there is none.
    pub(in crate::history) fn name(&mut self, id: &str) -> StepIx {
        if let Some(ix) = self.find(id) {
            return ix;
        }
        let revision = self.next_revision();
        let node = Node {
            id: id.into(),
            first_child: None,
            last_child: None,
            next: None,
            previous: None,
            data: None,
            told: None,
            born: revision,
            brood: revision,
            nearest: Cell::new((0, None)),
            seen: self.snapshot,
        };
        let spine = Spine { parent: None, revision };
        let ix = match self.free.pop() {
            Some(ix) => {
                if let (Some(place), Some(old)) =
                    (self.nodes.get_mut(ix.index()), self.spine.get_mut(ix.index()))
                {
                    (*place, *old) = (node, spine);
                }
                ix
            }
            None => {
                self.nodes.push(node);
                self.spine.push(spine);
                StepIx::at(self.nodes.len() - 1)
            }
        };
        let (nodes, hasher) = (&self.nodes, &self.hasher);
        let rehash = |ix: &StepIx| nodes.get(ix.index()).map_or(0, |node| hasher.hash_one(&*node.id));
        self.by_id.insert_unique(self.hasher.hash_one(id), ix, rehash);
        ix
    }

    fn next_revision(&mut self) -> u32 {
        self.revision = self.revision.wrapping_add(1);
        self.revision
    }

    /// Whether this is the root or a step with data, not just a name.
    pub fn is_known(&self, ix: StepIx) -> bool {
        ix == Self::ROOT || self.data(ix).is_some()
    }

    /// What is kept of a step; `None` for the root and for bare names.
    pub fn data(&self, ix: StepIx) -> Option<&StepData> {
        self.node(ix)?.data.as_ref()
    }

    /// The id; empty for a step that is gone.
    pub fn id(&self, ix: StepIx) -> &str {
        self.node(ix).map_or("", |node| &node.id)
    }

    /// The parent; `None` for the root and for bare names.
    pub fn parent(&self, ix: StepIx) -> Option<StepIx> {
        self.spine.get(ix.index())?.parent
    }

    /// Changes whenever the step does, and never comes twice: the step and this number name a version of it.
    pub fn revision(&self, ix: StepIx) -> u32 {
        self.spine.get(ix.index()).map_or(0, |spine| spine.revision)
    }

    /// The revision at which the step became known by its id: an older revision names another step that had its handle.
    pub fn born(&self, ix: StepIx) -> u32 {
        self.node(ix).map_or(0, |node| node.born)
    }

    /// Changes whenever a child comes, goes, or changes its turn.
    pub fn brood(&self, ix: StepIx) -> u32 {
        self.node(ix).map_or(0, |node| node.brood)
    }

    /// How many steps all calls of [`Tree::content_at`] so far have climbed: what T7 is checked with.
    pub fn steps_climbed(&self) -> u64 {
        self.climbed.get()
    }

    /// The nearest step that two steps come from, which may be one of them; `None` when the paths above them do not meet. O(depth).
    pub fn common_ancestor(&self, a: StepIx, b: StepIx) -> Option<StepIx> {
        let ancestors =
            |step| std::iter::successors(Some(step), |ix| self.parent(*ix)).take(self.nodes.len() + 1);
        let above: HashSet<StepIx> = ancestors(a).collect();
        ancestors(b).find(|step| above.contains(step))
    }

    /// The children, in order of arrival.
    pub fn children(&self, ix: StepIx) -> impl Iterator<Item = StepIx> + '_ {
        let first = self.node(ix).and_then(|node| node.first_child);
        std::iter::successors(first, |child| self.node(*child)?.next)
    }

    /// All steps, in no order that means anything.
    pub fn steps(&self) -> impl Iterator<Item = (StepIx, &StepData)> + '_ {
        let indexed = self.nodes.iter().enumerate();
        indexed.filter_map(|(index, node)| Some((StepIx::at(index), node.data.as_ref()?)))
    }

    /// Number of steps, branches included.
    pub fn len(&self) -> usize {
        self.known
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.known == 0
    }

    /// Number of handles that were ever in use at once.
    pub(in crate::history) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Tokens of all steps, branches included (H1).
    pub fn total_usage(&self) -> Usage {
        self.total.usage()
    }

    /// The handle of a turn's name, for a step that is about to be put.
    pub fn name_turn(&mut self, name: &str) -> TurnIx {
        self.turn_names.intern(name)
    }

    /// The handle of a turn's name, when a step carries it.
    pub fn find_turn(&self, name: &str) -> Option<TurnIx> {
        self.turn_names.find(name).filter(|turn| self.turn_names.steps(*turn) > 0)
    }

    /// The name of a turn.
    pub fn turn_name(&self, turn: TurnIx) -> &str {
        self.turn_names.name(turn)
    }

    /// Adds a step, or updates it in place (T1, T10). An absent parent is the root. O(1).
    pub(in crate::history) fn put(
        &mut self,
        id: &str,
        parent: Option<&str>,
        data: StepData,
    ) -> (StepIx, Change) {
        let step = self.name(id);
        let parent = self.name(parent.unwrap_or(ROOT_ID));
        self.mark_seen(step);
        let old_parent = self.parent(step);
        let change = match self.data(step) {
            None => Change::New,
            Some(old) if *old == data && old_parent == Some(parent) => return (step, Change::Same),
            Some(old) => Change::Updated {
                moved: old_parent != Some(parent),
                regrouped: old.turn != data.turn,
                recast: old.role != data.role,
            },
        };
        let has_children = self.node(step).is_some_and(|node| node.first_child.is_some());
        let content = if has_children { self.content_at(step) } else { None };
        if old_parent != Some(parent) {
            self.unlink(step);
            self.link(step, parent);
        }
        self.total.add(&data.usage);
        self.turn_names.add_step(data.turn);
        self.renew(parent);
        let revision = self.next_revision();
        self.set_revision(step, revision);
        let (mut old, mut gives_other_content) = (None, has_children);
        if let Some(node) = self.node_mut(step) {
            node.nearest.set((0, None));
            // The latest word about this step's content is the step's own.
            let told = node.told.take();
            old = node.data.replace(data);
            let before = told.or(old.as_ref().and_then(|old| old.after));
            let after = node.data.as_ref().and_then(|data| data.after);
            gives_other_content |= old.is_some() && before != after;
        }
        match old {
            Some(old) => {
                self.total.take(&old.usage);
                self.turn_names.take_step(old.turn);
                gives_other_content |= old_parent != Some(parent);
            }
            None => self.known += 1,
        }
        if self.earliest == Some(step) {
            self.find_earliest();
        } else if parent == Self::ROOT && self.earliest.is_none_or(|known| self.begins_before(step, known)) {
            self.earliest = Some(step)
                .filter(|_| self.data(step).is_some_and(|data| data.before.is_some()))
                .or(self.earliest);
            gives_other_content = true;
        }
        if gives_other_content {
            self.contents_changed();
        }
        if has_children && self.content_at(step) != content {
            self.renew_below(step);
        }
        (step, change)
    }

    fn set_revision(&mut self, ix: StepIx, revision: u32) {
        if let Some(spine) = self.spine.get_mut(ix.index()) {
            spine.revision = revision;
        }
    }

    fn set_parent(&mut self, ix: StepIx, parent: Option<StepIx>) {
        if let Some(spine) = self.spine.get_mut(ix.index()) {
            spine.parent = parent;
        }
    }

    fn renew(&mut self, parent: StepIx) {
        let revision = self.next_revision();
        if let Some(node) = self.node_mut(parent) {
            node.brood = revision;
        }
    }

    fn link(&mut self, child: StepIx, parent: StepIx) {
        let last = self.node(parent).and_then(|node| node.last_child);
        self.set_parent(child, Some(parent));
        if let Some(node) = self.node_mut(child) {
            node.previous = last;
            node.next = None;
        }
        if let Some(node) = last.and_then(|last| self.node_mut(last)) {
            node.next = Some(child);
        }
        if let Some(node) = self.node_mut(parent) {
            node.last_child = Some(child);
            node.first_child = node.first_child.or(Some(child));
        }
    }

    fn unlink(&mut self, child: StepIx) {
        let parent = self.parent(child);
        if let Some(parent) = parent {
            self.renew(parent);
        }
        self.set_parent(child, None);
        let Some(node) = self.node_mut(child) else { return };
        let (previous, next) = (node.previous.take(), node.next.take());
        if let Some(node) = previous.and_then(|ix| self.node_mut(ix)) {
            node.next = next;
        }
        if let Some(node) = next.and_then(|ix| self.node_mut(ix)) {
            node.previous = previous;
        }
        if let Some(node) = parent.and_then(|ix| self.node_mut(ix)) {
            if node.first_child == Some(child) {
                node.first_child = next;
            }
            if node.last_child == Some(child) {
                node.last_child = previous;
            }
        }
    }
}
