//! A naive client: what the rules say, in the plainest code there is. Slow and obviously right.
//!
//! It keeps parsed JSON, looks everything up afresh and knows nothing of handles, marks or sums.
#![allow(dead_code)] // each test file uses its part

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

pub const ROOT: &str = "step-initial";

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub steps: BTreeMap<String, Value>,
    pub head: Option<String>,
    pub state: String,
    pub can_redo: bool,
    pub diverged: bool,
    /// The latest snapshot named a HEAD that was not in it.
    pub head_lost: bool,
    /// The last path that led from the root to a known HEAD, or was otherwise on show.
    pub shown: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Ok,
    UnknownHead(String),
    BrokenParent(String),
    Cycle(String),
}

pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

impl Model {
    pub fn head(&self) -> &str {
        self.head.as_deref().unwrap_or(ROOT)
    }

    fn knows(&self, id: &str) -> bool {
        id == ROOT || self.steps.contains_key(id)
    }

    fn parent(&self, id: &str) -> String {
        match self.steps.get(id).and_then(|step| step.get("parentId")).and_then(Value::as_str) {
            Some(parent) => parent.to_owned(),
            None => ROOT.to_owned(),
        }
    }

    /// T4, T5: the path to a known step, and whether it is whole.
    pub fn walk(&self, from: &str) -> (Vec<String>, Status) {
        let mut path = Vec::new();
        let mut seen = HashSet::new();
        let mut at = from.to_owned();
        loop {
            if at == ROOT {
                path.reverse();
                return (path, Status::Ok);
            }
            if !self.knows(&at) {
                let broken = path.last().cloned().unwrap_or_default();
                path.reverse();
                return (path, Status::BrokenParent(broken));
            }
            if !seen.insert(at.clone()) {
                path.reverse();
                return (path, Status::Cycle(at));
            }
            path.push(at.clone());
            at = self.parent(&at);
        }
    }

    /// What is on show now.
    pub fn path(&mut self) -> (Vec<String>, Status) {
        let head = self.head().to_owned();
        if self.head_lost || !self.knows(&head) {
            // What was shown is shown again, with what became known of it in the meantime.
            if let Some(last) = self.shown.last().cloned() {
                self.shown = self.walk(&last).0;
            }
            return (self.shown.clone(), Status::UnknownHead(head));
        }
        let (path, status) = self.walk(&head);
        self.shown = path.clone();
        (path, status)
    }

    pub fn frame(&mut self, frame: &Value) {
        let _ = self.path();
        match text(frame, "type") {
            "WsServerSnapshotEvent" | "init" | "snapshot" => self.snapshot(frame),
            "WsServerStepEvent" | "step" => self.step(&frame["step"]),
            "WsServerStatusEvent" | "status" | "state" => self.state = text(frame, "state").to_owned(),
            "WsServerHeadChangeEvent" | "headChange" => {
                for step in frame.get("steps").and_then(Value::as_array).into_iter().flatten() {
                    self.put(step);
                }
                self.head = Some(text(frame, "headId").to_owned());
                self.head_lost = false;
                self.can_redo = frame.get("canRedo").and_then(Value::as_bool).unwrap_or(false);
                self.diverged = false;
            }
            "WsServerErrorEvent" | "error" => {
                if text(frame, "error").starts_with("Nothing to redo") {
                    self.can_redo = false;
                }
            }
            other => panic!("the model does not know {other}"),
        }
        let _ = self.path();
    }

    fn put(&mut self, step: &Value) -> bool {
        self.steps.insert(text(step, "id").to_owned(), step.clone()).is_none()
    }

    pub fn step(&mut self, step: &Value) {
        let head = self.head().to_owned();
        let head_known = self.knows(&head) && !self.head_lost;
        let is_new = self.put(step);
        if text(step, "id") == head {
            self.head_lost = false; // whatever it was, here it is
        }
        if !is_new {
            return;
        }
        if text(step, "role") == "user" {
            self.can_redo = false;
        }
        let id = text(step, "id").to_owned();
        if self.parent(&id) == head || !head_known {
            self.head = Some(id);
            self.head_lost = false;
        } else {
            self.diverged = true;
        }
    }

    fn snapshot(&mut self, frame: &Value) {
        let shown = self.shown.clone();
        let old = std::mem::take(&mut self.steps);
        let steps = frame["steps"].as_array().cloned().unwrap_or_default();
        for step in &steps {
            self.put(step);
        }
        self.head = Some(text(frame, "headId").to_owned()).filter(|id| !id.is_empty());
        self.state = text(frame, "state").to_owned();
        self.can_redo = frame.get("canRedo").and_then(Value::as_bool).unwrap_or(false);
        self.diverged = false;
        let head = self.head().to_owned();
        self.head_lost = !self.knows(&head);
        if self.head_lost {
            // T5: the last good path stays on show, even what the server has forgotten of it.
            for id in &shown {
                if let (false, Some(step)) = (self.steps.contains_key(id), old.get(id)) {
                    self.steps.insert(id.clone(), step.clone());
                }
            }
            if shown.is_empty() {
                let newest = steps.last().map(|step| text(step, "id").to_owned());
                self.shown = newest.map(|id| self.walk(&id).0).unwrap_or_default();
            } else {
                self.shown = shown;
            }
        }
    }

    /// H1: the turns on show: name, first, last, number of steps, of tool calls, and output tokens.
    pub fn turns(&mut self) -> Vec<(String, String, String, usize, usize, f64)> {
        let mut turns: Vec<(String, String, String, usize, usize, f64)> = Vec::new();
        for id in self.path().0 {
            let step = &self.steps[&id];
            let name = text(step, "messageId").to_owned();
            let tools = step.get("toolCalls").and_then(Value::as_array).map_or(0, Vec::len);
            let tokens = step.pointer("/usage/outputTokens").and_then(Value::as_f64).unwrap_or(0.0);
            match turns.iter_mut().find(|turn| turn.0 == name) {
                Some(turn) => {
                    turn.2 = id.clone();
                    turn.3 += 1;
                    turn.4 += tools;
                    turn.5 += tokens;
                }
                None => turns.push((name, id.clone(), id.clone(), 1, tools, tokens)),
            }
        }
        turns
    }
}

/// The path of an engine as ids.
pub fn engine_path(engine: &headway::Engine) -> Vec<String> {
    let history = engine.history();
    let tree = history.tree();
    history.path().iter().map(|step| tree.id(step).to_owned()).collect()
}

/// The status of an engine's path in the words of the model.
pub fn engine_status(engine: &headway::Engine) -> Status {
    use headway::history::PathStatus;
    let id = |step| engine.history().tree().id(step).to_owned();
    match engine.history().path().status() {
        PathStatus::Ok => Status::Ok,
        PathStatus::UnknownHead(at) => Status::UnknownHead(id(at)),
        PathStatus::BrokenParent(at) => Status::BrokenParent(id(at)),
        PathStatus::Cycle(at) => Status::Cycle(id(at)),
    }
}

/// Engine and model show the same.
pub fn assert_same(engine: &mut headway::Engine, model: &mut Model, at: &str) {
    let (path, status) = model.path();
    assert_eq!(engine_status(engine), status, "status at {at}");
    assert_eq!(engine_path(engine), path, "path at {at}");
    let history = engine.history();
    for (step, _) in history.tree().steps() {
        let afresh = history.tree().content_at_afresh(step);
        assert_eq!(history.content_at(step), afresh, "R7 at {at}");
    }
    let view = engine.view();
    assert_eq!(view.head_id, model.head(), "HEAD at {at}");
    assert_eq!(view.diverged, model.diverged, "diverged at {at}");
    assert_eq!(view.can_redo, Some(model.can_redo), "canRedo at {at}");
    assert_eq!(view.length, path.len(), "length at {at}");
    let turns: Vec<_> = engine
        .turns()
        .into_iter()
        .map(|turn| {
            let usage = serde_json::to_value(turn.usage).unwrap();
            let tokens = usage.get("outputTokens").and_then(Value::as_f64).unwrap_or(0.0);
            let (steps, tools) = (turn.steps as usize, turn.tool_calls as usize);
            (turn.id, turn.first_step, turn.last_step, steps, tools, tokens)
        })
        .collect();
    assert_eq!(turns, model.turns(), "turns at {at}");
}
