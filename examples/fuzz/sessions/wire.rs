//! What goes over the wire, as the server means it and as text, in each dialect.

use std::collections::VecDeque;
use std::rc::Rc;

use serde_json::{Value, json};

/// Whose words a server uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    A,
    APrime,
    B,
    C,
    /// C with a list of capabilities.
    D,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Unavailable,
    Available,
    Generating,
    Stopping,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            State::Unavailable => "UNAVAILABLE",
            State::Available => "AVAILABLE",
            State::Generating => "GENERATING",
            State::Stopping => "STOPPING",
        }
    }

    pub fn is_busy(self) -> bool {
        matches!(self, State::Generating | State::Stopping)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub id: String,
    pub parent: String,
    pub turn: String,
    /// Place in the turn; not unique, and of no meaning to anybody.
    pub number: usize,
    pub is_user: bool,
    pub says: String,
    pub is_begin: bool,
    pub is_end: bool,
    /// The contents before and after it, each a number.
    pub content: Option<[u32; 2]>,
}

/// What a server says.
#[derive(Clone, Debug)]
pub enum Frame {
    Snapshot {
        state: State,
        steps: Vec<Rc<Step>>,
        head: String,
        can_redo: bool,
        content: Option<u32>,
        capabilities: Vec<&'static str>,
        /// How often the server had done something in silence by then.
        silences: u32,
    },
    Step(Rc<Step>),
    Status(State),
    /// The end of a run, in the dialects that have a frame for it.
    Complete,
    Head {
        head: String,
        can_redo: bool,
        content: Option<u32>,
        /// Some dialects send all steps along.
        steps: Vec<Rc<Step>>,
    },
    Error {
        text: String,
        code: Option<&'static str>,
    },
    /// Not a frame: the socket ends here.
    Close,
}

/// What a client says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    Prompt(String),
    Stop,
    Revert(String),
    Redo,
    Checkout(String),
    Unknown(String),
}

/// A socket. What was said comes in the order in which it was said, or never.
#[derive(Default)]
pub struct Wire {
    /// With the name that the client has for what it asked.
    pub up: VecDeque<(u32, String)>,
    pub down: VecDeque<(Words, Frame)>,
    /// Whether the server has it open.
    pub is_open: bool,
}

impl Wire {
    /// What is in flight is lost; the client has yet to notice.
    pub fn cut(&mut self, words: Words) {
        *self = Wire::default();
        self.down.push_back((words, Frame::Close));
    }
}

fn text_of(says: &str) -> String {
    serde_json::to_string(says).unwrap()
}

fn step_text(step: &Step) -> String {
    let Step { id, parent, turn, number, is_begin, is_end, .. } = step;
    let role = if step.is_user { "user" } else { "agent" };
    // An absent parent is the root, too.
    let parent = if parent == "step-initial" && number % 2 == 0 && turn.len() % 2 == 0 {
        String::new()
    } else {
        format!(r#""parentId":"{parent}","#)
    };
    let contents = step.content.map_or_else(String::new, |[before, after]| {
        format!(r#","beforeWorkflowContent":{{"v":{before}}},"afterWorkflowContent":{{"v":{after}}}"#)
    });
    format!(
        r#"{{"id":"{id}",{parent}"messageId":"{turn}","stepId":{number},"timestamp":1,"role":"{role}","content":{},"isBegin":{is_begin},"isEnd":{is_end}{contents}}}"#,
        text_of(&step.says)
    )
}

fn steps_text(steps: &[Rc<Step>]) -> String {
    let steps: Vec<String> = steps.iter().map(|step| step_text(step)).collect();
    format!("[{}]", steps.join(","))
}

fn content_text(content: Option<u32>) -> String {
    content.map_or_else(String::new, |content| format!(r#","workflowContent":{{"v":{content}}}"#))
}

impl Words {
    fn has_short_names(self) -> bool {
        matches!(self, Words::A | Words::APrime)
    }

    /// Whether it has words for revert and redo, and so for what can be redone.
    pub fn can_revert(self) -> bool {
        matches!(self, Words::C | Words::D)
    }

    fn name(self, frame: &Frame) -> &'static str {
        match (frame, self) {
            (Frame::Snapshot { .. }, Words::A) => "init",
            (Frame::Snapshot { .. }, Words::APrime) => "snapshot",
            (Frame::Snapshot { .. }, _) => "WsServerSnapshotEvent",
            (Frame::Status(_), Words::A) => "state",
            (Frame::Status(_), Words::APrime) => "status",
            (Frame::Status(_), _) => "WsServerStatusEvent",
            (Frame::Complete, Words::A) => "complete",
            (Frame::Complete, _) => "completion",
            (Frame::Step(_), words) if words.has_short_names() => "step",
            (Frame::Step(_), _) => "WsServerStepEvent",
            (Frame::Head { .. }, words) if words.has_short_names() => "headChange",
            (Frame::Head { .. }, _) => "WsServerHeadChangeEvent",
            (Frame::Error { .. }, words) if words.has_short_names() => "error",
            (Frame::Error { .. } | Frame::Close, _) => "WsServerErrorEvent",
        }
    }

    /// The text of a frame. `type` is its last key, as on real wires.
    pub fn text(self, frame: &Frame) -> String {
        let redo = |can_redo: bool| match self.can_revert() {
            true => format!(r#","canRedo":{can_redo}"#),
            false => String::new(),
        };
        let fields = match frame {
            Frame::Snapshot { state, steps, head, can_redo, content, capabilities, .. } => {
                let capabilities = match self {
                    Words::D => format!(r#","capabilities":{}"#, json!(capabilities)),
                    _ => String::new(),
                };
                format!(
                    r#""state":"{}","steps":{},"headId":"{head}"{}{}{capabilities}"#,
                    state.word(),
                    steps_text(steps),
                    content_text(*content),
                    redo(*can_redo),
                )
            }
            Frame::Step(step) => format!(r#""step":{}"#, step_text(step)),
            Frame::Status(state) => format!(r#""state":"{}""#, state.word()),
            Frame::Complete => r#""summary":"done""#.to_owned(),
            Frame::Head { head, can_redo, content, steps } => {
                let steps = match self.has_short_names() {
                    true => format!(r#","steps":{}"#, steps_text(steps)),
                    false => String::new(),
                };
                format!(r#""headId":"{head}"{}{}{steps}"#, content_text(*content), redo(*can_redo))
            }
            Frame::Error { text, code } => {
                let code = code.map_or_else(String::new, |code| format!(r#","code":"{code}""#));
                format!(r#""error":{}{code}"#, text_of(text))
            }
            Frame::Close => r#""error":"closed""#.to_owned(),
        };
        format!(r#"{{{fields},"type":"{}"}}"#, self.name(frame))
    }

    /// Reads what a client says.
    pub fn read(self, text: &str) -> Asked {
        let said: Value = serde_json::from_str(text).unwrap();
        let word = |key: &str| said[key].as_str().unwrap().to_owned();
        let name = word("type");
        match (name.as_str(), self) {
            ("message", Words::A)
            | ("prompt", Words::APrime)
            | ("WsClientPromptCommand", Words::B | Words::C | Words::D) => Asked::Prompt(word("content")),
            ("stop", Words::A | Words::APrime) | ("WsClientStopCommand", Words::B | Words::C | Words::D) => {
                Asked::Stop
            }
            ("WsClientRevertCommand", Words::C | Words::D) => Asked::Revert(word("messageId")),
            ("WsClientRedoCommand", Words::C | Words::D) => Asked::Redo,
            ("WsClientCheckoutCommand", Words::D) => Asked::Checkout(word("stepId")),
            _ => Asked::Unknown(name),
        }
    }
}
