//! C4, X1: the list of edits is small: in long lists, in lists whose items change, and in bytes.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;

use headway::Engine;
use headway::content::ContentStore;
use headway::content::edit::{Edit, PathStep, reverse};
use headway::engine::{Options, Side};
use proptest::prelude::*;
use values::Dice;

/// The edits between two documents, after checking the laws on them.
fn edits(a: &str, b: &str) -> Vec<Edit> {
    let mut store = ContentStore::default();
    let [a, b] = [a, b].map(|text| store.take_in(text, None).unwrap());
    let edits = store.diff(a, b);
    let there = store.apply(a, &edits).unwrap_or_else(|fault| panic!("{fault}: {edits:?}"));
    assert!(store.equal(there, b), "{edits:?} gives {}", store.text(there).unwrap());
    let back = store.apply(b, &reverse(edits.clone())).unwrap_or_else(|fault| panic!("{fault}: {edits:?}"));
    assert!(store.equal(back, a), "back {edits:?} gives {}", store.text(back).unwrap());
    edits
}

/// What a field edit does, as `path from → to`.
fn brief(edit: &Edit) -> String {
    let (path, from, to) = match edit {
        Edit::Set { path, from, to, .. } => (path, from.as_deref(), Some(&**to)),
        Edit::Unset { path, from, .. } => (path, Some(&**from), None),
        other => panic!("{other:?}"),
    };
    let step = |step: &PathStep| match step {
        PathStep::Key(key) => key.to_string(),
        PathStep::Index(at) => at.to_string(),
    };
    let path: Vec<String> = path.iter().map(step).collect();
    format!("{} {} → {}", path.join("."), from.unwrap_or("nothing"), to.unwrap_or("nothing"))
}

fn operator(list: &str) -> String {
    format!(r#"{{"operators":[{{"operatorID":"a","p":{list}}}]}}"#)
}

#[test]
fn c4_what_goes_is_what_goes_and_what_stays_is_what_changes() {
    let age = r#"{"attribute":"age","condition":">","value":"30"}"#;
    let size = r#"{"attribute":"size","condition":"=","value":"5"}"#;
    let size_now = size.replace('5', "6");
    let gone = format!("p.0 {age} → nothing");
    let came = format!("p.0 nothing → {age}");
    for (old, new, expected) in [
        (vec![age, size], vec![&*size_now], vec![&*gone, r#"p.0.value "5" → "6""#]),
        (vec![size], vec![age, &size_now], vec![&*came, r#"p.1.value "5" → "6""#]),
        (vec![age, size], vec!["1", &size_now], vec![&*format!("p.0 {age} → 1"), r#"p.1.value "5" → "6""#]),
        (
            vec!["1", age, size, "2"],
            vec!["1", &size_now, "2"],
            vec![&*format!("p.1 {age} → nothing"), r#"p.1.value "5" → "6""#],
        ),
    ] {
        let [a, b] = [&old, &new].map(|list| operator(&format!("[{}]", list.join(","))));
        let told: Vec<String> = edits(&a, &b).iter().map(brief).collect();
        assert_eq!(told, expected, "{old:?} {new:?}");
        assert_eq!(edits(&b, &a).len(), expected.len());
    }
}

fn predicates(dice: &mut Dice, length: u64) -> Vec<String> {
    let mut item = |_| match dice.roll(4) {
        0 => format!("{}", dice.roll(9)),
        1 => format!(r#""text {}""#, dice.roll(9)),
        2 => format!("[{},{}]", dice.roll(3), dice.roll(3)),
        _ => format!(r#"{{"attribute":"a{}","value":{}}}"#, dice.roll(30), dice.roll(4)),
    };
    (0..length).map(&mut item).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn c4_the_laws_hold_for_long_lists(dice in any::<u64>(), changes in 0..60u64, length in 0..400u64) {
        let dice = &mut Dice(dice);
        let old = predicates(dice, length);
        let mut new = old.clone();
        for _ in 0..changes {
            let fresh = predicates(dice, 1).remove(0);
            let at = dice.roll(new.len() as u64 + 1) as usize;
            match dice.roll(4) {
                0 => new.insert(at, fresh),
                1 if at < new.len() => _ = new.remove(at),
                2 if at < new.len() => new[at] = fresh,
                _ => {
                    let by = at.min(7);
                    let end = (at + 7).min(new.len());
                    new[at - by..end].rotate_left(by.min(end - (at - by)));
                }
            }
        }
        let [a, b] = [&old, &new].map(|list| operator(&format!("[{}]", list.join(","))));
        edits(&a, &b);
    }

    #[test]
    fn c4_the_laws_hold_for_many_entities(dice in any::<u64>(), changes in 0..60u64, length in 0..400usize) {
        let dice = &mut Dice(dice);
        let old: Vec<(usize, u64)> = (0..length).map(|id| (id, 0)).collect();
        let mut new = old.clone();
        for change in 0..changes {
            let at = dice.roll(new.len() as u64 + 1) as usize;
            match dice.roll(4) {
                0 => new.insert(at, (1_000 + change as usize, 0)),
                1 if at < new.len() => _ = new.remove(at),
                2 if at < new.len() => new[at].1 += 1,
                _ => new.rotate_left(at),
            }
        }
        let [a, b] = [&old, &new].map(|list| {
            let list: Vec<String> =
                list.iter().map(|(id, n)| format!(r#"{{"operatorID":"{id}","n":{n}}}"#)).collect();
            format!(r#"{{"operators":[{}]}}"#, list.join(","))
        });
        edits(&a, &b);
    }
}

#[test]
fn c4_where_paths_would_take_more_than_the_value_the_value_is_one_edit() {
    let long = "k".repeat(5_000);
    let numbers = |n: usize| {
        let members: Vec<String> = (0..200).map(|key| format!(r#""{key}":{n}"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let below = |key: &str, n: usize| operator(&format!(r#"{{"{key}":{},"other":{n}}}"#, numbers(n)));
    let told: Vec<String> = edits(&below(&long, 1), &below(&long, 2)).iter().map(brief).collect();
    assert_eq!(told, [format!("p.{long} {} → {}", numbers(1), numbers(2)), "p.other 1 → 2".to_owned()]);
    assert_eq!(edits(&below("short", 1), &below("short", 2)).len(), 201, "a short key is no trouble");
    let few = |n: usize| operator(&format!(r#"{{"{long}":{{"a":{n},"b":{n}}}}}"#));
    assert_eq!(edits(&few(1), &few(2)).len(), 2, "nor is a long one for a few numbers");
}

#[test]
fn x1_a_comparison_is_not_much_larger_than_what_is_compared() {
    let long = "k".repeat(50_000);
    let many = |item: &dyn Fn(usize) -> String| (0..2_000).map(item).collect::<Vec<_>>().join(",");
    type Shape = Box<dyn Fn(u32) -> String>;
    let shape = |open: String, item: fn(usize, u32) -> String, close: &'static str| -> Shape {
        Box::new(move |v| format!("{open}{}{close}", many(&|n| item(n, v))))
    };
    let field = |n: usize, v: u32| format!(r#""{n}":{v}"#);
    let digit = |_: usize, v: u32| v.to_string();
    for shape in [
        shape(format!(r#"{{"settings":{{"{long}":{{"#), field, "}}}"),
        shape(format!(r#"{{"settings":{{"{long}":["#), digit, "]}}"),
        shape(format!(r#"{{"settings":{{"a":["{long}",{{"#), field, "}]}}"),
        shape(format!(r#"{{"{long}":{{"#), field, "}}"),
        shape(format!(r#"{{"operators":[{{"operatorID":"{long}","#), field, "}]}"),
        shape(format!(r#"{{"operatorPositions":{{"{long}":{{"#), field, "}}}"),
        shape(r#"{"settings":["#.to_owned(), digit, "]}"),
        shape(r#"{"settings":{"#.to_owned(), field, "}}"),
        shape(r#"{"operators":["#.to_owned(), |n, v| format!(r#"{{"operatorID":"{n}","v":{v}}}"#), "]}"),
        shape(r#"{"operators":["#.to_owned(), |n, v| format!(r#"{{"operatorID":"{n} {v}"}}"#), "]}"),
    ] {
        let (a, b) = (shape(1), shape(2));
        edits(&a, &b);
        let mut engine = Engine::new(Options::default());
        let json = engine.compare(Side::Canvas(&a), Side::Canvas(&b)).unwrap().unwrap().to_json();
        let both = a.len() + b.len();
        assert!(json.len() < 9 * both, "{} bytes for {both}: {}", json.len(), &a[..40]);
    }
}

#[test]
fn x1_what_lies_deep_costs_no_more_than_what_lies_at_the_top() {
    let deep = |n: u32| {
        let list = vec![n.to_string(); 300_000].join(",");
        format!(r#"{{"settings":{}{list}{}}}"#, "[".repeat(47), "]".repeat(47))
    };
    assert_eq!(edits(&deep(1), &deep(2)).len(), 1);
}
