//! The names of turns (`messageId`s), each once, for as long as a step carries it.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The name of a turn. Two are the same if and only if the names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TurnIx(u32);

#[derive(Default)]
struct Entry {
    name: Box<str>,
    /// How many steps carry it.
    steps: u32,
}

/// The names that steps carry.
#[derive(Default)]
pub struct TurnNames {
    entries: Vec<Entry>,
    free: Vec<TurnIx>,
    by_name: HashTable<TurnIx>,
    hasher: DefaultHashBuilder,
}

impl TurnNames {
    /// The handle of a name. It lasts as long as a step carries it; the first one has to come before the next call.
    pub fn intern(&mut self, name: &str) -> TurnIx {
        if let Some(turn) = self.find(name) {
            return turn;
        }
        let turn = self.free.pop().unwrap_or_else(|| {
            self.entries.push(Entry::default());
            TurnIx(u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX))
        });
        if let Some(entry) = self.entries.get_mut(turn.0 as usize) {
            entry.name = name.into();
        }
        let (entries, hasher) = (&self.entries, &self.hasher);
        let rehash =
            |turn: &TurnIx| entries.get(turn.0 as usize).map_or(0, |entry| hasher.hash_one(&*entry.name));
        self.by_name.insert_unique(self.hasher.hash_one(name), turn, rehash);
        turn
    }

    /// The handle of a name that is known.
    pub fn find(&self, name: &str) -> Option<TurnIx> {
        let hash = self.hasher.hash_one(name);
        self.by_name.find(hash, |turn| self.name(*turn) == name).copied()
    }

    /// The name.
    pub fn name(&self, turn: TurnIx) -> &str {
        self.entries.get(turn.0 as usize).map_or("", |entry| &entry.name)
    }

    /// How many steps carry it.
    pub fn steps(&self, turn: TurnIx) -> u32 {
        self.entries.get(turn.0 as usize).map_or(0, |entry| entry.steps)
    }

    /// One more step carries it.
    pub fn add_step(&mut self, turn: TurnIx) {
        if let Some(entry) = self.entries.get_mut(turn.0 as usize) {
            entry.steps += 1;
        }
    }

    /// One step less carries it; the last one takes the name with it.
    pub fn take_step(&mut self, turn: TurnIx) {
        let Some(entry) = self.entries.get_mut(turn.0 as usize) else { return };
        entry.steps = entry.steps.saturating_sub(1);
        if entry.steps > 0 {
            return;
        }
        let hash = self.hasher.hash_one(&*entry.name);
        if let Ok(found) = self.by_name.find_entry(hash, |known| *known == turn) {
            found.remove();
        }
        if let Some(entry) = self.entries.get_mut(turn.0 as usize) {
            entry.name = Box::default();
        }
        self.free.push(turn);
    }
}
