//! Which content belongs to a step (R7).
//!
//! What a climb towards the root finds is remembered on its way until some content changes, so that a step below HEAD costs
//! O(1) even where no step says anything about contents.

use super::{Node, StepIx, Tree};
use crate::content::ContentIx;

impl Tree {
    /// Whoever remembers a nearest content has to look again.
    pub(super) fn contents_changed(&mut self) {
        self.contents_state = self.contents_state.wrapping_add(1);
    }

    /// Whether a step says what was before it, and is earlier than another that does: by time, then by id, so that the
    /// order of arrival does not matter (T2).
    pub(super) fn begins_before(&self, step: StepIx, other: StepIx) -> bool {
        let (Some(one), Some(two)) = (self.data(step), self.data(other)) else { return false };
        let by_time = one.timestamp.total_cmp(&two.timestamp);
        one.before.is_some() && by_time.then_with(|| self.id(step).cmp(self.id(other))).is_lt()
    }

    pub(super) fn find_earliest(&mut self) {
        let begun = self
            .children(Self::ROOT)
            .filter(|child| self.data(*child).is_some_and(|data| data.before.is_some()));
        self.earliest =
            begun.reduce(|first, next| if self.begins_before(next, first) { next } else { first });
        self.contents_changed();
    }

    /// The content at a step has become another one. Those below it that do not say what was before them say other things now, as far down
    /// as no step has a content of its own.
    pub(super) fn renew_below(&mut self, step: StepIx) {
        let mut open = vec![step];
        while let Some(at) = open.pop() {
            let children: Vec<StepIx> = self.children(at).collect();
            // Each has one parent, so only the first can come again, where the parents go round in a circle.
            for child in children.into_iter().filter(|child| *child != step) {
                if self.own_content(child).is_none() {
                    open.push(child);
                } else if self.data(child).is_some_and(|data| data.before.is_none()) {
                    let revision = self.next_revision();
                    self.set_revision(child, revision);
                }
            }
        }
    }

    pub(in crate::history) fn tell_content(&mut self, step: StepIx, content: ContentIx) {
        let before = self.content_at(step);
        if let Some(node) = self.node_mut(step) {
            node.told = Some(content);
        }
        self.contents_changed();
        if before != Some(content) {
            self.renew_below(step);
        }
    }

    /// The content of a node itself: what the server told last, or what the step left behind; for the root what the
    /// earliest of the turns below it began with.
    fn own_content(&self, ix: StepIx) -> Option<ContentIx> {
        let node = self.node(ix)?;
        let own = node.told.or(node.data.as_ref().and_then(|data| data.after));
        if own.is_some() || ix != Self::ROOT {
            return own;
        }
        self.data(self.earliest?)?.before
    }

    /// The content at a step: its own, else the nearest ancestor's (R7).
    ///
    /// What a climb finds is remembered on its way until some content changes, so that a step below HEAD costs O(1).
    pub fn content_at(&self, step: StepIx) -> Option<ContentIx> {
        let mut climbed = Vec::new();
        let mut at = Some(step);
        // Bounded by the number of nodes, whatever the parents say.
        let found = loop {
            let Some(ix) = at.filter(|_| climbed.len() <= self.nodes.len()) else { break None };
            let Some(node) = self.node(ix) else { break None };
            let (state, nearest) = node.nearest.get();
            if state == self.contents_state {
                break nearest;
            }
            climbed.push(ix);
            let own = self.own_content(ix);
            if own.is_some() {
                break own;
            }
            at = self.parent(ix);
        };
        self.climbed.set(self.climbed.get() + climbed.len() as u64);
        for ix in climbed {
            if let Some(node) = self.node(ix) {
                node.nearest.set((self.contents_state, found));
            }
        }
        found
    }

    /// The same as the content of [`super::History::content_at`], looked for step by step: what tests hold that against.
    pub fn content_at_afresh(&self, step: StepIx) -> Option<ContentIx> {
        let ancestors = std::iter::successors(Some(step), |ix| self.parent(*ix));
        ancestors.take(self.nodes.len() + 1).find_map(|ix| self.own_content(ix))
    }

    /// What a step began with: what it says, else the content at its parent.
    pub fn content_before(&self, step: StepIx) -> Option<ContentIx> {
        let before = self.data(step)?.before;
        before.or_else(|| self.content_at(self.parent(step)?))
    }

    /// Every content that a step refers to.
    pub fn contents(&self) -> impl Iterator<Item = ContentIx> + '_ {
        self.nodes.iter().flat_map(referred_to)
    }

    /// The contents that one step refers to.
    pub fn contents_of(&self, step: StepIx) -> impl Iterator<Item = ContentIx> + '_ {
        self.node(step).into_iter().flat_map(referred_to)
    }
}

fn referred_to(node: &Node) -> impl Iterator<Item = ContentIx> + use<> {
    let data = node.data.as_ref();
    [node.told, data.and_then(|d| d.before), data.and_then(|d| d.after)].into_iter().flatten()
}
