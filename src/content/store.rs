//! Every distinct content text once.
//!
//! A text is hashed and looked up; a hit is always confirmed byte by byte.

use std::num::NonZeroU32;

use hashbrown::{HashMap, HashTable};
use xxhash_rust::xxh3::xxh3_64;

use super::canonical;
use super::json::Json;

/// A content in the store. Two handles are the same if and only if the texts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentIx(NonZeroU32);

impl ContentIx {
    fn at(index: usize) -> Option<Self> {
        u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(ContentIx)
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

struct Slot {
    text: Box<str>,
    hash: u64,
}

/// The contents that something still refers to.
#[derive(Default)]
pub struct ContentStore {
    slots: Vec<Option<Slot>>,
    free: Vec<ContentIx>,
    by_hash: HashTable<ContentIx>,
    /// Answers of [`ContentStore::equal`], smaller handle first.
    compared: HashMap<(ContentIx, ContentIx), bool>,
    bytes: usize,
}

impl ContentStore {
    /// Keeps a text and gives its handle. Costs one hash of the text, and a comparison where it is known; allocates only
    /// for a text that is new.
    pub fn intern(&mut self, json: Json<'_>) -> ContentIx {
        let text = json.text();
        let hash = xxh3_64(text.as_bytes());
        let known = self.by_hash.find(hash, |ix| self.text(*ix) == Some(text));
        if let Some(&ix) = known {
            return ix;
        }
        let slot = Some(Slot { text: text.into(), hash });
        self.bytes += text.len();
        let ix = match self.free.pop() {
            Some(ix) => {
                if let Some(place) = self.slots.get_mut(ix.index()) {
                    *place = slot;
                }
                ix
            }
            None => {
                self.slots.push(slot);
                // 2^32 distinct contents do not fit into any address space this runs in.
                ContentIx::at(self.slots.len() - 1).unwrap_or(ContentIx(NonZeroU32::MAX))
            }
        };
        let slots = &self.slots;
        let rehash = |ix: &ContentIx| slots.get(ix.index()).and_then(Option::as_ref).map_or(0, |s| s.hash);
        self.by_hash.insert_unique(hash, ix, rehash);
        ix
    }

    /// The text, exactly as it came in (C1).
    pub fn text(&self, ix: ContentIx) -> Option<&str> {
        self.slots.get(ix.index())?.as_ref().map(|slot| &*slot.text)
    }

    /// Whether two contents are canonically equal (C2). Remembered, so asking again is free.
    pub fn equal(&mut self, a: ContentIx, b: ContentIx) -> bool {
        if a == b {
            return true;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.compared.get(&pair) {
            return known;
        }
        let answer = self.text(a).is_some_and(|text| self.equals_text(b, text));
        self.compared.insert(pair, answer);
        answer
    }

    /// Whether a content is canonically equal to a text that is not kept. Text that is not JSON equals nothing.
    pub fn equals_text(&self, ix: ContentIx, text: &str) -> bool {
        match (self.text(ix).map(Json::check), Json::check(text)) {
            (Some(Ok(kept)), Ok(other)) => canonical::equal(kept, other),
            _ => false,
        }
    }

    /// Drops every content for which `is_live` is false. Handles of those that stay remain valid.
    pub fn retain(&mut self, is_live: impl Fn(ContentIx) -> bool) {
        for (index, place) in self.slots.iter_mut().enumerate() {
            let Some(ix) = ContentIx::at(index).filter(|ix| !is_live(*ix)) else {
                continue;
            };
            if let Some(slot) = place.take() {
                self.bytes -= slot.text.len();
                if let Ok(entry) = self.by_hash.find_entry(slot.hash, |known| *known == ix) {
                    entry.remove();
                }
                self.free.push(ix);
            }
        }
        self.compared.retain(|(a, b), _| is_live(*a) && is_live(*b));
    }

    /// Number of distinct contents held.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of text held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(store: &mut ContentStore, text: &str) -> ContentIx {
        store.intern(Json::check(text).unwrap())
    }

    #[test]
    fn c1_a_text_comes_back_exactly_and_is_kept_once() {
        let mut store = ContentStore::default();
        let odd = r#"{"z":1.0,"a":[-0,1e400,"\ud800"],"__proto__":{},"z":2}"#;
        let first = put(&mut store, odd);
        let other = put(&mut store, "{}");
        assert_eq!(put(&mut store, odd), first);
        assert_eq!(store.text(first), Some(odd));
        assert_eq!((store.len(), store.bytes()), (2, odd.len() + 2));
        assert_ne!(first, other);
    }

    #[test]
    fn c2_equality_is_canonical_and_remembered() {
        let mut store = ContentStore::default();
        let a = put(&mut store, r#"{"a":1,"b":2}"#);
        let b = put(&mut store, r#"{"b":2.0,"a":1}"#);
        let c = put(&mut store, r#"{"a":1}"#);
        for _ in 0..2 {
            assert!(store.equal(a, b));
            assert!(!store.equal(a, c));
        }
        assert!(store.equals_text(c, "{\"a\": 1e0}"));
        assert!(!store.equals_text(c, "nonsense"));
    }

    #[test]
    fn what_is_dropped_is_gone_and_its_place_is_used_again() {
        let mut store = ContentStore::default();
        let a = put(&mut store, "[1]");
        let b = put(&mut store, "[2]");
        assert!(!store.equal(a, b));
        store.retain(|ix| ix == b);
        assert_eq!((store.text(a), store.text(b)), (None, Some("[2]")));
        assert_eq!((store.len(), store.bytes()), (1, 3));
        let c = put(&mut store, "[2.0]");
        assert_eq!(c, a, "the place is used again");
        assert!(store.equal(b, c), "and no old answer is given for it");
        assert_eq!(put(&mut store, "[2]"), b);
    }
}
