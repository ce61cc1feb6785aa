//! Local authority (R14): the engine decides, by the rules that a server would go by.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

use std::collections::BTreeMap;

use headway::engine::{Authority, CommandName, Options, TurnEnd};
use headway::session::ManualEdits;
use headway::wire::PromptSource;
use headway::{Engine, Outcome, Refusal};
use proptest::prelude::*;
use serde_json::{Value, json};

const ROOT: &str = "step-initial";

fn local() -> Engine {
    let mut engine = Engine::new(Options { authority: Authority::Local, ..Options::default() });
    engine.begin_with(&content(0)).unwrap();
    engine
}

fn content(version: u32) -> String {
    json!({ "v": version }).to_string()
}

fn begin(engine: &mut Engine, prompt: &str) -> Result<String, Refusal> {
    engine.begin_turn(prompt, PromptSource::Chat, None, 1000.0).map(|(id, _)| id)
}

fn record(engine: &mut Engine, fields: Value, after: Option<u32>) -> Result<String, String> {
    let after = after.map(content);
    let recorded = engine.record_step(&fields.to_string(), after.as_deref(), 1000.0);
    recorded.map(|(id, _)| id).map_err(|error| error.code().to_owned())
}

fn path(engine: &Engine) -> Vec<String> {
    let tree = engine.history().tree();
    engine.history().path().iter().map(|step| tree.id(step).to_owned()).collect()
}

fn head_after(outcome: &Outcome) -> String {
    assert!(outcome.send.is_empty(), "there is nobody to send to");
    let [settled] = &outcome.settled[..] else { panic!("a command has its answer at once") };
    assert_eq!(settled.failure, None);
    settled.head_id.clone()
}

#[test]
fn r14_a_turn_is_recorded_as_a_server_would_tell_it() {
    let mut engine = local();
    let turn = begin(&mut engine, "Filter the people").unwrap();
    assert_eq!(engine.view().agent_state, "GENERATING");
    let call = json!({ "toolName": "add", "toolCallId": "c1", "input": { "isEnd": false } });
    let usage = json!({ "inputTokens": 3, "outputTokens": 4 });
    record(&mut engine, json!({ "content": "a", "toolCalls": [call], "usage": usage }), Some(1)).unwrap();
    let last = record(&mut engine, json!({ "content": "done" }), None).unwrap();
    engine.end_turn(TurnEnd::Done, 3000.0).unwrap();
    let view = engine.view();
    assert_eq!((view.agent_state, view.head_id.as_str(), view.can_redo), ("AVAILABLE", &*last, Some(false)));
    let steps = path(&engine);
    assert_eq!(steps.len(), 3);
    let [turn_view] = &engine.turns()[..] else { panic!("one turn") };
    let turn_view = serde_json::to_value(turn_view).unwrap();
    for (key, expected) in [
        ("id", json!(turn)),
        ("prompt", json!("Filter the people")),
        ("ended", json!("done")),
        ("steps", json!(3)),
        ("toolCalls", json!(1)),
        ("changed", json!(true)),
    ] {
        assert_eq!(turn_view[key], expected, "{key}");
    }
    assert_eq!(engine.content(None), Some(content(1)), "what says nothing of a content changes none");
}

#[test]
fn r14_r1_r3_revert_and_redo_are_answered_at_once() {
    let mut engine = local();
    let mut ends = vec![ROOT.to_owned()];
    let mut turns = Vec::new();
    for version in 1..=3 {
        turns.push(begin(&mut engine, &format!("make {version}")).unwrap());
        ends.push(record(&mut engine, json!({ "content": "ok" }), Some(version)).unwrap());
        engine.end_turn(TurnEnd::Done, 0.0).unwrap();
    }
    let revert = |engine: &mut Engine, turn: usize| head_after(&engine.revert(&turns[turn], 0.0).unwrap().1);
    let redo = |engine: &mut Engine| head_after(&engine.redo(0.0).unwrap().1);
    // One revert over two turns is one redo.
    assert_eq!(revert(&mut engine, 1), ends[1]);
    assert_eq!(engine.content(None), Some(content(1)));
    assert_eq!(revert(&mut engine, 0), ROOT);
    assert_eq!(engine.content(None), Some(content(0)));
    assert_eq!(redo(&mut engine), ends[1]);
    assert_eq!(redo(&mut engine), ends[3]);
    assert_eq!(engine.redo(0.0).unwrap_err(), Refusal::NothingToRedo);
    // A new turn ends what could be redone.
    revert(&mut engine, 2);
    begin(&mut engine, "something else").unwrap();
    engine.end_turn(TurnEnd::Stopped, 0.0).unwrap();
    assert_eq!(engine.can(CommandName::Redo), Err(Refusal::NothingToRedo));
    assert_eq!(engine.revert(&turns[2], 0.0).unwrap_err(), Refusal::NotOnPath);
}

#[test]
fn h1_how_a_turn_ended_is_seen() {
    for (how, ended) in
        [(TurnEnd::Done, "done"), (TurnEnd::Stopped, "stopped"), (TurnEnd::Failed("no disk"), "failed")]
    {
        for steps in [0, 1] {
            let mut engine = local();
            begin(&mut engine, "go").unwrap();
            for _ in 0..steps {
                record(&mut engine, json!({ "content": "a" }), None).unwrap();
            }
            engine.end_turn(how, 0.0).unwrap();
            let turns = engine.turns();
            assert_eq!(serde_json::to_value(&turns[0]).unwrap()["ended"], json!(ended), "{steps} steps");
        }
    }
}

#[test]
fn r2_what_makes_no_sense_now_is_refused_and_nothing_changes() {
    let mut engine = local();
    assert_eq!(record(&mut engine, json!({}), None), Err("not_running".into()));
    assert_eq!(engine.end_turn(TurnEnd::Done, 0.0).unwrap_err(), Refusal::NotRunning);
    assert_eq!(begin(&mut engine, " \n"), Err(Refusal::EmptyPrompt));
    assert_eq!(engine.prompt("x", PromptSource::Chat, 0.0).unwrap_err(), Refusal::Unsupported);
    assert_eq!(engine.stop(0.0).unwrap_err(), Refusal::Unsupported);
    let turn = begin(&mut engine, "one").unwrap();
    let before = path(&engine);
    assert_eq!(begin(&mut engine, "two"), Err(Refusal::Busy));
    assert_eq!(engine.revert(&turn, 0.0).unwrap_err(), Refusal::Busy);
    assert_eq!(engine.checkout(ROOT, ManualEdits::Keep, 0.0).unwrap_err(), Refusal::Busy);
    for fields in ["", "[]", "{", "{}x", r#"{"id":"mine"}"#, r#"{"isEnd":true}"#, r#"{"content":3}"#] {
        let error = engine.record_step(fields, None, 0.0).unwrap_err();
        assert!(["malformed_step", "invalid_content"].contains(&error.code()), "{fields}: {error}");
    }
    for after in ["", "[]", "{", "null"] {
        let error = engine.record_step("{}", Some(after), 0.0).unwrap_err();
        assert_eq!(error.code(), "invalid_content", "{after}");
    }
    assert_eq!(path(&engine), before);
    engine.end_turn(TurnEnd::Done, 0.0).unwrap();
    let taken = engine.begin_turn("again", PromptSource::Chat, Some(&turn), 0.0);
    assert_eq!(taken.unwrap_err(), Refusal::TurnTaken);
    // Who has a server is told by the server.
    let mut served = Engine::new(Options::default());
    assert_eq!(begin(&mut served, "x"), Err(Refusal::Unsupported));
    assert_eq!(served.begin_with("{}").unwrap_err().code(), "unsupported");
}

#[test]
fn x1_words_are_words_whatever_is_in_them() {
    for words in ["\"},{\"id\":\"x", "\u{0}body\"", "a\u{2028}b", "\\", "{\"isEnd\":false}"] {
        let mut engine = local();
        begin(&mut engine, words).unwrap();
        record(&mut engine, json!({ "content": words, "extra": { "isEnd": false } }), None).unwrap();
        engine.end_turn(TurnEnd::Failed(words), 0.0).unwrap();
        let steps = path(&engine);
        assert_eq!(steps.len(), 3, "{words:?}");
        let turn = serde_json::to_value(&engine.turns()[0]).unwrap();
        assert_eq!(turn["prompt"], json!(words));
        assert_eq!(turn["ended"], json!("failed"));
    }
}

// ── against a naive model ────────────────────────────────────────────────────────────────────────────────────────────

#[derive(Clone, Debug)]
enum Deed {
    Begin,
    Record(Option<u32>),
    End,
    Revert(usize),
    Redo,
    Checkout(usize),
    RevertStep(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => Just(Deed::Begin),
        4 => proptest::option::of(0..4u32).prop_map(Deed::Record),
        3 => Just(Deed::End),
        3 => (0..8usize).prop_map(Deed::Revert),
        3 => Just(Deed::Redo),
        2 => (0..16usize).prop_map(Deed::Checkout),
        1 => (0..16usize).prop_map(Deed::RevertStep),
    ]
}

/// What the rules say, in the plainest code there is.
struct Model {
    /// By id: parent, turn, content.
    steps: BTreeMap<String, (String, String, u32)>,
    /// In the order in which they were made.
    made: Vec<String>,
    turns: Vec<String>,
    head: String,
    redo: Vec<String>,
    running: bool,
}

impl Model {
    fn path(&self) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = self.head.clone();
        while at != ROOT {
            path.insert(0, at.clone());
            at = self.steps[&at].0.clone();
        }
        path
    }

    fn content(&self) -> u32 {
        self.steps.get(&self.head).map_or(0, |step| step.2)
    }

    fn add(&mut self, id: String, turn: String, content: u32) {
        self.steps.insert(id.clone(), (self.head.clone(), turn, content));
        self.made.push(id.clone());
        self.head = id;
    }

    fn go(&mut self, to: String) {
        let path = self.path();
        if to == self.head {
        } else if self.redo.last() == Some(&to) {
            self.redo.pop();
        } else if to == ROOT || path.contains(&to) {
            self.redo.push(self.head.clone());
        } else {
            self.redo.clear();
        }
        self.head = to;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r14_the_engine_decides_as_the_rules_say(deeds in proptest::collection::vec(deed(), 1..60)) {
        let mut engine = local();
        let mut model = Model {
            steps: BTreeMap::new(),
            made: Vec::new(),
            turns: Vec::new(),
            head: ROOT.into(),
            redo: Vec::new(),
            running: false,
        };
        for deed in deeds {
            match deed {
                Deed::Begin => match begin(&mut engine, "go on") {
                    Ok(turn) => {
                        prop_assert!(!model.running);
                        prop_assert!(!model.turns.contains(&turn), "no name twice (H6)");
                        let content = model.content();
                        model.turns.push(turn.clone());
                        model.add(engine.view().head_id, turn, content);
                        model.redo.clear();
                        model.running = true;
                    }
                    Err(refusal) => prop_assert!(model.running && refusal == Refusal::Busy),
                },
                Deed::Record(after) => match record(&mut engine, json!({ "content": "x" }), after) {
                    Ok(step) => {
                        prop_assert!(model.running);
                        prop_assert!(!model.steps.contains_key(&step), "no name twice (H6)");
                        let content = after.unwrap_or(model.content());
                        let turn = model.turns.last().unwrap().clone();
                        model.add(step, turn, content);
                    }
                    Err(code) => prop_assert!(!model.running && code == "not_running"),
                },
                Deed::End => {
                    let ended = engine.end_turn(TurnEnd::Stopped, 0.0);
                    prop_assert_eq!(ended.is_ok(), model.running);
                    if model.running {
                        let (turn, content) = (model.turns.last().unwrap().clone(), model.content());
                        model.add(engine.view().head_id, turn, content);
                        model.running = false;
                    }
                }
                Deed::Revert(at) => {
                    let Some(turn) = model.turns.get(at).cloned() else { continue };
                    let first = model.path().into_iter().find(|step| model.steps[step].1 == turn);
                    let expected = match (model.running, first) {
                        (true, _) => Err(Refusal::Busy),
                        (false, None) => Err(Refusal::NotOnPath),
                        (false, Some(first)) => Ok(model.steps[&first].0.clone()),
                    };
                    prop_assert_eq!(engine.can_revert(&turn).err(), expected.clone().err());
                    let done = engine.revert(&turn, 0.0).map(|(_, outcome)| head_after(&outcome));
                    prop_assert_eq!(&done, &expected);
                    if let Ok(to) = done {
                        model.go(to);
                    }
                }
                Deed::Redo => {
                    let expected = match (model.running, model.redo.last().cloned()) {
                        (true, _) => Err(Refusal::Busy),
                        (false, None) => Err(Refusal::NothingToRedo),
                        (false, Some(to)) => Ok(to),
                    };
                    let done = engine.redo(0.0).map(|(_, outcome)| head_after(&outcome));
                    prop_assert_eq!(&done, &expected);
                    if let Ok(to) = done {
                        model.go(to);
                    }
                }
                Deed::Checkout(at) => {
                    let Some(step) = model.made.get(at).cloned() else { continue };
                    let done = engine.checkout(&step, ManualEdits::Overwrite, 0.0);
                    match done.map(|(_, outcome)| head_after(&outcome)) {
                        Ok(to) => {
                            prop_assert!(!model.running && to == step);
                            model.go(to);
                        }
                        Err(refusal) => prop_assert!(model.running && refusal == Refusal::Busy),
                    }
                }
                Deed::RevertStep(at) => {
                    let Some(step) = model.made.get(at).cloned() else { continue };
                    let expected = match (model.running, model.path().contains(&step)) {
                        (true, _) => Err(Refusal::Busy),
                        (false, false) => Err(Refusal::NotOnPath),
                        (false, true) => Ok(model.steps[&step].0.clone()),
                    };
                    prop_assert_eq!(engine.can_revert_step(&step).err(), expected.clone().err());
                    let done = engine.revert_step(&step, ManualEdits::Overwrite, 0.0);
                    let done = done.map(|(_, outcome)| head_after(&outcome));
                    prop_assert_eq!(&done, &expected);
                    if let Ok(to) = done {
                        model.go(to);
                    }
                }
            }
            prop_assert_eq!(path(&engine), model.path());
            prop_assert_eq!(engine.content(None), Some(content(model.content())));
            let view = engine.view();
            prop_assert_eq!(&view.head_id, &model.head);
            prop_assert_eq!(view.can_redo, Some(!model.redo.is_empty()));
            prop_assert_eq!(view.agent_state == "GENERATING", model.running);
            prop_assert!(!view.diverged && view.path_status == "ok");
        }
    }
}
