//! C6: edits as sentences for a person, on changes that people make and on ones that nobody would.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;

use std::collections::HashSet;

use headway::content::describe::{Sentence, SentenceKind};
use headway::content::edit::{Edit, PathStep, Place, Point, Summary};
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

#[test]
fn c6_entities_of_one_name_are_told_apart_where_they_come_go_or_are_linked() {
    let twins = |ids: &[&str], links: Vec<Json>| {
        let operators: Vec<Json> = ids
            .iter()
            .map(|id| operator(id, if *id == "s" { "Scan" } else { "Filter" }, json!({})))
            .collect();
        json!({ "operators": operators, "links": links })
    };
    let three = ["s", "Filter-operator-3fa85f64-5717", "Filter-operator-9b1d0000-5717"];
    let linked = |at: usize| twins(&three, vec![link("l", "s", three[at])]);
    let of_all = |count: usize| twins(&three[..count], vec![]);
    for (a, b, expected) in [
        (linked(1), linked(2), vec!["Reconnected Scan → Filter #3fa85f64 as Scan → Filter #9b1d0000"]),
        (of_all(3), linked(1), vec!["Connected Scan → Filter #3fa85f64"]),
        (linked(2), of_all(3), vec!["Disconnected Scan → Filter #9b1d0000"]),
        (of_all(3), of_all(2), vec!["Removed Filter #9b1d0000"]),
        (linked(2), of_all(2), vec!["Removed Filter #9b1d0000 (1 link)"]),
        (of_all(2), of_all(3), vec!["Added Filter #9b1d0000"]),
        (of_all(1), of_all(2), vec!["Added Filter"]),
        (
            twins(&["s", three[1]], vec![]),
            twins(&["s", three[2]], vec![]),
            vec!["Added Filter #9b1d0000", "Removed Filter #3fa85f64"],
        ),
    ] {
        assert_eq!(texts(&a, &b), expected);
    }
    let port = |id: &str| {
        let mut link = link("l", "s", three[1]);
        link["target"]["portID"] = json!(id);
        twins(&three, vec![link])
    };
    assert_eq!(texts(&port("i"), &port("j")), ["Reconnected Scan → Filter #3fa85f64 at another port"]);
    // More names than are looked for one by one.
    let named = |ids: std::ops::Range<usize>| {
        let operators: Vec<Json> = ids
            .map(|n| json!({ "operatorID": format!("op{n}"), "operatorType": "Sort", "customDisplayName": format!("Part {}", n / 2) }))
            .collect();
        json!({ "operators": operators })
    };
    let found = texts(&named(0..1), &named(0..41));
    assert_eq!(found.len(), 40);
    assert_eq!(&found[..2], ["Added Sort “Part 0” #op1", "Added Sort “Part 1” #op2"]);
    assert_eq!(found[39], "Added Sort “Part 20”", "nobody else has that name");
}

#[test]
fn c6_names_are_never_json() {
    let name = r#"{"a": [1, 2]}"#;
    for (operator, expected) in [
        (json!({ "operatorID": "x", "operatorType": "Sort", "customDisplayName": name }), "Added Sort"),
        (json!({ "operatorID": "x", "customDisplayName": name }), "Added x"),
        (json!({ "operatorID": "x", "customDisplayName": format!("\u{feff}{{\u{200b}}} ") }), "Added x"),
        (json!({ "operatorID": name }), "Added an object with 1 field"),
        (json!({ "operatorID": "[[1]]" }), "Added 1 item"),
    ] {
        assert_eq!(texts(&workflow(), &changed(|w| add(w, "operators", operator))), [expected]);
    }
    assert_eq!(property(name, json!(1), json!(2)), ["Bar chart: an object with 1 field: 1 → 2"]);
    assert_eq!(texts(&json!({}), &json!({ name: 1 })), ["Added an object with 1 field: 1"]);
    let ghost =
        json!({ "linkID": "l3", "source": { "operatorID": name }, "target": { "operatorID": "chart" } });
    assert_eq!(
        texts(&workflow(), &changed(|w| add(w, "links", ghost))),
        ["Connected an object with 1 field → Bar chart"]
    );
}

#[test]
fn c6_texts_that_read_like_our_own_words_are_in_quotes() {
    for (text, expected) in [
        ("an empty text", "“an empty text”"),
        ("3 items", "“3 items”"),
        ("1 item", "“1 item”"),
        ("no items", "“no items”"),
        ("white space", "“white space”"),
        ("an empty object", "“an empty object”"),
        ("an object with 2 fields", "“an object with 2 fields”"),
        ("changed in white space only", "“changed in white space only”"),
        ("something", "“something”"),
        ("1e5", "“1e5”"),
        ("items", "items"),
        ("four items", "four items"),
    ] {
        assert_eq!(
            property("x", json!(""), json!(text)),
            [format!("Bar chart: x: an empty text → {expected}")]
        );
    }
    let label = json!({ "operatorID": "x", "customDisplayName": "1 item" });
    assert_eq!(texts(&workflow(), &changed(|w| add(w, "operators", label))), ["Added “1 item”"]);
    let at = "/operators/1/operatorProperties/predicates/0/value";
    let b = changed(|w| *w.pointer_mut(at).unwrap() = json!("1, or age > 2"));
    assert_eq!(texts(&workflow(), &b), ["Filter: age > 30 → age > “1, or age > 2”"]);
}

#[test]
fn c6_what_cannot_be_seen_is_not_shown() {
    let (family, persian) = ("👨‍👩‍👧‍👦", "می‌خواهم");
    for (text, expected) in [
        ("\u{202e}txt.exe", "txt.exe"),
        ("a\u{2066}b\u{2069}c\u{200e}\u{61c}", "abc"),
        ("so\u{ad}ft\u{200b}er\u{2060}\u{feff}", "softer"),
        ("F\u{200d}il\u{200c}ter\u{fe0f}", "Filter"),
        ("名\u{200d} \u{200d}名\u{200d}", "名 名"),
        ("a\u{e0061}\u{e0062}", "a"),
        ("a\u{3164}\u{2800}b", "a b"),
        ("❤\u{fe0f}\u{fe0f}", "“❤\u{fe0f}”"),
        (family, &format!("“{family}”")),
        (persian, &format!("“{persian}”")),
        ("\u{200b}\u{202e}", "invisible characters"),
        (" \u{a0}\n", "white space"),
    ] {
        assert_eq!(
            property("x", json!(1), json!(text)),
            [format!("Bar chart: x: 1 → {expected}")],
            "{text:?}"
        );
    }
    let only = |from: &str, to: &str| property("x", json!(from), json!(to));
    assert_eq!(only("ab", "a\u{200b}b"), ["Bar chart: x: changed in invisible characters only"]);
    assert_eq!(only("a b", "a\u{200b}  b"), ["Bar chart: x: changed in white space only"]);
    let hidden =
        json!({ "operatorID": "\u{202e}x", "customDisplayName": "\u{3164}", "operatorType": "Sort\u{202e}" });
    assert_eq!(texts(&workflow(), &changed(|w| add(w, "operators", hidden))), ["Added Sort"]);
    assert_eq!(property("\u{202e}key", json!(1), json!(2)), ["Bar chart: key: 1 → 2"]);
}

#[test]
fn c6_c7_faults_show_names_as_sentences_do() {
    let mut store = ContentStore::default();
    let mut message = |label: &str, id: &str| {
        let content = json!({ "operators": [{ "operatorID": id, "customDisplayName": label }] });
        let content = store.take_in(&content.to_string(), None).unwrap();
        store.validate(content)[0].message.clone()
    };
    let says = " in `operators` has no position in `operatorPositions`.";
    for (label, id, name) in [
        ("Adults", "op2", "Adults (op2)".to_owned()),
        ("\u{202e}txt", "a\u{200b}", "txt (a)".to_owned()),
        (r#"{"a":1}"#, r#"{"b":1}"#, "an object with 1 field".to_owned()),
        (&"👍🏽".repeat(70), "x", format!("“{}…” (x)", "👍🏽".repeat(59))),
    ] {
        assert_eq!(message(label, id), name + says);
    }
}

#[test]
fn c6_long_texts_are_shown_from_shortly_before_they_differ() {
    let (code, chinese) =
        ("def f(x):\n    return x + 1\n\n".repeat(200), "筛选年龄大于三十的人群，".repeat(500));
    let spaces = " ".repeat(20_000);
    for (from, to, expected) in [
        (
            format!("{code}x = 1"),
            format!("{code}x = 2"),
            "“…): return x + 1 x = 1” → “…): return x + 1 x = 2”".to_owned(),
        ),
        (
            format!("{chinese}一"),
            format!("{chinese}二"),
            "“…大于三十的人群，筛选年龄大于三十的人群，一” → “…大于三十的人群，筛选年龄大于三十的人群，二”"
                .to_owned(),
        ),
        (
            format!("{code}a{spaces}b"),
            format!("{code}a b{spaces}c"),
            "“…x): return x + 1 a b” → “…x): return x + 1 a b c”".to_owned(),
        ),
        (format!("{code}a{spaces}b"), format!("{code}a b"), "changed in white space only".to_owned()),
        (
            format!("{code}e\u{301}"),
            format!("{code}e\u{300}"),
            "“…f(x): return x + 1 e\u{301}” → “…f(x): return x + 1 e\u{300}”".to_owned(),
        ),
        (
            format!("{}a", "\\".repeat(5_000)),
            format!("{}b", "\\".repeat(5_000)),
            format!("“…{0}a” → “…{0}b”", "\\".repeat(20)),
        ),
        (
            format!("a{}b", "\u{301}".repeat(5_000)),
            format!("a{}c", "\u{301}".repeat(5_000)),
            "“…b” → “…c”".to_owned(),
        ),
    ] {
        assert_eq!(property("x", json!(from), json!(to)), [format!("Bar chart: x: {expected}")]);
    }
}

#[test]
fn c6_a_new_order_counts_as_a_change_of_the_collection() {
    let b = changed(|w| w["operators"].as_array_mut().unwrap().swap(0, 2));
    let mut store = ContentStore::default();
    let [a, b] = [workflow(), b].map(|value| store.take_in(&value.to_string(), None).unwrap());
    let edits = store.diff(a, b);
    assert_eq!(store.summary(&edits), Summary { changed: 1, ..Summary::default() });
    assert_eq!(store.summary(&[]), Summary::default());
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

/// A list with a text that spells a list with a text … `depth` times. 5 × depth² bytes.
fn texts_in_texts(depth: usize) -> String {
    let quote = |level: usize| match level {
        0 => "\"".to_owned(),
        _ => format!("\\{}u0022", "u005c".repeat(level - 1)),
    };
    let begin: String = (0..depth).map(|level| format!("[{}", quote(level))).collect();
    let end: String = (0..depth).rev().map(|level| quote(level) + "]").collect();
    format!("{begin}[]{end}")
}

#[test]
fn x1_c6_a_text_in_a_text_in_a_text_is_looked_into_once() {
    let says = |text: String| {
        let to = format!(r#"{{"settings":{{"a":{text}}}}}"#);
        let mut store = ContentStore::default();
        let [a, b] = [r#"{"settings":{"a":1}}"#, &to].map(|text| store.take_in(text, None).unwrap());
        store.describe(a, b, &store.diff(a, b)).remove(0).text
    };
    assert_eq!(says(texts_in_texts(1)), "Settings: a: 1 → no items");
    assert_eq!(says(texts_in_texts(2)), "Settings: a: 1 → a text");
    assert_eq!(says(r#""[\"[1\"]""#.into()), "Settings: a: 1 → “[1”", "that is no JSON");
    // 11 MB at the end: cubic in the depth it would take an hour, and a level took 1 KB of stack.
    for depth in [400, 1_500] {
        let text = texts_in_texts(depth);
        let thread = std::thread::Builder::new().stack_size(256 * 1024);
        let said = thread.spawn(move || says(text)).unwrap().join().unwrap();
        assert_eq!(said, "Settings: a: 1 → a text");
    }
}

#[test]
fn x1_names_are_told_apart_in_linear_time() {
    let operators = |from: usize, to: usize, name: &dyn Fn(usize) -> usize| {
        let many: Vec<Json> = (from..to)
            .map(|n| json!({ "operatorID": format!("{}{n}", "x".repeat(500)), "customDisplayName": name(n).to_string() }))
            .collect();
        json!({ "operators": many })
    };
    for name in [&|_| 1, &|n| n, &|n| n / 2] as [&dyn Fn(usize) -> usize; 3] {
        assert_eq!(texts(&operators(0, 1, name), &operators(0, 10_000, name)).len(), 9_999);
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
        prop_assert_eq!(store.summary(&edits) == Summary::default(), edits.is_empty(), "{:?}", edits);
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
