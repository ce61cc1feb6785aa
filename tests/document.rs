//! The canvas as a document: what is put on it is on it, whoever else writes, and nothing else is written.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;

use headway::canvas::document::Document;
use headway::canvas::document::shape::Types;
use headway::content::{ContentIx, ContentStore, Schema};
use proptest::prelude::*;
use values::{Dice, document, nudge, spelled};

struct Canvas {
    document: Document,
}

impl Canvas {
    fn open(client: u64) -> Self {
        Canvas { document: Document::open(&Schema::texera(), Types::Apart, client).unwrap() }
    }

    /// Puts a content on it. Gives the update.
    fn show(&mut self, store: &mut ContentStore, content: ContentIx) -> Option<Vec<u8>> {
        let shown = self.document.content(store, Some(content)).unwrap();
        let edits = store.diff(shown, content);
        self.document.replay(store, &edits, content).unwrap()
    }

    /// A replica of it that was never looked at.
    fn again(&self, client: u64) -> Self {
        let mut other = Canvas::open(client);
        other.document.apply_update(&self.document.diff(None).unwrap()).unwrap();
        other
    }

    /// Everything that the other has and this one has not.
    fn hear(&mut self, other: &Canvas) {
        let update = other.document.diff(Some(&self.document.state_vector().unwrap())).unwrap();
        self.document.apply_update(&update).unwrap();
    }
}

/// A content that can be put on a canvas.
fn whole(store: &mut ContentStore, value: &values::Value, seed: u64) -> ContentIx {
    let content = store.take_in(spelled(value, seed).trim(), None).unwrap();
    store.repair(content).content
}

/// What is kept as shown is what is in the document.
fn assert_true(canvas: &mut Canvas, store: &mut ContentStore, near: ContentIx) {
    let kept = canvas.document.content(store, Some(near)).unwrap();
    let mut fresh = canvas.again(999);
    let read = fresh.document.content(store, Some(kept)).unwrap();
    assert_eq!(kept, read, "kept {:?}\nread {:?}", store.text(kept), store.text(read));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, ..ProptestConfig::default() })]

    #[test]
    fn p2_p3_what_is_put_on_a_canvas_is_on_it(values in prop::collection::vec((document(), any::<u64>()), 1..6)) {
        let mut store = ContentStore::default();
        let mut canvas = Canvas::open(1);
        for (value, seed) in &values {
            let content = whole(&mut store, value, *seed);
            canvas.show(&mut store, content);
            prop_assert_eq!(canvas.document.shown(), Some(content));
            assert_true(&mut canvas, &mut store, content);
            prop_assert_eq!(canvas.show(&mut store, content), None, "P2");
            // Somebody who knows only the bytes sees the same.
            let mut other = canvas.again(2);
            prop_assert_eq!(other.document.content(&mut store, Some(content)).unwrap(), content);
        }
    }

    #[test]
    fn p8_whoever_writes_documents_become_the_same(base in document(), rounds in prop::collection::vec((any::<u64>(), any::<u64>()), 1..6)) {
        let mut store = ContentStore::default();
        let [mut one, mut two] = [1, 2].map(Canvas::open);
        let start = whole(&mut store, &base, 1);
        one.show(&mut store, start);
        two.hear(&one);
        for (mine, theirs) in rounds {
            let [mine, theirs] = [mine, theirs].map(|seed| {
                let mut dice = Dice(seed);
                let changed = (0..3).fold(base.clone(), |value, _| nudge(&value, &mut dice));
                whole(&mut store, if matches!(changed, values::Value::Object(_)) { &changed } else { &base }, seed)
            });
            one.show(&mut store, mine);
            two.show(&mut store, theirs);
            one.hear(&two);
            two.hear(&one);
            assert_true(&mut one, &mut store, start);
            assert_true(&mut two, &mut store, start);
            let near = one.document.content(&mut store, None).unwrap();
            let mut again = two.again(7);
            prop_assert_eq!(again.document.content(&mut store, Some(near)).unwrap(), near);
        }
    }
}
