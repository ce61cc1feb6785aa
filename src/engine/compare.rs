//! Comparing two contents that the engine knows, or the canvas (H10).

use super::Engine;
use crate::content::describe::Sentence;
use crate::content::edit::{Edit, PathStep, Place, Point, Summary, summary};
use crate::content::json::quoted;
use crate::content::{ContentIx, JsonFault};

/// The edits between two contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// In an order in which each is safe when it is its turn.
    pub edits: Vec<Edit>,
    /// How many entities they touch.
    pub summary: Summary,
    /// What they do, in sentences for a person (C6).
    pub sentences: Vec<Sentence>,
}

impl Engine {
    /// The content at a step, or at HEAD, by its handle.
    pub fn content_of(&self, at: Option<&str>) -> Option<ContentIx> {
        let step = match at {
            Some(id) => self.history.tree().get(id)?,
            None => self.history.head(),
        };
        self.history.content_at(step)
    }

    /// Takes in what is on the canvas, to compare with it. It is kept until the next collection.
    pub fn take_in(&mut self, text: &str) -> Result<ContentIx, JsonFault> {
        let near = self.history.content_at(self.history.head());
        self.contents.take_in(text, near)
    }

    /// The edits that lead from one content to another.
    pub fn compare(&self, from: ContentIx, to: ContentIx) -> Comparison {
        let edits = self.contents.diff(from, to);
        let sentences = self.contents.describe(from, to, &edits);
        Comparison { summary: summary(&edits), sentences, edits }
    }
}

impl Comparison {
    /// As JSON text: the edits in the shapes of the package's `Edit`, the summary, the sentences. Values stay as they are
    /// written.
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

fn names_json(names: &[Box<str>]) -> String {
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
