//! What the checks need to know of an entity: facts, read in one walk over its value.
//!
//! Facts follow from the value and the schema alone, never from what else is in the content, so they are remembered with the
//! entity ([`super::memory`]). They are enough to see that nothing is wrong. What is wrong is told from the text again: a
//! fault quotes it, and there are few.

use super::super::atom::{AtomIx, EntityId};
use super::super::field::{field, items};
use super::super::interner::Handle;
use super::super::json::{Json, name_of};
use super::super::scan::{ScanFault, Scanner};
use super::super::schema::{Collection, Ref, Schema};
use super::super::store::ContentStore;
use super::memory::Memory;
use super::positions::finite;
use super::refs::id_body;
use crate::sort::sort_by;

/// The name of a port; `None` is the port without a name. Two are the same if and only if they say the same.
pub type PortName = Option<Handle<Box<str>>>;

/// What is known of an entity.
pub struct Facts {
    /// The id or the key that it goes by.
    pub id: Option<EntityId>,
    pub is_object: bool,
    /// Whether every field that has to be there is.
    pub has_required: bool,
    /// Its position, when that is two finite numbers.
    pub position: Option<(f64, f64)>,
    /// Where its references lead, as [`Reading::refs`] has them.
    pub ends: Box<[End]>,
    /// The names in its lists of ports, as [`Reading::lists`] has them, sorted; `None` where it says nothing about them.
    pub ports: Box<[Option<Box<[PortName]>>]>,
}

/// Where a reference leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct End {
    /// What it names; `None` when that is no id, or one that nothing goes by.
    pub id: Option<EntityId>,
    pub port: PortName,
}

impl Facts {
    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        let ports = self.ports.iter().flatten().map(|names| size_of_val(&**names));
        size_of::<Facts>() + size_of_val(&*self.ends) + size_of_val(&*self.ports) + ports.sum::<usize>()
    }
}

/// How the entities of a collection are read.
pub struct Reading<'s> {
    pub collection: &'s Collection,
    /// The references, first those that are in a field.
    pub refs: Vec<&'s Ref>,
    /// The lists of ports that references to the collection end at, and the field that names a port.
    lists: Vec<(&'s str, &'s str)>,
    /// The fields that have to be there. The position is looked for as such.
    pub required: Vec<&'s str>,
    fields: Fields<'s>,
}

impl<'s> Reading<'s> {
    pub fn of(collection: &'s Collection, schema: &'s Schema) -> Self {
        let is_in_a_field = |reference: &&Ref| !reference.field.is_empty();
        let (mut refs, by_key): (Vec<&Ref>, Vec<&Ref>) = collection.refs.iter().partition(is_in_a_field);
        refs.extend(by_key);
        let mut lists: Vec<(&str, &str)> = Vec::new();
        let all = schema.collections.iter().flat_map(|from| &from.refs);
        for port in all.filter(|end| end.to == collection.path).filter_map(|end| end.port.as_ref()) {
            let list = (&*port.among, &*port.id);
            if !lists.contains(&list) {
                lists.push(list);
            }
        }
        let position = collection.position.as_ref().and_then(|path| path.first());
        let required = collection.required.iter().filter(|field| Some(*field) != position);
        let required = required.map(String::as_str).collect();
        let mut reading = Reading { collection, refs, lists, required, fields: Fields::default() };
        reading.fields = Fields::of(&reading);
        reading
    }

    /// Which of the ends a reference is.
    pub fn end(&self, reference: &Ref) -> Option<usize> {
        self.refs.iter().position(|other| std::ptr::eq(*other, reference))
    }

    /// The references that are in a field.
    pub fn refs_in_fields(&self) -> &[&'s Ref] {
        let count = self.refs.iter().take_while(|reference| !reference.field.is_empty()).count();
        self.refs.get(..count).unwrap_or_default()
    }

    /// Which of the lists of ports a reference ends at.
    pub fn list(&self, reference: &Ref) -> Option<usize> {
        let port = reference.port.as_ref()?;
        self.lists.iter().position(|list| *list == (&*port.among, &*port.id))
    }

    /// Reads an entity. The flag tells whether that holds for as long as no name is forgotten: an id that nothing goes by yet may
    /// come to be one.
    pub fn read(&self, store: &ContentStore, atom: AtomIx, memory: &mut Memory) -> (Facts, bool) {
        let value = store.atoms.value(atom);
        let value = value.as_deref().map(Json::scanned);
        let found = self.fields.find(value);
        let mut is_settled = true;
        let ends = self.refs.iter().zip(&self.fields.ends).map(|(reference, (end, port))| {
            let said = found.at(*end).filter(|_| !reference.field.is_empty()).and_then(id_body);
            let id = said.as_deref().and_then(|id| store.atoms.find_id(id));
            is_settled &= id.is_some() || said.is_none();
            End { id, port: port.and_then(|port| memory.port_name(store, found.at(port))) }
        });
        let ends = ends.collect();
        let ports = self.lists.iter().zip(&self.fields.lists).map(|((_, name), list)| {
            let list = found.at(*list).filter(|list| list.is_list())?;
            let ports = items(list).into_iter().filter(|port| port.is_object());
            let ports = ports.map(|port| memory.port_name(store, field(port, name)));
            let mut names: Vec<PortName> = ports.collect();
            sort_by(&mut names, Ord::cmp);
            Some(names.into())
        });
        let ports = ports.collect();
        let is_there = |field: &usize| found.at(*field).is_some_and(|value| !value.is_null());
        let facts = Facts {
            id: store.atoms.get(atom).and_then(|atom| atom.id),
            is_object: value.is_some_and(Json::is_object),
            has_required: self.fields.required.iter().all(is_there),
            position: self.fields.position.and_then(|(x, y)| finite(found.at(x), found.at(y))),
            ends,
            ports,
        };
        (facts, is_settled)
    }
}

/// The places in an entity that are looked at, so that all are found in one walk.
#[derive(Default)]
struct Fields<'s> {
    /// What is looked for inside of each place: a key, and which place that is. The first is the value itself; the outer come
    /// before the inner.
    places: Vec<Vec<(&'s str, usize)>>,
    /// Of each reference: the id, the port.
    ends: Vec<(usize, Option<usize>)>,
    lists: Vec<usize>,
    required: Vec<usize>,
    position: Option<(usize, usize)>,
}

/// What is at the places.
struct Found<'a>(Vec<Option<Json<'a>>>);

impl<'a> Found<'a> {
    fn at(&self, place: usize) -> Option<Json<'a>> {
        self.0.get(place).copied().flatten()
    }
}

impl<'s> Fields<'s> {
    fn of(reading: &Reading<'s>) -> Self {
        let mut fields = Fields { places: vec![Vec::new()], ..Fields::default() };
        for reference in &reading.refs {
            let end = fields.place(&reference.field);
            let port = reference.port.as_ref().map(|port| fields.place(&port.field));
            fields.ends.push((end, port));
        }
        fields.lists = reading.lists.iter().map(|(list, _)| fields.inside(0, list)).collect();
        fields.required = reading.required.iter().map(|field| fields.inside(0, field)).collect();
        if let Some(path) = &reading.collection.position {
            let at = fields.place(path);
            fields.position = Some((fields.inside(at, "x"), fields.inside(at, "y")));
        }
        fields
    }

    fn place(&mut self, path: &'s [String]) -> usize {
        path.iter().fold(0, |outer, key| self.inside(outer, key))
    }

    #[inline(never)] // or it is there once for each kind of place
    fn inside(&mut self, outer: usize, key: &'s str) -> usize {
        let next = self.places.len();
        let Some(inside) = self.places.get_mut(outer) else { return next };
        if let Some((_, known)) = inside.iter().find(|(other, _)| *other == key) {
            return *known;
        }
        inside.push((key, next));
        self.places.push(Vec::new());
        next
    }

    /// What is at each place of a value; of a repeated key the last. Only an object in which something is looked for is walked
    /// over.
    fn find<'a>(&self, value: Option<Json<'a>>) -> Found<'a> {
        let mut found = Found(vec![None; self.places.len()]);
        if let Some(whole) = found.0.first_mut() {
            *whole = value;
        }
        for (outer, inside) in self.places.iter().enumerate().filter(|(_, inside)| !inside.is_empty()) {
            let Some(object) = found.at(outer).filter(|value| value.is_object()) else { continue };
            // The text was walked over before, so this walk cannot fail.
            let _ = Scanner::new(object.text()).members(|key, scanner| {
                let (key, value) = (name_of(key), scanner.value()?);
                let place = inside.iter().find(|(name, _)| *name == key);
                if let Some(place) = place.and_then(|(_, place)| found.0.get_mut(*place)) {
                    *place = Some(value);
                }
                Ok::<(), ScanFault>(())
            });
        }
        found
    }
}
