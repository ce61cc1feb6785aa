//! The entities of a collection while edits are applied: found by id, and in a list by place.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::apply::{Entities, Entity, EntityText, Fit, Misfit, Work};
use super::atom::{AtomIx, name_in};
use super::canonical;
use super::edit::{Name, PathStep};
use super::field::field;
use super::json::{Json, quoted};
use super::ranks::Ranks;
use super::schema::{Collection, Kind};
use super::splice::Value;
use super::store::{ContentStore, Part};

/// The entities of a collection.
pub(super) struct Group<'a> {
    index: u8,
    pub collection: &'a Collection,
    /// Its beginning and its end, when it was there before.
    edges: Option<(AtomIx, AtomIx)>,
    /// By slot; those that went as well.
    entities: Vec<(&'a str, Body<'a>)>,
    by_id: HashMap<&'a str, usize>,
    ranks: Ranks,
}

/// The value of an entity.
enum Body<'a> {
    Kept(AtomIx),
    New(&'a str),
    /// What it was made from, and what has become of it.
    Changed(Option<AtomIx>, Value<'a>),
}

impl<'a> Group<'a> {
    /// The entities of a member, as they are.
    pub fn of(store: &'a ContentStore, part: Part) -> Fit<Self> {
        let Part::Collection { open, items, close } = part else { return Err(Misfit::NoEntities) };
        let index = store.atoms.get(open).map(|open| open.collection).ok_or(Misfit::NoEntities)?;
        let collection = store.schema.get(index).ok_or(Misfit::NoEntities)?;
        let id = |atom: &AtomIx| store.atoms.get(*atom)?.id;
        let mut atoms: Vec<AtomIx> = store.sequences.atoms(items).filter(|atom| id(atom).is_some()).collect();
        if collection.kind == Kind::Map {
            // Of a repeated key the last counts.
            let mut seen = HashSet::new();
            atoms.reverse();
            atoms.retain(|atom| seen.insert(id(atom)));
            atoms.reverse();
        } else if store.told_apart(part).is_none() {
            return Err(Misfit::NoEntities);
        }
        let entity = |atom: AtomIx| (id(&atom).map_or("", |id| store.atoms.id_text(id)), Body::Kept(atom));
        let entities: Vec<(&str, Body<'_>)> = atoms.into_iter().map(entity).collect();
        let by_id = entities.iter().enumerate().map(|(slot, (id, _))| (*id, slot)).collect();
        let ranks = Ranks::of(entities.len());
        Ok(Group { index, collection, edges: Some((open, close)), entities, by_id, ranks })
    }

    /// None yet, where an empty value has come.
    pub fn empty(store: &'a ContentStore, key: &str, value: &Value<'_>) -> Fit<Self> {
        let (index, collection) = store.schema.at(key).ok_or(Misfit::NoEntities)?;
        let is_empty = match collection.kind {
            Kind::List => value.is_empty('['),
            Kind::Map => value.is_empty('{'),
            Kind::Value => false,
        };
        let (entities, by_id, ranks) = (Vec::new(), HashMap::new(), Ranks::default());
        let group = Group { index, collection, edges: None, entities, by_id, ranks };
        is_empty.then_some(group).ok_or(Misfit::NoEntities)
    }

    /// Without a place, at the end.
    pub fn add(&mut self, id: &'a str, at: Option<usize>, value: &'a str) -> Fit<()> {
        let value = json(value)?;
        if id.is_empty() || !self.keeps_id(id, &[], Some(value)) {
            return Err(Misfit::OtherId);
        }
        if self.by_id.contains_key(id) {
            return Err(Misfit::EntityThere);
        }
        let slot = self.ranks.insert(at.unwrap_or(self.ranks.len())).ok_or(Misfit::Elsewhere)?;
        self.by_id.insert(id, slot);
        self.entities.push((id, Body::New(value.text())));
        Ok(())
    }

    /// Where it is at that place, when there is one, and says the same.
    pub fn remove(&mut self, store: &ContentStore, id: &str, at: Option<usize>, value: &str) -> Fit<()> {
        let slot = self.by_id.remove(id).ok_or(Misfit::NoEntity)?;
        if at.is_some_and(|at| self.ranks.at(at) != Some(slot)) {
            return Err(Misfit::Elsewhere);
        }
        self.ranks.remove(slot);
        let (_, body) = self.entities.get_mut(slot).ok_or(Misfit::NoEntity)?;
        let body = std::mem::replace(body, Body::New(""));
        is_there(same(&body.text(store), value))
    }

    /// The value of an entity, to change it.
    pub fn value(&mut self, store: &'a ContentStore, id: &str) -> Fit<&mut Value<'a>> {
        let slot = self.by_id.get(id).copied().ok_or(Misfit::NoEntity)?;
        let (_, body) = self.entities.get_mut(slot).ok_or(Misfit::NoEntity)?;
        match body {
            Body::Kept(atom) => *body = Body::Changed(Some(*atom), Value::of(store.value_text(*atom))),
            Body::New(text) => *body = Body::Changed(None, Value::of(Cow::Borrowed(text))),
            Body::Changed(..) => {}
        }
        match body {
            Body::Changed(_, value) => Ok(value),
            Body::Kept(_) | Body::New(_) => Err(Misfit::NoEntity),
        }
    }

    /// Whether an entity still has the id that it is known by when there is another value at a path.
    pub fn keeps_id(&self, id: &str, path: &[PathStep], to: Option<Json<'_>>) -> bool {
        let Some(name) = self.collection.id.as_deref().filter(|_| self.collection.kind == Kind::List) else {
            return true;
        };
        let there = match path {
            [] => to.and_then(|entity| field(entity, name)),
            [PathStep::Key(key)] if **key == *name => to,
            _ => return true,
        };
        there.and_then(name_in).is_some_and(|there| there == id)
    }

    /// From one order of all entities to another.
    pub fn arrange(&mut self, from: &[Name], to: &'a [Name]) -> Fit<()> {
        let now = self.ranks.order();
        let id = |slot: usize| self.entities.get(slot).map(|(id, _)| *id);
        if !now.iter().map(|slot| id(*slot)).eq(from.iter().map(|id| Some(&**id))) {
            return Err(Misfit::NotWhatIsThere);
        }
        let mut named = HashSet::new();
        let slots = to.iter().map(|id| self.by_id.get(&**id).copied().filter(|slot| named.insert(*slot)));
        let slots = slots.collect::<Option<Vec<usize>>>().filter(|slots| slots.len() == now.len());
        self.ranks.arrange(&slots.ok_or(Misfit::NoOrder)?);
        Ok(())
    }

    /// The entities in order.
    fn in_order(self) -> impl Iterator<Item = (&'a str, Body<'a>)> {
        let order = self.ranks.order();
        let mut entities: Vec<Option<(&'a str, Body<'a>)>> = self.entities.into_iter().map(Some).collect();
        order.into_iter().filter_map(move |slot| entities.get_mut(slot)?.take())
    }

    /// All of them as one value.
    pub fn text(self, store: &ContentStore) -> String {
        let is_map = self.collection.kind == Kind::Map;
        let members: Vec<String> = self
            .in_order()
            .map(|(id, body)| match is_map {
                true => format!("{}:{}", quoted(id), body.text(store)),
                false => body.text(store).into_owned(),
            })
            .collect();
        let members = members.join(",");
        if is_map { format!("{{{members}}}") } else { format!("[{members}]") }
    }

    /// What is to be kept.
    pub fn done(self) -> Work {
        let (collection, (open, close)) = (self.index, self.edges.unzip());
        let entity = |(id, body): (&str, Body<'_>)| {
            let (text, near) = match body {
                Body::Kept(atom) => (EntityText::Kept(atom), None),
                Body::New(text) => (EntityText::New(text.to_owned()), None),
                Body::Changed(near, value) => (EntityText::New(value.text()), near),
            };
            (Entity { id: id.into(), text }, near)
        };
        let (list, near) = self.in_order().map(entity).unzip();
        Work::Entities { collection, open, close, entities: Entities::near(list, near) }
    }
}

impl Body<'_> {
    fn text<'s>(&'s self, store: &'s ContentStore) -> Cow<'s, str> {
        match self {
            Body::Kept(atom) => store.value_text(*atom),
            Body::New(text) => Cow::Borrowed(text),
            Body::Changed(_, value) => Cow::Owned(value.text()),
        }
    }
}

/// A text that should be JSON.
pub(super) fn json(text: &str) -> Fit<Json<'_>> {
    Json::check(text).map_err(|_| Misfit::NotJson)
}

/// Whether a text of the store says the same as one that may be no JSON.
pub(super) fn same(there: &str, text: &str) -> bool {
    json(text).is_ok_and(|text| canonical::equal(Json::scanned(there), text))
}

/// What an edit needs.
pub(super) fn is_there(is: bool) -> Fit<()> {
    if is { Ok(()) } else { Err(Misfit::NotWhatIsThere) }
}
