//! A naive agent service: a list of steps, HEAD, the HEADs that reverts left, and the runs that are going on.

use std::rc::Rc;

use super::Dice;
use super::habits::Habits;
use super::runs::Run;
use super::wire::{Asked, Frame, State, Step, Words};

pub const ROOT: &str = "step-initial";

pub struct Server {
    pub habits: Habits,
    pub words: Words,
    pub capabilities: Vec<&'static str>,
    pub state: State,
    pub steps: Vec<Rc<Step>>,
    pub head: String,
    /// The HEADs that reverts left, the latest last.
    pub redo: Vec<String>,
    /// The content at HEAD.
    pub content: u32,
    /// What the first turn began with.
    begun_with: u32,
    pub runs: Vec<Run>,
    /// Whether it puts codes on its errors.
    has_codes: bool,
    /// Whether it says a prompt in words of its own.
    pub rewords: bool,
    /// How often it did something without a word.
    pub silences: u32,
    /// For so many sockets it does not find its agent.
    pub missing: usize,
    life: usize,
    made: usize,
    pub contents: u32,
    /// What it has to say, to one client or to all.
    pub says: Vec<(Option<usize>, Frame)>,
}

impl Server {
    pub fn new(dice: &mut Dice) -> Self {
        let habits = Habits::roll(dice);
        let mut server = Server {
            habits,
            words: Words::C,
            capabilities: Vec::new(),
            state: State::Available,
            steps: Vec::new(),
            head: ROOT.to_owned(),
            redo: Vec::new(),
            content: 0,
            begun_with: 0,
            runs: Vec::new(),
            has_codes: dice.roll(4) == 0,
            rewords: dice.roll(8) == 0,
            silences: 0,
            missing: 0,
            life: 0,
            made: 0,
            contents: 0,
            says: Vec::new(),
        };
        server.choose_words(dice);
        server
    }

    fn choose_words(&mut self, dice: &mut Dice) {
        let all =
            [Words::C, Words::C, Words::C, Words::D, Words::D, Words::D, Words::B, Words::A, Words::APrime];
        self.words = dice.pick(&all);
        self.capabilities = vec!["revert", "redo", "checkout"];
        if dice.roll(6) == 0 {
            self.capabilities.remove(dice.roll(3));
        }
    }

    pub fn step(&self, id: &str) -> Option<&Rc<Step>> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// The ids from the root to a step.
    pub fn path(&self, to: &str) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = self.step(to);
        while let Some(step) = at {
            path.push(step.id.as_str());
            at = self.step(&step.parent);
        }
        path.reverse();
        path
    }

    /// Whether the path to HEAD begins at the root.
    pub fn is_whole(&self) -> bool {
        let path = self.path(&self.head);
        path.first().and_then(|id| self.step(id)).map_or(self.head == ROOT, |first| first.parent == ROOT)
    }

    fn content_at(&self, id: &str) -> u32 {
        match self.step(id) {
            Some(step) => step.content.map_or_else(|| self.content_at(&step.parent), |[_, after]| after),
            None => self.begun_with,
        }
    }

    /// Whether the contents of steps say what is at HEAD (R7).
    pub fn content_is_told(&self) -> bool {
        let on_path = self.path(&self.head).into_iter().filter_map(|id| self.step(id));
        on_path.chain(self.steps.iter().filter(|step| step.parent == ROOT)).any(|step| step.content.is_some())
    }

    pub fn can_redo(&self) -> bool {
        self.words.can_revert() && !self.redo.is_empty()
    }

    pub fn is_running(&self) -> bool {
        !self.runs.is_empty()
    }

    pub fn tell(&mut self, frame: Frame) {
        self.says.push((None, frame));
    }

    pub fn snapshot(&self, dice: &mut Dice) -> Frame {
        Frame::Snapshot {
            state: self.state,
            steps: self.steps.clone(),
            head: self.head.clone(),
            can_redo: self.can_redo(),
            content: (dice.roll(2) == 0).then_some(self.content),
            capabilities: self.capabilities.clone(),
            silences: self.silences,
        }
    }

    fn set_state(&mut self, state: State) {
        self.state = state;
        self.tell(Frame::Status(state));
    }

    pub fn new_id(&mut self) -> String {
        self.made += 1;
        match self.habits.repeats_ids {
            true => format!("step-agent-{}", self.made),
            false => format!("step-agent-{}-{}", self.made, self.life),
        }
    }

    /// Adds a step below HEAD and goes there.
    pub fn add(&mut self, dice: &mut Dice, step: Step) -> String {
        let id = step.id.clone();
        let is_late = step.parent != self.head;
        if !is_late || self.habits.late_moves_head {
            self.head = id.clone();
            self.content = step.content.map_or(self.content_at(&step.parent), |[_, after]| after);
        }
        let step = Rc::new(step);
        self.steps.push(Rc::clone(&step));
        if step.is_user || !self.habits.swallows || dice.roll(3) > 0 {
            self.tell(Frame::Step(step));
        }
        id
    }

    /// Does what a client asks. Tells whether it did.
    pub fn hear(&mut self, dice: &mut Dice, client: usize, asked: &Asked) -> bool {
        let done = match asked {
            Asked::Prompt(text) => self.prompt(dice, text),
            Asked::Stop => self.stop(),
            Asked::Revert(turn) => self.revert(dice, turn),
            Asked::Redo => self.take_back(dice),
            Asked::Checkout(step) => self.check_out(dice, step),
            Asked::Unknown(name) => Err(format!("Unknown message type: {name}")),
        };
        let Err(text) = &done else { return true };
        let code = self.has_codes.then(|| dice.pick(&["busy", "E_7", ""]));
        self.says.push((Some(client), Frame::Error { text: text.clone(), code }));
        false
    }

    pub fn prompt(&mut self, dice: &mut Dice, text: &str) -> Result<(), String> {
        if text.trim().is_empty() {
            return Err("Message content is required".to_owned());
        }
        if self.state.is_busy() && !self.habits.overlaps {
            return Err("Cannot prompt while the agent is busy".to_owned());
        }
        self.set_state(State::Generating);
        self.begin_turn(dice, text);
        Ok(())
    }

    fn stop(&mut self) -> Result<(), String> {
        match self.state {
            State::Generating => {}
            _ if self.habits.stop_sticks => {}
            _ => return Err("The agent is not running".to_owned()),
        }
        self.set_state(State::Stopping);
        Ok(())
    }

    fn may_move(&self, dice: &mut Dice, busy: &str, capability: &str, name: &str) -> Result<(), String> {
        let is_known = self.words == Words::C || self.capabilities.contains(&capability);
        if !is_known {
            return Err(format!("Unknown message type: {name}"));
        }
        if self.state.is_busy() && !self.habits.reverts_in_runs {
            return Err(format!("{busy} while the agent is busy"));
        }
        match dice.roll(12) {
            0 => Err("Failed to save the restored workflow; the operation was rolled back".to_owned()),
            1 => Err("the database is on fire".to_owned()),
            _ => Ok(()),
        }
    }

    fn revert(&mut self, dice: &mut Dice, turn: &str) -> Result<(), String> {
        self.may_move(dice, "Cannot revert", "revert", "WsClientRevertCommand")?;
        if !self.steps.iter().any(|step| step.turn == turn) {
            return Err(format!("Unknown turn: {turn}"));
        }
        let path = self.path(&self.head);
        let first = path.into_iter().filter_map(|id| self.step(id)).find(|step| step.turn == turn);
        let Some(first) = first else {
            return Err("Turn is not on the current conversation path".to_owned());
        };
        let to = first.parent.clone();
        self.redo.push(self.head.clone());
        let begins_a_turn = self.habits.hurries && dice.roll(3) == 0;
        if begins_a_turn {
            self.set_state(State::Generating);
        }
        self.go(dice, to);
        if begins_a_turn {
            self.begin_turn(dice, "instead");
        }
        Ok(())
    }

    fn take_back(&mut self, dice: &mut Dice) -> Result<(), String> {
        self.may_move(dice, "Cannot redo", "redo", "WsClientRedoCommand")?;
        let to = self.redo.last().cloned().ok_or("Nothing to redo")?;
        self.redo.pop();
        self.go(dice, to);
        Ok(())
    }

    fn check_out(&mut self, dice: &mut Dice, to: &str) -> Result<(), String> {
        self.may_move(dice, "Cannot check out", "checkout", "WsClientCheckoutCommand")?;
        if to != ROOT && self.step(to).is_none() {
            return Err(format!("Unknown step: {to}"));
        }
        let goes_back = to != self.head && (to == ROOT || self.path(&self.head).contains(&to));
        if self.redo.last().is_some_and(|redo| redo == to) {
            self.redo.pop();
        } else if goes_back {
            self.redo.push(self.head.clone());
        } else if to != self.head {
            self.redo.clear();
        }
        self.go(dice, to.to_owned());
        Ok(())
    }

    fn go(&mut self, dice: &mut Dice, to: String) {
        self.content = self.content_at(&to);
        self.head = to;
        let content = (dice.roll(2) == 0).then_some(self.content);
        let (head, can_redo, steps) = (self.head.clone(), self.can_redo(), self.steps.clone());
        self.tell(Frame::Head { head, can_redo, content, steps });
    }

    /// Something that nobody here asked for. Tells whether all sockets are gone.
    pub fn misbehave(&mut self, dice: &mut Dice) -> bool {
        match dice.roll(6) {
            0 if self.habits.clears => {
                self.forget();
                self.begun_with = self.content;
                self.state = State::Available;
                self.silences += 1;
            }
            1 if self.habits.stops_in_silence && self.state == State::Generating => {
                self.state = State::Stopping;
                self.silences += 1;
            }
            2 if self.habits.restarts => {
                self.forget();
                self.life += 1;
                self.made = 0;
                self.contents += 1;
                self.content = self.contents;
                self.begun_with = self.content;
                self.state = State::Available;
                self.missing = dice.roll(3);
                if dice.roll(4) == 0 {
                    self.choose_words(dice);
                }
                return true;
            }
            3 if self.habits.loses_head => {
                // As when the history is cleared while a revert fails.
                let head = std::mem::take(&mut self.head);
                self.forget();
                self.state = State::Available;
                self.head = head;
                let snapshot = self.snapshot(dice);
                self.tell(snapshot);
            }
            _ => {}
        }
        false
    }

    fn forget(&mut self) {
        self.steps.clear();
        self.head = ROOT.to_owned();
        self.redo.clear();
        self.runs.clear();
    }
}
