//! Steps by id. Parents are stored, children are derived (T2).
//!
//! A step whose parent has not come yet hangs below a *name*: a node without data. When the parent comes it fills
//! that node, and its children are where they belong without being touched. HEAD can point at a name, too.
//!
//! Children are an intrusive, doubly linked list, so that joining and leaving cost O(1) at any fan-out (T6, T7).

use std::num::NonZeroU32;

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use super::sums::Sums;
use super::turn_names::{TurnIx, TurnNames};
use crate::content::ContentIx;
use crate::wire::{Ending, ROOT_ID, Role, Usage};

/// A step in the tree. Valid until the step is gone from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepIx(NonZeroU32);

impl StepIx {
    pub(super) fn at(index: usize) -> Self {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        // 2^32 steps do not fit into any address space this runs in.
        StepIx(number.unwrap_or(NonZeroU32::MAX))
    }

    pub(super) fn index(self) -> usize {
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
    pub usage: Usage,
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

struct Node {
    id: Box<str>,
    parent: Option<StepIx>,
    first_child: Option<StepIx>,
    last_child: Option<StepIx>,
    next: Option<StepIx>,
    previous: Option<StepIx>,
    data: Option<StepData>,
    /// The content that a server told for this place.
    told: Option<ContentIx>,
    /// Changes whenever the data does; never used twice.
    revision: u32,
    /// The snapshot that last named it.
    seen: u32,
}

/// The tree of steps.
pub struct Tree {
    nodes: Vec<Node>,
    by_id: HashTable<StepIx>,
    hasher: DefaultHashBuilder,
    turn_names: TurnNames,
    free: Vec<StepIx>,
    known: usize,
    revision: u32,
    snapshot: u32,
    total: Sums,
}

impl Default for Tree {
    fn default() -> Self {
        let mut tree = Tree {
            nodes: Vec::new(),
            by_id: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            turn_names: TurnNames::default(),
            free: Vec::new(),
            known: 0,
            revision: 0,
            snapshot: 0,
            total: Sums::default(),
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
    pub(super) fn name(&mut self, id: &str) -> StepIx {
        if let Some(ix) = self.find(id) {
            return ix;
        }
        let revision = self.next_revision();
        let node = Node {
            id: id.into(),
            parent: None,
            first_child: None,
            last_child: None,
            next: None,
            previous: None,
            data: None,
            told: None,
            revision,
            seen: self.snapshot,
        };
        let ix = match self.free.pop() {
            Some(ix) => {
                if let Some(place) = self.node_mut(ix) {
                    *place = node;
                }
                ix
            }
            None => {
                self.nodes.push(node);
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
        self.node(ix)?.parent
    }

    /// Changes whenever the step does, and never comes twice: the step and this number name a version of it.
    pub fn revision(&self, ix: StepIx) -> u32 {
        self.node(ix).map_or(0, |node| node.revision)
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
    pub(super) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Tokens of all steps, branches included (H1).
    pub fn total_usage(&self) -> Usage {
        self.total.usage()
    }

    /// The handle of a turn's name.
    pub fn turn(&mut self, name: &str) -> TurnIx {
        self.turn_names.intern(name)
    }

    /// The handle of a turn's name, when a step ever carried it.
    pub fn find_turn(&self, name: &str) -> Option<TurnIx> {
        self.turn_names.find(name)
    }

    /// The name of a turn.
    pub fn turn_name(&self, turn: TurnIx) -> &str {
        self.turn_names.name(turn)
    }

    /// Adds a step, or updates it in place (T1, T10). An absent parent is the root. O(1).
    pub(super) fn put(&mut self, id: &str, parent: Option<&str>, data: StepData) -> (StepIx, Change) {
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
        if old_parent != Some(parent) {
            self.unlink(step);
            self.link(step, parent);
        }
        self.total.add(&data.usage);
        let revision = self.next_revision();
        let old = self.node_mut(step).and_then(|node| {
            node.revision = revision;
            node.data.replace(data)
        });
        match old {
            Some(old) => self.total.take(&old.usage),
            None => self.known += 1,
        }
        (step, change)
    }

    fn link(&mut self, child: StepIx, parent: StepIx) {
        let last = self.node(parent).and_then(|node| node.last_child);
        if let Some(node) = self.node_mut(child) {
            node.parent = Some(parent);
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
        let Some(node) = self.node_mut(child) else { return };
        let (parent, previous, next) = (node.parent.take(), node.previous.take(), node.next.take());
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

    pub(super) fn begin_snapshot(&mut self) {
        self.snapshot = self.snapshot.wrapping_add(1);
        self.mark_seen(Self::ROOT);
    }

    pub(super) fn mark_seen(&mut self, ix: StepIx) {
        let snapshot = self.snapshot;
        if let Some(node) = self.node_mut(ix) {
            node.seen = snapshot;
        }
    }

    /// Whether a step came with the snapshot that is being taken in. The root always does.
    pub(super) fn is_seen(&self, ix: StepIx) -> bool {
        self.is_known(ix) && self.node(ix).is_some_and(|node| node.seen == self.snapshot)
    }

    /// Drops the steps that no `put` named since `begin_snapshot`, what servers told of contents before it, and names
    /// that nothing hangs on; the names in `pinned` stay. Gives the number of steps dropped. O(nodes).
    pub(super) fn end_snapshot(&mut self, pinned: &[StepIx]) -> usize {
        let mut dropped = 0;
        let mut bare: Vec<StepIx> = Vec::new();
        for index in 0..self.nodes.len() {
            let ix = StepIx::at(index);
            let snapshot = self.snapshot;
            let Some(node) = self.node_mut(ix) else { continue };
            node.told = None;
            let is_fresh = node.data.is_some() && node.seen == snapshot;
            if is_fresh
                || ix == Self::ROOT
                || node.id.is_empty()
                || pinned.contains(&ix) && node.data.is_none()
            {
                continue;
            }
            if let Some(old) = node.data.take() {
                self.total.take(&old.usage);
                self.known -= 1;
                self.unlink(ix);
                dropped += 1;
            }
            if !pinned.contains(&ix) {
                bare.push(ix);
            }
        }
        // What still has children stays as a name: its children wait for it (T2).
        for ix in bare {
            let Some(node) = self.node(ix).filter(|node| node.first_child.is_none()) else {
                continue;
            };
            let hash = self.hasher.hash_one(&*node.id);
            if let Ok(entry) = self.by_id.find_entry(hash, |known| *known == ix) {
                entry.remove();
            }
            let revision = self.next_revision();
            if let Some(node) = self.node_mut(ix) {
                node.id = Box::default();
                node.revision = revision;
            }
            self.free.push(ix);
        }
        dropped
    }

    pub(super) fn tell_content(&mut self, step: StepIx, content: ContentIx) {
        if let Some(node) = self.node_mut(step) {
            node.told = Some(content);
        }
    }

    /// The content at a step: what the server told for it, its own, or for the root what its first child began with;
    /// else the nearest ancestor's (R7). Bounded by the number of nodes, whatever the parents say.
    pub(super) fn content_at(&self, step: StepIx) -> Option<ContentIx> {
        let mut at = Some(step);
        for _ in 0..=self.nodes.len() {
            let ix = at?;
            let node = self.node(ix)?;
            let own = node.data.as_ref().and_then(|data| data.after);
            if let Some(content) = node.told.or(own) {
                return Some(content);
            }
            if ix == Self::ROOT {
                return self.children(ix).find_map(|child| self.data(child)?.before);
            }
            at = node.parent;
        }
        None
    }

    /// Every content that a step refers to.
    pub fn contents(&self) -> impl Iterator<Item = ContentIx> + '_ {
        self.nodes.iter().flat_map(|node| {
            let data = node.data.as_ref();
            [node.told, data.and_then(|d| d.before), data.and_then(|d| d.after)].into_iter().flatten()
        })
    }
}
