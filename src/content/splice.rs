//! Changing a value where it stands, many times: everything around the places stays letter by letter.
//!
//! Only what changes reach into is taken apart, and each container once; all of it is written at the end. So any number of
//! changes costs one walk over the value, and each change the steps of its path, with the logarithm of its length for every
//! list on the way.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::canonical;
use super::edit::PathStep;
use super::json::{Json, name_of, quoted};
use super::outline::{Span, outline};
use super::ranks::Ranks;

/// What to do at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// Put another value in place of the one that is there.
    Replace(&'a str),
    /// Add a key, or insert an item in front of the one that is there.
    Insert(&'a str),
    /// Take the key or the item away.
    Remove,
}

/// Changes a value at a path. `None` when the path does not lead anywhere, or there is something where something new should
/// come.
pub fn splice(text: &str, path: &[PathStep], change: Change<'_>) -> Option<String> {
    let mut value = Value::of(Cow::Borrowed(text));
    value.change(path, change).then(|| value.text())
}

/// A value while it is changed.
pub(super) struct Value<'a> {
    sources: Vec<Source<'a>>,
    /// The first is the whole.
    nodes: Vec<Node>,
}

/// A text of which pieces are used.
struct Source<'a> {
    text: Cow<'a, str>,
    /// Where its values lie; made when somebody reaches into it.
    outline: Vec<Span>,
}

/// A stretch of a source.
#[derive(Clone, Copy)]
struct Piece {
    source: usize,
    from: usize,
    to: usize,
}

enum Node {
    /// As it stands in a source, which knows it by a number.
    Text {
        piece: Piece,
        span: usize,
    },
    // Most nodes are text: the others lie elsewhere, so that it is small.
    Object(Box<Members>),
    List(Box<Items>),
}

struct Items {
    /// By slot.
    list: Vec<Child>,
    ranks: Ranks,
}

#[derive(Default)]
struct Members {
    /// Those that went leave a gap.
    list: Vec<Option<Child>>,
    /// The last of each key.
    by_key: HashMap<Box<str>, usize>,
}

/// A value in a container, with what is between it and the commas or brackets around it.
#[derive(Clone, Copy)]
struct Child {
    before: Piece,
    node: usize,
    after: Piece,
    /// An earlier member with the same key.
    twin: Option<usize>,
}

impl<'a> Value<'a> {
    /// A text that is JSON.
    pub fn of(text: Cow<'a, str>) -> Self {
        let mut value = Value { sources: Vec::new(), nodes: Vec::new() };
        value.add(text);
        value
    }

    /// Whether what lies at a path says the same as a value; `None` when the path does not lead anywhere.
    pub fn says(&mut self, path: &[PathStep], other: Json<'_>) -> Option<bool> {
        let node = self.find(path)?;
        let text = match self.nodes.get(node)? {
            Node::Text { piece, .. } => Cow::Borrowed(self.piece(*piece)),
            Node::Object(_) | Node::List(_) => Cow::Owned(self.written(node)),
        };
        Some(canonical::equal(Json::scanned(&text), other))
    }

    /// Puts another value in place of what lies at a path. False when it does not lead anywhere.
    pub fn replace(&mut self, path: &[PathStep], new: Cow<'a, str>) -> bool {
        let node = self.find(path);
        if let Some(node) = node {
            let new = self.add(new);
            self.nodes.swap(node, new);
        }
        node.is_some()
    }

    /// Changes what lies at a path. False, and nothing has changed, when the path does not lead anywhere, or there is something
    /// where something new should come.
    pub fn change(&mut self, path: &[PathStep], change: Change<'a>) -> bool {
        match change {
            Change::Replace(new) => self.replace(path, Cow::Borrowed(new)),
            Change::Insert(_) | Change::Remove => self.come_or_go(path, change).is_some(),
        }
    }

    fn come_or_go(&mut self, path: &[PathStep], change: Change<'a>) -> Option<()> {
        let (step, way) = path.split_last()?;
        let container = self.find(way)?;
        self.open(container);
        // Where it comes to stand is looked for before anything is made for it.
        match (change, step, self.nodes.get_mut(container)?) {
            (Change::Remove, PathStep::Key(key), Node::Object(members)) => {
                // A key that stands twice goes twice, or the first would come to light.
                let mut goes = Some(members.by_key.remove(&**key)?);
                while let Some(member) = goes.and_then(|goes| members.list.get_mut(goes)) {
                    goes = member.take().and_then(|member| member.twin);
                }
            }
            (Change::Remove, PathStep::Index(at), Node::List(items)) => {
                let slot = items.ranks.at(*at)?;
                items.ranks.remove(slot);
            }
            (Change::Insert(new), PathStep::Key(key), Node::Object(members)) => {
                if members.by_key.contains_key(&**key) {
                    return None;
                }
                members.by_key.insert((&**key).into(), members.list.len());
                let before = self.whole(Cow::Owned(quoted(key) + ":"));
                let child = self.child(before, new);
                if let Some(Node::Object(members)) = self.nodes.get_mut(container) {
                    members.list.push(Some(child));
                }
            }
            (Change::Insert(new), PathStep::Index(at), Node::List(items)) => {
                items.ranks.insert(*at)?;
                let child = self.child(Piece { source: 0, from: 0, to: 0 }, new);
                if let Some(Node::List(items)) = self.nodes.get_mut(container) {
                    items.list.push(child);
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether it is a container of that bracket without anything inside.
    pub fn is_empty(&self, bracket: char) -> bool {
        let text = self.text();
        let inside = text.strip_prefix(bracket).map(|rest| rest.trim_start_matches([' ', '\t', '\r', '\n']));
        matches!(inside, Some("}" | "]"))
    }

    /// The text as it is now.
    pub fn text(&self) -> String {
        self.written(0)
    }

    fn piece(&self, piece: Piece) -> &str {
        let source = self.sources.get(piece.source);
        source.and_then(|source| source.text.get(piece.from..piece.to)).unwrap_or("")
    }

    /// A source that is used as a whole.
    fn whole(&mut self, text: Cow<'a, str>) -> Piece {
        let piece = Piece { source: self.sources.len(), from: 0, to: text.len() };
        self.sources.push(Source { text, outline: Vec::new() });
        piece
    }

    fn add(&mut self, text: Cow<'a, str>) -> usize {
        let piece = self.whole(text);
        self.nodes.push(Node::Text { piece, span: 0 });
        self.nodes.len() - 1
    }

    fn child(&mut self, before: Piece, value: &'a str) -> Child {
        let after = Piece { from: before.to, ..before };
        Child { before, node: self.add(Cow::Borrowed(value)), after, twin: None }
    }

    fn find(&mut self, path: &[PathStep]) -> Option<usize> {
        path.iter().try_fold(0, |node, step| {
            self.open(node);
            let child = match (step, self.nodes.get_mut(node)?) {
                (PathStep::Key(key), Node::Object(members)) => {
                    (*members.list.get(*members.by_key.get(&**key)?)?)?
                }
                (PathStep::Index(at), Node::List(items)) => *items.list.get(items.ranks.at(*at)?)?,
                _ => return None,
            };
            Some(child.node)
        })
    }

    /// Takes a container apart that stands as text; anything else stays as it is.
    fn open(&mut self, node: usize) {
        let Some(&Node::Text { piece, span }) = self.nodes.get(node) else { return };
        let Some(source) = self.sources.get_mut(piece.source) else { return };
        let is_object = source.text.get(piece.from..).is_some_and(|text| text.starts_with('{'));
        if !is_object && !source.text.get(piece.from..).is_some_and(|text| text.starts_with('[')) {
            return;
        }
        if source.outline.is_empty() {
            source.outline = outline(Json::scanned(&source.text));
        }
        let Source { text, outline } = &*source;
        let Some(container) = outline.get(span) else { return };
        let mut children = Vec::new();
        let mut members = Members::default();
        let (mut at, mut from) = (span + 1, container.from + 1);
        while let Some(child) = outline.get(at).filter(|_| at < container.next) {
            // Up to the comma or the bracket there is only white space.
            let behind = text.get(child.to..).and_then(|rest| rest.find([',', '}', ']'])).unwrap_or(0);
            let piece = |from, to| Piece { source: piece.source, from, to };
            let key = child.key.and_then(|(from, to)| text.get(from + 1..to - 1));
            let twin = key.and_then(|key| members.by_key.insert(name_of(key).into(), children.len()));
            let after = piece(child.to, child.to + behind);
            children.push(Child { before: piece(from, child.from), node: self.nodes.len(), after, twin });
            self.nodes.push(Node::Text { piece: piece(child.from, child.to), span: at });
            (at, from) = (child.next, after.to + 1);
        }
        if let Some(node) = self.nodes.get_mut(node) {
            *node = if is_object {
                members.list = children.into_iter().map(Some).collect();
                Node::Object(Box::new(members))
            } else {
                Node::List(Box::new(Items { ranks: Ranks::of(children.len()), list: children }))
            };
        }
    }

    fn written(&self, node: usize) -> String {
        /// What is still to be written; the next lies on top.
        enum Todo {
            Node(usize),
            Piece(Piece),
            Char(char),
        }
        let mut out = String::new();
        let mut todo = vec![Todo::Node(node)];
        while let Some(next) = todo.pop() {
            let (children, open, close) = match next {
                Todo::Piece(piece) => {
                    out.push_str(self.piece(piece));
                    continue;
                }
                Todo::Char(char) => {
                    out.push(char);
                    continue;
                }
                Todo::Node(node) => match self.nodes.get(node) {
                    Some(Node::Object(members)) => {
                        (members.list.iter().flatten().copied().collect::<Vec<_>>(), '{', '}')
                    }
                    Some(Node::List(items)) => {
                        let order = items.ranks.order().into_iter();
                        (order.filter_map(|slot| items.list.get(slot).copied()).collect(), '[', ']')
                    }
                    Some(Node::Text { piece, .. }) => {
                        out.push_str(self.piece(*piece));
                        continue;
                    }
                    None => continue,
                },
            };
            out.push(open);
            todo.push(Todo::Char(close));
            for (at, child) in children.iter().enumerate().rev() {
                todo.extend([Todo::Piece(child.after), Todo::Node(child.node), Todo::Piece(child.before)]);
                if at > 0 {
                    todo.push(Todo::Char(','));
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(steps: &str) -> Vec<PathStep> {
        let steps = steps.split('.').filter(|step| !step.is_empty());
        steps.map(|step| step.parse().map_or_else(|_| PathStep::Key(step.into()), PathStep::Index)).collect()
    }

    #[test]
    fn c1_what_is_not_changed_stays_letter_by_letter() {
        let text = r#"{ "a" : [1.0, {"b": "x"} , []] ,"c":{} }"#;
        for (at, change, expected) in [
            ("a.1.b", Change::Replace("2"), Some(r#"{ "a" : [1.0, {"b": 2} , []] ,"c":{} }"#)),
            ("a.1.c", Change::Insert("2"), Some(r#"{ "a" : [1.0, {"b": "x","c":2} , []] ,"c":{} }"#)),
            ("a.1.b", Change::Remove, Some(r#"{ "a" : [1.0, {} , []] ,"c":{} }"#)),
            ("a.0", Change::Remove, Some(r#"{ "a" : [ {"b": "x"} , []] ,"c":{} }"#)),
            ("a.0", Change::Insert("7"), Some(r#"{ "a" : [7,1.0, {"b": "x"} , []] ,"c":{} }"#)),
            ("a.3", Change::Insert("7"), Some(r#"{ "a" : [1.0, {"b": "x"} , [],7] ,"c":{} }"#)),
            ("a.2.0", Change::Insert("7"), Some(r#"{ "a" : [1.0, {"b": "x"} , [7]] ,"c":{} }"#)),
            ("c", Change::Remove, Some(r#"{ "a" : [1.0, {"b": "x"} , []] }"#)),
            ("", Change::Replace("null"), Some("null")),
            ("a.4", Change::Insert("7"), None),
            ("a.3", Change::Replace("7"), None),
            ("c", Change::Insert("7"), None),
            ("c.0", Change::Insert("7"), None),
            ("a.x", Change::Remove, None),
            ("a.0.x", Change::Insert("7"), None),
            ("z.z", Change::Replace("7"), None),
            ("", Change::Remove, None),
        ] {
            assert_eq!(splice(text, &path(at), change).as_deref(), expected, "{at} {change:?}");
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_one_key() {
        let text = r#"{"a":1,"\u0061":2,"b":3}"#;
        assert_eq!(splice(text, &path("a"), Change::Remove).as_deref(), Some(r#"{"b":3}"#));
        assert_eq!(
            splice(text, &path("a"), Change::Replace("9")).as_deref(),
            Some(r#"{"a":1,"\u0061":9,"b":3}"#)
        );
        assert_eq!(splice(text, &path("a"), Change::Insert("9")), None);
    }
}
