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

/// Something that is kept.
pub trait Thing {
    /// Bytes that it holds outside of itself.
    fn held_bytes(&self) -> usize;
}

impl Thing for Box<str> {
    fn held_bytes(&self) -> usize {
        self.len()
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
    /// What the things hold.
    held_bytes: usize,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { slots: Vec::new(), free: Vec::new(), by_hash: HashTable::new(), held_bytes: 0 }
    }
}

impl<T: Thing> Interner<T> {
    /// Bytes that the tables need for one thing: its slot, and its place among the hashes.
    pub const PLACE: usize = size_of::<Option<Slot<T>>>() + size_of::<Handle<T>>() + 1;

    fn slot(&self, handle: Handle<T>) -> Option<&Slot<T>> {
        self.slots.get(handle.index())?.as_ref()
    }

    /// The thing behind a handle; `None` when it was dropped.
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        Some(&self.slot(handle)?.thing)
    }

    /// The hash that a thing was kept with; 0 when it was dropped.
    pub fn hash_of(&self, handle: Handle<T>) -> u64 {
        self.slot(handle).map_or(0, |slot| slot.hash)
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
        self.held_bytes += thing.held_bytes();
        let slot = Some(Slot { thing, hash });
        let handle = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            Handle::at(self.slots.len() - 1)
        });
        if let Some(place) = self.slots.get_mut(handle.index()) {
            *place = slot;
        }
        self.by_hash.insert_unique(hash, handle, rehash(&self.slots));
        handle
    }

    /// Puts another thing behind a handle.
    pub fn replace(&mut self, handle: Handle<T>, hash: u64, thing: T) {
        let Some(slot) = self.slots.get_mut(handle.index()).and_then(Option::as_mut) else { return };
        self.held_bytes = self.held_bytes + thing.held_bytes() - slot.thing.held_bytes();
        let old = std::mem::replace(slot, Slot { thing, hash });
        if let Ok(entry) = self.by_hash.find_entry(old.hash, |known| *known == handle) {
            entry.remove();
        }
        self.by_hash.insert_unique(hash, handle, rehash(&self.slots));
    }

    /// Drops what is not marked. Handles of what stays remain valid.
    pub fn sweep(&mut self, marks: &Marks<T>) {
        for (index, place) in self.slots.iter_mut().enumerate() {
            let handle = Handle::at(index);
            if marks.has(handle) {
                continue;
            }
            if let Some(slot) = place.take() {
                self.held_bytes -= slot.thing.held_bytes();
                if let Ok(entry) = self.by_hash.find_entry(slot.hash, |known| *known == handle) {
                    entry.remove();
                }
                self.free.push(handle);
            }
        }
        self.give_back_room();
    }

    /// Most of the tables may have become empty.
    fn give_back_room(&mut self) {
        let used = self.slots.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        self.slots.truncate(used);
        self.free.retain(|handle| handle.index() < used);
        if self.slots.capacity() > 2 * used + 64 {
            self.slots.shrink_to_fit();
            self.free.shrink_to_fit();
            self.by_hash.shrink_to_fit(rehash(&self.slots));
        }
    }

    /// Number of things kept.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Bytes that one thing takes.
    pub fn bytes_of(&self, handle: Handle<T>) -> usize {
        self.get(handle).map_or(0, |thing| Self::PLACE + thing.held_bytes())
    }

    /// Bytes that all things take: what they hold, and their places in the tables. Room that the tables keep for more is not
    /// counted.
    pub fn bytes(&self) -> usize {
        self.held_bytes + self.len() * Self::PLACE
    }
}

/// How a table of handles finds the hashes again when it grows.
fn rehash<T>(slots: &[Option<Slot<T>>]) -> impl Fn(&Handle<T>) -> u64 {
    |handle| slots.get(handle.index()).and_then(Option::as_ref).map_or(0, |slot| slot.hash)
}

/// Which things are still needed.
pub struct Marks<T>(Vec<u64>, PhantomData<fn() -> T>);

impl<T> Default for Marks<T> {
    fn default() -> Self {
        Marks(Vec::new(), PhantomData)
    }
}

impl<T> Marks<T> {
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

    fn put(interner: &mut Interner<Box<str>>, text: &str) -> Handle<Box<str>> {
        // One hash for all: only the comparison tells them apart.
        interner.intern(7, |known| **known == *text, || text.into())
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
        let mut marks = Marks::default();
        assert!(marks.add(b) && !marks.add(b));
        interner.sweep(&marks);
        assert_eq!((interner.get(a), interner.get(b).map(|text| &**text)), (None, Some("b")));
        assert_eq!(put(&mut interner, "c"), a);
        assert_eq!(put(&mut interner, "b"), b);
        assert_eq!(interner.len(), 2);
    }

    #[test]
    fn what_is_replaced_is_found_by_its_new_hash_alone() {
        let mut interner = Interner::<Box<str>>::default();
        let handle = interner.insert(0, "old".into());
        interner.replace(handle, u64::MAX, "longer".into());
        assert_eq!(interner.find(0, |_| true), None);
        assert_eq!(interner.find(u64::MAX, |known| **known == *"longer"), Some(handle));
        assert_eq!((interner.hash_of(handle), interner.len()), (u64::MAX, 1));
    }

    #[test]
    fn c3_the_bytes_of_all_are_the_bytes_of_each() {
        let mut interner = Interner::default();
        let handles = ["a", "bcd", "", "efghij"].map(|text| put(&mut interner, text));
        let each = |interner: &Interner<Box<str>>| {
            handles.map(|handle| interner.bytes_of(handle)).iter().sum::<usize>()
        };
        assert_eq!(interner.bytes(), each(&interner));
        interner.replace(handles[1], 7, "a longer one".into());
        assert_eq!(interner.bytes(), each(&interner));
        let mut marks = Marks::default();
        marks.add(handles[1]);
        interner.sweep(&marks);
        assert_eq!(interner.bytes(), interner.bytes_of(handles[1]));
        interner.sweep(&Marks::default());
        assert_eq!(interner.bytes(), 0);
    }
}
