//! X1, P6: a merge takes time linear in what is merged, whatever there is to settle. At these sizes a quadratic one would take
//! minutes for each case.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

use headway::content::ContentStore;
use headway::content::merge::Merge;
use serde_json::{Value as Json, json};

fn operators(count: usize) -> Json {
    let operators: Json = (0..count).map(|n| json!({ "operatorID": n.to_string(), "p": 0 })).collect();
    let positions: serde_json::Map<String, Json> =
        (0..count).map(|n| (n.to_string(), json!({ "x": n, "y": 0 }))).collect();
    json!({ "operators": operators, "operatorPositions": positions, "links": [] })
}

fn link(id: &str, from: usize, to: usize, port: usize) -> Json {
    json!({ "linkID": id, "source": { "operatorID": from.to_string() }, "target": { "operatorID": to.to_string(), "portID": port } })
}

fn with(content: &Json, change: impl FnOnce(&mut Json)) -> Json {
    let mut content = content.clone();
    change(&mut content);
    content
}

/// What has to be settled, for a number of entities; and how many conflicts there should be.
type Case = fn(usize) -> ([Json; 3], usize);

fn all_comes_back(count: usize) -> ([Json; 3], usize) {
    let base = operators(count);
    let drawn = with(&base, |c| c["links"] = (1..count).map(|n| link(&n.to_string(), n - 1, n, 0)).collect());
    ([base, drawn, operators(0)], count)
}

fn all_is_left_out(count: usize) -> ([Json; 3], usize) {
    let ([base, drawn, none], _) = all_comes_back(count);
    ([base, none, drawn], count - 1)
}

fn everybody_draws_the_same(count: usize) -> ([Json; 3], usize) {
    let base = operators(count);
    let draw = |name: &str| {
        let links = (1..count).map(|n| link(&format!("{name}{n}"), n - 1, n, 0)).collect();
        with(&base, |c| c["links"] = links)
    };
    let sides = [draw("mine"), draw("theirs")];
    let [mine, theirs] = sides;
    ([base, mine, theirs], 0)
}

fn one_has_all_the_ports(count: usize) -> ([Json; 3], usize) {
    let ports = |of: usize| -> Json { (0..of).map(|port| json!({ "portID": port })).collect() };
    let base = with(&operators(2), |c| c["operators"][0]["inputPorts"] = ports(count));
    let mine = with(&base, |c| c["links"] = (0..count).map(|n| link(&n.to_string(), 1, 0, n)).collect());
    let theirs = with(&base, |c| c["operators"][0]["inputPorts"] = ports(0));
    ([base, mine, theirs], 1)
}

fn both_reorder(count: usize) -> ([Json; 3], usize) {
    let base = operators(count);
    let swap = |from: usize| {
        with(&base, |c| {
            let list = c["operators"].as_array_mut().unwrap();
            (from..count - 1).step_by(4).for_each(|at| list.swap(at, at + 1));
        })
    };
    let sides = [swap(0), swap(2)];
    let [mine, theirs] = sides;
    ([base, mine, theirs], 0)
}

fn one_long_list(count: usize) -> ([Json; 3], usize) {
    let list = |change: usize| -> Json {
        let item = |n: usize| json!({ "name": n, "v": if n % 4 == change { n + 7 } else { n } });
        json!({ "settings": { "list": (0..count).map(item).collect::<Vec<Json>>() } })
    };
    ([list(9), list(0), list(2)], 0)
}

#[test]
fn x1_p6_twenty_thousand_of_anything_are_merged_in_one_go() {
    let cases: [(&str, Case); 6] = [
        ("all comes back", all_comes_back),
        ("all is left out", all_is_left_out),
        ("the same links", everybody_draws_the_same),
        ("ports", one_has_all_the_ports),
        ("orders", both_reorder),
        ("a list", one_long_list),
    ];
    for (name, case) in cases {
        let (contents, conflicts) = case(20_000);
        let mut store = ContentStore::default();
        let [base, mine, theirs] = contents.map(|content| store.take_in(&content.to_string(), None).unwrap());
        let merge: Merge = store.merge(base, mine, theirs);
        assert_eq!((merge.conflicts.len(), store.validate(merge.content)), (conflicts, vec![]), "{name}");
    }
}

#[test]
fn x1_p6_a_deep_value_is_merged_as_far_as_differences_are_followed() {
    let deep = |inside: &str| {
        let (open, close) = (r#"{"a":[1,"#.repeat(100_000), "]}".repeat(100_000));
        format!(r#"{{"settings":{open}{inside}{close}}}"#)
    };
    let mut store = ContentStore::default();
    let [base, mine, theirs] = ["0", "1", "2"].map(|inside| store.take_in(&deep(inside), None).unwrap());
    let merge = store.merge(base, mine, theirs);
    assert_eq!((merge.content, merge.conflicts.len()), (mine, 1));
}
