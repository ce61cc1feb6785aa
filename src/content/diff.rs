//! `diff(a, b)`: the smallest edit list at the level of entities, then of fields (C4), in an order in which every edit is
//! safe when it is its turn (C5): links go before what they hang on and come after it.

use hashbrown::{HashMap, HashSet};

use super::atom::{AtomIx, EntityId};
use super::canonical;
use super::edit::{Edit, PathStep, Place, Point};
use super::field::{FieldEdit, at_path, differences, members};
use super::json::Json;
use super::schema::{Collection, Kind};
use super::sequence::SequenceIx;
use super::store::{ContentIx, ContentStore, Part};
use crate::sort::{sort_by, sort_by_key};

/// The edits of one diff, by when they are safe.
#[derive(Default)]
struct Phases {
    /// Keys that come, still empty.
    begin: Vec<Edit>,
    /// By collection; what refers to others is listed after them, so these are taken from the end.
    removed: Vec<Vec<Edit>>,
    added: Vec<Vec<Edit>>,
    set: Vec<Edit>,
    moved: Vec<Edit>,
    ordered: Vec<Edit>,
    /// Values, settings, unknown keys.
    values: Vec<Edit>,
    /// Keys that go, empty by then.
    end: Vec<Edit>,
}

/// How one collection differs.
#[derive(Default)]
struct Changes {
    removed: Vec<Edit>,
    added: Vec<Edit>,
    set: Vec<Edit>,
    moved: Vec<Edit>,
    ordered: Option<Edit>,
}

/// What became of an entity that is there before and after.
#[derive(PartialEq, Eq)]
enum Became {
    /// It is the same one, whatever changed in it.
    Itself,
    /// It has the id of one that is gone.
    Another,
}

impl ContentStore {
    /// The edits that lead from one content to another. What both share is passed over by its handles.
    pub fn diff(&self, a: ContentIx, b: ContentIx) -> Vec<Edit> {
        let (Some(old), Some(new)) = (self.members(a), self.members(b)) else { return Vec::new() };
        let mut phases = Phases::default();
        for collection in &self.schema.collections {
            let key = self.atoms.find_id(&collection.path);
            let part = |members: &HashMap<EntityId, Part>| key.and_then(|key| members.get(&key).copied());
            let changes =
                self.diff_part(&collection.path, Some(collection), part(&old), part(&new), &mut phases);
            phases.removed.push(changes.removed);
            phases.added.push(changes.added);
            phases.set.extend(changes.set);
            phases.moved.extend(changes.moved);
            phases.ordered.extend(changes.ordered);
        }
        let mut others: Vec<EntityId> =
            old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))).copied().collect();
        others.retain(|key| self.schema.at(self.atoms.id_text(*key)).is_none());
        sort_by(&mut others, |a, b| self.atoms.id_text(*a).cmp(self.atoms.id_text(*b)));
        for key in others {
            let (old, new) = (old.get(&key).copied(), new.get(&key).copied());
            self.diff_part(self.atoms.id_text(key), None, old, new, &mut phases);
        }
        self.in_order(phases)
    }

    fn in_order(&self, mut phases: Phases) -> Vec<Edit> {
        let links = |collection: &Collection| collection.kind == Kind::List && !collection.refs.is_empty();
        let first_links = self.schema.collections.iter().position(links).unwrap_or(phases.added.len());
        let later = phases.added.split_off(first_links.min(phases.added.len()));
        let removed = phases.removed.into_iter().rev().flatten();
        phases
            .begin
            .into_iter()
            .chain(removed)
            .chain(phases.added.into_iter().flatten())
            .chain(phases.set)
            .chain(phases.moved)
            .chain(later.into_iter().flatten())
            .chain(phases.ordered)
            .chain(phases.values)
            .chain(phases.end)
            .collect()
    }

    /// One key at the top level. Entities are compared one by one where the schema knows them and they can be told apart;
    /// everything else as a value.
    fn diff_part(
        &self,
        key: &str,
        collection: Option<&Collection>,
        old: Option<Part>,
        new: Option<Part>,
        phases: &mut Phases,
    ) -> Changes {
        let whole = Place { collection: key.into(), id: "".into() };
        let nothing = |part: Part| match part {
            Part::Collection { open, .. } => self.told_apart(part).map(|_| self.empty_container(open)),
            Part::Plain(_) => None,
        };
        match (old, new, collection) {
            (Some(old), Some(new), Some(collection)) => {
                if let (Some(x), Some(y)) = (self.told_apart(old), self.told_apart(new)) {
                    return self.diff_entities(collection, x, y);
                }
            }
            (None, Some(new), Some(collection)) => {
                // A key that comes is empty first; then its entities come like any other.
                if let (Some(empty), Some(y)) = (nothing(new), self.told_apart(new)) {
                    phases.begin.push(Edit::Set { place: whole, path: vec![], from: None, to: empty.into() });
                    return self.diff_entities(collection, None, y);
                }
            }
            (Some(old), None, Some(collection)) => {
                if let (Some(empty), Some(x)) = (nothing(old), self.told_apart(old)) {
                    phases.end.push(Edit::Unset { place: whole, path: vec![], from: empty.into() });
                    return self.diff_entities(collection, x, None);
                }
            }
            _ => {}
        }
        let text = |part: Part| self.part_value(part);
        phases.values.extend(match (old, new) {
            (Some(old), Some(new)) if old == new => Vec::new(),
            (Some(old), Some(new)) => {
                let (old, new) = (text(old), text(new));
                match (Json::check(&old), Json::check(&new)) {
                    (Ok(old), Ok(new)) => field_edits(&whole, differences(&whole, old, new)),
                    _ => Vec::new(),
                }
            }
            (None, Some(new)) => {
                vec![Edit::Set { place: whole, path: vec![], from: None, to: text(new).into() }]
            }
            (Some(old), None) => vec![Edit::Unset { place: whole, path: vec![], from: text(old).into() }],
            (None, None) => Vec::new(),
        });
        Changes::default()
    }

    /// The entities of a part: `None` when it is no collection or they cannot be told apart; `Some(None)` when it is empty.
    pub(super) fn told_apart(&self, part: Part) -> Option<Option<SequenceIx>> {
        let Part::Collection { items, .. } = part else { return None };
        self.sequences.are_distinct(items).then_some(Some(items))
    }

    fn empty_container(&self, open: AtomIx) -> &'static str {
        if self.atoms.text(open).trim_end().ends_with('{') { "{}" } else { "[]" }
    }

    fn diff_entities(
        &self,
        collection: &Collection,
        old: Option<SequenceIx>,
        new: Option<SequenceIx>,
    ) -> Changes {
        let mut changes = Changes::default();
        if old == new {
            return changes;
        }
        let aligned = old.zip(new).and_then(|(old, new)| self.sequences.aligned(old, new, &self.atoms.kept));
        if let Some(pairs) = aligned {
            let (mut goes, mut comes) = (Vec::new(), Vec::new());
            for (a, b) in pairs {
                let Some(id) = self.atoms.get(a).and_then(|atom| atom.id) else { continue };
                if self.diff_entity(collection, id, a, b, &mut changes) == Became::Another {
                    goes.push((id, a));
                    comes.push((id, b));
                }
            }
            if !goes.is_empty() {
                self.come_and_go(collection, (old, new), goes, comes, &mut changes);
            }
            return changes;
        }
        let (left, right) = self.sequences.unshared(old, new);
        let by_id = |atoms: &[AtomIx]| -> HashMap<EntityId, AtomIx> {
            atoms.iter().filter_map(|atom| Some((self.atoms.get(*atom)?.id?, *atom))).collect()
        };
        let (mine, theirs) = (by_id(&left), by_id(&right));
        let (mut goes, mut comes) = (Vec::new(), Vec::new());
        for atom in &left {
            let Some(id) = self.atoms.get(*atom).and_then(|atom| atom.id) else { continue };
            match theirs.get(&id) {
                None => goes.push((id, *atom)),
                Some(other) => {
                    if self.diff_entity(collection, id, *atom, *other, &mut changes) == Became::Another {
                        goes.push((id, *atom));
                        comes.push((id, *other));
                    }
                }
            }
        }
        for atom in &right {
            let id = self.atoms.get(*atom).and_then(|atom| atom.id);
            comes.extend(id.filter(|id| !mine.contains_key(id)).map(|id| (id, *atom)));
        }
        self.come_and_go(collection, (old, new), goes, comes, &mut changes);
        changes
    }

    /// Entities that come or go, with where in a list that is, and whether what stays has another order.
    fn come_and_go(
        &self,
        collection: &Collection,
        (old, new): (Option<SequenceIx>, Option<SequenceIx>),
        goes: Vec<(EntityId, AtomIx)>,
        comes: Vec<(EntityId, AtomIx)>,
        changes: &mut Changes,
    ) {
        let is_list = collection.kind == Kind::List;
        let ids = |sequence: Option<SequenceIx>| -> Vec<EntityId> {
            let atoms = sequence.into_iter().flat_map(|sequence| self.sequences.atoms(sequence));
            atoms.filter_map(|atom| self.atoms.get(atom)?.id).collect()
        };
        let (old_ids, new_ids) = if is_list { (ids(old), ids(new)) } else { (Vec::new(), Vec::new()) };
        let places = |ids: &[EntityId]| -> HashMap<EntityId, usize> {
            ids.iter().enumerate().map(|(at, id)| (*id, at)).collect()
        };
        let needs_places = is_list && !(goes.is_empty() && comes.is_empty());
        let (old_places, new_places) = if needs_places {
            (places(&old_ids), places(&new_ids))
        } else {
            (HashMap::new(), HashMap::new())
        };
        let mut goes: Vec<(Option<usize>, EntityId, AtomIx)> =
            goes.into_iter().map(|(id, atom)| (old_places.get(&id).copied(), id, atom)).collect();
        // From the last to the first, so that no index in front changes.
        sort_by_key(&mut goes, |(at, ..)| std::cmp::Reverse(*at));
        let mut comes: Vec<(Option<usize>, EntityId, AtomIx)> =
            comes.into_iter().map(|(id, atom)| (new_places.get(&id).copied(), id, atom)).collect();
        sort_by_key(&mut comes, |(at, ..)| *at);
        if is_list {
            // What the list is when all went and came: what stays, with each that comes at its place.
            let gone: HashSet<EntityId> = goes.iter().map(|(_, id, _)| *id).collect();
            let mut stays = old_ids.into_iter().filter(|id| !gone.contains(id));
            let mut now: Vec<EntityId> = Vec::with_capacity(new_ids.len());
            for (at, id, _) in &comes {
                let in_front = at.map_or(usize::MAX, |at| at.saturating_sub(now.len()));
                now.extend(stays.by_ref().take(in_front));
                now.push(*id);
            }
            now.extend(stays);
            if now != new_ids {
                let texts = |ids: &[EntityId]| ids.iter().map(|id| self.atoms.id_text(*id).into()).collect();
                let collection = collection.path.as_str().into();
                changes.ordered = Some(Edit::Order { collection, from: texts(&now), to: texts(&new_ids) });
            }
        }
        let place = |id: EntityId| self.place(collection, id);
        let value = |atom: AtomIx| self.value_text(atom).into_owned().into();
        changes.removed = goes
            .into_iter()
            .map(|(at, id, atom)| Edit::Remove { place: place(id), at, value: value(atom) })
            .collect();
        changes.added = comes
            .into_iter()
            .map(|(at, id, atom)| Edit::Add { place: place(id), at, value: value(atom) })
            .collect();
    }

    pub(super) fn place(&self, collection: &Collection, id: EntityId) -> Place {
        Place { collection: collection.path.as_str().into(), id: self.atoms.id_text(id).into() }
    }

    /// C5: a link whose ends changed under the same id is another link.
    pub(super) fn has_other_ends(&self, collection: &Collection, a: AtomIx, b: AtomIx) -> bool {
        let (a, b) = (self.value_text(a), self.value_text(b));
        have_other_ends(collection, Json::scanned(&a), Json::scanned(&b))
    }

    fn diff_entity(
        &self,
        collection: &Collection,
        id: EntityId,
        a: AtomIx,
        b: AtomIx,
        changes: &mut Changes,
    ) -> Became {
        if a == b {
            return Became::Itself;
        }
        let (a, b) = (self.value_text(a), self.value_text(b));
        let (a, b) = (Json::scanned(&a), Json::scanned(&b));
        if have_other_ends(collection, a, b) {
            return Became::Another;
        }
        let place = self.place(collection, id);
        let mut edits = differences(&place, a, b);
        let position = collection.position.as_deref();
        if let Some((path, from, to)) =
            position.and_then(|path| Some((path, point(a, path)?, point(b, path)?)))
            && from != to
        {
            let inside = |edit: &FieldEdit| {
                edit.path.len() >= path.len()
                    && path
                        .iter()
                        .zip(&edit.path)
                        .all(|(key, step)| *step == PathStep::Key(key.as_str().into()))
            };
            let before = edits.len();
            edits.retain(|edit| !inside(edit));
            if edits.len() < before {
                changes.moved.push(Edit::Move { place: place.clone(), from, to });
            }
        }
        changes.set.extend(field_edits(&place, edits));
        Became::Itself
    }
}

fn have_other_ends(collection: &Collection, a: Json<'_>, b: Json<'_>) -> bool {
    let differs = |path: &[String]| match (at_path(a, path), at_path(b, path)) {
        (Some(a), Some(b)) => !canonical::equal(a, b),
        (a, b) => a.is_some() != b.is_some(),
    };
    collection.refs.iter().filter(|reference| !reference.field.is_empty()).any(|reference| {
        differs(&reference.field) || reference.port.as_ref().is_some_and(|port| differs(&port.field))
    })
}

fn field_edits(place: &Place, edits: Vec<FieldEdit>) -> Vec<Edit> {
    let edit = |FieldEdit { path, from, to }| match (from, to) {
        (from, Some(to)) => Some(Edit::Set { place: place.clone(), path, from, to }),
        (Some(from), None) => Some(Edit::Unset { place: place.clone(), path, from }),
        (None, None) => None,
    };
    edits.into_iter().filter_map(edit).collect()
}

/// A position: an object of two numbers, x and y, and nothing else.
pub fn point(value: Json<'_>, path: &[String]) -> Option<Point> {
    let value = at_path(value, path).filter(|value| value.is_object())?;
    let members = members(value);
    let number = |name: &str| {
        let (_, value) = members.iter().find(|(key, _)| key == name)?;
        value.text().starts_with(|c: char| c == '-' || c.is_ascii_digit()).then(|| value.text().into())
    };
    let point = Point { x: number("x")?, y: number("y")? };
    (members.len() == 2).then_some(point)
}
