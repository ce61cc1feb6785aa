//! H10, P6: three-way merge, by its laws and by what a person would expect of it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;

use headway::content::merge::{Conflict, Merge};
use headway::content::{ContentIx, ContentStore};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use values::{Dice, Value, document, nudge, spelled};

fn put(store: &mut ContentStore, value: &Value, seed: u64) -> ContentIx {
    store.take_in(&spelled(value, seed), None).unwrap()
}

fn changed(value: &Value, dice: &mut Dice) -> Value {
    let rounds = dice.roll(4);
    let changed = (0..rounds).fold(value.clone(), |value, _| nudge(&value, dice));
    if matches!(changed, Value::Object(_)) { changed } else { value.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn h10_one_side_alone_is_that_side(base in document(), other in document(), dice in any::<u64>()) {
        let mut store = ContentStore::default();
        let mut dice = Dice(dice);
        let side = if dice.roll(3) == 0 { other } else { changed(&base, &mut dice) };
        let (b, x, respelled) = (put(&mut store, &base, 1), put(&mut store, &side, 2), put(&mut store, &base, 3));
        for (base, mine, theirs, expected) in [(b, x, b, x), (b, b, x, x), (b, x, x, x), (b, respelled, x, x), (b, x, respelled, x)] {
            let Merge { content, conflicts } = store.merge(base, mine, theirs);
            prop_assert_eq!(conflicts, []);
            prop_assert!(store.equal(content, expected));
        }
    }

    /// Without a conflict both sides are in it: what is left to do from the merge to either side is what the other did.
    #[test]
    fn p6_without_conflicts_both_sides_are_in_it_and_none_is_preferred(base in document(), dice in any::<u64>()) {
        let mut store = ContentStore::default();
        let mut dice = Dice(dice);
        let (one, two) = (changed(&base, &mut dice), changed(&base, &mut dice));
        let (b, m, t) = (put(&mut store, &base, 1), put(&mut store, &one, 1), put(&mut store, &two, 1));
        let merge = store.merge(b, m, t);
        let other_way = store.merge(b, t, m);
        let told = || format!("{:?}\n{:?}\n{:?}", store.text(b), store.text(m), store.text(t));
        prop_assert_eq!(merge.conflicts.is_empty(), other_way.conflicts.is_empty(), "{}", told());
        for conflict in &merge.conflicts {
            prop_assert!(conflict.mine != conflict.theirs, "{:?}", conflict);
        }
        if merge.conflicts.is_empty() {
            let again = store.merge(m, merge.content, t);
            prop_assert!(again.conflicts.is_empty() || store.equal(merge.content, again.content));
        }
        // Merging once more brings nothing new.
        let twice = store.merge(b, merge.content, t);
        prop_assert!(store.equal(twice.content, merge.content), "{}\n{}", store.text(twice.content).unwrap(), store.text(merge.content).unwrap());
    }
}

// ── named cases ──

fn operator(id: &str, properties: Json) -> Json {
    json!({ "operatorID": id, "operatorType": "Filter", "operatorProperties": properties })
}

fn link(id: &str, from: &str, to: &str) -> Json {
    json!({ "linkID": id, "source": { "operatorID": from, "portID": "o" }, "target": { "operatorID": to, "portID": "i" } })
}

fn base() -> Json {
    json!({
        "operators": [operator("a", json!({ "n": 1, "m": 1, "list": [1, 2, 3] })), operator("b", json!({})), operator("c", json!({}))],
        "operatorPositions": { "a": { "x": 0, "y": 0 }, "b": { "x": 1, "y": 0 }, "c": { "x": 2, "y": 0 } },
        "links": [link("l1", "a", "b")], "commentBoxes": [], "settings": { "size": 400 },
    })
}

fn with(change: impl FnOnce(&mut Json)) -> Json {
    let mut content = base();
    change(&mut content);
    content
}

fn remove(content: &mut Json, id: &str) {
    content["operators"].as_array_mut().unwrap().retain(|operator| operator["operatorID"] != id);
    content["operatorPositions"].as_object_mut().unwrap().remove(id);
    content["links"]
        .as_array_mut()
        .unwrap()
        .retain(|link| link["source"]["operatorID"] != id && link["target"]["operatorID"] != id);
}

fn merge(mine: &Json, theirs: &Json) -> (Json, Vec<Conflict>) {
    let mut store = ContentStore::default();
    let [base, mine, theirs] =
        [&base(), mine, theirs].map(|value| store.take_in(&value.to_string(), None).unwrap());
    let Merge { content, conflicts } = store.merge(base, mine, theirs);
    (serde_json::from_str(&store.text(content).unwrap()).unwrap(), conflicts)
}

fn ids(list: &Json, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn p6_different_fields_of_one_entity_go_together() {
    let mine = with(|c| c["operators"][0]["operatorProperties"]["n"] = json!(2));
    let theirs = with(|c| {
        c["operators"][0]["operatorProperties"]["m"] = json!(3);
        c["operators"][0]["customDisplayName"] = json!("first");
        c["operatorPositions"]["a"]["x"] = json!(9);
        c["settings"]["mode"] = json!("fast");
    });
    let (merged, conflicts) = merge(&mine, &theirs);
    assert_eq!(conflicts, []);
    assert_eq!(merged["operators"][0]["operatorProperties"], json!({ "n": 2, "m": 3, "list": [1, 2, 3] }));
    assert_eq!(merged["operators"][0]["customDisplayName"], "first");
    assert_eq!(merged["settings"], json!({ "size": 400, "mode": "fast" }));
}

#[test]
fn p6_the_same_field_is_a_conflict_with_all_three_values_and_mine_stays() {
    let mine = with(|c| c["operators"][0]["operatorProperties"]["n"] = json!(2));
    let theirs = with(|c| c["operators"][0]["operatorProperties"]["n"] = json!(3));
    let (merged, conflicts) = merge(&mine, &theirs);
    assert_eq!(merged, mine);
    assert_eq!(conflicts.len(), 1);
    let Conflict { place, path, base, mine, theirs } = &conflicts[0];
    assert_eq!((&*place.collection, &*place.id, path.len()), ("operators", "a", 2));
    assert_eq!([base, mine, theirs].map(Option::as_deref), [Some("1"), Some("2"), Some("3")]);
    // Both did the same: no conflict.
    let same = with(|c| c["operators"][0]["operatorProperties"]["n"] = json!(3.0));
    assert_eq!(merge(&same, &with(|c| c["operators"][0]["operatorProperties"]["n"] = json!(3))).1, []);
}

#[test]
fn p6_removed_here_and_changed_there_is_a_conflict() {
    let gone = with(|c| remove(c, "c"));
    let changed = with(|c| c["operators"][2]["isDisabled"] = json!(true));
    let (merged, conflicts) = merge(&gone, &changed);
    assert_eq!(merged, gone);
    assert_eq!((conflicts.len(), conflicts[0].mine.as_deref()), (1, None));
    let (merged, conflicts) = merge(&changed, &gone);
    assert_eq!(conflicts.len(), 1);
    assert_eq!(ids(&merged["operators"], "operatorID"), ["a", "b", "c"], "mine changed it, so it stays");
}

#[test]
fn p6_a_link_of_mine_keeps_the_operator_that_theirs_removed() {
    let mine = with(|c| c["links"].as_array_mut().unwrap().push(link("l2", "b", "c")));
    let theirs = with(|c| remove(c, "c"));
    let (merged, conflicts) = merge(&mine, &theirs);
    assert_eq!(merged, mine, "the operator comes back with its position");
    assert_eq!(
        conflicts.iter().map(|c| (&*c.place.collection, &*c.place.id)).collect::<Vec<_>>(),
        [("operators", "c")]
    );
}

#[test]
fn p6_a_link_of_theirs_to_an_operator_that_mine_removed_is_dropped() {
    let mine = with(|c| remove(c, "c"));
    let theirs = with(|c| c["links"].as_array_mut().unwrap().push(link("l2", "b", "c")));
    let (merged, conflicts) = merge(&mine, &theirs);
    assert_eq!(merged, mine);
    assert_eq!(
        conflicts.iter().map(|c| (&*c.place.collection, &*c.place.id)).collect::<Vec<_>>(),
        [("links", "l2")]
    );
}

#[test]
fn p6_a_link_that_both_lead_elsewhere_is_one_conflict() {
    let mine = with(|c| c["links"][0] = link("l1", "a", "c"));
    let theirs = with(|c| c["links"][0] = link("l1", "b", "c"));
    let (merged, conflicts) = merge(&mine, &theirs);
    assert_eq!((merged, conflicts.len()), (mine, 1), "half of one link and half of another would be a third");
}

#[test]
fn p6_both_add_and_both_reorder() {
    let add = |id: &'static str, at: usize| {
        with(move |c| {
            c["operators"].as_array_mut().unwrap().insert(at, operator(id, json!({})));
            c["operatorPositions"][id] = json!({ "x": 5, "y": 5 });
        })
    };
    let (merged, conflicts) = merge(&add("mine", 1), &add("theirs", 3));
    assert_eq!(conflicts, []);
    assert_eq!(ids(&merged["operators"], "operatorID"), ["a", "mine", "b", "c", "theirs"]);
    let swapped = with(|c| c["operators"].as_array_mut().unwrap().swap(0, 2));
    let (merged, _) = merge(&add("mine", 3), &swapped);
    assert_eq!(
        ids(&merged["operators"], "operatorID"),
        ["c", "mine", "b", "a"],
        "theirs gives the order, mine stands behind what it stood behind"
    );
    let (merged, _) = merge(&swapped, &add("theirs", 0));
    assert_eq!(ids(&merged["operators"], "operatorID"), ["theirs", "c", "b", "a"]);
}

#[test]
fn p6_settings_and_unknown_keys_are_values() {
    let mine = with(|c| c["mine"] = json!({ "a": 1 }));
    let theirs = with(|c| {
        c["theirs"] = json!([1]);
        c.as_object_mut().unwrap().remove("settings");
    });
    let (merged, conflicts) = merge(&mine, &theirs);
    assert_eq!(conflicts, []);
    assert_eq!(
        (merged["mine"].clone(), merged["theirs"].clone(), merged.get("settings")),
        (json!({ "a": 1 }), json!([1]), None)
    );
}
