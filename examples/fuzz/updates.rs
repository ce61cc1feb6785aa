//! X1 for updates of the live document: whatever the bytes, the check answers, and what it lets pass yrs can take.

use headway::canvas::document::Document;
use headway::canvas::document::shape::Types;
use headway::canvas::document::update_check::{check_state_vector, check_update};
use headway::content::{ContentStore, Schema};
use yrs::block::ClientID;
use yrs::branch::{Branch, BranchPtr};
use yrs::updates::decoder::Decode;
use yrs::{
    Array, Doc, GetString, Map, OffsetKind, Options, Out, ReadTxn, StateVector, TextRef, Transact, Update,
    WriteTxn,
};

use super::Dice;

/// Updates that yjs 13 wrote: a document with every kind of value, and edits of an operator.
pub const RECORDED: [&[u8]; 10] = [
    include_bytes!("../../tests/fixtures/yjs/values.bin"),
    include_bytes!("../../tests/fixtures/yjs/edit-0.bin"),
    include_bytes!("../../tests/fixtures/yjs/edit-1.bin"),
    include_bytes!("../../tests/fixtures/yjs/edit-2.bin"),
    include_bytes!("../../tests/fixtures/yjs/edit-3.bin"),
    include_bytes!("../../tests/fixtures/yjs/edit-4.bin"),
    include_bytes!("../../tests/fixtures/yjs/edit-5.bin"),
    include_bytes!("../../tests/fixtures/yjs/edit-6.bin"),
    include_bytes!("../../tests/fixtures/yjs/edit-7.bin"),
    include_bytes!("../../tests/fixtures/yjs/edit-8.bin"),
];
const ROOTS: [&str; 2] = ["v", "operatorIDMap"];
/// Two of them are in the recorded updates; clients have up to 53 bits.
const CLIENTS: [u64; 4] = [(1 << 53) - 497, 9, 5, 1];
const NAMES: [&str; 6] = ["v", "operatorIDMap", "new", "A", "text", "x"];
const TEXTS: [&str; 5] = ["abc", "a😀", "", "z", "{\"i\":1}"];

/// Plays one case; panics when something does not hold.
pub fn one_case(seed: u64) {
    let bytes = bytes_of(seed);
    if check_state_vector(&bytes).is_ok() {
        StateVector::decode_v1(&bytes).ok();
    }
    if check_update(&bytes).is_ok() {
        take_in(&bytes);
        hear_of(&bytes);
    }
}

/// The same for who has replayed something, and looks for the same said twice (P8): it may find what it likes, but nothing breaks.
fn hear_of(bytes: &[u8]) {
    let mut store = ContentStore::default();
    // As one of those that the update may speak of.
    let mut canvas = Document::open(&Schema::texera(), Types::Apart, CLIENTS[2]).unwrap();
    for (row, text) in [(0, "abc"), (1, "abza😀"), (2, "z")] {
        let rows = ["[\"abc\"]", "\"z\"", "null", "1"];
        let rows = rows[row..].join(",");
        let operator = format!(
            r#"{{"operatorID":"A","operatorType":"T","operatorProperties":{{"text":"{text}","rows":[{rows}]}}}}"#
        );
        let content = format!(r#"{{"operators":[{operator}],"operatorPositions":{{"A":{{"x":0,"y":0}}}}}}"#);
        let content = store.take_in(&content, None).unwrap();
        canvas.before_replay().ok();
        let Ok(shown) = canvas.content(&mut store, Some(content)) else { return };
        let edits = store.diff(shown, content);
        let written = canvas.replay(&store, &edits, content).ok().flatten();
        canvas.tell(written);
        if canvas.apply_update(bytes).is_err() {
            return;
        }
        if let Some(told) = canvas.tell(None) {
            check_update(&told).unwrap();
        }
    }
}

/// The bytes of a case.
pub fn bytes_of(seed: u64) -> Vec<u8> {
    let mut dice = Dice(seed);
    match dice.roll(3) {
        0 => damaged(&mut dice),
        _ => invented(&mut dice),
    }
}

/// An update that passed the check is decoded, applied to a document and read, and honest edits go on after it.
pub fn take_in(bytes: &[u8]) {
    let Ok(update) = Update::decode_v1(bytes) else {
        return;
    };
    let doc = document(1);
    apply(&doc, RECORDED[0]).unwrap();
    apply(&doc, RECORDED[1]).unwrap();
    // A nonsensical update may be refused half-way, and may take ids that honest ones need.
    doc.try_transact_mut().unwrap().apply_update(update).ok();
    read(&doc);
    write(&doc);
    for edit in &RECORDED[2..] {
        apply(&doc, edit).ok();
    }
    let whole = doc.try_transact().unwrap().encode_diff_v1(&StateVector::default());
    if check_update(&whole).is_ok() {
        apply(&document(2), &whole).ok();
    }
    read(&doc);
}

fn document(client: u64) -> Doc {
    let doc = Doc::with_options(Options {
        client_id: ClientID::new(client),
        guid: "fuzz".into(),
        collection_id: None,
        offset_kind: OffsetKind::Utf16,
        skip_gc: true, // as the check asks for
        auto_load: false,
        should_load: false,
        cleanup_formatting: false,
    });
    for root in ROOTS {
        doc.try_transact_mut().unwrap().get_or_insert_map(root);
    }
    doc
}

fn apply(doc: &Doc, bytes: &[u8]) -> Result<(), String> {
    let update = Update::decode_v1(bytes).map_err(|error| error.to_string())?;
    doc.try_transact_mut().unwrap().apply_update(update).map_err(|error| error.to_string())
}

fn write(doc: &Doc) {
    let mut txn = doc.try_transact_mut().unwrap();
    txn.get_or_insert_map("v").insert(&mut txn, "own", 1);
}

fn read(doc: &Doc) {
    let txn = doc.try_transact().unwrap();
    for root in ROOTS {
        for (_, value) in txn.get_map(root).unwrap().iter(&txn) {
            read_value(&txn, &value, 0);
        }
    }
}

fn read_value<T: ReadTxn>(txn: &T, value: &Out, depth: usize) {
    if depth > 64 {
        return;
    }
    match value {
        Out::YText(text) => drop(text.get_string(txn)),
        Out::YMap(map) => map.iter(txn).for_each(|(_, value)| read_value(txn, &value, depth + 1)),
        Out::YArray(array) => {
            // yrs never ends a walk over an array that holds text.
            let branch: &Branch = array.as_ref();
            if TextRef::from(BranchPtr::from(branch)).get_string(txn).is_empty() {
                array.iter(txn).for_each(|value| read_value(txn, &value, depth + 1));
            }
        }
        _ => {}
    }
}

/// A recorded update with a few bytes cut, changed, or of another.
fn damaged(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = dice.pick(&RECORDED).to_vec();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(bytes.len());
        match dice.roll(5) {
            0 => bytes.truncate(at),
            1 => {
                let other = dice.pick(&RECORDED);
                bytes.truncate(at);
                bytes.extend(&other[dice.roll(other.len())..]);
            }
            2 => bytes.insert(at, dice.roll(256) as u8),
            3 if at < bytes.len() => bytes[at] ^= 1 << dice.roll(8),
            _ if at < bytes.len() => bytes[at] = dice.pick(&[0, 1, 0x7f, 0x80, 0xff, 0xc8, 117, 118]),
            _ => {}
        }
    }
    bytes
}

/// An update that is well-formed on the wire, for the most part, and nonsense in meaning.
fn invented(dice: &mut Dice) -> Vec<u8> {
    let mut out = Writer(Vec::new());
    let clients = dice.roll(4);
    out.number(clients as u64);
    let mut next = 0;
    for _ in 0..clients {
        let items = if dice.roll(20) == 0 { 0 } else { 1 + dice.roll(5) };
        // In the order of the wire, for the most part.
        next = if dice.roll(20) == 0 { dice.roll(4) } else { next };
        out.number(items as u64);
        out.number(CLIENTS[next % 4]);
        out.clock(dice);
        next += 1 + dice.roll(2);
        for _ in 0..items {
            out.item(dice);
        }
    }
    let clients = dice.roll(3);
    out.number(clients as u64);
    for _ in 0..clients {
        out.number(dice.pick(&CLIENTS));
        let runs = dice.roll(4);
        out.number(runs as u64);
        for _ in 0..runs {
            out.clock(dice);
            out.length(dice);
        }
    }
    out.0
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number > 127 {
            self.0.push(number as u8 | 128);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    /// Mostly small, so that things meet.
    fn clock(&mut self, dice: &mut Dice) {
        let clock = match dice.roll(40) {
            0 => u64::from(u32::MAX) - dice.roll(20) as u64,
            1 => i32::MAX as u64 - dice.roll(20) as u64,
            _ => dice.roll(14) as u64,
        };
        self.number(clock);
    }

    fn length(&mut self, dice: &mut Dice) {
        let length = match dice.roll(40) {
            0 => u64::from(u32::MAX) - dice.roll(5) as u64,
            1 => 0,
            _ => 1 + dice.roll(4) as u64,
        };
        self.number(length);
    }

    fn id(&mut self, dice: &mut Dice) {
        self.number(dice.pick(&CLIENTS));
        self.clock(dice);
    }

    fn item(&mut self, dice: &mut Dice) {
        let kind = dice.pick(&[0u8, 1, 2, 3, 4, 4, 4, 5, 6, 7, 7, 7, 8, 8, 8, 9, 10]);
        if matches!(kind, 0 | 10) {
            self.0.push(kind);
            return self.length(dice);
        }
        let info = kind | dice.pick(&[0u8, 0, 0x20, 0x20, 0x40, 0x80, 0xc0]);
        self.0.push(info);
        if info & 0x80 != 0 {
            self.id(dice);
        }
        if info & 0x40 != 0 {
            self.id(dice);
        }
        if info & 0xc0 == 0 {
            if dice.roll(2) == 0 {
                self.number(1);
                self.text(dice.pick(&NAMES));
            } else {
                self.number(0);
                self.id(dice);
            }
            if info & 0x20 != 0 {
                self.text(dice.pick(&NAMES));
            }
        }
        self.content(dice, kind);
    }

    fn content(&mut self, dice: &mut Dice, kind: u8) {
        match kind {
            1 => self.length(dice),
            2 => {
                let count = dice.roll(3);
                self.number(count as u64);
                (0..count).for_each(|_| self.text(dice.pick(&["1", "undefined", "{"])));
            }
            3 => self.text("bytes"),
            4 => self.text(dice.pick(&TEXTS)),
            5 => self.text(dice.pick(&["{\"i\":1}", "x", "null"])),
            6 => {
                self.text("bold");
                self.text(dice.pick(&["true", "null", "x"]));
            }
            7 => {
                let shared = dice.pick(&[0u8, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 15]);
                self.0.push(shared);
                if shared == 3 {
                    self.text("p");
                }
            }
            8 => {
                let count = dice.roll(4);
                self.number(count as u64);
                (0..count).for_each(|_| self.value(dice, 0));
            }
            _ => {
                self.text("subdocument");
                self.value(dice, 0);
            }
        }
    }

    fn value(&mut self, dice: &mut Dice, depth: usize) {
        let tag = dice.pick(&[116u8, 117, 118, 119, 120, 123, 125, 126, 127]);
        self.0.push(tag);
        let inside = if depth < 4 { dice.roll(3) } else { 0 };
        match tag {
            116 | 119 => self.text(dice.pick(&TEXTS)),
            117 | 118 => {
                self.number(inside as u64);
                for _ in 0..inside {
                    if tag == 118 {
                        self.text(dice.pick(&NAMES));
                    }
                    self.value(dice, depth + 1);
                }
            }
            123 => self.0.extend([0x40, 9, 33, 251, 84, 68, 45, dice.roll(256) as u8]),
            125 => self.0.push(dice.roll(128) as u8),
            _ => {}
        }
    }
}
