//! Changing a value where it stands: everything around the place stays letter by letter.

use super::edit::PathStep;
use super::json::{name_of, quoted};
use super::scan::{ScanFault, Scanner};

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
    let Some((last, way)) = path.split_last() else {
        return match change {
            Change::Replace(value) => Some(value.to_owned()),
            Change::Insert(_) | Change::Remove => None,
        };
    };
    let mut from = 0;
    let mut value = text;
    for step in way {
        let spans = children(value);
        let span = spans.find(step).into_iter().next_back()?;
        from += span.value.0;
        value = value.get(span.value.0..span.value.1)?;
    }
    let changed = splice_in(value, last, change)?;
    let (before, after) = (text.get(..from)?, text.get(from + value.len()..)?);
    Some([before, changed.as_str(), after].concat())
}

/// A child of a container: all of it with the white space around, and its value.
#[derive(Clone, Debug)]
struct Span {
    key: Option<Box<str>>,
    all: (usize, usize),
    value: (usize, usize),
}

struct Children {
    is_object: bool,
    spans: Vec<Span>,
}

impl Children {
    fn find(&self, step: &PathStep) -> Vec<&Span> {
        match step {
            PathStep::Key(key) => {
                self.spans.iter().filter(|span| span.key.as_deref() == Some(&**key)).collect()
            }
            PathStep::Index(at) if !self.is_object => self.spans.get(*at).into_iter().collect(),
            PathStep::Index(_) => Vec::new(),
        }
    }
}

/// The children of an object or a list; of anything else there are none.
fn children(value: &str) -> Children {
    let mut spans = Vec::new();
    let is_object = value.starts_with('{');
    let mut scanner = Scanner::new(value);
    let mut all_from = 1;
    let mut note = |key: Option<&str>, scanner: &mut Scanner<'_>| {
        scanner.peek();
        let from = scanner.at();
        let text = scanner.value()?.text();
        scanner.peek();
        let key = key.map(|key| name_of(key).into_owned().into_boxed_str());
        spans.push(Span { key, all: (all_from, scanner.at()), value: (from, from + text.len()) });
        all_from = scanner.at() + 1;
        Ok::<(), ScanFault>(())
    };
    // The text was walked over before, so this walk cannot fail.
    let _ = if is_object {
        scanner.members(|key, scanner| note(Some(key), scanner))
    } else {
        scanner.items(|scanner| note(None, scanner))
    };
    Children { is_object, spans }
}

fn splice_in(value: &str, step: &PathStep, change: Change<'_>) -> Option<String> {
    let children = children(value);
    let found = children.find(step);
    match (change, step) {
        (Change::Replace(new), _) => {
            let span = found.last()?;
            Some([value.get(..span.value.0)?, new, value.get(span.value.1..)?].concat())
        }
        (Change::Remove, _) => {
            if found.is_empty() {
                return None;
            }
            // A key that stands twice goes twice, or the first would come to light.
            let goes: Vec<(usize, usize)> = found.iter().map(|span| span.all).collect();
            let stays = children.spans.iter().filter(|span| !goes.contains(&span.all));
            Some(joined(value, stays.filter_map(|span| value.get(span.all.0..span.all.1))))
        }
        (Change::Insert(new), PathStep::Key(key)) if children.is_object && found.is_empty() => {
            let member = format!("{}:{new}", quoted(key));
            let all = children.spans.iter().filter_map(|span| value.get(span.all.0..span.all.1));
            Some(joined(value, all.chain([member.as_str()])))
        }
        (Change::Insert(new), PathStep::Index(at))
            if value.starts_with('[') && *at <= children.spans.len() =>
        {
            let texts = || children.spans.iter().filter_map(|span| value.get(span.all.0..span.all.1));
            Some(joined(value, texts().take(*at).chain([new]).chain(texts().skip(*at))))
        }
        (Change::Insert(_), _) => None,
    }
}

fn joined<'a>(container: &str, children: impl Iterator<Item = &'a str>) -> String {
    let (open, close) = if container.starts_with('{') { ('{', '}') } else { ('[', ']') };
    let mut out = String::with_capacity(container.len() + 64);
    out.push(open);
    for (at, child) in children.enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(child);
    }
    out.push(close);
    out
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
