//! R3, R4, R6, R8–R11, R16: clients and a server, in any order of events.
//!
//! The server is naive ([`server`]) and says what it says in frames, in one of the dialects ([`wire`]); half of all servers have bad habits
//! that were seen in the wild. One to four clients ([`client`]) ask for whatever they like, lose their sockets, wait too long. After each event
//! a client is what a naive reader of the same frames would be. When all has come to rest (**quiet**), each client is what the server is:
//! path, HEAD, state, what can be redone, content; and each command has had one answer. A client needs a new socket for that only when
//! something was never said to it; what a good server says is enough.

mod belief;
mod client;
mod habits;
mod runs;
mod server;
mod wire;

use super::Dice;
use belief::Ask;
use client::{Client, STOPPING_LIMIT, TIMEOUT};
use server::{ROOT, Server};
use wire::{Frame, State};

const PROMPTS: [&str; 6] = ["hello", "go on", " go on ", "", "a \"quoted\" 🙏", "  \n"];

/// A server, its clients, and the time.
struct World {
    dice: Dice,
    server: Server,
    clients: Vec<Client>,
    now: f64,
}

/// Plays one schedule; panics when something does not hold.
pub fn one_case(seed: u64) {
    let mut world = World::new(seed);
    for _ in 0..=world.dice.roll(2) {
        for _ in 0..world.dice.roll(80) {
            world.event();
        }
        world.quiet();
    }
}

impl World {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let server = Server::new(&mut dice);
        let clients = 1 + dice.roll(4);
        let is_alone = clients == 1 && server.habits.are_good() && !server.rewords;
        let clients = (0..clients).map(|_| Client::new(dice.roll(3) == 0, is_alone)).collect();
        World { dice, server, clients, now: 1_000.0 }
    }

    fn event(&mut self) {
        self.now += self.dice.roll(6) as f64;
        let at = self.dice.roll(self.clients.len());
        match self.dice.roll(40) {
            0..=13 => self.deliver_down(at),
            14..=20 => self.deliver_up(at),
            21..=27 => self.go_on(),
            28..=34 => self.ask(at),
            35 => self.cut(at),
            36 => self.tick(),
            37 => self.server_acts(),
            38 => {
                let what = self.dice.roll(3);
                self.clients[at].edit(what);
            }
            _ => {}
        }
        if !self.clients[at].belief.is_live && self.dice.roll(3) == 0 {
            self.connect(at);
        }
    }

    /// Puts what the server says on the wires.
    fn send(&mut self) {
        for (to, frame) in std::mem::take(&mut self.server.says) {
            for (at, client) in self.clients.iter_mut().enumerate() {
                if client.wire.is_open && to.is_none_or(|to| to == at) {
                    client.wire.down.push_back((self.server.words, frame.clone()));
                }
            }
        }
    }

    fn deliver_down(&mut self, at: usize) {
        let client = &mut self.clients[at];
        if let Some((words, frame)) = client.wire.down.pop_front() {
            client.hear(words, &frame);
            if self.server.habits.are_good() {
                assert!(!client.belief.is_torn(), "what a good server says fits together");
            }
        }
    }

    fn deliver_up(&mut self, at: usize) {
        let Some((ticket, text)) = self.clients[at].wire.up.pop_front() else { return };
        let asked = self.server.words.read(&text);
        if self.server.hear(&mut self.dice, at, &asked) {
            self.clients[at].note_done(ticket);
        }
        self.send();
    }

    fn go_on(&mut self) {
        self.server.go_on(&mut self.dice);
        self.send();
    }

    fn ask(&mut self, at: usize) {
        let ask = self.wish();
        self.clients[at].ask(ask, self.now);
    }

    /// Something to ask for, often something that makes no sense.
    fn wish(&mut self) -> Ask {
        let dice = &mut self.dice;
        let (steps, path) = (&self.server.steps, self.server.path(&self.server.head));
        let step = match dice.roll(12) {
            0 => ROOT,
            1 => "nobody",
            2..=5 => path.get(dice.roll(path.len())).copied().unwrap_or(ROOT),
            _ => steps.get(dice.roll(steps.len())).map_or("", |step| step.id.as_str()),
        };
        let turn = self.server.step(step).map_or("nothing", |step| step.turn.as_str());
        match dice.roll(14) {
            0..=4 => Ask::Prompt(dice.pick(&PROMPTS).to_owned()),
            5 => Ask::Stop,
            6..=8 => Ask::Revert(turn.to_owned()),
            9..=11 => Ask::Redo,
            12 => Ask::Checkout(step.to_owned()),
            _ => Ask::RevertStep(step.to_owned()),
        }
    }

    fn tick(&mut self) {
        self.now += self.dice.roll(120) as f64;
        let now = self.now;
        self.clients.iter_mut().for_each(|client| client.tick(now));
    }

    fn cut(&mut self, at: usize) {
        let words = self.server.words;
        let client = &mut self.clients[at];
        if client.wire.is_open {
            client.wire.cut(words);
        }
        match self.dice.roll(3) {
            // It notices at once, later, or not before there is another one.
            0 => self.deliver_down(at),
            1 => {}
            _ => self.connect(at),
        }
    }

    fn connect(&mut self, at: usize) {
        let client = &mut self.clients[at];
        client.wire = wire::Wire { is_open: true, ..Default::default() };
        client.connect();
        let frames = match self.server.missing {
            0 => vec![self.server.snapshot(&mut self.dice)],
            _ => {
                self.server.missing -= 1;
                client.wire.is_open = false;
                vec![Frame::Error { text: "Agent not found".to_owned(), code: None }, Frame::Close]
            }
        };
        client.wire.down.extend(frames.into_iter().map(|frame| (self.server.words, frame)));
    }

    /// Something that none of the clients asked for.
    fn server_acts(&mut self) {
        let is_alone = self.clients.len() == 1;
        let dice = &mut self.dice;
        match dice.roll(5) {
            0 => {
                let to = (dice.roll(2) == 0).then(|| dice.roll(self.clients.len()));
                let snapshot = self.server.snapshot(dice);
                self.server.says.push((to, snapshot));
            }
            1 if !is_alone => drop(self.server.prompt(dice, "from elsewhere")),
            _ => {
                if self.server.misbehave(dice) {
                    let words = self.server.words;
                    self.clients.iter_mut().for_each(|client| client.wire.cut(words));
                }
            }
        }
        self.send();
    }

    /// Lets everything happen that is on its way.
    fn flush(&mut self) {
        loop {
            for at in 0..self.clients.len() {
                while !self.clients[at].wire.down.is_empty() {
                    self.deliver_down(at);
                }
                while !self.clients[at].wire.up.is_empty() {
                    self.deliver_up(at);
                }
            }
            self.go_on();
            let is_still = |client: &Client| client.wire.down.is_empty() && client.wire.up.is_empty();
            if !self.server.is_running() && self.clients.iter().all(is_still) {
                return;
            }
        }
    }

    fn wait(&mut self, how_long: f64) {
        self.now += how_long;
        let now = self.now;
        self.clients.iter_mut().for_each(|client| client.tick(now));
    }

    fn quiet(&mut self) {
        self.server.missing = 0;
        self.flush();
        if self.server.habits.are_good() {
            let waits = |client: &Client| client.belief.is_live && client.pending.is_some();
            assert!(!self.clients.iter().any(waits), "R8: a good server answers everything");
        }
        self.wait(1.0);
        self.wait(TIMEOUT.max(STOPPING_LIMIT));
        for _ in 0..3 {
            for at in 0..self.clients.len() {
                if self.has_to_connect(at) {
                    self.connect(at);
                }
            }
            self.flush();
        }
        for at in 0..self.clients.len() {
            self.compare(at);
        }
    }

    /// Whether a client cannot know how things are on the socket that it has.
    fn has_to_connect(&self, at: usize) -> bool {
        let (client, server) = (&self.clients[at], &self.server);
        if !client.belief.is_live {
            return true;
        }
        let path = server.path(&server.head);
        let is_in_the_dark = client.belief.silences != server.silences
            || !client.knows_all(&path)
            // What it saw before its server lost it stays on show.
            || !server.is_whole();
        assert!(!(server.habits.are_good() && is_in_the_dark), "a good server says everything");
        is_in_the_dark || client.view().needs_resync
    }

    /// The client is what the server is.
    fn compare(&mut self, at: usize) {
        let (client, server) = (&mut self.clients[at], &self.server);
        assert!(
            client.pending.is_none() && client.given == client.settled,
            "R8: every command has its answer"
        );
        let head_is_there = server.head == ROOT || server.step(&server.head).is_some();
        let view = client.view();
        assert!(view.live && !view.needs_resync);
        assert_eq!(view.agent_state, server.state.word(), "R6: state");
        assert_eq!(view.head_id, server.head, "R6: HEAD");
        assert_eq!(view.can_redo, Some(server.can_redo()), "R3, R4");
        assert_eq!(view.path_status == "unknown_head", !head_is_there);
        let is_sticky = server.state == State::Stopping;
        assert!(view.autosave && view.stale_stopping == is_sticky, "R9, R10: nothing is going on");
        if !head_is_there {
            return;
        }
        let history = client.engine.history();
        let shown = history.path().iter().map(|step| history.tree().id(step));
        assert!(shown.eq(server.path(&server.head)), "R6: the path");
        if server.habits.are_good() && client.view().redo_leads_to.is_some() {
            let turn = server.redo.last().and_then(|step| server.step(step)).map(|step| step.turn.as_str());
            assert_eq!(client.view().redo_leads_to.as_deref(), turn, "R5: where a redo leads");
        }
        assert!(client.engine.turns().iter().all(|turn| turn.ended != "running"), "H1: nothing runs");
        let content = client.engine.content(None);
        let expected = format!(r#"{{"v":{}}}"#, server.content);
        if content.is_some() || server.content_is_told() {
            assert_eq!(content.as_deref(), Some(expected.as_str()), "R7: the content at HEAD");
        }
        if let (Some(canvas), Some(_)) = (&client.canvas, &content) {
            assert!(!client.canvas_follows || *canvas == expected, "P14: the canvas follows HEAD");
            client.sync();
            assert_eq!(client.canvas.as_deref(), Some(expected.as_str()), "P14: the canvas at HEAD");
        }
    }
}
