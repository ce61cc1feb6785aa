//! Token counts, added up and taken away again as steps come and go (H1).

use crate::wire::Usage;

/// The token counts of one step, ready to be added: whole numbers. What is no count of tokens (negative, fractional, beyond 2^53) stays in the
/// step's text and is not summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts([u64; 4]);

/// In place of a count that the step did not tell.
const UNTOLD: u64 = u64::MAX;

/// The largest whole number up to which a double has all.
const MOST: f64 = 9_007_199_254_740_992.0;

fn whole(count: Option<f64>) -> u64 {
    let is_whole = |count: &f64| *count >= 0.0 && *count <= MOST && count.fract() == 0.0;
    count.filter(is_whole).map_or(UNTOLD, |count| count as u64)
}

impl From<Usage> for Counts {
    fn from(usage: Usage) -> Self {
        Counts(usage.counts.map(whole))
    }
}

impl Default for Counts {
    fn default() -> Self {
        Counts([UNTOLD; 4])
    }
}

/// Sums of the counts that steps told. Whole numbers, so that taking away undoes adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Sums {
    sum: [u64; 4],
    /// How many steps told each count.
    told: [u32; 4],
}

impl Sums {
    // Without branches: a path of 100,000 steps is added up while somebody waits for it.
    pub(super) fn add(&mut self, counts: &Counts) {
        for ((sum, told), count) in self.sum.iter_mut().zip(&mut self.told).zip(counts.0) {
            let is_told = count != UNTOLD;
            *sum = sum.wrapping_add(if is_told { count } else { 0 });
            *told += u32::from(is_told);
        }
    }

    pub(super) fn take(&mut self, counts: &Counts) {
        for ((sum, told), count) in self.sum.iter_mut().zip(&mut self.told).zip(counts.0) {
            let is_told = count != UNTOLD;
            *sum = sum.wrapping_sub(if is_told { count } else { 0 });
            *told = told.saturating_sub(u32::from(is_told));
        }
    }

    /// The sums; a count that no step told is `None`.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for ((count, sum), told) in usage.counts.iter_mut().zip(self.sum).zip(self.told) {
            *count = (told > 0).then_some(sum as f64);
        }
        usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h1_taking_away_undoes_adding_whatever_was_told() {
        let told = |count| Counts::from(Usage { counts: [Some(count), None, None, None] });
        let mut sums = Sums::default();
        sums.add(&told(5.0));
        for odd in [1e300, 0.1, -3.0, f64::NAN, f64::INFINITY, MOST] {
            sums.add(&told(odd));
            sums.take(&told(odd));
            assert_eq!(sums.usage().counts, [Some(5.0), None, None, None], "{odd}");
        }
        sums.take(&told(5.0));
        assert_eq!(sums.usage(), Usage::default());
    }
}
