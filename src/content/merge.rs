//! Three-way merge: what two sides made of a common base, entity by entity, then field by field (H10, P6).
//!
//! Where both sides changed the same, each in its way, *mine* stays and a conflict tells all three values. What one side did
//! can take away what the other side builds on (a link to an operator that is gone): that is a conflict, too, and what mine
//! has stays whole, so no link hangs in the air.
//!
//! Laws, checked as properties: `merge(b, m, b) = m`, `merge(b, b, t) = t`, `merge(b, x, x) = x`, each without a conflict; a
//! conflict names a place that both sides changed.

use std::borrow::Cow;
use std::ops::Deref;

use hashbrown::{HashMap, HashSet};

use super::apply::{Entities, Entity, EntityText, Work};
use super::atom::{AtomIx, EntityId};
use super::canonical;
use super::edit::{Path, PathStep, Place, Text};
use super::field::{DEPTH, at_path, items, members};
use super::json::{Json, quoted};
use super::schema::{Collection, Kind};
use super::sequence::SequenceIx;
use super::store::{ContentIx, ContentStore, Part};

/// A place that both sides changed, each in its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The entity.
    pub place: Place,
    /// Where in it; empty for the entity as a whole.
    pub path: Path,
    /// What was there before; `None` when nothing was.
    pub base: Option<Text>,
    /// What is there in mine, and in the result.
    pub mine: Option<Text>,
    /// What is there in theirs.
    pub theirs: Option<Text>,
}

/// How a merge came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Mine, with everything of theirs that does not stand against it.
    pub content: ContentIx,
    /// What stood against it, by place.
    pub conflicts: Vec<Conflict>,
}

/// The base and its two sides.
#[derive(Clone, Copy)]
struct Three<T> {
    base: T,
    mine: T,
    theirs: T,
}

impl<T: Copy> Three<T> {
    fn map<U>(self, mut f: impl FnMut(T) -> U) -> Three<U> {
        Three { base: f(self.base), mine: f(self.mine), theirs: f(self.theirs) }
    }

    /// The one to take when at most one side changed; `None` when both did, each in its way.
    fn clear(self, same: impl Fn(T, T) -> bool) -> Option<T> {
        if same(self.mine, self.theirs) || same(self.base, self.theirs) {
            Some(self.mine)
        } else if same(self.base, self.mine) {
            Some(self.theirs)
        } else {
            None
        }
    }
}

impl<S: Deref<Target = str>> Three<Option<S>> {
    fn borrowed(&self) -> Three<Option<&str>> {
        Three { base: self.base.as_deref(), mine: self.mine.as_deref(), theirs: self.theirs.as_deref() }
    }
}

/// The entities of one collection in base, mine and theirs, and what becomes of them.
struct Merging {
    ids: Three<Vec<EntityId>>,
    atoms: Three<HashMap<EntityId, AtomIx>>,
    result: HashMap<EntityId, EntityText>,
}

impl ContentStore {
    /// Merges what two sides made of a base.
    pub fn merge(&mut self, base: ContentIx, mine: ContentIx, theirs: ContentIx) -> Merge {
        let contents = Three { base, mine, theirs };
        if self.equal(base, theirs) || self.equal(mine, theirs) {
            return Merge { content: mine, conflicts: Vec::new() };
        }
        if self.equal(base, mine) {
            return Merge { content: theirs, conflicts: Vec::new() };
        }
        let parts = contents.map(|content| self.members(content).unwrap_or_default());
        let mut keys: Vec<EntityId> = self.keys(mine);
        let also = self.keys(theirs).into_iter().filter(|key| !parts.mine.contains_key(key));
        keys.extend(also.collect::<Vec<_>>());
        let mut conflicts = Vec::new();
        let mut mergings: HashMap<EntityId, Merging> = HashMap::new();
        let mut works: HashMap<EntityId, Work> = HashMap::new();
        for key in &keys {
            let three = Three {
                base: parts.base.get(key).copied(),
                mine: parts.mine.get(key).copied(),
                theirs: parts.theirs.get(key).copied(),
            };
            if let Some(merging) = self.merging(*key, three, &mut conflicts) {
                mergings.insert(*key, merging);
            } else if let Some(work) = self.merge_member(*key, three, &mut conflicts) {
                works.insert(*key, work);
            }
        }
        self.keep_what_is_needed(&mut mergings, &mut conflicts);
        let mut merged = Vec::new();
        for key in keys {
            let work = mergings
                .remove(&key)
                .map(|merging| self.work_of(key, merging))
                .or_else(|| works.remove(&key));
            if let Some(work) = work {
                let name = self.atoms.id_text(key).to_owned();
                merged.push(self.finish(&name, work));
            }
        }
        conflicts.sort_by(|a, b| (&a.place, &a.path).cmp(&(&b.place, &b.path)));
        conflicts.dedup();
        Merge { content: self.keep_parts(merged), conflicts }
    }

    /// The keys at the top level, in order, each once.
    fn keys(&self, content: ContentIx) -> Vec<EntityId> {
        let mut seen = HashSet::new();
        let parts = self.parts(content).unwrap_or_default();
        let ids = parts.iter().filter_map(|part| {
            let (Part::Plain(atom) | Part::Collection { open: atom, .. }) = *part;
            self.atoms.get(atom)?.id
        });
        ids.filter(|id| seen.insert(*id)).collect()
    }

    fn collection_at(&self, key: EntityId) -> Option<(u8, &Collection)> {
        self.schema.at(self.atoms.id_text(key))
    }

    /// The entities of a collection, merged one by one; `None` when the member is none, or goes or comes as a whole.
    fn merging(
        &self,
        key: EntityId,
        three: Three<Option<Part>>,
        conflicts: &mut Vec<Conflict>,
    ) -> Option<Merging> {
        let (_, collection) = self.collection_at(key)?;
        three.mine.and(three.theirs)?;
        let told_apart = |part: Option<Part>| part.map_or(Some(None), |part| self.told_apart(part));
        let sequences = Three {
            base: told_apart(three.base)?,
            mine: told_apart(three.mine)?,
            theirs: told_apart(three.theirs)?,
        };
        let atoms = |sequence: Option<SequenceIx>| -> Vec<(EntityId, AtomIx)> {
            let atoms = sequence.into_iter().flat_map(|sequence| self.sequences.atoms(sequence));
            atoms.filter_map(|atom| Some((self.atoms.get(atom)?.id?, atom))).collect()
        };
        let lists = sequences.map(atoms);
        let ids = |list: &Vec<(EntityId, AtomIx)>| list.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        let by_id = |list: Vec<(EntityId, AtomIx)>| list.into_iter().collect::<HashMap<_, _>>();
        let mut merging = Merging {
            ids: Three { base: ids(&lists.base), mine: ids(&lists.mine), theirs: ids(&lists.theirs) },
            atoms: Three { base: by_id(lists.base), mine: by_id(lists.mine), theirs: by_id(lists.theirs) },
            result: HashMap::new(),
        };
        let all: HashSet<EntityId> = merging.ids.mine.iter().chain(&merging.ids.theirs).copied().collect();
        for id in all {
            let three = merging.three(id);
            if let Some(text) = self.merge_entity(collection, id, three, conflicts) {
                merging.result.insert(id, text);
            }
        }
        Some(merging)
    }

    fn merge_entity(
        &self,
        collection: &Collection,
        id: EntityId,
        three: Three<Option<AtomIx>>,
        conflicts: &mut Vec<Conflict>,
    ) -> Option<EntityText> {
        let same = |a: Option<AtomIx>, b: Option<AtomIx>| match (a, b) {
            (Some(a), Some(b)) => self.same_value(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        if let Some(atom) = three.clear(same) {
            return atom.map(EntityText::Kept);
        }
        let place = self.place(collection, id);
        let texts = three.map(|atom| atom.map(|atom| self.value_text(atom)));
        let values = texts.borrowed();
        if let Three { base: Some(base), mine: Some(mine), theirs: Some(theirs) } = three {
            let other_ends =
                self.has_other_ends(collection, base, mine) || self.has_other_ends(collection, base, theirs);
            if !other_ends {
                let checked = values.map(checked);
                let mut path = Vec::new();
                return merge_value(checked, &place, &mut path, conflicts).map(EntityText::New);
            }
        }
        conflicts.push(conflict(&place, &[], values));
        three.mine.map(EntityText::Kept)
    }

    /// A member that is merged as a value.
    fn merge_member(
        &self,
        key: EntityId,
        three: Three<Option<Part>>,
        conflicts: &mut Vec<Conflict>,
    ) -> Option<Work> {
        let texts = Three {
            base: three.base.map(|part| self.part_value(part)),
            mine: three.mine.map(|part| self.part_value(part)),
            theirs: three.theirs.map(|part| self.part_value(part)),
        };
        let values = texts.borrowed().map(checked);
        let place = Place { collection: self.atoms.id_text(key).into(), id: "".into() };
        let merged = merge_value(values, &place, &mut Vec::new(), conflicts)?;
        match three.mine {
            Some(part) if texts.mine.as_deref() == Some(&*merged) => Some(Work::Untouched(part)),
            _ => Some(Work::Value(merged)),
        }
    }

    /// Brings back what an entity of mine refers to and theirs took away, and drops what theirs hung on what mine took away.
    /// Each turn settles at least one entity for good, so it ends.
    fn keep_what_is_needed(&self, mergings: &mut HashMap<EntityId, Merging>, conflicts: &mut Vec<Conflict>) {
        let by_path = |path: &str| self.atoms.find_id(path);
        let mut todo: Vec<(EntityId, EntityId)> = Vec::new();
        for collection in &self.schema.collections {
            let Some((key, merging)) =
                by_path(&collection.path).and_then(|key| Some((key, mergings.get(&key)?)))
            else {
                continue;
            };
            todo.extend(merging.result.keys().map(|id| (key, *id)));
        }
        todo.sort_by_key(|(key, id)| (self.atoms.id_text(*key), self.atoms.id_text(*id)));
        while let Some((key, id)) = todo.pop() {
            let Some((_, collection)) = self.collection_at(key) else { continue };
            for reference in &collection.refs {
                let Some(merging) = mergings.get(&key) else { continue };
                let Some(text) = merging.result.get(&id) else { continue };
                let target = self.refers_to(text, id, &reference.field);
                let (Some(to), Some(target)) = (by_path(&reference.to), target) else { continue };
                let Some(other) = mergings.get(&to).filter(|other| !other.result.contains_key(&target))
                else {
                    continue;
                };
                if !other.is_known(target) {
                    continue; // nobody ever had it: no business of a merge
                }
                let is_key = reference.field.is_empty();
                let needed =
                    merging.atoms.mine.contains_key(&id) && other.atoms.mine.contains_key(&target) && !is_key;
                if !is_key {
                    let (at, three) =
                        if needed { (to, other.three(target)) } else { (key, merging.three(id)) };
                    if let Some((_, collection)) = self.collection_at(at) {
                        let place = self.place(collection, if needed { target } else { id });
                        let texts = three.map(|atom| atom.map(|atom| self.value_text(atom)));
                        let values = texts.borrowed();
                        conflicts.push(conflict(&place, &[], values));
                    }
                }
                if needed {
                    self.bring_back(to, target, mergings, &mut todo);
                } else if let Some(merging) = mergings.get_mut(&key) {
                    merging.result.remove(&id);
                }
            }
        }
    }

    /// Puts an entity of mine back, with what is kept under its id elsewhere (its position).
    fn bring_back(
        &self,
        key: EntityId,
        id: EntityId,
        mergings: &mut HashMap<EntityId, Merging>,
        todo: &mut Vec<(EntityId, EntityId)>,
    ) {
        let path = self.atoms.id_text(key);
        let of_it = |collection: &&Collection| {
            collection.path == path
                || collection.refs.iter().any(|reference| reference.field.is_empty() && reference.to == path)
        };
        for collection in self.schema.collections.iter().filter(of_it) {
            let Some(key) = self.atoms.find_id(&collection.path) else { continue };
            let Some(merging) = mergings.get_mut(&key) else { continue };
            if let Some(atom) = merging.atoms.mine.get(&id) {
                merging.result.entry(id).or_insert(EntityText::Kept(*atom));
                todo.push((key, id));
            }
        }
    }

    fn refers_to(&self, text: &EntityText, id: EntityId, field: &[String]) -> Option<EntityId> {
        if field.is_empty() {
            return Some(id);
        }
        let text = match text {
            EntityText::Kept(atom) => self.value_text(*atom),
            EntityText::New(text) => Cow::Borrowed(text.as_str()),
        };
        let found = at_path(Json::check(&text).ok()?, field)?.as_string()?;
        self.atoms.find_id(&found)
    }

    /// The entities that are left, in mine's order, or in theirs where only they changed it.
    fn work_of(&mut self, key: EntityId, mut merging: Merging) -> Work {
        let (index, kind) =
            self.collection_at(key).map_or((0, Kind::List), |(index, collection)| (index, collection.kind));
        let order = if kind == Kind::List { merging.order() } else { merging.all_ids() };
        let entities = order.into_iter().filter_map(|id| {
            let text = merging.result.remove(&id)?;
            Some(Entity { id: self.atoms.id_text(id).into(), text })
        });
        Work::Entities {
            collection: index,
            open: None,
            close: None,
            entities: Entities::of(entities.collect()),
        }
    }
}

impl Merging {
    fn three(&self, id: EntityId) -> Three<Option<AtomIx>> {
        Three {
            base: self.atoms.base.get(&id).copied(),
            mine: self.atoms.mine.get(&id).copied(),
            theirs: self.atoms.theirs.get(&id).copied(),
        }
    }

    fn is_known(&self, id: EntityId) -> bool {
        self.atoms.mine.contains_key(&id)
            || self.atoms.theirs.contains_key(&id)
            || self.atoms.base.contains_key(&id)
    }

    fn all_ids(&self) -> Vec<EntityId> {
        let also = self.ids.theirs.iter().filter(|id| !self.atoms.mine.contains_key(*id));
        self.ids.mine.iter().chain(also).copied().collect()
    }

    /// One side gives the order; what only the other side has stands behind what it stands behind there.
    fn order(&self) -> Vec<EntityId> {
        let common = |ids: &[EntityId]| -> Vec<EntityId> {
            let everywhere = |id: &&EntityId| {
                self.atoms.base.contains_key(*id)
                    && self.atoms.mine.contains_key(*id)
                    && self.atoms.theirs.contains_key(*id)
            };
            ids.iter().filter(everywhere).copied().collect()
        };
        let mine_is_as_before = common(&self.ids.mine) == common(&self.ids.base);
        let (leads, follows) = if mine_is_as_before {
            (&self.ids.theirs, &self.ids.mine)
        } else {
            (&self.ids.mine, &self.ids.theirs)
        };
        let leading: HashSet<EntityId> = leads.iter().copied().collect();
        let mut behind: HashMap<Option<EntityId>, Vec<EntityId>> = HashMap::new();
        let mut last = None;
        for id in follows {
            if leading.contains(id) {
                last = Some(*id);
            } else {
                behind.entry(last).or_default().push(*id);
            }
        }
        let mut order = behind.remove(&None).unwrap_or_default();
        for id in leads {
            order.push(*id);
            order.extend(behind.remove(&Some(*id)).unwrap_or_default());
        }
        order
    }
}

fn conflict(place: &Place, path: &[PathStep], values: Three<Option<&str>>) -> Conflict {
    let Three { base, mine, theirs } = values.map(|text| text.map(Text::from));
    Conflict { place: place.clone(), path: path.to_vec(), base, mine, theirs }
}

/// Merges a value: objects by key, lists of one length by index, everything else as a whole. `None`: nothing is there.
/// Recurses at most [`DEPTH`] levels.
fn merge_value(
    three: Three<Option<Json<'_>>>,
    place: &Place,
    path: &mut Path,
    conflicts: &mut Vec<Conflict>,
) -> Option<String> {
    let same = |a: Option<Json<'_>>, b: Option<Json<'_>>| match (a, b) {
        (Some(a), Some(b)) => canonical::equal(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    if let Some(value) = three.clear(same) {
        return value.map(|json| json.text().to_owned());
    }
    if let (Three { base: Some(base), mine: Some(mine), theirs: Some(theirs) }, true) =
        (three, path.len() < DEPTH)
    {
        let all = Three { base, mine, theirs };
        if base.is_object() && mine.is_object() && theirs.is_object() {
            return Some(merge_objects(all, place, path, conflicts));
        }
        let lists = (base.is_list() && mine.is_list() && theirs.is_list()).then(|| all.map(items));
        if let Some(lists) = lists
            .filter(|lists| lists.base.len() == lists.mine.len() && lists.mine.len() == lists.theirs.len())
        {
            let merged = lists.base.iter().zip(&lists.mine).zip(&lists.theirs).enumerate().filter_map(
                |(at, ((b, m), t))| {
                    path.push(PathStep::Index(at));
                    let merged = merge_value(
                        Three { base: Some(*b), mine: Some(*m), theirs: Some(*t) },
                        place,
                        path,
                        conflicts,
                    );
                    path.pop();
                    merged
                },
            );
            return Some(format!("[{}]", merged.collect::<Vec<_>>().join(",")));
        }
    }
    conflicts.push(conflict(place, path, three.map(|json| json.map(Json::text))));
    three.mine.map(|json| json.text().to_owned())
}

fn merge_objects(
    three: Three<Json<'_>>,
    place: &Place,
    path: &mut Path,
    conflicts: &mut Vec<Conflict>,
) -> String {
    let lists = Three { base: members(three.base), mine: members(three.mine), theirs: members(three.theirs) };
    let maps = Three { base: by_key(&lists.base), mine: by_key(&lists.mine), theirs: by_key(&lists.theirs) };
    let also = lists.theirs.iter().filter(|(key, _)| !maps.mine.contains_key(&**key));
    let mut merged = Vec::new();
    for (key, _) in lists.mine.iter().chain(also) {
        let value = |map: &HashMap<&str, _>| map.get(&**key).copied();
        let values = Three { base: value(&maps.base), mine: value(&maps.mine), theirs: value(&maps.theirs) };
        path.push(PathStep::Key((&**key).into()));
        if let Some(value) = merge_value(values, place, path, conflicts) {
            merged.push(format!("{}:{value}", quoted(key)));
        }
        path.pop();
    }
    format!("{{{}}}", merged.join(","))
}

fn by_key<'m, 'a>(members: &'m [(Cow<'a, str>, Json<'a>)]) -> HashMap<&'m str, Json<'a>> {
    members.iter().map(|(key, value)| (&**key, *value)).collect()
}

fn checked(text: Option<&str>) -> Option<Json<'_>> {
    text.and_then(|text| Json::check(text).ok())
}
