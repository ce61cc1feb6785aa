//! What is kept, and for how long (C3).
//!
//! Whoever holds handles says which: those contents stay, with everything that they are made of, and the rest is dropped. A
//! budget of bytes can ask for more. Then contents are *evicted*, the least wanted first: the handle stays valid and says
//! that the content was let go, so nobody mistakes it for another or for none; and when the same text comes again, it comes
//! back behind the same handle.

use xxhash_rust::xxh3::Xxh3Default;

use super::atom::{Atom, AtomIx};
use super::interner::{Interner, Marks, Thing};
use super::sequence::{Node, SequenceIx};
use super::store::{Content, ContentIx, ContentStore, Part, State};

/// Tells a text from others when there is no text to compare with: 128 bits over the hashes of its pieces, which are 64 bits
/// over their bytes each.
pub type Fingerprint = u128;

/// What a collection has come by, and the bytes that all of it takes but for the places of the contents.
#[derive(Default)]
struct Reached {
    contents: Marks<Content>,
    nodes: Marks<Node>,
    atoms: Marks<Atom>,
    ids: Marks<Box<str>>,
    bytes: usize,
}

impl ContentStore {
    /// Keeps these contents and drops all others with what only they needed. Handles of those that stay remain valid.
    pub fn retain(&mut self, live: impl IntoIterator<Item = ContentIx>) {
        let mut reached = Reached::default();
        for content in live {
            self.reach(content, &mut reached);
        }
        self.sweep(&mut reached);
    }

    /// Keeps the `pinned` contents and as many of the others as fit into a budget of bytes, the most wanted of which come
    /// first. Those that do not fit are evicted; the rest is dropped. Gives how many were evicted now.
    pub fn retain_within(
        &mut self,
        pinned: impl IntoIterator<Item = ContentIx>,
        others: &[ContentIx],
        budget: usize,
    ) -> usize {
        let pinned: Vec<ContentIx> = pinned.into_iter().collect();
        let mut fitting = 0;
        // Their places stay, whatever becomes of the contents.
        let mut reached =
            Reached { bytes: self.contents.len() * Interner::<Content>::PLACE, ..Reached::default() };
        for content in &pinned {
            self.reach(*content, &mut reached);
        }
        for content in others {
            self.reach(*content, &mut reached);
            if reached.bytes > budget {
                break;
            }
            fitting += 1;
        }
        let (fitting, unfit) = others.split_at(fitting);
        // Once more without the one that was too much.
        let mut reached = Reached::default();
        for content in pinned.iter().chain(fitting) {
            self.reach(*content, &mut reached);
        }
        let mut evicted = 0;
        for content in unfit {
            if reached.contents.add(*content) && self.evict(*content) {
                evicted += 1;
            }
        }
        self.sweep(&mut reached);
        evicted
    }

    /// Marks a content and everything that it is made of.
    fn reach(&self, content: ContentIx, reached: &mut Reached) {
        if !reached.contents.add(content) {
            return;
        }
        reached.bytes += self.contents.get(content).map_or(0, Thing::held_bytes);
        for part in self.parts(content).unwrap_or_default() {
            match *part {
                Part::Plain(atom) => self.reach_atom(atom, reached),
                Part::Collection { open, items, close } => {
                    self.reach_atom(open, reached);
                    self.reach_sequence(items, reached);
                    self.reach_atom(close, reached);
                }
            }
        }
    }

    fn reach_sequence(&self, sequence: SequenceIx, reached: &mut Reached) {
        let mut todo = vec![sequence];
        while let Some(next) = todo.pop() {
            if !reached.nodes.add(next) {
                continue;
            }
            reached.bytes += self.sequences.nodes.bytes_of(next);
            match self.sequences.nodes.get(next) {
                Some(Node::Leaf(atoms)) => atoms.iter().for_each(|atom| self.reach_atom(*atom, reached)),
                Some(Node::Branch(inner)) => todo.extend_from_slice(inner),
                None => {}
            }
        }
    }

    fn reach_atom(&self, atom: AtomIx, reached: &mut Reached) {
        // A base is whole, so there is at most one.
        for atom in [Some(atom), self.atoms.base(atom)].into_iter().flatten() {
            if !reached.atoms.add(atom) {
                continue;
            }
            reached.bytes += self.atoms.kept.bytes_of(atom);
            if let Some(id) = self.atoms.get(atom).and_then(|atom| atom.id).filter(|id| reached.ids.add(*id))
            {
                reached.bytes += self.atoms.ids.bytes_of(id);
            }
        }
    }

    /// Lets a content go, but not its handle. Tells whether it was held.
    fn evict(&mut self, content: ContentIx) -> bool {
        let Some(parts) = self.parts(content) else { return false };
        let fingerprint = self.fingerprint(parts);
        self.contents.replace(content, fingerprint as u64, Content(State::Evicted));
        self.evicted.insert(fingerprint, content);
        true
    }

    pub(super) fn fingerprint(&self, parts: &[Part]) -> Fingerprint {
        let mut all = Xxh3Default::new();
        let mut add = |atom: AtomIx| all.update(&self.atoms.kept.hash_of(atom).to_le_bytes());
        for part in parts {
            match *part {
                Part::Plain(atom) => add(atom),
                Part::Collection { open, items, close } => {
                    add(open);
                    self.sequences.atoms(items).for_each(&mut add);
                    add(close);
                }
            }
        }
        all.digest128()
    }

    fn sweep(&mut self, reached: &mut Reached) {
        // Handles of what goes can come again for something else.
        self.judged.take();
        self.contents.sweep(&reached.contents);
        self.sequences.sweep(&reached.nodes);
        self.atoms.kept.sweep(&reached.atoms);
        self.atoms.ids.sweep(&reached.ids);
        let contents = &reached.contents;
        self.compared.retain(|(a, b), _| contents.has(*a) && contents.has(*b));
        self.evicted.retain(|_, content| contents.has(*content));
    }
}
