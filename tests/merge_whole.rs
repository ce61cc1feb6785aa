//! P6, C7: what comes of merging workflows that are whole.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;
mod workflows;

use headway::content::edit::{Path, PathStep};
use headway::content::merge::{Conflict, Merge};
use headway::content::schema::{Collection, Kind};
use headway::content::{ContentStore, Schema};
use proptest::prelude::*;
use serde_json::Value as Json;
use values::Dice;
use workflows::{read, schemas, three};

type Entities<'c> = Vec<(String, &'c Json)>;

fn entities<'c>(collection: &Collection, content: &'c Json) -> Entities<'c> {
    match (content.get(&collection.path), collection.kind) {
        (Some(value), Kind::Value) => vec![(String::new(), value)],
        (Some(Json::Array(list)), _) => {
            let id = collection.id.as_deref().unwrap();
            list.iter().map(|entity| (entity[id].as_str().unwrap().to_owned(), entity)).collect()
        }
        (Some(Json::Object(map)), _) => map.iter().map(|(id, entity)| (id.clone(), entity)).collect(),
        _ => vec![],
    }
}

fn find<'c>(collection: &Collection, content: &'c Json, id: &str) -> Option<&'c Json> {
    entities(collection, content).into_iter().find(|(known, _)| known == id).map(|(_, entity)| entity)
}

/// Where a side is not as the base, down to what is no object, with what is there.
fn changes<'v>(base: Option<&'v Json>, side: Option<&'v Json>) -> Vec<(Path, Option<&'v Json>)> {
    let mut found = Vec::new();
    let mut todo = vec![(Path::new(), base, side)];
    while let Some((path, base, side)) = todo.pop() {
        match (base, side) {
            (base, side) if base == side => {}
            (Some(Json::Object(a)), Some(Json::Object(b))) => {
                for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                    let mut path = path.clone();
                    path.push(PathStep::Key(key.as_str().into()));
                    todo.push((path, a.get(key), b.get(key)));
                }
            }
            (_, side) => found.push((path, side)),
        }
    }
    found
}

fn at<'v>(value: &'v Json, path: &[PathStep]) -> Option<&'v Json> {
    path.iter().try_fold(value, |value, step| match step {
        PathStep::Key(key) => value.get(&**key),
        PathStep::Index(index) => value.get(*index),
    })
}

/// A key that the schema does not know, as if it did.
fn unknown() -> Collection {
    let schema = r#"{"collections":[{"path":"unknown","kind":"value"}]}"#;
    Schema::read(schema).unwrap().collections.remove(0)
}

fn collection_at(schema: &Schema, path: &str) -> Collection {
    schema.at(path).map_or_else(unknown, |(_, collection)| collection.clone())
}

/// What a side changed and the result does not have.
fn missing(schema: &Schema, base: &Json, side: &Json, result: &Json) -> Vec<(String, String, Path)> {
    let mut missing = Vec::new();
    let unknown = unknown();
    for collection in schema.collections.iter().chain([&unknown]) {
        let ids = entities(collection, base).into_iter().chain(entities(collection, side));
        for (id, _) in ids {
            let [base, side, result] = [base, side, result].map(|content| find(collection, content, &id));
            for (path, value) in changes(base, side) {
                let found = result.and_then(|result| at(result, &path));
                // Lists are merged inside; that is tested by itself.
                let are_lists = base.and_then(|base| at(base, &path)).is_some_and(Json::is_array)
                    && value.is_some_and(Json::is_array)
                    && found.is_some_and(Json::is_array);
                if found != value && !are_lists {
                    missing.push((collection.path.clone(), id.clone(), path));
                }
            }
        }
    }
    missing
}

/// An id as it is read: a name with half a character in it, or that begins with NUL, is NUL and its spelling.
fn readable(id: &str) -> String {
    match id.strip_prefix('\0') {
        Some("\\ud800") => "half".to_owned(),
        Some(body) => serde_json::from_str(&format!("\"{body}\"")).unwrap(),
        None => id.to_owned(),
    }
}

/// Whether a conflict is about a place, or about what it belongs to.
fn is_named(schema: &Schema, conflicts: &[Conflict], (path, id, inside): &(String, String, Path)) -> bool {
    let names = |collection: &str| {
        conflicts.iter().any(|conflict| {
            let about = &conflict.place;
            let common = conflict.path.iter().zip(inside).all(|(a, b)| a == b);
            *about.collection == *collection
                && (readable(&about.id) == **id && (common || collection != path))
        })
    };
    let mut owners = vec![path.clone()];
    for at in 0.. {
        let Some(path) = owners.get(at) else { break };
        let collection = collection_at(schema, path);
        let own = collection.refs.iter().filter(|reference| reference.field.is_empty());
        owners.extend(own.map(|reference| reference.to.clone()));
    }
    owners.iter().any(|collection| names(collection))
}

/// Whether a link is in a content, under whatever id.
fn is_said(collection: &Collection, link: &Json, content: &Json) -> bool {
    let without_id = |link: &Json| {
        let mut link = link.clone();
        link.as_object_mut().unwrap().remove(collection.id.as_deref().unwrap_or_default());
        link
    };
    collection.kind == Kind::List
        && collection.refs.len() >= 2
        && entities(collection, content).into_iter().any(|(_, other)| without_id(other) == without_id(link))
}

fn check(schema: Schema, seed: u64) {
    let mut store = ContentStore::new(schema.clone());
    let mut dice = Dice(seed);
    let Some([b, m, t]) = three(&mut store, &mut dice) else { return };
    let Merge { content, conflicts } = store.merge(b, m, t);
    let [base, mine, theirs, result] = [b, m, t, content].map(|content| read(&store, content));
    let told = format!("\nbase {base}\nmine {mine}\ntheirs {theirs}\nis {result}\n{conflicts:#?}");

    // C7: of what is whole comes what is whole.
    assert_eq!(store.validate(content), [], "{told}");
    // Whatever mine changed is in the result.
    assert_eq!(missing(&schema, &base, &mine, &result), [], "of mine{told}");
    // Whatever theirs changed is in the result, or a conflict names its place.
    for place in missing(&schema, &base, &theirs, &result) {
        let collection = collection_at(&schema, &place.0);
        let link = find(&collection, &theirs, &place.1);
        let is_said = link.is_some_and(|link| is_said(&collection, link, &result));
        assert!(is_said || is_named(&schema, &conflicts, &place), "{place:?} of theirs is lost{told}");
    }
    for conflict in &conflicts {
        assert_ne!(conflict.mine, conflict.theirs, "{told}");
        assert_ne!(conflict.base, conflict.theirs, "{told}");
        let collection = collection_at(&schema, &conflict.place.collection);
        if conflict.place.id.is_empty() && collection.kind != Kind::Value {
            continue; // an order
        }
        // What a conflict calls mine is in the result, at its place.
        let id = readable(&conflict.place.id);
        let found = find(&collection, &result, &id).and_then(|entity| at(entity, &conflict.path));
        let said = conflict.mine.as_deref().map(|mine| mine.replace("\"\\ud800\"", "\"half\""));
        let said: Option<Json> = said.map(|mine| serde_json::from_str(&mine).unwrap());
        assert_eq!(found, said.as_ref(), "{conflict:?}{told}");
    }
    // Merging once more brings nothing new.
    let again = store.merge(b, content, t).content;
    assert!(store.equal(again, content), "again {}{told}", read(&store, again));
    // Nobody is preferred in whether there is a conflict.
    let other_way = store.merge(b, t, m);
    assert_eq!(store.validate(other_way.content), [], "the other way{told}");
    // Of a link under two ids each side keeps its own: its place in the order, and what refers to it, can differ.
    let counts = |conflict: &&Conflict| {
        let collection = collection_at(&schema, &conflict.place.collection);
        !(conflict.place.id.is_empty() && collection.kind == Kind::List && collection.refs.len() >= 2)
    };
    let [here, there] = [&conflicts, &other_way.conflicts].map(|found| found.iter().filter(counts).count());
    let links_to_links = schema.at("relations").is_some();
    assert!(links_to_links || (here == 0) == (there == 0), "the other way {:#?}{told}", other_way.conflicts);
    for (base, mine, theirs, expected) in [(b, m, b, m), (b, b, t, t), (b, m, m, m)] {
        let merge = store.merge(base, mine, theirs);
        assert!(store.equal(merge.content, expected) && merge.conflicts.is_empty(), "{told}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn p6_c7_workflows_of_texera_stay_whole_and_nothing_is_lost_silently(seed in any::<u64>()) {
        check(schemas()[0].clone(), seed);
    }

    #[test]
    fn p6_c7_nodes_and_edges_of_react_flow_stay_whole_and_nothing_is_lost_silently(seed in any::<u64>()) {
        check(schemas()[1].clone(), seed);
    }

    #[test]
    fn p6_c7_links_to_links_stay_whole_and_nothing_is_lost_silently(seed in any::<u64>()) {
        check(schemas()[2].clone(), seed);
    }
}
