//! Names of things in sentences for a person.

use super::super::atom::AtomIx;
use super::super::canonical;
use super::super::field::at_path;
use super::super::json::Json;
use super::super::schema::Collection;
use super::super::store::ContentStore;

/// Longer names are cut: a sentence stays a sentence, and a list of them is never much larger than the document.
const LONGEST: usize = 60;

/// A name as it can stand in a sentence.
pub fn shown(name: &str) -> String {
    // A name with half a character in it is NUL and its spelling.
    let name = name.strip_prefix('\0').unwrap_or(name);
    let mut chars = name.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut out: String = chars.by_ref().take(LONGEST).collect();
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

/// What a person calls an entity: its label and its id, or its id.
pub fn entity(store: &ContentStore, collection: &Collection, atom: AtomIx, id: &str) -> String {
    let value = store.atoms.value(atom);
    let value = value.as_deref().map(Json::scanned);
    let label = value.and_then(|value| {
        let texts = collection.label.iter().filter_map(|field| {
            let path: Vec<String> = field.split('.').map(str::to_owned).collect();
            at_path(value, &path)?.as_text()
        });
        texts.map(|text| shown(text.trim())).find(|text| !text.is_empty())
    });
    match label {
        Some(label) => format!("{label} ({})", shown(id)),
        None => shown(id),
    }
}

/// What kind of value it is.
pub fn kind(value: Json<'_>) -> &'static str {
    match value.text().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a text",
        Some(b't' | b'f') => "true or false",
        Some(b'n') | None => "null",
        Some(_) => "a number",
    }
}

/// A path as it is read aloud.
pub fn dotted(path: &[String]) -> String {
    path.join(".")
}

/// A value in one spelling, to compare by; `None` for null, which says as little as nothing.
pub fn form(value: Option<Json<'_>>) -> Option<Vec<u8>> {
    value.filter(|value| !value.is_null()).map(canonical::form)
}
