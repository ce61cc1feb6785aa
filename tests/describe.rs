//! C6: edits as sentences for a person, on changes that people make and on ones that nobody would.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;

use std::collections::HashSet;

use headway::content::describe::{Sentence, SentenceKind};
use headway::content::edit::{Edit, PathStep, Place, Point};
use headway::content::{ContentStore, Schema};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use values::{Dice, Value, document, nudge, spelled};

// ── given a workflow ──

fn operator(id: &str, kind: &str, properties: Json) -> Json {
    json!({ "operatorID": id, "operatorType": kind, "operatorProperties": properties })
}

fn link(id: &str, from: &str, to: &str) -> Json {
    json!({
        "linkID": id,
        "source": { "operatorID": from, "portID": "output-0" },
        "target": { "operatorID": to, "portID": "input-0" },
    })
}

/// A scan, a filter and a chart in a row.
fn workflow() -> Json {
    let predicates = json!([{ "attribute": "age", "condition": ">", "value": "30" }]);
    json!({
        "operators": [
            operator("scan", "CSVScan", json!({ "fileName": "people.csv", "limit": null })),
            operator("filter", "Filter", json!({ "predicates": predicates })),
            operator("chart", "BarChart", json!({ "columns": ["age"], "isStacked": false })),
        ],
        "operatorPositions": {
            "scan": { "x": 0, "y": 0 }, "filter": { "x": 10, "y": 0 }, "chart": { "x": 20, "y": 0 },
        },
        "links": [link("l1", "scan", "filter"), link("l2", "filter", "chart")],
        "commentBoxes": [],
        "settings": { "dataTransferBatchSize": 400 },
    })
}

fn changed(change: impl FnOnce(&mut Json)) -> Json {
    let mut workflow = workflow();
    change(&mut workflow);
    workflow
}

fn add(workflow: &mut Json, list: &str, entity: Json) {
    workflow[list].as_array_mut().unwrap().push(entity);
}

fn take(workflow: &mut Json, list: &str, at: usize) -> Json {
    workflow[list].as_array_mut().unwrap().remove(at)
}

fn sentences(schema: Schema, a: &Json, b: &Json) -> Vec<Sentence> {
    let mut store = ContentStore::new(schema);
    let [a, b] = [a, b].map(|value| store.take_in(&value.to_string(), None).unwrap());
    store.describe(a, b, &store.diff(a, b))
}

fn texts(a: &Json, b: &Json) -> Vec<String> {
    sentences(Schema::texera(), a, b).into_iter().map(|sentence| sentence.text).collect()
}

fn property(name: &str, from: Json, to: Json) -> Vec<String> {
    let with = |value: Json| {
        changed(|w| {
            w["operators"][2]["operatorProperties"] =
                if value == json!("absent") { json!({}) } else { json!({ name: value }) };
        })
    };
    texts(&with(from), &with(to))
}

/// Sentences for edits that need not fit anywhere.
fn of_edits(edits: &[Edit]) -> Vec<String> {
    let mut store = ContentStore::default();
    let content = store.take_in(&workflow().to_string(), None).unwrap();
    store.describe(content, content, edits).into_iter().map(|sentence| sentence.text).collect()
}

fn place(collection: &str, id: &str) -> Place {
    Place { collection: collection.into(), id: id.into() }
}

// ── sentences ──

#[test]
fn c6_what_comes_and_goes() {
    let cases: Vec<(&str, Json, Vec<&str>)> = vec![
        ("nothing", workflow(), vec![]),
        (
            "an operator with its position and link",
            changed(|w| {
                add(w, "operators", operator("sort", "Sort", json!({})));
                w["operatorPositions"]["sort"] = json!({ "x": 1, "y": 1 });
                add(w, "links", link("l3", "scan", "sort"));
            }),
            vec!["Added Sort", "Connected CSV scan → Sort"],
        ),
        (
            "an operator goes with its links",
            changed(|w| {
                take(w, "operators", 1);
                w["operatorPositions"].as_object_mut().unwrap().remove("filter");
                w["links"] = json!([]);
            }),
            vec!["Removed Filter (2 links)"],
        ),
        (
            "two operators go: their link is counted once",
            changed(|w| {
                w["operators"].as_array_mut().unwrap().truncate(1);
                w["operatorPositions"] = json!({ "scan": { "x": 0, "y": 0 } });
                w["links"] = json!([]);
            }),
            vec!["Removed Bar chart", "Removed Filter (2 links)"],
        ),
        ("a link goes", changed(|w| drop(take(w, "links", 0))), vec!["Disconnected CSV scan → Filter"]),
        (
            "a link has another end",
            changed(|w| w["links"][0] = link("l1", "scan", "chart")),
            vec!["Reconnected CSV scan → Filter as CSV scan → Bar chart"],
        ),
        (
            "a link has another port",
            changed(|w| w["links"][0]["target"]["portID"] = json!("input-1")),
            vec!["Reconnected CSV scan → Filter at another port"],
        ),
        (
            "a link to nowhere",
            changed(|w| add(w, "links", json!({ "linkID": "l3", "target": { "operatorID": "ghost 1" } }))),
            vec!["Connected nothing → ghost 1"],
        ),
        (
            "more on a link",
            changed(|w| w["links"][0]["note"] = json!("fast")),
            vec!["Link CSV scan → Filter: note: nothing → fast"],
        ),
        (
            "a comment box has no name",
            changed(|w| {
                add(
                    w,
                    "commentBoxes",
                    json!({ "commentBoxID": "c1", "comments": [], "commentBoxPosition": { "x": 0, "y": 0 } }),
                );
            }),
            vec!["Added comment box c1"],
        ),
        (
            "another order",
            changed(|w| w["operators"].as_array_mut().unwrap().swap(0, 2)),
            vec!["Reordered operators"],
        ),
    ];
    for (name, b, expected) in cases {
        let mut found = texts(&workflow(), &b);
        found.sort();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn c6_where_things_are() {
    let moved = |count: usize| {
        let all = |x: i32| {
            let operators: Vec<Json> =
                (0..9).map(|n| operator(&format!("op{n}"), "Sort", json!({}))).collect();
            let positions: serde_json::Map<String, Json> = (0..9usize)
                .map(|n| (format!("op{n}"), json!({ "x": if n < count { x } else { 0 }, "y": 0 })))
                .collect();
            json!({ "operators": operators, "operatorPositions": positions })
        };
        texts(&all(0), &all(7))
    };
    assert_eq!(moved(1), ["Moved Sort"]);
    assert_eq!(moved(3), ["Moved Sort"; 3]);
    assert_eq!(moved(4), ["Moved 4 operators"]);
    let unplaced = changed(|w| drop(w["operatorPositions"].as_object_mut().unwrap().remove("scan")));
    assert_eq!(texts(&unplaced, &workflow()), ["Placed CSV scan"]);
    assert_eq!(texts(&workflow(), &unplaced), ["CSV scan: no longer placed"]);
    let both = changed(|w| {
        w["operatorPositions"]["scan"]["x"] = json!(5);
        w["operators"][0]["operatorProperties"]["limit"] = json!(7);
    });
    assert_eq!(texts(&workflow(), &both), ["CSV scan: limit: nothing → 7; moved"]);
    let odd = changed(|w| w["operatorPositions"]["scan"] = json!(null));
    assert_eq!(texts(&workflow(), &odd), ["CSV scan: position: an object with 2 fields → nothing"]);
}

#[test]
fn c6_conditions_read_as_conditions() {
    let at = "/operators/1/operatorProperties/predicates";
    let with = |predicates: Json| changed(|w| *w.pointer_mut(at).unwrap() = predicates);
    let age = |value: &str| json!({ "attribute": "age", "condition": ">", "value": value });
    for (b, expected) in [
        (json!([age("40")]), "Filter: age > 30 → age > 40"),
        (
            json!([{ "attribute": "name", "condition": "=", "value": "New York" }]),
            "Filter: age > 30 → name = New York",
        ),
        (json!([age("30"), age("50")]), "Filter: predicates #2 added: age > 50"),
        (json!([]), "Filter: predicates #1 removed, was age > 30"),
        (json!([{ "attribute": "age", "condition": "is null" }]), "Filter: age > 30 → age is null"),
        (json!("all"), "Filter: predicates: age > 30 → all"),
        (
            json!([{ "attribute": "age", "condition": ">", "value": { "days": 1 } }]),
            "Filter: predicates #1 › value: “30” → an object with 1 field",
        ),
    ] {
        assert_eq!(texts(&workflow(), &with(b.clone())), [expected], "{b}");
    }
}

#[test]
fn c6_values_in_words() {
    let long = |end: &str| "0123456789".repeat(8) + end;
    let family = "👨‍👩‍👧‍👦";
    for (from, to, expected) in [
        (json!(1), json!(2.50), "1 → 2.5"),
        (json!(true), json!(false), "on → off"),
        (json!(null), json!("nothing"), "nothing → “nothing”"),
        (json!(30), json!("30"), "30 → “30”"),
        (json!("absent"), json!(5), "nothing → 5"),
        (json!(5), json!("absent"), "5 → nothing"),
        (json!(""), json!("  "), "an empty text → white space"),
        (json!("a  b"), json!("a\tb"), "changed in white space only"),
        (json!("a\u{0}\u{1b}b"), json!("\u{202e}c"), "a b → c"),
        (json!("a, b"), json!("é_中-1.csv"), "“a, b” → é_中-1.csv"),
        (json!(1), json!([1, 2, "x"]), "1 → 1, 2, x"),
        (json!(1), json!([]), "1 → no items"),
        (json!(1), json!([[1], {}]), "1 → 2 items"),
        (json!(1), json!([[1]]), "1 → 1 item"),
        (json!(1), json!((0..9).collect::<Vec<_>>()), "1 → 9 items"),
        (json!(1), json!({}), "1 → an empty object"),
        (json!(1), json!({ "a": 1, "b": [2] }), "1 → an object with 2 fields"),
        (json!(1), json!("{\"a\":1}"), "1 → an object with 1 field"),
        (json!("[[1]]"), json!("[[2]]"), "changed (1 item)"),
        (json!(1), json!(family.repeat(70)), &format!("1 → “{}…”", family.repeat(59))),
        (json!(1), json!(long("")), &format!("1 → “{}…”", &long("")[..59])),
        (json!(long("a")), json!(long("b")), "“…01234567890123456789a” → “…01234567890123456789b”"),
    ] {
        assert_eq!(property("chartColumn", from, to), [format!("Bar chart: chart column: {expected}")]);
    }
    assert_eq!(property("x", json!("absent"), json!(null)), ["Bar chart: x added: nothing"]);
}

#[test]
fn c6_names_of_fields() {
    for (key, expected) in [
        ("dataTransferBatchSize", "data transfer batch size"),
        ("fileURL", "file URL"),
        ("CSVFile", "CSV file"),
        ("snake_case", "snake case"),
        ("x2Axis", "x2 axis"),
        ("a\"", "“a\"”"),
        ("", "“”"),
        ("\u{0}x", "x"),
        ("group by", "group by"),
        ("a: b", "“a: b”"),
    ] {
        assert_eq!(property(key, json!(1), json!(2)), [format!("Bar chart: {expected}: 1 → 2")]);
    }
}

#[test]
fn c6_settings_and_keys_that_no_schema_knows() {
    for (b, expected) in [
        (
            changed(|w| w["settings"]["dataTransferBatchSize"] = json!(500)),
            "Settings: data transfer batch size: 400 → 500",
        ),
        (changed(|w| w["settings"] = json!(null)), "Settings: an object with 1 field → nothing"),
        (
            changed(|w| drop(w.as_object_mut().unwrap().remove("settings"))),
            "Removed settings, was an object with 1 field",
        ),
        (changed(|w| w["myKey"] = json!([1])), "Added myKey: 1"),
        (changed(|w| w["a\"b"] = json!({})), "Added “a\"b”: an empty object"),
        (changed(|w| add(w, "operators", json!(7))), "Operators: #4 added: 7"),
    ] {
        assert_eq!(texts(&workflow(), &b), [expected]);
    }
    assert_eq!(texts(&json!({ "links": [] }), &json!({})), ["Removed links, was no items"]);
    assert_eq!(
        texts(&json!({}), &json!({ "links": [], "operators": [operator("a", "Sort", json!({}))] })),
        ["Added Sort"],
        "that a list is there is no news beside what is in it"
    );
}

#[test]
fn c6_names_of_entities() {
    let named = |label: Json, kind: Json| {
        changed(|w| {
            add(
                w,
                "operators",
                json!({ "operatorID": "op-1", "customDisplayName": label, "operatorType": kind }),
            );
        })
    };
    for (label, kind, expected) in [
        (json!("by age"), json!("Filter"), "Filter “by age”"),
        (json!("Filter by age"), json!("Filter"), "Filter by age"),
        (json!("CSV File Scan"), json!("CSVFileScan"), "CSV File Scan"),
        (json!("Python UDF"), json!("PythonUDFV2"), "Python UDF"),
        (json!(" \n"), json!("HashJoin"), "Hash join"),
        (json!(3), json!(null), "op-1"),
        (json!("by age"), json!("default"), "“by age”"),
        (json!("Us: them"), json!(1), "“Us: them”"),
    ] {
        assert_eq!(texts(&workflow(), &named(label, kind)), [format!("Added {expected}")]);
    }
    let flow = |label: &str| json!({ "nodes": [{ "id": "n1", "type": "default", "position": { "x": 0, "y": 0 }, "data": { "label": label } }], "edges": [] });
    let found = sentences(Schema::react_flow(), &flow("Load"), &flow("Store"));
    assert_eq!(found[0].text, "Store: data › label: Load → Store");
    assert_eq!((found[0].kind, &found[0].place), (SentenceKind::Changed, &place("nodes", "n1")));
}

#[test]
fn c6_sentences_come_in_the_order_of_the_schema_and_then_by_kind() {
    let b = changed(|w| {
        w["settings"] = json!({});
        w["zebra"] = json!(1);
        take(w, "operators", 1);
        w["operatorPositions"] = json!({ "scan": { "x": 9, "y": 0 }, "chart": { "x": 20, "y": 0 } });
        w["operators"][1]["operatorProperties"]["isStacked"] = json!(true);
        add(w, "operators", operator("sort", "Sort", json!({})));
        w["links"] = json!([link("l3", "scan", "chart")]);
    });
    let found = sentences(Schema::texera(), &workflow(), &b);
    let found: Vec<(&str, SentenceKind)> = found.iter().map(|s| (&*s.text, s.kind)).collect();
    assert_eq!(
        found,
        [
            ("Added Sort", SentenceKind::Added),
            ("Removed Filter (2 links)", SentenceKind::Removed),
            ("Bar chart: is stacked: off → on", SentenceKind::Changed),
            ("Moved CSV scan", SentenceKind::Moved),
            ("Connected CSV scan → Bar chart", SentenceKind::Added),
            ("Settings: data transfer batch size: 400 → nothing", SentenceKind::Changed),
            ("Added zebra: 1", SentenceKind::Added),
        ]
    );
}

#[test]
fn c6_many_changes_of_one_entity_are_counted() {
    let with = |n: usize| {
        let properties: serde_json::Map<String, Json> =
            (0..30).map(|at| (format!("p{at:02}"), json!(n))).collect();
        changed(|w| w["operators"][1]["operatorProperties"] = Json::Object(properties))
    };
    let found = texts(&with(1), &with(2));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("Filter: p00: 1 → 2; p01: 1 → 2; "), "{found:?}");
    assert!(found[0].ends_with("; p07: 1 → 2; and 22 more"), "{found:?}");
}

// ── edits that nobody would make ──

#[test]
fn x1_every_edit_has_a_sentence_even_when_it_makes_no_sense() {
    let key = |name: &str| PathStep::Key(name.into());
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let point = |x: &str| Point { x: x.into(), y: "0".into() };
    let set = |id: &str, path: Vec<PathStep>, to: &str| Edit::Set {
        place: place("operators", id),
        path,
        from: Some("1".into()),
        to: to.into(),
    };
    for (edit, expected) in [
        (set("ghost", vec![key("a")], "not { JSON"), "ghost: a: 1 → something".to_owned()),
        (set("filter", vec![], &deep), "Filter: 1 → 1 item".to_owned()),
        (set("filter", vec![PathStep::Index(usize::MAX)], "2"), format!("Filter: #{}: 1 → 2", usize::MAX)),
        (set("\0\\ud800x", vec![key("\0\\ud800\"")], "2"), "“\u{fffd}x”: “\\ud800\"”: 1 → 2".to_owned()),
        (
            set(
                "filter",
                vec![key("operatorProperties"), key("predicates"), PathStep::Index(0), key("value")],
                "2",
            ),
            "Filter: predicates #1 › value: 1 → 2".to_owned(),
        ),
        (
            set("filter", (0..1_000_000).map(PathStep::Index).collect(), "2"),
            "Filter: #1 #2 #3 › … #999998 #999999 #1000000: 1 → 2".to_owned(),
        ),
        (
            set("filter", vec![key("a")], &"9".repeat(1_000_000)),
            format!("Filter: a: 1 → {}…", "9".repeat(59)),
        ),
        (
            set("filter", vec![key("a")], &format!("\"a{}\"", "\u{301}".repeat(1_000_000))),
            "Filter: a: 1 → …".to_owned(),
        ),
        (Edit::Add { place: place("", ""), at: None, value: "".into() }, "Added “”".to_owned()),
        (
            Edit::Remove { place: place("links", "x"), at: None, value: "{}".into() },
            "Disconnected nothing → nothing".to_owned(),
        ),
        (
            Edit::Remove { place: place("links", "x"), at: None, value: "{".into() },
            "Removed link x".to_owned(),
        ),
        (Edit::Move { place: place("who", "x"), from: point("0"), to: point("1") }, "Moved x".to_owned()),
        (Edit::Order { collection: "who".into(), from: vec![], to: vec![] }, "Reordered who".to_owned()),
        (
            Edit::Unset { place: place("who", ""), path: vec![], from: "\u{0}".into() },
            "Removed who, was something".to_owned(),
        ),
    ] {
        let found = of_edits(std::slice::from_ref(&edit));
        let shown = |text: &str| text.chars().take(200).collect::<String>();
        assert_eq!(found.len(), 1);
        assert_eq!(shown(&found[0]), shown(&expected));
    }
}

#[test]
fn x1_many_edits_take_linear_time() {
    let operators = |from: i32| -> Json {
        let many: Vec<Json> =
            (0..20_000).map(|n| operator(&format!("op{n}"), "Sort", json!({ "n": from }))).collect();
        let links: Vec<Json> =
            (0..20_000).map(|n| link(&format!("l{n}"), "op0", &format!("op{n}"))).collect();
        let hub = json!(
            (from..from + 20_000)
                .map(|n| json!({ "attribute": "a", "condition": "=", "value": n }))
                .collect::<Vec<_>>()
        );
        let mut content = json!({ "operators": many, "links": links });
        content["operators"][0]["operatorProperties"]["predicates"] = hub;
        content
    };
    let mut store = ContentStore::default();
    let [a, b] =
        [operators(0), operators(30_000)].map(|value| store.take_in(&value.to_string(), None).unwrap());
    let mut edits = store.diff(a, b);
    edits.extend((0..20_000).map(|n| Edit::Remove {
        place: place("links", &format!("l{n}")),
        at: None,
        value: link(&format!("l{n}"), "op0", &format!("op{n}")).to_string().into(),
    }));
    assert_eq!(store.describe(a, b, &edits).len(), 40_000);
}

// ── properties ──

/// The entity that an edit is about, for a person; nothing for a key as a whole.
fn owner(edit: &Edit) -> Option<Place> {
    let (Edit::Add { place, .. }
    | Edit::Remove { place, .. }
    | Edit::Set { place, .. }
    | Edit::Unset { place, .. }
    | Edit::Move { place, .. }) = edit
    else {
        return None;
    };
    if place.id.is_empty() {
        return None;
    }
    let collection = if &*place.collection == "operatorPositions" { "operators" } else { &place.collection };
    Some(Place { collection: collection.into(), id: place.id.clone() })
}

/// How many entities a sentence counts without a sentence of their own.
fn counts(sentence: &Sentence) -> usize {
    let number = |text: &str| text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
    match sentence.kind {
        SentenceKind::Removed if !sentence.place.id.is_empty() => {
            sentence.text.rsplit_once(" (").map_or(0, |(_, links)| number(links))
        }
        SentenceKind::Moved if sentence.place.id.is_empty() => number(&sentence.text["Moved ".len()..]),
        _ => 0,
    }
}

fn another(value: &Value, dice: &mut Dice, other: &Value) -> Value {
    match dice.roll(3) {
        0 => other.clone(),
        rounds => {
            let changed = (0..rounds * 2).fold(value.clone(), |value, _| nudge(&value, dice));
            if matches!(changed, Value::Object(_)) { changed } else { value.clone() }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn c6_every_entity_is_mentioned_or_counted_and_json_never(
        first in document(), second in document(), dice in any::<u64>(), seed in any::<u64>()
    ) {
        let mut store = ContentStore::default();
        let second = another(&first, &mut Dice(dice), &second);
        let [a, b] = [&first, &second].map(|value| store.take_in(&spelled(value, seed), None).unwrap());
        let edits = store.diff(a, b);
        let sentences = store.describe(a, b, &edits);
        prop_assert_eq!(&sentences, &store.describe(a, b, &edits), "the same edits, the same sentences");
        prop_assert_eq!(sentences.is_empty(), edits.is_empty());
        for Sentence { text, .. } in &sentences {
            prop_assert!(!text.contains(['{', '}', '[', ']']) && !text.contains("\":"), "{}", text);
            prop_assert!(!text.contains(|c: char| c.is_control()) && !text.contains("  "), "{:?}", text);
        }
        let told: HashSet<&Place> = sentences.iter().map(|sentence| &sentence.place).collect();
        prop_assert_eq!(told.len(), sentences.iter().map(|s| (&s.place, s.kind)).collect::<HashSet<_>>().len());
        let touched: HashSet<Place> = edits.iter().filter_map(owner).collect();
        let untold = touched.iter().filter(|place| !told.contains(place)).count();
        prop_assert_eq!(untold, sentences.iter().map(counts).sum::<usize>(), "{:?}\n{:?}", edits, sentences);
    }
}
