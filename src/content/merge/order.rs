//! One order out of three.
//!
//! What all three have is cut into the shortest stretches that neither side carries anything into or out of. A stretch that
//! one side alone re-ordered, or both in the same way, is as they have it. A stretch that both re-ordered, each in its way, is
//! a dispute, and then all of it is in mine's order. What only one side has stands behind what it stands behind there, mine's
//! before theirs'.

use std::hash::Hash;

use hashbrown::{HashMap, HashSet};

use super::Three;

/// An order, and whether both sides agree to it.
pub struct Order<I> {
    /// What stays, in order.
    pub ids: Vec<I>,
    /// Whether both sides re-ordered the same, each in its way.
    pub is_disputed: bool,
}

/// The order of what stays. No list has an id twice.
pub fn merged<I: Copy + Eq + Hash>(lists: Three<&[I]>, stays: impl Fn(I) -> bool) -> Order<I> {
    let [in_mine, in_theirs] =
        [lists.mine, lists.theirs].map(|ids| ids.iter().copied().collect::<HashSet<I>>());
    let is_common = |id: &&I| in_mine.contains(*id) && in_theirs.contains(*id) && stays(**id);
    let common: Vec<I> = lists.base.iter().filter(is_common).copied().collect();
    let ranks: HashMap<I, usize> = common.iter().enumerate().map(|(rank, id)| (*id, rank)).collect();
    let ranked = |ids: &[I]| ids.iter().filter_map(|id| ranks.get(id).copied()).collect::<Vec<usize>>();
    let (mine, theirs) = (ranked(lists.mine), ranked(lists.theirs));
    let agreed = agreed(&mine, &theirs);
    let is_disputed = agreed.is_none();
    let leading = agreed.unwrap_or(mine);
    let leading: Vec<I> = leading.into_iter().filter_map(|rank| common.get(rank).copied()).collect();

    let mine_stay = lists.mine.iter().copied().filter(|id| stays(*id));
    let mut behind = groups(mine_stay, |id| ranks.contains_key(&id));
    let mut with_mine = behind.remove(&None).unwrap_or_default();
    for id in leading {
        with_mine.push(id);
        with_mine.extend(behind.remove(&Some(id)).unwrap_or_default());
    }

    let theirs_stay = lists.theirs.iter().copied().filter(|id| stays(*id));
    let mut behind = groups(theirs_stay, |id| in_mine.contains(&id));
    let mut ids = Vec::with_capacity(with_mine.len());
    let mut waiting = behind.remove(&None).unwrap_or_default();
    for id in with_mine {
        if in_theirs.contains(&id) {
            ids.append(&mut waiting);
            waiting = behind.remove(&Some(id)).unwrap_or_default();
        }
        ids.push(id);
    }
    ids.append(&mut waiting);
    Order { ids, is_disputed }
}

/// What has no place yet, by the last one in front of it that has.
fn groups<I: Copy + Eq + Hash>(
    ids: impl Iterator<Item = I>,
    has_place: impl Fn(I) -> bool,
) -> HashMap<Option<I>, Vec<I>> {
    let mut groups: HashMap<Option<I>, Vec<I>> = HashMap::new();
    let mut last = None;
    for id in ids {
        if has_place(id) {
            last = Some(id);
        } else {
            groups.entry(last).or_default().push(id);
        }
    }
    groups
}

/// Two orders of the numbers from 0 on as one; `None` when they get in each other's way.
fn agreed(mine: &[usize], theirs: &[usize]) -> Option<Vec<usize>> {
    let is_as_before = |from: usize, ranks: &[usize]| ranks.iter().zip(from..).all(|(rank, at)| *rank == at);
    let mut agreed = Vec::with_capacity(mine.len());
    let (mut from, mut furthest) = (0, 0);
    for (at, (m, t)) in mine.iter().zip(theirs).enumerate() {
        furthest = furthest.max(*m).max(*t);
        if furthest > at {
            continue;
        }
        let (m, t) = (mine.get(from..=at)?, theirs.get(from..=at)?);
        if m == t || is_as_before(from, t) {
            agreed.extend_from_slice(m);
        } else if is_as_before(from, m) {
            agreed.extend_from_slice(t);
        } else {
            return None;
        }
        from = at + 1;
    }
    Some(agreed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(base: &str, mine: &str, theirs: &str, gone: &str) -> (String, bool) {
        let [base, mine, theirs] = [base, mine, theirs].map(|ids| ids.chars().collect::<Vec<char>>());
        let lists = Three { base: &*base, mine: &*mine, theirs: &*theirs };
        let Order { ids, is_disputed } = merged(lists, |id| !gone.contains(id));
        (ids.into_iter().collect(), is_disputed)
    }

    #[test]
    fn p6_orders_go_together_stretch_by_stretch() {
        for (base, mine, theirs, gone, expected, is_disputed) in [
            ("abcd", "bacd", "abdc", "", "badc", false),
            ("abcd", "abcd", "dcba", "", "dcba", false),
            ("abcd", "bacd", "badc", "", "badc", false),
            ("abc", "bac", "cba", "", "bac", true),
            ("abc", "bca", "cab", "", "bca", true),
            // What only one side has stands behind what it stands behind there.
            ("abc", "amb", "abct", "c", "ambt", false),
            ("abc", "mabc", "cbta", "", "mcbta", false),
            ("ab", "abm", "abt", "", "abmt", false),
            ("ab", "mab", "tab", "", "mtab", false),
            ("ab", "ambx", "atbx", "", "amtbx", false),
            ("", "mx", "txu", "", "mtxu", false),
            // What goes is in nobody's way.
            ("abc", "bac", "cba", "b", "ca", false),
        ] {
            let name = format!("{base} {mine} {theirs} without {gone:?}");
            assert_eq!(order(base, mine, theirs, gone), (expected.into(), is_disputed), "{name}");
        }
    }
}
