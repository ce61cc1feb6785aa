//! P6, C7: what two sides did that does not go together, and what becomes of it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

use headway::content::edit::PathStep;
use headway::content::merge::{Conflict, Merge};
use headway::content::{ContentStore, Schema};
use serde_json::{Value as Json, json};

/// Merges three contents that are whole; so is the result.
fn merge_texts(schema: Schema, base: &str, mine: &str, theirs: &str) -> (Json, Vec<Conflict>) {
    let mut store = ContentStore::new(schema);
    let [base, mine, theirs] = [base, mine, theirs].map(|text| store.take_in(text, None).unwrap());
    for side in [base, mine, theirs] {
        assert_eq!(store.validate(side), [], "the sides are whole");
    }
    let Merge { content, conflicts } = store.merge(base, mine, theirs);
    let text = store.text(content).unwrap();
    assert_eq!(store.validate(content), [], "{conflicts:?} in {text}");
    (serde_json::from_str(&text).unwrap_or_default(), conflicts)
}

fn merge(base: &Json, mine: &Json, theirs: &Json) -> (Json, Vec<Conflict>) {
    merge_texts(Schema::texera(), &base.to_string(), &mine.to_string(), &theirs.to_string())
}

fn places(conflicts: &[Conflict]) -> Vec<(&str, &str)> {
    conflicts.iter().map(|conflict| (&*conflict.place.collection, &*conflict.place.id)).collect()
}

fn link(id: &str, from: &str, to: &str) -> Json {
    json!({ "linkID": id, "source": { "operatorID": from, "portID": "o" }, "target": { "operatorID": to, "portID": "i" } })
}

fn base() -> Json {
    json!({
        "operators": [{ "operatorID": "a" }, { "operatorID": "b" }, { "operatorID": "c", "p": 1 }],
        "operatorPositions": { "a": { "x": 0, "y": 0 }, "b": { "x": 1, "y": 0 }, "c": { "x": 2, "y": 0 } },
        "links": [],
    })
}

fn with(mut content: Json, change: impl FnOnce(&mut Json)) -> Json {
    change(&mut content);
    content
}

fn with_links(content: Json, links: &[Json]) -> Json {
    with(content, |content| content["links"] = json!(links))
}

fn without(content: Json, id: &str) -> Json {
    with(content, |content| {
        content["operators"].as_array_mut().unwrap().retain(|operator| operator["operatorID"] != id);
        content["operatorPositions"].as_object_mut().unwrap().remove(id);
    })
}

#[test]
fn p6_c7_an_operator_that_stays_has_its_position_back() {
    let mine = with(base(), |c| c["operators"][2]["p"] = json!(2));
    let (merged, conflicts) = merge(&base(), &mine, &without(base(), "c"));
    assert_eq!((merged, places(&conflicts)), (mine, vec![("operators", "c")]));
}

#[test]
fn p6_an_operator_that_mine_moved_and_theirs_removed_stays() {
    let mine = with(base(), |c| c["operatorPositions"]["c"] = json!({ "x": 7, "y": 7 }));
    let theirs = without(base(), "c");
    let (merged, conflicts) = merge(&base(), &mine, &theirs);
    assert_eq!(
        (merged, places(&conflicts)),
        (mine.clone(), vec![("operatorPositions", "c"), ("operators", "c")])
    );
    assert_eq!(conflicts[0].mine.as_deref(), Some(r#"{"x":7,"y":7}"#));
    // And the other way round it goes.
    let (merged, conflicts) = merge(&base(), &theirs, &mine);
    assert_eq!((merged, places(&conflicts)), (theirs, vec![("operatorPositions", "c")]));
}

#[test]
fn p6_a_position_is_one_value() {
    let at = |x: u32, y: u32| with(base(), |c| c["operatorPositions"]["a"] = json!({ "x": x, "y": y }));
    let (merged, conflicts) = merge(&base(), &at(5, 0), &at(0, 5));
    assert_eq!((merged, places(&conflicts)), (at(5, 0), vec![("operatorPositions", "a")]));
}

#[test]
fn p6_c7_the_same_link_under_two_ids_is_one_link_and_no_conflict() {
    let draw = |id: &str| with_links(base(), &[link(id, "a", "b")]);
    assert_eq!(merge(&base(), &draw("l1"), &draw("l2")), (draw("l1"), vec![]));
    // One of them says more: that would be lost.
    let more = with(draw("l2"), |c| c["links"][0]["label"] = json!("yes"));
    let (merged, conflicts) = merge(&base(), &draw("l1"), &more);
    assert_eq!((merged, places(&conflicts)), (draw("l1"), vec![("links", "l2")]));
    let (merged, conflicts) = merge(&base(), &more, &draw("l1"));
    assert_eq!((merged, places(&conflicts)), (more, vec![("links", "l1")]));
}

#[test]
fn p6_c7_a_link_that_theirs_leads_where_mine_has_drawn_one_is_that_one() {
    let old = with_links(base(), &[link("l", "a", "b")]);
    let drawn = with_links(base(), &[link("l", "a", "b"), link("new", "b", "c")]);
    let led = with_links(base(), &[link("l", "b", "c")]);
    assert_eq!(merge(&old, &drawn, &led), (with_links(base(), &[link("new", "b", "c")]), vec![]));
    assert_eq!(merge(&old, &led, &drawn), (led, vec![]));
}

#[test]
fn p6_c7_a_port_that_a_link_of_mine_ends_at_stays_and_the_rest_of_theirs_comes() {
    let base =
        with(base(), |c| c["operators"][1]["inputPorts"] = json!([{ "portID": "i" }, { "portID": "j" }]));
    let mine = with_links(base.clone(), &[link("l", "a", "b")]);
    let theirs = with(base.clone(), |c| {
        c["operators"][1]["inputPorts"] = json!([{ "portID": "j" }]);
        c["operators"][1]["customDisplayName"] = json!("theirs");
    });
    let (merged, conflicts) = merge(&base, &mine, &theirs);
    assert_eq!(merged, with(mine.clone(), |c| c["operators"][1]["customDisplayName"] = json!("theirs")));
    assert_eq!(places(&conflicts), [("operators", "b")]);
    assert_eq!(conflicts[0].path, [PathStep::Key("inputPorts".into())]);
    assert_eq!(conflicts[0].theirs.as_deref(), Some(r#"[{"portID":"j"}]"#));
    // A link of theirs to a port that mine took away is left out.
    let (merged, conflicts) = merge(&base, &theirs, &mine);
    assert_eq!((merged, places(&conflicts)), (theirs, vec![("links", "l")]));
}

#[test]
fn p6_c7_names_are_compared_as_names() {
    for id in [r"\ud800", r"\u0000x", r"\u0063"] {
        let base = base().to_string().replace(r#""c""#, &format!(r#""{id}""#));
        let mine = without(self::base(), "c").to_string();
        let drawn = link("l", "a", "c").to_string().replace(r#""c""#, &format!(r#""{id}""#));
        let theirs = base.replace(r#""links":[]"#, &format!(r#""links":[{drawn}]"#));
        assert_eq!(places(&merge_texts(Schema::texera(), &base, &mine, &theirs).1), [("links", "l")], "{id}");
    }
}

#[test]
fn p6_c7_a_key_that_one_side_alone_has_is_an_empty_collection_on_the_other() {
    let base = with(base(), |c| drop(c.as_object_mut().unwrap().remove("links")));
    let mine = without(base.clone(), "c");
    let theirs = with_links(base.clone(), &[link("l", "a", "c"), link("m", "a", "b")]);
    let (merged, conflicts) = merge(&base, &mine, &theirs);
    assert_eq!(
        (merged, places(&conflicts)),
        (with_links(mine, &[link("m", "a", "b")]), vec![("links", "l")])
    );
}

const THREE_LEVELS: &str = r#"{"collections":[{"path":"nodes","kind":"list","id":"id"},
    {"path":"edges","kind":"list","id":"id","refs":[{"field":["from"],"to":"nodes"},{"field":["to"],"to":"nodes"}]},
    {"path":"labels","kind":"list","id":"id","refs":[{"field":["edge"],"to":"edges"}]}]}"#;

#[test]
fn p6_c7_what_hangs_on_what_was_left_out_is_left_out() {
    let base = json!({ "nodes": [{ "id": "n" }, { "id": "m" }], "edges": [], "labels": [] });
    let mine = with(base.clone(), |c| c["nodes"] = json!([{ "id": "n" }]));
    let theirs = with(base.clone(), |c| {
        c["edges"] = json!([{ "id": "e", "from": "n", "to": "m" }]);
        c["labels"] = json!([{ "id": "l", "edge": "e" }]);
    });
    let schema = || Schema::read(THREE_LEVELS).unwrap();
    let [b, m, t] = [&base, &mine, &theirs].map(Json::to_string);
    let (merged, conflicts) = merge_texts(schema(), &b, &m, &t);
    assert_eq!((merged, places(&conflicts)), (mine, vec![("edges", "e"), ("labels", "l")]));
    // A label of mine brings back the edge, and that its node.
    let base = theirs.clone();
    let mine = with(base.clone(), |c| c["labels"][0]["text"] = json!("mine"));
    let theirs = json!({ "nodes": [{ "id": "n" }], "edges": [], "labels": [] });
    let [b, m, t] = [&base, &mine, &theirs].map(Json::to_string);
    let (merged, conflicts) = merge_texts(schema(), &b, &m, &t);
    assert_eq!((merged, places(&conflicts)), (mine, vec![("edges", "e"), ("labels", "l"), ("nodes", "m")]));
}

#[test]
fn p6_entities_that_cannot_be_told_apart_are_one_value_and_what_refers_to_them_is_looked_at() {
    let base = json!({ "operators": [{ "operatorID": "a" }, { "operatorID": "b" }, { "operatorID": "b" }, { "operatorID": "c" }], "links": [] });
    let mine = with_links(base.clone(), &[link("l", "a", "c")]);
    let theirs = with(base.clone(), |c| drop(c["operators"].as_array_mut().unwrap().pop()));
    let mut store = ContentStore::default();
    let mut put = |content: &Json| store.take_in(&content.to_string(), None).unwrap();
    let (b, m, t) = (put(&base), put(&mine), put(&theirs));
    let merge = store.merge(b, m, t);
    assert_eq!(store.text(merge.content).unwrap(), store.text(m).unwrap());
    assert_eq!(places(&merge.conflicts), [("operators", "")]);
    // The other way round the link is left out.
    let merge = store.merge(b, t, m);
    assert_eq!(store.text(merge.content).unwrap(), store.text(t).unwrap());
    assert_eq!(places(&merge.conflicts), [("links", "l")]);
    // Both changed them.
    let renamed = with(base.clone(), |c| c["operators"][0]["n"] = json!(1));
    let r = store.take_in(&renamed.to_string(), None).unwrap();
    let merge = store.merge(b, r, t);
    assert_eq!(store.text(merge.content).unwrap(), store.text(r).unwrap());
    assert_eq!(places(&merge.conflicts), [("operators", "")]);
}

#[test]
fn p6_a_link_that_theirs_leads_to_what_mine_removed_stays_where_it_was() {
    let old = with_links(base(), &[link("l", "a", "b")]);
    let theirs = with_links(base(), &[link("l", "a", "c")]);
    let mine = without(old.clone(), "c");
    let (merged, conflicts) = merge(&old, &mine, &theirs);
    assert_eq!((merged, places(&conflicts)), (mine, vec![("links", "l")]));
    assert_eq!(conflicts[0].mine.as_deref(), Some(&*link("l", "a", "b").to_string()));
}

#[test]
fn p6_c1_what_theirs_did_not_touch_stays_letter_by_letter() {
    let base = r#"{ "operators" : [ {"operatorID":"a", "p": {"n" : 1}} , {"operatorID":"b"} ], "operatorPositions":{ "a":{"x":0,"y":0}, "b":{"x":1,"y":0}},"u": [ 1 ] }"#;
    let (mine, theirs) = (base.replace("1}}", "2}}"), base.replace(r#""b"}"#, r#""b","q":1}"#));
    let mut store = ContentStore::default();
    let [b, m, t] = [base, &mine, &theirs].map(|text| store.take_in(text, None).unwrap());
    let merge = store.merge(b, m, t);
    let both = mine.replace(r#""b"}"#, r#""b","q":1}"#);
    assert_eq!((store.text(merge.content), merge.conflicts), (Some(both), vec![]));
}
