//! Entities of two contents, found by id once somebody asks.

use hashbrown::HashMap;

use super::super::atom::{AtomIx, EntityId};
use super::super::sequence::SequenceIx;
use super::super::store::{ContentIx, ContentStore, Part};

/// Which of the two contents.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Old,
    New,
}

/// Two contents beside each other.
pub struct Sides<'e> {
    pub store: &'e ContentStore,
    parts: [&'e [Part]; 2],
    found: Vec<(u8, Found)>,
}

/// The entities of one collection in both.
struct Found {
    items: [Option<SequenceIx>; 2],
    /// Those that the other content has not, by id: nearly always it is one of them that somebody asks for.
    own: [Vec<(EntityId, AtomIx)>; 2],
    /// How often others were looked for one by one.
    searches: usize,
    /// All of them.
    all: [Option<HashMap<EntityId, AtomIx>>; 2],
}

/// So many entities are looked for one by one before all of them are put in order.
const FEW_SEARCHES: usize = 4;

impl<'e> Sides<'e> {
    pub fn of(store: &'e ContentStore, old: ContentIx, new: ContentIx) -> Self {
        let parts = [old, new].map(|content| store.parts(content).unwrap_or_default());
        Sides { store, parts, found: Vec::new() }
    }

    /// The entity of an id as the newer content has it, else as the older has.
    pub fn find(&mut self, collection: u8, id: EntityId) -> Option<AtomIx> {
        self.find_in(Side::New, collection, id).or_else(|| self.find_in(Side::Old, collection, id))
    }

    /// The entity of an id in one of them. Of two with one id the last counts.
    pub fn find_in(&mut self, side: Side, collection: u8, id: EntityId) -> Option<AtomIx> {
        let store = self.store;
        let found = self.collection(collection)?;
        let items = (*pick(&found.items, side))?;
        let own = pick(&found.own, side);
        if let Ok(at) = own.binary_search_by_key(&id, |(id, _)| *id) {
            return own.get(at).map(|(_, atom)| *atom);
        }
        let mut atoms = store.sequences.atoms(items);
        let is_it = |atom: &AtomIx| store.atoms.get(*atom).is_some_and(|atom| atom.id == Some(id));
        found.searches += 1;
        if found.searches <= FEW_SEARCHES {
            return if store.sequences.are_distinct(items) {
                atoms.find(is_it)
            } else {
                atoms.filter(is_it).last()
            };
        }
        let all = match side {
            Side::Old => &mut found.all[0],
            Side::New => &mut found.all[1],
        };
        let all = all.get_or_insert_with(|| {
            atoms.filter_map(|atom| Some((store.atoms.get(atom)?.id?, atom))).collect()
        });
        all.get(&id).copied()
    }

    /// Every entity of a collection: of the newer content, then those of the older that the newer does not have, or not like
    /// that.
    pub fn all(&mut self, collection: u8) -> Vec<AtomIx> {
        let store = self.store;
        let Some(found) = self.collection(collection) else { return Vec::new() };
        let [old, new] = found.items;
        let only_old = found.own[0].iter().map(|(_, atom)| *atom);
        match (new, old) {
            (Some(new), _) => store.sequences.atoms(new).chain(only_old).collect(),
            (None, Some(old)) => store.sequences.atoms(old).collect(),
            (None, None) => Vec::new(),
        }
    }

    fn collection(&mut self, index: u8) -> Option<&mut Found> {
        let at = match self.found.iter().position(|(known, _)| *known == index) {
            Some(at) => at,
            None => {
                self.found.push((index, self.look_for(index)?));
                self.found.len() - 1
            }
        };
        self.found.get_mut(at).map(|(_, found)| found)
    }

    fn look_for(&self, index: u8) -> Option<Found> {
        let store = self.store;
        let key = store.atoms.find_id(&store.schema.get(index)?.path)?;
        // Of a key that stands twice the last counts.
        let items = self.parts.map(|parts| {
            let is_it = |part: &&Part| {
                let (Part::Plain(first) | Part::Collection { open: first, .. }) = **part;
                store.atoms.get(first).is_some_and(|atom| atom.id == Some(key))
            };
            match parts.iter().rev().find(is_it)? {
                Part::Collection { items, .. } => Some(*items),
                Part::Plain(_) => None,
            }
        });
        let own = self.unshared(items);
        Some(Found { items, own, searches: 0, all: [None, None] })
    }

    fn unshared(&self, [old, new]: [Option<SequenceIx>; 2]) -> [Vec<(EntityId, AtomIx)>; 2] {
        let store = self.store;
        let sequences = &store.sequences;
        let pairs = old.zip(new).and_then(|(old, new)| sequences.aligned(old, new, &store.atoms.kept));
        let (old_own, new_own) = match pairs {
            Some(pairs) => pairs.into_iter().unzip(),
            None => sequences.unshared(old, new),
        };
        let by_id = |items: Option<SequenceIx>, atoms: Vec<AtomIx>| {
            // Of two with one id the last counts, wherever they are.
            let is_distinct = items.is_some_and(|items| sequences.are_distinct(items));
            let atoms = atoms.into_iter().filter(|_| is_distinct);
            let mut own: Vec<_> = atoms.filter_map(|atom| Some((store.atoms.get(atom)?.id?, atom))).collect();
            own.sort_unstable();
            own
        };
        [by_id(old, old_own), by_id(new, new_own)]
    }
}

fn pick<T>([old, new]: &[T; 2], side: Side) -> &T {
    match side {
        Side::Old => old,
        Side::New => new,
    }
}
