//! Tokens of the steps on the path (H1).
//!
//! Counted when somebody looks, from where it last got to. What the first 64, 128, … steps came to is remembered, so that a HEAD that
//! moves back costs what lies behind the last of those and not the steps that it leaves.

use super::path::Path;
use super::sums::{Counts, Sums};
use super::tree::Tree;
use crate::wire::Usage;

/// Steps from one remembered sum to the next.
const SPAN: usize = 64;

/// The sum over a path, as far as it was counted.
#[derive(Default)]
pub(super) struct RunningUsage {
    /// What came before each step whose position is a multiple of [`SPAN`].
    marks: Vec<Sums>,
    sums: Sums,
    counted: usize,
}

impl RunningUsage {
    /// The sum over all of the path. O(steps that are new to it).
    pub(super) fn of(&mut self, tree: &Tree, path: &Path) -> Usage {
        for step in path.iter().skip(self.counted) {
            if self.counted.is_multiple_of(SPAN) {
                self.marks.push(self.sums);
            }
            if let Some(data) = tree.data(step) {
                self.sums.add(&data.usage);
            }
            self.counted += 1;
        }
        self.sums.usage()
    }

    /// The path has only so many of its steps left.
    pub(super) fn cut(&mut self, length: usize) {
        if length >= self.counted {
            return;
        }
        let whole = length / SPAN;
        self.sums = self.marks.get(whole).copied().unwrap_or_default();
        self.marks.truncate(whole);
        self.counted = whole * SPAN;
    }

    /// The step at a position tells other counts now.
    pub(super) fn reweigh(&mut self, position: usize, before: &Counts, now: &Counts) {
        if position >= self.counted {
            return;
        }
        for sums in self.marks.iter_mut().skip(position / SPAN + 1).chain([&mut self.sums]) {
            sums.take(before);
            sums.add(now);
        }
    }
}
