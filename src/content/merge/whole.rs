//! What does not go together gives way (C7).
//!
//! Each side by itself may be whole and the two of them not: mine draws a link to what theirs takes away. Then something
//! becomes as mine has it, be it that there is none: what mine builds on comes back, what theirs built on something that mine
//! has no more is left out. What a change can affect is looked at again. An entity becomes as mine has it once, and then is
//! at rest, and where everything involved is as mine has it, it goes together; so this ends. What it takes is linear in what
//! refers to what.
//!
//! What one side by itself has against the rules stays as it is: that is no business of a merge.

use std::borrow::Cow;
use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};

use super::super::atom::{AtomIx, EntityId};
use super::super::schema::{Kind, Port, Ref};
use super::super::store::{ContentIx, ContentStore, Part};
use super::super::validate::refs::Ports;
use super::collection::{Merging, Version};
use super::doubles::Doubles;
use super::{Conflict, Three};

/// An entity: the number of its collection, and its id there.
pub type Node = (usize, EntityId);

/// One of the two sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    Mine,
    Theirs,
}

/// Whose version of an entity.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Whose {
    Result,
    Of(Side),
}

/// Three contents while they are merged.
pub struct Settlement<'s> {
    pub(super) store: &'s ContentStore,
    pub(super) contents: Three<ContentIx>,
    pub(super) parts: Three<HashMap<EntityId, Part>>,
    /// By the schema's order.
    pub(super) mergings: Vec<Merging<'s>>,
    /// For each collection, its references with the number of the collection that they lead to.
    refs: Vec<Vec<(&'s Ref, usize)>>,
    /// For each collection, those that have to have an entry for each of its entities.
    pub(super) entries: Vec<Vec<usize>>,
    conflicts: HashMap<(usize, Option<EntityId>), Vec<Conflict>>,
    /// Conflicts about what had to give way.
    following: HashSet<Node>,
    /// Fields that stay as mine has them.
    pinned: HashMap<Node, Vec<&'s str>>,
    /// What refers to an entity, or did so.
    referrers: HashMap<Node, Vec<Node>>,
    pub(super) ports: HashMap<(Node, Whose, &'s str, &'s str), Option<Ports>>,
    pub(super) doubles: Doubles,
    todo: VecDeque<Node>,
    queued: HashSet<Node>,
}

impl<'s> Settlement<'s> {
    /// Merges what two sides made of a base.
    pub fn of(store: &'s ContentStore, contents: Three<ContentIx>) -> Self {
        let parts = contents.map(|content| store.members(content).unwrap_or_default());
        let collections = &store.schema.collections;
        let number = |path: &str| collections.iter().position(|collection| collection.path == path);
        let refs: Vec<Vec<(&Ref, usize)>> = collections
            .iter()
            .map(|collection| collection.refs.iter().filter_map(|to| Some((to, number(&to.to)?))).collect())
            .collect();
        let mut entries = vec![Vec::new(); collections.len()];
        for (index, (collection, refs)) in collections.iter().zip(&refs).enumerate() {
            let is_needed = collection.kind == Kind::Map && collection.position.is_some();
            for (_, to) in refs.iter().filter(|(reference, _)| is_needed && reference.field.is_empty()) {
                if let Some(entries) = entries.get_mut(*to) {
                    entries.push(index);
                }
            }
        }
        let mut settlement = Settlement {
            store,
            contents,
            parts,
            mergings: Vec::with_capacity(collections.len()),
            refs,
            entries,
            conflicts: HashMap::new(),
            following: HashSet::new(),
            pinned: HashMap::new(),
            referrers: HashMap::new(),
            ports: HashMap::new(),
            doubles: Doubles::default(),
            todo: VecDeque::new(),
            queued: HashSet::new(),
        };
        for (index, collection) in collections.iter().enumerate() {
            let key = store.atoms.find_id(&collection.path);
            let part = |parts: &HashMap<EntityId, Part>| parts.get(&key?).copied();
            let (merging, conflicts) = Merging::of(store, collection, settlement.parts.as_ref().map(part));
            settlement.conflicts.extend(conflicts.into_iter().map(|(id, found)| ((index, id), found)));
            settlement.todo.extend(merging.ids().into_iter().map(|id| (index, id)));
            settlement.mergings.push(merging);
        }
        for node in settlement.todo.clone() {
            settlement.note_referrer(node);
        }
        settlement.queued = settlement.todo.iter().copied().collect();
        while let Some(node) = settlement.todo.pop_front() {
            settlement.queued.remove(&node);
            settlement.look_at(node);
        }
        settlement
    }

    /// The conflicts, each told once: what belongs to an entity under the same id goes with it.
    pub(super) fn found_conflicts(self) -> Vec<Conflict> {
        let goes_with_another = |node: &Node| {
            let owners = self.refs.get(node.0).into_iter().flatten().filter(|(to, _)| to.field.is_empty());
            let found = owners.filter_map(|(_, to)| self.conflicts.get(&(*to, Some(node.1)))).flatten();
            self.following.contains(node) && found.into_iter().any(|conflict| conflict.path.is_empty())
        };
        let told = self
            .conflicts
            .iter()
            .filter(|((index, id), _)| id.is_none_or(|id| !goes_with_another(&(*index, id))));
        told.flat_map(|(_, conflicts)| conflicts).cloned().collect()
    }

    pub(super) fn version(&self, node: Node) -> Option<&Version> {
        self.mergings.get(node.0)?.result.get(&node.1)
    }

    fn atom(&self, node: Node, side: Side) -> Option<AtomIx> {
        let versions = self.mergings.get(node.0)?.versions(node.1);
        if side == Side::Mine { versions.mine } else { versions.theirs }
    }

    /// Whether an entity is as a side has it, be it that there is none.
    pub(super) fn is_as(&self, node: Node, side: Side) -> bool {
        match (self.version(node), self.atom(node, side)) {
            (Some(Version::Kept(atom)), Some(of_side)) => self.store.same_value(*atom, of_side),
            (None, None) => true,
            _ => false,
        }
    }

    pub(super) fn is_as_mine(&self, node: Node) -> bool {
        self.is_as(node, Side::Mine)
    }

    pub(super) fn is_in(&self, node: Node, whose: Whose) -> bool {
        match whose {
            Whose::Result => self.version(node).is_some(),
            Whose::Of(side) => self.atom(node, side).is_some(),
        }
    }

    pub(super) fn text(&self, node: Node, whose: Whose) -> Option<Cow<'_, str>> {
        match whose {
            Whose::Result => self.version(node).map(|version| version.text(self.store)),
            Whose::Of(side) => self.atom(node, side).map(|atom| self.store.value_text(atom)),
        }
    }

    fn look_at(&mut self, node: Node) {
        self.look_for_doubles(node);
        let refs = self.refs.get(node.0).cloned().unwrap_or_default();
        for (reference, to) in &refs {
            self.look_at_reference(node, reference, *to);
        }
        // What an entry is for asks for it.
        let owners = refs.iter().filter(|(reference, _)| reference.field.is_empty());
        let owners: Vec<Node> = owners.map(|(_, to)| (*to, node.1)).collect();
        for owner in owners.into_iter().chain([node]) {
            self.look_for_entries(owner);
        }
    }

    /// Makes a field as mine has it, with a conflict.
    pub(super) fn pin(&mut self, node: Node, field: &'s str) {
        let Some(merging) = self.mergings.get(node.0) else { return };
        let is_in_all = merging.versions(node.1).as_ref().all(Option::is_some);
        let pinned = self.pinned.entry(node).or_default();
        if merging.lump.is_some()
            || !is_in_all
            || merging.leads_elsewhere(self.store, node.1)
            || pinned.contains(&field)
        {
            self.give_way(node);
            return;
        }
        pinned.push(field);
        let (version, conflicts) = merging.merge_entity(self.store, node.1, pinned);
        self.conflicts.insert((node.0, Some(node.1)), conflicts);
        self.change(node, version);
    }

    /// Makes an entity as mine has it, with a conflict.
    pub(super) fn give_way(&mut self, node: Node) {
        let (index, id) = node;
        let Some(merging) = self.mergings.get_mut(index) else { return };
        if merging.lump.is_some() {
            let mut ids = merging.sides.theirs.ids.clone();
            ids.extend_from_slice(&merging.sides.mine.ids);
            merging.take_lump(Side::Mine);
            self.conflicts.insert((index, None), vec![merging.conflict_of_all(self.store)]);
            for id in ids {
                self.changed((index, id));
            }
            return;
        }
        let mine = merging.sides.mine.atoms.get(&id).map(|atom| Version::Kept(*atom));
        self.conflicts.insert((index, Some(id)), vec![merging.conflict(self.store, id)]);
        self.following.insert(node);
        self.change(node, mine);
    }

    /// Puts another version in place, or none.
    pub(super) fn change(&mut self, node: Node, version: Option<Version>) {
        if let Some(merging) = self.mergings.get_mut(node.0) {
            match version {
                Some(version) => merging.result.insert(node.1, version),
                None => merging.result.remove(&node.1),
            };
        }
        self.changed(node);
    }

    /// Everything that a change can affect is looked at again.
    fn changed(&mut self, node: Node) {
        self.doubles.forget(node);
        for (reference, to) in self.refs.iter().flatten() {
            if let Some(Port { among, id, .. }) = reference.port.as_ref().filter(|_| *to == node.0) {
                self.ports.remove(&(node, Whose::Result, among.as_str(), id.as_str()));
            }
        }
        self.note_referrer(node);
        for affected in self.referrers.get(&node).into_iter().flatten().chain([&node]) {
            if self.queued.insert(*affected) {
                self.todo.push_back(*affected);
            }
        }
    }

    fn note_referrer(&mut self, node: Node) {
        let refs = self.refs.get(node.0).into_iter().flatten();
        let target = |(to, index): &(&Ref, usize)| self.target(node, to, *index, Whose::Result);
        let targets: Vec<Node> = refs.filter_map(target).collect();
        for target in targets {
            self.referrers.entry(target).or_default().push(node);
        }
    }
}
