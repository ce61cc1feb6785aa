//! From one value to another, field by field (C4).
//!
//! Objects are compared by key, lists aligned by what is equal in them, so that an item that goes from the front of a
//! thousand is one edit. Deeper than [`DEPTH`] levels a difference is one edit of the value at that depth: that bounds the
//! work, and nobody reads a path that long.

use std::borrow::Cow;

use super::align::{Gap, align};
use super::canonical;
use super::edit::{Path, PathStep, Text};
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
    let mut places: hashbrown::HashMap<Cow<'a, str>, usize> = hashbrown::HashMap::new();
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

/// The differences between two values, in the order in which they have to be applied.
pub fn differences(from: Json<'_>, to: Json<'_>) -> Vec<FieldEdit> {
    let mut edits = Vec::new();
    follow(from, to, &mut Vec::new(), &mut edits);
    edits
}

/// Recurses at most [`DEPTH`] levels.
fn follow(from: Json<'_>, to: Json<'_>, path: &mut Path, edits: &mut Vec<FieldEdit>) {
    if canonical::equal(from, to) {
        return;
    }
    let is_deep = path.len() >= DEPTH;
    if !is_deep && from.is_object() && to.is_object() {
        follow_object(from, to, path, edits);
    } else if !is_deep && from.is_list() && to.is_list() {
        follow_list(from, to, path, edits);
    } else {
        edits.push(FieldEdit {
            path: path.clone(),
            from: Some(from.text().into()),
            to: Some(to.text().into()),
        });
    }
}

fn follow_object(from: Json<'_>, to: Json<'_>, path: &mut Path, edits: &mut Vec<FieldEdit>) {
    let (old, new) = (members(from), members(to));
    let old_by_key: hashbrown::HashMap<&str, Json<'_>> =
        old.iter().map(|(key, value)| (&**key, *value)).collect();
    let new_by_key: hashbrown::HashMap<&str, Json<'_>> =
        new.iter().map(|(key, value)| (&**key, *value)).collect();
    for (key, value) in &old {
        path.push(PathStep::Key((&**key).into()));
        match new_by_key.get(&**key) {
            Some(other) => follow(*value, *other, path, edits),
            None => edits.push(FieldEdit { path: path.clone(), from: Some(value.text().into()), to: None }),
        }
        path.pop();
    }
    for (key, value) in new.iter().filter(|(key, _)| !old_by_key.contains_key(&**key)) {
        path.push(PathStep::Key((&**key).into()));
        edits.push(FieldEdit { path: path.clone(), from: None, to: Some(value.text().into()) });
        path.pop();
    }
}

/// From the last gap to the first, so that the indices in front of a gap are still those of the old list.
fn follow_list(from: Json<'_>, to: Json<'_>, path: &mut Path, edits: &mut Vec<FieldEdit>) {
    let (old, new) = (items(from), items(to));
    let forms = |items: &[Json<'_>]| items.iter().map(|item| canonical::form(*item)).collect::<Vec<_>>();
    for Gap { old: gone, new: come } in align(&forms(&old), &forms(&new)).into_iter().rev() {
        let (old, new) = (old.get(gone.clone()).unwrap_or(&[]), new.get(come).unwrap_or(&[]));
        let replaced = old.len().min(new.len());
        let mut edit = |index: usize, from: Option<&Json<'_>>, to: Option<&Json<'_>>, path: &mut Path| {
            path.push(PathStep::Index(gone.start + index));
            let text = |json: &Json<'_>| Text::from(json.text());
            match (from, to) {
                (Some(from), Some(to)) => follow(*from, *to, path, edits),
                (from, to) => {
                    edits.push(FieldEdit { path: path.clone(), from: from.map(text), to: to.map(text) })
                }
            }
            path.pop();
        };
        for index in (replaced..old.len()).rev() {
            edit(index, old.get(index), None, path);
        }
        for index in replaced..new.len() {
            edit(index, None, new.get(index), path);
        }
        for index in 0..replaced {
            edit(index, old.get(index), new.get(index), path);
        }
    }
}
