//! `npm run fuzz -- --seconds N [--seed S]`: throws broken frames and random commands at engines, broken updates at
//! the check that stands before yrs ([`updates`]), and plays schedules of clients and a server ([`sessions`]).
//!
//! Each case is one of each, made from one number, so a failure is told as that number: `--seed S` plays it again. What must hold
//! after every input is in [`check`]; besides, nothing may panic. What it finds becomes a named test.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test tool may

#[path = "fuzz/sessions/mod.rs"] // a file beside this one would be an example of its own
pub mod sessions;
#[path = "fuzz/updates.rs"]
pub mod updates;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use headway::content::{Json, canonical};
use headway::engine::Options;
use headway::history::{PathStatus, Tree};
use headway::wire::PromptSource;
use headway::{Engine, Outcome};

/// A stream of choices, all from one seed (Knuth's MMIX constants).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.roll(list.len())]
    }
}

/// Pieces that frames are damaged with.
const PIECES: [&str; 30] = [
    "null",
    "true",
    "-0",
    "1e400",
    "\"\"",
    "\"\\ud800\"",
    "[]",
    "{}",
    "[[[[",
    "}}}",
    ",",
    ":",
    "\"",
    "\\",
    "\u{0}",
    "\u{feff}",
    "\"id\"",
    "\"type\"",
    "\"steps\"",
    "\"step\"",
    "\"headId\":",
    "\"step-initial\"",
    "\"parentId\":\"s1\"",
    "\"s1\"",
    "\"s2\"",
    "\"__proto__\":",
    "\"role\":\"user\"",
    "🙏",
    "\"afterWorkflowContent\":{\"v\":1}",
    "\"canRedo\":true",
];

const IDS: [&str; 7] = ["step-initial", "s1", "s2", "s3", "s4", "s5", ""];
const TYPES: [&str; 14] = [
    "WsServerSnapshotEvent",
    "WsServerStepEvent",
    "WsServerStepEvent",
    "WsServerStepEvent",
    "WsServerHeadChangeEvent",
    "WsServerStatusEvent",
    "WsServerErrorEvent",
    "init",
    "step",
    "headChange",
    "state",
    "complete",
    "snapshot",
    "nonsense",
];

fn step(dice: &mut Dice) -> String {
    let id = dice.pick(&IDS);
    let parent = match dice.roll(8) {
        0 => String::new(),
        1 => r#""parentId":null,"#.to_owned(),
        _ => format!(r#""parentId":"{}","#, dice.pick(&IDS)),
    };
    let content = match dice.roll(4) {
        0 => String::new(),
        _ => format!(
            r#""beforeWorkflowContent":{{"v":{}}},"afterWorkflowContent":{{"v":{}.0}},"#,
            dice.roll(3),
            dice.roll(3)
        ),
    };
    format!(
        r#"{{"id":"{id}",{parent}"messageId":"t{}","stepId":{},"timestamp":{},"role":"{}",{content}"content":"{}","isBegin":{},"isEnd":{},"usage":{{"inputTokens":{}}}}}"#,
        dice.roll(4),
        dice.roll(3),
        dice.roll(9),
        dice.pick(&["user", "agent", "system"]),
        dice.pick(&["hello", "Error: no", "Generation stopped by user.", "\\ud83d"]),
        dice.roll(2) == 0,
        dice.roll(2) == 0,
        dice.roll(50),
    )
}

fn frame(dice: &mut Dice) -> String {
    let kind = dice.pick(&TYPES);
    let mut fields = vec![format!(r#""type":"{kind}""#)];
    if dice.roll(2) == 0 {
        fields.push(format!(r#""step":{}"#, step(dice)));
    }
    if dice.roll(2) == 0 || kind.contains("napshot") || kind == "init" {
        let steps: Vec<String> = (0..dice.roll(6)).map(|_| step(dice)).collect();
        fields.push(format!(r#""steps":[{}]"#, steps.join(",")));
    }
    fields.push(format!(r#""state":"{}""#, dice.pick(&["AVAILABLE", "Generating", "STOPPING", "?"])));
    fields.push(format!(r#""headId":"{}""#, dice.pick(&IDS)));
    if dice.roll(2) == 0 {
        fields.push(format!(r#""canRedo":{}"#, dice.roll(2) == 0));
    }
    if dice.roll(3) == 0 {
        fields.push(format!(r#""workflowContent":{{"v":{}}}"#, dice.roll(3)));
    }
    if kind.contains("rror") {
        fields.push(format!(
            r#""error":"{}""#,
            dice.pick(&["Nothing to redo", "Agent not found", "Unknown turn: x", "odd"])
        ));
    }
    let by = dice.roll(fields.len());
    fields.rotate_left(by);
    format!("{{{}}}", fields.join(","))
}

/// Two character boundaries, in order, often close together.
fn cuts(dice: &mut Dice, text: &str) -> [usize; 2] {
    let from = dice.roll(text.len() + 1);
    let reach = if dice.roll(4) == 0 { text.len() } else { 20 };
    let to = (from + dice.roll(reach + 1)).min(text.len());
    [from, to].map(|mut at| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    })
}

/// Cuts, doubles, swaps or plants something at character boundaries.
fn damage(dice: &mut Dice, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..=dice.roll(3) {
        let [from, to] = cuts(dice, &text);
        match dice.roll(4) {
            0 => text.replace_range(from..to, ""),
            1 => text.insert_str(from, dice.pick(&PIECES)),
            2 if to - from < 2_000 => text = [&text[..to], &text[from..]].concat(),
            _ => text.truncate(to),
        }
    }
    text
}

fn act(dice: &mut Dice, engine: &mut Engine, now: f64) -> Option<Outcome> {
    let turn = format!("t{}", dice.roll(5));
    match dice.roll(9) {
        0 => engine
            .prompt(dice.pick(&["hello", "", "x"]), PromptSource::Chat, now)
            .ok()
            .map(|(_, outcome)| outcome),
        1 => engine.stop(now).ok().map(|(_, outcome)| outcome),
        2 => engine.revert(&turn, now).ok().map(|(_, outcome)| outcome),
        3 => engine.redo(now).ok().map(|(_, outcome)| outcome),
        4 => Some(engine.disconnected()),
        5 => Some(engine.connected()),
        6 => Some(engine.tick(now)),
        7 => Some(engine.bind_canvas(dice.roll(4) > 0)),
        _ => {
            let text = format!(r#"{{"v":{}}}"#, dice.roll(4));
            let (_, outcome) = engine.plan_canvas(dice.pick(&["x", text.as_str()]));
            if dice.roll(2) == 0 {
                engine.canvas_written();
            }
            Some(outcome)
        }
    }
}

/// What holds after every input.
fn check(engine: &mut Engine) {
    let history = engine.history();
    let (tree, path) = (history.tree(), history.path());
    let shown: Vec<_> = path.iter().collect();
    for (position, step) in shown.iter().enumerate() {
        assert_eq!(path.position(*step), Some(position), "each step knows its place");
        assert!(tree.data(*step).is_some(), "only steps are shown");
        if position > 0 {
            assert_eq!(tree.parent(*step), Some(shown[position - 1]), "each step hangs below the one before");
        }
    }
    match path.status() {
        PathStatus::Ok => {
            assert_eq!(shown.last().copied().unwrap_or(Tree::ROOT), path.head(), "the path ends at HEAD");
            if let Some(first) = shown.first() {
                assert_eq!(tree.parent(*first), Some(Tree::ROOT), "and begins at the root");
            }
        }
        PathStatus::BrokenParent(at) => assert!(tree.parent(at).is_some_and(|parent| !tree.is_known(parent))),
        PathStatus::Cycle(at) => assert!(path.position(at).is_some()),
        PathStatus::UnknownHead(at) => assert_eq!(at, path.head()),
    }
    for (step, _) in tree.steps() {
        assert_eq!(
            history.content_at(step),
            tree.content_at_afresh(step),
            "R7: what is remembered is what is there"
        );
    }
    let known = tree.steps().count();
    assert_eq!(known, tree.len());
    let steps: u32 = engine.turns().iter().map(|turn| turn.steps).sum();
    assert_eq!(steps as usize, shown.len(), "each step is in one turn");
    let view = engine.view();
    assert_eq!(view.length, shown.len());
    engine.content(None);
}

/// Plays one case; panics when something does not hold.
pub fn one_case(seed: u64) {
    let mut dice = Dice(seed);
    let mut engine = Engine::new(Options { command_timeout: 50.0, ..Options::default() });
    engine.connected();
    let mut waiting = 0i64;
    for now in 0..dice.roll(30) {
        if dice.roll(3) == 0 {
            let outcome = act(&mut dice, &mut engine, now as f64 * 10.0);
            waiting += outcome.as_ref().map_or(0, |outcome| outcome.send.len() as i64);
            waiting -= outcome.as_ref().map_or(0, |outcome| outcome.settled.len() as i64);
        } else {
            let whole = frame(&mut dice);
            let text = if dice.roll(3) == 0 { damage(&mut dice, &whole) } else { whole };
            let before = engine.view();
            let outcome = engine.receive(&text);
            waiting -= outcome.settled.len() as i64;
            if !outcome.changed {
                assert_eq!(engine.view(), before, "T8: nothing changed, but the view did");
            }
            both_ways_to_compare(&mut dice, &text);
        }
        check(&mut engine);
        let pending = i64::from(engine.view().pending.is_some());
        assert_eq!(waiting, pending, "R8: each command has one answer, or is the one that waits");
    }
}

/// X1: the scanner takes what serde_json takes. C2: the two ways to compare agree.
fn both_ways_to_compare(dice: &mut Dice, text: &str) {
    let other = damage(dice, text);
    let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&other).ok();
    let ours = Json::check(&other).ok();
    assert_eq!(ours.map(Json::text), theirs.map(|raw| raw.get()), "the scanner and serde_json: {other:?}");
    if let (Ok(a), Ok(b)) = (Json::check(text), Json::check(&other)) {
        assert_eq!(canonical::equal(a, b), canonical::form(a) == canonical::form(b), "{text}\n{other}");
    }
}

fn play(seed: u64) {
    one_case(seed);
    updates::one_case(seed);
    sessions::one_case(seed);
}

fn argument(name: &str) -> Option<u64> {
    let mut words = std::env::args().skip_while(|word| word != name);
    words.nth(1)?.parse().ok()
}

fn main() {
    if let Some(seed) = argument("--seed") {
        play(seed);
        println!("seed {seed}: nothing found");
        return;
    }
    let end = Instant::now() + Duration::from_secs(argument("--seconds").unwrap_or(30));
    let first = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |elapsed| elapsed.as_nanos() as u64);
    let mut cases = 0u64;
    while Instant::now() < end {
        for _ in 0..100 {
            let seed = first.wrapping_add(cases.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            if catch_unwind(AssertUnwindSafe(|| play(seed))).is_err() {
                println!("found after {cases} cases; again with: npm run fuzz -- --seed {seed}");
                std::process::exit(1);
            }
            cases += 1;
        }
    }
    println!(
        "{cases} cases of broken frames, of broken updates, and schedules of clients and a server: nothing found"
    );
}
