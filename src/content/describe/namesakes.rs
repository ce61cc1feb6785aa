//! Entities of one name, and what of their ids tells them apart.

use hashbrown::HashMap;

use super::super::atom::{AtomIx, EntityId};
use super::super::json::{Json, quoted};
use super::lookup::Sides;
use super::names::{Label, entity_name, labels};

/// Who goes by which name, for the collections and the names that somebody asked about.
#[derive(Default)]
pub struct Namesakes<'e> {
    /// By collection.
    known: Vec<(u8, Known<'e>)>,
}

#[derive(Default)]
struct Known<'e> {
    /// The names that were looked for, and the ids of all that have them, sorted.
    few: Vec<(Box<str>, Vec<&'e str>)>,
    /// The same for every name.
    all: Option<HashMap<String, Vec<&'e str>>>,
}

/// So many names are looked for one by one before all of them are put in order.
const FEW_NAMES: usize = 8;

impl<'e> Namesakes<'e> {
    /// The piece of an entity's id that no other entity of its name has there; `None` when nobody else has that name.
    ///
    /// Others are looked for in both contents: who has gone can be taken for who came. `needle` is what the text of an entity of
    /// that name has in it.
    pub fn piece(
        &mut self,
        sides: &mut Sides<'e>,
        collection: u8,
        id: EntityId,
        name: &str,
        needle: impl FnOnce() -> Option<String>,
    ) -> Option<&'e str> {
        let at = match self.known.iter().position(|(known, _)| *known == collection) {
            Some(at) => at,
            None => {
                self.known.push((collection, Known::default()));
                self.known.len() - 1
            }
        };
        let (_, known) = self.known.get_mut(at)?;
        let id = sides.store.atoms.id_text(id);
        if let Some((_, ids)) = known.few.iter().find(|(known, _)| **known == *name) {
            return piece(id, ids);
        }
        if known.all.is_none()
            && known.few.len() < FEW_NAMES
            && let Some(needle) = needle()
        {
            let mut ids: Vec<&str> = Vec::new();
            for atom in sides.all(collection) {
                let value = sides.store.atoms.value(atom);
                if value.is_some_and(|value| value.contains(&*needle)) {
                    ids.extend(
                        named(sides, collection, atom).filter(|(_, other)| other == name).map(|(id, _)| id),
                    );
                }
            }
            ids.sort_unstable();
            let piece = piece(id, &ids);
            known.few.push((name.into(), ids));
            return piece;
        }
        let all = known.all.get_or_insert_with(|| {
            let mut all: HashMap<String, Vec<&str>> = HashMap::new();
            for atom in sides.all(collection) {
                if let Some((id, name)) = named(sides, collection, atom) {
                    all.entry(name).or_default().push(id);
                }
            }
            all.values_mut().for_each(|ids| ids.sort_unstable());
            all
        });
        piece(id, all.get(name)?)
    }
}

fn named<'e>(sides: &Sides<'e>, collection: u8, atom: AtomIx) -> Option<(&'e str, String)> {
    let store = sides.store;
    let id = store.atoms.id_text(store.atoms.get(atom)?.id?);
    let collection = store.schema.get(collection)?;
    let value = store.atoms.value(atom)?;
    let name = entity_name(collection, id, &labels(collection, Json::scanned(&value)));
    Some((id, name))
}

/// The label of an entity as its content spells it. One content is written by one hand, and to look for a few bytes takes a tenth
/// of the time that it takes to read every entity.
pub fn needle(value: Json<'_>, label: &Label<'_>) -> Option<String> {
    let key = quoted(label.path.rsplit('.').next()?);
    let spelled = [":", ": "].map(|colon| [&key, colon, label.value.text()].concat());
    spelled.into_iter().find(|needle| value.text().contains(needle))
}

/// The piece of an id that none of the others has there, in whole words. `ids` are sorted and may be the same twice.
fn piece<'e>(id: &'e str, ids: &[&'e str]) -> Option<&'e str> {
    let alike = |other: &&str| {
        let alike = |(a, b): &((usize, char), char)| a.1 == *b;
        id.char_indices().zip(other.chars()).take_while(alike).map(|((_, c), _)| c.len_utf8()).sum::<usize>()
    };
    let before = ids.iter().take(ids.partition_point(|other| *other < id));
    let after = ids.iter().skip(ids.partition_point(|other| *other <= id));
    // Those beside it in their order are most like it, the first and the last least.
    let (first, last) = (before.clone().next(), after.clone().next_back());
    let (left, right) = (before.clone().next_back(), after.clone().next());
    let most = left.into_iter().chain(right).map(alike).max()?;
    let least = first.into_iter().chain(last).map(alike).min()?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = id.get(..least)?.trim_end_matches(is_word).len();
    let rest = id.get(most..)?;
    let next = rest.chars().next().map_or(0, char::len_utf8);
    let more: usize = rest.chars().skip(1).take_while(|c| is_word(*c)).map(char::len_utf8).sum();
    id.get(start..most + next + more).filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use super::piece;

    #[test]
    fn c6_a_piece_of_an_id_is_the_words_in_which_it_differs() {
        for (id, others, expected) in [
            ("a", vec![], None),
            ("f1", vec!["f2"], Some("f1")),
            ("Filter-operator-3fa85f64-5717", vec!["Filter-operator-9b1d0000-5717"], Some("3fa85f64")),
            ("a-1-x", vec!["a-1-y", "a-2-x"], Some("1-x")),
            ("f", vec!["f1"], Some("f")),
            ("f-", vec!["f"], Some("f-")),
            ("中1", vec!["中2"], Some("中1")),
            ("x", vec!["x", "x"], None),
        ] {
            let mut ids = [others, vec![id]].concat();
            ids.sort_unstable();
            assert_eq!(piece(id, &ids), expected, "{id}");
        }
    }
}
