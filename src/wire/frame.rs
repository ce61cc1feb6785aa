//! A server frame, read in one pass.

use super::contents::{ContentReader, Place};
use super::fault::{FrameFault, StepFault};
use super::step::{self, Document, StepOutcome, WireStep, present};
use super::{AgentState, Dialect, ServerError};
use crate::content::json::unescaped;
use crate::content::scan::{ScanFault, Scanner};
use crate::content::{ContentIx, Json};

/// A frame that was understood, with what it cost: the dialect it gives away and the steps that were refused.
#[derive(Debug)]
pub struct Frame {
    /// What it says.
    pub says: ServerFrame,
    /// The dialect, where this frame is only used by one.
    pub dialect: Option<Dialect>,
    /// Steps that were left out: where they lay in the frame, their id when they have one, and why (T9).
    pub refused: Vec<(String, Option<String>, StepFault)>,
}

/// What a server can say.
#[derive(Debug)]
pub enum ServerFrame {
    /// Everything there is. Replaces what was known.
    Snapshot(Snapshot),
    /// A step, live.
    Step(WireStep),
    /// A step that was refused; see [`Frame::refused`].
    NoStep,
    /// The agent's state changed.
    Status(AgentState),
    /// HEAD moved without a new step.
    HeadChange(HeadChange),
    /// Something went wrong; goes only to the socket that asked.
    Error(ServerError),
}

/// Everything there is.
#[derive(Debug)]
pub struct Snapshot {
    /// What the agent is doing.
    pub state: AgentState,
    /// All steps, branches included.
    pub steps: Vec<WireStep>,
    /// HEAD; `None` when the server did not say.
    pub head_id: Option<String>,
    /// Absent on the wire = false (R4).
    pub can_redo: bool,
    /// The content at HEAD.
    pub content: Option<ContentIx>,
    /// What the server announces that it can do; `None` when it announces nothing.
    pub capabilities: Option<Vec<String>>,
}

/// HEAD moved without a new step.
#[derive(Debug)]
pub struct HeadChange {
    /// HEAD.
    pub head_id: String,
    /// Steps that some dialects send along.
    pub steps: Vec<WireStep>,
    /// Absent on the wire = false.
    pub can_redo: bool,
    /// The content at HEAD.
    pub content: Option<ContentIx>,
}

impl Frame {
    /// Reads a frame. One pass over the text, no recursion on what is nested in it.
    pub fn read<'a>(
        text: &'a str,
        contents: &mut impl ContentReader<'a>,
        keep_input_messages: bool,
    ) -> Result<Self, FrameFault> {
        let fields = Fields::read(text, contents, keep_input_messages).map_err(|fault| fault.within(text))?;
        fields.ok_or(FrameFault::NotAnObject)?.into_frame()
    }
}

/// The fields of all frames. `type` is usually the last key, so everything is collected first.
#[derive(Default)]
struct Fields<'a> {
    r#type: Option<Json<'a>>,
    state: Option<Json<'a>>,
    head_id: Option<Json<'a>>,
    can_redo: Option<Json<'a>>,
    capabilities: Option<Json<'a>>,
    error: Option<Json<'a>>,
    code: Option<Json<'a>>,
    content: Document,
    step: Option<StepOutcome>,
    /// `Some(None)`: there is something that is no list.
    steps: Option<Option<Vec<StepOutcome>>>,
}

impl<'a> Fields<'a> {
    /// `None` when the text is no object.
    fn read(
        text: &'a str,
        contents: &mut impl ContentReader<'a>,
        keep_input_messages: bool,
    ) -> Result<Option<Self>, ScanFault> {
        let mut scanner = Scanner::new(text);
        if scanner.peek() != Some(b'{') {
            scanner.value()?;
            scanner.end()?;
            return Ok(None);
        }
        let mut fields = Fields::default();
        scanner.members(|key, scanner| {
            let place = match &*unescaped(key) {
                "step" => {
                    fields.step = Some(step::read(scanner, contents, keep_input_messages)?);
                    return Ok(());
                }
                "steps" if scanner.peek() == Some(b'[') => {
                    let mut steps = Vec::new();
                    scanner.items(|scanner| {
                        steps.push(step::read(scanner, contents, keep_input_messages)?);
                        Ok::<(), ScanFault>(())
                    })?;
                    fields.steps = Some(Some(steps));
                    return Ok(());
                }
                "workflowContent" => {
                    fields.content = Document::read(scanner, contents, Place::Head)?;
                    return Ok(());
                }
                "steps" => {
                    scanner.value()?;
                    fields.steps = Some(None);
                    return Ok(());
                }
                "type" => &mut fields.r#type,
                "state" => &mut fields.state,
                "headId" => &mut fields.head_id,
                "canRedo" => &mut fields.can_redo,
                "capabilities" => &mut fields.capabilities,
                "error" => &mut fields.error,
                "code" => &mut fields.code,
                _ => return scanner.value().map(|_| ()),
            };
            *place = Some(scanner.value()?);
            Ok(())
        })?;
        scanner.end()?;
        Ok(Some(fields))
    }

    fn into_frame(self) -> Result<Frame, FrameFault> {
        let name = match present(self.r#type) {
            Some(json) => json.as_string().ok_or(FrameFault::NoType)?,
            None if present(self.error).is_some() => "error".to_owned(),
            None => return Err(FrameFault::NoType),
        };
        let mut refused = Vec::new();
        let (dialect, says) = match name.as_str() {
            "WsServerSnapshotEvent" => {
                let says_more = present(self.can_redo).or(present(self.capabilities)).is_some();
                let dialect = if says_more { Dialect::C } else { Dialect::B };
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

    fn snapshot(self, frame: &str, refused: &mut Refused) -> Result<ServerFrame, FrameFault> {
        let content = self.document(frame)?;
        let capabilities = present(self.capabilities).and_then(|json| serde_json::from_str(json.text()).ok());
        Ok(ServerFrame::Snapshot(Snapshot {
            state: self.state(frame)?,
            head_id: self.head(frame)?,
            can_redo: self.redo(frame)?,
            content,
            capabilities,
            steps: steps(frame, self.steps, true, refused)?,
        }))
    }

    fn step(self, frame: &str, refused: &mut Refused) -> Result<ServerFrame, FrameFault> {
        match self.step {
            Some(Ok(step)) => Ok(ServerFrame::Step(step)),
            Some(Err((id, fault))) => {
                refused.push(("step".to_owned(), id, fault));
                Ok(ServerFrame::NoStep)
            }
            None => Err(bad(frame, "step", "a step")),
        }
    }

    fn status(self, frame: &str) -> Result<ServerFrame, FrameFault> {
        self.state(frame).map(ServerFrame::Status)
    }

    /// The end of a run; some versions leave the state out.
    fn completion(self) -> ServerFrame {
        let word = present(self.state).and_then(Json::as_string);
        ServerFrame::Status(word.map_or(AgentState::Available, |word| AgentState::of(&word)))
    }

    fn head_change(self, frame: &str, refused: &mut Refused) -> Result<ServerFrame, FrameFault> {
        Ok(ServerFrame::HeadChange(HeadChange {
            head_id: self.head(frame)?.ok_or(bad(frame, "headId", "the id of a step"))?,
            can_redo: self.redo(frame)?,
            content: self.document(frame)?,
            steps: steps(frame, self.steps, false, refused)?,
        }))
    }

    fn error(self) -> ServerFrame {
        let text = present(self.error)
            .map_or_else(String::new, |json| json.as_text().unwrap_or_else(|| json.text().to_owned()));
        ServerFrame::Error(ServerError::of(text, present(self.code).and_then(Json::as_string)))
    }

    fn state(&self, frame: &str) -> Result<AgentState, FrameFault> {
        let word = present(self.state).and_then(Json::as_string);
        word.map(|word| AgentState::of(&word)).ok_or(bad(
            frame,
            "state",
            "what the agent is doing, as a string",
        ))
    }

    fn head(&self, frame: &str) -> Result<Option<String>, FrameFault> {
        let wrong = || bad(frame, "headId", "the id of a step");
        let head = present(self.head_id).map(|json| json.as_string().ok_or_else(wrong)).transpose()?;
        Ok(head.filter(|id| !id.is_empty()))
    }

    fn redo(&self, frame: &str) -> Result<bool, FrameFault> {
        match present(self.can_redo).map_or("false", Json::text) {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(bad(frame, "canRedo", "true or false")),
        }
    }

    fn document(&self, frame: &str) -> Result<Option<ContentIx>, FrameFault> {
        self.content.content().ok_or(bad(frame, "workflowContent", "an object"))
    }
}

type Refused = Vec<(String, Option<String>, StepFault)>;

fn bad(frame: &str, field: &'static str, expected: &'static str) -> FrameFault {
    FrameFault::BadField { frame: frame.to_owned(), field, expected }
}

fn steps(
    frame: &str,
    steps: Option<Option<Vec<StepOutcome>>>,
    required: bool,
    refused: &mut Refused,
) -> Result<Vec<WireStep>, FrameFault> {
    let steps = match steps {
        Some(Some(steps)) => steps,
        None if !required => Vec::new(),
        _ => return Err(bad(frame, "steps", "a list of steps")),
    };
    let mut whole = Vec::with_capacity(steps.len());
    for (index, step) in steps.into_iter().enumerate() {
        match step {
            Ok(step) => whole.push(step),
            Err((id, fault)) => refused.push((format!("steps[{index}]"), id, fault)),
        }
    }
    Ok(whole)
}
