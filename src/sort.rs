//! Sorting, compiled once.
//!
//! Each type and order that the standard library sorts by costs some 8 kB of WebAssembly. Here one instance of it sorts numbers
//! by an order that it is handed, and the things follow.

use std::cmp::Ordering;

/// Sorts by an order. Stable.
pub fn sort_by<T>(things: &mut Vec<T>, order: impl Fn(&T, &T) -> Ordering) {
    if things.len() < 2 {
        return;
    }
    let mut places: Vec<u32> = (0..things.len() as u32).collect();
    let thing = |place: u32| things.get(place as usize);
    sort_places(&mut places, &|a, b| match (thing(a), thing(b)) {
        (Some(a), Some(b)) => order(a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    let mut taken: Vec<Option<T>> = std::mem::take(things).into_iter().map(Some).collect();
    things.extend(places.into_iter().filter_map(|place| taken.get_mut(place as usize)?.take()));
}

/// Sorts by a key. Stable.
pub fn sort_by_key<T, K: Ord>(things: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(things, |a, b| key(a).cmp(&key(b)));
}

#[inline(never)]
fn sort_places(places: &mut [u32], order: &dyn Fn(u32, u32) -> Ordering) {
    places.sort_by(|a, b| order(*a, *b));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        for length in [0u32, 1, 2, 3, 20, 500] {
            let things: Vec<(u32, u32)> = (0..length).map(|at| (at * 7919 % 13, at)).collect();
            let (mut ours, mut theirs) = (things.clone(), things);
            sort_by_key(&mut ours, |(rank, _)| *rank);
            theirs.sort_by_key(|(rank, _)| *rank);
            assert_eq!(ours, theirs);
        }
    }
}
