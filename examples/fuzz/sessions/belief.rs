//! What a naive reader of the frames believes: the rules, in the plainest code there is.

use std::collections::HashMap;

use headway::Refusal;

use super::client::STOPPING_LIMIT;
use super::server::ROOT;
use super::wire::{Frame, State, Step, Words};

/// What a person asks for.
#[derive(Clone, Debug)]
pub enum Ask {
    Prompt(String),
    Stop,
    Revert(String),
    Redo,
    Checkout(String),
    RevertStep(String),
}

/// What the rules say that there is to see, from the frames of one socket after the other.
pub struct Belief {
    /// The parent of each step.
    parents: HashMap<String, String>,
    turns: HashMap<String, String>,
    /// The path when HEAD was known last.
    shown: Vec<String>,
    pub head: String,
    pub state: State,
    pub words: Words,
    capabilities: Vec<&'static str>,
    pub can_redo: Option<bool>,
    pub is_live: bool,
    is_greeted: bool,
    pub diverged: bool,
    pub head_is_lost: bool,
    pub stale: bool,
    stopping_since: Option<f64>,
    /// HEAD when a new socket was opened because the history was torn.
    asked_at: Option<String>,
    /// The HEAD of a torn history that a new socket did not mend.
    in_vain: Option<String>,
    /// Of the acts of the server that no frame tells of, how many came before the latest snapshot.
    pub silences: u32,
}

impl Default for Belief {
    fn default() -> Self {
        Belief {
            parents: HashMap::new(),
            turns: HashMap::new(),
            shown: Vec::new(),
            head: ROOT.to_owned(),
            state: State::Unavailable,
            words: Words::C,
            capabilities: Vec::new(),
            can_redo: Some(false),
            is_live: false,
            is_greeted: false,
            diverged: false,
            head_is_lost: false,
            stale: false,
            stopping_since: None,
            asked_at: None,
            in_vain: None,
            silences: 0,
        }
    }
}

impl Belief {
    pub fn knows(&self, id: &str) -> bool {
        id == ROOT || self.parents.contains_key(id)
    }

    pub fn is_torn(&self) -> bool {
        self.diverged || self.head_is_lost
    }

    pub fn is_running(&self) -> bool {
        self.is_live && self.state.is_busy() && !self.stale
    }

    pub fn needs_resync(&self) -> bool {
        let was_in_vain = self.in_vain.as_ref() == Some(&self.head);
        self.is_torn() && self.is_live && self.is_greeted && !self.is_running() && !was_in_vain
    }

    /// T4.
    pub fn path(&self) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = self.parents.get_key_value(&self.head);
        while let Some((id, parent)) = at {
            path.push(id.as_str());
            at = self.parents.get_key_value(parent);
        }
        path.reverse();
        path
    }

    pub fn opened(&mut self) {
        self.asked_at = self.is_torn().then(|| self.head.clone());
        self.is_live = true;
        self.is_greeted = false;
    }

    fn closed(&mut self) {
        self.is_live = false;
        self.is_greeted = false;
        self.stale = false;
        self.stopping_since = None;
        self.can_redo = None;
    }

    /// R9.
    pub fn tick(&mut self, now: f64) {
        if self.is_live && self.state == State::Stopping && !self.stale {
            let since = *self.stopping_since.get_or_insert(now);
            self.stale = now - since >= STOPPING_LIMIT;
        }
    }

    fn put(&mut self, step: &Step) -> bool {
        self.turns.insert(step.id.clone(), step.turn.clone());
        self.parents.insert(step.id.clone(), step.parent.clone()).is_none()
    }

    pub fn hear(&mut self, words: Words, frame: &Frame) {
        match frame {
            Frame::Snapshot { state, steps, head, can_redo, capabilities, silences, .. } => {
                let at_connect = !std::mem::replace(&mut self.is_greeted, true);
                self.words = words;
                let (parents, turns) = (std::mem::take(&mut self.parents), std::mem::take(&mut self.turns));
                for step in steps {
                    self.put(step);
                }
                self.head.clone_from(head);
                self.diverged = false;
                self.head_is_lost = !self.knows(head);
                if self.head_is_lost {
                    // T5: what was on show stays.
                    for id in &self.shown {
                        self.parents.entry(id.clone()).or_insert_with(|| parents[id].clone());
                        self.turns.entry(id.clone()).or_insert_with(|| turns[id].clone());
                    }
                }
                self.in_vain = self.asked_at.clone().filter(|asked| asked == head && self.is_torn());
                self.can_redo = Some(*can_redo);
                self.capabilities.clone_from(capabilities);
                self.stale = *state == State::Stopping && (at_connect || self.stale);
                if *state != State::Stopping {
                    self.stopping_since = None;
                }
                self.state = *state;
                self.silences = *silences;
            }
            Frame::Step(step) => {
                self.stopping_since = None;
                if self.put(step) {
                    if step.is_user {
                        self.can_redo = Some(false);
                    }
                    if step.parent == self.head || step.id == self.head || self.head_is_lost {
                        self.head.clone_from(&step.id);
                        self.head_is_lost = false;
                    } else {
                        self.diverged = true;
                    }
                }
            }
            Frame::Status(state) => self.rest_or_run(*state),
            Frame::Complete => self.rest_or_run(State::Available),
            Frame::Head { head, can_redo, steps, .. } => {
                if words == Words::A || words == Words::APrime {
                    for step in steps {
                        self.put(step);
                    }
                }
                self.head.clone_from(head);
                self.head_is_lost = !self.knows(head);
                self.diverged = false;
                self.can_redo = Some(*can_redo);
            }
            Frame::Error { text, code } => match (text.as_str(), code) {
                ("Agent not found", None) => self.rest_or_run(State::Unavailable),
                ("Nothing to redo", None | Some("")) => self.can_redo = Some(false),
                _ => {}
            },
            Frame::Close => self.closed(),
        }
        if !self.head_is_lost {
            self.shown = self.path().into_iter().map(str::to_owned).collect();
        }
        if !self.is_torn() {
            (self.in_vain, self.asked_at) = (None, None);
        }
    }

    fn rest_or_run(&mut self, state: State) {
        self.stale = self.stale && state == State::Stopping;
        self.stopping_since = None;
        self.state = state;
    }

    fn supports(&self, capability: &str) -> bool {
        match self.words {
            Words::D => self.capabilities.contains(&capability),
            Words::C => capability != "checkout",
            _ => false,
        }
    }

    /// R2: the first reason against a command.
    pub fn refuses(&self, asked: &Ask, has_pending: bool) -> Option<Refusal> {
        let capability = match asked {
            Ask::Prompt(_) | Ask::Stop => None,
            Ask::Revert(_) => Some("revert"),
            Ask::Redo => Some("redo"),
            Ask::Checkout(_) | Ask::RevertStep(_) => Some("checkout"),
        };
        if !self.is_live {
            return Some(Refusal::Offline);
        }
        if capability.is_some_and(|capability| !self.supports(capability)) {
            return Some(Refusal::Unsupported);
        }
        if has_pending {
            return Some(Refusal::Pending);
        }
        match (asked, self.state) {
            (Ask::Stop, State::Generating) => return None,
            (Ask::Stop, State::Stopping) => return Some(Refusal::Busy),
            (Ask::Stop, _) => return Some(Refusal::NotRunning),
            _ if self.is_running() => return Some(Refusal::Busy),
            _ => {}
        }
        match asked {
            Ask::Prompt(text) => text.trim().is_empty().then_some(Refusal::EmptyPrompt),
            Ask::Redo => (self.can_redo == Some(false)).then_some(Refusal::NothingToRedo),
            Ask::Checkout(step) => (!self.knows(step)).then_some(Refusal::UnknownStep),
            Ask::RevertStep(step) if step == ROOT || !self.knows(step) => Some(Refusal::UnknownStep),
            Ask::RevertStep(step) => (!self.path().contains(&step.as_str())).then_some(Refusal::NotOnPath),
            Ask::Revert(turn) if !self.turns.values().any(|known| known == turn) => {
                Some(Refusal::UnknownTurn)
            }
            Ask::Revert(turn) => {
                let is_on_path = self.path().iter().any(|step| self.turns.get(*step) == Some(turn));
                (!is_on_path).then_some(Refusal::NotOnPath)
            }
            Ask::Stop => None,
        }
    }
}
