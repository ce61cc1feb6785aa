//! The text of a content with its repairs in it. What was not touched stays letter by letter.

use hashbrown::HashMap;

use super::super::json::quoted;
use super::super::schema::Kind;
use super::super::store::{ContentStore, Part};
use super::Fault;
use super::examine::Examination;
use super::sheet::Sheet;

impl Examination<'_> {
    /// The text with everything repaired that can be, `None` when nothing was; and the faults, with what was done.
    pub fn repaired(mut self) -> (Option<String>, Vec<Fault>) {
        self.place_the_unplaced();
        (self.text(), self.faults)
    }

    fn text(&self) -> Option<String> {
        let changed: Vec<&Sheet<'_>> = self.sheets.iter().filter(|sheet| sheet.is_changed()).collect();
        if changed.is_empty() {
            return None;
        }
        let by_part: HashMap<usize, &Sheet<'_>> =
            changed.iter().filter_map(|sheet| Some((sheet.part?, *sheet))).collect();
        let mut members: Vec<String> = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            members.push(match by_part.get(&at) {
                Some(sheet) => member(self.store, self.parts, sheet),
                None => untouched(self.store, *part),
            });
        }
        let new = changed.iter().filter(|sheet| sheet.part.is_none());
        members.extend(new.map(|sheet| member(self.store, self.parts, sheet)));
        Some(format!("{{{}}}", members.join(",")))
    }
}

fn untouched(store: &ContentStore, part: Part) -> String {
    let mut text = String::new();
    store.push_part(part, &mut text);
    text
}

/// A collection as a member of the content.
fn member(store: &ContentStore, parts: &[Part], sheet: &Sheet<'_>) -> String {
    let name = quoted(&sheet.collection.path);
    let kind = sheet.collection.kind;
    if kind == Kind::Value {
        let value = sheet.changed.get(&0).map_or("null", String::as_str);
        return format!("{name}:{value}");
    }
    let entry = |id: &str, value: &str| format!("{}:{value}", quoted(id));
    let id_text = |id| store.atoms.id_text(id);
    let mut items: Vec<String> = Vec::with_capacity(sheet.items.len());
    for (at, item) in sheet.items.iter().enumerate().filter(|(_, item)| sheet.keeps(item)) {
        items.push(match sheet.changed.get(&at) {
            None => store.atoms.text(item.atom).into_owned(),
            Some(value) if kind == Kind::Map => entry(item.facts.id.map_or("", id_text), value),
            Some(value) => value.clone(),
        });
    }
    items.extend(sheet.added.iter().map(|(id, value)| entry(id_text(*id), value)));
    let items = items.join(",");
    match sheet.part.and_then(|part| parts.get(part)) {
        Some(Part::Collection { open, close, .. }) => {
            [&*store.atoms.text(*open), &items, &store.atoms.text(*close)].concat()
        }
        _ if kind == Kind::Map => format!("{name}:{{{items}}}"),
        _ => format!("{name}:[{items}]"),
    }
}
