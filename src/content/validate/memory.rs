//! What is remembered from one judgement to the next, so that a content costs what is new in it.
//!
//! Contents follow one another in a few changed entities. The facts of an entity hold for as long as its atom is that entity and
//! the ids in them are those names: both end when the store sweeps, which forgets all of this. So does a judgement that finds
//! twice as much as the last one from nothing left. So it is of the size of one content, and what forgetting costs is paid for by
//! as many entities that came since. It is some 100 bytes for an entity and a pointer
//! for every atom, beside what the contents take.
//!
//! No answer depends on it, which `tests/judged.rs` checks.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::rc::Rc;

use super::super::atom::AtomIx;
use super::super::canonical;
use super::super::interner::Interner;
use super::super::json::Json;
use super::super::store::ContentStore;
use super::facts::{Facts, PortName, Reading};

/// The facts of entities, in the places of their atoms. An atom belongs to one collection, so it tells how it was read.
#[derive(Default)]
pub struct Memory {
    facts: Vec<Option<Rc<Facts>>>,
    /// The names of ports, in one spelling.
    names: Interner<Box<str>>,
    /// Bytes that the facts take.
    held_bytes: usize,
    /// Bytes that all of it took after a judgement from nothing.
    first_bytes: usize,
}

/// Bytes that may be remembered in any case.
const FEW: usize = 1 << 14;

impl Memory {
    /// The facts of an entity.
    pub fn facts(&mut self, store: &ContentStore, reading: &Reading<'_>, atom: AtomIx) -> Rc<Facts> {
        if let Some(Some(known)) = self.facts.get(atom.index()) {
            return known.clone();
        }
        let (facts, is_settled) = reading.read(store, atom, self);
        let facts = Rc::new(facts);
        if is_settled {
            // In front of it are its counts.
            self.held_bytes += 2 * size_of::<usize>() + facts.bytes();
            if self.facts.len() <= atom.index() {
                self.facts.resize(atom.index() + 1, None);
            }
            if let Some(place) = self.facts.get_mut(atom.index()) {
                *place = Some(facts.clone());
            }
        }
        facts
    }

    /// The name that a port has.
    pub fn port_name(&mut self, store: &ContentStore, value: Option<Json<'_>>) -> PortName {
        let value = value.filter(|value| !value.is_null())?;
        let form = match value.plain_text() {
            // As it is written is how it is written canonically.
            Some(_) => Cow::Borrowed(value.text()),
            None => Cow::Owned(String::from_utf8(canonical::form(value)).unwrap_or_default()),
        };
        let make = || form.as_ref().into();
        Some(self.names.intern(store.hasher.hash_one(&*form), |known| **known == *form, make))
    }

    /// Forgets everything when that is more than it is worth.
    pub fn begin(&mut self) {
        if self.bytes() > 2 * self.first_bytes + FEW {
            *self = Memory::default();
        }
    }

    /// A content was judged.
    pub fn end(&mut self) {
        if self.first_bytes == 0 {
            self.first_bytes = self.bytes();
        }
    }

    /// Bytes that all of it takes, without the places.
    pub fn bytes(&self) -> usize {
        self.held_bytes + self.names.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges a workflow of so many operators, whose ids and ports nobody else has, and gives the bytes that are remembered.
    fn judge(store: &mut ContentStore, name: &str, count: usize) -> usize {
        let ports = format!(r#"[{{"portID":"{name}"}}]"#);
        let operator = |n: usize| format!(r#"{{"operatorID":"{name}-{n}","outputPorts":{ports}}}"#);
        let operators: Vec<String> = (0..count).map(operator).collect();
        let text = format!(r#"{{"operators":[{}]}}"#, operators.join(","));
        let content = store.take_in(&text, None).unwrap();
        store.validate(content);
        let memory = store.judged.take();
        let bytes = memory.bytes();
        store.judged.set(memory);
        bytes
    }

    #[test]
    fn c3_what_is_remembered_is_that_of_a_few_contents() {
        let mut store = ContentStore::default();
        let first = judge(&mut store, "first", 100);
        assert!(first > 0);
        assert_eq!(judge(&mut store, "first", 100), first);
        for n in 0..100 {
            assert!(judge(&mut store, &n.to_string(), 100) <= 3 * first + FEW);
        }
    }

    #[test]
    fn c3_nothing_is_remembered_of_what_was_let_go() {
        let mut store = ContentStore::default();
        judge(&mut store, "a", 100);
        store.retain([]);
        assert_eq!(store.judged.take().bytes(), 0);
    }
}
