//! The checks, one collection after the other.

use std::borrow::Cow;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::super::atom::AtomIx;
use super::super::edit::{Path, PathStep, Place};
use super::super::field::members;
use super::super::json::{Json, Token};
use super::super::schema::{Collection, Kind};
use super::super::store::{ContentIx, ContentStore, Part};
use super::facts::Reading;
use super::memory::Memory;
use super::positions::Unplaced;
use super::sheet::{Entity, Item, Sheet, parts_by_key};
use super::wording::{self, shown};
use super::{Fault, FaultCode, Repair};

/// A content while it is judged, with the repairs that follow.
pub struct Examination<'s> {
    pub store: &'s ContentStore,
    pub parts: &'s [Part],
    pub sheets: Vec<Sheet<'s>>,
    pub faults: Vec<Fault>,
    pub(super) unplaced: Vec<Unplaced>,
    /// Positions that are taken.
    pub(super) taken: Vec<(f64, f64)>,
    memory: Memory,
    names: HashMap<AtomIx, Rc<str>>,
}

impl<'s> Examination<'s> {
    pub fn of(store: &'s ContentStore, content: ContentIx) -> Self {
        let parts = store.parts(content).unwrap_or_default();
        let mut examination = Examination {
            store,
            parts,
            sheets: Vec::new(),
            faults: Vec::new(),
            unplaced: Vec::new(),
            taken: Vec::new(),
            memory: Memory::default(),
            names: HashMap::new(),
        };
        // A content that is not held has no faults.
        if store.is_held(content) {
            examination.memory = store.judged.take();
            examination.memory.begin();
            let by_key = parts_by_key(store, parts);
            for collection in &store.schema.collections {
                let key = store.atoms.find_id(&collection.path);
                let part = key.and_then(|key| by_key.get(&key).copied());
                let sheet = Sheet::empty(Reading::of(collection, &store.schema), part);
                let sheet = examination.judge(sheet);
                examination.sheets.push(sheet);
            }
            examination.memory.end();
            store.judged.set(std::mem::take(&mut examination.memory));
        }
        examination
    }

    fn judge(&mut self, mut sheet: Sheet<'s>) -> Sheet<'s> {
        self.read(&mut sheet);
        self.follow(&mut sheet);
        self.find_doubles(&mut sheet);
        self.look_for_fields(&sheet);
        self.look_for_positions(&sheet);
        sheet
    }

    pub(super) fn fault(
        &mut self,
        code: FaultCode,
        place: Place,
        path: Path,
        message: String,
        then: Option<Repair>,
    ) {
        self.faults.push(Fault { code, place, path, message, repaired: then });
    }

    pub(super) fn value(&self, atom: AtomIx) -> Option<Cow<'s, str>> {
        self.store.atoms.value(atom)
    }

    pub(super) fn name(&mut self, collection: &Collection, entity: Entity) -> Rc<str> {
        let id = self.store.atoms.id_text(entity.id);
        let name = || wording::entity(self.store, collection, entity.atom, id).into();
        self.names.entry(entity.atom).or_insert_with(name).clone()
    }

    /// 1. and 2.: what is in a collection, and by which name.
    fn read(&mut self, sheet: &mut Sheet<'s>) {
        let collection = sheet.collection;
        match sheet.part.and_then(|part| self.parts.get(part)) {
            None => {}
            Some(Part::Collection { items, .. }) => {
                let atoms = self.store.sequences.atoms(*items);
                sheet.items = atoms.map(|atom| self.item(&sheet.reading, atom)).collect();
                sheet.expect();
                self.tell_apart(sheet);
            }
            Some(Part::Plain(atom)) if collection.kind == Kind::Value => {
                let item = self.item(&sheet.reading, *atom);
                let id = item.facts.id;
                sheet.items = vec![item];
                if let Some(id) = id {
                    sheet.stand(id, 0);
                }
            }
            Some(Part::Plain(atom)) => {
                let Some(value) = self.value(*atom) else { return };
                let value = Json::scanned(&value);
                // Positions can be made anew, and so can nothing. What is anything else was meant to be something.
                let is_bare = collection.position.as_ref().is_some_and(Vec::is_empty);
                let is_nothing =
                    value.is_null() || matches!(value.tokens().nth(1), Some(Token::Close | Token::CloseList));
                sheet.is_emptied = is_nothing || (is_bare && collection.kind == Kind::Map);
                sheet.is_readable = sheet.is_emptied;
                let (path, is) = (&collection.path, wording::kind(value));
                let should = if collection.kind == Kind::Map { "an object" } else { "a list" };
                let message = format!("`{path}` is {is}, but has to be {should}.");
                let then = sheet.is_emptied.then_some(Repair::Emptied);
                self.fault(FaultCode::WrongKind, sheet.whole(), vec![], message, then);
            }
        }
    }

    fn item(&mut self, reading: &Reading<'s>, atom: AtomIx) -> Item {
        Item::new(atom, self.memory.facts(self.store, reading, atom))
    }

    fn tell_apart(&mut self, sheet: &mut Sheet<'s>) {
        let Collection { path, id, kind, .. } = sheet.collection;
        let (is_list, id_field) = (*kind == Kind::List, id.as_deref().unwrap_or_default());
        let then = Some(Repair::Dropped);
        // An empty id names nothing: an edit could not say whom it is about.
        let empty = self.store.atoms.find_id("");
        let known = |item: &Item| (item.facts.is_object, item.facts.id.filter(|id| Some(*id) != empty));
        for at in 0..sheet.items.len() {
            let Some((is_object, id)) = sheet.items.get(at).map(known) else { continue };
            let number = at + 1;
            let step = || if is_list { PathStep::Index(at) } else { PathStep::Key("".into()) };
            match id {
                _ if is_list && !is_object => {
                    sheet.has_struck = true;
                    let value = sheet.items.get(at).and_then(|item| self.value(item.atom));
                    let is = value.map_or("nothing", |value| wording::kind(Json::scanned(&value)));
                    let message = format!("Item {number} of `{path}` is {is}, but has to be an object.");
                    self.fault(FaultCode::NotAnObject, sheet.whole(), vec![step()], message, then);
                }
                None => {
                    sheet.has_struck = true;
                    let lacks = if is_list { format!("no `{id_field}`") } else { "an empty key".into() };
                    let message = format!("Item {number} of `{path}` has {lacks} to tell it apart by.");
                    self.fault(FaultCode::NoId, sheet.whole(), vec![step()], message, then);
                }
                Some(id) => {
                    let Some(earlier) = sheet.stand(id, at).filter(|_| is_list) else { continue };
                    sheet.has_struck = true;
                    let shown = shown(self.store.atoms.id_text(id));
                    let message =
                        format!("Item {} of `{path}` has the id of a later one, {shown}.", earlier + 1);
                    self.fault(FaultCode::DuplicateId, sheet.place(id, self.store), vec![], message, then);
                }
            }
        }
    }

    /// 5.: fields that have to be there.
    fn look_for_fields(&mut self, sheet: &Sheet<'s>) {
        let (collection, reading) = (sheet.collection, &sheet.reading);
        if reading.required.is_empty() {
            return;
        }
        let has_all = |entity: &Entity| sheet.facts(*entity).is_some_and(|facts| facts.has_required);
        for entity in sheet.entities().into_iter().filter(|entity| !has_all(entity)) {
            let Some(value) = self.value(entity.atom) else { continue };
            let value = Json::scanned(&value);
            let members = if value.is_object() { members(value) } else { Vec::new() };
            let there: HashSet<&str> =
                members.iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| &**key).collect();
            for field in reading.required.iter().filter(|field| !there.contains(**field)) {
                let name = self.name(collection, entity);
                let message = format!("{name} in `{}` has no `{field}`.", collection.path);
                let path = vec![PathStep::Key((*field).into())];
                // What would be right in its place, the schema does not say.
                self.fault(FaultCode::MissingField, sheet.place(entity.id, self.store), path, message, None);
            }
        }
    }
}
