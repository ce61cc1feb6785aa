//! P8: what several engines replay at once is there once, in whatever order they hear of each other.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

use headway::canvas::document::Document;
use headway::canvas::document::shape::Types;
use headway::content::{ContentIx, ContentStore, Schema};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Some engines on one document, each with what it was sent and has not heard yet.
struct Together {
    store: ContentStore,
    engines: Vec<Document>,
    /// For each engine: what it was sent, in the order in which a server in the middle sees it.
    inboxes: Vec<Vec<Vec<u8>>>,
}

impl Together {
    /// All show the same. `clients` are theirs.
    fn showing(start: &Value, clients: &[u64]) -> Self {
        let store = ContentStore::default();
        let engines: Vec<Document> = clients
            .iter()
            .map(|client| Document::open(&Schema::texera(), Types::Apart, *client).unwrap())
            .collect();
        let inboxes = vec![Vec::new(); clients.len()];
        let mut all = Together { store, engines, inboxes };
        // Somebody who is not here any more has put it there.
        let mut first = Document::open(&Schema::texera(), Types::Apart, 99).unwrap();
        let content = all.content(start);
        let shown = first.content(&mut all.store, Some(content)).unwrap();
        let edits = all.store.diff(shown, content);
        let update = first.replay(&all.store, &edits, content).unwrap();
        for engine in &mut all.engines {
            update.iter().for_each(|update| engine.apply_update(update).unwrap());
        }
        all
    }

    fn content(&mut self, value: &Value) -> ContentIx {
        let content = self.store.take_in(&value.to_string(), None).unwrap();
        self.store.repair(content).content
    }

    fn tell(&mut self, from: usize, written: Option<Vec<u8>>) {
        let Some(update) = self.engines[from].tell(written) else { return };
        for (_, inbox) in self.inboxes.iter_mut().enumerate().filter(|(to, _)| *to != from) {
            inbox.push(update.clone());
        }
    }

    fn replay(&mut self, at: usize, target: &Value) {
        let target = self.content(target);
        self.engines[at].before_replay().unwrap();
        let shown = self.engines[at].content(&mut self.store, Some(target)).unwrap();
        let edits = self.store.diff(shown, target);
        let written = self.engines[at].replay(&self.store, &edits, target).unwrap();
        self.tell(at, written);
    }

    /// One of the updates that an engine was sent, the oldest is 0. What is kept comes again.
    fn hear(&mut self, to: usize, which: usize, is_kept: bool) {
        let inbox = &mut self.inboxes[to];
        if which >= inbox.len() {
            return;
        }
        let update = if is_kept { inbox[which].clone() } else { inbox.remove(which) };
        self.engines[to].apply_update(&update).unwrap();
        self.tell(to, None);
    }

    /// Until nothing is left to be heard.
    fn hear_all(&mut self) {
        for _ in 0..1_000 {
            let Some(to) = self.inboxes.iter().position(|inbox| !inbox.is_empty()) else { return };
            self.hear(to, 0, false);
        }
        panic!("they never stop talking");
    }

    fn shows(&mut self, at: usize, near: &Value) -> ContentIx {
        let near = self.content(near);
        self.engines[at].content(&mut self.store, Some(near)).unwrap()
    }

    #[track_caller]
    fn assert_all_show(&mut self, target: &Value) {
        let wanted = self.content(target);
        for at in 0..self.engines.len() {
            let shown = self.shows(at, target);
            if shown != wanted {
                let text = self.store.text(shown).unwrap();
                panic!("engine {at} shows {text}\ninstead of {target}");
            }
            // And so does who knows only the bytes.
            let mut again = Document::open(&Schema::texera(), Types::Apart, 777).unwrap();
            again.apply_update(&self.engines[at].diff(None).unwrap()).unwrap();
            assert_eq!(again.content(&mut self.store, Some(wanted)).unwrap(), wanted);
        }
    }
}

/// One operator of these properties.
fn one(properties: Value) -> Value {
    with(&[("a", properties)])
}

fn with(operators: &[(&str, Value)]) -> Value {
    let list: Vec<Value> = operators
        .iter()
        .map(|(id, properties)| {
            json!({"operatorID": id, "operatorType": "Any", "operatorProperties": properties})
        })
        .collect();
    let positions: serde_json::Map<String, Value> =
        operators.iter().map(|(id, _)| ((*id).into(), json!({"x": 0, "y": 0}))).collect();
    json!({"operators": list, "operatorPositions": positions, "links": [], "commentBoxes": []})
}

const AGES: [&str; 4] = ["age > 30", "age > 40", "age > 45", "age > 30"];

fn says(text: &str) -> Value {
    one(json!({"says": text}))
}

fn rows(rows: Value) -> Value {
    one(json!({"rows": rows}))
}

/// In either order of the clients: which of them is the lower must not matter.
fn either_way(test: impl Fn(Together), start: &Value) {
    for clients in [[1, 2], [2, 1]] {
        test(Together::showing(start, &clients));
    }
}

#[test]
fn p8_what_both_splice_into_a_text_is_there_once() {
    either_way(
        |mut all| {
            all.replay(0, &says(AGES[1]));
            all.replay(1, &says(AGES[1]));
            all.hear_all();
            all.assert_all_show(&says(AGES[1]));
        },
        &says(AGES[0]),
    );
}

#[test]
fn p8_characters_outside_of_the_basic_plane_are_cut_nowhere() {
    either_way(
        |mut all| {
            for at in [0, 1] {
                all.replay(at, &says("a😁😁b"));
            }
            all.hear_all();
            all.assert_all_show(&says("a😁😁b"));
        },
        &says("a😀b"),
    );
}

#[test]
fn p8_items_that_both_put_into_a_list_are_there_once() {
    let items = json!(["a", 1, 1, null, {"name": "r", "as": "x"}, {"name": "r", "as": "x"}, ["b"], "z"]);
    either_way(
        |mut all| {
            for at in [0, 1] {
                all.replay(at, &rows(items.clone()));
            }
            all.hear_all();
            all.assert_all_show(&rows(items.clone()));
        },
        &rows(json!(["a", "z"])),
    );
}

#[test]
fn p8_of_three_and_four_one_stays_whoever_hears_whom_first() {
    for clients in [vec![1, 2, 3], vec![3, 1, 2], vec![2, 3, 1], vec![4, 1, 3, 2]] {
        for first in 0..clients.len() {
            let mut all = Together::showing(&says(AGES[0]), &clients);
            (0..clients.len()).for_each(|at| all.replay(at, &says(AGES[1])));
            all.hear(first, 0, false);
            all.hear((first + 1) % clients.len(), 0, false);
            all.hear_all();
            all.assert_all_show(&says(AGES[1]));
        }
    }
}

#[test]
fn p8_several_replays_of_one_before_it_hears_of_the_first_of_the_other() {
    either_way(
        |mut all| {
            for age in &AGES[1..3] {
                all.replay(0, &says(age));
            }
            all.replay(1, &says(AGES[1]));
            all.hear(0, 0, false);
            // What came late is gone with what it is the twin of, and so nobody takes it for an edit by hand.
            let late = all.shows(0, &says(AGES[2]));
            assert_eq!(late, all.content(&says(AGES[2])));
            all.replay(1, &says(AGES[2]));
            all.hear_all();
            all.assert_all_show(&says(AGES[2]));
        },
        &says(AGES[0]),
    );
}

#[test]
fn p8_there_and_back_by_both_at_once() {
    for turns in 2..4 {
        either_way(
            |mut all| {
                for age in &AGES[1..=turns] {
                    all.replay(0, &says(age));
                    all.replay(1, &says(age));
                }
                all.hear_all();
                all.assert_all_show(&says(AGES[turns]));
            },
            &says(AGES[0]),
        );
    }
}

#[test]
fn p8_updates_that_come_twice_or_the_last_first() {
    either_way(
        |mut all| {
            for age in &AGES[1..3] {
                all.replay(0, &says(age));
                all.replay(1, &says(age));
            }
            for to in [0, 1] {
                all.hear(to, 1, true);
                all.hear(to, 0, true);
                all.hear(to, 1, true);
            }
            all.hear_all();
            all.assert_all_show(&says(AGES[2]));
        },
        &says(AGES[0]),
    );
}

#[test]
fn p8_all_that_one_has_at_once_in_place_of_its_updates() {
    either_way(
        |mut all| {
            for age in &AGES[1..3] {
                all.replay(0, &says(age));
                all.replay(1, &says(age));
            }
            for (to, from) in [(0, 1), (1, 0)] {
                let known = all.engines[to].state_vector().unwrap();
                let update = all.engines[from].diff(Some(&known)).unwrap();
                all.engines[to].apply_update(&update).unwrap();
                all.tell(to, None);
            }
            all.hear_all();
            all.assert_all_show(&says(AGES[2]));
        },
        &says(AGES[0]),
    );
}

#[test]
fn p8_one_who_has_seen_two_write_and_replays_then() {
    for clients in [[1, 2, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
        let mut all = Together::showing(&rows(json!(["x", "x"])), &clients);
        let target = rows(json!([0, 0]));
        all.replay(0, &target);
        all.replay(2, &target);
        all.hear(1, 0, false);
        all.hear(1, 0, false);
        all.replay(1, &target);
        all.hear_all();
        all.assert_all_show(&target);
    }
}

#[test]
fn p8_what_lies_in_a_twin_is_not_what_lies_in_the_other() {
    let mut all = Together::showing(&rows(json!([""])), &[13, 12, 14, 11]);
    let [made, filled] = [rows(json!([[]])), rows(json!([[""]]))];
    all.replay(2, &made);
    all.hear(3, 0, false);
    (0..4).for_each(|at| all.replay(at, &made));
    (0..4).for_each(|at| all.replay(at, &filled));
    all.hear_all();
    all.assert_all_show(&filled);
}

#[test]
fn p8_what_is_gone_and_only_one_has_heard_of_is_in_nobodys_way() {
    let versions = [json!([]), json!([""]), json!([0]), json!([null])].map(rows);
    let mut all = Together::showing(&versions[0], &[11, 12, 13]);
    all.replay(0, &versions[1]);
    all.replay(0, &versions[2]);
    all.replay(1, &versions[1]);
    all.replay(2, &versions[1]);
    all.hear(0, 0, false);
    all.replay(0, &versions[3]);
    for version in &versions[2..] {
        all.replay(1, version);
        all.replay(2, version);
    }
    all.hear_all();
    all.assert_all_show(&versions[3]);
}

#[test]
fn p8_twice_the_same_by_one_is_left_twice() {
    either_way(
        |mut all| {
            all.replay(0, &rows(json!(["x"])));
            all.hear_all();
            all.replay(0, &rows(json!(["x", "x"])));
            all.hear_all();
            all.replay(1, &rows(json!(["x", "x", "x"])));
            all.hear_all();
            all.assert_all_show(&rows(json!(["x", "x", "x"])));
        },
        &rows(json!([])),
    );
}

#[test]
fn p8_other_things_at_the_same_place_are_both_there() {
    either_way(
        |mut all| {
            all.replay(0, &rows(json!(["x"])));
            all.replay(1, &rows(json!(["y"])));
            all.hear_all();
            let shown = all.shows(0, &rows(json!([])));
            let text = all.store.text(shown).unwrap();
            assert!(text.contains(r#"["x","y"]"#) || text.contains(r#"["y","x"]"#), "{text}");
            assert_eq!(all.shows(1, &rows(json!([]))), shown);
        },
        &rows(json!([])),
    );
}

#[test]
fn p8_more_than_is_remembered() {
    let many = |text: &str| rows((0..1_500).map(|n| json!(format!("{n} {text}"))).collect());
    either_way(
        |mut all| {
            // Each item is a text of its own, and each of them changes.
            all.replay(0, &many("b"));
            all.replay(1, &many("b"));
            all.hear_all();
            assert_eq!(all.shows(0, &many("b")), all.shows(1, &many("b")));
            all.replay(0, &many("b"));
            all.hear_all();
            all.assert_all_show(&many("b"));
        },
        &many("a"),
    );
}

// ── whatever happens ─────────────────────────────────────────────────────────────────────────────────────────────

fn words() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "age > 30", "age > 40", "age > 45", "age < 40", "a😀", "a😁b", "aa", "aaa"])
        .prop_map(str::to_owned)
}

fn item() -> impl Strategy<Value = Value> {
    prop_oneof![
        words().prop_map(Value::from),
        (0..3).prop_map(Value::from),
        Just(Value::Null),
        (0..3, words()).prop_map(|(n, word)| json!({"n": n, "as": word})),
        prop::collection::vec(words(), 0..2).prop_map(Value::from),
    ]
}

fn properties() -> impl Strategy<Value = Value> {
    (words(), prop::collection::vec(item(), 0..4), 0..3).prop_map(|(says, rows, n)| {
        let mut all = json!({"says": says, "rows": rows, "n": n});
        if n == 2 {
            all.as_object_mut().unwrap().remove("says");
        }
        all
    })
}

/// What HEAD has; told in one line when something fails.
#[derive(Clone)]
struct Target(Value);

impl std::fmt::Debug for Target {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for operator in self.0["operators"].as_array().unwrap() {
            write!(out, "{} {} ", operator["operatorID"], operator["operatorProperties"])?;
        }
        Ok(())
    }
}

fn target() -> impl Strategy<Value = Target> {
    (properties(), prop::option::of(properties())).prop_map(|(a, b)| match b {
        Some(b) => Target(with(&[("a", a), ("b", b)])),
        None => Target(one(a)),
    })
}

#[derive(Clone, Copy)]
enum Event {
    Replay(usize),
    Hear { to: usize, which: usize, is_kept: bool },
}

impl std::fmt::Debug for Event {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Event::Replay(at) => write!(out, "Replay({at})"),
            Event::Hear { to, which, is_kept } => {
                write!(out, "Hear {{ to: {to}, which: {which}, is_kept: {is_kept} }}")
            }
        }
    }
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        1 => (0..4usize).prop_map(Event::Replay),
        2 => (0..4usize, 0..4usize, any::<bool>())
            .prop_map(|(to, which, is_kept)| Event::Hear { to, which, is_kept }),
    ]
}

/// In which order the clients are decides who stays.
fn clients() -> impl Strategy<Value = Vec<u64>> {
    Just(vec![11u64, 12, 13, 14])
        .prop_shuffle()
        .prop_flat_map(|all| (2..=4usize).prop_map(move |n| all[..n].to_vec()))
}

/// Whatever happens in one head change after the other, none waiting for the last.
fn play(clients: &[u64], targets: &[Target], events: &[Event]) -> Together {
    let mut all = Together::showing(&targets[0].0, clients);
    let count = clients.len();
    let mut next = vec![1; count];
    let replay = |all: &mut Together, at: usize, next: &mut Vec<usize>| {
        if next[at] < targets.len() {
            all.replay(at, &targets[next[at]].0);
            next[at] += 1;
        }
    };
    for event in events {
        match *event {
            Event::Replay(at) => replay(&mut all, at % count, &mut next),
            Event::Hear { to, which, is_kept } => {
                let to = to % count;
                all.hear(to, which, is_kept);
            }
        }
    }
    for _ in 0..targets.len() {
        for at in 0..count {
            replay(&mut all, at, &mut next);
        }
    }
    all.hear_all();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, ..ProptestConfig::default() })]

    #[test]
    fn p8_whoever_hears_what_when_all_show_where_head_moved(
        clients in clients(),
        targets in prop::collection::vec(target(), 2..6),
        events in prop::collection::vec(prop::collection::vec(event(), 0..15), 6),
        in_order in any::<bool>(),
    ) {
        // Among more than two, nobody hears what follows from something before that.
        let in_order = in_order || clients.len() > 2;
        let mut all = Together::showing(&targets[0].0, &clients);
        for (target, events) in targets[1..].iter().zip(&events) {
            let mut is_done = vec![false; clients.len()];
            for event in events {
                match *event {
                    Event::Replay(at) => {
                        let at = at % clients.len();
                        if !std::mem::replace(&mut is_done[at], true) {
                            all.replay(at, &target.0);
                        }
                    }
                    Event::Hear { to, which, is_kept } => {
                        all.hear(to % clients.len(), if in_order { 0 } else { which }, is_kept);
                    }
                }
            }
            (0..clients.len()).filter(|at| !is_done[*at]).for_each(|at| all.replay(at, &target.0));
            all.hear_all();
            all.assert_all_show(&target.0);
        }
    }

    #[test]
    fn p8_whatever_order_they_come_in_documents_are_the_same_and_one_who_is_asked_mends_them(
        clients in clients(),
        targets in prop::collection::vec(target(), 2..5),
        events in prop::collection::vec(event(), 0..30),
    ) {
        let last = &targets.last().unwrap().0;
        let mut all = play(&clients, &targets, &events);
        let shown = all.shows(0, last);
        for at in 0..clients.len() {
            prop_assert_eq!(all.shows(at, last), shown);
        }
        all.replay(0, last);
        all.hear_all();
        all.assert_all_show(last);
    }
}
