//! Where references lead, in a merge (3. and 6. of C7): what is needed comes back when mine has it, else what needs it gives way.

use super::super::field::at_path;
use super::super::json::Json;
use super::super::schema::{Port, Ref};
use super::super::validate::refs::{id_body, port_name, port_names};
use super::Three;
use super::collection::Merging;
use super::whole::{Node, Settlement, Side, Whose};

impl<'s> Settlement<'s> {
    /// 3. of C7: a reference leads to what is there, and to a port that it has.
    pub(super) fn look_at_reference(&mut self, node: Node, reference: &'s Ref, to: usize) {
        let Some(target) = self.target(node, reference, to, Whose::Result) else { return };
        if self.reaches(node, target, reference, Whose::Result) {
            return;
        }
        for side in [Side::Mine, Side::Theirs].map(Whose::Of) {
            let is_the_same = self.target(node, reference, to, side) == Some(target);
            if is_the_same && !self.reaches(node, target, reference, side) {
                return;
            }
        }
        let port = reference.port.as_ref().filter(|_| self.is_in(target, Whose::Result));
        let Some(port) = port else {
            return self.bring_back_or_leave_out(target, node);
        };
        let mine = Whose::Of(Side::Mine);
        let would_do = self.is_in(target, mine) && self.has_port((node, Whose::Result), (target, mine), port);
        if would_do && !self.is_as_mine(target) {
            self.pin(target, &port.among);
        } else if !self.is_as_mine(node) {
            self.give_way(node);
        }
    }

    /// Whether what a reference leads to is there, with its port.
    fn reaches(&mut self, node: Node, target: Node, reference: &'s Ref, whose: Whose) -> bool {
        let port = reference.port.as_ref();
        self.is_in(target, whose)
            && port.is_none_or(|port| self.has_port((node, whose), (target, whose), port))
    }

    /// Where a reference leads. `None` when it says nothing, or nobody ever had what it names, or that cannot be judged.
    pub(super) fn target(&self, node: Node, reference: &Ref, to: usize, whose: Whose) -> Option<Node> {
        let merging = self.mergings.get(to).filter(|merging| merging.is_readable())?;
        let text = self.text(node, whose)?;
        let id = if reference.field.is_empty() {
            node.1
        } else {
            let id = at_path(Json::scanned(&text), &reference.field).and_then(id_body)?;
            self.store.atoms.find_id(&id)?
        };
        let Three { base, mine, theirs } = merging.versions(id);
        base.or(mine).or(theirs).map(|_| (to, id))
    }

    /// 6. of C7: what has to have an entry of its own id elsewhere has one.
    pub(super) fn look_for_entries(&mut self, owner: Node) {
        for index in self.entries.get(owner.0).cloned().unwrap_or_default() {
            let entry = (index, owner.1);
            let can_be_read = self.mergings.get(index).is_some_and(Merging::is_readable);
            let lacks = |whose: Whose| self.is_in(owner, whose) && !self.is_in(entry, whose);
            let is_of_a_side = [Side::Mine, Side::Theirs].map(Whose::Of).into_iter().any(lacks);
            if can_be_read && lacks(Whose::Result) && !is_of_a_side {
                self.bring_back_or_leave_out(entry, owner);
            }
        }
    }

    /// What mine has comes back, for what needs it; what mine has not is not to be had, and what needs it gives way.
    fn bring_back_or_leave_out(&mut self, needed: Node, by: Node) {
        if self.is_in(needed, Whose::Of(Side::Mine)) && !self.is_as_mine(needed) {
            self.give_way(needed);
        } else if !self.is_as_mine(by) {
            self.give_way(by);
        }
    }

    /// Whether the port that a version of something ends at is there on a version of what it leads to.
    fn has_port(
        &mut self,
        (node, at): (Node, Whose),
        (target, whose): (Node, Whose),
        port: &'s Port,
    ) -> bool {
        let Some(text) = self.text(node, at) else { return true };
        let name = port_name(Json::scanned(&text), port);
        let key = (target, whose, port.among.as_str(), port.id.as_str());
        if !self.ports.contains_key(&key) {
            let text = self.text(target, whose);
            let ports = text.and_then(|text| port_names(Json::scanned(&text), port));
            self.ports.insert(key, ports);
        }
        self.ports.get(&key).and_then(Option::as_ref).is_none_or(|ports| ports.contains(&name))
    }
}
