//! A client: an engine, its host, and what a naive reader of the same frames would believe ([`super::belief`]).

use headway::canvas::Plan;
use headway::engine::{CommandName, Options, ViewHeader};
use headway::session::ManualEdits;
use headway::wire::PromptSource;
use headway::{Engine, Outcome, Refusal};

use super::belief::{Ask, Belief};
use super::wire::{Frame, Wire, Words};

/// How long a client waits for an answer.
pub const TIMEOUT: f64 = 150.0;
/// How long it waits for the end of a run that is being stopped.
pub const STOPPING_LIMIT: f64 = 300.0;

type Answer = Result<(headway::session::Ticket, Outcome), Refusal>;

/// What was asked and has no answer yet.
pub struct Pending {
    pub ticket: u32,
    pub ask: Ask,
    /// Whether the server did it.
    pub done: bool,
    /// The socket it was sent on, by number.
    socket: u32,
}

pub struct Client {
    pub engine: Engine,
    pub wire: Wire,
    pub belief: Belief,
    pub pending: Option<Pending>,
    pub given: u32,
    pub settled: u32,
    /// Whether nobody else asks the server for anything, and it is a good one.
    is_alone: bool,
    /// Whether an answer may be that to a command that was given up.
    pub has_given_up: bool,
    /// What a plain canvas shows.
    pub canvas: Option<String>,
    /// Whether nobody has edited the canvas since it showed HEAD.
    pub canvas_follows: bool,
    sockets: u32,
    view: ViewHeader,
}

impl Client {
    pub fn new(has_canvas: bool, is_alone: bool) -> Self {
        let options =
            Options { command_timeout: TIMEOUT, stopping_limit: STOPPING_LIMIT, ..Options::default() };
        let mut engine = Engine::new(options);
        let belief = Belief::default();
        let view = engine.view();
        let mut client = Client {
            engine,
            wire: Wire::default(),
            belief,
            pending: None,
            given: 0,
            settled: 0,
            is_alone,
            has_given_up: false,
            canvas: has_canvas.then(|| r#"{"v":0}"#.to_owned()),
            canvas_follows: false,
            sockets: 0,
            view,
        };
        if has_canvas {
            let outcome = client.engine.bind_canvas(true);
            client.take(outcome);
        }
        client
    }

    /// Does what the engine says, as a host does, and looks whether all is well.
    fn take(&mut self, outcome: Outcome) -> Option<String> {
        assert!(outcome.send.len() <= 1);
        for settled in &outcome.settled {
            let pending = self.pending.take();
            assert_eq!(
                pending.as_ref().map(|pending| pending.ticket),
                Some(settled.ticket),
                "R8: one answer each"
            );
            self.settled += 1;
            let code = settled.failure.as_ref().map(|failure| failure.code.as_str());
            self.has_given_up |= code == Some("timed_out");
            if let Some(pending) = pending {
                self.judge(&pending, code);
            }
        }
        let mut changed = outcome.changed;
        let mut looks = outcome.look_at_canvas;
        for _ in 0..4 {
            if !looks {
                break;
            }
            let (again, differs) = self.look();
            looks = again;
            changed |= differs;
        }
        assert!(!looks, "a canvas comes to rest");
        let view = self.engine.view();
        assert!(changed || view == self.view, "T8: nothing changed, but the view did");
        self.view = view;
        outcome.send.into_iter().next()
    }

    /// A client that is alone and has given nothing up knows what became of what it asked (R6, R8).
    fn judge(&self, pending: &Pending, code: Option<&str>) {
        if self.has_given_up || !self.is_alone {
            return;
        }
        match code {
            None if matches!(pending.ask, Ask::Stop) => {} // the run may have come to its end by itself
            // On a new socket HEAD is where it leads.
            None if matches!(&pending.ask, Ask::Checkout(step) if *step == self.belief.head) => {}
            None => assert!(pending.done, "R8: {:?} was not done", pending.ask),
            Some(code) => assert!(!pending.done, "R8: {:?} was done, not {code}", pending.ask),
        }
    }

    /// Reads and writes the canvas. Tells whether to look again, and whether there is something else to see.
    fn look(&mut self) -> (bool, bool) {
        let Some(canvas) = &mut self.canvas else { panic!("there is no canvas to look at") };
        let (plan, outcome) = self.engine.plan_canvas(canvas);
        let mut changed = outcome.changed;
        if let Plan::Write(content) = plan {
            *canvas = self.engine.content_text(content).unwrap();
            changed |= self.engine.canvas_written().changed;
        }
        (outcome.look_at_canvas, changed)
    }

    /// A person edits the canvas by hand.
    pub fn edit(&mut self, what: usize) {
        if let Some(canvas) = &mut self.canvas {
            *canvas = format!(r#"{{"v":{what},"mine":{what}}}"#);
            self.canvas_follows = false;
        }
    }

    pub fn connect(&mut self) {
        let outcome = self.engine.connected();
        self.belief.opened();
        self.sockets += 1;
        self.take(outcome);
        self.check();
    }

    /// A frame arrives, or the end of the socket.
    pub fn hear(&mut self, words: Words, frame: &Frame) {
        self.belief.hear(words, frame);
        let outcome = match frame {
            Frame::Close => self.engine.disconnected(),
            _ => self.engine.receive(&words.text(frame)),
        };
        self.take(outcome);
        self.check();
        if let (Frame::Snapshot { .. }, Some(pending)) = (frame, &self.pending) {
            assert_eq!(
                pending.socket, self.sockets,
                "R6: a snapshot tells what became of what an earlier socket was asked"
            );
        }
    }

    pub fn tick(&mut self, now: f64) {
        self.belief.tick(now);
        let outcome = self.engine.tick(now);
        self.take(outcome);
        self.check();
    }

    /// Asks, and holds what `can` said against what happens (R2).
    pub fn ask(&mut self, ask: Ask, now: f64) {
        let expected = self.belief.refuses(&ask, self.pending.is_some()).map_or(Ok(()), Err);
        let engine = &mut self.engine;
        let how = ManualEdits::Overwrite;
        let (can, answer): (_, Answer) = match &ask {
            Ask::Prompt(text) => {
                (engine.can(CommandName::Prompt), engine.prompt(text, PromptSource::Chat, now))
            }
            Ask::Stop => (engine.can(CommandName::Stop), engine.stop(now)),
            Ask::Revert(turn) => (engine.can_revert(turn), engine.revert(turn, now)),
            Ask::Redo => (engine.can(CommandName::Redo), engine.redo(now)),
            Ask::Checkout(step) => (engine.can_checkout(step), engine.checkout(step, how, now)),
            Ask::RevertStep(step) => (engine.can_revert_step(step), engine.revert_step(step, how, now)),
        };
        let said = answer.as_ref().map(|_| ()).map_err(|refusal| *refusal);
        if !self.belief.head_is_lost {
            assert_eq!(said, expected, "R2: {ask:?}");
        }
        if said != Err(Refusal::EmptyPrompt) {
            assert_eq!(can, said, "R2: `can` and the command, {ask:?}");
        }
        match answer {
            Ok((ticket, outcome)) => {
                assert!(self.pending.is_none(), "R8: one command at a time");
                self.given += 1;
                self.pending = Some(Pending { ticket, ask, done: false, socket: self.sockets });
                let text = self.take(outcome).unwrap();
                if self.wire.is_open {
                    self.wire.up.push_back((ticket, text));
                }
            }
            Err(_) => assert_eq!(self.engine.view(), self.view, "R2: a refusal changes nothing"),
        }
        self.check();
    }

    /// The server did what this client asked for, or did not.
    pub fn note_done(&mut self, ticket: u32) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.ticket == ticket) {
            pending.done = true;
        }
    }

    /// What holds after every event.
    fn check(&mut self) {
        let (view, belief) = (&self.view, &self.belief);
        assert_eq!(view.live, belief.is_live);
        assert_eq!(view.agent_state, belief.state.word());
        assert_eq!(view.head_id, belief.head, "T3, R11: HEAD");
        assert_eq!(view.diverged, belief.diverged, "T3");
        assert_eq!(view.can_redo, belief.can_redo, "R3, R4: what can be redone");
        assert_eq!(view.stale_stopping, belief.stale, "R9");
        assert_eq!(view.autosave, !belief.is_running(), "R10");
        assert_eq!(view.needs_resync, belief.needs_resync(), "R16");
        assert_eq!(view.pending.is_some(), self.pending.is_some(), "R8: each command is answered or waits");
        let history = self.engine.history();
        let shown = history.path().iter().map(|step| history.tree().id(step));
        if !belief.head_is_lost {
            let shown: Vec<&str> = shown.collect();
            assert_eq!(shown, belief.path(), "T4: the path");
        }
    }

    pub fn view(&self) -> &ViewHeader {
        &self.view
    }

    /// Whether nothing that the server has on its path is missing here.
    pub fn knows_all(&self, path: &[&str]) -> bool {
        path.iter().all(|id| self.belief.knows(id))
    }

    /// Brings the canvas to HEAD (P14), whatever was edited.
    pub fn sync(&mut self) {
        if let Ok(outcome) = self.engine.sync_canvas(ManualEdits::Overwrite) {
            self.take(outcome);
            self.canvas_follows = true;
        }
    }
}
