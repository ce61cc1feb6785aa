//! Which items of one list have become which of another, by how much they are alike.
//!
//! Between two items that did not change there is a stretch of others: some went, some came, some stayed and changed. What is
//! looked for is the reading with the fewest edits, and of those the one in which what stayed is most like what it was. Items
//! that stay keep their order.

use std::cmp::Ordering;

use super::forms::Part;

/// Steps that may be spent on a stretch, for each byte in it: in items of a usual length, a few hundred on both sides are compared. In
/// a longer stretch the first of the old items are those that stayed.
const EFFORT: usize = 16;

/// Steps that a short stretch may take, however few bytes it has.
const LITTLE: usize = 2_000;

/// The items that stay, in order: where they were and where they are.
pub(super) fn pairs(old: &[Part<'_, '_>], new: &[Part<'_, '_>]) -> Vec<(usize, usize)> {
    let from_the_front = || (0..old.len().min(new.len())).map(|at| (at, at)).collect();
    let bytes: usize = old.iter().chain(new).map(|item| item.json().text().len()).sum();
    let most = EFFORT * bytes + LITTLE;
    // Each item is compared with each of the other list.
    if old.len().min(new.len()) == 0 || old.len().max(new.len()) == 1 || old.len() * new.len() > most {
        return from_the_front();
    }
    let [left, right] =
        [old, new].map(|items| items.iter().map(|item| Sketch::of(*item)).collect::<Vec<_>>());
    let size = |sketches: &[Sketch<'_>]| sketches.iter().map(Sketch::size).sum::<usize>();
    if size(&left) * new.len() + size(&right) * old.len() > most {
        return from_the_front();
    }
    cheapest(&left, &right)
}

/// Edits, and then how unlike things are, in thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cost(u32, u32);

impl Cost {
    /// One that goes or comes. Two of them are as bad as a pair that is not alike at all.
    const ALONE: Cost = Cost(1, 500);

    fn and(self, other: Cost) -> Cost {
        Cost(self.0 + other.0, self.1 + other.1)
    }
}

fn cheapest(old: &[Sketch<'_>], new: &[Sketch<'_>]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    // By what is left of both lists: the least that it takes.
    let mut least = vec![Cost::default(); width * (old.len() + 1)];
    let at = |least: &[Cost], i: usize, j: usize| least.get(i * width + j).copied().unwrap_or_default();
    let choices = |least: &[Cost], i: usize, j: usize| {
        let (gone, come) = (old.get(i), new.get(j));
        let pair = gone.zip(come).map(|(gone, come)| gone.cost(come).and(at(least, i + 1, j + 1)));
        [
            pair,
            gone.map(|_| Cost::ALONE.and(at(least, i + 1, j))),
            come.map(|_| Cost::ALONE.and(at(least, i, j + 1))),
        ]
    };
    for i in (0..=old.len()).rev() {
        for j in (0..=new.len()).rev() {
            let best = choices(&least, i, j).into_iter().flatten().min().unwrap_or_default();
            if let Some(cost) = least.get_mut(i * width + j) {
                *cost = best;
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        let best = Some(at(&least, i, j));
        let [pair, gone, _] = choices(&least, i, j);
        if pair == best {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if gone == best {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// What is compared of a value: numbers for what its parts say.
#[derive(Debug)]
enum Sketch<'a> {
    /// Keys and values, sorted.
    Object(Vec<(u32, u32)>),
    /// Items, sorted.
    List(Vec<u32>),
    Text(&'a str),
    Other(u32),
}

impl<'a> Sketch<'a> {
    fn of(part: Part<'_, 'a>) -> Self {
        let value = part.json();
        if value.is_object() {
            Sketch::Object(part.members().into_iter().map(|(key, part)| (key, part.form())).collect())
        } else if value.is_list() {
            let mut items: Vec<u32> = part.items().map(Part::form).collect();
            items.sort_unstable();
            Sketch::List(items)
        } else if value.text().starts_with('"') {
            Sketch::Text(value.text())
        } else {
            Sketch::Other(part.form())
        }
    }

    /// Steps that a comparison takes.
    fn size(&self) -> usize {
        match self {
            Sketch::Object(members) => 1 + members.len(),
            Sketch::List(items) => 1 + items.len(),
            Sketch::Text(_) => ENDS / 8,
            Sketch::Other(_) => 1,
        }
    }

    /// What it takes to make one the other. More than two edits are no worse than two: one that goes and one that comes.
    fn cost(&self, other: &Sketch<'_>) -> Cost {
        match (self, other) {
            (Sketch::Object(a), Sketch::Object(b)) => {
                let keys = common(a, b, |a, b| a.0.cmp(&b.0));
                let same = common(a, b, Ord::cmp);
                let all = a.len() + b.len() - keys;
                // A field that is there and differs says a little, too.
                Cost((all - same).min(2) as u32, unlike(4 * same + keys - same, 4 * all))
            }
            (Sketch::List(a), Sketch::List(b)) => {
                let (same, all) = (common(a, b, Ord::cmp), a.len().max(b.len()));
                Cost((all - same).clamp(1, 2) as u32, unlike(same, all))
            }
            (Sketch::Text(a), Sketch::Text(b)) => {
                Cost(u32::from(a != b), if a == b { 0 } else { unlike_text(a, b) })
            }
            (Sketch::Other(a), Sketch::Other(b)) if a == b => Cost::default(),
            _ => Cost(1, 1000),
        }
    }
}

/// How many two sorted lists have in common.
fn common<T>(a: &[T], b: &[T], order: impl Fn(&T, &T) -> Ordering) -> usize {
    let (mut a, mut b, mut count) = (a.iter().peekable(), b.iter().peekable(), 0);
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match order(x, y) {
            Ordering::Less => _ = a.next(),
            Ordering::Greater => _ = b.next(),
            Ordering::Equal => {
                count += 1;
                (_, _) = (a.next(), b.next());
            }
        }
    }
    count
}

fn unlike(same: usize, all: usize) -> u32 {
    1000 - (1000 * same / all.max(1)) as u32
}

/// Bytes of a text that are looked at, at each of its ends.
const ENDS: usize = 64;

fn unlike_text(a: &str, b: &str) -> u32 {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let shorter = a.len().min(b.len());
    let front = a.iter().zip(b).take(ENDS).take_while(|(a, b)| a == b).count();
    let ends = a.iter().rev().zip(b.iter().rev());
    let back = ends.take(ENDS.min(shorter - front)).take_while(|(a, b)| a == b).count();
    unlike(front + back, a.len().max(b.len()).min(2 * ENDS))
}

#[cfg(test)]
mod tests {
    use super::super::forms::Forms;
    use super::super::json::Json;
    use super::*;

    fn paired(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
        let [old, new] = [old, new].map(|items| format!("[{}]", items.join(",")));
        let mut forms = Forms::default();
        let [old, new] = [&old, &new].map(|list| forms.read(Json::check(list).unwrap()));
        let [old, new] = [&old, &new].map(|list| list.whole().items().collect::<Vec<_>>());
        pairs(&old, &new)
    }

    fn check(old: &[&str], new: &[&str], expected: &[(usize, usize)]) {
        let [left, right] =
            [old, new].map(|items| items.iter().map(|item| item.to_string()).collect::<Vec<_>>());
        assert_eq!(paired(&left, &right), expected, "{old:?} {new:?}");
    }

    #[test]
    fn c4_what_stayed_is_what_is_most_like_it() {
        let [age, size, size_now] = [
            r#"{"attribute":"age","condition":">","value":"30"}"#,
            r#"{"attribute":"size","condition":"=","value":"5"}"#,
            r#"{"attribute":"size","condition":"=","value":"6"}"#,
        ];
        check(&[age, size], &[size_now], &[(1, 0)]);
        check(&[size], &[age, size_now], &[(0, 1)]);
        check(&[age, size], &[size_now, r#"{"x":1}"#], &[(1, 0)]);
        check(&[r#""alpha""#, r#""a long text""#], &[r#""a long word""#], &[(1, 0)]);
        check(&["[1,2,3]", "[4,5,6]"], &["[4,5,7]"], &[(1, 0)]);
        check(&["1", r#"{"a":1}"#], &[r#"{"a":2}"#], &[(1, 0)]);
    }

    #[test]
    fn c4_one_that_changes_is_not_one_that_goes_and_one_that_comes() {
        check(&["1"], &[r#""x""#], &[(0, 0)]);
        check(&["1", r#""a""#], &[r#""b""#, "2"], &[(0, 0), (1, 1)]);
        check(&["1", "2"], &["3", "4", "5"], &[(0, 0), (1, 1)]);
        check(&[r#"{"a":1}"#, r#"{"b":1}"#], &[r#"{"c":1}"#, r#"{"d":1}"#], &[(0, 0), (1, 1)]);
        check(&[], &["1"], &[]);
    }

    #[test]
    fn x1_a_long_stretch_is_paired_from_its_front() {
        let many = |n: usize, from: usize| (from..from + n).map(|n| n.to_string()).collect::<Vec<_>>();
        let paired = paired(&many(5_000, 0), &many(6_000, 10_000));
        assert_eq!((paired.len(), paired.last()), (5_000, Some(&(4_999, 4_999))));
    }
}
