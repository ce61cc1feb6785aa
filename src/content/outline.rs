//! Where in a text its values lie: one walk, so that any of them can be taken apart later without walking again what is
//! inside.

use super::json::{Json, Token};

/// A value in a text. Its children follow it, each with all that is inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// In an object: where the key is, with its quotes.
    pub key: Option<(usize, usize)>,
    /// Where the value begins.
    pub from: usize,
    /// And ends.
    pub to: usize,
    /// Number of the value that follows it and all that is inside.
    pub next: usize,
}

/// All values in a text, in order; the first is the whole. Does not recurse.
pub(super) fn outline(json: Json<'_>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    // Containers that have not ended yet: which, and whether it is an object.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let (mut key, mut at_key) = (None, false);
    let mut tokens = json.tokens();
    while let Some(token) = tokens.next() {
        let to = tokens.at();
        let length = match token {
            Token::Str(body) => body.len() + 2,
            Token::Number(text) | Token::Word(text) => text.len(),
            Token::Open | Token::Close | Token::OpenList | Token::CloseList => 1,
        };
        let from = to - length;
        match token {
            Token::Str(_) if at_key => {
                (key, at_key) = (Some((from, to)), false);
                continue;
            }
            Token::Close | Token::CloseList => {
                let next = spans.len();
                if let Some(span) = open.pop().and_then(|(container, _)| spans.get_mut(container)) {
                    (span.to, span.next) = (to, next);
                }
            }
            Token::Open | Token::OpenList => {
                open.push((spans.len(), token == Token::Open));
                spans.push(Span { key: key.take(), from, to, next: spans.len() + 1 });
            }
            Token::Str(_) | Token::Number(_) | Token::Word(_) => {
                spans.push(Span { key: key.take(), from, to, next: spans.len() + 1 });
            }
        }
        at_key = open.last().is_some_and(|(_, is_object)| *is_object);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_found_with_its_key_and_what_follows_it() {
        let text = r#"{"a\"" : [1, {"b":""}], "c":{ } ,"d":-1e5}"#;
        let spans = outline(Json::check(text).unwrap());
        let told: Vec<_> = spans
            .iter()
            .map(|span| {
                (span.key.map_or("", |(from, to)| &text[from..to]), &text[span.from..span.to], span.next)
            })
            .collect();
        assert_eq!(
            told,
            [
                ("", text, 7),
                (r#""a\"""#, r#"[1, {"b":""}]"#, 5),
                ("", "1", 3),
                ("", r#"{"b":""}"#, 5),
                (r#""b""#, r#""""#, 5),
                (r#""c""#, "{ }", 6),
                (r#""d""#, "-1e5", 7),
            ]
        );
    }

    #[test]
    fn x1_depth_is_length_only() {
        let depth = 300_000;
        let text = r#"[{"a":"#.repeat(depth) + "1" + &"}]".repeat(depth);
        assert_eq!(outline(Json::check(&text).unwrap()).len(), 2 * depth + 1);
    }
}
