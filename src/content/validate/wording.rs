//! Names of things in sentences about faults. They are shown as sentences about edits show them.

use super::super::atom::AtomIx;
use super::super::canonical;
pub use super::super::describe::names::shown;
use super::super::describe::names::shown_label;
use super::super::json::Json;
use super::super::schema::Collection;
use super::super::store::ContentStore;

/// What a person calls an entity: its label and its id, or its id.
pub fn entity(store: &ContentStore, collection: &Collection, atom: AtomIx, id: &str) -> String {
    let value = store.atoms.value(atom);
    let label = value.and_then(|value| shown_label(collection, Json::scanned(&value)));
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
