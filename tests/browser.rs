//! The bindings as JavaScript meets them, in a real browser: shapes of what comes out, refusals, and no state lost.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

use headway::bindings::Engine;
use js_sys::{Array, JSON, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const SNAPSHOT: &str = r#"{"state":"AVAILABLE","steps":[
    {"id":"u1","parentId":"step-initial","messageId":"t1","stepId":0,"timestamp":7,"role":"user","content":"hi \ud83d\ude4f","isBegin":true,"isEnd":true,"beforeWorkflowContent":{"v":0},"afterWorkflowContent":{"v":0},"secret":{"__proto__":1}},
    {"id":"a1","parentId":"u1","messageId":"t1","stepId":1,"timestamp":8,"role":"agent","content":"done","isBegin":true,"isEnd":true,"usage":{"inputTokens":3},"beforeWorkflowContent":{"v":0},"afterWorkflowContent":{"v":1}}
],"headId":"a1","canRedo":false,"type":"WsServerSnapshotEvent"}"#;

/// Hands a frame over as the facade does: bytes into the room, then the number of them.
fn receive(engine: &mut Engine, frame: &str) -> JsValue {
    let at = engine.frame_room(frame.len()) as u32;
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let room = Uint8Array::new_with_byte_offset_and_length(&memory.buffer(), at, frame.len() as u32);
    room.copy_from(frame.as_bytes());
    engine.receive(frame.len())
}

fn engine() -> Engine {
    let mut engine = Engine::new("\"texera\"", 1_000.0, false, 1e9, false, false, false).unwrap();
    engine.connected();
    assert_eq!(receive(&mut engine, SNAPSHOT), JsValue::TRUE);
    engine
}

fn get(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |at, key| Reflect::get(&at, &JsValue::from(key)).unwrap())
}

fn json(value: &JsValue) -> String {
    JSON::stringify(value).unwrap().into()
}

#[wasm_bindgen_test]
fn t8_what_says_nothing_new_hands_over_false() {
    let mut engine = engine();
    assert_eq!(receive(&mut engine, SNAPSHOT), JsValue::FALSE);
    assert_eq!(engine.connected(), JsValue::FALSE);
    assert_eq!(engine.tick(1e12), JsValue::FALSE);
}

#[wasm_bindgen_test]
fn the_view_is_a_plain_record() {
    let mut engine = engine();
    let view = engine.view();
    for (path, expected) in [
        ("live", "true"),
        ("agentState", "\"AVAILABLE\""),
        ("headId", "\"a1\""),
        ("pathStatus", "\"ok\""),
        ("length", "2"),
        ("canRedo", "false"),
        ("totalUsage", r#"{"inputTokens":3}"#),
        ("capabilities", "[]"),
    ] {
        assert_eq!(json(&get(&view, path)), expected, "{path}");
    }
    assert!(get(&view, "pathAt").is_undefined(), "what is absent is undefined, never null");
    let versions = engine.turn_versions();
    assert_eq!(versions.len(), 1);
    let turns: Array = engine.turns_at(&[0, 7]).unchecked_into();
    assert_eq!(turns.length(), 1, "a position that is none gives nothing");
    assert_eq!(get(&turns.get(0), "title"), JsValue::from("hi 🙏"));
    assert_eq!(get(&turns.get(0), "changed"), JsValue::TRUE);
    assert_eq!(engine.turn_versions(), versions, "T8: the same version until something changes");
}

#[wasm_bindgen_test]
fn steps_leave_as_numbers_and_their_text_when_asked_for() {
    let mut engine = engine();
    assert_eq!(engine.take_changed_from(), 0);
    let pairs = engine.path_from(0);
    assert_eq!(pairs.len(), 4);
    assert_eq!(engine.take_changed_from(), 2, "nothing changed since");
    assert_eq!(engine.find_step("a1"), pairs[2..]);
    assert!(engine.find_step("step-initial").is_empty() && engine.find_step("nobody").is_empty());
    let wanted = [&pairs[2..], &pairs[..2], &[4_000_000, 1, 0, 1], &[pairs[0], 0]].concat();
    let texts = engine.step_texts(&wanted);
    let parsed: Array = JSON::parse(&texts).unwrap().unchecked_into();
    assert_eq!(parsed.length(), 3 * 5);
    let item =
        |at: u32| (parsed.get(3 * at).as_f64(), parsed.get(3 * at + 1), get(&parsed.get(3 * at + 2), "id"));
    assert_eq!(item(0), (Some(f64::from(pairs[3])), JsValue::TRUE, JsValue::from("a1")));
    assert_eq!(item(1), (Some(f64::from(pairs[1])), JsValue::FALSE, JsValue::from("u1")));
    for gone in [2, 3, 4] {
        assert!(
            parsed.get(3 * gone + 2).is_null(),
            "handles that mean nothing, or once meant another step, give nothing"
        );
    }
    assert!(texts.contains(r#""secret":{"__proto__":1}"#), "T9: unknown fields come out as they came");
    assert!(!texts.contains("WorkflowContent"), "contents do not leave with the steps");
}

#[wasm_bindgen_test]
fn c1_contents_come_back_as_they_came() {
    let engine = engine();
    assert_eq!(engine.content(None).unwrap().as_deref(), Some(r#"{"v":1}"#));
    assert_eq!(engine.content(Some("u1".into())).unwrap().as_deref(), Some(r#"{"v":0}"#));
    assert_eq!(engine.content(Some("nobody".into())).unwrap(), None);
}

#[wasm_bindgen_test]
fn r1_r8_a_command_goes_out_and_its_answer_comes_back() {
    let mut engine = engine();
    let sent = engine.revert("t1", false, 0.0).unwrap();
    assert_eq!(
        get(&sent, "outcome.send.0"),
        JsValue::from(r#"{"type":"WsClientRevertCommand","messageId":"t1"}"#)
    );
    assert_eq!(engine.cannot_prompt().as_deref(), Some("pending"));
    let frame = r#"{"headId":"step-initial","canRedo":true,"type":"WsServerHeadChangeEvent"}"#;
    let outcome = receive(&mut engine, frame);
    assert_eq!(get(&outcome, "settled.0.ticket"), get(&sent, "ticket"));
    assert_eq!(get(&outcome, "settled.0.headId"), JsValue::from("step-initial"));
    assert_eq!(get(&outcome, "settled.0.prompt"), JsValue::from("hi 🙏"));
    assert!(get(&outcome, "settled.0.failure").is_undefined());
    assert_eq!(get(&engine.view(), "redoLeadsTo"), JsValue::from("t1"));
}

#[wasm_bindgen_test]
fn r2_x2_a_refusal_is_thrown_with_code_and_sentence() {
    let mut engine = engine();
    for (error, code) in [
        (engine.revert("nobody", false, 0.0).unwrap_err(), "unknown_turn"),
        (engine.redo(false, 0.0).unwrap_err(), "nothing_to_redo"),
        (engine.stop(0.0).unwrap_err(), "not_running"),
        (engine.prompt("", false, 0.0).unwrap_err(), "empty_prompt"),
        (engine.sync_canvas(false).unwrap_err(), "canvas_unbound"),
    ] {
        assert_eq!(get(&error, "code"), JsValue::from(code));
        assert!(get(&error, "message").as_string().unwrap().len() > 10);
    }
    assert_eq!(engine.cannot_revert("nobody").as_deref(), Some("unknown_turn"));
    assert_eq!(engine.cannot_revert("t1"), None);
}

#[wasm_bindgen_test]
fn x1_bad_frames_hand_over_a_notice_and_leave_everything_as_it_was() {
    let mut engine = engine();
    let before = json(&engine.view());
    for (frame, code) in [
        ("", "frame_not_json"),
        ("{", "frame_not_json"),
        ("[]", "malformed_frame"),
        (r#"{"type":"?"}"#, "unknown_frame"),
    ] {
        let outcome = receive(&mut engine, frame);
        assert_eq!(get(&outcome, "notices.0.code"), JsValue::from(code), "{frame}");
        assert_eq!(get(&outcome, "changed"), JsValue::FALSE);
    }
    // Bytes that are no text, and more bytes than there is room for, are no frame.
    engine.frame_room(4);
    for bytes in [usize::MAX, 1 << 30] {
        assert_eq!(get(&engine.receive(bytes), "notices.0.code"), JsValue::from("frame_not_json"));
    }
    assert_eq!(json(&engine.view()), before);
}

#[wasm_bindgen_test]
fn p2_p14_the_canvas_is_planned_here_and_written_by_the_host() {
    let mut engine = engine();
    assert_eq!(get(&engine.bind_canvas(true), "lookAtCanvas"), JsValue::TRUE);
    let plan = engine.plan_canvas(r#"{"v":9}"#, 0.0);
    assert!(get(&plan, "write").is_undefined(), "binding overwrites nothing");
    assert_eq!(get(&plan, "outcome.notices.0.code"), JsValue::from("canvas_differs"));
    engine.sync_canvas(false).unwrap();
    assert_eq!(get(&engine.plan_canvas(r#"{"v":9}"#, 0.0), "write"), JsValue::from(r#"{"v":1}"#));
    assert_eq!(get(&engine.canvas_written(), "changed"), JsValue::TRUE);
    assert_eq!(get(&engine.view(), "canvasDiffers"), JsValue::FALSE);
}

#[wasm_bindgen_test]
fn sizes_are_told() {
    let engine = engine();
    let sizes = engine.stats();
    for (path, expected) in [("steps", 2.0), ("snapshots", 2.0), ("entities", 2.0)] {
        assert_eq!(get(&sizes, path).as_f64(), Some(expected), "{path}");
    }
    assert!(get(&sizes, "contentBytes").as_f64().unwrap() >= 14.0);
    assert!(Engine::memory_bytes() >= 65_536.0);
}

#[wasm_bindgen_test]
fn x2_a_schema_that_makes_no_sense_is_refused_with_its_place() {
    let error =
        Engine::new(r#"{"collections":[{"path":"a","kind":"list"}]}"#, 1.0, false, 1e9, false, false, false)
            .err()
            .unwrap();
    assert_eq!(get(&error, "code"), JsValue::from("invalid_schema"));
    assert!(get(&error, "message").as_string().unwrap().starts_with("collections[0].id: "));
    assert!(Engine::new("\"react-flow\"", 1.0, false, 1e9, false, false, false).is_ok());
}
