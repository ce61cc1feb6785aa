//! What lies inside of an entity, merged: objects by key, lists by item ([`super::items`]), everything else as a whole.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::super::canonical;
use super::super::diff::point;
use super::super::edit::{Path, PathStep, Place};
use super::super::field::{DEPTH, members};
use super::super::json::{Json, quoted};
use super::{Conflict, Three};

/// The merge of one value.
pub struct Inside<'p> {
    place: &'p Place,
    /// Where the position is: two numbers that belong together.
    position: Option<&'p [String]>,
    /// Keys of the value that stay as mine has them.
    pinned: &'p [&'p str],
    /// Where in the value, as it will be.
    pub path: Path,
    /// What stands against each other in it.
    pub conflicts: Vec<Conflict>,
}

/// Whether both are there and equal, or neither is.
pub fn same(a: Option<Json<'_>>, b: Option<Json<'_>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => canonical::equal(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Whether a merged text is the very one of mine.
pub fn is_mine(merged: &str, mine: Option<Json<'_>>) -> bool {
    mine.is_some_and(|mine| std::ptr::eq(merged, mine.text()))
}

impl<'p> Inside<'p> {
    /// Of what is at a place.
    pub fn of(place: &'p Place, position: Option<&'p [String]>, pinned: &'p [&'p str]) -> Self {
        Inside { place, position, pinned, path: Vec::new(), conflicts: Vec::new() }
    }

    /// The text of the merged value; `None` when nothing is there. Recurses at most [`DEPTH`] levels.
    pub fn merge<'a>(&mut self, three: Three<Option<Json<'a>>>) -> Option<Cow<'a, str>> {
        let has_pins = self.path.is_empty() && !self.pinned.is_empty();
        if let Some(value) = three.clear(same).filter(|_| !has_pins) {
            return value.map(|json| Cow::Borrowed(json.text()));
        }
        if let Three { base: Some(base), mine: Some(mine), theirs: Some(theirs) } = three {
            let all = Three { base, mine, theirs };
            if self.path.len() < DEPTH && !self.is_position(all) {
                if all.all(Json::is_object) {
                    return Some(self.merge_objects(all));
                }
                let before = self.conflicts.len();
                let merged = if all.all(Json::is_list) { self.merge_lists(all) } else { None };
                if merged.is_some() {
                    return merged;
                }
                self.conflicts.truncate(before);
            }
        }
        self.keep_mine(three)
    }

    /// Mine, with a conflict when theirs wants something else.
    fn keep_mine<'a>(&mut self, three: Three<Option<Json<'a>>>) -> Option<Cow<'a, str>> {
        if !same(three.mine, three.theirs) && !same(three.base, three.theirs) {
            let texts = three.map(|json| json.map(Json::text));
            self.conflicts.push(Conflict::at(self.place, &self.path, texts));
        }
        three.mine.map(|json| Cow::Borrowed(json.text()))
    }

    /// Whether this is a position that nobody made something else of: x of one side and y of the other would be a place where
    /// nobody put it.
    fn is_position(&self, three: Three<Json<'_>>) -> bool {
        let is_step = |(step, key): (&PathStep, &String)| matches!(step, PathStep::Key(at) if **at == **key);
        self.position.is_some_and(|path| {
            path.len() == self.path.len()
                && self.path.iter().zip(path).all(is_step)
                && three.all(|value| point(value, &[]).is_some())
        })
    }

    fn merge_objects<'a>(&mut self, three: Three<Json<'a>>) -> Cow<'a, str> {
        let lists = three.map(members);
        let maps = lists.as_ref().map(|members| by_key(members));
        let also = lists.theirs.iter().filter(|(key, _)| !maps.mine.contains_key(&**key));
        let is_top = self.path.is_empty();
        let (mut merged, mut mine_alone) = (Vec::new(), 0);
        for (key, _) in lists.mine.iter().chain(also) {
            let values = maps.as_ref().map(|map| map.get(&**key).copied());
            self.path.push(PathStep::Key((&**key).into()));
            let is_pinned = is_top && self.pinned.contains(&&**key);
            let value = if is_pinned { self.keep_mine(values) } else { self.merge(values) };
            self.path.pop();
            if let Some(value) = value {
                mine_alone += usize::from(is_mine(&value, values.mine));
                merged.push(format!("{}:{value}", quoted(key)));
            }
        }
        if mine_alone == lists.mine.len() && mine_alone == merged.len() {
            return Cow::Borrowed(three.mine.text());
        }
        Cow::Owned(format!("{{{}}}", merged.join(",")))
    }
}

fn by_key<'m, 'a>(members: &'m [(Cow<'a, str>, Json<'a>)]) -> HashMap<&'m str, Json<'a>> {
    members.iter().map(|(key, value)| (&**key, *value)).collect()
}
