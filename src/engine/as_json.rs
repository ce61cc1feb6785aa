//! Edits, conflicts and faults as JSON text, in the shapes of the package. Values stay as they are written (C1).

use super::compare::{Comparison, MergePlan};
use crate::content::edit::{Edit, Name, PathStep, Place, Point, Summary, Text};
use crate::content::json::quoted;
use crate::content::merge::Conflict;
use crate::content::validate::Fault;

impl Comparison {
    /// The edits, the summary, the sentences.
    pub fn to_json(&self) -> String {
        let edits: Vec<String> = self.edits.iter().map(edit_json).collect();
        let Summary { added, removed, changed, moved } = self.summary;
        let sentences: Vec<String> = self.sentences.iter().map(|sentence| quoted(&sentence.text)).collect();
        let counts =
            format!(r#"{{"added":{added},"removed":{removed},"changed":{changed},"moved":{moved}}}"#);
        format!(
            r#"{{"edits":[{}],"summary":{counts},"sentences":[{}]}}"#,
            edits.join(","),
            sentences.join(",")
        )
    }
}

fn edit_json(edit: &Edit) -> String {
    let at = |at: &Option<usize>| at.map_or(String::new(), |at| format!(r#","at":{at}"#));
    match edit {
        Edit::Add { place, at: index, value } => {
            format!(r#"{{"kind":"add",{}{},"value":{value}}}"#, place_json(place), at(index))
        }
        Edit::Remove { place, at: index, value } => {
            format!(r#"{{"kind":"remove",{}{},"value":{value}}}"#, place_json(place), at(index))
        }
        Edit::Set { place, path, from, to } => {
            let from = from.as_ref().map_or(String::new(), |from| format!(r#","from":{from}"#));
            format!(r#"{{"kind":"set",{},"path":{}{from},"to":{to}}}"#, place_json(place), path_json(path))
        }
        Edit::Unset { place, path, from } => {
            format!(r#"{{"kind":"unset",{},"path":{},"from":{from}}}"#, place_json(place), path_json(path))
        }
        Edit::Move { place, from, to } => {
            format!(
                r#"{{"kind":"move",{},"from":{},"to":{}}}"#,
                place_json(place),
                point_json(from),
                point_json(to)
            )
        }
        Edit::Order { collection, from, to } => {
            let collection = quoted(collection);
            format!(
                r#"{{"kind":"order","collection":{collection},"from":{},"order":{}}}"#,
                names_json(from),
                names_json(to)
            )
        }
    }
}

fn place_json(Place { collection, id }: &Place) -> String {
    format!(r#""collection":{},"id":{}"#, quoted(collection), quoted(id))
}

fn point_json(Point { x, y }: &Point) -> String {
    format!(r#"{{"x":{x},"y":{y}}}"#)
}

fn names_json(names: &[Name]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    format!("[{}]", names.join(","))
}

fn path_json(path: &[PathStep]) -> String {
    let steps = path.iter().map(|step| match step {
        PathStep::Key(key) => quoted(key),
        PathStep::Index(at) => at.to_string(),
    });
    format!("[{}]", steps.collect::<Vec<_>>().join(","))
}

/// Conflicts.
pub fn conflicts_json(conflicts: &[Conflict]) -> String {
    let conflicts: Vec<String> = conflicts.iter().map(conflict_json).collect();
    format!("[{}]", conflicts.join(","))
}

/// What a replay did: the edits, the conflicts, the name of the stash.
pub fn replay_json(edits: &Comparison, conflicts: &[Conflict], stash: Option<&str>) -> String {
    let conflicts: Vec<String> = conflicts.iter().map(conflict_json).collect();
    let stash = stash.map_or(String::new(), |stash| format!(r#","stash":{}"#, quoted(stash)));
    format!(r#"{{"comparison":{},"conflicts":[{}]{stash}}}"#, edits.to_json(), conflicts.join(","))
}

impl MergePlan {
    /// The comparison, and the conflicts.
    pub fn to_json(&self) -> String {
        let conflicts: Vec<String> = self.conflicts.iter().map(conflict_json).collect();
        format!(r#"{{"comparison":{},"conflicts":[{}]}}"#, self.comparison.to_json(), conflicts.join(","))
    }
}

fn conflict_json(Conflict { place, path, base, mine, theirs }: &Conflict) -> String {
    let side = |name: &str, value: &Option<Text>| {
        value.as_ref().map_or(String::new(), |value| format!(r#","{name}":{value}"#))
    };
    format!(
        r#"{{{},"path":{}{}{}{}}}"#,
        place_json(place),
        path_json(path),
        side("base", base),
        side("mine", mine),
        side("theirs", theirs)
    )
}

/// Faults, with what was done about them.
pub fn faults_json(faults: &[Fault]) -> String {
    let faults: Vec<String> = faults.iter().map(fault_json).collect();
    format!("[{}]", faults.join(","))
}

fn fault_json(fault: &Fault) -> String {
    let repaired =
        fault.repaired.map_or(String::new(), |repair| format!(r#","repaired":"{}""#, repair.as_str()));
    format!(
        r#"{{"code":"{}",{},"path":{},"message":{}{repaired}}}"#,
        fault.code.as_str(),
        place_json(&fault.place),
        path_json(&fault.path),
        quoted(&fault.message)
    )
}
