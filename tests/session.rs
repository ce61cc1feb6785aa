//! Commands and their answers (R1–R8, R13), redo (R3–R5), dialects, the canvas (P2, P12, P14).

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod scene;

use headway::Refusal;
use headway::canvas::Plan;
use headway::engine::CommandName;
use headway::session::ManualEdits;
use scene::{Scene, TIMEOUT, answer, step, two_turns};
use serde_json::{Value, json};

#[test]
fn r1_r13_a_revert_leads_to_before_the_turn_and_brings_the_prompt_back() {
    let mut scene = Scene::new();
    assert_eq!(scene.engine.can_revert("t2"), Ok(()));
    assert_eq!(scene.revert("t2"), Ok(json!({ "type": "WsClientRevertCommand", "messageId": "t2" })));
    assert_eq!(scene.engine.view().pending, Some("revert"));
    assert_eq!(scene.path().len(), 4, "HEAD moves when the server says so");
    let outcome = scene.head("a1", true);
    let settled = answer(&outcome).unwrap().unwrap();
    assert_eq!(settled.head_id, "a1");
    assert_eq!(settled.prompt.as_deref(), Some("second question\nwith detail"));
    assert_eq!(scene.path(), ["u1", "a1"]);
    let view = scene.engine.view();
    assert_eq!((view.can_redo, view.redo_leads_to.as_deref(), view.pending), (Some(true), Some("t2"), None));
    // The first turn can be reverted, too, and that from a HEAD that was reverted already.
    scene.revert("t1").unwrap();
    let outcome = scene.head("step-initial", true);
    assert_eq!(answer(&outcome).unwrap().unwrap().prompt.as_deref(), Some("first question"));
    assert_eq!(scene.path(), [""; 0]);
    assert_eq!(
        scene.engine.content(None).as_deref(),
        Some(r#"{"v":0}"#),
        "R7: what the first turn began with"
    );
}

#[test]
fn r2_refusals_say_why_and_change_nothing() {
    type Make = fn(&mut Scene);
    let offline: Make = |scene| drop(scene.engine.disconnected());
    let busy: Make = |scene| drop(scene.status("GENERATING"));
    let stopping: Make = |scene| drop(scene.status("STOPPING"));
    let pending: Make = |scene| drop(scene.revert("t2"));
    let dialect_b: Make = |scene| drop(scene.snapshot("AVAILABLE", two_turns(), "a2", Value::Null));
    let idle: Make = |_| {};
    let branch: Make = |scene| {
        scene.head("step-initial", true);
        scene.live_step(step("u3", "step-initial", "t3", "user", "other", [0, 0]));
    };
    for (case, make, prompt, stop, revert, redo) in [
        (
            "offline",
            offline,
            Some(Refusal::Offline),
            Some(Refusal::Offline),
            Some(Refusal::Offline),
            Some(Refusal::Offline),
        ),
        ("busy", busy, Some(Refusal::Busy), None, Some(Refusal::Busy), Some(Refusal::Busy)),
        (
            "stopping",
            stopping,
            Some(Refusal::Busy),
            Some(Refusal::Busy),
            Some(Refusal::Busy),
            Some(Refusal::Busy),
        ),
        (
            "pending",
            pending,
            Some(Refusal::Pending),
            Some(Refusal::Pending),
            Some(Refusal::Pending),
            Some(Refusal::Pending),
        ),
        (
            "dialect B",
            dialect_b,
            None,
            Some(Refusal::NotRunning),
            Some(Refusal::Unsupported),
            Some(Refusal::Unsupported),
        ),
        ("idle", idle, None, Some(Refusal::NotRunning), None, Some(Refusal::NothingToRedo)),
        (
            "other branch",
            branch,
            None,
            Some(Refusal::NotRunning),
            Some(Refusal::NotOnPath),
            Some(Refusal::NothingToRedo),
        ),
    ] {
        let mut scene = Scene::new();
        make(&mut scene);
        let before = scene.engine.view();
        let expected = |refusal: Option<Refusal>| refusal.map_or(Ok(()), Err);
        assert_eq!(scene.engine.can(CommandName::Prompt), expected(prompt), "prompt, {case}");
        assert_eq!(scene.engine.can(CommandName::Stop), expected(stop), "stop, {case}");
        assert_eq!(scene.engine.can_revert("t2"), expected(revert), "revert, {case}");
        assert_eq!(scene.engine.can(CommandName::Redo), expected(redo), "redo, {case}");
        // Asking and acting agree.
        if let Some(refusal) = prompt {
            assert_eq!(scene.prompt("hello"), Err(refusal), "{case}");
        }
        if let Some(refusal) = stop {
            assert_eq!(scene.stop(), Err(refusal), "{case}");
        }
        if let Some(refusal) = revert {
            assert_eq!(scene.revert("t2"), Err(refusal), "{case}");
        }
        if let Some(refusal) = redo {
            assert_eq!(scene.redo(), Err(refusal), "{case}");
        }
        assert_eq!(scene.engine.view(), before, "{case}");
    }
    let mut scene = Scene::new();
    for turn in ["", "t9", "a2", "__proto__"] {
        assert_eq!(scene.revert(turn), Err(Refusal::UnknownTurn), "{turn:?}");
    }
    for text in ["", " \n\t "] {
        assert_eq!(scene.prompt(text), Err(Refusal::EmptyPrompt), "{text:?}");
    }
}

#[test]
fn r3_redo_takes_back_newest_first_and_jumps_over_what_one_revert_jumped() {
    let mut scene = Scene::new();
    scene.revert("t1").unwrap(); // over two turns at once
    scene.head("step-initial", true);
    assert_eq!(scene.engine.view().redo_leads_to.as_deref(), Some("t2"));
    assert_eq!(scene.redo(), Ok(json!({ "type": "WsClientRedoCommand" })));
    let outcome = scene.head("a2", false);
    assert!(answer(&outcome).unwrap().is_ok());
    assert_eq!(scene.path().len(), 4);
    assert_eq!(scene.redo(), Err(Refusal::NothingToRedo));
}

#[test]
fn r3_a_new_question_from_anybody_ends_redo_but_a_failed_command_does_not() {
    let mut scene = Scene::new();
    scene.head("a1", true);
    scene.redo().unwrap();
    let outcome = scene.error("Failed to save the restored workflow; the operation was rolled back");
    assert_eq!(answer(&outcome), Some(Err("save_failed")));
    let view = scene.engine.view();
    assert_eq!((view.can_redo, view.redo_leads_to.as_deref()), (Some(true), Some("t2")));
    scene.live_step(step("u3", "a1", "t3", "user", "from another tab", [1, 1]));
    let view = scene.engine.view();
    assert_eq!((view.can_redo, view.redo_leads_to), (Some(false), None));
}

#[test]
fn r4_r5_the_server_says_whether_and_the_mirror_is_dropped_when_it_disagrees() {
    let mut scene = Scene::new();
    scene.head("a1", true);
    scene.engine.disconnected();
    assert_eq!(scene.engine.view().can_redo, None, "unknown while the socket is lost");
    scene.engine.connected();
    scene.snapshot("AVAILABLE", two_turns(), "a1", json!(true));
    let view = scene.engine.view();
    assert_eq!((view.can_redo, view.redo_leads_to.as_deref()), (Some(true), Some("t2")), "confirmed");
    scene.snapshot("AVAILABLE", two_turns(), "a1", Value::Null);
    let view = scene.engine.view();
    assert_eq!(
        (view.can_redo, view.redo_leads_to),
        (Some(false), None),
        "absent is false, and nothing is believed"
    );
    scene.snapshot("AVAILABLE", two_turns(), "a1", json!(true));
    let view = scene.engine.view();
    assert_eq!(
        (view.can_redo, view.redo_leads_to),
        (Some(true), None),
        "possible, but nobody here knows where to"
    );
    // A redo that leads somewhere else than anybody thought is right all the same.
    scene.redo().unwrap();
    assert!(answer(&scene.head("u2", false)).unwrap().is_ok());
    // The server refuses a redo that we thought possible.
    scene.head("a1", true);
    scene.redo().unwrap();
    assert_eq!(answer(&scene.error("Nothing to redo")), Some(Err("nothing_to_redo")));
    assert_eq!(scene.engine.view().can_redo, Some(false));
}

#[test]
fn r7_a_head_change_without_content_takes_the_nearest_ancestors() {
    let mut scene = Scene::new();
    scene.engine.bind_canvas(true);
    let outcome = scene.head("u2", true);
    assert!(outcome.look_at_canvas);
    assert_eq!(scene.engine.content(None).as_deref(), Some(r#"{"v":1}"#));
    // Nothing is known above a HEAD that nobody sent: the canvas stays as it is.
    let outcome = scene.head("nobody", true);
    assert!(!outcome.look_at_canvas);
    let view = scene.engine.view();
    assert!(view.content_unknown);
    assert_eq!((view.path_status, view.path_at.as_deref()), ("unknown_head", Some("nobody")));
    assert_eq!(scene.path(), ["u1", "a1", "u2"], "T5: the last good path stays on show");
    assert_eq!(scene.engine.sync_canvas(ManualEdits::Overwrite), Err(Refusal::ContentUnknown));
    // With its content the same HEAD can be shown.
    let frame = json!({ "headId": "nobody", "canRedo": true, "workflowContent": { "v": 9 }, "type": "WsServerHeadChangeEvent" });
    assert!(scene.receive(frame).look_at_canvas);
    assert_eq!(scene.engine.content(None).as_deref(), Some(r#"{"v":9}"#));
}

#[test]
fn r8_one_in_flight_and_what_answers_it() {
    // A head change that leads elsewhere is somebody else's; ours is still to come.
    let mut scene = Scene::new();
    scene.revert("t1").unwrap();
    assert_eq!(answer(&scene.head("a1", true)), None);
    assert!(answer(&scene.head("step-initial", true)).unwrap().is_ok());

    // By code where there is one, else by text, else plainly; the server's words are kept.
    for (frame, code) in [
        (json!({ "error": "Turn is not on the current conversation path" }), "not_on_path"),
        (json!({ "error": "anything", "code": "review_pending" }), "review_pending"),
        (json!({ "error": "the disk is full" }), "server_error"),
        (json!({ "error": { "odd": 1 } }), "server_error"),
    ] {
        let mut scene = Scene::new();
        scene.revert("t1").unwrap();
        let outcome = scene.receive(frame.clone());
        assert_eq!(answer(&outcome), Some(Err(code)), "{frame}");
        assert_eq!(outcome.notices, [], "an answer is no notice");
        assert_eq!(scene.path().len(), 4);
    }

    // An error while nothing is in flight is a notice.
    let mut scene = Scene::new();
    let outcome = scene.error("Cannot revert while the agent is busy");
    assert_eq!((outcome.notices[0].code, outcome.changed), ("server_error", false));
}

#[test]
fn r8_a_time_out_is_by_the_hosts_clock_and_a_late_answer_still_counts() {
    let mut scene = Scene::new();
    scene.now = 5_000.0;
    scene.revert("t2").unwrap();
    assert_eq!(answer(&scene.engine.tick(5_000.0 + TIMEOUT - 1.0)), None);
    assert_eq!(answer(&scene.engine.tick(5_000.0 + TIMEOUT)), Some(Err("timed_out")));
    assert_eq!(scene.engine.view().pending, None);
    let outcome = scene.head("a1", true);
    assert_eq!(answer(&outcome), None, "nobody waits for it");
    assert_eq!(scene.path(), ["u1", "a1"], "but it is what the server did");
    assert_eq!(answer(&scene.engine.tick(f64::MAX)), None);
}

#[test]
fn r6_after_a_reconnect_head_tells_what_became_of_a_command() {
    for (head, expected) in [("a1", Ok(())), ("a2", Err("lost")), ("step-initial", Err("lost"))] {
        let mut scene = Scene::new();
        scene.revert("t2").unwrap();
        scene.engine.disconnected();
        assert_eq!(scene.engine.view().pending, Some("revert"));
        scene.engine.connected();
        let outcome = scene.snapshot("AVAILABLE", two_turns(), head, json!(true));
        assert_eq!(answer(&outcome).unwrap().map(|_| ()), expected, "HEAD is {head}");
        assert_eq!(scene.engine.view().pending, None);
    }
    // A prompt: whether its step is there.
    for (with_step, expected) in [(true, Ok(())), (false, Err("lost"))] {
        let mut scene = Scene::new();
        scene.prompt("third").unwrap();
        scene.engine.disconnected();
        scene.engine.connected();
        let mut steps = two_turns();
        if with_step {
            steps.push(step("u3", "a2", "t3", "user", "third", [2, 2]));
        }
        let head = if with_step { "u3" } else { "a2" };
        let outcome = scene.snapshot("GENERATING", steps, head, json!(false));
        assert_eq!(answer(&outcome).unwrap().map(|_| ()), expected);
    }
    // A snapshot on the same socket is no reconnect: the answer can still come.
    let mut scene = Scene::new();
    scene.revert("t2").unwrap();
    assert_eq!(answer(&scene.snapshot("AVAILABLE", two_turns(), "a2", json!(false))), None);
    assert!(answer(&scene.head("a1", true)).unwrap().is_ok());
}

#[test]
fn r8_a_prompt_is_answered_by_its_own_step() {
    let mut scene = Scene::new();
    let text = "  third\n";
    assert_eq!(
        scene.prompt(text),
        Ok(json!({ "type": "WsClientPromptCommand", "content": text, "messageSource": "chat" }))
    );
    assert_eq!(answer(&scene.status("GENERATING")), None);
    assert_eq!(answer(&scene.live_step(step("x", "a2", "tx", "user", "somebody else's", [2, 2]))), None);
    assert!(answer(&scene.live_step(step("u3", "x", "t3", "user", "third", [2, 2]))).unwrap().is_ok());

    // A server that changes the words: the end of the run settles it.
    let mut scene = Scene::new();
    scene.prompt("third").unwrap();
    scene.status("GENERATING");
    assert_eq!(answer(&scene.live_step(step("u3", "a2", "t3", "user", "Third.", [2, 2]))), None);
    assert!(answer(&scene.status("AVAILABLE")).unwrap().is_ok());

    let mut scene = Scene::new();
    scene.prompt("third").unwrap();
    assert_eq!(answer(&scene.error("Message content is required")), Some(Err("empty_prompt")));
}

#[test]
fn r8_a_stop_is_answered_when_the_agent_no_longer_generates() {
    for state in ["STOPPING", "AVAILABLE", "UNAVAILABLE"] {
        let mut scene = Scene::new();
        scene.status("GENERATING");
        assert_eq!(scene.stop(), Ok(json!({ "type": "WsClientStopCommand" })));
        assert_eq!(answer(&scene.status("GENERATING")), None);
        assert!(answer(&scene.status(state)).unwrap().is_ok(), "{state}");
    }
}

#[test]
fn a_command_that_could_not_be_sent_is_settled_at_once() {
    let mut scene = Scene::new();
    let (ticket, _) = scene.engine.revert("t2", 0.0).unwrap();
    let outcome = scene.engine.not_sent(ticket, "socket is closing");
    assert_eq!(answer(&outcome), Some(Err("offline")));
    assert_eq!(scene.engine.can_revert("t2"), Ok(()));
}

#[test]
fn the_engine_answers_in_the_dialect_of_its_server() {
    let steps = two_turns();
    for (frame, prompt_type, can_revert) in [
        (json!({ "type": "init", "state": "Available", "steps": steps, "headId": "a2" }), "message", false),
        (
            json!({ "type": "snapshot", "state": "Available", "steps": steps, "headId": "a2" }),
            "prompt",
            false,
        ),
        (
            json!({ "type": "WsServerSnapshotEvent", "state": "AVAILABLE", "steps": steps, "headId": "a2" }),
            "WsClientPromptCommand",
            false,
        ),
        (
            json!({ "type": "WsServerSnapshotEvent", "state": "AVAILABLE", "steps": steps, "headId": "a2", "canRedo": false }),
            "WsClientPromptCommand",
            true,
        ),
        (
            json!({ "type": "WsServerSnapshotEvent", "state": "AVAILABLE", "steps": steps, "headId": "a2", "canRedo": false, "capabilities": ["redo"] }),
            "WsClientPromptCommand",
            false,
        ),
    ] {
        let mut scene = Scene::blank();
        scene.receive(frame.clone());
        assert_eq!(scene.path().len(), 4, "{frame}");
        let expected = if can_revert { Ok(()) } else { Err(Refusal::Unsupported) };
        assert_eq!(scene.engine.can_revert("t2"), expected, "{frame}");
        assert_eq!(scene.prompt("hi").unwrap()["type"], prompt_type, "{frame}");
    }
}

#[test]
fn dialect_a_tells_the_end_of_a_run_and_moves_head_with_all_steps() {
    let mut scene = Scene::blank();
    scene.receive(json!({ "type": "init", "state": "Available", "steps": [], "headId": "step-initial", "operatorResults": {} }));
    scene.receive(json!({ "type": "state", "state": "Generating" }));
    for step in two_turns() {
        scene.receive(json!({ "type": "step", "step": step }));
    }
    assert_eq!(scene.engine.view().agent_state, "GENERATING");
    scene.receive(json!({ "type": "complete", "state": "Available", "operatorResults": {} }));
    assert_eq!(scene.engine.view().agent_state, "AVAILABLE");
    let outcome = scene.receive(
        json!({ "type": "headChange", "headId": "a1", "steps": two_turns(), "operatorResults": {} }),
    );
    assert!(outcome.changed && outcome.notices.is_empty());
    assert_eq!(scene.path(), ["u1", "a1"]);
    assert_eq!(scene.engine.view().can_redo, Some(false));
}

#[test]
fn an_agent_that_is_gone_is_said_to_be() {
    let mut scene = Scene::new();
    let outcome = scene.receive(json!({ "error": "Agent not found" }));
    assert_eq!(outcome.notices[0].code, "agent_not_found");
    assert_eq!(scene.engine.view().agent_state, "UNAVAILABLE");
    assert_eq!(scene.path().len(), 4, "what is known stays on show");
}

#[test]
fn r10_autosave_is_off_only_while_an_agent_runs_on_a_live_socket() {
    let mut scene = Scene::new();
    assert!(scene.engine.view().autosave);
    for state in ["GENERATING", "STOPPING"] {
        scene.status(state);
        assert!(!scene.engine.view().autosave, "{state}");
    }
    scene.engine.disconnected();
    assert!(scene.engine.view().autosave, "a socket that drops in the middle of a run does not leave it off");
}

#[test]
fn t8_frames_that_say_nothing_new_change_nothing() {
    let mut scene = Scene::new();
    scene.head("a1", true);
    let before = scene.engine.view();
    assert!(!scene.head("a1", true).changed);
    assert!(!scene.status("AVAILABLE").changed);
    assert!(!scene.snapshot("AVAILABLE", two_turns(), "a1", json!(true)).changed);
    assert!(!scene.live_step(two_turns().remove(3)).changed);
    assert!(!scene.engine.connected().changed);
    assert_eq!(scene.engine.view(), before);
}

// ── the canvas ──────────────────────────────────────────────────────────────────────────────────────────────────────

#[test]
fn p14_a_first_connect_overwrites_nothing_and_a_sync_does() {
    let mut scene = Scene::blank();
    let mut canvas = r#"{"v":7}"#.to_owned();
    scene.engine.bind_canvas(true);
    assert!(scene.snapshot("AVAILABLE", two_turns(), "a2", json!(false)).look_at_canvas);
    assert_eq!(scene.look(&mut canvas), Plan::LeaveAlone);
    assert!(scene.engine.view().canvas_differs);
    assert!(scene.engine.sync_canvas(ManualEdits::Overwrite).unwrap().look_at_canvas);
    assert!(matches!(scene.look(&mut canvas), Plan::Write(_)));
    assert_eq!(canvas, r#"{"v":2}"#);
    assert!(!scene.engine.view().canvas_differs);
    // Reconnected, nobody edited: it follows. Somebody edited: it is left alone.
    scene.engine.disconnected();
    scene.engine.connected();
    assert!(scene.snapshot("AVAILABLE", two_turns(), "a1", json!(false)).look_at_canvas);
    assert!(matches!(scene.look(&mut canvas), Plan::Write(_)));
    assert_eq!(canvas, r#"{"v":1}"#);
    canvas = r#"{"v":1,"mine":true}"#.to_owned();
    scene.snapshot("AVAILABLE", two_turns(), "a2", json!(false));
    assert_eq!(scene.look(&mut canvas), Plan::LeaveAlone);
}

#[test]
fn r7_a_server_that_forgot_everything_leaves_the_canvas_and_says_so() {
    let mut scene = Scene::blank();
    scene.engine.bind_canvas(true);
    scene.snapshot("AVAILABLE", vec![], "step-initial", json!(false));
    assert!(!scene.engine.view().content_unknown, "a new agent on an untouched canvas: nothing to know");
    scene.snapshot("AVAILABLE", two_turns(), "a2", json!(false));
    let mut canvas = r#"{"v":2}"#.to_owned();
    scene.look(&mut canvas);
    let outcome = scene.snapshot("AVAILABLE", vec![], "step-initial", json!(false));
    assert!(outcome.changed && !outcome.look_at_canvas);
    assert!(scene.engine.view().content_unknown);
}

#[test]
fn c7_what_is_not_whole_is_repaired_on_its_way_to_the_canvas_and_told() {
    let broken = json!({
        "operators": [{ "operatorID": "op1", "operatorType": "Limit" }, { "operatorID": "op2", "operatorType": "Sort" }],
        "operatorPositions": { "op1": { "x": 0, "y": 0 } },
        "links": [{ "linkID": "l1", "source": { "operatorID": "op1" }, "target": { "operatorID": "gone" } }],
    });
    let mut scene = Scene::new();
    scene.engine.bind_canvas(true);
    let mut canvas = r#"{"v":2}"#.to_owned();
    scene.look(&mut canvas);
    let frame = json!({ "headId": "a1", "canRedo": true, "workflowContent": broken, "type": "WsServerHeadChangeEvent" });
    let outcome = scene.receive(frame.clone());
    assert_eq!(outcome.notices.iter().map(|notice| notice.code).collect::<Vec<_>>(), ["content_repaired"]);
    assert_eq!(outcome.notices[0].path.as_deref(), Some("operators/op2"), "the first of two");
    assert!(
        outcome.notices[0].message.contains("has no position")
            && outcome.notices[0].message.contains("1 more")
    );
    assert!(matches!(scene.look(&mut canvas), Plan::Write(_)));
    let shown: Value = serde_json::from_str(&canvas).unwrap();
    assert_eq!(shown["links"], json!([]));
    assert!(shown["operatorPositions"]["op2"]["x"].is_number());
    assert_eq!(scene.engine.content(None), Some(broken.to_string()), "C1: what came comes back");
    // Told once, and the canvas equals HEAD now.
    assert_eq!(scene.receive(frame).notices, []);
    assert_eq!(scene.look(&mut canvas), Plan::Nothing);
    assert!(!scene.engine.view().canvas_differs);
}

#[test]
fn p12_a_revert_to_the_same_content_is_compared_with_the_canvas_itself() {
    let mut scene = Scene::new();
    let mut canvas = r#"{"v":2}"#.to_owned();
    scene.engine.bind_canvas(true);
    assert_eq!(scene.look(&mut canvas), Plan::Nothing);
    assert!(scene.head("a1", true).look_at_canvas);
    scene.look(&mut canvas);
    canvas = r#"{"v":5}"#.to_owned(); // by hand
    assert!(scene.head("a1", true).look_at_canvas, "the same HEAD and content again");
    scene.look(&mut canvas);
    assert_eq!(canvas, r#"{"v":1}"#);
}

#[test]
fn p2_a_step_that_only_talks_leaves_the_canvas_alone() {
    let mut scene = Scene::new();
    scene.engine.bind_canvas(true);
    let mut canvas = r#"{"v":2}"#.to_owned();
    scene.look(&mut canvas);
    assert!(!scene.live_step(step("u3", "a2", "t3", "user", "explain", [2, 2])).look_at_canvas);
    assert!(scene.live_step(step("a3", "u3", "t3", "agent", "added", [2, 3])).look_at_canvas);
    // The last step comes again, with the same content.
    let mut again = step("a3", "u3", "t3", "agent", "added", [2, 3]);
    again["isEnd"] = json!(false);
    assert!(!scene.live_step(again).look_at_canvas);
}

#[test]
fn r11_late_steps_of_a_run_that_a_revert_has_overtaken_move_neither_head_nor_canvas() {
    let mut scene = Scene::new();
    scene.engine.bind_canvas(true);
    let mut canvas = r#"{"v":2}"#.to_owned();
    scene.look(&mut canvas);
    scene.head("a1", true);
    scene.look(&mut canvas);
    assert_eq!(canvas, r#"{"v":1}"#);
    let outcome = scene.live_step(step("late", "a2", "t2", "agent", "late", [2, 8]));
    assert!(!outcome.look_at_canvas);
    assert_eq!(codes(&outcome), ["diverged", "resync_needed"]);
    let view = scene.engine.view();
    assert_eq!((view.head_id.as_str(), view.diverged), ("a1", true));
    assert_eq!(scene.path(), ["u1", "a1"]);
    assert!(scene.engine.history().tree().get("late").is_some(), "it is in the tree all the same");
}

#[test]
fn r16_a_history_that_does_not_fit_together_asks_for_a_snapshot_once() {
    let mut scene = Scene::new();
    assert!(!scene.engine.view().needs_resync);
    // Two runs overlap: while one is going on, what is missing may still come.
    scene.status("GENERATING");
    let outcome = scene.live_step(step("b1", "u1", "t3", "agent", "late", [1, 3]));
    assert_eq!(codes(&outcome), ["diverged"]);
    assert!(scene.engine.view().diverged && !scene.engine.view().needs_resync);
    let outcome = scene.status("AVAILABLE");
    assert_eq!(codes(&outcome), ["resync_needed"]);
    assert!(outcome.changed && scene.engine.view().needs_resync);
    assert!(codes(&scene.status("AVAILABLE")).is_empty(), "it is said once");
    // A reconnect is on its way: nobody asks for another one.
    scene.engine.disconnected();
    assert!(!scene.engine.view().needs_resync);
    scene.engine.connected();
    assert!(!scene.engine.view().needs_resync);
    // It helps.
    scene.snapshot("AVAILABLE", two_turns(), "a2", json!(false));
    assert!(!scene.engine.view().needs_resync);
    // A HEAD that nobody knows: a reconnect that does not help is not tried again.
    assert_eq!(codes(&scene.head("nobody", true)), ["unknown_head", "resync_needed"]);
    scene.engine.connected();
    let outcome = scene.snapshot("AVAILABLE", two_turns(), "nobody", json!(true));
    assert_eq!(codes(&outcome), ["unknown_head"]);
    assert!(!scene.engine.view().needs_resync);
    // Another one is another matter.
    assert_eq!(codes(&scene.head("somebody", true)), ["unknown_head", "resync_needed"]);
    // And one that a head change settles needs none.
    scene.head("a2", true);
    assert!(!scene.engine.view().needs_resync);
}

fn codes(outcome: &headway::Outcome) -> Vec<&str> {
    outcome.notices.iter().map(|notice| notice.code).collect()
}

#[test]
fn r9_stopping_of_which_nothing_comes_is_given_up() {
    let mut scene = Scene::new();
    // Somebody told an idle agent to stop: it would never leave STOPPING.
    scene.status("STOPPING");
    assert_eq!(scene.prompt("next"), Err(Refusal::Busy));
    assert!(!scene.engine.tick(1_000.0).changed);
    assert!(!scene.engine.tick(60_999.0).changed);
    assert!(!scene.engine.view().stale_stopping);
    assert!(scene.engine.tick(61_000.0).changed);
    let view = scene.engine.view();
    assert!(view.stale_stopping && view.autosave);
    assert!(!scene.engine.tick(200_000.0).changed, "it is told once");
    scene.prompt("next").unwrap();
    // What goes on is not stale, however long it takes.
    scene.status("GENERATING");
    assert!(!scene.engine.view().stale_stopping);
    scene.status("STOPPING");
    for (at, id) in [(300_000.0, "x1"), (350_000.0, "x2"), (400_000.0, "x3")] {
        scene.engine.tick(at);
        let parent = if id == "x1" { "a2".to_owned() } else { scene.engine.view().head_id };
        scene.live_step(step(id, &parent, "t3", "agent", "tail", [2, 2]));
    }
    scene.engine.tick(410_000.0);
    assert!(!scene.engine.view().stale_stopping);
    // Nor is anything on a socket that was lost.
    scene.engine.disconnected();
    scene.engine.tick(900_000.0);
    assert!(!scene.engine.view().stale_stopping);
}

#[test]
fn r6_a_history_that_is_another_one_replaces_everything_and_is_told() {
    for (steps, head) in
        [(vec![], "step-initial"), (vec![step("n1", "step-initial", "n", "user", "hello", [9, 9])], "n1")]
    {
        let mut scene = Scene::new();
        scene.head("a1", true);
        assert_eq!(scene.engine.view().redo_leads_to.as_deref(), Some("t2"));
        scene.engine.disconnected();
        scene.engine.connected();
        let outcome = scene.snapshot("AVAILABLE", steps.clone(), head, json!(true));
        assert_eq!(codes(&outcome), ["history_replaced"]);
        let view = scene.engine.view();
        assert_eq!((view.head_id.as_str(), view.length, view.path_status), (head, steps.len(), "ok"));
        assert_eq!(view.redo_leads_to, None, "what was believed of redo is dropped");
        assert!(scene.engine.history().tree().get("a1").is_none());
        // The same again is no news.
        assert!(codes(&scene.snapshot("AVAILABLE", steps, head, json!(true))).is_empty());
    }
    // One that goes on is the same one.
    let mut scene = Scene::new();
    let mut steps = two_turns();
    steps.push(step("u3", "a2", "t3", "user", "third", [2, 2]));
    assert!(codes(&scene.snapshot("AVAILABLE", steps, "u3", json!(false))).is_empty());
    let first = two_turns().into_iter().take(1).collect();
    assert!(codes(&scene.snapshot("AVAILABLE", first, "u1", json!(false))).is_empty());
}
