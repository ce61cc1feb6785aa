//! Workflows that are whole (C7), of any schema, and what a person might do to them.
#![allow(dead_code)] // each test file uses its part

use headway::content::schema::{Collection, Kind, Ref};
use headway::content::{ContentIx, ContentStore, Schema};
use serde_json::{Map, Value as Json, json};

use crate::values::Dice;

/// Links to links, entries for links, ports, a value that refers.
pub const CHAINS: &str = r#"{"collections":[
    {"path":"nodes","kind":"list","id":"id","position":["at"]},
    {"path":"edges","kind":"list","id":"id","refs":[
        {"field":["from"],"to":"nodes","port":{"field":["out"],"among":"outs","id":"name"}},
        {"field":["to"],"to":"nodes"}]},
    {"path":"places","kind":"map","position":[],"refs":[{"field":[],"to":"edges"}]},
    {"path":"styles","kind":"map","refs":[{"field":[],"to":"places"}]},
    {"path":"labels","kind":"list","id":"id","required":["text"],"refs":[{"field":["edge"],"to":"edges"}]},
    {"path":"relations","kind":"list","id":"id","refs":[{"field":["a"],"to":"edges"},{"field":["b"],"to":"labels"}]},
    {"path":"view","kind":"value","refs":[{"field":["main"],"to":"nodes","port":{"field":["port"],"among":"outs","id":"name"}}]}]}"#;

/// The schemas that are tried.
pub fn schemas() -> [Schema; 3] {
    [Schema::texera(), Schema::react_flow(), Schema::read(CHAINS).unwrap()]
}

/// A key that no schema knows.
pub const UNKNOWN: &str = "unknown";

const IDS: [&str; 7] = ["a", "b", "half", "\0x", "c", "d", "a\"b"];

fn one_of<'a>(dice: &mut Dice, of: &[&'a str]) -> &'a str {
    of[dice.roll(of.len() as u64) as usize]
}

fn set(value: &mut Json, path: &[String], to: Json) {
    match path.split_first() {
        None => *value = to,
        Some((key, rest)) => {
            if !value.is_object() {
                *value = json!({});
            }
            set(&mut value[key], rest, to);
        }
    }
}

fn point(dice: &mut Dice) -> Json {
    json!({ "x": dice.roll(4), "y": dice.roll(4) })
}

fn items(dice: &mut Dice) -> Json {
    let item = |dice: &mut Dice| json!({ "name": one_of(dice, &["i", "j", "k"]), "v": dice.roll(3) });
    (0..dice.roll(4)).map(|_| item(dice)).collect()
}

fn refer(schema: &Schema, entity: &mut Json, reference: &Ref, dice: &mut Dice) {
    let to = one_of(dice, &IDS[..4]);
    if !reference.field.is_empty() && schema.at(&reference.to).is_some() {
        set(entity, &reference.field, json!(to));
    }
    if let Some(port) = &reference.port {
        set(entity, &port.field, [json!("i"), json!("j"), json!(null)][dice.roll(3) as usize].clone());
    }
}

/// The lists of ports that entities of a collection can have.
fn ports<'s>(schema: &'s Schema, path: &str) -> Vec<(&'s str, &'s str)> {
    let refs = schema.collections.iter().flat_map(|collection| &collection.refs);
    let ports = refs.filter(|reference| reference.to == path).filter_map(|reference| reference.port.as_ref());
    ports.map(|port| (&*port.among, &*port.id)).collect()
}

fn change_ports(schema: &Schema, path: &str, entity: &mut Json, dice: &mut Dice) {
    for (among, id) in ports(schema, path) {
        let names: Vec<&str> = ["i", "j"].into_iter().filter(|_| dice.roll(3) > 0).collect();
        let list: Json = names.iter().map(|name| json!({ id: name, "v": dice.roll(2) })).collect();
        let entity = entity.as_object_mut().unwrap();
        match dice.roll(4) {
            0 => drop(entity.remove(among)),
            1 => {}
            _ => drop(entity.insert(among.to_owned(), list)),
        }
    }
}

fn entity(schema: &Schema, collection: &Collection, dice: &mut Dice) -> Json {
    let mut entity = json!({ "p": dice.roll(3), "q": { "r": dice.roll(3), "s": "t" }, "items": items(dice) });
    if collection.position.as_deref() == Some(&[]) {
        return point(dice);
    }
    for field in &collection.required {
        entity[field] = json!(["text"]);
    }
    if let Some(path) = &collection.position {
        set(&mut entity, path, point(dice));
    }
    for reference in &collection.refs {
        refer(schema, &mut entity, reference, dice);
    }
    change_ports(schema, &collection.path, &mut entity, dice);
    if dice.roll(2) == 0 {
        // Links of which some say the same.
        for key in ["p", "q", "items"] {
            entity.as_object_mut().unwrap().remove(key);
        }
    }
    entity
}

fn add(schema: &Schema, collection: &Collection, id: &str, content: &mut Map<String, Json>, dice: &mut Dice) {
    let mut new = entity(schema, collection, dice);
    match collection.kind {
        Kind::Value => {
            content.insert(collection.path.clone(), new);
        }
        Kind::Map => content.entry(&collection.path).or_insert_with(|| json!({}))[id] = new,
        Kind::List => {
            let id_field = collection.id.as_deref().unwrap();
            new[id_field] = json!(id);
            let list = content.entry(&collection.path).or_insert_with(|| json!([])).as_array_mut().unwrap();
            list.retain(|item| item[id_field] != new[id_field]);
            list.insert(dice.roll(list.len() as u64 + 1) as usize, new);
        }
    }
}

fn change_list(list: &mut Vec<Json>, dice: &mut Dice) {
    let length = list.len() as u64;
    let new = json!({ "name": one_of(dice, &["i", "j", "k", "l"]), "v": dice.roll(4) });
    match (length, dice.roll(4)) {
        (0, _) | (_, 0) => list.insert(dice.roll(length + 1) as usize, new),
        (_, 1) => list.swap(dice.roll(length) as usize, dice.roll(length) as usize),
        (_, 2) => {
            list.remove(dice.roll(length) as usize);
        }
        _ => list[dice.roll(length) as usize]["v"] = json!(dice.roll(4)),
    }
}

fn change_entity(schema: &Schema, collection: &Collection, entity: &mut Json, dice: &mut Dice) {
    match dice.roll(8) {
        0 => entity["p"] = json!(dice.roll(4)),
        1 => set(entity, &["q".into(), "r".into()], json!(dice.roll(4))),
        2 => set(entity, &["q".into(), "u".into()], json!(dice.roll(4))),
        3 => change_ports(schema, &collection.path, entity, dice),
        4 if !collection.refs.is_empty() => {
            let reference = &collection.refs[dice.roll(collection.refs.len() as u64) as usize];
            refer(schema, entity, reference, dice);
        }
        5 if collection.position.is_some() => {
            set(entity, collection.position.as_deref().unwrap(), point(dice))
        }
        6 => drop(entity.as_object_mut().unwrap().remove("q")),
        _ => match entity.get_mut("items").and_then(Json::as_array_mut) {
            Some(list) => change_list(list, dice),
            None => entity["items"] = items(dice),
        },
    }
}

/// Does one thing to a content, whole or not.
pub fn act(schema: &Schema, content: &mut Map<String, Json>, dice: &mut Dice) {
    let any = |dice: &mut Dice| &schema.collections[dice.roll(schema.collections.len() as u64) as usize];
    let mut collection = any(dice);
    if collection.kind == Kind::Value || collection.refs.is_empty() {
        collection = any(dice);
    }
    let (path, id) = (&collection.path, one_of(dice, &IDS));
    let what = dice.roll(12);
    if what == 10 && dice.roll(4) == 0 {
        match content.get_mut(UNKNOWN) {
            Some(_) if dice.roll(3) == 0 => drop(content.remove(UNKNOWN)),
            Some(value) => change_entity(schema, collection, value, dice),
            None => drop(content.insert(UNKNOWN.into(), json!({ "p": 1, "q": { "r": 1 } }))),
        }
        return;
    }
    if what == 11 {
        content.remove(path);
        return;
    }
    if what < 3 || !content.contains_key(path) {
        return add(schema, collection, id, content, dice);
    }
    match &mut content[path] {
        Json::Array(list) if !list.is_empty() => {
            let (at, to) = (dice.roll(list.len() as u64) as usize, dice.roll(list.len() as u64) as usize);
            match what {
                3 | 4 => {
                    list.remove(at);
                }
                5 => list.swap(at, to),
                _ => change_entity(schema, collection, &mut list[at], dice),
            }
        }
        Json::Object(_) if collection.kind == Kind::Value => {
            change_entity(schema, collection, &mut content[path], dice);
        }
        Json::Object(map) if !map.is_empty() => {
            let key = map.keys().nth(dice.roll(map.len() as u64) as usize).unwrap().clone();
            match what {
                3 | 4 => {
                    map.remove(&key);
                }
                _ if collection.position.as_deref() == Some(&[]) => map[&key] = point(dice),
                _ => change_entity(schema, collection, &mut map[&key], dice),
            }
        }
        _ => add(schema, collection, id, content, dice),
    }
}

/// Keeps what is whole in a content: what is not is repaired, and what cannot be is left out.
fn whole(store: &mut ContentStore, content: &Map<String, Json>) -> Option<ContentIx> {
    // A string of Rust cannot hold half a character.
    let text = Json::Object(content.clone()).to_string().replace("\"half\"", "\"\\ud800\"");
    let taken = store.take_in(&text, None).unwrap();
    let repaired = store.repair(taken);
    if repaired.is_whole() {
        return Some(repaired.content);
    }
    // A value that leads nowhere is not dropped by a repair.
    let values = store.schema().collections.iter().filter(|collection| collection.kind == Kind::Value);
    let values: Vec<String> = values.map(|collection| collection.path.clone()).collect();
    let is_kept = |key: &String| !values.contains(key);
    let rest: Map<String, Json> = content.clone().into_iter().filter(|(key, _)| is_kept(key)).collect();
    (rest.len() < content.len()).then(|| whole(store, &rest)).flatten()
}

/// As JSON, half a character being a word.
pub fn read(store: &ContentStore, content: ContentIx) -> Json {
    serde_json::from_str(&store.text(content).unwrap().replace("\"\\ud800\"", "\"half\"")).unwrap()
}

/// A base and two sides, each whole.
pub fn three(store: &mut ContentStore, dice: &mut Dice) -> Option<[ContentIx; 3]> {
    let schema = store.schema().clone();
    let mut content = Map::new();
    if dice.roll(2) == 0 {
        content.insert(UNKNOWN.into(), json!({ "p": 1, "q": { "r": 1 } }));
    }
    for collection in &schema.collections {
        let count = if collection.kind == Kind::Value { dice.roll(2) } else { 2 + dice.roll(6) };
        for _ in 0..count {
            let id = one_of(dice, &IDS);
            add(&schema, collection, id, &mut content, dice);
        }
    }
    let base = whole(store, &content)?;
    let mut side = || {
        let Json::Object(mut content) = read(store, base) else { return None };
        for _ in 0..=dice.roll(5) {
            act(&schema, &mut content, dice);
        }
        whole(store, &content)
    };
    Some([base, side()?, side()?])
}
