//! Token counts, added up and taken away again as steps come and go (H1).

use crate::wire::Usage;

/// Token counts added up.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Sums {
    sum: [f64; 4],
    /// How many steps told each count.
    told: [u32; 4],
}

impl Sums {
    pub(super) fn add(&mut self, usage: &Usage) {
        for ((sum, told), count) in self.sum.iter_mut().zip(&mut self.told).zip(usage.counts) {
            if let Some(count) = count {
                *sum += count;
                *told += 1;
            }
        }
    }

    pub(super) fn take(&mut self, usage: &Usage) {
        for ((sum, told), count) in self.sum.iter_mut().zip(&mut self.told).zip(usage.counts) {
            if let Some(count) = count {
                *told = told.saturating_sub(1);
                *sum = if *told == 0 { 0.0 } else { *sum - count };
            }
        }
    }

    /// The sums; a count that no step told is `None`.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for ((count, sum), told) in usage.counts.iter_mut().zip(self.sum).zip(self.told) {
            *count = (told > 0).then_some(sum);
        }
        usage
    }
}
