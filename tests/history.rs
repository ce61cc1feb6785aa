//! The tree against the naive model: any order of arrival, duplicates, forks, missing parents, cycles, moving HEADs.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod model;

use headway::Engine;
use headway::engine::Options;
use model::{Model, assert_same};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What can happen, on few names so that everything collides.
#[derive(Clone, Debug)]
enum Event {
    Step { id: u8, parent: Option<u8>, turn: u8, user: bool, end: bool, tokens: Option<u8> },
    Head { id: u8, redo: bool },
    Snapshot { steps: Vec<(u8, Option<u8>, u8)>, head: u8 },
    Status { busy: bool },
    Redo { refused: bool },
}

/// Name 0 is the root.
fn name(id: u8) -> String {
    if id == 0 { model::ROOT.to_owned() } else { format!("s{id}") }
}

fn step(id: u8, parent: Option<u8>, turn: u8, user: bool, end: bool, tokens: Option<u8>) -> Value {
    let mut step = json!({
        "id": name(id.max(1)), "messageId": format!("t{turn}"), "stepId": 0, "timestamp": u32::from(id),
        "role": if user { "user" } else { "agent" }, "content": format!("says {turn}"), "isBegin": user, "isEnd": end,
    });
    if let Some(parent) = parent {
        step["parentId"] = json!(name(parent));
    }
    // Some steps say what was before and after them, some only one of it, some nothing.
    let version = u32::from(id) + u32::from(turn);
    if version % 3 > 0 {
        step["afterWorkflowContent"] = json!({ "v": version % 5 });
    }
    if version % 4 == 0 {
        step["beforeWorkflowContent"] = json!({ "v": turn });
    }
    if let Some(tokens) = tokens {
        step["usage"] = json!({ "outputTokens": tokens });
        step["toolCalls"] = json!([{ "toolName": "t", "toolCallId": "c", "input": {} }]);
    }
    step
}

impl Event {
    fn frame(&self) -> Value {
        match self {
            Event::Step { id, parent, turn, user, end, tokens } => json!({
                "step": step(*id, *parent, *turn, *user, *end, *tokens), "type": "WsServerStepEvent",
            }),
            Event::Head { id, redo } => {
                json!({ "headId": name(*id), "canRedo": redo, "type": "WsServerHeadChangeEvent" })
            }
            Event::Snapshot { steps, head } => {
                let steps: Vec<Value> = steps
                    .iter()
                    .map(|(id, parent, turn)| step(*id, *parent, *turn, false, false, None))
                    .collect();
                json!({ "state": "AVAILABLE", "steps": steps, "headId": name(*head), "canRedo": true, "type": "WsServerSnapshotEvent" })
            }
            Event::Status { busy } => {
                json!({ "state": if *busy { "GENERATING" } else { "AVAILABLE" }, "type": "WsServerStatusEvent" })
            }
            Event::Redo { refused } => json!({
                "error": if *refused { "Nothing to redo" } else { "Cannot redo while the agent is busy" }, "type": "WsServerErrorEvent",
            }),
        }
    }
}

fn event(names: u8) -> impl Strategy<Value = Event> {
    let id = 0..names;
    prop_oneof![
        8 => (1..names, prop::option::weighted(0.9, id.clone()), 0..4u8, any::<bool>(), any::<bool>(), prop::option::of(any::<u8>()))
            .prop_map(|(id, parent, turn, user, end, tokens)| Event::Step { id, parent, turn, user, end, tokens }),
        3 => (id.clone(), any::<bool>()).prop_map(|(id, redo)| Event::Head { id, redo }),
        1 => (prop::collection::vec((1..names, prop::option::weighted(0.9, id.clone()), 0..4u8), 0..8), id)
            .prop_map(|(steps, head)| Event::Snapshot { steps, head }),
        1 => any::<bool>().prop_map(|busy| Event::Status { busy }),
        1 => any::<bool>().prop_map(|refused| Event::Redo { refused }),
    ]
}

fn play(events: &[Event]) {
    let mut engine = Engine::new(Options::default());
    let mut model = Model::default();
    engine.connected();
    for (index, event) in events.iter().enumerate() {
        let frame = event.frame();
        let before = engine.view();
        let path = model::engine_path(&engine);
        let outcome = engine.receive(&frame.to_string());
        model.frame(&frame);
        assert_same(&mut engine, &mut model, &format!("event {index}: {frame}"));
        if !outcome.changed {
            assert_eq!(engine.view(), before, "T8: event {index} said that nothing changed");
            assert_eq!(model::engine_path(&engine), path, "T8: event {index} said that nothing changed");
        }
    }
}

// ── inputs that once failed ──

/// The server no longer sends the step that it calls HEAD: it was known, but it is not any more.
#[test]
fn t5_a_snapshot_without_the_step_that_it_calls_head() {
    let snapshot = |steps: &[(u8, Option<u8>, u8)], head| Event::Snapshot { steps: steps.to_vec(), head };
    play(&[snapshot(&[(3, None, 0)], 0), snapshot(&[], 3)]);
    let live = |id| Event::Step { id, parent: None, turn: 0, user: false, end: false, tokens: None };
    play(&[live(6), live(1), live(1), snapshot(&[], 6)]);
    play(&[live(3), snapshot(&[], 3)]);
    // … and what brings it back: the step itself, or a head change that names it.
    play(&[live(3), snapshot(&[], 3), live(3)]);
    play(&[live(3), snapshot(&[], 3), Event::Head { id: 3, redo: true }]);
}

/// Nothing about the steps is new, but HEAD is nowhere: the newest step is shown, and its turn with it.
#[test]
fn t5_h1_a_lost_head_over_steps_that_are_known_shows_the_newest_and_its_turn() {
    let step = Event::Step { id: 4, parent: Some(2), turn: 3, user: false, end: false, tokens: None };
    play(&[step, Event::Snapshot { steps: vec![(4, Some(2), 3)], head: 1 }]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn t1_t2_t3_t4_t5_t10_h1_whatever_comes_the_path_is_the_one_of_the_naive_walk(
        events in prop::collection::vec(event(7), 1..40)
    ) {
        play(&events);
    }

    /// T2 on its own: the same steps in any order give the same tree, once HEAD is told.
    #[test]
    fn t2_the_order_of_arrival_does_not_matter(
        parents in prop::collection::vec(any::<prop::sample::Index>(), 1..30),
        order in any::<prop::sample::Index>(),
        seed in any::<u64>(),
    ) {
        let steps: Vec<Value> = parents.iter().enumerate()
            .map(|(at, parent)| step(at as u8 + 1, Some(parent.index(at + 1) as u8), 0, false, false, None))
            .collect();
        let mut shuffled = steps.clone();
        let mut state = seed | 1;
        for at in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            shuffled.swap(at, (state >> 33) as usize % (at + 1));
        }
        let head = name(order.index(steps.len()) as u8 + 1);
        let paths: Vec<_> = [steps, shuffled].into_iter().map(|steps| {
            let mut engine = Engine::new(Options::default());
            engine.connected();
            for step in steps {
                engine.receive(&json!({ "type": "WsServerStepEvent", "step": step }).to_string());
            }
            engine.receive(&json!({ "type": "WsServerHeadChangeEvent", "headId": head }).to_string());
            (model::engine_path(&engine), model::engine_status(&engine))
        }).collect();
        prop_assert_eq!(&paths[0], &paths[1]);
        prop_assert_eq!(&paths[0].1, &model::Status::Ok);
    }
}

#[test]
fn r7_a_step_that_does_not_say_what_was_before_it_changed_what_the_nearest_ancestor_has() {
    let mut engine = Engine::default();
    engine.connected();
    let step = |id: &str, parent: &str, after: &str| {
        format!(
            r#"{{"type":"WsServerStepEvent","step":{{"id":"{id}","parentId":"{parent}","messageId":"t","role":"agent"{after}}}}}"#
        )
    };
    let after =
        |age: u32| format!(r#","afterWorkflowContent":{{"operators":[{{"operatorID":"f","age":{age}}}]}}"#);
    engine.receive(r#"{"type":"WsServerSnapshotEvent","state":"GENERATING","steps":[],"headId":"step-initial","canRedo":false}"#);
    engine.receive(&step("a", "step-initial", &after(1)));
    // Neither says anything of a content.
    engine.receive(&step("b", "a", ""));
    engine.receive(&step("c", "b", ""));
    engine.receive(&step("d", "c", &after(2)));
    engine.receive(&step("e", "d", &after(2)));
    let find = |engine: &Engine, id: &str| engine.history().tree().get(id).unwrap();
    let changed = |engine: &mut Engine, id: &str| {
        let step = find(engine, id);
        engine.step_changed(step)
    };
    assert_eq!(["b", "c", "d", "e"].map(|id| changed(&mut engine, id)), [false, false, true, false]);

    // Another content far above makes another step of the one that it reaches, and of no other (T8).
    let revision = |engine: &Engine, id: &str| engine.history().tree().revision(find(engine, id));
    let before = ["c", "d", "e"].map(|id| revision(&engine, id));
    engine.take_changed_from();
    engine.receive(&step("a", "step-initial", &after(2)));
    assert!(!changed(&mut engine, "d"));
    let now = ["c", "d", "e"].map(|id| revision(&engine, id));
    assert_eq!([now[0] == before[0], now[1] > before[1], now[2] == before[2]], [true; 3]);
    assert_eq!(engine.take_changed_from(), 0);
}

#[test]
fn t6_each_earlier_turn_below_the_root_costs_the_same_however_many_there_are() {
    let mut engine = Engine::default();
    engine.connected();
    engine.receive(r#"{"type":"WsServerSnapshotEvent","state":"GENERATING","steps":[],"headId":"step-initial","canRedo":false}"#);
    let count = 1_000;
    for number in (0..count).rev() {
        // Each is the earliest so far, and says what was before it, or does not.
        let before = if number % 2 == 0 {
            format!(r#","beforeWorkflowContent":{{"v":{number}}}"#)
        } else {
            String::new()
        };
        engine.receive(&format!(
            r#"{{"type":"WsServerStepEvent","step":{{"id":"s{number}","parentId":"step-initial","messageId":"t{number}","role":"user","timestamp":{number}{before},"afterWorkflowContent":{{"v":-1}}}}}}"#
        ));
    }
    // A revision is counted for each step that is renewed.
    let tree = engine.history().tree();
    assert!(tree.revision(tree.get("s0").unwrap()) < 5 * count);
}
