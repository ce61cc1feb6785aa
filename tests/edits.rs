//! C4, C5, C8: the laws of edit lists, on documents that look like workflows and on ones that only nearly do.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;

use headway::content::apply::Misfit;
use headway::content::edit::{Edit, Summary, reverse};
use headway::content::{ContentIx, ContentStore};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use values::{Dice, Value, document, nudge, spelled};

fn put(store: &mut ContentStore, value: &Value, seed: u64) -> ContentIx {
    store.take_in(&spelled(value, seed), None).unwrap()
}

/// A few small changes here and there, so that much is shared; or another document altogether.
fn another(value: &Value, dice: &mut Dice, other: &Value) -> Value {
    match dice.roll(5) {
        0 => other.clone(),
        rounds => {
            let changed = (0..rounds).fold(value.clone(), |value, _| nudge(&value, dice));
            // A document stays an object.
            if matches!(changed, Value::Object(_)) { changed } else { value.clone() }
        }
    }
}

fn check_laws(store: &mut ContentStore, a: ContentIx, b: ContentIx) {
    let edits = store.diff(a, b);
    let text = |content| store.text(content).unwrap();
    let context = format!("from {}\nto   {}\n{edits:#?}", text(a), text(b));
    assert_eq!(edits.is_empty(), store.equal(a, b), "no edits if and only if equal\n{context}");
    let there = store.apply(a, &edits).unwrap_or_else(|fault| panic!("{fault}\n{context}"));
    assert!(
        store.equal(there, b),
        "apply(a, diff(a, b)) = b, but is {}\n{context}",
        store.text(there).unwrap()
    );
    let back =
        store.apply(b, &reverse(edits.clone())).unwrap_or_else(|fault| panic!("back: {fault}\n{context}"));
    assert!(store.equal(back, a), "apply(b, reverse) = a, but is {}\n{context}", store.text(back).unwrap());
    let again = store.apply(there, &reverse(edits)).unwrap();
    assert!(store.equal(again, a), "and so from what was applied\n{context}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn c4_diff_and_apply_are_inverse(
        value in document(), other in document(), dice in any::<u64>(), a in any::<u64>(), b in any::<u64>()
    ) {
        let mut store = ContentStore::default();
        let changed = another(&value, &mut Dice(dice), &other);
        let (a, b) = (put(&mut store, &value, a), put(&mut store, &changed, b));
        check_laws(&mut store, a, b);
        check_laws(&mut store, b, a);
        prop_assert_eq!(store.diff(a, a), []);
    }

    #[test]
    fn c8_one_list_has_the_effect_of_several(
        first in document(), second in document(), third in document(), dice in any::<u64>()
    ) {
        let mut store = ContentStore::default();
        let mut dice = Dice(dice);
        let second = another(&first, &mut dice, &second);
        let third = another(&second, &mut dice, &third);
        let [a, b, c] = [&first, &second, &third].map(|value| put(&mut store, value, 1));
        let (ab, bc) = (store.diff(a, b), store.diff(b, c));
        let squashed = store.squash(a, &[&ab, &bc]).unwrap();
        let there = store.apply(a, &squashed).unwrap();
        prop_assert!(
            store.equal(there, c),
            "{}\n{}\n{}\nbut {}\n{:?}\n{:?}\n{:?}",
            store.text(a).unwrap(), store.text(b).unwrap(), store.text(c).unwrap(), store.text(there).unwrap(), ab, bc, squashed
        );
        prop_assert_eq!(store.squash(a, &[&ab, &reverse(ab.clone())]).unwrap(), []);
    }
}

// ── named cases ──

fn workflow(operators: Vec<Json>, links: Vec<Json>) -> Json {
    let positions: serde_json::Map<String, Json> = operators
        .iter()
        .map(|op| (op["operatorID"].as_str().unwrap().to_owned(), json!({ "x": 1, "y": 2 })))
        .collect();
    json!({ "operators": operators, "operatorPositions": positions, "links": links, "commentBoxes": [], "settings": { "size": 400 } })
}

fn operator(id: &str, properties: Json) -> Json {
    json!({ "operatorID": id, "operatorType": "Filter", "operatorProperties": properties })
}

fn link(id: &str, from: &str, to: &str) -> Json {
    json!({ "linkID": id, "source": { "operatorID": from, "portID": "output-0" }, "target": { "operatorID": to, "portID": "input-0" } })
}

/// The edits between two documents, after checking the laws on them.
fn edits(a: &Json, b: &Json) -> Vec<Edit> {
    let mut store = ContentStore::default();
    let [a, b] = [a, b].map(|value| store.take_in(&value.to_string(), None).unwrap());
    check_laws(&mut store, a, b);
    store.diff(a, b)
}

/// What an edit is, in a word or two.
fn brief(edit: &Edit) -> String {
    match edit {
        Edit::Add { place, .. } => format!("add {}/{}", place.collection, place.id),
        Edit::Remove { place, .. } => format!("remove {}/{}", place.collection, place.id),
        Edit::Set { place, path, from: Some(_), .. } => {
            format!("set {}/{} {}", place.collection, place.id, path.len())
        }
        Edit::Set { place, path, from: None, .. } => {
            format!("new {}/{} {}", place.collection, place.id, path.len())
        }
        Edit::Unset { place, path, .. } => format!("unset {}/{} {}", place.collection, place.id, path.len()),
        Edit::Move { place, .. } => format!("move {}/{}", place.collection, place.id),
        Edit::Order { collection, .. } => format!("order {collection}"),
    }
}

fn briefs(a: &Json, b: &Json) -> Vec<String> {
    edits(a, b).iter().map(brief).collect()
}

#[test]
fn c4_small_changes_of_large_documents_are_few_edits() {
    let many: Vec<Json> = (0..1_000)
        .map(|n| operator(&format!("op{n}"), json!({ "limit": n, "predicates": [n, n + 1] })))
        .collect();
    let links: Vec<Json> =
        (1..1_000).map(|n| link(&format!("l{n}"), &format!("op{}", n - 1), &format!("op{n}"))).collect();
    let a = workflow(many, links);
    let mut swapped = a.clone();
    swapped["operators"].as_array_mut().unwrap().swap(3, 700);
    assert_eq!(briefs(&a, &swapped), ["order operators"]);
    let mut renamed = a.clone();
    renamed["operators"][5]["customDisplayName"] = json!("five");
    assert_eq!(briefs(&a, &renamed), ["new operators/op5 1"]);
    let mut first_gone = a.clone();
    first_gone["operators"].as_array_mut().unwrap().remove(0);
    first_gone["operatorPositions"].as_object_mut().unwrap().remove("op0");
    first_gone["links"].as_array_mut().unwrap().remove(0);
    assert_eq!(
        briefs(&a, &first_gone),
        ["remove links/l1", "remove operatorPositions/op0", "remove operators/op0"]
    );
    let mut changed = a.clone();
    for at in [1, 500, 999] {
        changed["operators"][at]["operatorProperties"]["limit"] = json!("none");
    }
    assert_eq!(
        briefs(&a, &changed),
        ["set operators/op1 2", "set operators/op500 2", "set operators/op999 2"]
    );
}

#[test]
fn c4_the_first_of_a_thousand_items_is_one_edit() {
    let predicates: Vec<Json> =
        (0..1_000).map(|n| json!({ "attribute": format!("a{n}"), "value": n })).collect();
    let a = workflow(vec![operator("op1", json!({ "predicates": predicates }))], vec![]);
    let mut b = a.clone();
    b["operators"][0]["operatorProperties"]["predicates"].as_array_mut().unwrap().remove(0);
    let edits = edits(&a, &b);
    assert_eq!(edits.iter().map(brief).collect::<Vec<_>>(), ["unset operators/op1 3"]);
    let mut c = a.clone();
    c["operators"][0]["operatorProperties"]["predicates"][7]["value"] = json!(-1);
    assert_eq!(
        briefs(&a, &c),
        ["set operators/op1 4"],
        "an item that changes is not one that goes and one that comes"
    );
}

#[test]
fn c5_each_edit_is_safe_when_its_turn_comes() {
    let a = workflow(
        vec![operator("op1", json!({})), operator("op2", json!({ "n": 1 }))],
        vec![link("l1", "op1", "op2"), link("l2", "op2", "op1")],
    );
    let mut b = workflow(
        vec![operator("op2", json!({ "n": 2 })), operator("op3", json!({}))],
        vec![link("l1", "op2", "op3"), link("l3", "op3", "op2")],
    );
    b["operatorPositions"]["op2"] = json!({ "x": 5, "y": 2.0 });
    b["settings"]["size"] = json!(500);
    b["commentBoxes"] =
        json!([{ "commentBoxID": "c1", "comments": [], "commentBoxPosition": { "x": 0, "y": 0 } }]);
    assert_eq!(
        briefs(&a, &b),
        [
            "remove links/l2",
            "remove links/l1",
            "remove operatorPositions/op1",
            "remove operators/op1",
            "add operators/op3",
            "add operatorPositions/op3",
            "set operators/op2 2",
            "move operatorPositions/op2",
            "add links/l1",
            "add links/l3",
            "add commentBoxes/c1",
            "set settings/ 1",
        ],
        "l1 has other ends: one link goes and another comes"
    );
}

#[test]
fn c4_a_move_is_a_move_only_when_it_is_one() {
    let a = workflow(vec![operator("op1", json!({}))], vec![]);
    for (position, expected) in [
        (json!({ "x": 1.0, "y": 2e0 }), vec![]),
        (json!({ "x": 3, "y": 2 }), vec!["move operatorPositions/op1"]),
        (
            json!({ "x": 3, "y": 2, "z": 1 }),
            vec!["set operatorPositions/op1 1", "new operatorPositions/op1 1"],
        ),
        (json!(null), vec!["set operatorPositions/op1 0"]),
    ] {
        let mut b = a.clone();
        b["operatorPositions"]["op1"] = position;
        assert_eq!(briefs(&a, &b), expected);
    }
    // Inside an entity: only its position moves it.
    let with_box = |x: u32, text: &str| {
        let mut with_box = a.clone();
        with_box["commentBoxes"] = json!([{ "commentBoxID": "c1", "comments": [{ "content": text }], "commentBoxPosition": { "x": x, "y": 0 } }]);
        with_box
    };
    assert_eq!(briefs(&with_box(0, "a"), &with_box(9, "a")), ["move commentBoxes/c1"]);
    assert_eq!(
        briefs(&with_box(0, "a"), &with_box(9, "b")),
        ["set commentBoxes/c1 3", "move commentBoxes/c1"]
    );
}

#[test]
fn c4_documents_that_only_nearly_fit_the_schema_are_compared_as_values() {
    let a = workflow(vec![operator("op1", json!({}))], vec![]);
    let mut twice = a.clone();
    twice["operators"].as_array_mut().unwrap().push(operator("op1", json!({})));
    assert_eq!(briefs(&a, &twice), ["new operators/ 1"], "an id that stands twice tells nothing apart");
    let mut other_kind = a.clone();
    other_kind["links"] = json!({ "l1": 1 });
    assert_eq!(briefs(&a, &other_kind), ["set links/ 0"]);
    assert_eq!(briefs(&json!({}), &json!({ "unknown": 1 })), ["new unknown/ 0"]);
    assert_eq!(briefs(&json!({ "links": [] }), &json!({})), ["unset links/ 0"]);
    assert_eq!(
        briefs(&json!({}), &a),
        [
            "new operators/ 0",
            "new operatorPositions/ 0",
            "new links/ 0",
            "new commentBoxes/ 0",
            "add operators/op1",
            "add operatorPositions/op1",
            "new settings/ 0",
        ],
        "keys come empty, then what is in them"
    );
}

#[test]
fn a_summary_counts_each_entity_once() {
    let a = workflow(vec![operator("op1", json!({ "a": 1, "b": 1 })), operator("op2", json!({}))], vec![]);
    let mut b = a.clone();
    b["operators"][0]["operatorProperties"] = json!({ "a": 2, "b": 2 });
    b["operators"][1] = operator("op3", json!({}));
    b["operatorPositions"] = json!({ "op1": { "x": 9, "y": 9 }, "op3": { "x": 1, "y": 2 } });
    let count = |a: &serde_json::Value, b: &serde_json::Value| ContentStore::default().summary(&edits(a, b));
    assert_eq!(
        count(&a, &b),
        Summary { added: 1, removed: 1, changed: 1, moved: 0 },
        "a position counts with its operator"
    );
    let mut c = b.clone();
    c["operatorPositions"]["op3"]["x"] = json!(5);
    assert_eq!(count(&b, &c), Summary { moved: 1, ..Summary::default() });
    c["operatorPositions"].as_object_mut().unwrap().remove("op3");
    assert_eq!(count(&b, &c), Summary { moved: 1, ..Summary::default() });
    c["settings"] = json!({ "a": 1 });
    assert_eq!(count(&a, &c), Summary { added: 1, removed: 1, changed: 2, moved: 0 });
}

#[test]
fn p5_a_list_that_does_not_fit_changes_nothing_and_says_where() {
    let mut store = ContentStore::default();
    let a = store.take_in(&workflow(vec![operator("op1", json!({}))], vec![]).to_string(), None).unwrap();
    let empty = store.take_in(&workflow(vec![], vec![]).to_string(), None).unwrap();
    let edits = store.diff(a, empty);
    let fault = store.apply(empty, &edits).unwrap_err();
    assert_eq!((fault.index, &*fault.place.id), (0, "op1"));
    assert_eq!(fault.to_string(), "edit 0 does not fit: there is no such entity");
    let fault = store.apply(a, &reverse(edits)).unwrap_err();
    assert_eq!(fault.reason, Misfit::EntityThere);
}

#[test]
fn x1_ten_thousand_that_come_go_and_change_are_no_trouble() {
    let many = |from: usize, n: usize| -> Vec<Json> {
        (from..from + 10_000).map(|at| operator(&format!("op{at}"), json!({ "n": n }))).collect()
    };
    let all = workflow(many(0, 1), vec![]);
    for other in [workflow(vec![], vec![]), workflow(many(0, 2), vec![]), workflow(many(5_000, 1), vec![])] {
        assert!(edits(&all, &other).len() >= 10_000);
        assert!(edits(&other, &all).len() >= 10_000);
    }
}

// ── inputs that once failed ──

fn check(a: &str, b: &str) {
    let mut store = ContentStore::default();
    let [a, b] = [a, b].map(|text| store.take_in(text, None).unwrap());
    check_laws(&mut store, a, b);
    check_laws(&mut store, b, a);
}

#[test]
fn c4_a_name_is_the_same_name_however_it_is_written_even_half_a_character() {
    check(r#"{"settings":{"\u0061\ud800":null,"a\ud800":1}}"#, r#"{"settings":{}}"#);
    check(
        r#"{"commentBoxes":{"a":{"/\ud800":null,"é\\":null,"\\ud800":1}}}"#,
        r#"{"commentBoxes":{"a":{"\ud800":1}}}"#,
    );
    check(
        r#"{"\u0000\ud800":1,"operatorPositions":{"\ud800":{"x":1,"y":1},"\ud801":{"x":1,"y":1}}}"#,
        r#"{"operatorPositions":{"\ud800":{"x":2,"y":1}}}"#,
    );
}

#[test]
fn c8_of_a_key_that_stands_twice_in_a_map_the_last_counts() {
    let mut store = ContentStore::default();
    let texts = [
        r#"{"operatorPositions":{"op1":{"z":[1]},"op1":null}}"#,
        r#"{"operatorPositions":{"op1":false}}"#,
        r#"{"operatorPositions":{"op1":null}}"#,
    ];
    let [a, b, c] = texts.map(|text| store.take_in(text, None).unwrap());
    let (ab, bc) = (store.diff(a, b), store.diff(b, c));
    let squashed = store.squash(a, &[&ab, &bc]).unwrap();
    assert_eq!(squashed, []);
    check(texts[0], texts[1]);
}
