//! Free places on the canvas: beside what is there, never on top of it or of one another.

use crate::sort::sort_by;

/// Room for one entity, in canvas units. More than a node with its label takes in any of the editors.
const ROOM: (f64, f64) = (240.0, 160.0);

/// Further out than this nobody looks, and new places are not put beside what lies there.
const IN_SIGHT: f64 = 1e6;

/// So many free places, for the positions that are taken: a block of rows to the right of everything in sight, in reading
/// order. Every place is at least one room away from all that is taken, in sight or not.
pub fn beside(taken: &[(f64, f64)], count: usize) -> Vec<(f64, f64)> {
    let columns = (1..=count).find(|columns| columns * columns >= count).unwrap_or(1);
    let width = columns as f64 * ROOM.0;
    let in_sight = |value: &f64| value.abs() <= IN_SIGHT;
    let right = taken.iter().map(|(x, _)| *x).filter(in_sight).reduce(f64::max);
    let top = taken.iter().map(|(_, y)| *y).filter(in_sight).reduce(f64::min);
    let mut left = right.map_or(0.0, |right| right.ceil() + ROOM.0);
    // What lies out of sight is passed one after the other until the block fits in front of it.
    let mut outliers: Vec<f64> = taken.iter().map(|(x, _)| *x).filter(|x| *x > IN_SIGHT).collect();
    sort_by(&mut outliers, f64::total_cmp);
    for x in outliers {
        if x >= left + width {
            break;
        }
        left = left.max(x.ceil() + ROOM.0);
    }
    let top = top.map_or(0.0, f64::floor);
    let place = |at: usize| ((at % columns) as f64 * ROOM.0 + left, (at / columns) as f64 * ROOM.1 + top);
    (0..count).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c7_new_places_are_beside_what_is_there() {
        assert_eq!(beside(&[], 0), []);
        assert_eq!(beside(&[], 1), [(0.0, 0.0)]);
        assert_eq!(beside(&[], 3), [(0.0, 0.0), (240.0, 0.0), (0.0, 160.0)]);
        assert_eq!(beside(&[(10.5, 7.5), (-5.0, 90.0)], 1), [(251.0, 7.0)]);
    }

    #[test]
    fn c7_no_place_is_on_top_of_another() {
        let far = [1e6, 1e6 + 1.0, 1e6 + 500.0, 1e9, 1e300, f64::MAX];
        for taken in [
            vec![],
            vec![(-0.0, -0.0)],
            far.map(|x| (x, 0.0)).to_vec(),
            far.map(|x| (-x, x)).to_vec(),
            (0..2_000).map(|n| (1e6 + f64::from(n) * 300.0, f64::from(n))).collect(),
        ] {
            let mut all = beside(&taken, 1_000);
            all.extend(&taken);
            for (at, a) in all.iter().enumerate().take(1_000) {
                assert!(a.0.is_finite() && a.1.is_finite());
                for b in &all[at + 1..] {
                    assert!((a.0 - b.0).abs() >= ROOM.0 || (a.1 - b.1).abs() >= ROOM.1, "{a:?} {b:?}");
                }
            }
        }
    }
}
