//! What a person calls collections, fields and entities.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::super::atom::EntityId;
use super::super::field::field;
use super::super::json::{Json, name_of};
use super::super::scan::{ScanFault, Scanner};
use super::super::schema::Collection;
use super::links::ends;
use super::lookup::{Side, Sides};
use super::namesakes::{Namesakes, needle};
use super::text::{MORE_THAN_ENOUGH, is_plain, push_text, quote};
use super::values::{json, push_name, quote_what_is_odd, spells_json};
use super::words::{capitalise, is_identifier, is_ours, push_words};

/// A name as it can stand in a sentence.
pub fn shown(name: &str) -> String {
    let mut out = String::new();
    push_name(name, &mut out);
    out
}

/// Writes a name in code as words, any other as it is.
pub fn push_key(key: &str, out: &mut String) {
    if is_identifier(key) { push_words(key, out) } else { push_name(key, out) }
}

/// A collection in words.
pub fn words(collection: &str) -> String {
    let mut out = String::new();
    push_key(collection, &mut out);
    out
}

/// What one entity of a collection is called.
pub fn singular(collection: &str) -> String {
    let words = words(collection);
    for (ending, one) in
        [("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("ies", "y"), ("ss", "ss"), ("s", "")]
    {
        if let Some(stem) = words.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
            return format!("{stem}{one}");
        }
    }
    words
}

/// So many entities of a collection.
pub fn counted(count: usize, collection: &str) -> String {
    if count == 1 { format!("1 {}", singular(collection)) } else { format!("{count} {}", words(collection)) }
}

/// A label of an entity: which of the schema's fields, the value of it, and its text, folded and cut.
pub struct Label<'a> {
    at: usize,
    pub path: &'a str,
    pub value: Json<'a>,
    text: String,
}

/// The labels of an entity that say something, the best first, and no more than a name consists of. What spells JSON says nothing
/// to a person.
pub fn labels<'a>(collection: &'a Collection, value: Json<'a>) -> Vec<Label<'a>> {
    let mut found: Vec<(&str, Option<Json<'a>>)> = Vec::with_capacity(collection.label.len());
    found.extend(collection.label.iter().map(|path| (path.as_str(), None)));
    if found.is_empty() || !value.is_object() {
        return Vec::new();
    }
    // One walk for all of them. The text is JSON, so it cannot fail; of a repeated key the last counts.
    let _ = Scanner::new(value.text()).members(|key, scanner| {
        let (key, value) = (name_of(key), scanner.value()?);
        for (path, found) in &mut found {
            if path.split('.').next() == Some(&*key) {
                *found = Some(value);
            }
        }
        Ok::<(), ScanFault>(())
    });
    let label = |(at, (path, first)): (usize, (&'a str, Option<Json<'a>>))| {
        let value = path.split('.').skip(1).try_fold(first?, field)?;
        let text = match value.plain_text() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(value.as_text()?),
        };
        let mut shown = String::with_capacity(text.len().min(MORE_THAN_ENOUGH));
        if !spells_json(&text) {
            push_text(&text, &mut shown);
        }
        (!shown.is_empty()).then_some(Label { at, path, value, text: shown })
    };
    found.into_iter().enumerate().filter_map(label).take(2).collect()
}

/// The best label of an entity, as it can stand in a sentence.
pub fn shown_label(collection: &Collection, value: Json<'_>) -> Option<String> {
    let mut label = labels(collection, value).into_iter().next()?.text;
    quote_what_is_odd(&mut label, 0);
    Some(label)
}

/// An entity's name: the first label, with the next one in front where that is another kind of name (`Filter “by age”`); without
/// any, its id.
pub fn entity_name(collection: &Collection, id: &str, labels: &[Label<'_>]) -> String {
    let mut labels = labels.iter().map(Label::in_words);
    match (labels.next(), labels.next()) {
        (Some(name), Some(kind)) if is_other_kind(&kind, &name) => {
            let mut out = kind.into_owned();
            if !is_plain(&out) {
                quote(&mut out, 0);
            }
            out.extend([" “", &name, "”"]);
            out
        }
        (Some(name), _) => {
            let is_proper = name.starts_with(|c: char| !c.is_lowercase());
            let mut name = name.into_owned();
            if !is_proper || !is_plain(&name) || is_ours(&name) {
                quote(&mut name, 0);
            }
            name
        }
        (None, _) => {
            let mut out = String::new();
            if collection.label.is_empty() {
                out = singular(&collection.path);
                out.push(' ');
            }
            push_name(id, &mut out);
            out
        }
    }
}

impl Label<'_> {
    /// Only the first label is a person's own words, the others are names of types.
    fn in_words(&self) -> Cow<'_, str> {
        if self.at == 0 || !is_identifier(&self.text) {
            return Cow::Borrowed(&self.text);
        }
        let mut words = String::with_capacity(self.text.len() + 8);
        push_words(&self.text, &mut words);
        if self.text.starts_with(|c: char| c.is_ascii_uppercase()) {
            capitalise(&mut words, 0);
        }
        Cow::Owned(words)
    }
}

/// Whether a type says more than the name does.
fn is_other_kind(kind: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    // `default`, `input`: a type in small letters is for the program, not for a person.
    if !kind.starts_with(char::is_uppercase) {
        return false;
    }
    let (kind, name) = (letters(kind), letters(name));
    !kind.contains(&name) && !name.contains(&kind)
}

/// What a person calls the entities of two contents.
pub struct Names<'e> {
    pub sides: Sides<'e>,
    namesakes: Namesakes<'e>,
    /// Ends of links: one may have many.
    ends: HashMap<(u8, EntityId), String>,
}

impl<'e> Names<'e> {
    pub fn of(sides: Sides<'e>) -> Self {
        Names { sides, namesakes: Namesakes::default(), ends: HashMap::new() }
    }

    /// An entity's name, when nobody has to tell it from others. `said` is what an edit says that the entity is.
    pub fn name(&mut self, schema: (u8, &Collection), id: &str, said: Option<&str>) -> String {
        self.named(schema, id, said, false)
    }

    /// An entity's name, and a piece of its id where others have that name.
    pub fn name_apart(&mut self, schema: (u8, &Collection), id: &str, said: Option<&str>) -> String {
        self.named(schema, id, said, true)
    }

    fn named(&mut self, schema: (u8, &Collection), id: &str, said: Option<&str>, apart: bool) -> String {
        let (index, collection) = schema;
        let store = self.sides.store;
        let known = store.atoms.find_id(id);
        let kept = known.and_then(|id| store.atoms.value(self.sides.find(index, id)?));
        let value = kept.as_deref().map(Json::scanned).or_else(|| said.and_then(json));
        let labels = value.map(|value| labels(collection, value)).unwrap_or_default();
        let mut name = entity_name(collection, id, &labels);
        // A name that comes from no label has the id in it.
        if let (true, Some(known), Some(value), Some(label)) = (apart, known, value, labels.first())
            && let Some(piece) =
                self.namesakes.piece(&mut self.sides, index, known, &name, || needle(value, label))
        {
            name.push_str(" #");
            push_name(piece, &mut name);
        }
        name
    }

    /// What a link joins. An end that is a link itself is not followed any further.
    pub fn joined(&mut self, link: &Collection, value: Json<'_>) -> String {
        let mut out = String::new();
        for (to, id) in ends(link, value) {
            out.push_str(if out.is_empty() { "" } else { " → " });
            match id {
                Some(id) => self.push_end(to, &id, &mut out),
                None => out.push_str("nothing"),
            }
        }
        out
    }

    fn push_end(&mut self, to: &str, id: &str, out: &mut String) {
        let store = self.sides.store;
        let Some(schema) = store.schema.at(to) else { return push_name(id, out) };
        let Some(known) = store.atoms.find_id(id) else {
            out.push_str(&entity_name(schema.1, id, &[]));
            return;
        };
        if let Some(name) = self.ends.get(&(schema.0, known)) {
            out.push_str(name);
            return;
        }
        let name = self.name_apart(schema, id, None);
        out.push_str(&name);
        self.ends.insert((schema.0, known), name);
    }

    /// The text of an entity as the older content has it.
    pub fn old_value(&mut self, index: u8, id: &str) -> Option<Cow<'e, str>> {
        let store = self.sides.store;
        let id = store.atoms.find_id(id)?;
        store.atoms.value(self.sides.find_in(Side::Old, index, id)?)
    }

    /// The text of an entity as the newer content has it, else as the older has.
    pub fn value(&mut self, index: u8, id: &str) -> Option<Cow<'e, str>> {
        let store = self.sides.store;
        let id = store.atoms.find_id(id)?;
        store.atoms.value(self.sides.find(index, id)?)
    }
}
