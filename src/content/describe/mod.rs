//! Edits as sentences for a person (C6).
//!
//! One sentence an entity, however many edits it has; what belongs to an entity (its place on the canvas) is told with it.
//! A sentence has words and the person's own texts, never JSON: what is neither short nor text is summed up. Every edit
//! list on every content has sentences, edits that fit nowhere too, and the work is linear in both.

mod names;
mod words;

use hashbrown::HashMap;

use self::names::{Names, Side};
use self::words::{
    CONDITION, change, child, condition_parts, condition_text, counted, first_upper, json, reading,
    shown_name, singular, words,
};
use super::edit::{Edit, PathStep, Place, Summary};
use super::field::{DEPTH, at_path};
use super::json::{Json, name_of};
use super::schema::{Collection, Kind};
use super::store::{ContentIx, ContentStore};

/// What a sentence tells; also the order in which sentences about one collection are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SentenceKind {
    /// It comes.
    Added,
    /// It goes.
    Removed,
    /// Something in it is different.
    Changed,
    /// It is somewhere else on the canvas, and nothing more.
    Moved,
    /// The same entities in another order.
    Reordered,
}

/// What happened to an entity, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The entity; without an id, a value or several entities of the collection.
    pub place: Place,
    /// What happened.
    pub kind: SentenceKind,
    /// The words. No full stop at the end.
    pub text: String,
}

/// Most moves that are told one by one.
const FEW_MOVES: usize = 3;
/// Most changes of one entity that are told.
const FEW_CHANGES: usize = 8;

/// What happens to an entity.
#[derive(Default)]
struct Group<'e> {
    collection: &'e str,
    id: &'e str,
    added: Option<&'e str>,
    removed: Option<&'e str>,
    changes: Vec<Change<'e>>,
    moved: bool,
    placed: bool,
    unplaced: bool,
    reordered: bool,
    /// Links that go with it.
    links: usize,
    /// A link that is counted where it ended.
    is_counted: bool,
}

pub(in crate::content) struct Change<'e> {
    /// What of the entity, when that lies in a collection of its own.
    about: Option<&'e str>,
    place: &'e Place,
    path: &'e [PathStep],
    from: Option<&'e str>,
    to: Option<&'e str>,
}

impl ContentStore {
    /// The sentences for edits that lead from one content to another. Names are looked up in both.
    ///
    /// In the order of the schema's collections, then of [`SentenceKind`], then of the edits.
    pub fn describe(&self, a: ContentIx, b: ContentIx, edits: &[Edit]) -> Vec<Sentence> {
        let mut groups = self.grouped(edits);
        self.count_links(&mut groups);
        let [old, new] = Side::both(self, a, b);
        let mut names = Names { old, new, known: HashMap::new() };
        let mut told: Vec<Sentence> = Vec::new();
        let mut quiet = Vec::new();
        let mut moves: HashMap<(&str, bool), Vec<Sentence>> = HashMap::new();
        for group in groups.iter().filter(|group| !group.is_counted) {
            let (kind, text) = names.sentence(self.collection(group.collection), group);
            let place = Place { collection: group.collection.into(), id: group.id.into() };
            let sentence = Sentence { place, kind, text };
            if kind == SentenceKind::Moved {
                moves.entry((group.collection, group.moved)).or_default().push(sentence);
            } else if self.is_empty_key(group) {
                quiet.push(sentence);
            } else {
                told.push(sentence);
            }
        }
        for ((collection, moved), sentences) in moves {
            if sentences.len() <= FEW_MOVES {
                told.extend(sentences);
                continue;
            }
            let verb = if moved { "Moved" } else { "Placed" };
            let text = format!("{verb} {}", counted(sentences.len(), collection));
            let place = Place { collection: collection.into(), id: "".into() };
            told.push(Sentence { place, kind: SentenceKind::Moved, text });
        }
        // That a list is there, with nothing in it, is worth a sentence only when there is no other.
        let mut told = if told.is_empty() { quiet } else { told };
        let turns: HashMap<(&str, &str), usize> =
            groups.iter().enumerate().map(|(turn, group)| ((group.collection, group.id), turn)).collect();
        told.sort_by_cached_key(|Sentence { place, kind, text }| {
            let rank = self.schema.at(&place.collection).map_or(u8::MAX, |(index, _)| index);
            (rank, *kind, turns.get(&(&*place.collection, &*place.id)).copied(), text.clone())
        });
        told
    }

    /// Counts the entities that edits touch, by what happens to them.
    pub fn summary(&self, edits: &[Edit]) -> Summary {
        let mut summary = Summary::default();
        for group in self.grouped(edits) {
            match (group.added, group.removed) {
                (Some(_), None) => summary.added += 1,
                (None, Some(_)) => summary.removed += 1,
                (Some(_), Some(_)) => summary.changed += 1,
                (None, None) if !group.changes.is_empty() => summary.changed += 1,
                (None, None) if group.moved || group.placed || group.unplaced => summary.moved += 1,
                (None, None) => {}
            }
        }
        summary
    }

    fn collection(&self, key: &str) -> Option<&Collection> {
        self.schema.at(key).map(|(_, collection)| collection)
    }

    /// The collection whose entities own those of a collection: a position belongs to the operator whose id is its key.
    fn owners(&self) -> HashMap<&str, &str> {
        let owner = |collection: &Collection| {
            let mine = |reference: &&super::schema::Ref| reference.field.is_empty();
            collection.refs.iter().find(mine).and_then(|reference| self.collection(&reference.to))
        };
        let direct = self.schema.collections.iter().map(|collection| {
            // A schema that was read has no circle; one that was put together by hand may.
            let mut last = collection;
            for _ in &self.schema.collections {
                last = owner(last).unwrap_or(last);
            }
            (collection.path.as_str(), last.path.as_str())
        });
        direct.collect()
    }

    fn grouped<'e>(&'e self, edits: &'e [Edit]) -> Vec<Group<'e>> {
        let owners = self.owners();
        let mut groups: Vec<Group<'e>> = Vec::new();
        let mut places: HashMap<(&str, &str), usize> = HashMap::new();
        for edit in edits {
            let own = edit.collection();
            let (id, is_whole): (&str, bool) = match edit {
                Edit::Set { place, .. } | Edit::Unset { place, .. } => (&place.id, place.id.is_empty()),
                Edit::Add { place, .. } | Edit::Remove { place, .. } | Edit::Move { place, .. } => {
                    (&place.id, false)
                }
                Edit::Order { .. } => ("", true),
            };
            let owner = owners.get(own).copied().filter(|_| !is_whole).unwrap_or(own);
            let is_position =
                self.collection(own).is_some_and(|own| own.position.as_ref().is_some_and(Vec::is_empty));
            let about = (owner != own).then_some(if is_position { "position" } else { own });
            let at = *places.entry((owner, id)).or_insert(groups.len());
            if at == groups.len() {
                groups.push(Group { collection: owner, id, ..Group::default() });
            }
            let Some(group) = groups.get_mut(at) else { continue };
            match edit {
                Edit::Add { value, .. } if about.is_none() => group.added = Some(value),
                Edit::Remove { value, .. } if about.is_none() => group.removed = Some(value),
                Edit::Add { .. } if is_position => group.placed = true,
                Edit::Remove { .. } if is_position => group.unplaced = true,
                Edit::Add { place, value, .. } => {
                    group.changes.push(Change { about, place, path: &[], from: None, to: Some(value) });
                }
                Edit::Remove { place, value, .. } => {
                    group.changes.push(Change { about, place, path: &[], from: Some(value), to: None });
                }
                Edit::Set { place, path, from, to } => {
                    group.changes.push(Change { about, place, path, from: from.as_deref(), to: Some(to) });
                }
                Edit::Unset { place, path, from } => {
                    group.changes.push(Change { about, place, path, from: Some(from), to: None });
                }
                Edit::Move { .. } => group.moved = true,
                Edit::Order { .. } => group.reordered = true,
            }
        }
        for group in &mut groups {
            if group.placed && group.unplaced {
                (group.moved, group.placed, group.unplaced) = (true, false, false);
            }
        }
        groups
    }

    /// A link that goes with an entity it hung on is no news of its own.
    fn count_links(&self, groups: &mut [Group<'_>]) {
        let goes = |group: &Group<'_>| group.removed.is_some() && group.added.is_none();
        let gone: HashMap<(Box<str>, Box<str>), usize> = groups
            .iter()
            .enumerate()
            .filter(|(_, group)| goes(group) && !self.collection(group.collection).is_some_and(is_link))
            .map(|(at, group)| ((group.collection.into(), group.id.into()), at))
            .collect();
        if gone.is_empty() {
            return;
        }
        for at in 0..groups.len() {
            let Some(group) = groups.get_mut(at).filter(|group| goes(group)) else { continue };
            let Some(link) = self.collection(group.collection).filter(|link| is_link(link)) else { continue };
            let Some(value) = group.removed.and_then(json) else { continue };
            let end = ends(link, value).into_iter().find_map(|(to, id)| gone.get(&(to.into(), id?.into())));
            group.is_counted = end.is_some();
            if let Some(end) = end.and_then(|end| groups.get_mut(*end)) {
                end.links += 1;
            }
        }
    }

    /// Whether all that happened is that a list of entities is there now, or no longer, and empty.
    fn is_empty_key(&self, group: &Group<'_>) -> bool {
        let [Change { path: [], from, to, .. }] = group.changes.as_slice() else { return false };
        let is_empty = |text: &&str| matches!(text.trim(), "[]" | "{}");
        let is_one = from.xor(*to).as_ref().is_some_and(is_empty);
        group.id.is_empty()
            && is_one
            && self.collection(group.collection).is_some_and(|c| c.kind != Kind::Value)
    }
}

/// Whether the entities of a collection join others.
fn is_link(collection: &Collection) -> bool {
    collection.refs.iter().filter(|reference| !reference.field.is_empty()).count() > 1
}

/// What a link joins: the collection and the id of each end.
fn ends<'c>(link: &'c Collection, value: Json<'_>) -> Vec<(&'c str, Option<String>)> {
    let refs = link.refs.iter().filter(|reference| !reference.field.is_empty());
    let id = |value: Json<'_>| Some(name_of(value.text().strip_prefix('"')?.strip_suffix('"')?).into_owned());
    refs.map(|end| (end.to.as_str(), at_path(value, &end.field).and_then(id))).collect()
}

impl Names<'_> {
    fn sentence(&mut self, schema: Option<&Collection>, group: &Group<'_>) -> (SentenceKind, String) {
        let link = schema.filter(|schema| is_link(schema));
        let name = self.name(group.collection, group.id, group.added.or(group.removed));
        let mut joins = |text: Option<&str>| Some(self.joined(link?, Some(text.and_then(json)?)));
        match (group.removed, group.added) {
            (Some(_), Some(_)) => match (joins(group.removed), joins(group.added)) {
                (Some(old), Some(new)) if old == new => {
                    (SentenceKind::Changed, format!("Reconnected {new} at another port"))
                }
                (Some(old), Some(new)) => (SentenceKind::Changed, format!("Reconnected {old} as {new}")),
                _ => (SentenceKind::Changed, format!("Replaced {name}")),
            },
            (None, Some(_)) => {
                let text =
                    joins(group.added).map_or(format!("Added {name}"), |ends| format!("Connected {ends}"));
                (SentenceKind::Added, text)
            }
            (Some(_), None) => {
                let mut text = joins(group.removed)
                    .map_or(format!("Removed {name}"), |ends| format!("Disconnected {ends}"));
                if group.links > 0 {
                    text.push_str(&format!(" ({})", counted(group.links, "links")));
                }
                (SentenceKind::Removed, text)
            }
            (None, None) => self.changed(schema, group, &name),
        }
    }

    fn changed(
        &mut self,
        schema: Option<&Collection>,
        group: &Group<'_>,
        name: &str,
    ) -> (SentenceKind, String) {
        // A key that no schema knows is somebody's own word.
        let key = schema.map_or_else(|| shown_name(group.collection), |_| words(group.collection));
        let mut subject = match schema {
            Some(schema) if group.id.is_empty() || schema.label.is_empty() => first_upper(name),
            _ => name.to_owned(),
        };
        if group.id.is_empty() {
            match group.changes.as_slice() {
                [Change { path: [], from: None, to: Some(to), .. }] => {
                    return (SentenceKind::Added, format!("Added {key}: {}", reading(to)));
                }
                [Change { path: [], from: Some(from), to: None, .. }] => {
                    return (SentenceKind::Removed, format!("Removed {key}, was {}", reading(from)));
                }
                [] if group.reordered => return (SentenceKind::Reordered, format!("Reordered {key}")),
                [] => {}
                _ => subject = if schema.is_some() { first_upper(&key) } else { key },
            }
        } else if let Some(link) = schema.filter(|schema| is_link(schema)) {
            let (collection, id) = (group.collection, group.id);
            let kept = self.new.value(collection, id).or_else(|| self.old.value(collection, id));
            let value = kept.as_deref().map(Json::scanned);
            if value.is_some() {
                subject = format!("{} {}", first_upper(&singular(collection)), self.joined(link, value));
            }
        }
        let mut parts = self.changes(&group.changes);
        if parts.is_empty() && (group.moved || group.placed) && !group.unplaced {
            return (SentenceKind::Moved, format!("{} {name}", if group.moved { "Moved" } else { "Placed" }));
        }
        let flags = [
            (group.moved, "moved"),
            (group.placed, "placed"),
            (group.unplaced, "no longer placed"),
            (group.reordered, "reordered"),
        ];
        parts.extend(flags.iter().filter(|(is, _)| *is).map(|(_, word)| (*word).to_owned()));
        (SentenceKind::Changed, format!("{subject}: {}", parts.join("; ")))
    }

    fn changes(&mut self, changes: &[Change<'_>]) -> Vec<String> {
        let mut parts = Vec::new();
        let mut rest = changes;
        while let Some((first, others)) = rest.split_first() {
            if parts.len() == FEW_CHANGES {
                parts.push(format!("and {} more", rest.len()));
                break;
            }
            let (text, others) = self.condition(rest).unwrap_or_else(|| (change(first), others));
            parts.push(text);
            rest = others;
        }
        parts
    }

    /// Changes inside of one condition, told as the condition: `age > 30 → age > 40`. With the changes that follow.
    fn condition<'c, 'x>(&mut self, changes: &'c [Change<'x>]) -> Option<(String, &'c [Change<'x>])> {
        let part_of = |change: &Change<'x>| match change.path.split_last() {
            Some((PathStep::Key(key), parent)) if parent.len() <= DEPTH => {
                Some((parent, CONDITION.iter().position(|name| **name == **key)?))
            }
            _ => None,
        };
        let first = changes.first()?;
        let (parent, _) = part_of(first)?;
        let kept = self.old.value(&first.place.collection, &first.place.id)?;
        let value = Json::scanned(&kept);
        let before = condition_parts(parent.iter().try_fold(value, child)?)?;
        let mut after = before;
        let mut count = 0;
        for change in changes {
            let Some((same, part)) = part_of(change) else { break };
            if change.place != first.place || same != parent {
                break;
            }
            let part = after.get_mut(part)?;
            // The edits may be meant for another content.
            if part.map(Json::text) != change.from {
                return None;
            }
            *part = match change.to {
                Some(to) => Some(json(to)?),
                None => None,
            };
            count += 1;
        }
        let (before, after) = (condition_text(before)?, condition_text(after)?);
        (before != after).then_some((format!("{before} → {after}"), changes.get(count..)?))
    }
}
