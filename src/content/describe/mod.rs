//! Edits as sentences for a person (C6).
//!
//! One sentence an entity, however many edits it has; what belongs to an entity (its place on the canvas) is told with it.
//! A sentence has words and the person's own texts, never JSON: what is neither short nor text is summed up. What could be taken
//! for our words is in quotes, what cannot be seen is left out, and entities of one name that come, go or are linked are told
//! apart. Every edit list on every content has sentences, edits that fit nowhere too, and the work is linear in both.
//!
//! * `groups`: edits by the entity that they are about;
//! * `sentence`: one such entity, as a sentence;
//! * `links`: what joins two entities;
//! * `names`, `namesakes`, `lookup`: what a person calls an entity, and where it is looked up;
//! * `values`, `difference`: values in words, old → new;
//! * `text`, `words`: a person's own texts, and ours.
//!
//! It runs on every comparison, so nothing is looked up, walked over or segmented that no sentence needs.

mod difference;
mod groups;
mod links;
mod lookup;
pub(in crate::content) mod names;
mod namesakes;
mod sentence;
mod text;
mod values;
mod words;

use hashbrown::HashMap;

use self::links::count_links;
use self::lookup::Sides;
use self::names::{Names, counted};
use super::edit::{Edit, Place};
use super::store::{ContentIx, ContentStore};

/// What a sentence tells; also the order in which sentences about one collection are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SentenceKind {
    /// It comes.
    Added,
    /// It goes.
    Removed,
    /// Something in it is different.
    Changed,
    /// It is somewhere else on the canvas, and nothing more.
    Moved,
    /// The same entities in another order.
    Reordered,
}

/// What happened to an entity, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The entity; without an id, a value or several entities of the collection.
    pub place: Place,
    /// What happened.
    pub kind: SentenceKind,
    /// The words. No full stop at the end.
    pub text: String,
}

/// Most moves that are told one by one.
const FEW_MOVES: usize = 3;
impl ContentStore {
    /// The sentences for edits that lead from one content to another. Names are looked up in both.
    ///
    /// In the order of the schema's collections, then of [`SentenceKind`], then of the edits.
    pub fn describe(&self, a: ContentIx, b: ContentIx, edits: &[Edit]) -> Vec<Sentence> {
        let mut groups = self.grouped(edits);
        count_links(&mut groups);
        let mut names = Names::of(Sides::of(self, a, b));
        let mut told = Vec::with_capacity(groups.len());
        let mut quiet = Vec::new();
        let mut moves: HashMap<(&str, bool), Vec<usize>> = HashMap::new();
        let tell = |turn: usize, names: &mut Names<'_>| {
            let group = groups.get(turn)?;
            let (kind, text) = names.sentence(group);
            let place = Place { collection: group.collection.into(), id: group.id.into() };
            Some(((group.rank(), kind, turn), Sentence { place, kind, text }))
        };
        for (turn, group) in groups.iter().enumerate().filter(|(_, group)| !group.is_counted) {
            if group.only_moves() {
                moves.entry((group.collection, group.moved)).or_default().push(turn);
            } else if group.is_empty_key() {
                quiet.extend(tell(turn, &mut names));
            } else {
                told.extend(tell(turn, &mut names));
            }
        }
        for ((collection, moved), turns) in moves {
            if turns.len() <= FEW_MOVES {
                told.extend(turns.into_iter().filter_map(|turn| tell(turn, &mut names)));
                continue;
            }
            let verb = if moved { "Moved" } else { "Placed" };
            let text = format!("{verb} {}", counted(turns.len(), collection));
            let place = Place { collection: collection.into(), id: "".into() };
            let first = turns.first().copied().unwrap_or_default();
            let rank = groups.get(first).map_or(u8::MAX, groups::Group::rank);
            let kind = SentenceKind::Moved;
            told.push(((rank, kind, first), Sentence { place, kind, text }));
        }
        // That a list is there, with nothing in it, is worth a sentence only when there is no other.
        let mut told = if told.is_empty() { quiet } else { told };
        told.sort_unstable_by_key(|(order, _)| *order);
        told.into_iter().map(|(_, sentence)| sentence).collect()
    }
}
