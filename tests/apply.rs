//! P5, X1: applying edits that were not made for the content, that do not fit, or that are very many.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;

use headway::content::apply::Misfit;
use headway::content::edit::{Edit, PathStep, Place, Point, reverse};
use headway::content::{ContentIx, ContentStore, Json};
use proptest::prelude::*;
use values::{Dice, document, nudge, spelled};

fn put(store: &mut ContentStore, text: &str) -> ContentIx {
    store.take_in(text, None).unwrap()
}

fn place(collection: &str, id: &str) -> Place {
    Place { collection: collection.into(), id: id.into() }
}

fn path(steps: &str) -> Vec<PathStep> {
    let steps = steps.split('.').filter(|step| !step.is_empty());
    steps.map(|step| step.parse().map_or_else(|_| PathStep::Key(step.into()), PathStep::Index)).collect()
}

fn add(at: impl Into<Option<usize>>, (collection, id): (&str, &str), value: &str) -> Edit {
    Edit::Add { place: place(collection, id), at: at.into(), value: value.into() }
}

fn remove(at: impl Into<Option<usize>>, (collection, id): (&str, &str), value: &str) -> Edit {
    Edit::Remove { place: place(collection, id), at: at.into(), value: value.into() }
}

/// `from → to`; an empty text is nothing.
fn set((collection, id): (&str, &str), steps: &str, from: &str, to: &str) -> Edit {
    let (place, path) = (place(collection, id), path(steps));
    let from = (!from.is_empty()).then(|| from.into());
    match (from, to) {
        (Some(from), "") => Edit::Unset { place, path, from },
        (from, to) => Edit::Set { place, path, from, to: to.into() },
    }
}

fn shift(id: &str, from: &str, to: &str) -> Edit {
    let point = |x: &str| Point { x: x.into(), y: "0".into() };
    Edit::Move { place: place("operatorPositions", id), from: point(from), to: point(to) }
}

fn order(from: &str, to: &str) -> Edit {
    let names = |ids: &str| ids.chars().map(|id| id.to_string().into()).collect();
    Edit::Order { collection: "operators".into(), from: names(from), to: names(to) }
}

const CONTENT: &str = r#"{
  "operators": [{"operatorID":"a","n":[1,{"x":1.0}]}, {"operatorID":"b","p":{"k":1,"k":2}}],
  "operatorPositions": {"a":{"x":1,"y":0},"b":null},
  "links": [{"linkID":"l"},{"linkID":"l"}],
  "settings": {"size":400}
}"#;

/// Every edit says what is there; each of these says one thing that is not so.
#[test]
fn p5_an_edit_that_does_not_fit_is_refused_with_the_reason() {
    let (a, b, x) = (("operators", "a"), ("operators", "b"), ("operators", "x"));
    let whole = |key| (key, "");
    let old_b = r#"{"operatorID":"b","p":{"k":2}}"#;
    let new_x = r#"{"operatorID":"x"}"#;
    for (edit, reason) in [
        (set(whole("nothing"), "size", "1", "2"), Misfit::NoKey),
        (set(whole("nothing"), "", "1", ""), Misfit::NoKey),
        (set(whole("settings"), "", "", "1"), Misfit::KeyThere),
        (add(None, ("settings", "x"), "1"), Misfit::NoEntities),
        (remove(0, ("links", "l"), r#"{"linkID":"l"}"#), Misfit::NoEntities),
        (set(x, "n", "", "1"), Misfit::NoEntity),
        (remove(None, x, new_x), Misfit::NoEntity),
        (add(0, b, old_b), Misfit::EntityThere),
        (add(3, x, new_x), Misfit::Elsewhere),
        (remove(0, b, old_b), Misfit::Elsewhere),
        (add(0, x, r#"{"operatorID":"y"}"#), Misfit::OtherId),
        (add(0, x, r#"{"operatorID":7}"#), Misfit::OtherId),
        (add(0, x, r#"[]"#), Misfit::OtherId),
        (add(0, ("operators", ""), r#"{"operatorID":""}"#), Misfit::OtherId),
        (set(b, "operatorID", r#""b""#, r#""a""#), Misfit::OtherId),
        (set(b, "operatorID", r#""b""#, ""), Misfit::OtherId),
        (set(b, "", old_b, r#"{"operatorID":"a"}"#), Misfit::OtherId),
        (set(a, "n.7", "1", "2"), Misfit::Nowhere),
        (set(a, "n.3", "", "2"), Misfit::Nowhere),
        (set(a, "n.key", "", "2"), Misfit::Nowhere),
        (set(a, "n", "", "2"), Misfit::Nowhere),
        (set(a, "n.0.deeper", "1", "2"), Misfit::Nowhere),
        (set(a, "n.0", "2", "3"), Misfit::NotWhatIsThere),
        (set(a, "n.0", "nope", "3"), Misfit::NotWhatIsThere),
        (set(a, "n.0", "2", ""), Misfit::NotWhatIsThere),
        (set(b, "p", r#"{"k":1}"#, "3"), Misfit::NotWhatIsThere),
        (set(whole("settings"), "", r#"{"size":401}"#, ""), Misfit::NotWhatIsThere),
        (set(whole("operators"), "", "[]", ""), Misfit::NotWhatIsThere),
        (remove(1, b, r#"{"operatorID":"b"}"#), Misfit::NotWhatIsThere),
        (order("ba", "ab"), Misfit::NotWhatIsThere),
        (shift("a", "2", "3"), Misfit::NotWhatIsThere),
        (shift("b", "2", "3"), Misfit::NotWhatIsThere),
        (add(0, x, "nope"), Misfit::NotJson),
        (set(a, "n.0", "1", "1]"), Misfit::NotJson),
        (set(whole("more"), "", "", "{"), Misfit::NotJson),
        (shift("a", "1", "null"), Misfit::NoPoint),
        (shift("a", "1", r#"1,"z":1"#), Misfit::NoPoint),
        (order("ab", "a"), Misfit::NoOrder),
        (order("ab", "aa"), Misfit::NoOrder),
        (order("ab", "abx"), Misfit::NoOrder),
        (
            Edit::Move {
                place: place("operators", "a"),
                from: Point { x: "1".into(), y: "1".into() },
                to: Point { x: "1".into(), y: "1".into() },
            },
            Misfit::NothingMoves,
        ),
    ] {
        let mut store = ContentStore::default();
        let content = put(&mut store, CONTENT);
        let fits = set(a, "n.0", "1.0", "1");
        let fault = store.apply(content, &[fits, edit.clone()]).unwrap_err();
        assert_eq!((fault.index, fault.reason), (1, reason), "{edit:?}");
        assert_eq!(&*fault.place.collection, edit.collection());
        assert_eq!(store.text(content).unwrap(), CONTENT, "nothing was changed");
        assert_eq!(store.len(), 1, "and nothing is left behind");
    }
}

#[test]
fn p5_what_fits_says_the_same_as_what_is_there_however_it_is_written() {
    let mut store = ContentStore::default();
    let content = put(&mut store, CONTENT);
    let edits = [
        remove(1, ("operators", "b"), r#"{ "p":{"k":2.0},"operatorID":"\u0062" }"#),
        add(0, ("operators", "x"), r#" {"operatorID":"\u0078"} "#),
        set(("operators", "a"), "n.1", r#"{"x":1}"#, "2"),
        set(("operators", "a"), "n.0", "1", ""),
        set(("operators", "a"), "n.0", "2", "3"),
        set(("operators", "a"), "", r#"{"n":[3],"operatorID":"a"}"#, r#"{"operatorID":"a"}"#),
        order("xa", "ax"),
        shift("a", "1.0", "5"),
        set(("settings", ""), "", r#"{"size":4e2}"#, ""),
        set(("settings", ""), "", "", "true"),
    ];
    let there = store.apply(content, &edits).unwrap();
    let expected = r#"{
        "operators": [{"operatorID":"a"},{"operatorID":"x"}],
        "operatorPositions": {"a":{"x":5,"y":0},"b":null},
        "links": [{"linkID":"l"},{"linkID":"l"}],
        "settings": true
    }"#;
    let expected = put(&mut store, expected);
    assert!(store.equal(there, expected), "{}", store.text(there).unwrap());
    let back = store.apply(there, &reverse(edits.to_vec())).unwrap();
    assert!(store.equal(back, content), "{}", store.text(back).unwrap());
}

#[test]
fn c8_a_fault_counts_the_edits_of_all_lists() {
    let mut store = ContentStore::default();
    let content = put(&mut store, r#"{"settings":{"n":1}}"#);
    let step = |from: &str, to: &str| set(("settings", ""), "n", from, to);
    let lists = [vec![step("1", "2"), step("2", "3")], vec![step("3", "4"), step("3", "5")]];
    let fault = store.squash(content, &[&lists[0], &lists[1]]).unwrap_err();
    assert_eq!((fault.index, fault.reason), (3, Misfit::NotWhatIsThere));
}

#[test]
fn c3_what_edits_lead_to_costs_what_is_different_in_it() {
    let mut store = ContentStore::default();
    let filler = "x".repeat(100_000);
    let mut content =
        put(&mut store, &format!(r#"{{"operators":[{{"operatorID":"a","n":0,"filler":"{filler}"}}]}}"#));
    for n in 0..100 {
        let edit = set(("operators", "a"), "n", &n.to_string(), &(n + 1).to_string());
        content = store.apply(content, &[edit]).unwrap();
    }
    assert!(store.bytes() < 200_000, "{} bytes for 100 versions of 100,000", store.bytes());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn c4_all_at_once_is_one_after_the_other(a in document(), b in document()) {
        let mut store = ContentStore::default();
        let [a, b] = [a, b].map(|value| put(&mut store, &spelled(&value, 1)));
        let edits = store.diff(a, b);
        for edits in [edits.clone(), reverse(edits)] {
            let from = store.apply(a, &edits).map_or(b, |_| a);
            let at_once = store.apply(from, &edits).unwrap();
            let stepwise =
                edits.iter().fold(from, |now, edit| store.apply(now, std::slice::from_ref(edit)).unwrap());
            prop_assert!(
                store.equal(at_once, stepwise),
                "{}\n{}", store.text(at_once).unwrap(), store.text(stepwise).unwrap()
            );
        }
    }

    #[test]
    fn p5_x1_a_list_that_was_tampered_with_is_refused_or_can_be_taken_back(
        a in document(), dice in any::<u64>(), tampering in any::<u64>()
    ) {
        let mut store = ContentStore::default();
        let (mut dice, mut tampering) = (Dice(dice), Dice(tampering));
        let b = (0..4).fold(a.clone(), |value, _| nudge(&value, &mut dice));
        let [a, b] = [a, b].map(|value| spelled(&value, 1));
        let a = put(&mut store, &a);
        let Ok(b) = store.take_in(&b, None) else { return Ok(()) };
        let mut edits = store.diff(a, b);
        edits.extend(store.diff(b, a));
        for _ in 0..=tampering.roll(3) {
            if edits.is_empty() {
                break;
            }
            let [at, other] = [(); 2].map(|()| tampering.roll(edits.len() as u64) as usize);
            match tampering.roll(3) {
                0 => _ = edits.remove(at),
                1 => edits.swap(at, other),
                _ => edits.insert(at, edits[other].clone()),
            }
        }
        match store.apply(a, &edits) {
            Ok(there) => {
                let text = store.text(there).unwrap();
                prop_assert!(Json::check(&text).is_ok(), "{text}");
                let back = store.apply(there, &reverse(edits.clone()));
                prop_assert!(back.is_ok_and(|back| store.equal(back, a)), "{edits:?}");
            }
            Err(fault) => {
                let fits = store.apply(a, &edits[..fault.index]).is_ok();
                prop_assert!(fits, "all in front of it do fit");
            }
        }
    }
}

// ── many edits ──

const MANY: usize = 100_000;

fn joined(open: &str, item: impl Fn(usize) -> String, range: std::ops::Range<usize>, close: &str) -> String {
    format!("{open}{}{close}", range.map(item).collect::<Vec<_>>().join(","))
}

/// There and back by the diff. A hundred thousand edits, each of which looked at all that is there, would take minutes.
fn check(a: &str, b: &str, least: usize) {
    let mut store = ContentStore::default();
    let (a, b) = (put(&mut store, a), put(&mut store, b));
    let edits = store.diff(a, b);
    assert!(edits.len() >= least, "{} edits", edits.len());
    let there = store.apply(a, &edits).unwrap();
    assert!(store.equal(there, b));
    let back = store.apply(b, &reverse(edits)).unwrap();
    assert!(store.equal(back, a));
}

#[test]
fn x1_many_fields_of_one_value() {
    let settings = |n: usize| {
        let member = |key| format!(r#""a key of some length {key}":"a text of some length {n}""#);
        joined(r#"{"settings":{"#, member, 0..MANY, "}}")
    };
    check(&settings(1), &settings(2), MANY);
}

#[test]
fn x1_many_items_of_a_list_in_a_property() {
    let list = |step: usize| {
        let item = |n: usize| format!(r#"{{"attribute":"an attribute","value":{}}}"#, n * step);
        joined(r#"{"operators":[{"operatorID":"a","p":["#, item, 0..2 * MANY / step, "]}]}")
    };
    check(&list(1), &list(2), MANY / 2);
    check(&list(2), &list(1), MANY / 2);
}

#[test]
fn x1_many_entities_in_front_and_many_that_go() {
    let operator = |n| format!(r#"{{"operatorID":"{n}"}}"#);
    let operators = |range| joined(r#"{"operators":["#, operator, range, "]}");
    check(&operators(MANY..2 * MANY), &operators(0..2 * MANY), MANY);
    check(&operators(0..2 * MANY), &operators(MANY..2 * MANY), MANY);
}

#[test]
fn x1_many_keys_that_come_and_go() {
    let keys = joined("{", |n| format!(r#""k{n}":1"#), 0..MANY, "}");
    check(&keys, "{}", MANY);
    check("{}", &keys, MANY);
}

/// Edits that no diff gives: in no order at all.
#[test]
fn x1_many_edits_that_come_in_no_order() {
    let mut store = ContentStore::default();
    let start = put(&mut store, r#"{"operators":[],"settings":{"list":[]}}"#);
    let mut dice = Dice(7);
    let mut edits = Vec::new();
    let mut ids: Vec<usize> = Vec::new();
    for n in 0..MANY {
        let at = dice.roll(n as u64 + 1) as usize;
        edits.push(add(at, ("operators", &n.to_string()), &format!(r#"{{"operatorID":"{n}","n":0}}"#)));
        let place = Place { collection: "settings".into(), id: "".into() };
        let path = vec![PathStep::Key("list".into()), PathStep::Index(at)];
        edits.push(Edit::Set { place, path, from: None, to: n.to_string().into() });
        ids.insert(at, n);
    }
    for n in 0..MANY {
        edits.push(set(("operators", &n.to_string()), "n", "0", "1"));
    }
    let there = store.apply(start, &edits).unwrap();
    let operators = |at: usize| format!(r#"{{"operatorID":"{}","n":1}}"#, ids[at]);
    let expected = joined(r#"{"operators":["#, operators, 0..MANY, "]")
        + &joined(r#","settings":{"list":["#, |at| ids[at].to_string(), 0..MANY, "]}}");
    let expected = put(&mut store, &expected);
    assert!(store.equal(there, expected));
    let back = store.apply(there, &reverse(edits)).unwrap();
    assert!(store.equal(back, start));
}

#[test]
fn x1_a_path_as_deep_as_its_value() {
    let depth = 20_000;
    let nested = |inner: &str| format!(r#"{{"settings":{}{inner}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let mut store = ContentStore::default();
    let (a, b) = (put(&mut store, &nested("1")), put(&mut store, &nested("2")));
    let (place, path) = (place("settings", ""), vec![PathStep::Index(0); depth]);
    let edit = |from: &str, to: &str| Edit::Set {
        place: place.clone(),
        path: path.clone(),
        from: Some(from.into()),
        to: to.into(),
    };
    let there = store.apply(a, &[edit("1", "3"), edit("3", "2")]).unwrap();
    assert!(store.equal(there, b));
}
