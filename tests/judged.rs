//! C7: what is remembered of contents that were judged before changes no answer.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod faulty;
mod values;
mod workflows;

use std::collections::HashSet;

use faulty::nearly;
use headway::content::validate::FaultCode;
use headway::content::{ContentIx, ContentStore, Schema};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use values::{Dice, Value, document, nudge, spelled};
use workflows::act;

/// A store that judges one content after the other, as a session does.
struct Judge {
    store: ContentStore,
    judged: Vec<ContentIx>,
    /// What kinds of faults there were.
    found: HashSet<FaultCode>,
}

impl Judge {
    fn new(schema: Schema) -> Self {
        Judge { store: ContentStore::new(schema), judged: Vec::new(), found: HashSet::new() }
    }

    /// Judges a content, and says the same as a store that knows nothing else.
    fn judge(&mut self, text: &str, dice: &mut Dice) {
        let near = self.judged.last().copied();
        let content = self.store.take_in(text, near).unwrap();
        let fresh = || {
            let mut fresh = ContentStore::new(self.store.schema().clone());
            let content = fresh.take_in(text, None).unwrap();
            (fresh, content)
        };
        if dice.roll(2) == 0 {
            let (fresh, same) = fresh();
            assert_eq!(self.store.validate(content), fresh.validate(same), "{text}");
        }
        let (mut fresh, same) = fresh();
        let (ours, theirs) = (self.store.repair(content), fresh.repair(same));
        assert_eq!(ours.faults, theirs.faults, "{text}");
        assert_eq!(self.store.text(ours.content), fresh.text(theirs.content), "{text}");
        self.found.extend(ours.faults.iter().map(|fault| fault.code));
        self.judged.extend([content, ours.content]);
        self.forget_some(dice);
    }

    /// Handles of what is collected come again for something else.
    fn forget_some(&mut self, dice: &mut Dice) {
        let count = self.judged.len();
        match dice.roll(8) {
            0 => self.judged.drain(..count - 1 - dice.roll(count as u64) as usize).for_each(drop),
            1 => {
                let others = self.judged.split_off(count.saturating_sub(2));
                let others: Vec<ContentIx> = std::mem::replace(&mut self.judged, others);
                self.store.retain_within(self.judged.iter().copied(), &others, dice.roll(4000) as usize);
                return;
            }
            _ => return,
        }
        self.store.retain(self.judged.iter().copied());
    }
}

/// References of all kinds on a list: by the id of the entity itself with a port, and two that end at the same list of ports.
const ENDS: &str = r#"{"collections":[
    {"path":"nodes","kind":"list","id":"id","required":["p"]},
    {"path":"edges","kind":"list","id":"id","required":["q","text"],"position":["q"],"refs":[
        {"field":["a"],"to":"nodes","port":{"field":["q","r"],"among":"outs","id":"name"}},
        {"field":[],"to":"nodes","port":{"field":["p"],"among":"outs","id":"name"}},
        {"field":["b"],"to":"nodes","port":{"field":["q","r"],"among":"outs","id":"name"}}]}]}"#;

/// Does one thing to a workflow of Texera's: what comes is another's, of any kind, or was elsewhere before.
fn edit(workflow: &mut Json, dice: &mut Dice) {
    let other = nearly(dice, 20);
    let lists = ["operators", "links", "commentBoxes"];
    let any = |dice: &mut Dice| lists[dice.roll(3) as usize];
    let (list, from) = (any(dice), any(dice));
    let item = |from: &Json, dice: &mut Dice| {
        let items = from.as_array().filter(|items| !items.is_empty())?;
        Some(items[dice.roll(items.len() as u64) as usize].clone())
    };
    let what = dice.roll(8);
    let new = if what < 4 { item(&other[list], dice) } else { item(&workflow[from], dice) };
    match (what, workflow[list].as_array_mut(), new) {
        // The same text under two collections among them.
        (0..=5, Some(items), Some(new)) => {
            let at = dice.roll(items.len() as u64 + 1) as usize;
            match items.get_mut(at).filter(|_| what.is_multiple_of(2)) {
                Some(item) => *item = new,
                None => items.insert(at, new),
            }
        }
        (6, Some(items), _) if !items.is_empty() => {
            items.remove(dice.roll(items.len() as u64) as usize);
        }
        _ => {
            let keys = ["operators", "operatorPositions", "links", "commentBoxes"];
            let key = keys[dice.roll(4) as usize];
            workflow[key] = other[key].clone();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn c7_one_workflow_after_the_other_is_judged_as_each_alone(seed in any::<u64>(), carelessness in 0..30u64) {
        let mut dice = Dice(seed);
        for schema in faulty::schemas() {
            let mut judge = Judge::new(schema);
            let mut workflow = nearly(&mut dice, carelessness);
            for _ in 0..12 {
                judge.judge(&workflow.to_string(), &mut dice);
                for _ in 0..=dice.roll(3) {
                    edit(&mut workflow, &mut dice);
                }
            }
        }
    }

    #[test]
    fn c7_contents_of_any_schema_are_judged_as_each_alone(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        for schema in workflows::schemas().into_iter().chain([Schema::read(ENDS).unwrap()]) {
            let mut judge = Judge::new(schema.clone());
            let mut content = Map::new();
            for _ in 0..16 {
                for _ in 0..=dice.roll(6) {
                    act(&schema, &mut content, &mut dice);
                }
                let text = Json::Object(content.clone()).to_string().replace("\"half\"", "\"\\ud800\"");
                judge.judge(&text, &mut dice);
            }
        }
    }

    #[test]
    fn c7_values_in_any_spelling_are_judged_as_each_alone(value in document(), seed in any::<u64>()) {
        let mut dice = Dice(seed);
        for schema in faulty::schemas() {
            let (mut judge, mut value) = (Judge::new(schema), value.clone());
            for _ in 0..6 {
                judge.judge(&spelled(&value, dice.roll(2)), &mut dice);
                let next = nudge(&value, &mut dice);
                // A content is an object.
                value = if matches!(next, Value::Object(_)) { next } else { value };
            }
        }
    }
}

#[test]
fn c7_those_contents_have_faults_of_every_kind() {
    let mut dice = Dice(7);
    let mut judge = Judge::new(Schema::texera());
    for _ in 0..300 {
        judge.judge(&nearly(&mut dice, 10).to_string(), &mut dice);
    }
    assert_eq!(judge.found.len(), 11, "{:?}", judge.found);
}

/// A link to an operator that nothing goes by, and then something does.
#[test]
fn c7_a_link_leads_somewhere_once_what_it_names_is_there() {
    let link = json!({ "linkID": "l", "source": { "operatorID": "b" }, "target": { "operatorID": "a" } });
    let with = |ids: &[&str]| {
        let operators: Vec<Json> = ids.iter().map(|id| json!({ "operatorID": id })).collect();
        let positions: Map<String, Json> =
            ids.iter().map(|id| (id.to_string(), json!({ "x": 1, "y": 1 }))).collect();
        json!({ "operators": operators, "operatorPositions": positions, "links": [link] }).to_string()
    };
    let mut store = ContentStore::default();
    let [without, with] = [with(&["a"]), with(&["a", "b"])].map(|text| {
        let content = store.take_in(&text, None).unwrap();
        store.repair(content).faults.into_iter().map(|fault| fault.code).collect::<Vec<_>>()
    });
    assert_eq!((without, with), (vec![FaultCode::Dangling], vec![]));
}
