//! Which item of a list has become which item of another.

use std::cmp::Ordering;

use hashbrown::{HashMap, HashSet};

use super::super::align::{Gap, align};
use super::super::canonical;
use super::super::field::{items, members};
use super::super::json::Json;

/// The items of a list, with a number for each that says what it is.
pub struct Items<'a> {
    pub values: Vec<Json<'a>>,
    /// The same number for what is equal.
    pub forms: Vec<usize>,
}

/// For each item of a side, the item of the base that it is: first what is equal and in order, then what is equal elsewhere,
/// then what is most alike.
pub fn which(base: &Items<'_>, side: &Items<'_>) -> Vec<Option<usize>> {
    let mut known: Vec<Option<usize>> = vec![None; side.values.len()];
    let mut is_taken = vec![false; base.values.len()];
    let gaps = align(&base.forms, &side.forms);
    let (mut old, mut new) = (0, 0);
    let end = Gap { old: base.values.len()..base.values.len(), new: side.values.len()..side.values.len() };
    for gap in gaps.iter().chain([&end]) {
        for (old, new) in (old..gap.old.start).zip(new..gap.new.start) {
            pair(&mut known, &mut is_taken, old, new);
        }
        (old, new) = (gap.old.end, gap.new.end);
    }
    for (old, new) in moved(base, side, &gaps) {
        pair(&mut known, &mut is_taken, old, new);
    }
    // An item can have moved and changed as well. Where too many are left for that, it is looked for where it was.
    let left = |gap: &Gap| -> (Vec<usize>, Vec<usize>) {
        let is_left = |old: &usize| is_taken.get(*old) == Some(&false);
        let is_open = |new: &usize| known.get(*new) == Some(&None);
        (gap.old.clone().filter(is_left).collect(), gap.new.clone().filter(is_open).collect())
    };
    let anywhere = left(&Gap { old: 0..base.values.len(), new: 0..side.values.len() });
    let are_few = anywhere.0.len() * anywhere.1.len() <= PAIRS;
    let places = if are_few { vec![anywhere] } else { gaps.iter().map(left).collect() };
    for (old, new) in places.iter().flat_map(|(old, new)| alike(base, side, old, new)) {
        pair(&mut known, &mut is_taken, old, new);
    }
    known
}

fn pair(known: &mut [Option<usize>], is_taken: &mut [bool], old: usize, new: usize) {
    if let (Some(slot), Some(taken)) = (known.get_mut(new), is_taken.get_mut(old)) {
        (*slot, *taken) = (Some(old), true);
    }
}

/// Items that are somewhere else now: equal, and the only ones that are. A number says too little for that.
fn moved(base: &Items<'_>, side: &Items<'_>, gaps: &[Gap]) -> Vec<(usize, usize)> {
    let only = |list: &Items<'_>, indices: &mut dyn Iterator<Item = usize>| {
        let mut only: HashMap<usize, Option<usize>> = HashMap::new();
        for index in indices {
            if let Some(form) = list.forms.get(index) {
                only.entry(*form).and_modify(|index| *index = None).or_insert(Some(index));
            }
        }
        only
    };
    let old = only(base, &mut gaps.iter().flat_map(|gap| gap.old.clone()));
    let new = only(side, &mut gaps.iter().flat_map(|gap| gap.new.clone()));
    let has_looks =
        |at: &usize| side.values.get(*at).is_some_and(|item| item.text().starts_with(['{', '[', '"']));
    let both = new.into_iter().filter_map(|(form, at)| Some(((*old.get(&form)?)?, at?)));
    both.filter(|(_, at)| has_looks(at)).collect()
}

/// Most pairs that are looked at one by one.
const PAIRS: usize = 1024;

/// Which of some items have become which: two that have more in common with each other than with any other.
fn alike(base: &Items<'_>, side: &Items<'_>, old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    if old.len() * new.len() > PAIRS {
        return Vec::new();
    }
    let looks = |list: &Items<'_>, indices: &[usize]| -> Vec<HashSet<(String, Vec<u8>)>> {
        indices
            .iter()
            .map(|index| list.values.get(*index).map(|item| parts(*item)).unwrap_or_default())
            .collect()
    };
    let (old_parts, new_parts) = (looks(base, old), looks(side, new));
    let common: Vec<Vec<usize>> =
        old_parts.iter().map(|a| new_parts.iter().map(|b| a.intersection(b).count()).collect()).collect();
    let of_old: Vec<Option<usize>> = common.iter().map(|row| only_best(row.iter().copied())).collect();
    let column = |at: usize| common.iter().filter_map(move |row| row.get(at).copied());
    let mut found = Vec::new();
    for (at, index) in new.iter().enumerate() {
        let best = only_best(column(at)).filter(|best| of_old.get(*best) == Some(&Some(at)));
        found.extend(best.and_then(|best| Some((*old.get(best)?, *index))));
    }
    found
}

/// Which number is the largest, when one alone is, and it is not 0.
fn only_best(numbers: impl Iterator<Item = usize>) -> Option<usize> {
    let (mut best, mut largest) = (None, 0);
    for (at, number) in numbers.enumerate() {
        match number.cmp(&largest) {
            Ordering::Greater => (best, largest) = (Some(at), number),
            Ordering::Equal => best = None,
            Ordering::Less => {}
        }
    }
    best
}

/// What an item is made of: the fields of an object, the items of a list.
fn parts(item: Json<'_>) -> HashSet<(String, Vec<u8>)> {
    if item.is_object() {
        let members = members(item).into_iter();
        return members.map(|(key, value)| (key.into_owned(), canonical::form(value))).collect();
    }
    let items = if item.is_list() { items(item) } else { Vec::new() };
    items.into_iter().map(|item| (String::new(), canonical::form(item))).collect()
}
