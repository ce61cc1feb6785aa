//! A step as it lies in a frame.

use super::contents::{ContentReader, Place};
use super::fault::StepFault;
use super::kept::Kept;
use crate::content::json::unescaped;
use crate::content::scan::{ScanFault, Scanner};
use crate::content::{ContentIx, Json};

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

    /// `None` when this is no object of numbers.
    fn of(json: Json<'_>) -> Option<Self> {
        let mut usage = Usage::default();
        let mut are_numbers = true;
        let walk = Scanner::new(json.text()).members(|key, scanner| {
            let value = scanner.value()?;
            let number = finite(value);
            are_numbers &= number.is_some() || value.is_null();
            if let Some(at) = Self::NAMES.iter().position(|name| *name == unescaped(key))
                && let Some(count) = usage.counts.get_mut(at)
            {
                *count = number;
            }
            Ok::<(), ScanFault>(())
        });
        walk.ok().filter(|()| are_numbers).map(|()| usage)
    }
}

/// A step that is whole enough to join the tree.
#[derive(Clone, Debug)]
pub struct WireStep {
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
    pub before: Option<ContentIx>,
    /// The content after it.
    pub after: Option<ContentIx>,
    /// The whole step as JSON text, but for the contents and, unless they are kept, the input messages. Unknown fields
    /// are in it as they came.
    pub text: String,
}

impl WireStep {
    /// The fields that say where a step belongs.
    const GIVEN: [&'static str; 10] = [
        "id",
        "parentId",
        "messageId",
        "stepId",
        "timestamp",
        "role",
        "isBegin",
        "isEnd",
        "beforeWorkflowContent",
        "afterWorkflowContent",
    ];

    /// Reads a step that stands by itself, without contents.
    pub fn from_text(text: &str, keep_input_messages: bool) -> Result<Self, StepFault> {
        let mut scanner = Scanner::new(text);
        match read(&mut scanner, &mut NoContents, keep_input_messages) {
            Ok(outcome) => outcome.map_err(|(_, fault)| fault),
            Err(_) => Err(StepFault::NotAnObject),
        }
    }

    /// The members of an object that can be recorded of a step, as text without its braces.
    pub fn recordable(object: Json<'_>) -> Result<&str, StepFault> {
        let members = object.text().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let members = members.ok_or(StepFault::NotAnObject)?;
        let mut given = None;
        let walk = Scanner::new(object.text()).members(|key, scanner| {
            given = given.or(Self::GIVEN.into_iter().find(|name| *name == unescaped(key)));
            scanner.value().map(drop)
        });
        walk.map_err(|_: ScanFault| StepFault::NotAnObject)?;
        given.map_or(Ok(members.trim()), |field| Err(StepFault::Given(field)))
    }
}

/// For a step that has none.
struct NoContents;

impl<'a> ContentReader<'a> for NoContents {
    fn read(&mut self, scanner: &mut Scanner<'a>, _: Place<'_>) -> Result<ContentIx, ScanFault> {
        // Nothing that is recorded gets here.
        scanner.value()?;
        Err(ScanFault::default())
    }
}

/// The name of the root: legal as HEAD and as a parent, never a step (T1).
pub const ROOT_ID: &str = "step-initial";

/// What a person reads in the last step of a run that was stopped.
const STOPPED: &str = "\"Generation stopped by user.";
/// How the last step of a run begins that failed.
const FAILED: &str = "\"Error: ";

/// A step, or its id where it has one and why it is none.
pub(super) type StepOutcome = Result<WireStep, (Option<String>, StepFault)>;

/// The fields as they are collected; the last of a repeated key counts, as in `JSON.parse`.
#[derive(Default)]
struct Fields<'a> {
    id: Option<Json<'a>>,
    parent_id: Option<Json<'a>>,
    message_id: Option<Json<'a>>,
    step_id: Option<Json<'a>>,
    timestamp: Option<Json<'a>>,
    role: Option<Json<'a>>,
    content: Option<Json<'a>>,
    is_begin: Option<Json<'a>>,
    is_end: Option<Json<'a>>,
    tool_calls: Option<Json<'a>>,
    tool_results: Option<Json<'a>>,
    usage: Option<Json<'a>>,
    message_source: Option<Json<'a>>,
    before: Document,
    after: Document,
    text: String,
}

/// What lies where a content belongs.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Document {
    #[default]
    Absent,
    Content(ContentIx),
    SomethingElse,
}

impl Document {
    /// Reads it. An object is a content, whatever is in it; `null` is nothing.
    pub(super) fn read<'a>(
        scanner: &mut Scanner<'a>,
        contents: &mut impl ContentReader<'a>,
        place: Place<'_>,
    ) -> Result<Self, ScanFault> {
        if scanner.peek() == Some(b'{') {
            return contents.read(scanner, place).map(Document::Content);
        }
        let json = scanner.value()?;
        Ok(if json.is_null() { Document::Absent } else { Document::SomethingElse })
    }

    /// `None` when it is something else.
    pub(super) fn content(self) -> Option<Option<ContentIx>> {
        match self {
            Document::Absent => Some(None),
            Document::Content(content) => Some(Some(content)),
            Document::SomethingElse => None,
        }
    }
}

/// Reads the step at the scanner's position without decoding more than its head.
pub(super) fn read<'a>(
    scanner: &mut Scanner<'a>,
    contents: &mut impl ContentReader<'a>,
    keep_input_messages: bool,
) -> Result<StepOutcome, ScanFault> {
    if scanner.peek() != Some(b'{') {
        scanner.value()?;
        return Ok(Err((None, StepFault::NotAnObject)));
    }
    let mut fields = Fields::default();
    let mut kept = Kept::default();
    scanner.members(|written, scanner| {
        let key = &*unescaped(written);
        match key {
            "beforeWorkflowContent" => {
                let place = Place::Before(fields.id.and_then(Json::plain_text));
                fields.before = Document::read(scanner, contents, place)?;
                return Ok(());
            }
            "afterWorkflowContent" => {
                let place = Place::After(fields.id.and_then(Json::plain_text));
                fields.after = Document::read(scanner, contents, place)?;
                return Ok(());
            }
            _ => {}
        }
        let colon = scanner.at();
        let value = scanner.value()?;
        if key == "inputMessages" && !keep_input_messages {
            return Ok(());
        }
        let spelled = match fields.place(key) {
            Some(place) => {
                *place = Some(value);
                key
            }
            None => written,
        };
        kept.member(scanner, written, spelled, colon, value);
        Ok::<(), ScanFault>(())
    })?;
    fields.text = kept.finish(scanner);
    Ok(fields.into_step())
}

impl<'a> Fields<'a> {
    fn place(&mut self, key: &str) -> Option<&mut Option<Json<'a>>> {
        Some(match key {
            "id" => &mut self.id,
            "parentId" => &mut self.parent_id,
            "messageId" => &mut self.message_id,
            "stepId" => &mut self.step_id,
            "timestamp" => &mut self.timestamp,
            "role" => &mut self.role,
            "content" => &mut self.content,
            "isBegin" => &mut self.is_begin,
            "isEnd" => &mut self.is_end,
            "toolCalls" => &mut self.tool_calls,
            "toolResults" => &mut self.tool_results,
            "usage" => &mut self.usage,
            "messageSource" => &mut self.message_source,
            _ => return None,
        })
    }

    fn into_step(self) -> StepOutcome {
        let id = match name("id", self.id) {
            Ok(id) if id == ROOT_ID => return Err((Some(id), StepFault::IsRoot)),
            Ok(id) => id,
            Err(fault) => return Err((None, fault)),
        };
        match self.rest() {
            Ok(step) => Ok(WireStep { id, ..step }),
            Err(fault) => Err((Some(id), fault)),
        }
    }

    fn rest(self) -> Result<WireStep, StepFault> {
        let wrong = |field, expected| StepFault::WrongType { field, expected };
        let parent_id = match present(self.parent_id) {
            Some(json) => Some(json.as_string().ok_or(wrong("parentId", "a string"))?),
            None => None,
        };
        let message_id = name("messageId", self.message_id)?;
        let role = match present(self.role).ok_or(StepFault::Missing("role"))?.as_string() {
            Some(word) if word == "user" => Role::User,
            Some(_) => Role::Agent,
            None => return Err(wrong("role", "a string")),
        };
        if present(self.step_id).is_some_and(|json| finite(json).is_none()) {
            return Err(wrong("stepId", "a number"));
        }
        let timestamp = match present(self.timestamp) {
            Some(json) => finite(json).ok_or(wrong("timestamp", "a number of milliseconds"))?,
            None => 0.0,
        };
        let content = present(self.content).map_or("\"\"", Json::text);
        if !content.starts_with('"') {
            return Err(wrong("content", "a string"));
        }
        let is_begin = flag(self.is_begin).ok_or(wrong("isBegin", "true or false"))?;
        let is_end = flag(self.is_end).ok_or(wrong("isEnd", "true or false"))?;
        let records = |field, json| match present(json) {
            Some(json) => count_records(json).ok_or(wrong(field, "a list of objects")),
            None => Ok(0),
        };
        let tool_calls = records("toolCalls", self.tool_calls)?;
        records("toolResults", self.tool_results)?;
        if present(self.message_source).is_some_and(|json| !json.text().starts_with('"')) {
            return Err(wrong("messageSource", "a string"));
        }
        let usage = present(self.usage);
        let counts =
            usage.map(|json| Usage::of(json).ok_or(wrong("usage", "an object of numbers"))).transpose()?;
        let before = self.before.content().ok_or(wrong("beforeWorkflowContent", "an object"))?;
        let after = self.after.content().ok_or(wrong("afterWorkflowContent", "an object"))?;
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
            usage: counts.unwrap_or_default(),
            before,
            after,
            text: self.text,
        })
    }
}

/// `null` counts as absent.
pub(super) fn present(json: Option<Json<'_>>) -> Option<Json<'_>> {
    json.filter(|json| !json.is_null())
}

fn name(field: &'static str, json: Option<Json<'_>>) -> Result<String, StepFault> {
    let json = present(json).ok_or(StepFault::Missing(field))?;
    json.as_string()
        .filter(|name| !name.is_empty())
        .ok_or(StepFault::WrongType { field, expected: "a string that is not empty" })
}

fn finite(json: Json<'_>) -> Option<f64> {
    let is_number = json.text().starts_with(|c: char| c == '-' || c.is_ascii_digit());
    json.text().parse().ok().filter(|n: &f64| is_number && n.is_finite())
}

fn flag(json: Option<Json<'_>>) -> Option<bool> {
    match present(json).map_or("false", Json::text) {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The number of objects in a list of objects; `None` when it is none.
fn count_records(json: Json<'_>) -> Option<u32> {
    let (mut count, mut are_objects) = (0, true);
    let walk = Scanner::new(json.text()).items(|scanner| {
        count += 1;
        are_objects &= scanner.value()?.is_object();
        Ok::<(), ScanFault>(())
    });
    walk.ok().filter(|()| are_objects).map(|()| count)
}
