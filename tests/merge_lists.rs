//! P6: orders, and lists inside of a value: which item is which, and what goes together.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;

use headway::content::edit::PathStep;
use headway::content::merge::{Conflict, Merge};
use headway::content::{ContentStore, Schema};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use values::Dice;

fn merge(contents: [Json; 3]) -> (Json, Vec<Conflict>) {
    let mut store = ContentStore::new(Schema::texera());
    let [base, mine, theirs] = contents.map(|value| store.take_in(&value.to_string(), None).unwrap());
    let Merge { content, conflicts } = store.merge(base, mine, theirs);
    (serde_json::from_str(&store.text(content).unwrap()).unwrap(), conflicts)
}

// ── the order of entities ──

fn orders(base: &str, mine: &str, theirs: &str) -> (String, Vec<Conflict>) {
    let content = |ids: &str| {
        let operators: Json = ids.chars().map(|id| json!({ "operatorID": id.to_string() })).collect();
        json!({ "operators": operators })
    };
    let (merged, conflicts) = merge([base, mine, theirs].map(content));
    let list = merged["operators"].as_array().unwrap();
    (list.iter().map(|operator| operator["operatorID"].as_str().unwrap()).collect(), conflicts)
}

#[test]
fn p6_orders_of_different_stretches_go_together() {
    for (base, mine, theirs, expected) in [
        ("abcd", "bacd", "abdc", "badc"),
        ("abcdef", "cabdef", "abcfed", "cabfed"),
        ("abcd", "bacd", "badc", "badc"),
        ("abcd", "dcba", "dcba", "dcba"),
        ("abcd", "abcd", "dcba", "dcba"),
        ("abcd", "xbacd", "abdcy", "xbadcy"),
        ("abcd", "bcd", "abdc", "bdc"),
    ] {
        assert_eq!(orders(base, mine, theirs), (expected.into(), vec![]), "{base} {mine} {theirs}");
    }
}

#[test]
fn p6_orders_of_one_stretch_are_a_conflict_about_the_collection_and_mine_stays() {
    let (order, conflicts) = orders("abc", "bac", "cbax");
    assert_eq!(
        (&*order, conflicts.len()),
        ("baxc", 1),
        "what theirs added stands behind what it stands behind there"
    );
    let Conflict { place, path, base, mine, theirs } = &conflicts[0];
    assert_eq!((&*place.collection, &*place.id, path.len()), ("operators", "", 0));
    let ids = [Some(r#"["a","b","c"]"#), Some(r#"["b","a","c"]"#), Some(r#"["c","b","a","x"]"#)];
    assert_eq!([base, mine, theirs].map(Option::as_deref), ids);
}

// ── lists inside of a value ──

/// The lists as a property of an operator, merged; the paths of the conflicts are those behind the list.
fn lists(base: Json, mine: Json, theirs: Json) -> (Json, Vec<Vec<PathStep>>) {
    let content = |list: Json| json!({ "operators": [{ "operatorID": "a", "list": list }] });
    let (merged, conflicts) = merge([base, mine, theirs].map(content));
    (
        merged["operators"][0]["list"].clone(),
        conflicts.into_iter().map(|conflict| conflict.path[1..].to_vec()).collect(),
    )
}

#[test]
fn p6_items_go_together_where_it_is_clear_which_is_which() {
    let [age, size, name] =
        ["age", "size", "name"].map(|of| json!({ "attribute": of, "condition": ">", "value": 0 }));
    let set = |item: &Json, key: &str, to: Json| {
        let mut item = item.clone();
        item[key] = to;
        item
    };
    let age_30 = set(&age, "value", json!(30));
    let cases = [
        // One side swaps them, the other changes a field of one.
        (json!([age, size]), json!([size, age]), json!([age_30, size]), json!([size, age_30])),
        // Both change another field of the same.
        (
            json!([age, size]),
            json!([age_30, size]),
            json!([set(&age, "condition", json!("<")), size]),
            json!([set(&age_30, "condition", json!("<")), size]),
        ),
        // One takes the first away, the other changes the second.
        (
            json!([age, size]),
            json!([size]),
            json!([age, set(&size, "value", json!(7))]),
            json!([set(&size, "value", json!(7))]),
        ),
        // Both add one.
        (json!([age]), json!([age, size]), json!([age, name]), json!([age, size, name])),
        (json!([age]), json!([size, age]), json!([age, name]), json!([size, age, name])),
        (json!([age]), json!([age, size]), json!([age, size, name]), json!([age, size, name])),
        // Numbers have no names; as long as none comes or goes they are at fixed places.
        (json!([1, 2, 3]), json!([7, 2, 3]), json!([1, 2, 9]), json!([7, 2, 9])),
        (json!([1, 2, 3]), json!([1, 2, 3, 4]), json!([7, 2, 3]), json!([7, 2, 3, 4])),
        (json!(["a", "b"]), json!(["b", "a"]), json!(["a", "b", "c"]), json!(["b", "c", "a"])),
        (json!([[1, 2], [3, 4]]), json!([[1, 5], [3, 4]]), json!([[1, 2], [6, 4]]), json!([[1, 5], [6, 4]])),
    ];
    for (base, mine, theirs, expected) in cases {
        let name = format!("{base} {mine} {theirs}");
        assert_eq!(lists(base, mine, theirs), (expected, vec![]), "{name}");
    }
}

#[test]
fn p6_where_it_is_not_clear_the_list_is_a_conflict_and_mine_stays() {
    let item = |name: &str, v: u32| json!({ "name": name, "v": v });
    for (base, mine, theirs) in [
        // Taken away here, changed there.
        (json!([item("a", 1), item("b", 2)]), json!([item("b", 2)]), json!([item("a", 7), item("b", 2)])),
        // Both wrote the same stretch anew.
        (json!([]), json!([1, 2]), json!([3, 4, 5])),
        (json!(["a", "b"]), json!(["x", "b"]), json!(["y", "z", "b"])),
        // Both re-ordered.
        (json!(["a", "b", "c"]), json!(["b", "a", "c"]), json!(["c", "b", "a"])),
        // Which of the two is gone?
        (json!(["a", "a", "b"]), json!(["a", "b"]), json!(["a", "a", "b", "c"])),
        // It looks like another that was there.
        (json!(["a", "b"]), json!(["a", "b", "a"]), json!(["b"])),
    ] {
        let name = format!("{base} {mine} {theirs}");
        assert_eq!(lists(base, mine.clone(), theirs), (mine, vec![vec![]]), "{name}");
    }
}

#[test]
fn p6_the_path_of_a_conflict_is_that_in_the_result() {
    let item = |name: &str, v: u32| json!({ "name": name, "v": v, "w": name });
    let base = json!([item("a", 1), item("b", 2)]);
    let mine = json!([item("a", 1), item("b", 3)]);
    let theirs = json!([item("new", 0), item("a", 1), item("b", 4)]);
    let (merged, paths) = lists(base, mine, theirs);
    assert_eq!(merged, json!([item("new", 0), item("a", 1), item("b", 3)]));
    assert_eq!(paths, [vec![PathStep::Index(2), PathStep::Key("v".into())]]);
}

/// Items with a name, and fields that no two have in common.
#[derive(Clone, Debug, PartialEq)]
struct Item {
    name: usize,
    fields: [u64; 3],
}

fn as_json(list: &[Item]) -> Json {
    let item = |Item { name, fields }: &Item| json!({ "name": name, "a": fields[0], "b": fields[1], "c": fields[2] });
    list.iter().map(item).collect()
}

fn new_item(name: usize, dice: &mut Dice) -> Item {
    Item { name, fields: [0; 3].map(|_| dice.roll(1 << 30)) }
}

fn shuffle(list: &mut [Item], dice: &mut Dice) {
    for at in (1..list.len()).rev() {
        list.swap(at, dice.roll(at as u64 + 1) as usize);
    }
}

/// What the merge should be, item by item, without their order.
fn expected(base: &[Item], mine: &[Item], theirs: &[Item]) -> Vec<Item> {
    let find = |list: &[Item], name: usize| list.iter().find(|item| item.name == name).cloned();
    let names = 0..1_000;
    let merged = names.filter_map(|name| match (find(base, name), find(mine, name), find(theirs, name)) {
        (Some(base), Some(mine), Some(theirs)) => {
            let field = |at: usize| {
                if mine.fields[at] == base.fields[at] { theirs.fields[at] } else { mine.fields[at] }
            };
            Some(Item { name, fields: [0, 1, 2].map(field) })
        }
        (None, mine, theirs) => mine.or(theirs),
        _ => None,
    });
    merged.collect()
}

fn sorted(list: &Json) -> Vec<Json> {
    let mut list = list.as_array().unwrap().clone();
    list.sort_by_key(|item| item["name"].as_u64());
    list
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn p6_whatever_one_side_does_to_the_order_the_fields_of_the_other_go_to_the_right_items(dice in any::<u64>()) {
        let mut dice = Dice(dice);
        let base: Vec<Item> = (0..dice.roll(9) as usize).map(|name| new_item(name, &mut dice)).collect();
        let (mut shuffled, mut changed) = (base.clone(), base.clone());
        shuffle(&mut shuffled, &mut dice);
        for _ in 0..dice.roll(4) {
            let (at, field) = (dice.roll(9) as usize, dice.roll(3) as usize);
            let Some(item) = changed.get_mut(at) else { continue };
            item.fields[field] = dice.roll(1 << 30);
        }
        let right: Vec<Item> = shuffled.iter().map(|item| changed[item.name].clone()).collect();
        for (mine, theirs) in [(&shuffled, &changed), (&changed, &shuffled)] {
            prop_assert_eq!(lists(as_json(&base), as_json(mine), as_json(theirs)), (as_json(&right), vec![]));
        }
    }

    #[test]
    fn p6_items_go_together_one_by_one_or_mine_stays_with_a_conflict(dice in any::<u64>()) {
        let mut dice = Dice(dice);
        let base: Vec<Item> = (0..dice.roll(7) as usize).map(|name| new_item(name, &mut dice)).collect();
        let mut side = |new: usize| {
            let mut list = base.clone();
            for count in 0..dice.roll(4) as usize {
                let at = dice.roll(list.len() as u64 + 1) as usize;
                match (dice.roll(4), list.len()) {
                    (0, _) | (_, 0) => list.insert(at, new_item(new + count, &mut dice)),
                    (1, length) => drop(list.remove(at.min(length - 1))),
                    (2, length) => list.swap(at.min(length - 1), dice.roll(length as u64) as usize),
                    (_, length) => list[at.min(length - 1)].fields[dice.roll(3) as usize] = dice.roll(1 << 30),
                }
            }
            list
        };
        let (mine, theirs) = (side(100), side(200));
        let (merged, conflicts) = lists(as_json(&base), as_json(&mine), as_json(&theirs));
        let other_way = lists(as_json(&base), as_json(&theirs), as_json(&mine));
        prop_assert_eq!(&conflicts, &other_way.1);
        if conflicts.contains(&vec![]) {
            prop_assert_eq!(merged, as_json(&mine));
        } else {
            // Fields that both changed are conflicts of their own, and mine.
            prop_assert_eq!(sorted(&merged), sorted(&as_json(&expected(&base, &mine, &theirs))));
        }
    }
}
