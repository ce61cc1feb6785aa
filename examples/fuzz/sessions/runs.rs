//! The runs of a server: a turn from its prompt to its last step.

use std::rc::Rc;

use super::Dice;
use super::server::Server;
use super::wire::{Frame, State, Step, Words};

pub struct Run {
    turn: String,
    /// Where its next step hangs, unless HEAD has gone elsewhere meanwhile.
    at: String,
    last: Option<String>,
    made: usize,
    left: usize,
    content: u32,
}

impl Server {
    pub fn begin_turn(&mut self, dice: &mut Dice, text: &str) {
        self.redo.clear();
        let id = self.new_id();
        let turn = format!("msg-{id}");
        let says = if self.rewords { format!("{text}, please") } else { text.to_owned() };
        let content = Some([self.content; 2]);
        let step = Step {
            id: id.clone(),
            parent: self.head.clone(),
            turn: turn.clone(),
            number: 0,
            is_user: true,
            says,
            is_begin: true,
            is_end: true,
            content,
        };
        self.add(dice, step);
        self.runs.push(Run { turn, at: id, last: None, made: 0, left: dice.roll(4), content: self.content });
    }

    /// One of its runs goes on: it takes a step, or ends.
    pub fn go_on(&mut self, dice: &mut Dice) {
        let at = dice.roll(self.runs.len());
        if at >= self.runs.len() {
            return;
        }
        if self.runs[at].left > 0 && self.state != State::Stopping {
            let run = &mut self.runs[at];
            run.left -= 1;
            let changes = dice.roll(3);
            self.agent_step(dice, at, "", (true, false), changes);
            if self.runs.len() > 1 && dice.roll(2) == 0 {
                // Who asked meanwhile is told once more what they asked.
                let again = self.steps.iter().rev().find(|step| step.is_user).cloned();
                again.into_iter().for_each(|step| self.tell(Frame::Step(step)));
            }
            return;
        }
        match (self.state, dice.roll(6)) {
            (State::Stopping, _) => self.notice(dice, at, "Generation stopped by user."),
            (_, 0) => self.notice(dice, at, "Error: the model is away"),
            _ => self.say_the_end(at),
        }
        self.runs.remove(at);
        self.state = State::Available;
        let has_word = matches!(self.words, Words::A | Words::APrime);
        self.tell(if has_word { Frame::Complete } else { Frame::Status(State::Available) });
    }

    fn agent_step(
        &mut self,
        dice: &mut Dice,
        at: usize,
        says: &str,
        (may_begin, is_end): (bool, bool),
        changes: usize,
    ) {
        let id = self.new_id();
        let run = &self.runs[at];
        // With HEAD as it is, unless it is another run's business altogether.
        let is_overtaken = !self.path(&self.head).contains(&run.at.as_str());
        let (parent, before) = match is_overtaken {
            true => (run.at.clone(), run.content),
            false => (self.head.clone(), self.content),
        };
        let after = if changes == 2 { before } else { self.contents + 1 };
        self.contents += 1;
        let step = Step {
            id: id.clone(),
            parent,
            turn: run.turn.clone(),
            number: run.made + 1,
            is_user: false,
            says: says.to_owned(),
            is_begin: may_begin && run.made == 0,
            is_end,
            content: (changes > 0).then_some([before, after]),
        };
        let run = &mut self.runs[at];
        run.made += 1;
        run.at = id.clone();
        run.last = Some(id);
        run.content = step.content.map_or(before, |[_, after]| after);
        self.add(dice, step);
    }

    /// What ends a run in words comes twice.
    fn notice(&mut self, dice: &mut Dice, at: usize, says: &str) {
        self.agent_step(dice, at, says, (false, true), 0);
        let last = self.says.last().cloned();
        if let Some((to, Frame::Step(step))) = last {
            self.says.push((to, Frame::Step(step)));
        }
    }

    fn say_the_end(&mut self, at: usize) {
        let Some(last) = self.runs[at].last.clone() else { return };
        let Some(step) = self.steps.iter_mut().find(|step| step.id == last) else { return };
        *step = Rc::new(Step { is_end: true, ..(**step).clone() });
        let step = Rc::clone(step);
        self.tell(Frame::Step(step));
    }
}
