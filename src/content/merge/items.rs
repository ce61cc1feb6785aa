//! Lists inside of a value, merged item by item.
//!
//! Items have no ids, so it has to be found out which item of a side is which one of the base ([`super::likeness`]). Then they are
//! merged like entities: what a side adds comes, what it takes away goes, an item that both changed is merged, and the orders
//! go together ([`super::order`]). Where that would be a guess the list is one value, and a conflict: an item that one side
//! changed and the other took away; a stretch that both wrote anew; an item that came to look like another; orders that get in each other's way.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::super::canonical;
use super::super::edit::PathStep;
use super::super::field::items;
use super::super::json::Json;
use super::Three;
use super::likeness::{Items, which};
use super::order::{self, Order};
use super::value::{Inside, is_mine};

/// Which of its items is which.
struct Known {
    /// By index: the number of the item, the same in all three. Items of the base are counted from 0.
    ids: Vec<usize>,
    places: HashMap<usize, usize>,
}

impl Known {
    fn of(ids: Vec<usize>) -> Self {
        let places = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        Known { ids, places }
    }

    fn has(&self, id: usize) -> bool {
        self.places.contains_key(&id)
    }
}

impl Inside<'_> {
    /// The merged list; `None` when it is not clear how it should be.
    pub fn merge_lists<'a>(&mut self, three: Three<Json<'a>>) -> Option<Cow<'a, str>> {
        let mut numbers = HashMap::new();
        let lists = three.map(|list| {
            let values = items(list);
            let form = |item: &Json<'_>| {
                let next = numbers.len();
                *numbers.entry(canonical::form(*item)).or_insert(next)
            };
            Items { forms: values.iter().map(form).collect(), values }
        });
        let by_index = are_plain_and_as_long(&lists);
        let known = if by_index { lists.as_ref().map(numbered) } else { identified(&lists) };
        let stay = what_stays(&lists, &known)?;
        if !by_index
            && (both_wrote_anew(&known)
                || looks_like_another(&lists, &known)
                || is_one_of_several(&lists, &known))
        {
            return None;
        }
        let ids = known.as_ref().map(|known| &*known.ids);
        let Order { ids, is_disputed } = order::merged(ids, |id| stay.contains(&id));
        if is_disputed {
            return None;
        }
        let (mut merged, mut mine_alone) = (Vec::with_capacity(ids.len()), 0);
        for id in ids {
            let item = |list: &Items<'a>, known: &Known| list.values.get(*known.places.get(&id)?).copied();
            let values = Three {
                base: item(&lists.base, &known.base),
                mine: item(&lists.mine, &known.mine),
                theirs: item(&lists.theirs, &known.theirs),
            };
            self.path.push(PathStep::Index(merged.len()));
            let value = self.merge(values);
            self.path.pop();
            let value = value?;
            let is_at_home = known.mine.places.get(&id) == Some(&merged.len());
            mine_alone += usize::from(is_at_home && is_mine(&value, values.mine));
            merged.push(value);
        }
        if mine_alone == lists.mine.values.len() && mine_alone == merged.len() {
            return Some(Cow::Borrowed(three.mine.text()));
        }
        Some(Cow::Owned(format!("[{}]", merged.join(","))))
    }
}

/// Each item is the one at its index.
fn numbered(list: &Items<'_>) -> Known {
    Known::of((0..list.values.len()).collect())
}

/// Gives the items their numbers. What both sides added alike is one item.
fn identified(lists: &Three<Items<'_>>) -> Three<Known> {
    let mut next = lists.base.values.len();
    let mut added: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut mine = Vec::new();
    for (known, form) in which(&lists.base, &lists.mine).into_iter().zip(&lists.mine.forms) {
        mine.push(known.unwrap_or_else(|| {
            next += 1;
            added.entry(*form).or_default().push(next - 1);
            next - 1
        }));
    }
    added.values_mut().for_each(|ids| ids.reverse());
    let mut theirs = Vec::new();
    for (known, form) in which(&lists.base, &lists.theirs).into_iter().zip(&lists.theirs.forms) {
        let alike = || added.get_mut(form).and_then(Vec::pop);
        theirs.push(known.or_else(alike).unwrap_or_else(|| {
            next += 1;
            next - 1
        }));
    }
    Three { base: numbered(&lists.base), mine: Known::of(mine), theirs: Known::of(theirs) }
}

/// Whether these are numbers and words at fixed places: nothing in them could say that one of them moved.
fn are_plain_and_as_long(lists: &Three<Items<'_>>) -> bool {
    let is_plain = |item: &Json<'_>| !item.text().starts_with(['{', '[', '"']);
    let length = lists.base.values.len();
    lists.as_ref().all(|list| list.values.len() == length && list.values.iter().all(is_plain))
}

/// The items that stay. `None` when one side changed what the other took away.
fn what_stays(lists: &Three<Items<'_>>, known: &Three<Known>) -> Option<HashSet<usize>> {
    let mut stay = HashSet::new();
    let form = |list: &Items<'_>, known: &Known, id: usize| list.forms.get(*known.places.get(&id)?).copied();
    for id in known.mine.ids.iter().chain(&known.theirs.ids) {
        let base = form(&lists.base, &known.base, *id);
        let mine = form(&lists.mine, &known.mine, *id);
        let theirs = form(&lists.theirs, &known.theirs, *id);
        match (base, mine, theirs) {
            (_, Some(_), Some(_)) | (None, _, _) => {
                stay.insert(*id);
            }
            // One side has it no more, and the other has it as it was.
            (base, mine, theirs) if mine == base || theirs == base => {}
            _ => return None,
        }
    }
    Some(stay)
}

/// Whether both sides put something of their own in one place, and something that was there is gone, or nothing that was in
/// the list is left: what they put there may be two versions of one thing.
fn both_wrote_anew(known: &Three<Known>) -> bool {
    let Three { base, mine, theirs } = known;
    let is_common = |id: usize| base.has(id) && mine.has(id) && theirs.has(id);
    let in_front = |of: &Known, is: &dyn Fn(usize) -> bool| {
        let mut last = None;
        let mut places = HashSet::new();
        for id in &of.ids {
            if is_common(*id) {
                last = Some(*id);
            } else if is(*id) {
                places.insert(last);
            }
        }
        places
    };
    let mine_adds = in_front(mine, &|id| !base.has(id) && !theirs.has(id));
    let both_add: HashSet<Option<usize>> =
        in_front(theirs, &|id| !base.has(id) && !mine.has(id)).intersection(&mine_adds).copied().collect();
    if both_add.is_empty() {
        return false;
    }
    let goes = in_front(base, &|id| !mine.has(id) || !theirs.has(id));
    !base.ids.iter().any(|id| is_common(*id)) || !both_add.is_disjoint(&goes)
}

/// Whether a side has made something that looks like another item of the base or of the other side: it may as well be that one,
/// moved or said twice.
fn looks_like_another(lists: &Three<Items<'_>>, known: &Three<Known>) -> bool {
    let by_form = |list: &Items<'_>, known: &Known| {
        let mut ids: HashMap<usize, (usize, usize)> = HashMap::new();
        for (form, id) in list.forms.iter().zip(&known.ids) {
            let span = ids.entry(*form).or_insert((*id, *id));
            *span = (span.0.min(*id), span.1.max(*id));
        }
        ids
    };
    let base = by_form(&lists.base, &known.base);
    let is_another = |list: &Items<'_>, known: &Known, other: HashMap<usize, (usize, usize)>| {
        list.forms.iter().zip(&known.ids).any(|(form, id)| {
            let is_made = lists.base.forms.get(*id) != Some(form);
            is_made && (base.contains_key(form) || other.get(form).is_some_and(|span| *span != (*id, *id)))
        })
    };
    is_another(&lists.mine, &known.mine, by_form(&lists.theirs, &known.theirs))
        || is_another(&lists.theirs, &known.theirs, by_form(&lists.mine, &known.mine))
}

/// Whether a side changed, or took away, one of several equal items: which one cannot be told.
fn is_one_of_several(lists: &Three<Items<'_>>, known: &Three<Known>) -> bool {
    let mut seen = HashSet::new();
    let several: HashSet<usize> =
        lists.base.forms.iter().copied().filter(|form| !seen.insert(*form)).collect();
    let is_kept = |list: &Items<'_>, known: &Known, id: usize, form: usize| {
        known.places.get(&id).and_then(|at| list.forms.get(*at)) == Some(&form)
    };
    lists.base.forms.iter().enumerate().filter(|(_, form)| several.contains(*form)).any(|(id, form)| {
        !is_kept(&lists.mine, &known.mine, id, *form) || !is_kept(&lists.theirs, &known.theirs, id, *form)
    })
}
