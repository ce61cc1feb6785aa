//! What happened to one entity, as a sentence.

use std::fmt::Write as _;

use super::super::edit::PathStep;
use super::super::field::{DEPTH, field};
use super::super::json::Json;
use super::super::scan::{ScanFault, Scanner};
use super::super::schema::Collection;
use super::SentenceKind;
use super::difference::push_both;
use super::groups::{Change, Group};
use super::links::{ends, is_link};
use super::names::{Names, counted, push_key, shown, singular, words};
use super::values::{CONDITION, condition_parts, json, push_condition, push_reading};
use super::words::capitalise;

/// Most changes of one entity that are told.
const FEW_CHANGES: usize = 8;
/// Most steps of a path that are told.
const FEW_STEPS: usize = 6;

impl Names<'_> {
    /// What happened, and the words for it.
    pub fn sentence(&mut self, group: &Group<'_>) -> (SentenceKind, String) {
        let link = group.schema.map(|(_, schema)| schema).filter(|schema| is_link(schema));
        if let Some(link) = link {
            match (group.removed.and_then(json), group.added.and_then(json)) {
                (Some(old), Some(new)) => return (SentenceKind::Changed, self.reconnected(link, old, new)),
                (None, Some(new)) if group.removed.is_none() => {
                    return (SentenceKind::Added, format!("Connected {}", self.joined(link, new)));
                }
                (Some(old), None) if group.added.is_none() => {
                    return (SentenceKind::Removed, format!("Disconnected {}", self.joined(link, old)));
                }
                _ => {}
            }
        }
        match (group.removed, group.added) {
            (Some(_), Some(_)) => (SentenceKind::Changed, format!("Replaced {}", self.apart(group))),
            (None, Some(_)) => (SentenceKind::Added, format!("Added {}", self.apart(group))),
            (Some(_), None) => {
                let mut text = format!("Removed {}", self.apart(group));
                if group.links > 0 {
                    let _ = write!(text, " ({})", counted(group.links, "links"));
                }
                (SentenceKind::Removed, text)
            }
            (None, None) => self.changed(group, link),
        }
    }

    fn reconnected(&mut self, link: &Collection, old: Json<'_>, new: Json<'_>) -> String {
        let (before, after) = (self.joined(link, old), self.joined(link, new));
        if ends(link, old).eq(ends(link, new)) {
            format!("Reconnected {after} at another port")
        } else if before == after {
            format!("Reconnected {before} as another {after}")
        } else {
            format!("Reconnected {before} as {after}")
        }
    }

    /// The name of an entity that comes or goes.
    fn apart(&mut self, group: &Group<'_>) -> String {
        match group.schema {
            Some(schema) => self.name_apart(schema, group.id, group.added.or(group.removed)),
            None => shown(group.id),
        }
    }

    fn changed(&mut self, group: &Group<'_>, link: Option<&Collection>) -> (SentenceKind, String) {
        let mut out = String::with_capacity(256);
        if group.id.is_empty() {
            // A key that no schema knows is somebody's own word.
            let key = if group.schema.is_some() { words(group.collection) } else { shown(group.collection) };
            match group.changes.as_slice() {
                [Change { path: [], from: None, to: Some(to), .. }] => {
                    let _ = write!(out, "Added {key}: ");
                    push_reading(json(to), &mut out);
                    return (SentenceKind::Added, out);
                }
                [Change { path: [], from: Some(from), to: None, .. }] => {
                    let _ = write!(out, "Removed {key}, was ");
                    push_reading(json(from), &mut out);
                    return (SentenceKind::Removed, out);
                }
                [] if group.reordered => return (SentenceKind::Reordered, format!("Reordered {key}")),
                _ => out.push_str(&key),
            }
            if group.schema.is_some() {
                capitalise(&mut out, 0);
            }
        } else {
            self.push_subject(group, link, &mut out);
        }
        if group.only_moves() {
            let verb = if group.moved { "Moved " } else { "Placed " };
            out.insert_str(0, verb);
            return (SentenceKind::Moved, out);
        }
        out.push_str(": ");
        let mut has_part = self.push_changes(group, &mut out);
        let flags = [
            (group.moved, "moved"),
            (group.placed, "placed"),
            (group.unplaced, "no longer placed"),
            (group.reordered, "reordered"),
        ];
        for (_, word) in flags.iter().filter(|(is, _)| *is) {
            out.push_str(if has_part { "; " } else { "" });
            out.push_str(word);
            has_part = true;
        }
        (SentenceKind::Changed, out)
    }

    fn push_subject(&mut self, group: &Group<'_>, link: Option<&Collection>, out: &mut String) {
        let Some(schema) = group.schema else { return out.push_str(&shown(group.id)) };
        let kept = link.and_then(|link| Some((link, self.value(schema.0, group.id)?)));
        if let Some((link, kept)) = kept {
            out.push_str(&singular(group.collection));
            out.push(' ');
            out.push_str(&self.joined(link, Json::scanned(&kept)));
            capitalise(out, 0);
        } else {
            out.push_str(&self.name(schema, group.id, None));
            if schema.1.label.is_empty() && !group.only_moves() {
                capitalise(out, 0);
            }
        }
    }

    /// Writes the changes inside of an entity; whether there are any.
    fn push_changes(&mut self, group: &Group<'_>, out: &mut String) -> bool {
        let mut rest = group.changes.as_slice();
        let mut count = 0;
        while let Some((first, others)) = rest.split_first() {
            out.push_str(if count > 0 { "; " } else { "" });
            if count == FEW_CHANGES {
                let _ = write!(out, "and {} more", rest.len());
                break;
            }
            rest = match self.push_condition_change(rest, out) {
                Some(others) => others,
                None => {
                    push_change(first, out);
                    others
                }
            };
            count += 1;
        }
        count > 0
    }

    /// Writes changes inside of one condition as the condition: `age > 30 → age > 40`. Gives the changes that follow.
    fn push_condition_change<'c, 'x>(
        &mut self,
        changes: &'c [Change<'x>],
        out: &mut String,
    ) -> Option<&'c [Change<'x>]> {
        let part_of = |change: &Change<'x>| match change.path.split_last() {
            Some((PathStep::Key(key), parent)) if parent.len() <= DEPTH => {
                Some((parent, CONDITION.iter().position(|name| **name == **key)?))
            }
            _ => None,
        };
        let first = changes.first()?;
        let (parent, _) = part_of(first)?;
        let (index, _) = self.sides.store.schema.at(&first.place.collection)?;
        let kept = self.old_value(index, &first.place.id)?;
        let value = parent.iter().try_fold(Json::scanned(&kept), child)?;
        let before = condition_parts(value)?;
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
        let rest = changes.get(count..)?;
        let start = out.len();
        let is_told = push_condition(before, out) && {
            let end = out.len();
            out.push_str(" → ");
            let second = out.len();
            push_condition(after, out) && out.get(start..end) != out.get(second..)
        };
        if !is_told {
            out.truncate(start);
        }
        is_told.then_some(rest)
    }
}

fn child<'a>(value: Json<'a>, step: &PathStep) -> Option<Json<'a>> {
    match step {
        PathStep::Key(key) => field(value, key),
        PathStep::Index(at) => {
            let (mut count, mut found) = (0, None);
            // What comes behind it need not be walked over.
            let _ = Scanner::new(value.text()).items(|scanner| {
                let item = scanner.value()?;
                found = (count == *at).then_some(item);
                count += 1;
                if found.is_none() { Ok::<(), ScanFault>(()) } else { Err(scanner.expected("no more")) }
            });
            found
        }
    }
}

fn push_change(change: &Change<'_>, out: &mut String) {
    let Change { about, path, from, to, .. } = change;
    let start = out.len();
    push_label(*about, path, out);
    let has_label = out.len() > start;
    let is_item = matches!(path.last(), Some(PathStep::Index(_)));
    let (from, to) = (from.map(json), to.map(json));
    // That nothing is there now where there was no field is told as it is.
    let is_told = |value: Option<Json<'_>>| !is_item && !value.is_some_and(Json::is_null);
    match (from, to) {
        (Some(from), Some(to)) => {
            out.push_str(if has_label { ": " } else { "" });
            push_both(from, to, out);
        }
        (None, Some(to)) if is_told(to) => {
            out.push_str(if has_label { ": nothing → " } else { "nothing → " });
            push_reading(to, out);
        }
        (Some(from), None) if is_told(from) => {
            out.push_str(if has_label { ": " } else { "" });
            push_reading(from, out);
            out.push_str(" → nothing");
        }
        (None, Some(to)) => {
            out.push_str(if has_label { " added: " } else { "added: " });
            push_reading(to, out);
        }
        (Some(from), None) => {
            out.push_str(if has_label { " removed, was " } else { "removed, was " });
            push_reading(from, out);
        }
        (None, None) => {}
    }
}

/// Writes where in an entity, for a person.
fn push_label(about: Option<&str>, path: &[PathStep], out: &mut String) {
    let path = match path {
        [PathStep::Key(first), rest @ ..] if &**first == "operatorProperties" && !rest.is_empty() => rest,
        _ => path,
    };
    let start = out.len();
    if let Some(about) = about {
        push_key(about, out);
    }
    let is_long = path.len() > FEW_STEPS;
    let (head, tail) = if is_long { (FEW_STEPS / 2, FEW_STEPS / 2) } else { (path.len(), 0) };
    let ends = path.iter().take(head).map(Some).chain(is_long.then_some(None));
    for step in ends.chain(path.iter().skip(path.len() - tail).map(Some)) {
        let between = if matches!(step, Some(PathStep::Index(_))) { " " } else { " › " };
        out.push_str(if out.len() > start { between } else { "" });
        match step {
            Some(PathStep::Key(key)) => push_key(key, out),
            Some(PathStep::Index(at)) => drop(write!(out, "#{}", at.saturating_add(1))),
            None => out.push('…'),
        }
    }
}
