//! Frames that came off a real agent service, frame by frame, against the naive model and against what the server held.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod model;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use headway::Engine;
use headway::engine::Options;
use headway::wire::PromptSource;
use model::{Model, assert_same, engine_path, text};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn lines(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(fixture(name)).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// First 16 hex digits of SHA-256 over the RFC 8785 form, as the truth files have it.
fn content_hash(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap();
    let canonical = serde_json_canonicalizer::to_vec(&value).unwrap();
    let digest = Sha256::digest(canonical);
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

struct Client {
    engine: Engine,
    model: Model,
    asked: usize,
    answered: usize,
}

impl Client {
    fn new() -> Self {
        let mut engine = Engine::new(Options::default());
        engine.connected();
        Client { engine, model: Model::default(), asked: 0, answered: 0 }
    }

    /// Feeds a frame and compares with the model. Gives the codes of the notices.
    fn receive(&mut self, frame: &str, at: &str) -> Vec<&'static str> {
        let outcome = self.engine.receive(frame);
        self.answered += outcome.settled.len();
        self.model.frame(&serde_json::from_str(frame).unwrap());
        assert_same(&mut self.engine, &mut self.model, at);
        outcome.notices.iter().map(|notice| notice.code).collect()
    }

    /// Asks what the recorded client asked, where that is not refused here already.
    fn ask(&mut self, command: &Value) {
        let now = 0.0;
        let asked = match text(command, "type") {
            "WsClientPromptCommand" => {
                let is_feedback = text(command, "messageSource") == "feedback";
                let source = if is_feedback { PromptSource::Feedback } else { PromptSource::Chat };
                self.engine.prompt(text(command, "content"), source, now)
            }
            "WsClientStopCommand" => self.engine.stop(now),
            "WsClientRevertCommand" => self.engine.revert(text(command, "messageId"), now),
            "WsClientRedoCommand" => self.engine.redo(now),
            other => panic!("{other}"),
        };
        if let Ok((_, outcome)) = asked {
            self.asked += 1;
            let sent: Value = serde_json::from_str(&outcome.send[0]).unwrap();
            assert_eq!(&sent, command, "the same words as the recorded client's");
        }
    }

    fn state(&mut self) -> &'static str {
        self.engine.view().agent_state
    }
}

/// Plays a recording of one client; no frame may cause a notice but those that are named.
fn play(name: &str, expected_notices: &[&str]) -> Client {
    let mut client = Client::new();
    let mut notices = Vec::new();
    for (index, line) in lines(name).iter().enumerate() {
        notices.extend(client.receive(line, &format!("{name}:{}", index + 1)));
    }
    assert_eq!(notices, expected_notices, "{name}");
    client
}

#[test]
fn t3_t4_live_turns_and_the_reconnect_snapshot_show_the_same() {
    let live = play("texera/live-3turns.jsonl", &[]);
    let again = play("texera/reconnect-after-3turns.jsonl", &[]);
    assert_eq!(engine_path(&live.engine), engine_path(&again.engine));
    assert_eq!(live.engine.content(None).as_deref(), again.engine.content(None).as_deref());
    let longer_ago = play("texera/snap-3x2.json", &[]);
    assert_eq!(engine_path(&longer_ago.engine).len(), 12, "the same three turns in another session");
}

#[test]
fn t3_concurrent_prompts_never_move_head_backwards() {
    let mut client = Client::new();
    let mut longest = 0;
    for line in lines("texera/concurrent-prompts.jsonl") {
        client.receive(&line, "concurrent-prompts");
        let length = client.engine.history().path().len();
        assert!(length >= longest, "HEAD moved backwards");
        longest = length;
    }
    assert_eq!(longest, 4);
    let turns = client.engine.turns();
    let steps: Vec<u32> = turns.iter().map(|turn| turn.steps).collect();
    assert_eq!(steps, [2, 2], "interleaved turns keep their own steps");
    assert_eq!(client.state(), "AVAILABLE");
    let again = play("texera/concurrent-prompts-reconnect.jsonl", &[]);
    assert_eq!(engine_path(&client.engine), engine_path(&again.engine));
}

#[test]
fn r9_idle_stop_ends_in_stopping_and_is_called_stale_at_connect() {
    let mut live = play("texera/idle-stop.jsonl", &[]);
    assert_eq!(live.state(), "STOPPING");
    assert!(!live.engine.view().stale_stopping, "it may still end");
    let mut again = play("texera/idle-stop-reconnect.jsonl", &[]);
    assert_eq!(again.state(), "STOPPING");
    assert!(again.engine.view().stale_stopping);
    assert_eq!(again.engine.can(headway::engine::CommandName::Prompt), Ok(()));
}

#[test]
fn h1_stopped_and_failed_runs_say_so() {
    let mut stopped = play("texera/stop-midrun.jsonl", &[]);
    let turns = stopped.engine.turns();
    assert_eq!(turns.last().unwrap().ended, "stopped");
    assert_eq!(stopped.state(), "AVAILABLE");

    // The recording begins in the middle of a session: what came before is in another one.
    let mut client = Client::new();
    for line in lines("texera/stop-midrun.jsonl").iter().chain(&lines("texera/llm-error.jsonl")) {
        client.receive(line, "stop-midrun + llm-error");
    }
    let ended: Vec<_> = client.engine.turns().iter().map(|turn| turn.ended).collect();
    assert_eq!(ended, ["stopped", "failed"]);
    assert_eq!(client.state(), "AVAILABLE");
}

#[test]
fn t5_a_recording_that_begins_in_the_middle_is_shown_as_far_as_it_goes() {
    let client = play("texera/llm-error.jsonl", &["diverged"]);
    // HEAD is the root and the first step hangs somewhere else: only a snapshot can settle that.
    assert!(client.engine.history().diverged());
    assert_eq!(client.engine.history().tree().len(), 2);
}

/// Every recording with the server's truth: at each checkpoint each client that is connected shows what the server
/// held.
fn check_truth(name: &str) {
    let truth = std::fs::read_to_string(fixture(&format!("texera-revert/{name}.truth.json"))).unwrap();
    let truth: Value = serde_json::from_str(&truth).unwrap();
    let checkpoints = truth["checkpoints"].as_array().unwrap();
    let closed: BTreeMap<u64, u64> = truth["clients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|client| (client["client"].as_u64().unwrap(), client["closedAfterLine"].as_u64().unwrap()))
        .collect();
    let mut clients: BTreeMap<u64, Client> = BTreeMap::new();
    let mut compared = 0;
    for (index, line) in lines(&format!("texera-revert/{name}.jsonl")).iter().enumerate() {
        let number = index as u64 + 1;
        let line: Value = serde_json::from_str(line).unwrap();
        let id = line["client"].as_u64().unwrap();
        let client = clients.entry(id).or_insert_with(Client::new);
        if line["dir"] == "in" {
            client.receive(&line["frame"].to_string(), &format!("{name}:{number}"));
        } else {
            client.ask(&line["frame"]);
        }
        for checkpoint in checkpoints.iter().filter(|c| c["afterLine"].as_u64() == Some(number)) {
            for (_, client) in clients.iter_mut().filter(|(id, _)| closed[id] >= number) {
                let at = format!("{name}:{number} {}", text(checkpoint, "label"));
                let visible: Vec<&str> =
                    checkpoint["visible"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
                let view = client.engine.view();
                assert_eq!(engine_path(&client.engine), visible, "{at}");
                assert_eq!(view.head_id, text(checkpoint, "headId"), "{at}");
                assert_eq!(view.can_redo, checkpoint["canRedo"].as_bool(), "{at}");
                assert_eq!(view.agent_state, text(checkpoint, "state"), "{at}");
                let content = client.engine.content(None).as_deref().map(content_hash);
                // A brand-new agent has no content yet, and says so by having none.
                if let Some(hash) = content {
                    assert_eq!(hash, text(checkpoint, "contentHash"), "{at}");
                } else {
                    assert!(client.engine.history().tree().is_empty(), "{at}");
                }
                compared += 1;
            }
        }
    }
    assert!(compared >= 5, "{name}: only {compared} comparisons");
    let asked: usize = clients.values().map(|client| client.asked).sum();
    let answered: usize = clients.values().map(|client| client.answered).sum();
    assert!(asked >= 4, "{name}: only {asked} commands");
    assert_eq!(answered, asked, "{name}: R8, each command has its answer");
}

macro_rules! truths {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(#[test] fn $test() { check_truth($name); })*
    };
}

truths! {
    r1_r3_revert_and_redo: "revert-redo-basic",
    r3_two_reverts_two_redos_last_in_first_out: "revert-twice-redo-twice",
    r3_a_prompt_ends_what_could_be_redone: "revert-then-prompt",
    r4_r7_a_reconnect_after_a_revert: "reconnect-after-revert",
    r3_another_clients_prompt_ends_redo_here_too: "two-clients",
    r2_busy_answers_move_nothing: "busy",
    r2_off_path_and_unknown_turns_move_nothing: "off-path",
    r8_a_failed_save_moves_nothing: "failed-save",
    r3_reverts_over_stopped_and_failed_turns: "stopped-and-failed-turns",
}

#[test]
fn r5_the_mirror_says_where_redo_leads_as_the_server_does() {
    for name in ["revert-twice-redo-twice", "two-clients", "busy", "revert-redo-basic"] {
        let truth = std::fs::read_to_string(fixture(&format!("texera-revert/{name}.truth.json"))).unwrap();
        let truth: Value = serde_json::from_str(&truth).unwrap();
        let mut client = Client::new();
        for (index, line) in lines(&format!("texera-revert/{name}.jsonl")).iter().enumerate() {
            let line: Value = serde_json::from_str(line).unwrap();
            if line["dir"] == "in" && line["client"] == 1 {
                client.engine.receive(&line["frame"].to_string());
            }
            for checkpoint in truth["checkpoints"].as_array().unwrap() {
                if checkpoint["afterLine"].as_u64() == Some(index as u64 + 1) {
                    let stack = checkpoint["redoStack"].as_array().unwrap();
                    let top = stack.last().and_then(Value::as_str);
                    let tree = client.engine.history().tree();
                    let mirror = client.engine.session().redo_leads_to().map(|step| tree.id(step));
                    assert_eq!(mirror, top, "{name}:{} {}", index + 1, text(checkpoint, "label"));
                }
            }
        }
    }
}

/// What one client heard in a recording.
fn heard(name: &str) -> Vec<String> {
    let heard = lines(&format!("{name}.jsonl")).into_iter().filter_map(|line| {
        let value: Value = serde_json::from_str(&line).unwrap();
        match value.get("dir") {
            None => Some(line),
            Some(dir) => (dir == "in" && value["client"] == 1).then(|| value["frame"].to_string()),
        }
    });
    heard.collect()
}

/// What the server would say to who comes back now.
fn greeting(client: &mut Client) -> String {
    let (model, head) = (&client.model, client.model.head().to_owned());
    let steps: Vec<&Value> = model.steps.values().collect();
    let mut snapshot = serde_json::json!({
        "state": model.state, "steps": steps, "headId": head, "canRedo": model.can_redo,
        "type": "WsServerSnapshotEvent",
    });
    if let Some(content) = client.engine.content(None).filter(|_| head == model::ROOT) {
        snapshot["workflowContent"] = serde_json::from_str(&content).unwrap();
    }
    snapshot.to_string()
}

/// Each recording, cut at each frame by a lost socket and the snapshot of a new one: everything is as if nothing had happened.
fn cut_everywhere(name: &str) {
    let frames = heard(name);
    let mut whole = Client::new();
    let mut greetings = Vec::new();
    for (index, frame) in frames.iter().enumerate() {
        whole.receive(frame, &format!("{name}:{}", index + 1));
        greetings.push(greeting(&mut whole));
    }
    assert!(frames.len() > 3, "{name}");
    for (cut, hello) in greetings.iter().enumerate().take(frames.len() - 1) {
        let mut client = Client::new();
        for (index, frame) in frames.iter().enumerate() {
            client.receive(frame, &format!("{name}:{} cut at {cut}", index + 1));
            if index == cut {
                client.engine.disconnected();
                assert_eq!(client.engine.view().can_redo, None, "R4: nobody knows");
                client.engine.connected();
                client.receive(hello, &format!("{name}: back at {cut}"));
            }
        }
        assert_eq!(engine_path(&client.engine), engine_path(&whole.engine), "{name} cut at {cut}");
        let content = |client: &Client| client.engine.content(None).as_deref().map(content_hash);
        assert_eq!(content(&client), content(&whole), "{name} cut at {cut}");
        let (view, expected) = (client.engine.view(), whole.engine.view());
        assert_eq!(
            (view.head_id, view.can_redo),
            (expected.head_id, expected.can_redo),
            "{name} cut at {cut}"
        );
        assert_eq!((view.agent_state, view.autosave), (expected.agent_state, expected.autosave), "{name}");
    }
}

#[test]
fn r6_recordings_cut_at_each_frame_end_as_if_nothing_had_happened() {
    for name in ["live-3turns", "concurrent-prompts", "stop-midrun"] {
        cut_everywhere(&format!("texera/{name}"));
    }
    let reverts = [
        "revert-redo-basic",
        "revert-twice-redo-twice",
        "revert-then-prompt",
        "two-clients",
        "busy",
        "off-path",
        "failed-save",
        "stopped-and-failed-turns",
    ];
    for name in reverts {
        cut_everywhere(&format!("texera-revert/{name}"));
    }
}
