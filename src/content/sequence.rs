//! Sequences of entities that share what they have in common, with any other sequence.
//!
//! A sequence is a tree whose nodes are kept once. Where a node ends is decided by what is in it, not by where it lies: an
//! entity closes nodes up to a level that follows from its id. So two sequences that differ in k places of n differ in
//! O(k log n) nodes, equal sequences have the same root, and it does not matter how they came about. (The shape is that of
//! a Merkle search tree: Auvolat and Taïani, 2019.)

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashSet};

use super::atom::{Atom, AtomIx, Atoms};
use super::interner::{Handle, Interner, Marks, Thing};

/// A sequence in the store. Two are the same if and only if their atoms are.
pub type SequenceIx = Handle<Node>;

/// A node of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Entities.
    Leaf(Box<[AtomIx]>),
    /// Nodes.
    Branch(Box<[SequenceIx]>),
}

impl Thing for Node {
    fn held_bytes(&self) -> usize {
        match self {
            Node::Leaf(atoms) => size_of_val(&**atoms),
            Node::Branch(nodes) => size_of_val(&**nodes),
        }
    }
}

/// All sequences.
#[derive(Default)]
pub struct Sequences {
    /// The nodes.
    pub nodes: Interner<Node>,
    /// Sequences in which an entity has no id, or the id of another.
    muddled: HashSet<SequenceIx>,
    /// By id, the last sequence that was seen to have it.
    last_seen: Vec<u32>,
    built: u32,
    hasher: DefaultHashBuilder,
}

/// No node has more levels above it than this: a level for every four bits of a hash.
const LEVELS: u8 = 16;

/// No node has more in it than this, whatever the ids are. By what hashes give it ends long before that.
const LARGEST: usize = 128;

impl Sequences {
    /// Keeps a sequence. O(n) time; memory only for nodes that no other sequence has.
    pub fn build(&mut self, atoms: &[AtomIx], known: &Atoms) -> SequenceIx {
        let sequence = self.tree(atoms, &known.kept);
        if !self.have_ids_of_their_own(atoms, known) {
            self.muddled.insert(sequence);
        }
        sequence
    }

    /// An empty id is none: it stands for a collection as a whole.
    fn have_ids_of_their_own(&mut self, atoms: &[AtomIx], known: &Atoms) -> bool {
        self.built = self.built.checked_add(1).unwrap_or_else(|| {
            self.last_seen.clear();
            1
        });
        atoms.iter().all(|atom| {
            let Some(id) = known.get(*atom).and_then(|atom| atom.id) else { return false };
            if known.id_text(id).is_empty() {
                return false;
            }
            if self.last_seen.len() <= id.index() {
                self.last_seen.resize(id.index() + 1, 0);
            }
            let last = self.last_seen.get_mut(id.index());
            last.is_some_and(|last| std::mem::replace(last, self.built) != self.built)
        })
    }

    fn tree(&mut self, atoms: &[AtomIx], known: &Interner<Atom>) -> SequenceIx {
        let height = |atom: &AtomIx| known.get(*atom).map_or(0, |atom| atom.height);
        let mut nodes: Vec<(SequenceIx, u8)> = Vec::new();
        let mut from = 0;
        for (at, atom) in atoms.iter().enumerate() {
            let height = height(atom);
            if height > 0 || at + 1 == atoms.len() || at + 1 - from == LARGEST {
                let leaf = Node::Leaf(atoms.get(from..=at).unwrap_or(&[]).into());
                nodes.push((self.keep(leaf), height));
                from = at + 1;
            }
        }
        if nodes.is_empty() {
            return self.keep(Node::Leaf(Box::default()));
        }
        for level in 1..=LEVELS {
            if nodes.len() == 1 {
                break;
            }
            let mut above = Vec::new();
            let mut group: Vec<SequenceIx> = Vec::new();
            let last = nodes.len() - 1;
            for (at, (node, height)) in nodes.into_iter().enumerate() {
                group.push(node);
                let is_full = group.len() == LARGEST;
                if at == last || (is_full || height > level) && level < LEVELS {
                    let branch = Node::Branch(std::mem::take(&mut group).into());
                    above.push((self.keep(branch), height));
                }
            }
            nodes = above;
        }
        match nodes.first() {
            Some((root, _)) => *root,
            None => self.keep(Node::Leaf(Box::default())),
        }
    }

    fn keep(&mut self, node: Node) -> SequenceIx {
        let hash = self.hasher.hash_one(&node);
        let same = node.clone();
        self.nodes.intern(hash, |known| *known == same, || node)
    }

    /// The atoms of a sequence, in order. Does not recurse.
    pub fn atoms(&self, sequence: SequenceIx) -> impl Iterator<Item = AtomIx> + '_ {
        let mut todo = vec![sequence];
        let mut leaf: &[AtomIx] = &[];
        std::iter::from_fn(move || {
            loop {
                if let Some((first, rest)) = leaf.split_first() {
                    leaf = rest;
                    return Some(*first);
                }
                match self.nodes.get(todo.pop()?)? {
                    Node::Leaf(atoms) => leaf = atoms,
                    Node::Branch(nodes) => todo.extend(nodes.iter().rev()),
                }
            }
        })
    }

    /// What two sequences do not have in common: the atoms of each, in order, that lie in nodes which the other has not.
    /// What they share is passed over whole.
    pub fn unshared(&self, a: Option<SequenceIx>, b: Option<SequenceIx>) -> (Vec<AtomIx>, Vec<AtomIx>) {
        let (mut left, mut right): (Vec<_>, Vec<_>) = (a.into_iter().collect(), b.into_iter().collect());
        // Level by level from the root: what both have is struck, what is left is opened.
        loop {
            let mine: HashSet<SequenceIx> = left.iter().copied().collect();
            let theirs: HashSet<SequenceIx> = right.iter().copied().collect();
            left.retain(|node| !theirs.contains(node));
            right.retain(|node| !mine.contains(node));
            let is_leaf = |node: &SequenceIx| matches!(self.nodes.get(*node), Some(Node::Leaf(_)));
            if left.iter().all(is_leaf) && right.iter().all(is_leaf) {
                break;
            }
            (left, right) = (self.opened(&left), self.opened(&right));
        }
        let atoms = |leaves: &[SequenceIx]| leaves.iter().flat_map(|leaf| self.atoms(*leaf)).collect();
        (atoms(&left), atoms(&right))
    }

    /// The nodes below; leaves stay.
    fn opened(&self, nodes: &[SequenceIx]) -> Vec<SequenceIx> {
        let mut below = Vec::new();
        for node in nodes {
            match self.nodes.get(*node) {
                Some(Node::Branch(inner)) => below.extend_from_slice(inner),
                _ => below.push(*node),
            }
        }
        below
    }

    /// What differs between two sequences of the same ids in the same order: the two atoms at each place where they are not the
    /// same. `None` when the ids or their order differ. O(changed log n).
    ///
    /// Where a node ends follows from the ids in it, so the same ids make trees of the same shape.
    pub fn aligned(
        &self,
        a: SequenceIx,
        b: SequenceIx,
        known: &Interner<Atom>,
    ) -> Option<Vec<(AtomIx, AtomIx)>> {
        let id = |atom: AtomIx| known.get(atom).and_then(|atom| atom.id);
        let mut pairs = Vec::new();
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            if a == b {
                continue;
            }
            match (self.nodes.get(a)?, self.nodes.get(b)?) {
                (Node::Leaf(a), Node::Leaf(b)) if a.len() == b.len() => {
                    for (a, b) in a.iter().zip(b).filter(|(a, b)| a != b) {
                        if id(*a) != id(*b) {
                            return None;
                        }
                        pairs.push((*a, *b));
                    }
                }
                (Node::Branch(a), Node::Branch(b)) if a.len() == b.len() => {
                    todo.extend(a.iter().copied().zip(b.iter().copied()).rev());
                }
                _ => return None,
            }
        }
        Some(pairs)
    }

    /// Whether every atom has an id, and no two the same. O(1).
    pub fn are_distinct(&self, sequence: SequenceIx) -> bool {
        !self.muddled.contains(&sequence)
    }

    /// Drops the nodes that are not marked.
    pub fn sweep(&mut self, marks: &Marks<Node>) {
        self.nodes.sweep(marks);
        self.muddled.retain(|sequence| marks.has(*sequence));
    }
}
