//! The canonical form of a JSON text, and the equality that it defines (C2).
//!
//! Canonical means: the keys of an object sorted, of a repeated key the last one (as `JSON.parse` has it), numbers as
//! exact decimals (`1.0`, `1`, `10e-1` are one; `-0` is `0`; nothing is rounded to a double), strings with one way to
//! escape each character. The order of a list stays, it is part of the content.
//!
//! Both functions are iterative and need time linear in the text, but for the sorting of keys.

use super::decimal::Decimal;
use super::json::{Json, Token, Tokens, Units, canonical_body};
use crate::sort::sort_by;

/// Whether two texts say the same.
///
/// Walks both side by side and usually decides at the first difference; the canonical forms are made only where keys
/// come in another order.
pub fn equal(a: Json<'_>, b: Json<'_>) -> bool {
    if a.text() == b.text() {
        return true;
    }
    match side_by_side(a, b) {
        Verdict::Equal => true,
        Verdict::Different => false,
        Verdict::Undecided => form(a) == form(b),
    }
}

enum Verdict {
    Equal,
    Different,
    /// Keys differ in name or order: only the canonical forms can tell.
    Undecided,
}

/// Where a walk stands: inside an object the key it is at, inside a list nothing.
type Level<'a> = Option<&'a str>;

fn side_by_side(a: Json<'_>, b: Json<'_>) -> Verdict {
    let (mut left, mut right) = (a.tokens(), b.tokens());
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut at_key = false;
    loop {
        let (Some(x), Some(y)) = (left.next(), right.next()) else {
            return Verdict::Equal; // both are whole values and agreed until here
        };
        if at_key {
            match (x, y) {
                (Token::Str(k), Token::Str(l)) if k == l => {
                    if let Some(level) = levels.last_mut() {
                        *level = Some(k);
                    }
                    at_key = false;
                    continue;
                }
                (Token::Close, Token::Close) => {}
                _ => return Verdict::Undecided,
            }
        } else if !same_token(x, y) {
            // The values at one and the same place differ. That is final unless a later key of the same name
            // overrides one on the way to this place.
            let overridden = repeats_a_key(left, x, &levels) || repeats_a_key(right, y, &levels);
            return if overridden { Verdict::Undecided } else { Verdict::Different };
        }
        match x {
            Token::Open => {
                levels.push(Some(""));
                at_key = true;
                continue;
            }
            Token::OpenList => levels.push(None),
            Token::Close | Token::CloseList => {
                levels.pop();
            }
            _ => {}
        }
        at_key = matches!(levels.last(), Some(Some(_)));
    }
}

fn same_token(x: Token<'_>, y: Token<'_>) -> bool {
    match (x, y) {
        (Token::Str(s), Token::Str(t)) => s == t || Units::new(s).eq(Units::new(t)),
        (Token::Number(m), Token::Number(n)) => m == n || Decimal::of(m) == Decimal::of(n),
        _ => x == y,
    }
}

/// Walks the rest of a text from a value that differed and tells whether an object that is still open names one of
/// the keys in `levels` once more.
fn repeats_a_key(mut rest: Tokens<'_>, differed: Token<'_>, levels: &[Level<'_>]) -> bool {
    let mut open = levels.len();
    let mut deeper: Vec<bool> = Vec::new(); // containers opened since: is it an object?
    let mut at_key = false;
    let mut token = Some(differed);
    while let Some(now) = token {
        match now {
            Token::Open | Token::OpenList => {
                deeper.push(now == Token::Open);
                at_key = now == Token::Open;
                token = rest.next();
                continue;
            }
            Token::Close | Token::CloseList if deeper.pop().is_none() => open = open.saturating_sub(1),
            Token::Str(key) if at_key => {
                let known = open.checked_sub(1).and_then(|i| levels.get(i));
                if let (true, Some(Some(on_the_way))) = (deeper.is_empty(), known)
                    && Units::new(key).eq(Units::new(on_the_way))
                {
                    return true;
                }
                at_key = false;
                token = rest.next();
                continue;
            }
            _ => {}
        }
        at_key = match deeper.last() {
            Some(is_object) => *is_object,
            None => matches!(open.checked_sub(1).and_then(|i| levels.get(i)), Some(Some(_))),
        };
        token = rest.next();
    }
    false
}

/// The canonical form as bytes. Two texts say the same if and only if these are the same.
pub fn form(json: Json<'_>) -> Vec<u8> {
    Tree::of(json).write()
}

/// A value of a [`Tree`].
enum Node {
    /// A range of `Tree::scalars`.
    Scalar(usize, usize),
    /// A range of `Tree::items`.
    List(usize, usize),
    /// A range of `Tree::members`, sorted by key.
    Object(usize, usize),
}

/// A flat tree: children before parents, no pointers, so that depth costs nothing but length.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    scalars: Vec<u8>,
    items: Vec<usize>,
    /// (key as a range of `scalars`, node)
    members: Vec<((usize, usize), usize)>,
}

/// A container whose end has not come yet.
struct OpenContainer {
    is_object: bool,
    /// Where its children begin on the stack of finished values.
    from: usize,
}

impl Tree {
    fn of(json: Json<'_>) -> Self {
        let mut tree = Tree::default();
        let mut open: Vec<OpenContainer> = Vec::new();
        let mut done: Vec<((usize, usize), usize)> = Vec::new();
        let mut key = (0, 0);
        let mut keys: Vec<(usize, usize)> = Vec::new();
        let mut at_key = false;
        for token in json.tokens() {
            let node = match token {
                Token::Open | Token::OpenList => {
                    let is_object = token == Token::Open;
                    keys.push(key);
                    open.push(OpenContainer { is_object, from: done.len() });
                    at_key = is_object;
                    continue;
                }
                Token::Str(text) if at_key => {
                    key = tree.scalar(|out| write_string(text, out));
                    at_key = false;
                    continue;
                }
                Token::Close | Token::CloseList => {
                    let Some(container) = open.pop() else { break };
                    key = keys.pop().unwrap_or_default();
                    tree.close(container, &mut done)
                }
                Token::Str(text) => {
                    let (from, to) = tree.scalar(|out| write_string(text, out));
                    Node::Scalar(from, to)
                }
                Token::Number(text) => {
                    let (from, to) = tree.scalar(|out| Decimal::of(text).write(out));
                    Node::Scalar(from, to)
                }
                Token::Word(text) => {
                    let (from, to) = tree.scalar(|out| out.extend_from_slice(text.as_bytes()));
                    Node::Scalar(from, to)
                }
            };
            done.push((key, tree.nodes.len()));
            tree.nodes.push(node);
            at_key = open.last().is_some_and(|c| c.is_object);
        }
        tree
    }

    fn scalar(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> (usize, usize) {
        let from = self.scalars.len();
        write(&mut self.scalars);
        (from, self.scalars.len())
    }

    fn close(&mut self, container: OpenContainer, done: &mut Vec<((usize, usize), usize)>) -> Node {
        let children = done.drain(container.from.min(done.len())..);
        if !container.is_object {
            let from = self.items.len();
            self.items.extend(children.map(|(_, node)| node));
            return Node::List(from, self.items.len());
        }
        let from = self.members.len();
        self.members.extend(children);
        let scalars = &self.scalars;
        let name = |&(from, to): &(usize, usize)| scalars.get(from..to).unwrap_or(&[]);
        let mut own = self.members.split_off(from);
        sort_by(&mut own, |a, b| name(&a.0).cmp(name(&b.0)).then(b.1.cmp(&a.1)));
        // Of equal keys the newest now comes first; the others go.
        own.dedup_by(|later, first| name(&later.0) == name(&first.0));
        self.members.append(&mut own);
        Node::Object(from, self.members.len())
    }

    fn write(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.scalars.len() + 2 * self.nodes.len());
        /// What is still to be written; the next thing lies on top.
        enum Todo {
            Node(usize),
            Items(usize, usize),
            Members(usize, usize),
        }
        let Some(root) = self.nodes.len().checked_sub(1) else { return out };
        let mut todo = vec![Todo::Node(root)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Node(ix) => match self.nodes.get(ix) {
                    Some(&Node::Scalar(from, to)) => {
                        out.extend_from_slice(self.scalars.get(from..to).unwrap_or(&[]))
                    }
                    Some(&Node::List(from, to)) => {
                        out.push(b'[');
                        todo.push(Todo::Items(from, to));
                    }
                    Some(&Node::Object(from, to)) => {
                        out.push(b'{');
                        todo.push(Todo::Members(from, to));
                    }
                    None => {}
                },
                Todo::Items(from, to) => match self.items.get(from..to).and_then(<[_]>::first) {
                    Some(&node) => {
                        todo.push(Todo::Items(from + 1, to));
                        todo.push(Todo::Node(node));
                        out.push(b',');
                    }
                    None => out.push(b']'),
                },
                Todo::Members(from, to) => match self.members.get(from..to).and_then(<[_]>::first) {
                    Some(&((key_from, key_to), node)) => {
                        out.push(b',');
                        out.extend_from_slice(self.scalars.get(key_from..key_to).unwrap_or(&[]));
                        todo.push(Todo::Members(from + 1, to));
                        todo.push(Todo::Node(node));
                    }
                    None => out.push(b'}'),
                },
            }
        }
        out
    }
}

fn write_string(body: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    if body.contains('\\') {
        out.extend_from_slice(canonical_body(body).as_bytes());
    } else {
        out.extend_from_slice(body.as_bytes());
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json<'_> {
        Json::check(text).unwrap()
    }

    /// Both ways to decide must agree, whichever one `equal` took.
    fn check(a: &str, b: &str, expected: bool) {
        assert_eq!(equal(json(a), json(b)), expected, "{a} ~ {b}");
        assert_eq!(equal(json(b), json(a)), expected, "{b} ~ {a}");
        assert_eq!(form(json(a)) == form(json(b)), expected, "forms of {a} ~ {b}");
    }

    #[test]
    fn c2_what_does_not_matter() {
        for (a, b) in [
            (r#"{"a":1,"b":2}"#, r#"{ "b" : 2, "a" : 1 }"#),
            ("[1.0, -0, 1e2, 0.10]", "[1, 0, 100, 1e-1]"),
            (r#""\u0041\/\n""#, r#""A/\u000a""#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"{"a":1,"b":0,"a":2}"#, r#"{"b":0,"a":2}"#),
            (r#"{"\u0061":1}"#, r#"{"a":1}"#),
            (r#"{"x":{"y":1},"x":{"y":2}}"#, r#"{"x":{"y":3},"x":{"y":2}}"#),
            ("123456789012345678901234567890", "123456789012345678901234567890.0"),
            ("1e99999999999999999999", "1e+099999999999999999999"),
            (r#""\ud83d\ude4f""#, r#""🙏""#),
        ] {
            check(a, b, true);
        }
    }

    #[test]
    fn c2_what_matters() {
        for (a, b) in [
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            ("{}", "[]"),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#),
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            ("123456789012345678901234567890", "123456789012345678901234567891"),
            ("1e400", "1e401"),
            ("-1", "1"),
            (r#""\ud800""#, r#""\ud801""#),
            (r#""\ud800""#, "\"\u{fffd}\""),
            (r#"{"__proto__":1}"#, "{}"),
            ("null", "false"),
            (r#"{"a":{"b":1},"c":[{"b":2}]}"#, r#"{"a":{"b":2},"c":[{"b":2}]}"#),
        ] {
            check(a, b, false);
        }
    }

    #[test]
    fn x1_depth_is_length_only() {
        let depth = 200_000;
        let deep = |inner: &str| r#"{"b":"#.repeat(depth) + inner + &r#","a":1}"#.repeat(depth);
        check(&deep("1"), &deep("2"), false);
        check(&deep("1"), &deep("1.0"), true);
        let turned = r#"{"a":1,"b":"#.repeat(depth) + "1" + &"}".repeat(depth);
        check(&deep("1"), &turned, true);
    }
}
