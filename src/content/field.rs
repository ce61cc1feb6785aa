//! From one value to another, field by field (C4).
//!
//! Objects are compared by key, lists aligned by what is equal in them, so that an item that goes from the front of a
//! thousand is one edit; what is between two equal items is paired by what is alike. Deeper than [`DEPTH`] levels a difference is one edit of the value at that depth: that bounds the
//! work, and nobody reads a path that long.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::align::{Gap, align};
use super::alike::pairs;
use super::edit::{Path, PathStep, Place, Text};
use super::forms::{Forms, Part, Read};
use super::json::{Json, name_of};
use super::scan::{ScanFault, Scanner};
use crate::sort::sort_by_key;

/// How deep differences are followed.
pub const DEPTH: usize = 48;

/// A difference inside a value, in the order in which it has to be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldEdit {
    /// Where.
    pub path: Path,
    /// What was there; `None` when it is new.
    pub from: Option<Text>,
    /// What is there now; `None` when it goes.
    pub to: Option<Text>,
}

/// The members of an object, keys decoded; of a repeated key the last, at the place of the first.
pub fn members<'a>(object: Json<'a>) -> Vec<(Cow<'a, str>, Json<'a>)> {
    let mut members: Vec<(Cow<'a, str>, Json<'a>)> = Vec::new();
    let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
    // The text was walked over before, so this walk cannot fail.
    let _ = Scanner::new(object.text()).members(|key, scanner| {
        let key = name_of(key);
        let value = scanner.value()?;
        match places.get(&key).and_then(|at| members.get_mut(*at)) {
            Some(member) => member.1 = value,
            None => {
                places.insert(key.clone(), members.len());
                members.push((key, value));
            }
        }
        Ok::<(), ScanFault>(())
    });
    members
}

/// The items of a list.
pub fn items(list: Json<'_>) -> Vec<Json<'_>> {
    let mut items = Vec::new();
    let _ = Scanner::new(list.text()).items(|scanner| {
        items.push(scanner.value()?);
        Ok::<(), ScanFault>(())
    });
    items
}

/// What lies at a path of keys; of a repeated key the last. Makes nothing, as it is asked of every link several times.
pub fn at_path<'a>(value: Json<'a>, path: &[String]) -> Option<Json<'a>> {
    path.iter().try_fold(value, |value, key| field(value, key))
}

/// A field of an object; of a repeated key the last.
pub fn field<'a>(value: Json<'a>, name: &str) -> Option<Json<'a>> {
    let mut found = None;
    if value.is_object() {
        // The text was walked over before, so this walk cannot fail.
        let _ = Scanner::new(value.text()).members(|key, scanner| {
            let value = scanner.value()?;
            if name_of(key) == name {
                found = Some(value);
            }
            Ok::<(), ScanFault>(())
        });
    }
    found
}

/// The differences between two values of an entity, in the order in which they have to be applied.
///
/// Each tells the way to its place again. Where that takes eight times the bytes of a value as it was and as it is, that value is one
/// difference: so a long key with many numbers below it does not stand in front of each of them.
pub fn differences(place: &Place, from: Json<'_>, to: Json<'_>) -> Vec<FieldEdit> {
    // Most fields of an entity that changed stand there letter by letter as before, and are not read.
    let are_objects = from.is_object() && to.is_object();
    let changed =
        if are_objects { changed_members(from, to) } else { vec![("".into(), Some(from), Some(to))] };
    let mut forms = Forms::default();
    let changed: Vec<_> = changed
        .into_iter()
        .map(|(key, from, to)| (key, from.map(|json| forms.read(json)), to.map(|json| forms.read(json))))
        .collect();
    let said = FRAME + place.collection.len() + place.id.len();
    let mut walk = Walk { path: Vec::new(), said, found: Vec::new(), total: 0 };
    walk.within(from, to, |walk, most| {
        for (key, from, to) in &changed {
            let (from, to) = (from.as_ref().map(Read::whole), to.as_ref().map(Read::whole));
            match are_objects {
                _ if walk.total > most => return,
                true => walk.inside((PathStep::Key((&**key).into()), key.len() + 3), from, to),
                false => walk.compare(from, to),
            }
        }
    });
    let text = |json: Json<'_>| Text::from(json.text());
    let edit = |Found { path, from, to }| FieldEdit { path, from: from.map(text), to: to.map(text) };
    walk.found.into_iter().map(edit).collect()
}

/// A key, with what is there before and after.
type Changed<'a> = (Cow<'a, str>, Option<Json<'a>>, Option<Json<'a>>);

/// The members of two objects that are not written the same.
fn changed_members<'a>(from: Json<'a>, to: Json<'a>) -> Vec<Changed<'a>> {
    let (old, new) = (members(from), members(to));
    let mut by_key: HashMap<Cow<'a, str>, Json<'a>> = new.iter().cloned().collect();
    let both = old.into_iter().map(|(key, value)| {
        let other = by_key.remove(&key);
        (key, Some(value), other)
    });
    let mut changed: Vec<Changed<'a>> = both.filter(|(_, from, to)| from != to).collect();
    let come = new.into_iter().filter(|(key, _)| by_key.contains_key(key));
    changed.extend(come.map(|(key, value)| (key, None, Some(value))));
    changed
}

/// How often the bytes of a value may be spent on saying where in it something differs.
const TIMES: usize = 8;

/// Bytes that an edit takes as JSON besides its place, its path and its values.
const FRAME: usize = 64;

struct Found<'a> {
    path: Path,
    from: Option<Json<'a>>,
    to: Option<Json<'a>>,
}

/// A walk over two values, to where they differ.
struct Walk<'a> {
    path: Path,
    /// Bytes that an edit takes here, without its values.
    said: usize,
    found: Vec<Found<'a>>,
    /// Bytes that all that was found takes, without its values.
    total: usize,
}

impl<'a> Walk<'a> {
    fn found(&mut self, from: Option<Json<'a>>, to: Option<Json<'a>>) {
        self.total += self.said;
        self.found.push(Found { path: self.path.clone(), from, to });
    }

    /// What is before, after, or both times at a step further; `bytes` are what the step takes.
    fn inside(
        &mut self,
        (step, bytes): (PathStep, usize),
        from: Option<Part<'_, 'a>>,
        to: Option<Part<'_, 'a>>,
    ) {
        self.path.push(step);
        self.said += bytes;
        self.compare(from, to);
        self.said -= bytes;
        self.path.pop();
    }

    fn compare(&mut self, from: Option<Part<'_, 'a>>, to: Option<Part<'_, 'a>>) {
        match (from, to) {
            (Some(from), Some(to)) if from.form() == to.form() => {}
            (Some(from), Some(to)) => self.follow(from, to),
            (from, to) => self.found(from.map(Part::json), to.map(Part::json)),
        }
    }

    /// Two values that differ. Recurses at most [`DEPTH`] levels.
    fn follow(&mut self, from: Part<'_, 'a>, to: Part<'_, 'a>) {
        let (old, new) = (from.json(), to.json());
        if self.path.len() < DEPTH && old.is_object() && new.is_object() {
            self.within(old, new, |walk, most| walk.follow_object(from, to, most));
        } else if self.path.len() < DEPTH && old.is_list() && new.is_list() {
            self.within(old, new, |walk, most| walk.follow_list(from, to, most));
        } else {
            self.found(Some(old), Some(new));
        }
    }

    /// Looks for differences inside of two values, as long as they take no more than `most` in all; else the value is the
    /// difference.
    fn within(&mut self, from: Json<'a>, to: Json<'a>, look: impl FnOnce(&mut Self, usize)) {
        let (found, total) = (self.found.len(), self.total);
        let most = total + TIMES * (self.said + from.text().len() + to.text().len());
        look(self, most);
        if self.total > most {
            self.found.truncate(found);
            self.total = total;
            self.found(Some(from), Some(to));
        }
    }

    /// Ends early when it takes more than `most`.
    fn follow_object<'r>(&mut self, from: Part<'r, 'a>, to: Part<'r, 'a>, most: usize) {
        let (old, new) = (from.members(), to.members());
        let find = |members: &[(u32, Part<'r, 'a>)], key: u32| {
            let at = members.binary_search_by_key(&key, |(key, _)| *key).ok()?;
            members.get(at).map(|(_, part)| *part)
        };
        let stays = old.iter().map(|(key, part)| (*part, Some(*part), find(&new, *key)));
        let come = new.iter().filter(|(key, _)| find(&old, *key).is_none());
        let come = come.map(|(_, part)| (*part, None, Some(*part)));
        let mut changed: Vec<_> =
            stays.chain(come).filter(|(_, from, to)| from.map(Part::form) != to.map(Part::form)).collect();
        // As they stand in the text, first what was there.
        sort_by_key(&mut changed, |(named, from, _)| (from.is_none(), named.at));
        for (named, from, to) in changed {
            if self.total > most {
                return;
            }
            let key = named.key().unwrap_or_default();
            self.inside((PathStep::Key((&*key).into()), key.len() + 3), from, to);
        }
    }

    /// From the last gap to the first, so that the indices in front of a gap are still those of the old list. Ends early when it
    /// takes more than `most`.
    fn follow_list(&mut self, from: Part<'_, 'a>, to: Part<'_, 'a>, most: usize) {
        let (old, new): (Vec<_>, Vec<_>) = (from.items().collect(), to.items().collect());
        let forms = |parts: &[Part<'_, 'a>]| parts.iter().map(|part| part.form()).collect::<Vec<_>>();
        for Gap { old: gone, new: come } in align(&forms(&old), &forms(&new)).into_iter().rev() {
            let start = gone.start;
            let (old, new) = (old.get(gone).unwrap_or(&[]), new.get(come).unwrap_or(&[]));
            let pairs = pairs(old, new);
            let (stays, stayed): (HashSet<usize>, HashSet<usize>) = pairs.iter().copied().unzip();
            // First what goes, from the last; then what comes, from the first, so that all in front of it are in their places.
            let goes = old.iter().enumerate().rev().filter(|(at, _)| !stays.contains(at));
            let comes = new.iter().enumerate().filter(|(at, _)| !stayed.contains(at));
            let goes = goes.map(|(at, item)| (at, Some(*item), None));
            let comes = comes.map(|(at, item)| (at, None, Some(*item)));
            let both = pairs.iter().map(|(was, is)| (*is, old.get(*was).copied(), new.get(*is).copied()));
            for (at, from, to) in goes.chain(comes).chain(both) {
                if self.total > most {
                    return;
                }
                let index = start + at;
                let bytes = index.checked_ilog10().unwrap_or(0) as usize + 2;
                self.inside((PathStep::Index(index), bytes), from, to);
            }
        }
    }
}
