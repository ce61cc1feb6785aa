//! A server frame, read in one pass.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::{FrameFault, StepFault};
use super::step::{StepOutcome, StepSeed, WireStep, present, string};
use super::{AgentState, Dialect, ServerError};
use crate::content::{Json, JsonFault};

/// A frame that was understood, with what it cost: the dialect it gives away and the steps that were refused.
#[derive(Debug)]
pub struct Frame<'a> {
    /// What it says.
    pub says: ServerFrame<'a>,
    /// The dialect, where this frame is only used by one.
    pub dialect: Option<Dialect>,
    /// Steps that were left out: where they lay in the frame, their id when they have one, and why (T9).
    pub refused: Vec<(String, Option<String>, StepFault)>,
}

/// What a server can say.
#[derive(Debug)]
pub enum ServerFrame<'a> {
    /// Everything there is. Replaces what was known.
    Snapshot(Snapshot<'a>),
    /// A step, live.
    Step(Box<WireStep<'a>>),
    /// A step that was refused; see [`Frame::refused`].
    NoStep,
    /// The agent's state changed.
    Status(AgentState),
    /// HEAD moved without a new step.
    HeadChange(HeadChange<'a>),
    /// Something went wrong; goes only to the socket that asked.
    Error(ServerError),
}

/// Everything there is.
#[derive(Debug)]
pub struct Snapshot<'a> {
    /// What the agent is doing.
    pub state: AgentState,
    /// All steps, branches included.
    pub steps: Vec<WireStep<'a>>,
    /// HEAD; `None` when the server did not say.
    pub head_id: Option<String>,
    /// Absent on the wire = false (R4).
    pub can_redo: bool,
    /// The content at HEAD.
    pub content: Option<Json<'a>>,
    /// What the server announces that it can do; `None` when it announces nothing.
    pub capabilities: Option<Vec<String>>,
}

/// HEAD moved without a new step.
#[derive(Debug)]
pub struct HeadChange<'a> {
    /// HEAD.
    pub head_id: String,
    /// Steps that some dialects send along.
    pub steps: Vec<WireStep<'a>>,
    /// Absent on the wire = false.
    pub can_redo: bool,
    /// The content at HEAD.
    pub content: Option<Json<'a>>,
}

impl<'a> Frame<'a> {
    /// Reads a frame. One pass over the text, no recursion on what is nested in it.
    pub fn read(text: &'a str, keep_input_messages: bool) -> Result<Self, FrameFault> {
        let mut source = serde_json::Deserializer::from_str(text);
        let seed = FieldsSeed(StepSeed { keep_input_messages });
        let fields = seed.deserialize(&mut source).map_err(JsonFault::from)?;
        source.end().map_err(JsonFault::from)?;
        fields.ok_or(FrameFault::NotAnObject)?.into_frame()
    }
}

/// The fields of all frames. `type` is usually the last key, so everything is collected first.
#[derive(Default)]
struct Fields<'a> {
    r#type: Option<&'a RawValue>,
    state: Option<&'a RawValue>,
    head_id: Option<&'a RawValue>,
    can_redo: Option<&'a RawValue>,
    content: Option<&'a RawValue>,
    capabilities: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    code: Option<&'a RawValue>,
    step: Option<StepOutcome<'a>>,
    steps: Option<Option<Vec<StepOutcome<'a>>>>,
}

struct FieldsSeed(StepSeed);

impl<'de> DeserializeSeed<'de> for FieldsSeed {
    type Value = Option<Fields<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FieldsSeed {
    type Value = Option<Fields<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a frame")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some(key) = map.next_key::<&'de RawValue>()? {
            let place = match key.get() {
                "\"step\"" => {
                    fields.step = Some(map.next_value_seed(self.0)?);
                    continue;
                }
                "\"steps\"" => {
                    fields.steps = Some(map.next_value_seed(StepsSeed(self.0))?);
                    continue;
                }
                "\"type\"" => &mut fields.r#type,
                "\"state\"" => &mut fields.state,
                "\"headId\"" => &mut fields.head_id,
                "\"canRedo\"" => &mut fields.can_redo,
                "\"workflowContent\"" => &mut fields.content,
                "\"capabilities\"" => &mut fields.capabilities,
                "\"error\"" => &mut fields.error,
                "\"code\"" => &mut fields.code,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *place = Some(map.next_value()?);
        }
        Ok(Some(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    super::anything_else_is!(None);
}

struct StepsSeed(StepSeed);

impl<'de> DeserializeSeed<'de> for StepsSeed {
    type Value = Option<Vec<StepOutcome<'de>>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StepsSeed {
    type Value = Option<Vec<StepOutcome<'de>>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of steps")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut steps = Vec::new();
        while let Some(step) = seq.next_element_seed(self.0)? {
            steps.push(step);
        }
        Ok(Some(steps))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<&'de RawValue, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    super::anything_else_is!(None);
}

impl<'a> Fields<'a> {
    fn into_frame(self) -> Result<Frame<'a>, FrameFault> {
        let name = match present(self.r#type) {
            Some(raw) => string(raw).ok_or(FrameFault::NoType)?,
            None if present(self.error).is_some() => "error".to_owned(),
            None => return Err(FrameFault::NoType),
        };
        let mut refused = Vec::new();
        let (dialect, says) = match name.as_str() {
            "WsServerSnapshotEvent" => {
                let dialect = if self.can_redo.is_some() { Dialect::C } else { Dialect::B };
                (Some(dialect), self.snapshot(&name, &mut refused)?)
            }
            "init" => (Some(Dialect::A), self.snapshot(&name, &mut refused)?),
            "snapshot" => (Some(Dialect::APrime), self.snapshot(&name, &mut refused)?),
            "WsServerStepEvent" | "step" => (None, self.step(&name, &mut refused)?),
            "WsServerStatusEvent" => (None, self.status(&name)?),
            "state" => (Some(Dialect::A), self.status(&name)?),
            "status" => (Some(Dialect::APrime), self.status(&name)?),
            "complete" => (Some(Dialect::A), self.completion()),
            "completion" => (Some(Dialect::APrime), self.completion()),
            "WsServerHeadChangeEvent" => (Some(Dialect::C), self.head_change(&name, &mut refused)?),
            "headChange" => (None, self.head_change(&name, &mut refused)?),
            "WsServerErrorEvent" | "error" => (None, self.error()),
            _ => return Err(FrameFault::UnknownType(name)),
        };
        Ok(Frame { says, dialect, refused })
    }

    fn snapshot(self, frame: &str, refused: &mut Refused) -> Result<ServerFrame<'a>, FrameFault> {
        let content = self.document(frame)?;
        let capabilities = present(self.capabilities).and_then(|raw| serde_json::from_str(raw.get()).ok());
        Ok(ServerFrame::Snapshot(Snapshot {
            state: self.state(frame)?,
            head_id: self.head(frame)?,
            can_redo: self.redo(frame)?,
            content,
            capabilities,
            steps: steps(frame, self.steps, true, refused)?,
        }))
    }

    fn step(self, frame: &str, refused: &mut Refused) -> Result<ServerFrame<'a>, FrameFault> {
        match self.step {
            Some(Ok(step)) => Ok(ServerFrame::Step(step)),
            Some(Err((id, fault))) => {
                refused.push(("step".to_owned(), id, fault));
                Ok(ServerFrame::NoStep)
            }
            None => Err(bad(frame, "step", "a step")),
        }
    }

    fn status(self, frame: &str) -> Result<ServerFrame<'a>, FrameFault> {
        self.state(frame).map(ServerFrame::Status)
    }

    /// The end of a run; some versions leave the state out.
    fn completion(self) -> ServerFrame<'a> {
        let word = present(self.state).and_then(string);
        ServerFrame::Status(word.map_or(AgentState::Available, |word| AgentState::of(&word)))
    }

    fn head_change(self, frame: &str, refused: &mut Refused) -> Result<ServerFrame<'a>, FrameFault> {
        Ok(ServerFrame::HeadChange(HeadChange {
            head_id: self.head(frame)?.ok_or(bad(frame, "headId", "the id of a step"))?,
            can_redo: self.redo(frame)?,
            content: self.document(frame)?,
            steps: steps(frame, self.steps, false, refused)?,
        }))
    }

    fn error(self) -> ServerFrame<'a> {
        let text = present(self.error).map_or_else(String::new, |raw| match Json::from_raw(raw).as_text() {
            Some(text) => text,
            None => raw.get().to_owned(),
        });
        ServerFrame::Error(ServerError::of(text, present(self.code).and_then(string)))
    }

    fn state(&self, frame: &str) -> Result<AgentState, FrameFault> {
        let word = present(self.state).and_then(string);
        word.map(|word| AgentState::of(&word)).ok_or(bad(
            frame,
            "state",
            "what the agent is doing, as a string",
        ))
    }

    fn head(&self, frame: &str) -> Result<Option<String>, FrameFault> {
        let wrong = || bad(frame, "headId", "the id of a step");
        let head = present(self.head_id).map(|raw| string(raw).ok_or_else(wrong)).transpose()?;
        Ok(head.filter(|id| !id.is_empty()))
    }

    fn redo(&self, frame: &str) -> Result<bool, FrameFault> {
        match present(self.can_redo).map_or("false", RawValue::get) {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(bad(frame, "canRedo", "true or false")),
        }
    }

    fn document(&self, frame: &str) -> Result<Option<Json<'a>>, FrameFault> {
        match present(self.content).map(Json::from_raw) {
            Some(json) if !json.is_object() => Err(bad(frame, "workflowContent", "an object")),
            other => Ok(other),
        }
    }
}

type Refused = Vec<(String, Option<String>, StepFault)>;

fn bad(frame: &str, field: &'static str, expected: &'static str) -> FrameFault {
    FrameFault::BadField { frame: frame.to_owned(), field, expected }
}

fn steps<'a>(
    frame: &str,
    steps: Option<Option<Vec<StepOutcome<'a>>>>,
    required: bool,
    refused: &mut Refused,
) -> Result<Vec<WireStep<'a>>, FrameFault> {
    let steps = match steps {
        Some(Some(steps)) => steps,
        None if !required => Vec::new(),
        _ => return Err(bad(frame, "steps", "a list of steps")),
    };
    let mut whole = Vec::with_capacity(steps.len());
    for (index, step) in steps.into_iter().enumerate() {
        match step {
            Ok(step) => whole.push(*step),
            Err((id, fault)) => refused.push((format!("steps[{index}]"), id, fault)),
        }
    }
    Ok(whole)
}
