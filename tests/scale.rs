//! T6 and T7 in counted work: long chains, wide forks, and what a step costs in them.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

use headway::Engine;
use headway::engine::Options;
use headway::history::{History, PathStatus, StepData, StepIx, Turn};
use headway::wire::{Ending, Role, Usage};

fn data(history: &mut History, turn: &str) -> StepData {
    StepData {
        turn: history.name_turn(turn),
        role: Role::Agent,
        ending: Ending::Open,
        timestamp: 0.0,
        tool_calls: 1,
        usage: Usage::default().into(),
        before: None,
        after: None,
        text: "{}".into(),
    }
}

fn costing(history: &mut History, turn: &str, tokens: usize) -> StepData {
    let counts = [Some(tokens as f64), None, None, None];
    StepData { usage: Usage { counts }.into(), ..data(history, turn) }
}

fn id(number: usize) -> String {
    if number == 0 { "step-initial".into() } else { format!("s{number}") }
}

/// Appends live steps below HEAD, from `first` to `last`, ten to a turn.
fn append(history: &mut History, first: usize, last: usize) {
    for number in first..=last {
        let data = data(history, &format!("t{}", number / 10));
        let arrival = history.arrive(&id(number), Some(&id(number - 1)), data);
        assert!(arrival.moved_head);
    }
}

fn touched(history: &mut History, work: impl FnOnce(&mut History)) -> u64 {
    let before = history.path().steps_touched();
    work(history);
    history.path().steps_touched() - before
}

#[test]
fn t6_t7_appending_to_a_million_costs_what_it_costs_at_a_thousand() {
    let mut history = History::default();
    append(&mut history, 1, 1_000);
    let at_a_thousand = touched(&mut history, |history| append(history, 1_001, 1_100));
    append(&mut history, 1_101, 1_000_000);
    let at_a_million = touched(&mut history, |history| append(history, 1_000_001, 1_000_100));
    assert_eq!(at_a_million, at_a_thousand);
    assert!(at_a_thousand <= 2 * 100, "each step is touched a constant number of times: {at_a_thousand}");
    assert_eq!(history.path().len(), 1_000_100);
    assert_eq!(history.path().status(), PathStatus::Ok);
    assert_eq!(history.turns().len(), 100_011);
}

/// The whole engine, on steps that carry no content: what HEAD's content is must not cost a climb to the root each time.
#[test]
fn t7_r7_a_step_without_content_costs_the_engine_what_it_costs_at_a_thousand() {
    let mut engine = Engine::new(Options::default());
    engine.connected();
    let mut append = |first: usize, last: usize| {
        let before = engine.history().tree().steps_climbed() + engine.history().path().steps_touched();
        for number in first..=last {
            let (id, parent) = (id(number), id(number - 1));
            engine.receive(&format!(
                r#"{{"step":{{"id":"{id}","parentId":"{parent}","messageId":"t{}","role":"agent","content":""}},"type":"WsServerStepEvent"}}"#,
                number / 10
            ));
            engine.view();
            let step = engine.history().head();
            engine.step_changed(step);
        }
        engine.history().tree().steps_climbed() + engine.history().path().steps_touched() - before
    };
    append(1, 1_000);
    let at_a_thousand = append(1_001, 1_100);
    append(1_101, 50_000);
    assert_eq!(append(50_001, 50_100), at_a_thousand);
    assert!(at_a_thousand <= 4 * 100, "{at_a_thousand}");
}

#[test]
fn t7_moving_head_costs_the_distance_through_the_common_ancestor() {
    let mut history = History::default();
    append(&mut history, 1, 200_000);
    // A branch of 5 steps, 10 above HEAD.
    for number in 0..5 {
        let parent = if number == 0 { id(199_990) } else { format!("b{}", number - 1) };
        let data = data(&mut history, "branch");
        history.arrive(&format!("b{number}"), Some(&parent), data);
    }
    let there = history.tree().get("b4").unwrap();
    let back = history.head();
    let work = touched(&mut history, |history| history.move_head(there));
    assert!(work <= 2 * 15, "15 steps apart, {work} touched");
    assert_eq!(history.path().len(), 199_995);
    let work = touched(&mut history, |history| history.move_head(back));
    assert!(work <= 2 * 15, "15 steps apart, {work} touched");
    assert_eq!(history.path().len(), 200_000);
}

#[test]
fn t2_t6_a_million_steps_that_come_backwards_join_one_by_one() {
    let last = 1_000_000;
    let mut history = History::default();
    let head = history.name(&id(last));
    history.move_head(head);
    let work = touched(&mut history, |history| {
        for number in (1..=last).rev() {
            let data = data(history, "t");
            history.arrive(&id(number), Some(&id(number - 1)), data);
        }
    });
    assert_eq!(history.path().status(), PathStatus::Ok);
    assert_eq!(history.path().len(), last);
    assert!(work <= 3 * last as u64, "{work} touched for {last} steps");
}

#[test]
fn t6_a_hundred_thousand_children_join_and_leave_in_constant_time_each() {
    let wide = 100_000;
    let mut history = History::default();
    let work = touched(&mut history, |history| {
        for number in 1..=wide {
            let data = data(history, &format!("t{number}"));
            history.put(&id(number), None, data);
        }
    });
    assert!(work <= wide as u64, "{work} touched");
    let root: StepIx = history.tree().get("step-initial").unwrap();
    assert_eq!(history.tree().children(root).count(), wide);
    // All but one leave with the next snapshot.
    history.begin_snapshot();
    let data = data(&mut history, "t7");
    history.put("s7", None, data);
    assert!(history.end_snapshot("s7", None, &[]));
    assert_eq!(history.tree().len(), 1);
    assert_eq!(history.tree().children(root).count(), 1);
}

#[test]
fn t5_t6_a_cycle_of_a_hundred_thousand_is_found_and_shown_once() {
    let long = 100_000;
    let mut history = History::default();
    for number in 1..=long {
        let parent = if number == 1 { id(long) } else { id(number - 1) };
        let data = data(&mut history, "t");
        history.put(&id(number), Some(&parent), data);
    }
    let head = history.tree().get(&id(long)).unwrap();
    history.move_head(head);
    assert_eq!(history.path().status(), PathStatus::Cycle(head));
    assert_eq!(history.path().len(), long);
    // The chat goes on below it, at the usual price.
    let work = touched(&mut history, |history| {
        let data = data(history, "u");
        history.arrive("below", Some(&id(long)), data);
    });
    assert!(work <= 2, "{work} touched");
    assert_eq!(history.path().len(), long + 1);
}

#[test]
fn x1_a_frame_of_50_megabytes_goes_through() {
    let mut engine = Engine::new(Options::default());
    engine.connected();
    let operator = format!(r#"{{"operatorID":"op","text":"{}"}}"#, "x".repeat(1_000));
    let content = format!(r#"{{"operators":[{}]}}"#, vec![operator.as_str(); 48_000].join(","));
    let frame = format!(
        r#"{{"step":{{"id":"s1","parentId":"step-initial","messageId":"t1","stepId":0,"timestamp":1,"role":"user","content":"hi","isBegin":true,"isEnd":true,"afterWorkflowContent":{content}}},"type":"WsServerStepEvent"}}"#
    );
    assert!(frame.len() > 50_000_000 - 2_000_000);
    let outcome = engine.receive(&frame);
    assert!(outcome.changed && outcome.notices.is_empty());
    assert_eq!(engine.content(None).as_deref(), Some(content.as_str()));
}

/// Two branches of 300 steps below a trunk of 300; HEAD goes to and fro between places in them, and at each step that it leaves behind something
/// may change. What is known of turns and tokens is what somebody who comes to it afresh counts.
#[test]
fn h1_turns_and_tokens_are_those_of_the_path_wherever_head_went() {
    let mut history = History::default();
    let name = |branch: usize, number: usize| match number {
        0 => "step-initial".to_owned(),
        1..=300 => format!("t{number}"),
        _ => format!("{branch}-{number}"),
    };
    for branch in 0..2 {
        for number in 1..=600 {
            let data = costing(&mut history, &format!("turn-{branch}-{}", number / 7), number);
            history.put(&name(branch, number), Some(&name(branch, number - 1)), data);
        }
    }
    for round in 0..200 {
        let (branch, number) = (round % 2, (round * 131 + 64) % 600 + 1);
        let to = history.tree().get(&name(branch, number)).unwrap();
        history.move_head(to);
        // Sometimes nobody looks before HEAD goes on.
        if round % 3 == 0 {
            history.path_usage();
        }
        if round % 5 == 0 {
            history.turns();
        }
        if round % 4 == 0 {
            let changed = number.div_ceil(2);
            let data = costing(&mut history, &format!("turn-{branch}-{}", changed / 7), 1_000 + round);
            history.put(&name(branch, changed), Some(&name(branch, changed - 1)), data);
        }
        let mut afresh = History::default();
        for step in history.path().iter().collect::<Vec<_>>() {
            let tree = history.tree();
            let (id, turn) = (tree.id(step).to_owned(), tree.turn_name(tree.data(step).unwrap().turn));
            let parent = tree.id(tree.parent(step).unwrap()).to_owned();
            let data = StepData { turn: afresh.name_turn(turn), ..tree.data(step).unwrap().clone() };
            afresh.arrive(&id, Some(&parent), data);
        }
        assert_eq!(history.path_usage(), afresh.path_usage(), "round {round}");
        if round % 7 == 0 {
            let told = |history: &mut History| -> Vec<_> {
                let turns = history.turns().to_vec();
                let tree = history.tree();
                let named = |turn: &Turn| {
                    let ends = (tree.id(turn.first).to_owned(), tree.id(turn.last).to_owned());
                    (tree.turn_name(turn.turn).to_owned(), ends, turn.steps, turn.tool_calls, turn.usage())
                };
                turns.iter().map(named).collect()
            };
            assert_eq!(told(&mut history), told(&mut afresh), "round {round}");
        }
    }
}
