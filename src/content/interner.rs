//! Things that are kept once, behind integer handles: the ground that the content store stands on.
//!
//! What is equal has one handle, so comparing handles compares things. A hit is always confirmed by comparing the things
//! themselves; hashes only find candidates.

use std::marker::PhantomData;
use std::num::NonZeroU32;

use hashbrown::HashTable;

/// A handle to a `T` in its [`Interner`].
pub struct Handle<T>(NonZeroU32, PhantomData<fn() -> T>);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Handle<T> {}

impl<T> PartialOrd for Handle<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Handle<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T> std::hash::Hash for Handle<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl<T> Handle<T> {
    fn at(index: usize) -> Self {
        // 2^32 things do not fit into any address space this runs in.
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        Handle(number.unwrap_or(NonZeroU32::MAX), PhantomData)
    }

    /// Counts from 0, so that a table can be kept beside the interner.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

struct Slot<T> {
    thing: T,
    hash: u64,
}

/// Keeps each `T` once.
pub struct Interner<T> {
    slots: Vec<Option<Slot<T>>>,
    free: Vec<Handle<T>>,
    by_hash: HashTable<Handle<T>>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { slots: Vec::new(), free: Vec::new(), by_hash: HashTable::new() }
    }
}

impl<T> Interner<T> {
    /// The thing behind a handle; `None` when it was dropped.
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        Some(&self.slots.get(handle.index())?.as_ref()?.thing)
    }

    /// The handle of what `is_same` says yes to.
    pub fn find(&self, hash: u64, is_same: impl Fn(&T) -> bool) -> Option<Handle<T>> {
        self.by_hash.find(hash, |handle| self.get(*handle).is_some_and(&is_same)).copied()
    }

    /// The handle of what `is_same` says yes to, else of what `make` gives. `hash` has to be the same for the same things.
    pub fn intern(&mut self, hash: u64, is_same: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> Handle<T> {
        if let Some(handle) = self.find(hash, is_same) {
            return handle;
        }
        self.insert(hash, make())
    }

    /// Keeps a thing that is known not to be there.
    pub fn insert(&mut self, hash: u64, thing: T) -> Handle<T> {
        let slot = Some(Slot { thing, hash });
        let handle = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            Handle::at(self.slots.len() - 1)
        });
        if let Some(place) = self.slots.get_mut(handle.index()) {
            *place = slot;
        }
        let slots = &self.slots;
        let rehash = |handle: &Handle<T>| {
            slots.get(handle.index()).and_then(Option::as_ref).map_or(0, |slot| slot.hash)
        };
        self.by_hash.insert_unique(hash, handle, rehash);
        handle
    }

    /// Drops what is not marked. Handles of what stays remain valid.
    pub fn sweep(&mut self, marks: &Marks<T>) {
        for (index, place) in self.slots.iter_mut().enumerate() {
            let handle = Handle::at(index);
            if marks.has(handle) {
                continue;
            }
            if let Some(slot) = place.take() {
                if let Ok(entry) = self.by_hash.find_entry(slot.hash, |known| *known == handle) {
                    entry.remove();
                }
                self.free.push(handle);
            }
        }
    }

    /// Number of things kept.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The handles of everything that is kept.
    pub fn handles(&self) -> impl Iterator<Item = Handle<T>> + '_ {
        let indexed = self.slots.iter().enumerate();
        indexed.filter(|(_, slot)| slot.is_some()).map(|(index, _)| Handle::at(index))
    }

    /// Everything that is kept.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten().map(|slot| &slot.thing)
    }

    /// Bytes of the tables, without what the things themselves hold.
    pub fn table_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Option<Slot<T>>>()
            + self.free.capacity() * size_of::<Handle<T>>()
            + self.by_hash.allocation_size()
    }
}

/// Which things are still needed.
pub struct Marks<T>(Vec<u64>, PhantomData<fn() -> T>);

impl<T> Marks<T> {
    /// None of them.
    pub fn none() -> Self {
        Marks(Vec::new(), PhantomData)
    }

    /// Marks one. Tells whether it was not marked before.
    pub fn add(&mut self, handle: Handle<T>) -> bool {
        let (word, bit) = (handle.index() / 64, 1 << (handle.index() % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let Some(word) = self.0.get_mut(word) else { return false };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether it is marked.
    pub fn has(&self, handle: Handle<T>) -> bool {
        self.0.get(handle.index() / 64).is_some_and(|word| word >> (handle.index() % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(interner: &mut Interner<String>, text: &str) -> Handle<String> {
        // One hash for all: only the comparison tells them apart.
        interner.intern(7, |known| known == text, || text.to_owned())
    }

    #[test]
    fn equal_things_have_one_handle_even_when_every_hash_collides() {
        let mut interner = Interner::default();
        let handles: Vec<_> = ["a", "b", "a", "c", "b"].map(|text| put(&mut interner, text)).to_vec();
        assert_eq!(handles[0], handles[2]);
        assert_eq!(handles[1], handles[4]);
        assert_ne!(handles[0], handles[3]);
        assert_eq!(interner.len(), 3);
    }

    #[test]
    fn what_is_swept_is_gone_and_its_place_is_used_again() {
        let mut interner = Interner::default();
        let [a, b] = ["a", "b"].map(|text| put(&mut interner, text));
        let mut marks = Marks::none();
        assert!(marks.add(b) && !marks.add(b));
        interner.sweep(&marks);
        assert_eq!((interner.get(a), interner.get(b).map(String::as_str)), (None, Some("b")));
        assert_eq!(put(&mut interner, "c"), a);
        assert_eq!(put(&mut interner, "b"), b);
        assert_eq!(interner.len(), 2);
    }
}
