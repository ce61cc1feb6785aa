//! Contents that once did what they must not.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

use headway::content::edit::reverse;
use headway::content::{ContentIx, ContentStore, Json, Schema, canonical};
use headway::engine::{Options, Side};
use headway::{Engine, Outcome};

fn put(store: &mut ContentStore, text: &str) -> ContentIx {
    store.take_in(text, None).unwrap()
}

/// C4 for these two.
fn laws(a: &str, b: &str) {
    let mut store = ContentStore::default();
    let (x, y) = (put(&mut store, a), put(&mut store, b));
    let edits = store.diff(x, y);
    let there = store.apply(x, &edits).unwrap();
    assert!(store.equal(there, y), "{a} → {b}: {:?}", store.text(there));
    let back = store.apply(y, &reverse(edits)).unwrap();
    assert!(store.equal(back, x), "{b} → {a}: {:?}", store.text(back));
}

#[test]
fn x1_white_space_between_braces_is_no_member_that_can_come_again() {
    let mut store = ContentStore::default();
    let near = put(&mut store, "{ }");
    assert!(store.take_in("{ ,\"a\":1}", Some(near)).is_err());
    assert_eq!(store.take_in("{ }", Some(near)), Ok(near));

    let mut engine = Engine::new(Options::default());
    let frame = r#"{"state":"AVAILABLE","steps":[],"headId":"step-initial","type":"WsServerSnapshotEvent","workflowContent":{ }}"#;
    let codes = |outcome: Outcome| outcome.notices.iter().map(|notice| notice.code).collect::<Vec<_>>();
    assert_eq!(codes(engine.receive(frame)), [""; 0]);
    assert_eq!(codes(engine.receive(&frame.replace("{ }", "{ ,\"a\":1}"))), ["frame_not_json"]);
    assert_eq!(engine.content(None).as_deref(), Some("{ }"));
}

#[test]
fn c4_an_empty_id_is_none() {
    laws(r#"{"operators":[{"operatorID":"","n":1}]}"#, r#"{"operators":[{"operatorID":"","n":2}]}"#);
    laws(
        r#"{"operatorPositions":{"":{"x":1,"y":1},"a":{"x":0,"y":0}}}"#,
        r#"{"operatorPositions":{"":{"x":2,"y":1},"a":{"x":0,"y":0}}}"#,
    );
}

#[test]
fn c2_the_smallest_exponent_of_128_bits_has_one_form() {
    let [a, b] =
        ["0.1e-170141183460469231731687303715884105728", "1e-170141183460469231731687303715884105729"]
            .map(|text| Json::check(text).unwrap());
    assert!(canonical::equal(a, b));
    assert_eq!(canonical::form(a), canonical::form(b));
}

#[test]
fn c7_a_name_that_cannot_be_written_is_refused_in_a_schema() {
    let schema = r#"{"collections":[{"path":"a","kind":"list","id":"id","position":["\u0000\""]}]}"#;
    assert!(Schema::read(schema).is_err());
}

// ── memory ──

#[test]
fn c3_a_small_version_does_not_hold_a_large_one() {
    let content = |data: &str| {
        format!(
            r#"{{"operators":[{{"operatorID":"an-operator-with-a-long-name-0001","operatorType":"PythonUDF","data":"{data}"}}]}}"#
        )
    };
    let mut store = ContentStore::default();
    let large = put(&mut store, &content(&"x".repeat(1_000_000)));
    let small = store.take_in(&content("y"), Some(large)).unwrap();
    store.retain([small]);
    assert!(store.bytes() < 10_000, "{} bytes", store.bytes());
}

#[test]
fn c3_a_version_of_any_value_costs_what_is_different_in_it() {
    for (key, is_list) in [("operators", true), ("settings", false), ("unknown", false)] {
        let mut store = ContentStore::default();
        let (filler, mut near) = ("x".repeat(10_000), None);
        for n in 0..100 {
            let value = format!(r#"{{"operatorID":"a","n":{n},"filler":"{filler}"}}"#);
            let value = if is_list { format!("[{value}]") } else { value };
            near = Some(store.take_in(&format!(r#"{{"{key}":{value}}}"#), near).unwrap());
        }
        assert!(
            store.bytes() < 40_000,
            "{key}: {} bytes for 100 versions that differ in a number",
            store.bytes()
        );
    }
}

#[test]
fn c3_ids_that_end_no_node_by_themselves_share_all_the_same() {
    let closes_none = |id: &String| xxhash_rust::xxh3::xxh3_64(id.as_bytes()) & 15 != 0;
    let ids: Vec<String> = (0..).map(|n: u32| format!("op{n}")).filter(closes_none).take(5_000).collect();
    let content = |at: usize| {
        let item =
            |(k, id): (usize, &String)| format!(r#"{{"operatorID":"{id}","v":{}}}"#, u8::from(k == at));
        format!(r#"{{"operators":[{}]}}"#, ids.iter().enumerate().map(item).collect::<Vec<_>>().join(","))
    };
    let mut store = ContentStore::default();
    let mut near = put(&mut store, &content(usize::MAX));
    let before = store.bytes();
    for version in 0..50 {
        near = store.take_in(&content(version * 100), Some(near)).unwrap();
    }
    assert!((store.bytes() - before) / 50 < 1_500, "{} bytes for 50 versions", store.bytes() - before);
}

fn canvas(n: usize) -> String {
    format!(r#"{{"operators":[{{"operatorID":"{n}","d":"{}"}}]}}"#, n.to_string().repeat(3_000))
}

#[test]
fn x1_looking_at_a_canvas_does_not_pile_up() {
    let mut engine = Engine::new(Options::default());
    engine.receive(r#"{"state":"AVAILABLE","steps":[],"headId":"step-initial","type":"WsServerSnapshotEvent","workflowContent":{"v":1}}"#);
    for n in 0..300 {
        let shown = canvas(n);
        assert!(engine.compare(Side::Head, Side::Canvas(&shown)).unwrap().is_some());
        assert!(engine.validate(Side::Canvas(&shown)).unwrap().is_some());
        assert!(engine.preview(&shown, "step-initial").unwrap().is_some());
        engine.plan_canvas(&shown);
    }
    assert!(engine.stats().snapshots < 100, "{:?}", engine.stats());
    for n in 0..300 {
        assert!(engine.validate(Side::Canvas(&canvas(n).replace("}]", "},]"))).is_err());
    }
    assert!(engine.stats().content_bytes < 1_000_000, "{:?}", engine.stats());
}

#[test]
fn x1_large_contents_that_nobody_needs_are_collected_by_their_bytes() {
    let mut engine = Engine::new(Options::default());
    let mut most = 0;
    for n in 0..80 {
        let data = format!("{n:03}").repeat(100_000);
        engine.receive(&format!(
            r#"{{"type":"WsServerStepEvent","step":{{"id":"s1","parentId":"step-initial","messageId":"t1","stepId":0,"timestamp":1,"role":"agent","content":"hi","isBegin":true,"isEnd":true,"afterWorkflowContent":{{"operators":[{{"operatorID":"{n}","d":"{data}"}}]}}}}}}"#
        ));
        most = most.max(engine.stats().content_bytes);
    }
    assert!(most < 3_000_000, "{most} bytes at most, for one live content of 300,000");
}
