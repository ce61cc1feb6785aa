//! X1: updates of the live document. What people's editors write passes the check; what passes it, yrs can take.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

#[allow(dead_code)] // most of it is for engines
#[path = "../examples/fuzz.rs"]
mod fuzzer;

use std::panic::catch_unwind;
use std::sync::LazyLock;

use fuzzer::updates::{RECORDED, take_in};
use headway::canvas::document::update_check::{Offence, UpdateFault, check_state_vector, check_update};
use proptest::prelude::*;
use yrs::block::ClientID;
use yrs::types::Attrs;
use yrs::updates::decoder::Decode;
use yrs::updates::encoder::Encode;
use yrs::{
    Any, Array, ArrayPrelim, Doc, Map, MapPrelim, OffsetKind, Options, ReadTxn, StateVector, Text,
    TextPrelim, Transact, TransactionMut, Update, WriteTxn,
};

/// A document, and the update of each edit in it.
struct Editor {
    doc: Doc,
    updates: Vec<Vec<u8>>,
}

impl Editor {
    fn new(client: u64) -> Self {
        let doc = Doc::with_options(Options {
            client_id: ClientID::new(client),
            guid: "editor".into(),
            collection_id: None,
            offset_kind: OffsetKind::Utf16,
            skip_gc: false,
            auto_load: false,
            should_load: false,
            cleanup_formatting: false,
        });
        Editor { doc, updates: Vec::new() }
    }

    fn edit(&mut self, edit: impl FnOnce(&mut TransactionMut<'_>)) {
        let mut txn = self.doc.try_transact_mut().unwrap();
        edit(&mut txn);
        txn.commit();
        self.updates.push(txn.encode_update_v1());
    }

    fn receive(&mut self, update: &[u8]) {
        self.edit(|txn| txn.apply_update(Update::decode_v1(update).unwrap()).unwrap());
    }

    fn whole(&self) -> Vec<u8> {
        self.doc.try_transact().unwrap().encode_diff_v1(&StateVector::default())
    }

    fn state(&self) -> Vec<u8> {
        self.doc.try_transact().unwrap().state_vector().encode_v1()
    }
}

/// Texts with formats, nested maps, lists and deletions, by three editors who know each other's edits late or never.
fn editors() -> [Editor; 3] {
    let [mut one, mut two, mut three] = [(1 << 53) - 1, 70_000, 3].map(Editor::new);
    one.edit(|txn| {
        let operator = txn.get_or_insert_map("operatorIDMap").insert(txn, "A", MapPrelim::default());
        operator.insert(txn, "type", "Filter");
        operator.insert(txn, "limit", 3);
        operator.insert(txn, "ratio", 0.1);
        operator.insert(txn, "box", Any::from_json(r#"{"x":[1,2.5,{"deep":null}],"y":true}"#).unwrap());
        operator.insert(txn, "predicate", TextPrelim::new("age > 30 😀"));
        operator.insert(txn, "columns", ArrayPrelim::from(["id", "name", "age"]));
    });
    one.edit(|txn| {
        let text = txn.get_or_insert_text("notes");
        text.insert(txn, 0, "plain, bold, and the rest");
        text.format(txn, 7, 4, Attrs::from([("bold".into(), Any::Bool(true))]));
        text.insert_embed(txn, 3, Any::from_json(r#"{"image":"a.png"}"#).unwrap());
    });
    two.receive(&one.whole());
    two.edit(|txn| txn.get_or_insert_text("notes").remove_range(txn, 2, 9));
    one.edit(|txn| txn.get_or_insert_text("notes").insert(txn, 5, "中文"));
    two.edit(|txn| {
        let list = txn.get_or_insert_array("links");
        list.insert_range(txn, 0, [1, 2, 3, 4]);
        list.insert(txn, 2, Any::Buffer([0, 255].into()));
        list.remove_range(txn, 1, 2);
        list.push_back(txn, MapPrelim::default());
    });
    three.receive(two.updates.last().unwrap());
    one.receive(&two.whole());
    one.edit(|txn| drop(txn.get_or_insert_map("operatorIDMap").remove(txn, "A")));
    two.receive(&one.whole());
    [one, two, three]
}

/// All that is known to be good.
static REAL: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let recorded = RECORDED.iter().map(|bytes| bytes.to_vec());
    let made = editors().into_iter().flat_map(|editor| [vec![editor.whole()], editor.updates].concat());
    recorded.chain(made).collect()
});

#[test]
fn what_yrs_and_yjs_write_passes() {
    assert!(REAL.len() > 20);
    for update in REAL.iter() {
        assert_eq!(check_update(update), Ok(()), "{update:02x?}");
    }
    for editor in editors() {
        assert_eq!(check_state_vector(&editor.state()), Ok(()));
    }
}

#[test]
fn x1_what_ends_yrs_with_a_segmentation_fault_is_refused() {
    let far = (1 << 53) - 497;
    for (bytes, at, offence) in [
        (&include_bytes!("fixtures/yjs/later-item.bin")[..], 75, Offence::LaterReference),
        (include_bytes!("fixtures/yjs/client-twice.bin"), 42, Offence::ClientOutOfOrder(far)),
    ] {
        assert_eq!(check_update(bytes), Err(UpdateFault { at, offence }));
    }
}

/// Inputs that the fuzzer held when yrs panicked or crashed, before the check was what it is. After the `collected` ones
/// a document that frees what was deleted reads freed memory; one with `skip_gc` does not.
macro_rules! found {
    ($($name:ident: $file:literal,)*) => {$(
        #[test]
        fn $name() {
            let bytes = include_bytes!(concat!("fixtures/yjs/", $file, ".bin"));
            if check_update(bytes).is_ok() {
                take_in(bytes);
            }
        }
    )*};
}

found! {
    x1_crash_2: "crash-2",
    x1_crash_3: "crash-3",
    x1_crash_4: "crash-4",
    x1_crash_5: "crash-5",
    x1_crash_6: "crash-6",
    x1_crash_7: "crash-7",
    x1_crash_8: "crash-8",
    x1_crash_9: "crash-9",
    x1_crash_10: "crash-10",
    x1_crash_11: "crash-11",
    x1_crash_12: "crash-12",
    x1_crash_13: "crash-13",
    x1_crash_14: "crash-14",
    x1_collected_1: "collected-1",
    x1_collected_2: "collected-2",
    x1_collected_3: "collected-3",
    x1_segv_1: "segv-1",
    x1_segv_2: "segv-2",
    x1_segv_3: "segv-3",
    x1_segv_4: "segv-4",
    x1_segv_5: "segv-5",
    x1_segv_6: "segv-6",
    x1_segv_7: "segv-7",
    x1_segv_8: "segv-8",
}

#[derive(Clone, Debug)]
enum Damage {
    Cut,
    Set(u8),
    Flip(u8),
    Insert(u8),
    Remove,
}

fn damage() -> impl Strategy<Value = Damage> {
    let telling = prop::sample::select(vec![0u8, 1, 0x7f, 0x80, 0xff, 117, 118]);
    prop_oneof![
        1 => Just(Damage::Cut),
        4 => prop_oneof![any::<u8>(), telling].prop_map(Damage::Set),
        4 => (0..8u8).prop_map(|bit| Damage::Flip(1 << bit)),
        2 => any::<u8>().prop_map(Damage::Insert),
        2 => Just(Damage::Remove),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn x1_of_damaged_updates_those_that_pass_do_not_make_yrs_panic(
        which in any::<prop::sample::Index>(),
        damages in prop::collection::vec((any::<prop::sample::Index>(), damage()), 1..5),
    ) {
        let mut bytes = which.get(&REAL).clone();
        for (at, damage) in damages {
            let at = at.index(bytes.len().max(1));
            match damage {
                Damage::Insert(byte) => bytes.insert(at, byte),
                Damage::Cut => bytes.truncate(at),
                _ if at >= bytes.len() => {}
                Damage::Set(byte) => bytes[at] = byte,
                Damage::Flip(bit) => bytes[at] ^= bit,
                Damage::Remove => drop(bytes.remove(at)),
            }
        }
        prop_assert!(catch_unwind(|| check_state_vector(&bytes)).is_ok());
        if check_update(&bytes).is_ok() {
            prop_assert!(catch_unwind(|| take_in(&bytes)).is_ok(), "{bytes:02x?}");
        }
    }

    #[test]
    fn x1_any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        check_state_vector(&bytes).ok();
        if check_update(&bytes).is_ok() {
            take_in(&bytes);
        }
    }
}
