//! A step as it lies in a frame.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::StepFault;
use crate::content::Json;

/// Who made a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A person: the step begins a turn, or steers it.
    User,
    /// The agent, or a role that this version does not know.
    Agent,
}

/// How a run ended, as far as its last step tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Not the last step of a run.
    Open,
    /// The agent was done.
    Done,
    /// A person stopped it.
    Stopped,
    /// An error ended it.
    Failed,
}

/// Tokens spent.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Usage {
    /// One count for each of [`Usage::NAMES`]; `None` when the server did not say.
    pub counts: [Option<f64>; 4],
}

impl Usage {
    /// The counts that are added up, by the server's own names.
    pub const NAMES: [&'static str; 4] = ["inputTokens", "outputTokens", "totalTokens", "cachedInputTokens"];

    fn of(json: Json<'_>) -> Self {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Counts<'a> {
            #[serde(borrow)]
            input_tokens: Option<&'a RawValue>,
            #[serde(borrow)]
            output_tokens: Option<&'a RawValue>,
            #[serde(borrow)]
            total_tokens: Option<&'a RawValue>,
            #[serde(borrow)]
            cached_input_tokens: Option<&'a RawValue>,
        }
        let number = |raw: Option<&RawValue>| raw.and_then(|raw| finite(raw.get()));
        serde_json::from_str::<Counts<'_>>(json.text()).map_or_else(
            |_| Usage::default(),
            |counts| Usage {
                counts: [
                    number(counts.input_tokens),
                    number(counts.output_tokens),
                    number(counts.total_tokens),
                    number(counts.cached_input_tokens),
                ],
            },
        )
    }
}

/// A step that is whole enough to join the tree. `'a` is the text of its frame.
#[derive(Clone, Debug)]
pub struct WireStep<'a> {
    /// The step's name (T1).
    pub id: String,
    /// HEAD at its creation; `None` is the root.
    pub parent_id: Option<String>,
    /// The turn it belongs to.
    pub message_id: String,
    /// When, in ms since the epoch, by the server's clock.
    pub timestamp: f64,
    /// Who.
    pub role: Role,
    /// Whether and how it ends its run.
    pub ending: Ending,
    /// Number of tool calls.
    pub tool_calls: u32,
    /// Tokens it cost.
    pub usage: Usage,
    /// The content before it.
    pub before: Option<Json<'a>>,
    /// The content after it.
    pub after: Option<Json<'a>>,
    /// The whole step as JSON text, but for the contents and, unless they are kept, the input messages. Unknown fields
    /// are in it as they came.
    pub text: String,
}

/// The name of the root: legal as HEAD and as a parent, never a step (T1).
pub const ROOT_ID: &str = "step-initial";

/// What a person reads in the last step of a run that was stopped.
const STOPPED: &str = "\"Generation stopped by user.";
/// How the last step of a run begins that failed.
const FAILED: &str = "\"Error: ";

/// Reads one step out of a frame without decoding more than its head.
#[derive(Clone, Copy)]
pub(super) struct StepSeed {
    pub(super) keep_input_messages: bool,
}

pub(super) type StepOutcome<'a> = Result<Box<WireStep<'a>>, (Option<String>, StepFault)>;

/// The fields as they are collected; the last of a repeated key counts, as in `JSON.parse`.
#[derive(Default)]
struct Fields<'a> {
    id: Option<&'a RawValue>,
    parent_id: Option<&'a RawValue>,
    message_id: Option<&'a RawValue>,
    step_id: Option<&'a RawValue>,
    timestamp: Option<&'a RawValue>,
    role: Option<&'a RawValue>,
    content: Option<&'a RawValue>,
    is_begin: Option<&'a RawValue>,
    is_end: Option<&'a RawValue>,
    tool_calls: Option<&'a RawValue>,
    usage: Option<&'a RawValue>,
    before: Option<&'a RawValue>,
    after: Option<&'a RawValue>,
    text: String,
}

impl<'de> DeserializeSeed<'de> for StepSeed {
    type Value = StepOutcome<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StepSeed {
    type Value = StepOutcome<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a step")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        fields.text.push('{');
        while let Some(key) = map.next_key::<&'de RawValue>()? {
            let value = map.next_value::<&'de RawValue>()?;
            let place = match key.get() {
                "\"beforeWorkflowContent\"" => {
                    fields.before = Some(value);
                    continue;
                }
                "\"afterWorkflowContent\"" => {
                    fields.after = Some(value);
                    continue;
                }
                "\"inputMessages\"" if !self.keep_input_messages => continue,
                "\"id\"" => Some(&mut fields.id),
                "\"parentId\"" => Some(&mut fields.parent_id),
                "\"messageId\"" => Some(&mut fields.message_id),
                "\"stepId\"" => Some(&mut fields.step_id),
                "\"timestamp\"" => Some(&mut fields.timestamp),
                "\"role\"" => Some(&mut fields.role),
                "\"content\"" => Some(&mut fields.content),
                "\"isBegin\"" => Some(&mut fields.is_begin),
                "\"isEnd\"" => Some(&mut fields.is_end),
                "\"toolCalls\"" => Some(&mut fields.tool_calls),
                "\"usage\"" => Some(&mut fields.usage),
                _ => None,
            };
            if let Some(place) = place {
                *place = Some(value);
            }
            if fields.text.len() > 1 {
                fields.text.push(',');
            }
            fields.text.push_str(key.get());
            fields.text.push(':');
            fields.text.push_str(value.get());
        }
        fields.text.push('}');
        Ok(fields.into_step())
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Err((None, StepFault::NotAnObject)))
    }

    super::anything_else_is!(Err((None, StepFault::NotAnObject)));
}

impl<'a> Fields<'a> {
    fn into_step(self) -> StepOutcome<'a> {
        let id = match name("id", self.id) {
            Ok(id) if id == ROOT_ID => return Err((Some(id), StepFault::IsRoot)),
            Ok(id) => id,
            Err(fault) => return Err((None, fault)),
        };
        match self.rest() {
            Ok(step) => Ok(Box::new(WireStep { id, ..step })),
            Err(fault) => Err((Some(id), fault)),
        }
    }

    fn rest(self) -> Result<WireStep<'a>, StepFault> {
        let wrong = |field, expected| StepFault::WrongType { field, expected };
        let parent_id = match present(self.parent_id) {
            Some(raw) => Some(string(raw).ok_or(wrong("parentId", "a string"))?),
            None => None,
        };
        let message_id = name("messageId", self.message_id)?;
        let role = match string(present(self.role).ok_or(StepFault::Missing("role"))?) {
            Some(word) if word == "user" => Role::User,
            Some(_) => Role::Agent,
            None => return Err(wrong("role", "a string")),
        };
        if present(self.step_id).is_some_and(|raw| finite(raw.get()).is_none()) {
            return Err(wrong("stepId", "a number"));
        }
        let timestamp = match present(self.timestamp) {
            Some(raw) => finite(raw.get()).ok_or(wrong("timestamp", "a number of milliseconds"))?,
            None => 0.0,
        };
        let content = present(self.content).map_or("\"\"", RawValue::get);
        if !content.starts_with('"') {
            return Err(wrong("content", "a string"));
        }
        let is_begin = flag(self.is_begin).ok_or(wrong("isBegin", "true or false"))?;
        let is_end = flag(self.is_end).ok_or(wrong("isEnd", "true or false"))?;
        let tool_calls = match present(self.tool_calls) {
            Some(raw) => list_length(raw).ok_or(wrong("toolCalls", "a list"))?,
            None => 0,
        };
        let usage = present(self.usage).map(Json::from_raw);
        if usage.is_some_and(|json| !json.is_object()) {
            return Err(wrong("usage", "an object"));
        }
        let document = |field, raw: Option<&'a RawValue>| match present(raw).map(Json::from_raw) {
            Some(json) if !json.is_object() => Err(wrong(field, "an object")),
            other => Ok(other),
        };
        let before = document("beforeWorkflowContent", self.before)?;
        let after = document("afterWorkflowContent", self.after)?;
        // Notices that end a run say so in words only. A step that cost tokens or called tools is the agent's own.
        let is_notice = !is_begin && tool_calls == 0 && usage.is_none();
        let ending = match role {
            _ if !is_end => Ending::Open,
            Role::User => Ending::Open,
            Role::Agent if is_notice && content.starts_with(STOPPED) => Ending::Stopped,
            Role::Agent if is_notice && content.starts_with(FAILED) => Ending::Failed,
            Role::Agent => Ending::Done,
        };
        Ok(WireStep {
            id: String::new(),
            parent_id,
            message_id,
            timestamp,
            role,
            ending,
            tool_calls,
            usage: usage.map(Usage::of).unwrap_or_default(),
            before,
            after,
            text: self.text,
        })
    }
}

/// `null` counts as absent.
pub(super) fn present(raw: Option<&RawValue>) -> Option<&RawValue> {
    raw.filter(|raw| raw.get() != "null")
}

pub(super) fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

fn name(field: &'static str, raw: Option<&RawValue>) -> Result<String, StepFault> {
    let raw = present(raw).ok_or(StepFault::Missing(field))?;
    string(raw)
        .filter(|name| !name.is_empty())
        .ok_or(StepFault::WrongType { field, expected: "a string that is not empty" })
}

pub(super) fn finite(text: &str) -> Option<f64> {
    let is_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    text.parse().ok().filter(|n: &f64| is_number && n.is_finite())
}

fn flag(raw: Option<&RawValue>) -> Option<bool> {
    match present(raw).map_or("false", RawValue::get) {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn list_length(raw: &RawValue) -> Option<u32> {
    let items: Vec<IgnoredAny> = serde_json::from_str(raw.get()).ok()?;
    u32::try_from(items.len()).ok()
}
