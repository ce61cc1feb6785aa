//! A snapshot replaces everything: what it does not name is gone.

use std::hash::BuildHasher;

use super::{StepIx, Tree};

impl Tree {
    pub(in crate::history) fn begin_snapshot(&mut self) {
        self.snapshot = self.snapshot.wrapping_add(1);
        self.mark_seen(Self::ROOT);
    }

    pub(in crate::history) fn mark_seen(&mut self, ix: StepIx) {
        let snapshot = self.snapshot;
        if let Some(node) = self.node_mut(ix) {
            node.seen = snapshot;
        }
    }

    /// Whether a step came with the snapshot that is being taken in. The root always does.
    pub(in crate::history) fn is_seen(&self, ix: StepIx) -> bool {
        self.is_known(ix) && self.node(ix).is_some_and(|node| node.seen == self.snapshot)
    }

    /// Drops the steps that no `put` named since `begin_snapshot`, what servers told of contents before it, and names
    /// that nothing hangs on; the names in `pinned` stay. Gives the number of steps dropped. O(nodes).
    pub(in crate::history) fn end_snapshot(&mut self, pinned: &[StepIx]) -> usize {
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
                self.turn_names.take_step(old.turn);
                self.known -= 1;
                self.unlink(ix);
                dropped += 1;
            }
            if !pinned.contains(&ix) {
                bare.push(ix);
            }
        }
        self.find_earliest();
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
            }
            self.set_revision(ix, revision);
            self.free.push(ix);
        }
        dropped
    }
}
