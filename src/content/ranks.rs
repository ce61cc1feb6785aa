//! Which of many things stands at which place of a list, while things come and go.
//!
//! An index in an edit counts what the edits before it have left, so a list is asked for its nth thing between one change and
//! the next. Every thing has a slot that is its for good: the first ones 0, 1, 2 …, one that comes the next number. The slots
//! are the nodes of a search tree that knows how many things are below each; a subtree that leans too far to one side is
//! built anew (Galperin and Rivest, "Scapegoat trees", 1993). So each question and each change takes O(log n) steps, however
//! they come. What goes stays as a node that does not count.

/// The order of some slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    /// Whether what was in a slot went.
    gone: Vec<bool>,
    live: usize,
    /// Made as soon as places and slots are no longer the same numbers and somebody asks.
    tree: Option<Tree>,
}

impl Ranks {
    /// As many slots, in order.
    pub fn of(count: usize) -> Self {
        Ranks { gone: vec![false; count], live: count, tree: None }
    }

    /// Number of things in the list.
    pub fn len(&self) -> usize {
        self.live
    }

    /// The slot of what stands at a place.
    pub fn at(&mut self, place: usize) -> Option<usize> {
        if place >= self.live {
            return None;
        }
        if self.tree.is_none() && self.live == self.gone.len() {
            return Some(place);
        }
        self.tree().at(place)
    }

    /// A slot for something that comes in front of what stands at a place; `None` when there are not so many places.
    pub fn insert(&mut self, place: usize) -> Option<usize> {
        if place > self.live {
            return None;
        }
        if self.tree.is_some() || place < self.live {
            self.tree().insert(place);
        }
        self.live += 1;
        self.gone.push(false);
        Some(self.gone.len() - 1)
    }

    /// What is in a slot goes.
    pub fn remove(&mut self, slot: usize) {
        let Some(gone) = self.gone.get_mut(slot).filter(|gone| !**gone) else { return };
        *gone = true;
        self.live -= 1;
        if let Some(tree) = &mut self.tree {
            tree.remove(slot);
        }
    }

    /// The slots in order.
    pub fn order(&self) -> Vec<usize> {
        let slots = match &self.tree {
            Some(tree) => tree.below(tree.root),
            None => (0..self.gone.len()).collect(),
        };
        slots.into_iter().filter(|slot| self.gone.get(*slot) == Some(&false)).collect()
    }

    /// Puts the slots into another order, which has to name each that is not gone once.
    pub fn arrange(&mut self, order: &[usize]) {
        self.tree = Some(Tree::of(order, self.gone.len()));
    }

    fn tree(&mut self) -> &mut Tree {
        let Ranks { gone, tree, .. } = self;
        tree.get_or_insert_with(|| {
            let live: Vec<usize> = (0..gone.len()).filter(|slot| gone.get(*slot) == Some(&false)).collect();
            Tree::of(&live, gone.len())
        })
    }
}

/// No node.
const NONE: usize = usize::MAX;

/// A slot, as a node. The one that stands for [`NONE`] has nothing in it and nothing below it.
#[derive(Clone, Copy, Debug)]
struct Node {
    left: usize,
    right: usize,
    up: usize,
    /// Nodes in its subtree, itself too.
    nodes: usize,
    /// Those of them that are not gone.
    live: usize,
    is_live: bool,
}

const NO_NODE: Node = Node { left: NONE, right: NONE, up: NONE, nodes: 0, live: 0, is_live: false };

/// A search tree by place.
#[derive(Clone, Debug)]
struct Tree {
    /// By slot.
    nodes: Vec<Node>,
    root: usize,
    /// Steps taken so far, for a test of the bound.
    #[cfg(test)]
    steps: usize,
}

impl Tree {
    /// The slots of an order, out of so many.
    fn of(order: &[usize], slots: usize) -> Self {
        let mut tree = Tree {
            nodes: vec![NO_NODE; slots],
            root: NONE,
            #[cfg(test)]
            steps: 0,
        };
        for slot in order {
            tree.change(*slot, |node| node.is_live = true);
        }
        tree.build(order, NONE, NONE);
        tree
    }

    fn get(&self, slot: usize) -> Node {
        self.nodes.get(slot).copied().unwrap_or(NO_NODE)
    }

    fn change(&mut self, slot: usize, with: impl FnOnce(&mut Node)) {
        self.step();
        if let Some(node) = self.nodes.get_mut(slot) {
            with(node);
        }
    }

    fn step(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }

    fn at(&mut self, mut place: usize) -> Option<usize> {
        let mut slot = self.root;
        loop {
            self.step();
            let node = self.nodes.get(slot).copied()?;
            let before = self.get(node.left).live;
            if place < before {
                slot = node.left;
            } else if place == before && node.is_live {
                return Some(slot);
            } else {
                place -= before + usize::from(node.is_live);
                slot = node.right;
            }
        }
    }

    /// The next slot, in front of what stands at a place.
    fn insert(&mut self, mut place: usize) {
        let slot = self.nodes.len();
        let (mut up, mut below, mut is_left) = (NONE, self.root, false);
        while let Some(node) = self.nodes.get(below).copied() {
            self.step();
            let before = self.get(node.left).live;
            is_left = place <= before;
            if !is_left {
                place -= before + usize::from(node.is_live);
            }
            (up, below) = (below, if is_left { node.left } else { node.right });
        }
        self.nodes.push(Node { up, nodes: 1, live: 1, is_live: true, ..NO_NODE });
        self.hang(slot, up, is_left);
        let mut leaning = None;
        while up != NONE {
            self.change(up, |node| (node.nodes, node.live) = (node.nodes + 1, node.live + 1));
            let node = self.get(up);
            let heavier = self.get(node.left).nodes.max(self.get(node.right).nodes);
            // Two thirds of the nodes on one side: no path is longer than log(n) / log(3/2), and a subtree that was built anew
            // takes a third of its size in new nodes before it is built again.
            if heavier * 3 > node.nodes * 2 + 2 {
                leaning = Some(up);
            }
            up = node.up;
        }
        if let Some(top) = leaning {
            let above = self.get(top).up;
            self.build(&self.below(top), above, top);
        }
    }

    fn remove(&mut self, slot: usize) {
        self.change(slot, |node| node.is_live = false);
        let mut at = slot;
        while at != NONE {
            self.change(at, |node| node.live -= 1);
            at = self.get(at).up;
        }
    }

    fn hang(&mut self, slot: usize, up: usize, is_left: bool) {
        if up == NONE {
            self.root = slot;
        }
        self.change(up, |node| if is_left { node.left = slot } else { node.right = slot });
    }

    /// The nodes of a subtree, in order.
    fn below(&self, top: usize) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.get(top).nodes);
        let (mut todo, mut at) = (Vec::new(), top);
        loop {
            while at != NONE {
                todo.push(at);
                at = self.get(at).left;
            }
            let Some(slot) = todo.pop() else { return order };
            order.push(slot);
            at = self.get(slot).right;
        }
    }

    /// Makes nodes a subtree in which both sides weigh the same, in place of `instead`.
    fn build(&mut self, order: &[usize], above: usize, instead: usize) {
        let is_left = self.get(above).left == instead;
        let mut todo = vec![(order, above, is_left)];
        let mut built = Vec::with_capacity(order.len());
        while let Some((order, up, is_left)) = todo.pop() {
            let (front, rest) = order.split_at(order.len() / 2);
            let Some((slot, back)) = rest.split_first() else { continue };
            self.change(*slot, |node| {
                *node = Node { up, nodes: order.len(), is_live: node.is_live, ..NO_NODE };
            });
            self.hang(*slot, up, is_left);
            built.push(*slot);
            todo.extend([(front, *slot, true), (back, *slot, false)]);
        }
        // Children were built after what they hang on.
        for slot in built.into_iter().rev() {
            let Node { left, right, is_live, .. } = self.get(slot);
            let live = self.get(left).live + self.get(right).live + usize::from(is_live);
            self.change(slot, |node| node.live = live);
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::indexing_slicing)] // a test may; the lint knows only a plain `cfg(test)`
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same with a plain list.
    fn check(count: usize, changes: impl IntoIterator<Item = (u8, usize)>) -> Ranks {
        let (mut ranks, mut list) = (Ranks::of(count), (0..count).collect::<Vec<_>>());
        let mut next = count;
        for (kind, place) in changes {
            match kind {
                0 => {
                    let place = place % (list.len() + 1);
                    assert_eq!(ranks.insert(place), Some(next));
                    list.insert(place, next);
                    next += 1;
                }
                1 if !list.is_empty() => {
                    let slot = list.remove(place % list.len());
                    ranks.remove(slot);
                    ranks.remove(slot);
                }
                2 => {
                    list.reverse();
                    ranks.arrange(&list);
                }
                _ => {
                    let place = place % (list.len() + 2);
                    assert_eq!(ranks.at(place), list.get(place).copied());
                }
            }
            assert_eq!(ranks.len(), list.len());
        }
        assert_eq!(ranks.insert(list.len() + 1), None);
        assert_eq!(ranks.order(), list);
        ranks
    }

    proptest! {
        #[test]
        fn c4_a_place_counts_what_is_left(
            count in 0..20usize,
            changes in prop::collection::vec((0..4u8, any::<usize>()), 0..200),
        ) {
            check(count, changes);
        }
    }

    #[test]
    fn x1_a_change_costs_the_logarithm_however_changes_come() {
        const N: usize = 100_000;
        type Way = fn(usize) -> usize;
        let ways: [(&str, Way); 4] = [
            ("at the front", |_| 0),
            ("one after the other", |n| n),
            ("at the end", |n| n + 1),
            ("anywhere", |n| n.wrapping_mul(2_654_435_761) % (n + 1)),
        ];
        for (name, way) in ways {
            let mut ranks = Ranks::of(1);
            ranks.insert(0);
            for n in 0..N {
                let place = way(n).min(ranks.len());
                ranks.insert(place);
            }
            for n in (0..N).rev() {
                let place = way(n).min(ranks.len() - 1);
                let slot = ranks.at(place).unwrap();
                ranks.remove(slot);
            }
            let steps = ranks.tree.map_or(0, |tree| tree.steps);
            // 17 = log2(N); a change walks down and up, and pays for what is built anew.
            assert!(steps < 2 * N * 17 * 6, "{name}: {steps} steps");
        }
    }
}
