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
use super::positions::Unplaced;
use super::refs::Ports;
use super::sheet::{Entity, Sheet, parts_by_key};
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
    /// The ports of entities that something refers to; an entity is read once, however much refers to it.
    pub(super) ports: HashMap<(AtomIx, &'s str, &'s str), Option<Rc<Ports>>>,
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
            ports: HashMap::new(),
            names: HashMap::new(),
        };
        // A content that is not held has no faults.
        if store.is_held(content) {
            let by_key = parts_by_key(store, parts);
            for collection in &store.schema.collections {
                let key = store.atoms.find_id(&collection.path);
                let part = key.and_then(|key| by_key.get(&key).copied());
                let sheet = examination.judge(collection, part);
                examination.sheets.push(sheet);
            }
        }
        examination
    }

    fn judge(&mut self, collection: &'s Collection, part: Option<usize>) -> Sheet<'s> {
        let mut sheet = self.read(collection, part);
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
    fn read(&mut self, collection: &'s Collection, part: Option<usize>) -> Sheet<'s> {
        let mut sheet = Sheet::empty(collection, part);
        match part.and_then(|part| self.parts.get(part)) {
            None => {}
            Some(Part::Collection { items, .. }) => {
                sheet.atoms = self.store.sequences.atoms(*items).collect();
                self.tell_apart(&mut sheet);
            }
            Some(Part::Plain(atom)) if collection.kind == Kind::Value => {
                sheet.atoms = vec![*atom];
                if let Some(id) = self.store.atoms.get(*atom).and_then(|atom| atom.id) {
                    sheet.stand(id, 0);
                }
            }
            Some(Part::Plain(atom)) => {
                let Some(value) = self.value(*atom) else { return sheet };
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
        sheet
    }

    fn tell_apart(&mut self, sheet: &mut Sheet<'s>) {
        let Collection { path, id, kind, .. } = sheet.collection;
        let (is_list, id_field) = (*kind == Kind::List, id.as_deref().unwrap_or_default());
        let then = Some(Repair::Dropped);
        for (at, atom) in sheet.atoms.clone().into_iter().enumerate() {
            let number = at + 1;
            let step = if is_list { PathStep::Index(at) } else { PathStep::Key("".into()) };
            let id = self.store.atoms.get(atom).and_then(|atom| atom.id);
            // An empty id names nothing: an edit could not say whom it is about.
            let id = id.filter(|id| !self.store.atoms.id_text(*id).is_empty());
            let value = self.value(atom);
            let value = value.as_deref().map(Json::scanned);
            let object = value.filter(|value| value.is_object());
            match (object, id) {
                (None, _) if is_list => {
                    sheet.has_struck = true;
                    let is = value.map_or("nothing", wording::kind);
                    let message = format!("Item {number} of `{path}` is {is}, but has to be an object.");
                    self.fault(FaultCode::NotAnObject, sheet.whole(), vec![step], message, then);
                }
                (_, None) => {
                    sheet.has_struck = true;
                    let lacks = if is_list { format!("no `{id_field}`") } else { "an empty key".into() };
                    let message = format!("Item {number} of `{path}` has {lacks} to tell it apart by.");
                    self.fault(FaultCode::NoId, sheet.whole(), vec![step], message, then);
                }
                (_, Some(id)) => {
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
        let collection = sheet.collection;
        // The position is looked for as such.
        let position = collection.position.as_ref().and_then(|path| path.first());
        let required: Vec<&String> =
            collection.required.iter().filter(|field| Some(*field) != position).collect();
        if required.is_empty() {
            return;
        }
        for entity in sheet.entities(self.store) {
            let Some(value) = self.value(entity.atom) else { continue };
            let value = Json::scanned(&value);
            let members = if value.is_object() { members(value) } else { Vec::new() };
            let there: HashSet<&str> =
                members.iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| &**key).collect();
            for field in required.iter().filter(|field| !there.contains(field.as_str())) {
                let name = self.name(collection, entity);
                let message = format!("{name} in `{}` has no `{field}`.", collection.path);
                let path = vec![PathStep::Key(field.as_str().into())];
                // What would be right in its place, the schema does not say.
                self.fault(FaultCode::MissingField, sheet.place(entity.id, self.store), path, message, None);
            }
        }
    }
}
