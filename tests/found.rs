//! Sequences that once went wrong, each by the rule that it broke.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod scene;

use headway::canvas::Plan;
use headway::{Engine, Refusal};
use scene::{Scene, answer, step, two_turns};
use serde_json::{Value, json};

/// A step without contents.
fn bare(id: &str, parent: &str, turn: &str, role: &str) -> Value {
    json!({ "id": id, "parentId": parent, "messageId": turn, "role": role, "content": "", "isEnd": role == "user" })
}

fn head_with(head: &str, content: u32) -> Value {
    json!({ "headId": head, "canRedo": true, "workflowContent": { "v": content }, "type": "WsServerHeadChangeEvent" })
}

fn bound(content: u32) -> (Scene, String) {
    let mut scene = Scene::new();
    scene.engine.bind_canvas(true);
    let mut canvas = format!(r#"{{"v":{content}}}"#);
    scene.look(&mut canvas);
    (scene, canvas)
}

// ── commands ──

#[test]
fn r6_a_command_sent_before_the_first_snapshot_of_its_socket_is_not_lost() {
    let mut scene = Scene::blank();
    scene.prompt("hello").unwrap();
    assert_eq!(answer(&scene.snapshot("AVAILABLE", vec![], "step-initial", json!(false))), None);
    assert!(
        answer(&scene.live_step(step("u1", "step-initial", "t1", "user", "hello", [0, 0]))).unwrap().is_ok()
    );
}

#[test]
fn r6_a_lost_prompt_is_lost_although_somebody_else_prompted_meanwhile() {
    let mut scene = Scene::new();
    scene.prompt("third").unwrap();
    scene.engine.disconnected();
    scene.engine.connected();
    let mut steps = two_turns();
    steps.push(step("u9", "a2", "t9", "user", "another tab's", [2, 2]));
    let outcome = scene.snapshot("AVAILABLE", steps, "u9", json!(false));
    assert_eq!(answer(&outcome), Some(Err("lost")));
}

#[test]
fn r6_a_socket_that_opens_without_the_old_one_closing_settles_what_was_in_flight() {
    let mut scene = Scene::new();
    scene.revert("t2").unwrap();
    scene.engine.connected();
    let outcome = scene.snapshot("STOPPING", two_turns(), "a2", json!(false));
    assert_eq!(answer(&outcome), Some(Err("lost")));
    assert!(scene.engine.view().stale_stopping, "R9: it was there at connect");
}

#[test]
fn r6_a_redo_is_not_done_because_a_prompt_moved_head() {
    let mut scene = Scene::new();
    scene.snapshot("AVAILABLE", two_turns(), "a1", json!(true)); // a redo that nobody here saw the revert of
    scene.redo().unwrap();
    scene.engine.disconnected();
    scene.engine.connected();
    let mut steps = two_turns();
    steps.push(step("u9", "a1", "t9", "user", "another tab's", [1, 1]));
    assert_eq!(answer(&scene.snapshot("AVAILABLE", steps, "u9", json!(false))), Some(Err("lost")));
}

#[test]
fn r8_an_error_that_speaks_of_another_command_is_a_notice() {
    let mut scene = Scene::new();
    scene.revert("t2").unwrap();
    scene.engine.tick(f64::MAX); // timed out
    scene.prompt("third").unwrap();
    let outcome = scene.error("Failed to save the restored workflow; the operation was rolled back");
    assert_eq!((answer(&outcome), outcome.notices[0].code), (None, "server_error"));
    assert_eq!(scene.engine.view().pending, Some("prompt"));
    // One that says nothing about commands answers what is in flight, and is told once.
    let outcome = scene.receive(json!({ "error": "Agent not found" }));
    assert_eq!(answer(&outcome), Some(Err("agent_not_found")));
    assert_eq!(outcome.notices, []);
}

#[test]
fn r8_what_a_snapshot_settles_names_the_head_of_that_snapshot() {
    let mut scene = Scene::new();
    scene.prompt("third").unwrap();
    let mut steps = two_turns();
    steps.push(step("u3", "a2", "t3", "user", "third", [2, 2]));
    let outcome = scene.snapshot("GENERATING", steps, "u3", json!(false));
    assert_eq!(answer(&outcome).unwrap().unwrap().head_id, "u3");
}

#[test]
fn a_late_frame_of_a_lost_socket_does_not_make_the_session_live() {
    let mut scene = Scene::new();
    scene.engine.disconnected();
    scene.status("GENERATING");
    assert!(!scene.engine.view().live);
    assert_eq!(scene.prompt("hello"), Err(Refusal::Offline));
}

// ── dialect ──

#[test]
fn asking_and_acting_agree_on_what_a_server_can_do() {
    for (fields, can) in [
        (json!({ "capabilities": ["revert", "redo"] }), true),
        (json!({ "capabilities": [], "canRedo": true }), false),
        (json!({ "canRedo": null }), false),
        (json!({ "canRedo": false }), true),
    ] {
        let mut frame = json!({ "state": "AVAILABLE", "steps": two_turns(), "headId": "a2", "type": "WsServerSnapshotEvent" });
        for (key, value) in fields.as_object().unwrap() {
            frame[key] = value.clone();
        }
        let mut scene = Scene::blank();
        scene.receive(frame);
        assert_eq!(scene.engine.can_revert("t2").is_ok(), can, "{fields}");
        assert_eq!(scene.revert("t2").is_ok(), can, "{fields}");
    }
}

// ── content and canvas ──

#[test]
fn p14_a_canvas_that_could_not_be_read_once_is_not_overwritten_at_the_next_connect() {
    let (mut scene, _) = bound(2);
    assert!(scene.live_step(step("a3", "a2", "t2", "agent", "more", [2, 3])).look_at_canvas);
    scene.engine.canvas_failed("not now");
    scene.engine.disconnected();
    scene.engine.connected();
    let mut steps = two_turns();
    steps.push(step("a3", "a2", "t2", "agent", "more", [2, 3]));
    scene.snapshot("AVAILABLE", steps, "a3", json!(false));
    let mut edited = r#"{"v":2,"mine":true}"#.to_owned();
    assert_eq!(scene.look(&mut edited), Plan::LeaveAlone);
}

#[test]
fn r7_heads_content_that_becomes_known_in_any_way_is_held_against_the_canvas() {
    // HEAD was nowhere, and its step comes: nobody edited, so the canvas follows.
    let (mut scene, mut canvas) = bound(2);
    scene.head("nobody", false);
    assert!(scene.live_step(step("nobody", "a1", "t9", "agent", "here", [7, 7])).look_at_canvas);
    assert!(matches!(scene.look(&mut canvas), Plan::Write(_)));
    assert_eq!(canvas, r#"{"v":7}"#);
    // A step below a lost HEAD: the same, but somebody edited.
    let (mut scene, _) = bound(2);
    scene.head("nobody", false);
    assert!(scene.live_step(step("u9", "nobody", "t9", "user", "go on", [7, 7])).look_at_canvas);
    let mut edited = r#"{"v":2,"mine":true}"#.to_owned();
    assert_eq!(scene.look(&mut edited), Plan::LeaveAlone);
    assert!(scene.engine.view().canvas_differs);
    // HEAD says nothing of its own, and what it inherits is corrected.
    let (mut scene, mut canvas) = bound(2);
    scene.live_step(bare("stop", "a2", "t2", "agent"));
    assert!(scene.live_step(step("a2", "u2", "t2", "agent", "done", [1, 4])).look_at_canvas);
    scene.look(&mut canvas);
    assert_eq!(canvas, r#"{"v":4}"#);
    assert_eq!(scene.engine.content(None).as_deref(), Some(canvas.as_str()));
}

#[test]
fn r7_a_head_without_content_is_not_said_to_be_on_the_canvas() {
    let (mut scene, _) = bound(2);
    scene.snapshot("AVAILABLE", vec![bare("x", "step-initial", "t1", "user")], "x", json!(false));
    let view = scene.engine.view();
    assert!(view.content_unknown && view.canvas_differs);
}

#[test]
fn t10_a_step_says_more_of_its_content_than_an_older_head_change() {
    let mut scene = Scene::new();
    scene.receive(head_with("a2", 8));
    assert_eq!(scene.engine.content(None).as_deref(), Some(r#"{"v":8}"#));
    scene.live_step(step("a2", "u2", "t2", "agent", "done", [1, 9]));
    assert_eq!(scene.engine.content(None).as_deref(), Some(r#"{"v":9}"#));
}

#[test]
fn t8_another_content_at_the_same_head_is_news() {
    let mut scene = Scene::new();
    scene.receive(head_with("a2", 8));
    assert!(scene.receive(head_with("a2", 9)).changed);
    assert!(!scene.receive(head_with("a2", 9)).changed);
}

#[test]
fn r1_r7_at_the_root_is_what_the_turn_began_with_that_was_taken_back() {
    let mut scene = Scene::new();
    // Another first turn, on a canvas that somebody had edited before.
    scene.receive(head_with("step-initial", 5));
    scene.live_step(step("u3", "step-initial", "t3", "user", "again", [5, 5]));
    scene.live_step(step("a3", "u3", "t3", "agent", "done", [5, 6]));
    scene.revert("t3").unwrap();
    scene.head("step-initial", true);
    assert_eq!(scene.engine.content(None).as_deref(), Some(r#"{"v":5}"#));
}

#[test]
fn t2_r7_the_content_at_the_root_does_not_depend_on_the_order_of_arrival() {
    let first = |id: &str, time: u32, content: u32| {
        let mut first = step(id, "step-initial", id, "user", "", [content, content]);
        first["timestamp"] = json!(time);
        first
    };
    let [a, b, c] = [first("b", 5, 1), first("a", 5, 2), first("c", 9, 3)];
    for steps in [vec![a.clone(), b.clone(), c.clone()], vec![c.clone(), b.clone(), a.clone()], vec![b, c, a]]
    {
        let mut scene = Scene::blank();
        scene.snapshot("AVAILABLE", steps, "step-initial", json!(false));
        assert_eq!(scene.engine.content(None).as_deref(), Some(r#"{"v":2}"#));
    }
}

// ── turns ──

#[test]
fn h1_branches_are_turns_that_begin_there() {
    let mut scene = Scene::new();
    // A late step of turn 1 below its own first step is no branch.
    scene.live_step(step("late", "a1", "t1", "agent", "late", [1, 1]));
    // Another second turn is.
    scene.head("a1", true);
    scene.live_step(step("u3", "a1", "t3", "user", "instead", [1, 1]));
    let turns = scene.engine.turns();
    let branches: Vec<_> = turns.iter().map(|turn| (turn.id.as_str(), turn.branches.as_slice())).collect();
    assert_eq!(branches, [("t1", &[][..]), ("t3", &["t2".to_owned()][..])]);
}

#[test]
fn h1_of_two_concurrent_prompts_both_are_running() {
    let mut scene = Scene::new();
    scene.status("GENERATING");
    scene.live_step(step("u3", "a2", "t3", "user", "one", [2, 2]));
    scene.status("GENERATING");
    scene.live_step(step("u4", "u3", "t4", "user", "two", [2, 2]));
    let ended = |engine: &mut Engine| engine.turns().iter().map(|turn| turn.ended).collect::<Vec<_>>();
    assert_eq!(ended(&mut scene.engine), ["done", "done", "running", "running"]);
    // Whoever joins in the middle does not know where the run began: what has not ended runs.
    let mut steps = two_turns();
    steps.push(step("u3", "a2", "t3", "user", "one", [2, 2]));
    steps.push(step("u4", "u3", "t4", "user", "two", [2, 2]));
    let mut late = Scene::blank();
    late.snapshot("GENERATING", steps, "u4", json!(false));
    assert_eq!(ended(&mut late.engine), ["done", "done", "running", "running"]);
    // A run that was cut off long ago does not run again with the next one.
    let mut cut = Scene::new();
    cut.live_step(step("u3", "a2", "t3", "user", "cut off", [2, 2]));
    cut.status("GENERATING");
    cut.live_step(step("u4", "u3", "t4", "user", "next", [2, 2]));
    assert_eq!(ended(&mut cut.engine), ["done", "done", "stopped", "running"]);
}

#[test]
fn r9_r10_a_stale_stopping_runs_nothing_and_saves() {
    let mut scene = Scene::blank();
    let mut steps = two_turns();
    steps.push(step("u3", "a2", "t3", "user", "stopped for ever", [2, 2]));
    scene.snapshot("STOPPING", steps, "u3", json!(false));
    assert_eq!(scene.engine.turns()[2].ended, "stopped");
    assert!(scene.engine.view().autosave);
    assert_eq!(scene.engine.can_revert("t3"), Ok(()));
}

#[test]
fn h3_a_key_that_is_half_a_character_does_not_cost_the_title() {
    let mut scene = Scene::blank();
    let odd = r#"{"step":{"\ud800":1,"id":"u1","messageId":"t1","role":"user","content":"hello"},"type":"WsServerStepEvent"}"#;
    assert_eq!(scene.engine.receive(odd).notices, []);
    assert_eq!(scene.engine.turns()[0].title, "hello");
}

#[test]
fn t9_a_key_is_the_same_key_however_it_is_written() {
    let mut scene = Scene::blank();
    let odd = r#"{"s\u0074ep":{"id":"u1","messageId":"t1","role":"user","content":"hello","\u0069d":"zz"},"type":"WsServerStepEvent"}"#;
    scene.engine.receive(odd);
    let tree = scene.engine.history().tree();
    let data = tree.data(tree.get("zz").unwrap()).unwrap();
    let text: Value = serde_json::from_str(&data.text).unwrap();
    assert_eq!(text["id"], "zz", "whoever reads the text sees the same id");
}

#[test]
fn t9_an_odd_item_costs_itself_only() {
    for odd in ["1e400", "\"\\ud800\"", "-0"] {
        let mut scene = Scene::blank();
        let good = step("u1", "step-initial", "t1", "user", "", [0, 0]);
        let frame = format!(
            r#"{{"state":"AVAILABLE","steps":[{odd},{good}],"headId":"u1","type":"WsServerSnapshotEvent"}}"#
        );
        let outcome = scene.engine.receive(&frame);
        assert_eq!(outcome.notices.len(), 1);
        assert_eq!(outcome.notices[0].path.as_deref(), Some("steps[0]"));
        assert_eq!(scene.path(), ["u1"]);
    }
}

#[test]
fn t8_what_a_step_changed_is_news_when_its_parent_comes_late() {
    let mut scene = Scene::new();
    let mut child = step("x2", "x1", "t3", "agent", "", [0, 7]);
    child.as_object_mut().unwrap().remove("beforeWorkflowContent");
    scene.live_step(child);
    let tree = scene.engine.history().tree();
    let x2 = tree.get("x2").unwrap();
    let (before, changed) = (tree.revision(x2), scene.engine.step_changed(x2));
    assert!(!changed, "nobody knows what was before it");
    scene.live_step(step("x1", "a2", "t3", "agent", "", [2, 3]));
    assert!(scene.engine.step_changed(x2));
    assert_ne!(scene.engine.history().tree().revision(x2), before);
}

// ── memory ──

#[test]
fn x1_contents_that_nobody_needs_do_not_pile_up() {
    let mut scene = Scene::new();
    for version in 0..1_000 {
        scene.live_step(step("a2", "u2", "t2", "agent", "again", [1, 100 + version]));
    }
    assert!(scene.engine.stats().snapshots < 100, "{:?}", scene.engine.stats());
    for version in 0..1_000 {
        let frame = json!({
            "state": "AVAILABLE", "steps": two_turns(), "headId": "a2", "canRedo": false,
            "workflowContent": { "v": 5_000 + version }, "type": "WsServerSnapshotEvent",
        });
        scene.receive(frame);
    }
    assert!(scene.engine.stats().snapshots < 100, "{:?}", scene.engine.stats());
}

#[test]
fn x1_turns_that_are_gone_are_forgotten_by_name() {
    let mut scene = Scene::blank();
    for number in 0..1_000 {
        let one = step("u1", "step-initial", &format!("t{number}"), "user", "", [0, 0]);
        scene.snapshot("AVAILABLE", vec![one], "u1", json!(false));
        assert_eq!(scene.engine.turns()[0].id, format!("t{number}"));
    }
    assert_eq!(scene.engine.can_revert("t998"), Err(Refusal::UnknownTurn));
    assert_eq!(scene.engine.can_revert("t999"), Ok(()));
}

#[test]
fn t6_parents_that_go_round_in_a_circle_end_the_search_for_whose_content_that_was() {
    let mut scene = Scene::blank();
    scene.snapshot(
        "GENERATING",
        vec![bare("a", "b", "t", "agent"), bare("b", "a", "t", "agent")],
        "a",
        json!(false),
    );
    let mut told = bare("a", "b", "t", "agent");
    told["afterWorkflowContent"] = json!({ "v": 1 });
    scene.live_step(told.clone());
    told["afterWorkflowContent"] = json!({ "v": 2 });
    scene.live_step(told);
    let step = scene.engine.history().tree().get("b").unwrap();
    assert!(!scene.engine.step_changed(step));
}
