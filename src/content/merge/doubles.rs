//! Links that say the same (4. of C7): both sides drew it, under different ids.

use hashbrown::HashMap;

use super::super::canonical;
use super::super::field::members;
use super::super::json::Json;
use super::super::schema::{Collection, Kind, Ref};
use super::super::validate::refs::what_a_link_says;
use super::collection::Merging;
use super::whole::{Node, Settlement, Side};

/// What a link says, with the number of its collection.
type Said = (usize, Vec<Option<Vec<u8>>>);

/// What the links of the result say.
#[derive(Default)]
pub struct Doubles {
    said: HashMap<Node, Said>,
    by_said: HashMap<Said, Node>,
}

impl Doubles {
    /// Strikes a link that is another now.
    pub fn forget(&mut self, node: Node) {
        if let Some(said) = self.said.remove(&node)
            && self.by_said.get(&said) == Some(&node)
        {
            self.by_said.remove(&said);
        }
    }

    fn note(&mut self, node: Node, said: Said) {
        self.by_said.insert(said.clone(), node);
        self.said.insert(node, said);
    }
}

impl Settlement<'_> {
    /// Of two links that say the same, the one that mine has stays. When the other says nothing besides, it is not missed.
    pub(super) fn look_for_doubles(&mut self, node: Node) {
        let Some(said) = self.said(node) else { return };
        let said = (node.0, said);
        let other = match self.doubles.by_said.get(&said) {
            Some(other) if *other != node => *other,
            _ => return self.doubles.note(node, said),
        };
        let are_both_as = |side: Side| self.is_as(node, side) && self.is_as(other, side);
        if are_both_as(Side::Mine) || are_both_as(Side::Theirs) {
            return; // one side by itself said it twice
        }
        let (is_mine, other_is_mine) = (self.is_as_mine(node), self.is_as_mine(other));
        let is_loser = other_is_mine || (!is_mine && !self.is_new_in_theirs(other));
        let loser = if is_loser { node } else { other };
        let winner = if loser == node { other } else { node };
        if self.is_as_mine(winner) && !self.did_mine_change(loser) && self.say_all_the_same(loser, winner) {
            self.change(loser, None);
        } else {
            self.give_way(loser);
        }
        if winner == node {
            self.doubles.note(node, said);
        }
    }

    fn said(&self, node: Node) -> Option<Vec<Option<Vec<u8>>>> {
        let merging = self.mergings.get(node.0).filter(|merging| merging.lump.is_none())?;
        let ends = ends(merging.collection)?;
        let text = self.version(node)?.text(self.store);
        what_a_link_says(Json::scanned(&text), merging.collection, &ends)
    }

    fn is_new_in_theirs(&self, (index, id): Node) -> bool {
        let is_new = |merging: &Merging<'_>| {
            let versions = merging.versions(id);
            versions.base.is_none() && versions.mine.is_none()
        };
        self.mergings.get(index).is_some_and(is_new)
    }

    fn did_mine_change(&self, (index, id): Node) -> bool {
        let changed = |merging: &Merging<'_>| {
            let versions = merging.versions(id);
            match (versions.base, versions.mine) {
                (Some(base), Some(mine)) => !self.store.same_value(base, mine),
                (base, mine) => base.is_some() != mine.is_some(),
            }
        };
        self.mergings.get(index).is_some_and(changed)
    }

    /// Whether two links differ in their ids at most.
    fn say_all_the_same(&self, a: Node, b: Node) -> bool {
        let all = |node: Node| {
            let id_field = self.mergings.get(node.0)?.collection.id.as_deref();
            let text = self.version(node)?.text(self.store);
            let mut members = members(Json::scanned(&text));
            members.retain(|(key, _)| Some(&**key) != id_field);
            let forms = members.into_iter().map(|(key, value)| (key.into_owned(), canonical::form(value)));
            Some(forms.collect::<HashMap<String, Vec<u8>>>())
        };
        all(a) == all(b)
    }
}

/// The ends of a link; `None` when these are no links.
fn ends(collection: &Collection) -> Option<Vec<&Ref>> {
    let ends: Vec<&Ref> = collection.refs.iter().filter(|end| !end.field.is_empty()).collect();
    (collection.kind == Kind::List && ends.len() >= 2).then_some(ends)
}
