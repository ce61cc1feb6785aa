//! X1, X2, T9, T10: whatever comes, the answer is a notice with a code and the state is as it was.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod model;

use headway::Engine;
use headway::engine::{Options, ViewHeader};
use model::engine_path;

const GOOD: &str = r#"{"state":"AVAILABLE","steps":[{"id":"s1","parentId":"step-initial","messageId":"t1","stepId":0,"timestamp":1,"role":"user","content":"hi","isBegin":true,"isEnd":true}],"headId":"s1","canRedo":false,"type":"WsServerSnapshotEvent"}"#;

fn engine() -> Engine {
    let mut engine = Engine::new(Options::default());
    engine.connected();
    engine.receive(GOOD);
    engine
}

fn state(engine: &mut Engine) -> (ViewHeader, Vec<String>) {
    (engine.view(), engine_path(engine))
}

/// One frame, one notice of that code (and, if named, that path), and nothing else happened.
fn refused(frame: &str, code: &str, path: Option<&str>) {
    let mut engine = engine();
    let before = state(&mut engine);
    let outcome = engine.receive(frame);
    let shown: String = frame.chars().take(120).collect();
    let codes: Vec<_> = outcome.notices.iter().map(|notice| (notice.code, notice.path.as_deref())).collect();
    assert_eq!(codes, [(code, path)], "{shown}");
    assert!(outcome.notices.iter().all(|notice| notice.message.ends_with('.')), "{:?}", outcome.notices);
    assert!(!outcome.changed, "{shown}");
    assert_eq!(state(&mut engine), before, "{shown}");
}

#[test]
fn x1_what_is_no_frame() {
    for frame in [
        "",
        " ",
        "x",
        "{",
        "{}}",
        "\u{feff}{}",
        "\u{0}",
        "NaN",
        "Infinity",
        "'a'",
        "[",
        "{\"a\":1,}",
        "{\"type\":\"step\"",
        "{\"a\":\"\u{1}\"}",
        "{\"type\":\"\\x\"}",
    ] {
        refused(frame, "frame_not_json", None);
    }
    for frame in ["1e999", "\"\\ud800\"", "null", "true", "0", "-1.5", "\"text\"", "[]", "[{}]"] {
        refused(frame, "malformed_frame", None);
    }
}

#[test]
fn x1_frames_that_say_nothing_or_something_unknown() {
    refused("{}", "malformed_frame", Some("type"));
    refused(r#"{"type":7}"#, "malformed_frame", Some("type"));
    refused(r#"{"type":null}"#, "malformed_frame", Some("type"));
    refused(r#"{"type":"WsServerSomethingNew","steps":[1,2]}"#, "unknown_frame", Some("type"));
    refused(r#"{"type":"__proto__"}"#, "unknown_frame", Some("type"));
}

#[test]
fn x2_fields_of_the_wrong_type_are_named() {
    for (frame, field) in [
        (r#"{"type":"WsServerStatusEvent"}"#, "state"),
        (r#"{"type":"WsServerStatusEvent","state":1}"#, "state"),
        (r#"{"type":"WsServerStepEvent"}"#, "step"),
        (r#"{"type":"WsServerHeadChangeEvent"}"#, "headId"),
        (r#"{"type":"WsServerHeadChangeEvent","headId":""}"#, "headId"),
        (r#"{"type":"WsServerHeadChangeEvent","headId":3}"#, "headId"),
        (r#"{"type":"WsServerHeadChangeEvent","headId":"s1","canRedo":"yes"}"#, "canRedo"),
        (
            r#"{"type":"WsServerHeadChangeEvent","headId":"step-initial","workflowContent":[]}"#,
            "workflowContent",
        ),
        (r#"{"type":"WsServerHeadChangeEvent","headId":"s1","steps":{}}"#, "steps"),
        (r#"{"type":"WsServerSnapshotEvent","state":"AVAILABLE","headId":"s1"}"#, "steps"),
        (r#"{"type":"WsServerSnapshotEvent","state":"AVAILABLE","headId":"s1","steps":"none"}"#, "steps"),
        (r#"{"type":"WsServerSnapshotEvent","state":null,"headId":"s1","steps":[]}"#, "state"),
        (r#"{"type":"WsServerSnapshotEvent","state":"AVAILABLE","headId":[],"steps":[]}"#, "headId"),
    ] {
        refused(frame, "malformed_frame", Some(field));
    }
}

#[test]
fn t9_malformed_steps_are_named_and_left_out() {
    let step = |fields: &str| format!(r#"{{"type":"WsServerStepEvent","step":{{{fields}}}}}"#);
    let rest = r#""parentId":"s1","messageId":"t2","role":"agent","content":"","isBegin":true,"isEnd":false"#;
    for (fields, path) in [
        (rest.to_owned(), "step.id"),
        (format!(r#""id":"",{rest}"#), "step.id"),
        (format!(r#""id":null,{rest}"#), "step.id"),
        (format!(r#""id":7,{rest}"#), "step.id"),
        (format!(r#""id":"\ud800",{rest}"#), "step.id"),
        (format!(r#""id":"step-initial",{rest}"#), "step.id"),
        (format!(r#""id":"s2",{rest},"messageId":1"#), "step.messageId"),
        (format!(r#""id":"s2",{rest},"messageId":null"#), "step.messageId"),
        (format!(r#""id":"s2",{rest},"role":null"#), "step.role"),
        (format!(r#""id":"s2",{rest},"role":true"#), "step.role"),
        (format!(r#""id":"s2",{rest},"parentId":[]"#), "step.parentId"),
        (format!(r#""id":"s2",{rest},"content":{{}}"#), "step.content"),
        (format!(r#""id":"s2",{rest},"timestamp":"now""#), "step.timestamp"),
        (format!(r#""id":"s2",{rest},"timestamp":1e400"#), "step.timestamp"),
        (format!(r#""id":"s2",{rest},"stepId":{{}}"#), "step.stepId"),
        (format!(r#""id":"s2",{rest},"isEnd":"true""#), "step.isEnd"),
        (format!(r#""id":"s2",{rest},"isBegin":1"#), "step.isBegin"),
        (format!(r#""id":"s2",{rest},"toolCalls":{{}}"#), "step.toolCalls"),
        (format!(r#""id":"s2",{rest},"usage":3"#), "step.usage"),
        (format!(r#""id":"s2",{rest},"usage":{{"inputTokens":"many"}}"#), "step.usage"),
        (format!(r#""id":"s2",{rest},"toolCalls":[1,null]"#), "step.toolCalls"),
        (format!(r#""id":"s2",{rest},"toolResults":5"#), "step.toolResults"),
        (format!(r#""id":"s2",{rest},"messageSource":{{}}"#), "step.messageSource"),
        (format!(r#""id":"s2",{rest},"\u0063ontent":5"#), "step.content"),
        (format!(r#""id":"s2",{rest},"afterWorkflowContent":"big""#), "step.afterWorkflowContent"),
        (format!(r#""id":"s2",{rest},"beforeWorkflowContent":7"#), "step.beforeWorkflowContent"),
    ] {
        refused(&step(&fields), "malformed_step", Some(path));
    }
    for step in ["null", "1", "[]", "\"s2\"", "true", "-0.5"] {
        let frame = format!(r#"{{"type":"WsServerStepEvent","step":{step}}}"#);
        refused(&frame, "malformed_step", Some("step"));
    }
}

#[test]
fn t9_the_rest_of_the_frame_stays_in_force() {
    let mut engine = engine();
    let outcome = engine.receive(
        r#"{"type":"WsServerSnapshotEvent","state":"AVAILABLE","headId":"s3","steps":[
            {"id":"s1","messageId":"t1","role":"user"}, {"messageId":"t1","role":"agent"}, 5,
            {"id":"s2","parentId":"s1","messageId":"t1","role":7},
            {"id":"s3","parentId":"s1","messageId":"t1","role":"agent","new":{"field":[1]},"isEnd":true}]}"#,
    );
    let paths: Vec<_> = outcome.notices.iter().filter_map(|notice| notice.path.as_deref()).collect();
    assert_eq!(paths, ["steps[1].id", "steps[2]", "steps[3].role"]);
    assert_eq!(outcome.notices[2].step_id.as_deref(), Some("s2"));
    assert_eq!(engine_path(&engine), ["s1", "s3"]);
    // Unknown fields come out again, as they were written.
    let tree = engine.history().tree();
    let data = tree.data(tree.get("s3").unwrap()).unwrap();
    assert!(data.text.contains(r#""new":{"field":[1]}"#), "{}", data.text);
}

#[test]
fn t10_the_latest_wins_and_says_what_changed() {
    let mut engine = engine();
    for (step, fields) in [
        (r#"{"id":"s1","parentId":"elsewhere","messageId":"t1","role":"user"}"#, "parent"),
        (r#"{"id":"s1","parentId":"elsewhere","messageId":"t9","role":"agent"}"#, "turn and role"),
    ] {
        let outcome = engine.receive(&format!(r#"{{"type":"WsServerStepEvent","step":{step}}}"#));
        assert_eq!(outcome.notices.len(), 1);
        assert_eq!(outcome.notices[0].code, "step_rewritten");
        assert!(outcome.notices[0].message.contains(&format!("another {fields};")), "{:?}", outcome.notices);
        assert!(outcome.changed);
        assert_eq!(engine.view().head_id, "s1", "T3: an update never moves HEAD");
    }
    assert_eq!(engine.view().path_status, "broken_parent");
    assert_eq!(engine.turns()[0].id, "t9");
}

#[test]
fn x1_absurd_but_legal_json_goes_through() {
    let depth = 1_000_000;
    let nested = "[".repeat(depth) + &"]".repeat(depth);
    let keys: String = (0..1_000_000).map(|n| format!("\"k{n}\":0,")).collect();
    let long_number = "9".repeat(100_000);
    for content in [
        format!(r#"{{"deep":{nested}}}"#),
        format!(r#"{{{keys}"last":1}}"#),
        format!(r#"{{"n":{long_number}}}"#),
        r#"{"__proto__":{"constructor":1},"":{"":0},"a":1,"a":2,"s":"\ud800\u0000","z":-0,"e":1e400}"#
            .to_owned(),
    ] {
        let mut engine = engine();
        let frame = format!(
            r#"{{"type":"WsServerStepEvent","step":{{"id":"s2","parentId":"s1","messageId":"t1","role":"agent","toolResults":[{{"toolCallId":"c","output":{content}}}],"afterWorkflowContent":{content}}}}}"#
        );
        let outcome = engine.receive(&frame);
        assert_eq!(outcome.notices, []);
        assert_eq!(engine.content(None).as_deref(), Some(content.as_str()), "C1");
        // And canonical equality can be asked about it: the same in other words is no change.
        let again = content.replacen('{', "{ ", 1);
        let frame = frame.replace("\"s2\"", "\"s3\"").replace(r#""parentId":"s1""#, r#""parentId":"s2""#);
        let at = frame.rfind(&content).unwrap();
        engine.receive(&format!("{}{again}}},\"type\":\"WsServerStepEvent\"}}", &frame[..at]));
        assert_eq!(engine.content(None).as_deref(), Some(again.as_str()));
        let step = engine.history().tree().get("s3").unwrap();
        assert!(!engine.step_changed(step));
    }
}

#[test]
fn an_unknown_state_counts_as_unavailable_and_case_does_not_matter() {
    let mut engine = engine();
    for (word, expected) in [
        ("Generating", "GENERATING"),
        ("available", "AVAILABLE"),
        ("Stopping", "STOPPING"),
        ("dreaming", "UNAVAILABLE"),
    ] {
        engine.receive(&format!(r#"{{"type":"status","state":"{word}"}}"#));
        assert_eq!(engine.view().agent_state, expected);
    }
}
