//! Contents with faults of every kind (C7), and schemas in which they are others.

use headway::content::Schema;
use serde_json::{Value as Json, json};

use crate::values::Dice;

/// A workflow that is whole or nearly so: each part is right most of the time.
pub fn nearly(dice: &mut Dice, carelessness: u64) -> Json {
    let slips = |dice: &mut Dice| dice.roll(100) < carelessness;
    let odd = |dice: &mut Dice| {
        let odd = [json!(null), json!("NaN"), json!(7), json!([]), json!({}), json!([1]), json!({ "": {} })];
        odd[dice.roll(7) as usize].clone()
    };
    let position = |dice: &mut Dice| match slips(dice) {
        false => json!({ "x": dice.roll(900), "y": dice.roll(900) as f64 / 7.0 }),
        true => match dice.roll(4) {
            0 => json!({ "x": null, "y": 1 }),
            1 => json!({ "y": 1, "z": 5 }),
            2 => json!({ "x": "1", "y": "NaN" }),
            _ => odd(dice),
        },
    };
    let ports = |dice: &mut Dice, side: &str| match dice.roll(8) {
        0 => json!(null),
        1 if slips(dice) => json!([]),
        2 if slips(dice) => json!([7, {}, { "portID": null }]),
        _ => json!([{ "portID": format!("{side}-0") }, { "portID": format!("{side}-1") }]),
    };
    let mut operators = Vec::new();
    let mut positions = serde_json::Map::new();
    for n in 0..dice.roll(5) {
        let id = if slips(dice) { format!("op{}", dice.roll(6)) } else { format!("op{n}") };
        let mut operator = json!({ "operatorID": id, "operatorType": "Filter" });
        operator["inputPorts"] = ports(dice, "input");
        operator["outputPorts"] = ports(dice, "output");
        if slips(dice) {
            operator["operatorID"] = odd(dice);
        }
        operators.push(if slips(dice) { odd(dice) } else { operator });
        if !slips(dice) {
            positions.insert(id, position(dice));
        }
    }
    if slips(dice) {
        positions.insert(["op0", "op9", ""][dice.roll(3) as usize].into(), position(dice));
    }
    let mut links = Vec::new();
    for n in 0..dice.roll(6) {
        let count = operators.len() as u64 + u64::from(slips(dice));
        if count == 0 {
            break;
        }
        let mut link = json!({ "linkID": if slips(dice) { "l0".into() } else { format!("l{n}") } });
        for (side, ports) in [("source", "output"), ("target", "input")] {
            link[side]["operatorID"] = json!(format!("op{}", dice.roll(count)));
            let known = 2 + u64::from(slips(dice));
            link[side]["portID"] = json!(format!("{ports}-{}", dice.roll(known)));
            if slips(dice) {
                link[side] = odd(dice);
            }
        }
        links.push(if slips(dice) { odd(dice) } else { link });
    }
    let mut boxes = Vec::new();
    for n in 0..dice.roll(3) {
        let mut comment = json!({ "commentBoxID": format!("c{n}"), "comments": [{ "content": "hi" }] });
        if !slips(dice) {
            comment["commentBoxPosition"] = position(dice);
        }
        if slips(dice) {
            comment["comments"] = json!(null);
        }
        boxes.push(comment);
    }
    let mut content = json!({ "operators": operators, "operatorPositions": positions, "links": links, "commentBoxes": boxes, "settings": { "size": 400 }, "more": odd(dice) });
    if slips(dice) {
        let key = ["operators", "operatorPositions", "links", "commentBoxes"][dice.roll(4) as usize];
        if dice.roll(3) == 0 {
            content.as_object_mut().unwrap().remove(key);
        } else {
            content[key] = odd(dice);
        }
    }
    content
}

/// Schemas in which the same documents mean other things, sensible and not.
pub fn schemas() -> Vec<Schema> {
    let read = |json: Json| Schema::read(&json.to_string()).unwrap();
    vec![
        Schema::texera(),
        Schema::react_flow(),
        read(json!({ "collections": [
            { "path": "operatorPositions", "kind": "map", "position": ["at", "deep"], "required": ["data"] },
            { "path": "operators", "kind": "list", "id": "operatorID", "position": ["data", "at"], "label": ["data"],
              "refs": [{ "field": [], "to": "operatorPositions" }] },
            { "path": "links", "kind": "list", "id": "linkID", "refs": [{ "field": ["source", "operatorID"], "to": "operators" },
              { "field": ["target", "operatorID"], "to": "operators" }] },
            { "path": "settings", "kind": "value", "required": ["size"], "position": ["here"],
              "refs": [{ "field": ["size"], "to": "links" }] },
        ] })),
        read(json!({ "collections": [
            { "path": "operators", "kind": "map", "required": ["data", "more"] },
            { "path": "commentBoxes", "kind": "list", "id": "data" },
            { "path": "operatorPositions", "kind": "map", "position": [], "refs": [
              { "field": [], "to": "operators" }, { "field": ["data"], "to": "commentBoxes" }] },
            { "path": "links", "kind": "map", "position": [] },
        ] })),
    ]
}
