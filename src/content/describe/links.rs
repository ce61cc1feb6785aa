//! Links: entities that join others.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::super::field::at_path;
use super::super::json::{Json, name_of};
use super::super::schema::Collection;
use super::groups::Group;
use super::values::json;

/// An end of a link: the collection, and the id there, when there is one.
pub type End<'a> = (&'a str, Option<Cow<'a, str>>);

/// Whether the entities of a collection join others.
pub fn is_link(collection: &Collection) -> bool {
    collection.refs.iter().filter(|reference| !reference.field.is_empty()).count() > 1
}

/// What a link joins.
pub fn ends<'a>(link: &'a Collection, value: Json<'a>) -> impl Iterator<Item = End<'a>> {
    let refs = link.refs.iter().filter(|reference| !reference.field.is_empty());
    let id = |value: Json<'a>| Some(name_of(value.text().strip_prefix('"')?.strip_suffix('"')?));
    refs.map(move |end| (end.to.as_str(), at_path(value, &end.field).and_then(id)))
}

/// A link that goes with an entity it hung on is no news of its own: it is counted there.
pub fn count_links(groups: &mut [Group<'_>]) {
    let goes = |group: &Group<'_>| group.removed.is_some() && group.added.is_none();
    let link = |group: &Group<'_>| group.schema.is_some_and(|(_, schema)| is_link(schema));
    let gone: HashMap<(&str, &str), usize> = groups
        .iter()
        .enumerate()
        .filter(|(_, group)| goes(group) && !link(group))
        .map(|(at, group)| ((group.collection, group.id), at))
        .collect();
    if gone.is_empty() {
        return;
    }
    for at in 0..groups.len() {
        let Some(group) = groups.get_mut(at).filter(|group| goes(group) && link(group)) else { continue };
        let (Some((_, schema)), Some(value)) = (group.schema, group.removed.and_then(json)) else { continue };
        let mut ends = ends(schema, value);
        let end = ends.find_map(|(to, id)| gone.get(&(to, &*id?)).copied());
        group.is_counted = end.is_some();
        if let Some(end) = end.and_then(|end| groups.get_mut(end)) {
            end.links += 1;
        }
    }
}
