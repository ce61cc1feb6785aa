//! What two lists have in common, in order: the longest common subsequence, by Myers' greedy algorithm ("An O(ND)
//! difference algorithm and its variations", 1986), between a common beginning and a common end.
//!
//! What stands in one of the lists alone is in no common sequence, so it is passed over first. Lists of the same things in
//! quite another order would cost the product of their lengths; after so many differences that each thing was looked at some
//! dozens of times, or some hundreds of differences, what is between beginning and end counts as one gap.

use std::hash::Hash;
use std::ops::Range;

use hashbrown::HashSet;

/// A stretch of the old list that has become a stretch of the new one. Never both empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// In the old list.
    pub old: Range<usize>,
    /// In the new list.
    pub new: Range<usize>,
}

/// Most differences that are looked for exactly: d of them cost d² steps.
fn most_differences(things: usize) -> usize {
    things.min((64 * things).isqrt()).min(400)
}

/// The gaps between what is common, in order.
pub fn align<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Gap> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (old.get(start..).unwrap_or(&[]), new.get(start..).unwrap_or(&[]));
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_middle = old_rest.get(..old_rest.len() - end).unwrap_or(&[]);
    let new_middle = new_rest.get(..new_rest.len() - end).unwrap_or(&[]);
    let (old_places, old_things) = also_in(old_middle, new_middle);
    let (new_places, new_things) = also_in(new_middle, old_middle);
    let common = common(&old_things, &new_things).unwrap_or_default();
    let place = |places: &[usize], at: usize| places.get(at).copied();
    let pairs = common.into_iter().filter_map(|(x, y)| place(&old_places, x).zip(place(&new_places, y)));
    let mut gaps = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    for (at_old, at_new) in pairs.chain([(old_middle.len(), new_middle.len())]) {
        if at_old > from_old || at_new > from_new {
            gaps.push(Gap { old: start + from_old..start + at_old, new: start + from_new..start + at_new });
        }
        (from_old, from_new) = (at_old + 1, at_new + 1);
    }
    gaps
}

/// The things of a list that are in another one, too, with where they stand.
fn also_in<'t, T: Eq + Hash>(list: &'t [T], other: &[T]) -> (Vec<usize>, Vec<&'t T>) {
    let known: HashSet<&T> = other.iter().collect();
    list.iter().enumerate().filter(|(_, thing)| known.contains(thing)).unzip()
}

/// Pairs of positions of a longest common subsequence, in order; `None` when it takes too much effort.
fn common<T: PartialEq>(old: &[T], new: &[T]) -> Option<Vec<(usize, usize)>> {
    let (n, m) = (old.len() as isize, new.len() as isize);
    let most = most_differences(old.len() + new.len()) as isize;
    // Furthest x on each diagonal k = x − y, after d differences; diagonals are offset so that none is negative.
    let width = 2 * most as usize + 3;
    let place = |k: isize| (k + most + 1) as usize;
    let get = |v: &[isize], k: isize| v.get(place(k)).copied().unwrap_or(-1);
    let mut v = vec![0isize; width];
    let mut trace: Vec<Vec<isize>> = Vec::new();
    for d in 0..=most {
        trace.push(v.get(place(-d - 1)..=place(d + 1)).unwrap_or(&[]).to_vec());
        for k in (-d..=d).step_by(2) {
            let down = k == -d || (k != d && get(&v, k - 1) < get(&v, k + 1));
            let mut x = if down { get(&v, k + 1) } else { get(&v, k - 1) + 1 };
            let mut y = x - k;
            while x < n && y < m && same(old, new, x, y) {
                (x, y) = (x + 1, y + 1);
            }
            if let Some(slot) = v.get_mut(place(k)) {
                *slot = x;
            }
            if x >= n && y >= m {
                return Some(walk_back(&trace, n, m));
            }
        }
    }
    None
}

fn same<T: PartialEq>(old: &[T], new: &[T], x: isize, y: isize) -> bool {
    match (usize::try_from(x), usize::try_from(y)) {
        (Ok(x), Ok(y)) => matches!((old.get(x), new.get(y)), (Some(a), Some(b)) if a == b),
        _ => false,
    }
}

/// From the end to the beginning along what was furthest at each number of differences.
fn walk_back(trace: &[Vec<isize>], n: isize, m: isize) -> Vec<(usize, usize)> {
    let (mut x, mut y) = (n, m);
    let mut pairs = Vec::new();
    for (d, v) in trace.iter().enumerate().rev() {
        let (d, k) = (d as isize, x - y);
        // Each knows the diagonals from −d − 1 to d + 1.
        let get = |v: &[isize], k: isize| v.get((k + d + 1) as usize).copied().unwrap_or(-1);
        let down = k == -d || (k != d && get(v, k - 1) < get(v, k + 1));
        let before = if down { k + 1 } else { k - 1 };
        let (from_x, from_y) = if d == 0 { (0, 0) } else { (get(v, before), get(v, before) - before) };
        while x > from_x && y > from_y {
            (x, y) = (x - 1, y - 1);
            if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) {
                pairs.push((x, y));
            }
        }
        (x, y) = (from_x, from_y);
    }
    pairs.reverse();
    pairs
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::indexing_slicing)] // a test may; the lint knows only a plain `cfg(test)`
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The length of a longest common subsequence, by the table that everybody knows.
    fn longest(a: &[u8], b: &[u8]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (at, y) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if x == y { corner + 1 } else { above.max(row[at]) };
                corner = above;
            }
        }
        row[b.len()]
    }

    fn check(a: &[u8], b: &[u8], is_exact: bool) {
        let gaps = align(a, b);
        // What lies between the gaps is the same in both, and the gaps lead from one to the other.
        let (mut old, mut new, mut kept) = (0, 0, 0);
        for gap in gaps.iter().chain([&Gap { old: a.len()..a.len(), new: b.len()..b.len() }]) {
            assert_eq!(a[old..gap.old.start], b[new..gap.new.start]);
            kept += gap.old.start - old;
            (old, new) = (gap.old.end, gap.new.end);
        }
        assert!(gaps.iter().all(|gap| !(gap.old.is_empty() && gap.new.is_empty())));
        if is_exact {
            assert_eq!(kept, longest(a, b), "{a:?} {b:?} {gaps:?}");
        }
    }

    #[test]
    fn c4_the_first_of_a_thousand_is_one_gap() {
        let old: Vec<u32> = (0..1_000).collect();
        assert_eq!(align(&old, &old[1..]), [Gap { old: 0..1, new: 0..0 }]);
        assert_eq!(align(&old, &old), []);
        let every_other: Vec<u32> = (0..1_000).map(|n| if n % 2 == 0 { n } else { n + 5_000 }).collect();
        assert_eq!(align(&old, &every_other).len(), 500, "however many are replaced");
        let lists_without_anything_in_common: (Vec<u32>, Vec<u32>) =
            ((0..5_000).collect(), (9_000..15_000).collect());
        let (a, b) = lists_without_anything_in_common;
        assert_eq!(align(&a, &b), [Gap { old: 0..5_000, new: 0..6_000 }]);
    }

    proptest! {
        #[test]
        fn c4_nothing_longer_is_in_common(a in prop::collection::vec(0u8..4, 0..30), b in prop::collection::vec(0u8..4, 0..30)) {
            check(&a, &b, true);
        }
    }
}
