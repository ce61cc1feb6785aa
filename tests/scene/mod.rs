//! A client and what its server says to it, in few words.
#![allow(dead_code)] // each test file uses its part

use headway::canvas::Plan;
use headway::engine::{Options, Settled};
use headway::wire::PromptSource;
use headway::{Engine, Outcome, Refusal};
use serde_json::{Value, json};

pub const TIMEOUT: f64 = 1_000.0;

pub struct Scene {
    pub engine: Engine,
    pub now: f64,
}

/// A step of a chain: `s1` begins turn `t1`, and so on. Contents are `{"v": n}`.
pub fn step(id: &str, parent: &str, turn: &str, role: &str, says: &str, content: [u32; 2]) -> Value {
    json!({
        "id": id, "parentId": parent, "messageId": turn, "stepId": 0, "timestamp": 1, "role": role, "content": says,
        "isBegin": role == "user", "isEnd": true,
        "beforeWorkflowContent": { "v": content[0] }, "afterWorkflowContent": { "v": content[1] },
    })
}

pub fn two_turns() -> Vec<Value> {
    vec![
        step("u1", "step-initial", "t1", "user", "first question", [0, 0]),
        step("a1", "u1", "t1", "agent", "done", [0, 1]),
        step("u2", "a1", "t2", "user", "second question\nwith detail", [1, 1]),
        step("a2", "u2", "t2", "agent", "done", [1, 2]),
    ]
}

impl Scene {
    /// A live session in dialect C with two finished turns.
    pub fn new() -> Self {
        let mut scene = Scene::blank();
        scene.snapshot("AVAILABLE", two_turns(), "a2", json!(false));
        scene
    }

    pub fn blank() -> Self {
        let mut engine = Engine::new(Options { command_timeout: TIMEOUT, ..Options::default() });
        engine.connected();
        Scene { engine, now: 0.0 }
    }

    pub fn receive(&mut self, frame: Value) -> Outcome {
        self.engine.receive(&frame.to_string())
    }

    pub fn snapshot(&mut self, state: &str, steps: Vec<Value>, head: &str, redo: Value) -> Outcome {
        let mut frame =
            json!({ "state": state, "steps": steps, "headId": head, "type": "WsServerSnapshotEvent" });
        if !redo.is_null() {
            frame["canRedo"] = redo;
        }
        self.receive(frame)
    }

    pub fn status(&mut self, state: &str) -> Outcome {
        self.receive(json!({ "state": state, "type": "WsServerStatusEvent" }))
    }

    pub fn head(&mut self, head: &str, redo: bool) -> Outcome {
        self.receive(json!({ "headId": head, "canRedo": redo, "type": "WsServerHeadChangeEvent" }))
    }

    pub fn error(&mut self, error: &str) -> Outcome {
        self.receive(json!({ "error": error, "type": "WsServerErrorEvent" }))
    }

    pub fn live_step(&mut self, step: Value) -> Outcome {
        self.receive(json!({ "step": step, "type": "WsServerStepEvent" }))
    }

    pub fn revert(&mut self, turn: &str) -> Result<Value, Refusal> {
        self.engine.revert(turn, self.now).map(|(_, outcome)| sent(&outcome))
    }

    pub fn redo(&mut self) -> Result<Value, Refusal> {
        self.engine.redo(self.now).map(|(_, outcome)| sent(&outcome))
    }

    pub fn prompt(&mut self, text: &str) -> Result<Value, Refusal> {
        self.engine.prompt(text, PromptSource::Chat, self.now).map(|(_, outcome)| sent(&outcome))
    }

    pub fn stop(&mut self) -> Result<Value, Refusal> {
        self.engine.stop(self.now).map(|(_, outcome)| sent(&outcome))
    }

    pub fn path(&self) -> Vec<String> {
        let tree = self.engine.history().tree();
        self.engine.history().path().iter().map(|step| tree.id(step).to_owned()).collect()
    }
}

pub fn sent(outcome: &Outcome) -> Value {
    assert_eq!(outcome.send.len(), 1);
    serde_json::from_str(&outcome.send[0]).unwrap()
}

/// How the one command in flight came out: `None` while it is unanswered, else `Ok` or the code of its failure.
pub fn answer(outcome: &Outcome) -> Option<Result<&Settled, &str>> {
    assert!(outcome.settled.len() <= 1);
    let settled = outcome.settled.first()?;
    Some(match &settled.failure {
        None => Ok(settled),
        Some(failure) => Err(failure.code.as_str()),
    })
}

impl Scene {
    /// Lets the host do what the engine asks: read, and write when told to. Gives the plan.
    pub fn look(&mut self, canvas: &mut String) -> Plan {
        let (plan, _) = self.engine.plan_canvas(canvas);
        if let Plan::Write(content) = plan {
            *canvas = self.engine.content_text(content).unwrap();
            self.engine.canvas_written();
        }
        plan
    }
}
