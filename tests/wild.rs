//! What servers in the wild do not protect from, case by case: the client shows what the server has, loses nothing, and says so (R6, R8, R9, R16).

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod scene;

use headway::canvas::Plan;
use headway::{Outcome, Refusal};
use scene::{Scene, answer, step, two_turns};
use serde_json::json;

fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.notices.iter().map(|notice| notice.code).collect()
}

#[test]
fn a_prompt_while_a_run_goes_on_is_accepted_and_its_user_step_comes_twice() {
    let mut scene = Scene::blank();
    scene.snapshot("AVAILABLE", vec![], "step-initial", json!(false));
    scene.status("GENERATING");
    scene.live_step(step("u1", "step-initial", "t1", "user", "one", [0, 0]));
    let second = step("u2", "u1", "t2", "user", "two", [0, 0]);
    scene.live_step(second.clone());
    scene.live_step(step("a1", "u2", "t1", "agent", "done one", [0, 1]));
    // A client that goes by the latest event would go back to it.
    scene.live_step(second);
    scene.live_step(step("a2", "a1", "t2", "agent", "done two", [1, 2]));
    scene.status("AVAILABLE");
    scene.status("AVAILABLE");
    assert_eq!(scene.path(), ["u1", "u2", "a1", "a2"]);
    let view = scene.engine.view();
    assert_eq!((view.head_id.as_str(), view.diverged, view.needs_resync), ("a2", false, false));
    let turns: Vec<String> = scene
        .engine
        .turns()
        .iter()
        .map(|turn| serde_json::to_value(turn).unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(turns, ["t1", "t2"], "a turn need not be in one piece");
    assert_eq!(scene.engine.content(None).as_deref(), Some(r#"{"v":2}"#));
}

#[test]
fn a_stop_while_idle_never_ends_not_even_after_a_reconnect() {
    let mut scene = Scene::new();
    scene.status("STOPPING");
    assert_eq!(scene.prompt("next"), Err(Refusal::Busy));
    scene.engine.disconnected();
    scene.engine.connected();
    scene.snapshot("STOPPING", two_turns(), "a2", json!(false));
    let view = scene.engine.view();
    assert!(view.stale_stopping && view.autosave);
    assert!(scene.prompt("next").is_ok());
}

#[test]
fn a_history_that_was_cleared_says_so_with_the_next_snapshot_only() {
    let mut scene = Scene::new();
    scene.engine.disconnected();
    scene.engine.connected();
    assert_eq!(
        codes(&scene.snapshot("AVAILABLE", vec![], "step-initial", json!(false))),
        ["history_replaced"]
    );
    assert_eq!((scene.path().len(), scene.engine.view().head_id.as_str()), (0, "step-initial"));
}

#[test]
fn what_another_tab_asked_for_is_followed_and_answers_nothing_of_ours() {
    let mut scene = Scene::new();
    scene.revert("t2").unwrap();
    // The other tab was quicker, with another turn.
    let outcome = scene.head("step-initial", true);
    assert!(answer(&outcome).is_none());
    assert_eq!(scene.engine.view().head_id, "step-initial");
    let outcome = scene.error("Turn is not on the current conversation path");
    assert_eq!(answer(&outcome), Some(Err("not_on_path")));
    // Its prompt ends what could be redone, although no frame says so.
    assert_eq!(scene.engine.view().can_redo, Some(true));
    scene.live_step(step("u9", "step-initial", "t9", "user", "another", [0, 0]));
    assert_eq!(scene.engine.view().can_redo, Some(false));
}

#[test]
fn a_service_that_was_restarted_counts_from_one_again_under_the_same_name() {
    let mut scene = Scene::new();
    scene.engine.disconnected();
    scene.engine.connected();
    assert_eq!(codes(&scene.error("Agent not found")), ["agent_not_found"]);
    assert_eq!(scene.path().len(), 4, "what is known stays on show");
    scene.engine.disconnected();
    scene.engine.connected();
    let steps = vec![step("n1", "step-initial", "n", "user", "hello", [7, 7])];
    assert_eq!(codes(&scene.snapshot("AVAILABLE", steps, "n1", json!(false))), ["history_replaced"]);
    assert_eq!(scene.path(), ["n1"]);
}

#[test]
fn edits_by_hand_that_the_agent_never_saw_are_not_overwritten_by_its_next_save() {
    let mut scene = Scene::new();
    scene.engine.bind_canvas(true);
    let mut canvas = r#"{"v":2}"#.to_owned();
    scene.look(&mut canvas);
    canvas = r#"{"v":2,"mine":1}"#.to_owned();
    scene.live_step(step("u3", "a2", "t3", "user", "go on", [2, 2]));
    scene.live_step(step("a3", "u3", "t3", "agent", "done", [2, 3]));
    assert!(matches!(scene.look(&mut canvas), Plan::Write(_)));
    let shown: serde_json::Value = serde_json::from_str(&canvas).unwrap();
    assert_eq!(shown, json!({ "v": 3, "mine": 1 }));
}

#[test]
fn a_head_change_to_a_step_that_was_never_streamed_asks_for_a_snapshot() {
    let mut scene = Scene::new();
    assert_eq!(codes(&scene.head("tail-of-an-overlap", true)), ["unknown_head", "resync_needed"]);
    assert_eq!(scene.path(), ["u1", "a1", "u2", "a2"], "the last good path stays on show");
    scene.engine.connected();
    let mut steps = two_turns();
    steps.push(step("tail-of-an-overlap", "a2", "t2", "agent", "tail", [2, 5]));
    scene.snapshot("AVAILABLE", steps, "tail-of-an-overlap", json!(true));
    assert_eq!(scene.path().last().map(String::as_str), Some("tail-of-an-overlap"));
    assert!(!scene.engine.view().needs_resync);
}

#[test]
fn a_revert_and_a_prompt_in_one_tick_leave_a_redo_that_is_dead_on_arrival() {
    let mut scene = Scene::new();
    scene.status("GENERATING");
    scene.head("a1", true);
    assert_eq!(scene.engine.view().head_id, "a1");
    scene.live_step(step("u3", "a1", "t3", "user", "instead", [1, 1]));
    assert_eq!(scene.engine.view().can_redo, Some(false));
    scene.status("AVAILABLE");
    assert_eq!(scene.redo(), Err(Refusal::NothingToRedo));
}

#[test]
fn a_stop_over_another_way_is_told_by_nobody_until_a_revert_is_refused() {
    let mut scene = Scene::new();
    scene.revert("t2").unwrap();
    let outcome = scene.error("Cannot revert while the agent is busy");
    assert_eq!(answer(&outcome), Some(Err("busy")));
    let view = scene.engine.view();
    assert_eq!((view.head_id.as_str(), view.pending, view.agent_state), ("a2", None, "AVAILABLE"));
}

#[test]
fn a_prompt_while_stopping_is_idle_too_early_and_its_steps_have_unknown_parents() {
    let mut scene = Scene::new();
    scene.status("GENERATING");
    scene.status("STOPPING");
    scene.status("AVAILABLE");
    // The new run goes on all the same, and a revert is accepted in the middle of it.
    scene.head("a1", true);
    let outcome = scene.live_step(step("x2", "x1", "t3", "agent", "who am I", [2, 9]));
    assert_eq!(codes(&outcome), ["diverged", "resync_needed"]);
    assert!(!outcome.look_at_canvas, "it moves nothing");
    assert_eq!((scene.engine.view().head_id.as_str(), scene.path().len()), ("a1", 2));
}

#[test]
fn a_snapshot_whose_head_is_not_in_it_blanks_nothing() {
    let mut scene = Scene::new();
    let outcome = scene.snapshot("AVAILABLE", vec![], "a2", json!(false));
    assert_eq!(codes(&outcome), ["unknown_head", "resync_needed"]);
    assert_eq!(scene.path(), ["u1", "a1", "u2", "a2"]);
    assert_eq!(scene.engine.view().path_status, "unknown_head");
}

#[test]
fn a_tool_that_failed_may_have_changed_the_content_all_the_same() {
    let mut scene = Scene::new();
    let mut failed = step("a3", "a2", "t2", "agent", "", [2, 6]);
    failed["toolCalls"] = json!([{ "toolName": "modify", "toolCallId": "c", "input": "{not json" }]);
    failed["toolResults"] = json!([{ "toolCallId": "c", "output": "[ERROR] no such operator" }]);
    let outcome = scene.live_step(failed);
    assert!(codes(&outcome).is_empty(), "a text where an object is usual is no reason to leave a step out");
    assert_eq!(scene.engine.content(None).as_deref(), Some(r#"{"v":6}"#));
}

#[test]
fn a_redo_after_an_edit_that_was_saved_keeps_it_aside() {
    let mut scene = Scene::new();
    scene.engine.bind_canvas(true);
    let mut canvas = r#"{"v":2}"#.to_owned();
    scene.look(&mut canvas);
    scene.revert("t2").unwrap();
    scene.head("a1", true);
    scene.look(&mut canvas);
    canvas = r#"{"v":77}"#.to_owned();
    scene.redo().unwrap();
    scene.head("a2", false);
    scene.look(&mut canvas);
    assert_eq!(canvas, r#"{"v":2}"#);
    assert_eq!(scene.engine.stashes().len(), 1, "what the server overwrites is not lost");
}
