//! From one value to another, field by field (C4).
//!
//! Objects are compared by key, lists aligned by what is equal in them, so that an item that goes from the front of a
//! thousand is one edit; what is between two equal items is paired by what is alike. Deeper than [`DEPTH`] levels a difference is one edit of the value at that depth: that bounds the
//! work, and nobody reads a path that long.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::align::{Gap, align};
use super::alike::pairs;
use super::canonical;
use super::edit::{Path, PathStep, Place, Text};
use super::json::{Json, name_of};
use super::scan::{ScanFault, Scanner};

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
    let said = FRAME + place.collection.len() + place.id.len();
    let mut walk = Walk { path: Vec::new(), said, found: Vec::new(), total: 0 };
    walk.compare(Some(from), Some(to));
    let text = |json: Json<'_>| Text::from(json.text());
    let edit = |Found { path, from, to }| FieldEdit { path, from: from.map(text), to: to.map(text) };
    walk.found.into_iter().map(edit).collect()
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

    fn inside(&mut self, step: PathStep, bytes: usize, look: impl FnOnce(&mut Self)) {
        self.path.push(step);
        self.said += bytes;
        look(self);
        self.said -= bytes;
        self.path.pop();
    }

    fn at_key(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        self.inside(PathStep::Key(key.into()), key.len() + 3, look);
    }

    fn at_index(&mut self, at: usize, look: impl FnOnce(&mut Self)) {
        self.inside(PathStep::Index(at), at.checked_ilog10().unwrap_or(0) as usize + 2, look);
    }

    /// Two values that differ. Recurses at most [`DEPTH`] levels.
    fn follow(&mut self, from: Json<'a>, to: Json<'a>) {
        let (found, total) = (self.found.len(), self.total);
        let most = total + TIMES * (self.said + from.text().len() + to.text().len());
        if self.path.len() < DEPTH && from.is_object() && to.is_object() {
            self.follow_object(from, to, most);
        } else if self.path.len() < DEPTH && from.is_list() && to.is_list() {
            self.follow_list(from, to, most);
        } else {
            return self.found(Some(from), Some(to));
        }
        if self.total > most {
            self.found.truncate(found);
            self.total = total;
            self.found(Some(from), Some(to));
        }
    }

    /// What is there before, after, or both.
    fn compare(&mut self, from: Option<Json<'a>>, to: Option<Json<'a>>) {
        match (from, to) {
            (Some(from), Some(to)) if canonical::equal(from, to) => {}
            (Some(from), Some(to)) => self.follow(from, to),
            (from, to) => self.found(from, to),
        }
    }

    /// Ends early when it takes more than `most`.
    fn follow_object(&mut self, from: Json<'a>, to: Json<'a>, most: usize) {
        let (old, new) = (members(from), members(to));
        let by_key = |members: &[(Cow<'a, str>, Json<'a>)]| -> HashMap<Cow<'a, str>, Json<'a>> {
            members.iter().cloned().collect()
        };
        let (old_by_key, new_by_key) = (by_key(&old), by_key(&new));
        let stays = old.iter().map(|(key, value)| (key, Some(*value), new_by_key.get(key).copied()));
        let come = new.iter().filter(|(key, _)| !old_by_key.contains_key(key));
        for (key, from, to) in stays.chain(come.map(|(key, value)| (key, None, Some(*value)))) {
            if self.total > most {
                return;
            }
            if from.zip(to).is_none_or(|(from, to)| from.text() != to.text()) {
                self.at_key(key, |walk| walk.compare(from, to));
            }
        }
    }

    /// From the last gap to the first, so that the indices in front of a gap are still those of the old list. Ends early when it
    /// takes more than `most`.
    fn follow_list(&mut self, from: Json<'a>, to: Json<'a>, most: usize) {
        let (old, new) = (items(from), items(to));
        let mut known = HashMap::new();
        let (old_forms, new_forms) = (numbered(&old, &mut known), numbered(&new, &mut known));
        for Gap { old: gone, new: come } in align(&old_forms, &new_forms).into_iter().rev() {
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
                self.at_index(start + at, |walk| walk.compare(from, to));
            }
        }
    }
}

/// A number for each item; two that say the same have the same.
fn numbered(items: &[Json<'_>], known: &mut HashMap<Vec<u8>, usize>) -> Vec<usize> {
    let mut number = |item: &Json<'_>| {
        let next = known.len();
        *known.entry(canonical::form(*item)).or_insert(next)
    };
    items.iter().map(&mut number).collect()
}
