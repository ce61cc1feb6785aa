//! The only place that knows wasm-bindgen: thin shells around [`crate::engine::Engine`], no logic.
//!
//! Rust never calls into JavaScript while it is borrowed. Each method returns what the host has to do, and the facade
//! in `pkg/src` does it afterwards. Steps leave as pairs of numbers (handle, revision); their text leaves only when
//! somebody looks at it.

// wasm-bindgen generates the unsafe code that crosses the boundary.
#![allow(unsafe_code)]

mod frame_buffer;
mod growth;

use serde::Serialize;
use wasm_bindgen::prelude::*;

use self::frame_buffer::FrameBuffer;
use crate::canvas::Plan;
use crate::canvas::document::Author;
use crate::canvas::document::shape::Types;
use crate::content::Schema;
use crate::engine::{self, Authority, CommandName, Move, Options, Outcome, TurnEnd, Validation};
use crate::error::Error;
use crate::history::StepIx;
use crate::session::{ManualEdits, Refusal, Ticket};
use crate::wire::PromptSource;

/// The state engine of one agent's history. `headway` wraps it; use that.
#[wasm_bindgen]
pub struct Engine {
    engine: engine::Engine,
    frame: FrameBuffer,
    /// What the last replay wrote, until it is taken.
    update: Option<Vec<u8>>,
}

#[derive(Serialize)]
struct Sent {
    ticket: Ticket,
    outcome: Outcome,
}

#[derive(Serialize)]
struct Recorded {
    id: String,
    outcome: Outcome,
}

#[derive(Serialize)]
struct CanvasPlan {
    write: Option<String>,
    edits: Option<String>,
    outcome: Outcome,
}

#[derive(Serialize)]
struct StashPlan {
    plan: String,
    outcome: Outcome,
}

#[derive(Serialize)]
struct Refused {
    code: &'static str,
    message: String,
}

fn to_js<T: Serialize>(record: &T) -> JsValue {
    // Plain records of strings and numbers: this cannot fail.
    serde_wasm_bindgen::to_value(record).unwrap_or(JsValue::UNDEFINED)
}

/// `false`: nothing is new. `true`: there is something else to see. An object: there is something to do.
fn hand_over(outcome: &Outcome) -> JsValue {
    if outcome.is_quiet() { JsValue::from_bool(outcome.changed) } else { to_js(outcome) }
}

fn into_error(error: impl Into<Error>) -> JsValue {
    let error = error.into();
    to_js(&Refused { code: error.code(), message: error.to_string() })
}

fn sent(result: Result<(Ticket, Outcome), Refusal>) -> Result<JsValue, JsValue> {
    let (ticket, outcome) = result.map_err(into_error)?;
    Ok(to_js(&Sent { ticket, outcome }))
}

fn manual_edits(keep: bool) -> ManualEdits {
    if keep { ManualEdits::Keep } else { ManualEdits::Overwrite }
}

/// The move of that name.
fn move_of<'t>(command: &str, id: &'t str) -> Move<'t> {
    match command {
        "revert" => Move::Revert(id),
        "checkout" => Move::Checkout(id),
        "revertStep" => Move::RevertStep(id),
        _ => Move::Redo,
    }
}

fn code_of(answer: Result<(), Refusal>) -> Option<String> {
    answer.err().map(|refusal| refusal.code().to_owned())
}

#[wasm_bindgen]
impl Engine {
    /// An engine that knows nothing yet. `schema` is the JSON text of a preset's name or of a schema, `command_timeout`
    /// in ms, `memory_budget` in bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(
        schema: &str,
        command_timeout: f64,
        keep_input_messages: bool,
        memory_budget: f64,
        is_strict: bool,
        normalizes: bool,
        is_local: bool,
    ) -> Result<Engine, JsValue> {
        let schema = Schema::read(schema).map_err(into_error)?;
        // What does not fit into an address is no limit.
        let memory_budget = memory_budget as usize;
        let validation = if is_strict { Validation::Strict } else { Validation::Repair };
        let authority = if is_local { Authority::Local } else { Authority::Server };
        let options = Options {
            authority,
            schema,
            command_timeout,
            stopping_limit: f64::INFINITY,
            keep_input_messages,
            memory_budget,
            validation,
            normalizes,
        };
        Ok(Engine { engine: engine::Engine::new(options), frame: FrameBuffer::default(), update: None })
    }

    /// How long nothing may come of STOPPING, in ms.
    #[wasm_bindgen(js_name = setStoppingLimit)]
    pub fn set_stopping_limit(&mut self, limit: f64) {
        self.engine.set_stopping_limit(limit);
    }

    /// The socket opened.
    pub fn connected(&mut self) -> JsValue {
        hand_over(&self.engine.connected())
    }

    /// The socket was lost.
    pub fn disconnected(&mut self) -> JsValue {
        hand_over(&self.engine.disconnected())
    }

    /// Makes room for at least so many bytes of a frame, keeping what is there, and tells where it begins in memory.
    #[wasm_bindgen(js_name = frameRoom)]
    pub fn frame_room(&mut self, bytes: usize) -> usize {
        self.frame.room(bytes)
    }

    /// One text frame, exactly as it came: the first bytes of the room.
    pub fn receive(&mut self, bytes: usize) -> JsValue {
        let outcome = self.engine.receive(self.frame.text(bytes));
        self.frame.give_back();
        hand_over(&outcome)
    }

    /// Lets time-outs fall due. `now` in ms since the epoch.
    pub fn tick(&mut self, now: f64) -> JsValue {
        hand_over(&self.engine.tick(now))
    }

    /// Asks for a new turn.
    pub fn prompt(&mut self, text: &str, is_feedback: bool, now: f64) -> Result<JsValue, JsValue> {
        let source = if is_feedback { PromptSource::Feedback } else { PromptSource::Chat };
        sent(self.engine.prompt(text, source, now))
    }

    /// Asks for the end of the run.
    pub fn stop(&mut self, now: f64) -> Result<JsValue, JsValue> {
        sent(self.engine.stop(now))
    }

    /// Asks to go back to before a turn. `keep` says that edits by hand stay where they can.
    pub fn revert(&mut self, turn: &str, keep: bool, now: f64) -> Result<JsValue, JsValue> {
        sent(self.engine.revert_with(turn, manual_edits(keep), now))
    }

    /// Asks to take the latest revert back.
    pub fn redo(&mut self, keep: bool, now: f64) -> Result<JsValue, JsValue> {
        sent(self.engine.redo_with(manual_edits(keep), now))
    }

    /// Asks for HEAD to move to a step.
    pub fn checkout(&mut self, step: &str, keep: bool, now: f64) -> Result<JsValue, JsValue> {
        sent(self.engine.checkout(step, manual_edits(keep), now))
    }

    /// Asks to go back to before a step.
    #[wasm_bindgen(js_name = revertStep)]
    pub fn revert_step(&mut self, step: &str, keep: bool, now: f64) -> Result<JsValue, JsValue> {
        sent(self.engine.revert_step(step, manual_edits(keep), now))
    }

    /// What of the edits by hand stands against a command that moves HEAD, as JSON text. `id` names the turn or the step.
    #[wasm_bindgen(js_name = editsAgainst)]
    pub fn edits_against(&mut self, command: &str, id: &str, on_canvas: &str) -> Result<String, JsValue> {
        let conflicts = self.engine.edits_against(move_of(command, id), on_canvas).map_err(into_error)?;
        Ok(engine::conflicts_json(&conflicts))
    }

    /// Where HEAD would be after it; nothing when nobody knows.
    #[wasm_bindgen(js_name = leadsTo)]
    pub fn leads_to(&mut self, command: &str, id: &str) -> Result<Option<String>, JsValue> {
        let step = self.engine.leads_to(move_of(command, id)).map_err(into_error)?;
        Ok(step.map(|step| self.engine.history().tree().id(step).to_owned()))
    }

    /// What there is before the first turn (R14).
    #[wasm_bindgen(js_name = beginWith)]
    pub fn begin_with(&mut self, content: &str) -> Result<JsValue, JsValue> {
        self.engine.begin_with(content).map(|outcome| hand_over(&outcome)).map_err(into_error)
    }

    /// A turn begins: {id, outcome}.
    #[wasm_bindgen(js_name = beginTurn)]
    pub fn begin_turn(
        &mut self,
        prompt: &str,
        is_feedback: bool,
        id: Option<String>,
        now: f64,
    ) -> Result<JsValue, JsValue> {
        let source = if is_feedback { PromptSource::Feedback } else { PromptSource::Chat };
        let (id, outcome) = self.engine.begin_turn(prompt, source, id.as_deref(), now).map_err(into_error)?;
        Ok(to_js(&Recorded { id, outcome }))
    }

    /// The agent did something: {id, outcome}. `fields` is an object as JSON text.
    #[wasm_bindgen(js_name = recordStep)]
    pub fn record_step(&mut self, fields: &str, after: Option<String>, now: f64) -> Result<JsValue, JsValue> {
        let (id, outcome) = self.engine.record_step(fields, after.as_deref(), now).map_err(into_error)?;
        Ok(to_js(&Recorded { id, outcome }))
    }

    /// The turn is over: `done`, `stopped`, or `failed`, for which there is a reason.
    #[wasm_bindgen(js_name = endTurn)]
    pub fn end_turn(&mut self, how: &str, reason: &str, now: f64) -> Result<JsValue, JsValue> {
        let how = match how {
            "stopped" => TurnEnd::Stopped,
            "failed" => TurnEnd::Failed(reason),
            _ => TurnEnd::Done,
        };
        self.engine.end_turn(how, now).map(|outcome| hand_over(&outcome)).map_err(into_error)
    }

    /// The same against HEAD's content.
    #[wasm_bindgen(js_name = editsAgainstHead)]
    pub fn edits_against_head(&mut self, on_canvas: &str) -> Result<String, JsValue> {
        let conflicts = self.engine.edits_against_head(on_canvas).map_err(into_error)?;
        Ok(engine::conflicts_json(&conflicts))
    }

    /// What was overwritten of edits by hand, oldest first; `edits` of each is JSON text.
    pub fn stashes(&self) -> JsValue {
        to_js(&self.engine.stashes())
    }

    /// Asks for a stash to be put back on the canvas. What that does is `plan`, as JSON text.
    #[wasm_bindgen(js_name = applyStash)]
    pub fn apply_stash(&mut self, id: &str, on_canvas: &str, keep: bool) -> Result<JsValue, JsValue> {
        let (plan, outcome) =
            self.engine.apply_stash(id, on_canvas, manual_edits(keep)).map_err(into_error)?;
        Ok(to_js(&StashPlan { plan: plan.to_json(), outcome }))
    }

    /// What on the canvas stands against that, as JSON text.
    #[wasm_bindgen(js_name = editsAgainstStash)]
    pub fn edits_against_stash(&mut self, id: &str, on_canvas: &str) -> Result<String, JsValue> {
        let conflicts = self.engine.edits_against_stash(id, on_canvas).map_err(into_error)?;
        Ok(engine::conflicts_json(&conflicts))
    }

    /// Drops a stash for good.
    #[wasm_bindgen(js_name = dropStash)]
    pub fn drop_stash(&mut self, id: &str) -> Result<JsValue, JsValue> {
        self.engine.drop_stash(id).map(|outcome| hand_over(&outcome)).map_err(into_error)
    }

    /// The host could not send the command.
    #[wasm_bindgen(js_name = notSent)]
    pub fn not_sent(&mut self, ticket: u32, why: &str) -> JsValue {
        hand_over(&self.engine.not_sent(ticket, why))
    }

    /// The code of the refusal that a prompt would meet now.
    #[wasm_bindgen(js_name = cannotPrompt)]
    pub fn cannot_prompt(&self) -> Option<String> {
        code_of(self.engine.can(CommandName::Prompt))
    }

    /// The code of the refusal that a stop would meet now.
    #[wasm_bindgen(js_name = cannotStop)]
    pub fn cannot_stop(&self) -> Option<String> {
        code_of(self.engine.can(CommandName::Stop))
    }

    /// The code of the refusal that a redo would meet now.
    #[wasm_bindgen(js_name = cannotRedo)]
    pub fn cannot_redo(&self) -> Option<String> {
        code_of(self.engine.can(CommandName::Redo))
    }

    /// The code of the refusal that a revert of this turn would meet now.
    #[wasm_bindgen(js_name = cannotRevert)]
    pub fn cannot_revert(&mut self, turn: &str) -> Option<String> {
        code_of(self.engine.can_revert(turn))
    }

    /// The code of the refusal that a checkout of this step would meet now.
    #[wasm_bindgen(js_name = cannotCheckout)]
    pub fn cannot_checkout(&self, step: &str) -> Option<String> {
        code_of(self.engine.can_checkout(step))
    }

    /// The code of the refusal that a revert of this step would meet now.
    #[wasm_bindgen(js_name = cannotRevertStep)]
    pub fn cannot_revert_step(&self, step: &str) -> Option<String> {
        code_of(self.engine.can_revert_step(step))
    }

    /// A host binds a canvas, or takes it away.
    #[wasm_bindgen(js_name = bindCanvas)]
    pub fn bind_canvas(&mut self, bound: bool) -> JsValue {
        hand_over(&self.engine.bind_canvas(bound))
    }

    /// Asks for the canvas to become the content of HEAD.
    #[wasm_bindgen(js_name = syncCanvas)]
    pub fn sync_canvas(&mut self, keep: bool) -> Result<JsValue, JsValue> {
        self.engine.sync_canvas(manual_edits(keep)).map(|outcome| hand_over(&outcome)).map_err(into_error)
    }

    /// The text of the next content that the host has to complete; `undefined` when none is missing.
    #[wasm_bindgen(js_name = toNormalize)]
    pub fn to_normalize(&mut self) -> Option<String> {
        self.engine.to_normalize()
    }

    /// What the host made of it. Throws when that is no JSON object; `notNormalized` has to follow then.
    pub fn normalized(&mut self, text: &str) -> Result<JsValue, JsValue> {
        self.engine.normalized(text).map(|outcome| hand_over(&outcome)).map_err(into_error)
    }

    /// Why the host could not.
    #[wasm_bindgen(js_name = notNormalized)]
    pub fn not_normalized(&mut self, why: &str) -> JsValue {
        hand_over(&self.engine.not_normalized(why))
    }

    /// Decides about the canvas: {write?: text, edits?: JSON text, outcome}.
    #[wasm_bindgen(js_name = planCanvas)]
    pub fn plan_canvas(&mut self, on_canvas: &str, now: f64) -> JsValue {
        self.engine.time_is(now);
        let (plan, outcome) = self.engine.plan_canvas(on_canvas);
        let write = match plan {
            Plan::Write(content) => self.engine.content_text(content),
            Plan::Nothing | Plan::LeaveAlone | Plan::Unreadable => None,
        };
        let edits = write.as_ref().and_then(|_| self.engine.planned_edits());
        to_js(&CanvasPlan { write, edits, outcome })
    }

    /// A host binds a live document: all of it as one update, a client id of 53 bits for our writing in it, and whether its shared
    /// types are all one.
    #[wasm_bindgen(js_name = bindDocument)]
    pub fn bind_document(&mut self, client: f64, is_unified: bool, state: &[u8]) -> Result<JsValue, JsValue> {
        // What is no whole number of 53 bits becomes one that is refused.
        let client = if client.fract() == 0.0 && client >= 0.0 { client as u64 } else { u64::MAX };
        let types = if is_unified { Types::Unified } else { Types::Apart };
        let outcome = self.engine.bind_document(client, types, state).map_err(into_error)?;
        Ok(hand_over(&outcome))
    }

    /// Somebody else wrote to the document; `is_here`: the person in front of it.
    #[wasm_bindgen(js_name = applyUpdate)]
    pub fn apply_update(&mut self, update: &[u8], is_here: bool) -> Result<JsValue, JsValue> {
        let author = if is_here { Author::Here } else { Author::Elsewhere };
        let outcome = self.engine.apply_update(update, author).map_err(into_error)?;
        Ok(hand_over(&outcome))
    }

    /// What the replica of the document has of each writer. `undefined` when none is bound.
    #[wasm_bindgen(js_name = stateVector)]
    pub fn state_vector(&mut self) -> Result<Option<Vec<u8>>, JsValue> {
        let document = self.engine.document();
        document.map(|document| document.state_vector()).transpose().map_err(into_error)
    }

    /// What the replica has and another has not, whose state vector it is. `undefined` when none is bound.
    #[wasm_bindgen(js_name = encodeDiff)]
    pub fn encode_diff(&mut self, state_vector: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, JsValue> {
        let document = self.engine.document();
        document.map(|document| document.diff(state_vector.as_deref())).transpose().map_err(into_error)
    }

    /// What is on the document, as JSON text.
    #[wasm_bindgen(js_name = documentText)]
    pub fn document_text(&mut self) -> Option<String> {
        self.engine.document_text()
    }

    /// Brings the document to what was asked for. `takeUpdate` gives what was written.
    pub fn replay(&mut self, now: f64) -> JsValue {
        self.engine.time_is(now);
        let (update, outcome) = self.engine.replay();
        self.update = update;
        hand_over(&outcome)
    }

    /// What the last replay wrote; `undefined` when it wrote nothing.
    #[wasm_bindgen(js_name = takeUpdate)]
    pub fn take_update(&mut self) -> Option<Vec<u8>> {
        self.update.take()
    }

    /// The host put on the canvas what the plan said.
    #[wasm_bindgen(js_name = canvasWritten)]
    pub fn canvas_written(&mut self) -> JsValue {
        hand_over(&self.engine.canvas_written())
    }

    /// The host could not read or write the canvas.
    #[wasm_bindgen(js_name = canvasFailed)]
    pub fn canvas_failed(&mut self, why: &str) -> JsValue {
        hand_over(&self.engine.canvas_failed(why))
    }

    /// The present, without steps and turns.
    pub fn view(&mut self) -> JsValue {
        to_js(&self.engine.view())
    }

    /// The versions of the turns on the path.
    #[wasm_bindgen(js_name = turnVersions)]
    pub fn turn_versions(&mut self) -> Vec<u32> {
        self.engine.turn_versions()
    }

    /// The turns at some positions of the path, as records.
    #[wasm_bindgen(js_name = turnsAt)]
    pub fn turns_at(&mut self, positions: &[u32]) -> JsValue {
        to_js(&self.engine.turns_at(positions))
    }

    /// First position of the path that may have changed since this was last asked.
    #[wasm_bindgen(js_name = takeChangedFrom)]
    pub fn take_changed_from(&mut self) -> usize {
        self.engine.take_changed_from()
    }

    /// The path from a position on, as pairs of handle and revision.
    #[wasm_bindgen(js_name = pathFrom)]
    pub fn path_from(&self, position: usize) -> Vec<u32> {
        let history = self.engine.history();
        let steps = history.path().iter().skip(position);
        let mut pairs = Vec::with_capacity(2 * steps.len());
        for step in steps {
            pairs.extend([step.number(), history.tree().revision(step)]);
        }
        pairs
    }

    /// Handle and revision of a step; empty when it is not known.
    #[wasm_bindgen(js_name = findStep)]
    pub fn find_step(&self, id: &str) -> Vec<u32> {
        let tree = self.engine.history().tree();
        let found = tree.get(id).filter(|step| tree.data(*step).is_some());
        found.map_or(Vec::new(), |step| vec![step.number(), tree.revision(step)])
    }

    /// The steps behind pairs of handle and revision as one JSON array: for each its revision now, whether it changed the
    /// content, and the step. `null` stands for a step that is gone, even if another has its handle now.
    #[wasm_bindgen(js_name = stepTexts)]
    pub fn step_texts(&mut self, pairs: &[u32]) -> String {
        let mut out = String::from("[");
        for pair in pairs.chunks_exact(2) {
            let [handle, revision] = *pair else { continue };
            let tree = self.engine.history().tree();
            let step = StepIx::from_number(handle).filter(|step| tree.born(*step) <= revision);
            let now = step.map_or(0, |step| tree.revision(step));
            let changed = step.is_some_and(|step| self.engine.step_changed(step));
            let tree = self.engine.history().tree();
            let text = step.and_then(|step| tree.data(step)).map_or("null", |data| &data.text);
            if out.len() > 1 {
                out.push(',');
            }
            out.push_str(&format!("{now},{changed},"));
            out.push_str(text);
        }
        out.push(']');
        out
    }

    /// The content at a step, or at HEAD, as text.
    pub fn content(&self, at: Option<String>) -> Result<Option<String>, JsValue> {
        let content = self.engine.content_of(at.as_deref()).map_err(into_error)?;
        Ok(content.and_then(|content| self.engine.content_text(content)))
    }

    /// The edits from one content to another, as JSON text. `undefined` when a content is not known.
    pub fn compare(&mut self, from: Side, to: Side) -> Result<Option<String>, JsValue> {
        let comparison = self.engine.compare(from.borrowed(), to.borrowed()).map_err(into_error)?;
        Ok(comparison.map(|comparison| comparison.to_json()))
    }

    /// The edits that a canvas would see if it showed the content at a step, as JSON text. `undefined` when that is not known.
    pub fn preview(&mut self, on_canvas: &str, step: &str) -> Result<Option<String>, JsValue> {
        let preview = self.engine.preview(on_canvas, step).map_err(into_error)?;
        Ok(preview.map(|preview| preview.to_json()))
    }

    /// What a merge of a step's content into that of HEAD would do, as JSON text.
    #[wasm_bindgen(js_name = planMerge)]
    pub fn plan_merge(&mut self, step: &str) -> Result<String, JsValue> {
        self.engine.plan_merge(step).map(|plan| plan.to_json()).map_err(into_error)
    }

    /// What is wrong with a content, as JSON text. `undefined` when it is not known.
    pub fn validate(&mut self, at: Side) -> Result<Option<String>, JsValue> {
        let faults = self.engine.validate(at.borrowed()).map_err(into_error)?;
        Ok(faults.map(|faults| engine::faults_json(&faults)))
    }

    /// Sizes.
    pub fn stats(&self) -> JsValue {
        to_js(&self.engine.stats())
    }

    /// Bytes of linear memory.
    #[wasm_bindgen(js_name = memoryBytes)]
    pub fn memory_bytes() -> f64 {
        core::arch::wasm32::memory_size(0) as f64 * 65_536.0
    }
}

/// Something that has a content.
#[wasm_bindgen]
pub struct Side(Owned);

enum Owned {
    Head,
    Step(String),
    Canvas(String),
}

#[wasm_bindgen]
impl Side {
    /// HEAD.
    pub fn head() -> Side {
        Side(Owned::Head)
    }

    /// The step of that id.
    pub fn step(id: String) -> Side {
        Side(Owned::Step(id))
    }

    /// A canvas: what is on it, as text.
    pub fn canvas(text: String) -> Side {
        Side(Owned::Canvas(text))
    }
}

impl Side {
    fn borrowed(&self) -> engine::Side<'_> {
        match &self.0 {
            Owned::Head => engine::Side::Head,
            Owned::Step(id) => engine::Side::Step(id),
            Owned::Canvas(text) => engine::Side::Canvas(text),
        }
    }
}
