//! The names of turns (`messageId`s), each once.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The name of a turn. Two are the same if and only if the names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TurnIx(u32);

/// All names that steps ever carried.
#[derive(Default)]
pub struct TurnNames {
    names: Vec<Box<str>>,
    by_name: HashTable<TurnIx>,
    hasher: DefaultHashBuilder,
}

impl TurnNames {
    /// The handle of a name.
    pub fn intern(&mut self, name: &str) -> TurnIx {
        if let Some(turn) = self.find(name) {
            return turn;
        }
        let turn = TurnIx(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.into());
        let (names, hasher) = (&self.names, &self.hasher);
        let rehash = |turn: &TurnIx| names.get(turn.0 as usize).map_or(0, |name| hasher.hash_one(&**name));
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
        self.names.get(turn.0 as usize).map_or("", |name| name)
    }
}
