//! What a person calls the entities, looked up in the contents before and after.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::super::atom::{AtomIx, EntityId};
use super::super::field::at_path;
use super::super::json::Json;
use super::super::schema::Collection;
use super::super::store::{ContentIx, ContentStore, Part};
use super::ends;
use super::words::{
    first_upper, folded, is_identifier, is_other_kind, is_plain, json, shortened, shown_name, singular, words,
};

/// One of the two contents, its entities found by id once somebody asks.
pub(super) struct Side<'e> {
    pub(super) store: &'e ContentStore,
    parts: HashMap<EntityId, Part>,
    /// What the other content has.
    others: HashMap<EntityId, Part>,
    found: HashMap<String, Found>,
}

/// Entities of one collection.
#[derive(Default)]
struct Found {
    /// Those that the other content has not: nearly always it is one of them that somebody asks for.
    own: HashMap<EntityId, AtomIx>,
    /// How often others were looked for one by one.
    searches: usize,
    /// All of them.
    all: Option<HashMap<EntityId, AtomIx>>,
}

/// So many entities are looked for one by one before all of them are put in order.
const FEW_SEARCHES: usize = 4;

impl<'e> Side<'e> {
    /// Two contents, each beside the other.
    pub(super) fn both(store: &'e ContentStore, a: ContentIx, b: ContentIx) -> [Self; 2] {
        let [a, b] = [a, b].map(|content| store.members(content).unwrap_or_default());
        let side = |parts, others| Side { store, parts, others, found: HashMap::new() };
        [side(a.clone(), b.clone()), side(b, a)]
    }

    pub(super) fn value(&mut self, collection: &str, id: &str) -> Option<Cow<'e, str>> {
        let store = self.store;
        let id = store.atoms.find_id(id)?;
        let items = |parts: &HashMap<EntityId, Part>| match parts.get(&store.atoms.find_id(collection)?)? {
            Part::Collection { items, .. } => Some(*items),
            Part::Plain(_) => None,
        };
        let mine = items(&self.parts)?;
        let by_id = |atoms: &mut dyn Iterator<Item = AtomIx>| -> HashMap<EntityId, AtomIx> {
            atoms.filter_map(|atom| Some((store.atoms.get(atom)?.id?, atom))).collect()
        };
        let found = self.found.entry_ref(collection).or_insert_with(|| {
            let (own, _) = store.sequences.unshared(Some(mine), items(&self.others));
            // Of two with one id the last counts, wherever they are.
            let own = if store.sequences.are_distinct(mine) { own } else { Vec::new() };
            Found { own: by_id(&mut own.into_iter()), ..Found::default() }
        });
        if let Some(atom) = found.own.get(&id) {
            return store.atoms.value(*atom);
        }
        found.searches += 1;
        let all = || store.sequences.atoms(mine);
        if found.searches <= FEW_SEARCHES {
            let is_it = |atom: &AtomIx| store.atoms.get(*atom).is_some_and(|atom| atom.id == Some(id));
            // Of two with one id the last counts.
            return store.atoms.value(all().filter(is_it).last()?);
        }
        let all = found.all.get_or_insert_with(|| by_id(&mut all()));
        store.atoms.value(*all.get(&id)?)
    }
}

/// What a person calls the entities.
pub(super) struct Names<'e> {
    pub(super) old: Side<'e>,
    pub(super) new: Side<'e>,
    pub(super) known: HashMap<(String, String), String>,
}

impl Names<'_> {
    /// An entity's name: the first label that says something, with the next one in front where that is another kind of
    /// name (`Filter “by age”`); else its id. `said` is what an edit says that the entity is.
    pub(super) fn name(&mut self, collection: &str, id: &str, said: Option<&str>) -> String {
        let place = (collection.to_owned(), id.to_owned());
        if let Some(known) = self.known.get(&place) {
            return known.clone();
        }
        let kept = self.new.value(collection, id).or_else(|| self.old.value(collection, id));
        let value = kept.as_deref().map(Json::scanned).or_else(|| said.and_then(json));
        let schema = self.new.store.collection(collection);
        let fields: &[String] = schema.map_or(&[], |schema| &schema.label);
        let mut labels = fields.iter().enumerate().filter_map(|(at, field)| {
            let path: Vec<String> = field.split('.').map(str::to_owned).collect();
            let text = shortened(&folded(&at_path(value?, &path)?.as_text()?));
            // Only the first is a person's own words, the others are names of types.
            let is_type = at > 0 && is_identifier(&text);
            let text = match text.starts_with(char::is_uppercase) {
                true if is_type => first_upper(&words(&text)),
                false if is_type => words(&text),
                _ => text,
            };
            (!text.is_empty()).then_some((at, text))
        });
        let name = match (labels.next(), labels.next()) {
            (Some((0, name)), Some((_, kind))) if is_other_kind(&kind, &name) => {
                format!("{} “{name}”", if is_plain(&kind) { kind } else { format!("“{kind}”") })
            }
            (Some((_, name)), _) => {
                let is_proper = name.starts_with(|c: char| !c.is_lowercase());
                if is_proper && is_plain(&name) { name } else { format!("“{name}”") }
            }
            (None, _) if fields.is_empty() && schema.is_some() => {
                format!("{} {}", singular(collection), shown_name(id))
            }
            (None, _) => shown_name(id),
        };
        self.known.insert(place, name.clone());
        name
    }

    /// What a link joins. An end that is a link itself is not followed any further.
    pub(super) fn joined(&mut self, link: &Collection, value: Option<Json<'_>>) -> String {
        let ends = value.map(|value| ends(link, value)).unwrap_or_default();
        let names =
            ends.into_iter().map(|(to, id)| id.map_or("nothing".into(), |id| self.name(to, &id, None)));
        names.collect::<Vec<_>>().join(" → ")
    }
}
