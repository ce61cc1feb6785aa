//! What schedules of clients and a server once got wrong (`examples/fuzz/sessions`), each by the rule that it broke.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod scene;

use headway::session::ManualEdits;
use scene::{Scene, answer, step, two_turns};
use serde_json::json;

#[test]
fn r3_r5_a_question_asked_while_the_socket_was_lost_ends_the_copy_of_the_redo_stack() {
    let mut scene = Scene::new();
    scene.head("a1", true);
    assert_eq!(scene.engine.view().redo_leads_to.as_deref(), Some("t2"));
    scene.engine.disconnected();
    scene.engine.connected();
    // Meanwhile somebody asked something and took it back: HEAD is where it was, but a redo leads elsewhere.
    let mut steps = two_turns();
    steps.push(step("u3", "a1", "t3", "user", "another tab's", [1, 1]));
    scene.snapshot("AVAILABLE", steps.clone(), "a1", json!(true));
    let view = scene.engine.view();
    assert_eq!((view.can_redo, view.redo_leads_to), (Some(true), None));
    // Without a new question the copy is kept.
    scene.head("u1", true);
    scene.engine.connected();
    scene.snapshot("AVAILABLE", steps, "u1", json!(true));
    assert_eq!(scene.engine.view().redo_leads_to.as_deref(), Some("t1"));
}

#[test]
fn r8_a_snapshot_is_no_answer_to_a_checkout_of_where_head_is_already() {
    let mut scene = Scene::blank();
    let snapshot = json!({
        "state": "AVAILABLE", "steps": two_turns(), "headId": "a2", "canRedo": false, "capabilities": ["checkout"],
        "type": "WsServerSnapshotEvent",
    });
    scene.receive(snapshot.clone());
    scene.engine.checkout("a2", ManualEdits::Overwrite, 0.0).unwrap();
    assert_eq!(
        answer(&scene.receive(snapshot.clone())),
        None,
        "it was on its way before the server heard of it"
    );
    assert_eq!(answer(&scene.error("the database is on fire")), Some(Err("server_error")));
    // On a new socket it is all that there will be.
    scene.engine.checkout("a2", ManualEdits::Overwrite, 0.0).unwrap();
    scene.engine.connected();
    assert!(answer(&scene.receive(snapshot)).unwrap().is_ok());
}

#[test]
fn r16_a_history_that_was_mended_and_is_torn_again_at_the_same_head_asks_again() {
    let mut scene = Scene::new();
    scene.head("a1", true);
    for late in ["late-1", "late-2"] {
        scene.live_step(step(late, "a2", "t2", "agent", "late", [2, 8]));
        assert!(scene.engine.view().needs_resync, "{late}");
        scene.engine.disconnected();
        scene.engine.connected();
        scene.snapshot("AVAILABLE", two_turns(), "a1", json!(true));
        assert!(!scene.engine.view().needs_resync);
    }
}

#[test]
fn p14_a_canvas_that_nobody_edited_follows_a_head_whose_content_becomes_known_after_the_snapshot() {
    for (by_hand, expected) in [(None, r#"{"v":7}"#), (Some(r#"{"v":2,"mine":1}"#), r#"{"v":2,"mine":1}"#)] {
        let mut scene = Scene::new();
        scene.engine.bind_canvas(true);
        let mut canvas = r#"{"v":2}"#.to_owned();
        scene.look(&mut canvas);
        canvas = by_hand.map_or(canvas, str::to_owned);
        // The service was restarted with another workflow, and its snapshot does not have it.
        scene.engine.disconnected();
        scene.engine.connected();
        scene.snapshot("AVAILABLE", vec![], "step-initial", json!(false));
        // The first step that has it changes nothing.
        assert!(scene.live_step(step("n1", "step-initial", "n", "user", "hello", [7, 7])).look_at_canvas);
        scene.look(&mut canvas);
        assert_eq!(canvas, expected);
    }
}
