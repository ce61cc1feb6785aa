//! C7: what is whole, what is not, and what a repair makes of it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod faulty;
mod values;

use std::collections::HashSet;
use std::path::Path;

use faulty::{nearly, schemas};
use headway::content::edit::PathStep;
use headway::content::validate::{Fault, FaultCode, Repair, Repaired};
use headway::content::{ContentIx, ContentStore, Schema};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use values::{Dice, document, nudge, spelled};

// ── laws ──

/// What a repair promises, for any content of any schema.
fn check_laws(store: &mut ContentStore, content: ContentIx) -> Repaired {
    let text = store.text(content).unwrap();
    let faults = store.validate(content);
    assert!(faults.iter().all(|fault| fault.repaired.is_none()), "asking repairs nothing");
    assert_eq!(store.text(content).unwrap(), text);
    for fault in &faults {
        check_place(store, content, fault);
    }
    let repaired = store.repair(content);
    let context = format!("{text}\n{faults:#?}\nbecame {}", store.text(repaired.content).unwrap());
    let told: Vec<Fault> =
        repaired.faults.iter().map(|fault| Fault { repaired: None, ..fault.clone() }).collect();
    assert!(faults.iter().all(|fault| told.contains(fault)), "every fault is told of\n{context}");
    let left: Vec<Fault> = repaired.faults.iter().filter(|fault| fault.repaired.is_none()).cloned().collect();
    assert_eq!(store.validate(repaired.content), left, "what is left is told of\n{context}");
    assert_eq!(repaired.is_whole(), left.is_empty());
    if left.len() == repaired.faults.len() {
        assert_eq!(repaired.content, content, "what needs no repair is the very same\n{context}");
    }
    let again = store.repair(repaired.content);
    assert_eq!(again, Repaired { content: repaired.content, faults: left }, "once is enough\n{context}");
    assert_eq!(store.text(content).unwrap(), text, "what was repaired is still there");
    repaired
}

/// A fault names a place that exists, and says something.
fn check_place(store: &ContentStore, content: ContentIx, fault: &Fault) {
    assert!(fault.message.ends_with('.') && fault.message.len() < 1_000, "{fault:?}");
    assert_eq!(fault.to_string(), fault.message);
    // What serde_json cannot read (half characters, numbers out of range) is looked at elsewhere.
    let Ok(document) = serde_json::from_str::<Json>(&store.text(content).unwrap()) else { return };
    let (_, collection) = store.schema().at(&fault.place.collection).unwrap();
    let member = document.get(&*fault.place.collection).unwrap_or_else(|| panic!("{fault:?}"));
    let entity = match &collection.id {
        _ if fault.place.id.is_empty() => member,
        Some(field) => {
            let items = member.as_array().unwrap().iter();
            items.clone().find(|item| item[field].as_str() == Some(&*fault.place.id)).unwrap()
        }
        None => member.get(&*fault.place.id).unwrap_or_else(|| panic!("{fault:?}")),
    };
    let mut at = Some(entity);
    for step in &fault.path {
        at = match (step, at) {
            (PathStep::Key(key), Some(at)) => at.get(&**key),
            (PathStep::Index(index), Some(at)) => at.get(index),
            (_, None) => None,
        };
    }
    let may_lack = [FaultCode::NoPosition, FaultCode::MissingField, FaultCode::Dangling, FaultCode::NoPort];
    assert!(at.is_some() || may_lack.contains(&fault.code), "{fault:?}");
}

/// A rule for rule reading of C7 for Texera's contents, as naive as can be.
fn is_whole(content: &Json) -> bool {
    let none = vec![];
    let list = |key: &str| match content.get(key) {
        None => Some(&none),
        Some(value) => value.as_array(),
    };
    let (Some(operators), Some(links), Some(boxes)) =
        (list("operators"), list("links"), list("commentBoxes"))
    else {
        return false;
    };
    let empty = serde_json::Map::new();
    let Some(positions) = content.get("operatorPositions").map_or(Some(&empty), Json::as_object) else {
        return false;
    };
    let distinct = |list: &[Json], field: &str| {
        let ids: HashSet<&str> = list.iter().filter_map(|item| item[field].as_str()).collect();
        ids.len() == list.len() && !ids.contains("")
    };
    let is_position = |value: &Json| value["x"].is_number() && value["y"].is_number();
    let operator = |id: &Json| operators.iter().find(|op| op["operatorID"] == *id && id.is_string());
    let ends_well = |end: &Json, ports: &str| {
        operator(&end["operatorID"]).is_some_and(|op| {
            let ports = op[ports].as_array();
            ports.is_none_or(|ports| {
                ports.iter().any(|port| port.is_object() && port["portID"] == end["portID"])
            })
        })
    };
    let ends = |link: &Json| {
        let end = |end: &Json| json!([end["operatorID"], end["portID"]]);
        (end(&link["source"]), end(&link["target"]))
    };
    distinct(operators, "operatorID")
        && distinct(links, "linkID")
        && distinct(boxes, "commentBoxID")
        && operators.iter().all(|op| positions.contains_key(op["operatorID"].as_str().unwrap()))
        && positions.iter().all(|(id, position)| operator(&json!(id)).is_some() && is_position(position))
        && links
            .iter()
            .all(|link| ends_well(&link["source"], "outputPorts") && ends_well(&link["target"], "inputPorts"))
        && links
            .iter()
            .enumerate()
            .all(|(at, link)| links[..at].iter().all(|other| ends(link) != ends(other)))
        && boxes.iter().all(|b| !b["comments"].is_null() && is_position(&b["commentBoxPosition"]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn c7_a_repair_leaves_nothing_that_it_does_not_tell_of(value in document(), seed in any::<u64>()) {
        for schema in schemas() {
            let mut store = ContentStore::new(schema);
            let content = store.take_in(&spelled(&value, seed), None).unwrap();
            check_laws(&mut store, content);
        }
    }

    #[test]
    fn c7_what_is_whole_is_what_the_rules_say(seed in any::<u64>(), carelessness in 0..30u64) {
        let workflow = nearly(&mut Dice(seed), carelessness);
        for schema in schemas().into_iter().skip(1) {
            let mut store = ContentStore::new(schema);
            let content = store.take_in(&workflow.to_string(), None).unwrap();
            check_laws(&mut store, content);
        }
        let mut store = ContentStore::default();
        let content = store.take_in(&workflow.to_string(), None).unwrap();
        let faults = store.validate(content);
        prop_assert_eq!(faults.is_empty(), is_whole(&workflow), "{}\n{:?}", workflow, faults);
        let repaired = check_laws(&mut store, content);
        // What nothing but a guess could repair.
        let asks_for_a_guess = |fault: &Fault| matches!(fault.code, FaultCode::MissingField | FaultCode::WrongKind);
        prop_assert!(repaired.faults.iter().all(|fault| fault.repaired.is_some() || asks_for_a_guess(fault)));
        let text = store.text(repaired.content).unwrap();
        prop_assert_eq!(repaired.is_whole(), is_whole(&serde_json::from_str(&text).unwrap()), "{}\n{}", workflow, text);
    }

    #[test]
    fn c7_faults_are_those_of_the_value_and_not_of_its_spelling(value in document(), a in any::<u64>(), b in any::<u64>()) {
        let mut store = ContentStore::default();
        let [a, b] = [a, b].map(|seed| {
            let content = store.take_in(&spelled(&value, seed), None).unwrap();
            // The order of keys does not matter.
            let mut told: Vec<_> =
                store.validate(content).into_iter().map(|fault| (fault.code, fault.place, fault.message)).collect();
            told.sort();
            told
        });
        prop_assert_eq!(a, b);
    }

    #[test]
    fn c7_nothing_new_is_on_top_of_anything(seed in any::<u64>()) {
        let workflow = nearly(&mut Dice(seed), 20);
        let mut store = ContentStore::default();
        let content = store.take_in(&workflow.to_string(), None).unwrap();
        let repaired = store.repair(content);
        let text = store.text(repaired.content).unwrap();
        let document: Json = serde_json::from_str(&text).unwrap();
        let placed = repaired.faults.iter().filter(|fault| fault.repaired == Some(Repair::Placed));
        let placed: HashSet<&str> = placed.map(|fault| &*fault.place.id).collect();
        let mut points: Vec<(&str, &Json)> = Vec::new();
        points.extend(document["operatorPositions"].as_object().into_iter().flatten().map(|(id, at)| (id.as_str(), at)));
        let boxes = document["commentBoxes"].as_array().into_iter().flatten();
        points.extend(boxes.map(|b| (b["commentBoxID"].as_str().unwrap_or(""), &b["commentBoxPosition"])));
        for (at, (id, point)) in points.iter().enumerate().filter(|(_, (id, _))| placed.contains(id)) {
            for (_, other) in points.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other) {
                let apart = |axis: &str| (point[axis].as_f64().unwrap() - other[axis].as_f64().unwrap()).abs();
                prop_assert!(apart("x") >= 160.0 || apart("y") >= 160.0, "{} in {}", id, text);
            }
        }
    }

    #[test]
    fn c7_small_changes_of_a_whole_document(seed in any::<u64>(), at in any::<u64>(), value in document()) {
        let mut store = ContentStore::default();
        let changed = nudge(&value, &mut Dice(at));
        if let Ok(content) = store.take_in(&spelled(&changed, seed), None) {
            check_laws(&mut store, content);
        }
    }
}

// ── named cases ──

/// Two operators, a link, a comment box.
fn workflow() -> Json {
    json!({
        "operators": [
            { "operatorID": "op1", "operatorType": "Scan", "inputPorts": [], "outputPorts": [{ "portID": "output-0" }] },
            { "operatorID": "op2", "operatorType": "Filter", "customDisplayName": "Adults",
              "inputPorts": [{ "portID": "input-0" }, { "portID": "input-1" }], "outputPorts": [{ "portID": "output-0" }] },
        ],
        "operatorPositions": { "op1": { "x": 10, "y": 20 }, "op2": { "x": 300, "y": 20 } },
        "links": [link("l1", "op1", "op2", "input-0")],
        "commentBoxes": [{ "commentBoxID": "c1", "comments": [], "commentBoxPosition": { "x": 0, "y": -50.5 } }],
        "settings": {},
    })
}

fn link(id: &str, from: &str, to: &str, port: &str) -> Json {
    json!({ "linkID": id, "source": { "operatorID": from, "portID": "output-0" }, "target": { "operatorID": to, "portID": port } })
}

/// What is said and what is done about a text; and the text after that.
fn told_of(text: &str) -> (Vec<String>, String) {
    let mut store = ContentStore::default();
    let content = store.take_in(text, None).unwrap();
    let repaired = check_laws(&mut store, content);
    let told = repaired.faults.iter().map(|fault| {
        let done = fault.repaired.map_or("left", Repair::as_str);
        format!("{} {done}: {}", fault.code.as_str(), fault.message)
    });
    (told.collect(), store.text(repaired.content).unwrap())
}

fn told(document: &Json) -> (Vec<String>, Json) {
    let (told, text) = told_of(&document.to_string());
    (told, serde_json::from_str(&text).unwrap())
}

#[test]
fn c7_every_recorded_content_is_whole() {
    let mut count = 0;
    for folder in ["texera", "texera-revert"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
        for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
            if !file.extension().is_some_and(|extension| extension == "jsonl" || extension == "json") {
                continue;
            }
            let mut store = ContentStore::default();
            for line in std::fs::read_to_string(&file).unwrap().lines() {
                let mut todo: Vec<Json> = serde_json::from_str(line).into_iter().collect();
                while let Some(value) = todo.pop() {
                    if value.get("operators").is_some_and(Json::is_array) && value.get("links").is_some() {
                        let content = store.take_in(&value.to_string(), None).unwrap();
                        assert_eq!(store.validate(content), [], "{}", file.display());
                        assert_eq!(store.repair(content), Repaired { content, faults: vec![] });
                        count += 1;
                    }
                    match value {
                        Json::Array(items) => todo.extend(items),
                        Json::Object(members) => todo.extend(members.into_iter().map(|(_, value)| value)),
                        _ => {}
                    }
                }
            }
        }
    }
    assert!(count > 500, "{count} contents");
}

#[test]
fn c7_a_sentence_for_every_fault_and_what_was_done() {
    type Change = fn(&mut Json);
    let cases: &[(Change, &[&str])] = &[
        (|_| {}, &[]),
        (|w| drop(w.as_object_mut().unwrap().remove("commentBoxes")), &[]),
        (|w| w["operatorPositions"]["op1"]["z"] = json!("front"), &[]),
        (|w| w["operators"][1]["inputPorts"] = json!(null), &[]),
        (
            |w| w["operators"][1]["inputPorts"] = json!([]),
            &[
                "no_port dropped: l1 in `links` ends at a port input-0 that Adults (op2) does not have among its `inputPorts`.",
            ],
        ),
        (
            |w| w["links"][0]["target"]["portID"] = json!(null),
            &[
                "no_port dropped: l1 in `links` ends at a port without a name that Adults (op2) does not have among its `inputPorts`.",
            ],
        ),
        (|w| w["links"] = json!({}), &["wrong_kind emptied: `links` is an object, but has to be a list."]),
        (
            |w| w["links"] = json!({ "l1": 1 }),
            &["wrong_kind left: `links` is an object, but has to be a list."],
        ),
        (
            |w| w["operators"] = json!("none"),
            &["wrong_kind left: `operators` is a text, but has to be a list."],
        ),
        (
            |w| w["operatorPositions"] = json!([1]),
            &[
                "wrong_kind emptied: `operatorPositions` is a list, but has to be an object.",
                "no_position placed: Scan (op1) in `operators` has no position in `operatorPositions`.",
                "no_position placed: Adults (op2) in `operators` has no position in `operatorPositions`.",
            ],
        ),
        (
            |w| drop(w.as_object_mut().unwrap().remove("operatorPositions")),
            &[
                "no_position placed: Scan (op1) in `operators` has no position in `operatorPositions`.",
                "no_position placed: Adults (op2) in `operators` has no position in `operatorPositions`.",
            ],
        ),
        (
            |w| w["operatorPositions"]["op1"] = json!(null),
            &["no_position placed: op1 in `operatorPositions` has no position."],
        ),
        (
            |w| w["operatorPositions"]["op1"]["x"] = json!("NaN"),
            &[
                "bad_position placed: op1 in `operatorPositions` has a position that is not two finite numbers.",
            ],
        ),
        (
            |w| w["operatorPositions"]["op9"] = json!({ "x": 1, "y": 1 }),
            &["orphan dropped: `operatorPositions` has an entry for op9, which is not in `operators`."],
        ),
        (
            |w| w["operators"].as_array_mut().unwrap().push(json!(7)),
            &["not_an_object dropped: Item 3 of `operators` is a number, but has to be an object."],
        ),
        (
            |w| w["operators"].as_array_mut().unwrap().push(json!({ "operatorID": 7 })),
            &["no_id dropped: Item 3 of `operators` has no `operatorID` to tell it apart by."],
        ),
        (
            |w| w["operatorPositions"][""] = json!({ "x": 1, "y": 1 }),
            &["no_id dropped: Item 1 of `operatorPositions` has an empty key to tell it apart by."],
        ),
        (
            |w| w["links"].as_array_mut().unwrap().push(link("l1", "op2", "op2", "input-1")),
            &["duplicate_id dropped: Item 1 of `links` has the id of a later one, l1."],
        ),
        (
            |w| w["links"].as_array_mut().unwrap().push(link("l2", "op1", "op2", "input-0")),
            &["duplicate_link dropped: l2 in `links` connects the same as l1 does."],
        ),
        (|w| w["links"].as_array_mut().unwrap().push(link("l2", "op1", "op2", "input-1")), &[]),
        (
            |w| w["links"][0] = link("l1", "op8", "op9", "input-0"),
            &[
                "dangling dropped: l1 in `links`: `source.operatorID` leads to op8, which is not in `operators`.",
                "dangling dropped: l1 in `links`: `target.operatorID` leads to op9, which is not in `operators`.",
            ],
        ),
        (
            |w| w["links"][0]["source"] = json!("op1"),
            &["dangling dropped: l1 in `links` has no `source.operatorID` to say where it leads."],
        ),
        (
            |w| w["links"][0]["source"]["operatorID"] = json!(1),
            &["dangling dropped: l1 in `links`: `source.operatorID` is a number, but has to be an id."],
        ),
        (
            |w| drop(w["operators"].as_array_mut().unwrap().remove(1)),
            &[
                "orphan dropped: `operatorPositions` has an entry for op2, which is not in `operators`.",
                "dangling dropped: l1 in `links`: `target.operatorID` leads to op2, which is not in `operators`.",
            ],
        ),
        (
            |w| w["commentBoxes"][0] = json!({ "commentBoxID": "c1" }),
            &[
                "no_position placed: c1 in `commentBoxes` has no position.",
                "missing_field left: c1 in `commentBoxes` has no `comments`.",
            ],
        ),
    ];
    for (change, expected) in cases {
        let mut document = workflow();
        change(&mut document);
        assert_eq!(told(&document).0, *expected, "{document}");
    }
}

#[test]
fn c7_a_repair_does_what_it_says_and_nothing_else() {
    let text = r#" { "operators" : [ {"operatorID":"a", "n":1.0} , {"operatorID":"b"},7 ] , "settings":{"é":"\u00e9"},
        "operatorPositions":{ "a":{"x":1e1,"x":"?", "w":5 , "y":0} ,"c":{"x":1,"y":1},"c":null}, "operators2": [] ,"links":[ ] } "#;
    let (told, repaired) = told_of(text);
    assert_eq!(told.len(), 4, "{told:#?}");
    assert_eq!(
        repaired,
        r#"{ "operators" : [ {"operatorID":"a", "n":1.0} , {"operatorID":"b"}] , "settings":{"é":"\u00e9"},
        "operatorPositions":{"a":{"x":1e1,"x":0, "w":5 , "y":0},"b":{"x":240,"y":0}}, "operators2": [] ,"links":[ ] }"#
    );
}

#[test]
fn c7_new_places_are_beside_what_is_there_and_the_same_every_time() {
    let mut document = workflow();
    for n in 3..8 {
        document["operators"].as_array_mut().unwrap().push(json!({ "operatorID": format!("op{n}") }));
    }
    let (_, repaired) = told(&document);
    let place = |x: u32, y: i32| json!({ "x": x, "y": y });
    assert_eq!(
        repaired["operatorPositions"],
        json!({
            "op1": { "x": 10, "y": 20 }, "op2": { "x": 300, "y": 20 },
            "op3": place(540, -51), "op4": place(780, -51), "op5": place(1020, -51),
            "op6": place(540, 109), "op7": place(780, 109),
        })
    );
    assert_eq!(told(&document).1, repaired);
}

#[test]
fn x1_bad_input_is_kept_repaired_or_told_of() {
    let operators =
        |more: &str| format!(r#"{{"operators":[{{"operatorID":"a"}}],"operatorPositions":{{"a":{more}}}}}"#);
    for (text, expected) in [
        (operators(r#"{"x":-0,"y":-0.0}"#), None),
        (operators(r#"{"x":123456789012345678901234567890,"y":1e-400}"#), None),
        (operators(r#"{"x":1,"y":2,"__proto__":{"x":null},"0":1}"#), None),
        (operators(r#"{"x":null,"x":1,"y":2}"#), None),
        (operators(r#"{"x":1,"y":1e400}"#), Some("bad_position placed")),
        (operators(r#"{"x":-1e400,"y":1}"#), Some("bad_position placed")),
        (operators(r#"{"x":"NaN","y":1}"#), Some("bad_position placed")),
        (operators(r#"{"x":1,"x":null,"y":2}"#), Some("bad_position placed")),
        (operators(r#"{}"#), Some("bad_position placed")),
        (operators(r#"[1,2]"#), Some("bad_position placed")),
        (operators(r#""1,2""#), Some("bad_position placed")),
        (operators("null"), Some("no_position placed")),
        (operators(r#"{"x":1,"y":1},"a":null"#), Some("no_position placed")),
        (operators(r#"{"x":1,"y":1},"__proto__":{"x":1,"y":1}"#), Some("orphan dropped")),
        (operators(r#"{"x":1,"y":1},"\ud800":{"x":1,"y":1}"#), Some("orphan dropped")),
        (
            r#"{"operators":[{"operatorID":"\ud800"}],"operatorPositions":{"\uD800":{"x":1,"y":1}}}"#.into(),
            None,
        ),
        (r#"{"operators":[{"operatorID":"\ud800"}]}"#.into(), Some("no_position placed")),
        (r#"{"operators":[{"operatorID":"__proto__"}]}"#.into(), Some("no_position placed")),
        (r#"{"operators":[{"operatorID":"a","operatorID":null}]}"#.into(), Some("no_id dropped")),
        (r#"{"operators":[{"operatorID":""}]}"#.into(), Some("no_id dropped")),
        (r#"{"operators":[1e400]}"#.into(), Some("not_an_object dropped")),
        (r#"{"links":1,"links":[]}"#.into(), None),
        (r#"{"links":[],"links":null}"#.into(), Some("wrong_kind emptied")),
        ("{ }".into(), None),
        ("{}".into(), None),
    ] {
        let (told, repaired) = told_of(&text);
        let briefly: Vec<&str> = told.iter().map(|told| told.split(':').next().unwrap()).collect();
        assert_eq!(briefly, expected.into_iter().collect::<Vec<_>>(), "{text}\n{told:?}");
        if expected.is_none() {
            assert_eq!(repaired, text, "letter by letter");
        }
    }
}

#[test]
fn x1_a_million_levels_are_no_position_either() {
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let text = format!(
        r#"{{"operators":[{{"operatorID":"a","inputPorts":[{deep}]}},{deep}],"operatorPositions":{{"a":{deep}}},
        "links":[{{"linkID":"l","source":{{"operatorID":"a"}},"target":{{"operatorID":"a","portID":{deep}}}}}],"commentBoxes":{deep}}}"#
    );
    let mut store = ContentStore::default();
    let content = store.take_in(&text, None).unwrap();
    let repaired = store.repair(content);
    let codes: Vec<_> =
        repaired.faults.iter().map(|fault| (fault.code, fault.place.collection.to_string())).collect();
    let expected = [
        (FaultCode::NotAnObject, "operators"),
        (FaultCode::BadPosition, "operatorPositions"),
        (FaultCode::NoPort, "links"),
        (FaultCode::NotAnObject, "commentBoxes"),
    ];
    assert_eq!(codes, expected.map(|(code, collection)| (code, collection.to_owned())));
    assert!(repaired.is_whole());
}

#[test]
fn x1_a_hundred_thousand_of_everything() {
    const MANY: usize = 100_000;
    let name = "n".repeat(100_000);
    let ports: Vec<Json> = (0..MANY).map(|n| json!({ "portID": n.to_string() })).collect();
    let hub = json!({ "operatorID": "hub", "operatorType": name, "inputPorts": ports, "outputPorts": ports });
    let end = |port: usize| json!({ "operatorID": "hub", "portID": port.to_string() });
    let link =
        |n: usize, to: usize| json!({ "linkID": format!("l{n}"), "source": end(n), "target": end(to) });
    let position = json!({ "x": 1, "y": 1 });
    let many = |item: &dyn Fn(usize) -> Json| (0..MANY).map(item).collect::<Vec<Json>>();
    let unplaced = many(&|n| json!({ "operatorID": format!("op{n}") }));
    for (document, code, count) in [
        (
            json!({ "operators": [hub], "operatorPositions": { "hub": position }, "links": many(&|n| link(n, n)) }),
            None,
            0,
        ),
        (
            json!({ "operators": [hub], "operatorPositions": { "hub": position }, "links": many(&|n| link(n, MANY)) }),
            Some(FaultCode::NoPort),
            MANY,
        ),
        (json!({ "links": many(&|n| link(n, n)) }), Some(FaultCode::Dangling), 2 * MANY),
        (
            json!({ "operators": [hub], "operatorPositions": { "hub": position }, "links": many(&|_| link(0, 0)) }),
            Some(FaultCode::DuplicateId),
            MANY - 1,
        ),
        (
            json!({ "operators": [hub], "operatorPositions": { "hub": position }, "links": many(&|n| json!({ "linkID": n.to_string(), "source": end(0), "target": end(0), "note": if n == 0 { &*name } else { "" } })) }),
            Some(FaultCode::DuplicateLink),
            MANY - 1,
        ),
        (json!({ "operators": unplaced }), Some(FaultCode::NoPosition), MANY),
        (json!({ "operators": many(&|n| json!(n)) }), Some(FaultCode::NotAnObject), MANY),
    ] {
        let mut store = ContentStore::default();
        let content = store.take_in(&document.to_string(), None).unwrap();
        let repaired = store.repair(content);
        assert_eq!(repaired.faults.len(), count);
        assert!(repaired.faults.iter().all(|fault| Some(fault.code) == code && fault.message.len() < 1_000));
        assert!(repaired.is_whole());
    }
}

#[test]
fn c7_the_schema_alone_says_what_is_whole() {
    let mut store = ContentStore::new(Schema::react_flow());
    let edge =
        |id: &str, to: &str, label: &str| json!({ "id": id, "source": "a", "target": to, "label": label });
    let flow = json!({
        "nodes": [{ "id": "a", "data": { "label": "Start" } }, { "id": "b", "position": { "x": 0, "y": 0 } }],
        "edges": [edge("e1", "b", ""), edge("e2", "c", ""), edge("e3", "b", ""), edge("e4", "b", "yes")],
    });
    let content = store.take_in(&flow.to_string(), None).unwrap();
    let repaired = check_laws(&mut store, content);
    let messages: Vec<&str> = repaired.faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "Start (a) in `nodes` has no position.",
            "e2 in `edges`: `target` leads to c, which is not in `nodes`.",
            "e3 in `edges` connects the same as e1 does.",
        ],
        "e4 is another: ports are unknown here, so anything may tell two edges apart"
    );
    let document: Json = serde_json::from_str(&store.text(repaired.content).unwrap()).unwrap();
    assert_eq!(document["nodes"][0]["position"], json!({ "x": 240, "y": 0 }));
    assert_eq!(document["edges"], json!([edge("e1", "b", ""), edge("e4", "b", "yes")]));
}

#[test]
fn c7_links_are_doubles_by_where_their_fields_lead_and_not_by_what_their_ids_are() {
    let schema = r#"{"collections":[
        {"path":"nodes","kind":"list","id":"id"},
        {"path":"edges","kind":"list","id":"id","refs":[
            {"field":[],"to":"nodes","port":{"field":["port"],"among":"ports","id":"name"}},
            {"field":["from"],"to":"nodes","port":{"field":["out"],"among":"ports","id":"name"}},
            {"field":["to"],"to":"nodes"}]}]}"#;
    let mut store = ContentStore::new(Schema::read(schema).unwrap());
    let node = |id: &str| json!({ "id": id, "ports": [{ "name": "i" }, { "name": "j" }] });
    let edge =
        |id: &str, port: &str, to: &str| json!({ "id": id, "port": port, "from": "a", "out": "i", "to": to });
    let nodes = ["a", "b", "c"].map(node);
    let edges = [edge("a", "i", "b"), edge("b", "j", "b"), edge("c", "i", "c"), edge("d", "i", "c")];
    let text = json!({ "nodes": nodes, "edges": edges }).to_string();
    let content = store.take_in(&text, None).unwrap();
    let faults: Vec<String> = store.validate(content).iter().map(Fault::to_string).collect();
    assert_eq!(
        faults,
        ["`edges` has an entry for d, which is not in `nodes`.", "b in `edges` connects the same as a does."]
    );
}

#[test]
fn c7_an_entry_that_needs_more_than_a_position_is_not_made_up() {
    let schema = |more: Json| {
        let mut seats = json!({ "path": "seats", "kind": "map", "position": ["at"], "refs": [{ "field": [], "to": "people" }] });
        seats.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let collections =
            json!([{ "path": "people", "kind": "map" }, { "path": "rooms", "kind": "map" }, seats]);
        Schema::read(&json!({ "collections": collections }).to_string()).unwrap()
    };
    let refs = json!([{ "field": [], "to": "people" }, { "field": ["room"], "to": "rooms" }]);
    for (more, expected) in [
        (json!({}), Some(r#"{"people":{"ann":1},"seats":{"ann":{"at":{"x":0,"y":0}}}}"#)),
        (json!({ "required": ["at"] }), Some(r#"{"people":{"ann":1},"seats":{"ann":{"at":{"x":0,"y":0}}}}"#)),
        (json!({ "required": ["at", "row"] }), None),
        (json!({ "refs": refs }), None),
    ] {
        let mut store = ContentStore::new(schema(more));
        let text = r#"{"people":{"ann":1}}"#;
        let content = store.take_in(text, None).unwrap();
        let repaired = check_laws(&mut store, content);
        assert_eq!(repaired.is_whole(), expected.is_some());
        assert_eq!(store.text(repaired.content).unwrap(), expected.unwrap_or(text));
    }
}

#[test]
fn c7_a_position_is_put_in_where_it_belongs_unless_something_is_in_the_way() {
    let collection = json!({ "path": "nodes", "kind": "list", "id": "id", "position": ["ui", "at"] });
    let schema = Schema::read(&json!({ "collections": [collection] }).to_string()).unwrap();
    for (node, expected) in [
        (r#"{"id":"a"}"#, Some(r#"{"id":"a","ui":{"at":{"x":0,"y":0}}}"#)),
        (r#"{"ui":null,"id":"a"}"#, Some(r#"{"ui":{"at":{"x":0,"y":0}},"id":"a"}"#)),
        (r#"{"id":"a","ui":{"w": 1}}"#, Some(r#"{"id":"a","ui":{"w": 1,"at":{"x":0,"y":0}}}"#)),
        (r#"{"id":"a","ui":{"at":{ "y":7}}}"#, Some(r#"{"id":"a","ui":{"at":{ "y":0,"x":0}}}"#)),
        (r#"{"id":"a","ui":{"at":"left"}}"#, Some(r#"{"id":"a","ui":{"at":{"x":0,"y":0}}}"#)),
        (r#"{"id":"a","ui":"left"}"#, None),
    ] {
        let mut store = ContentStore::new(schema.clone());
        let content = store.take_in(&format!(r#"{{"nodes":[{node}]}}"#), None).unwrap();
        let repaired = check_laws(&mut store, content);
        assert_eq!(repaired.is_whole(), expected.is_some(), "{node}");
        let expected = format!(r#"{{"nodes":[{}]}}"#, expected.unwrap_or(node));
        assert_eq!(store.text(repaired.content).unwrap(), expected);
    }
}
