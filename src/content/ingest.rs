//! Taking a content in: one walk over its text, with what is known in hand.
//!
//! The walk expects the entities of a `near` content, one after the other. As long as the text says the same, an entity
//! costs a comparison; where it differs, that one entity is scanned and kept, and the walk finds its place again by the
//! entity's id. No tree of values is built, nothing recurses.

use hashbrown::HashMap;

use super::atom::{Atom, AtomIx, EntityId, NO_COLLECTION, Role, begins_with_all};
use super::json::{JsonFault, name_of};
use super::scan::{ScanFault, Scanner};
use super::schema::Kind;
use super::sequence::SequenceIx;
use super::store::{ContentIx, ContentStore, Part};

impl ContentStore {
    /// Keeps a text that has to be one JSON object. `near` is a content that it is likely to resemble.
    pub fn take_in(&mut self, text: &str, near: Option<ContentIx>) -> Result<ContentIx, JsonFault> {
        let mut scanner = Scanner::new(text);
        let content = self.read(&mut scanner, near);
        let whole = content.and_then(|content| scanner.end().map(|()| content));
        whole.map_err(|fault| fault.within(text))
    }

    /// Walks over the object at the scanner's position and keeps it. `near` is a content that it is likely to resemble.
    pub fn read(
        &mut self,
        scanner: &mut Scanner<'_>,
        near: Option<ContentIx>,
    ) -> Result<ContentIx, ScanFault> {
        let near = near.and_then(|near| self.parts(near)).map_or(Vec::new(), <[Part]>::to_vec);
        scanner.peek();
        let start = scanner.at();
        if !scanner.eat(b'{') {
            return Err(scanner.expected("an object was expected"));
        }
        let mut parts = Vec::with_capacity(near.len());
        let mut is_open = !scanner.eat(b'}');
        while is_open {
            let part = match near.get(parts.len()) {
                Some(Part::Plain(atom)) if self.comes_next(scanner, *atom, b'}') => Part::Plain(*atom),
                Some(Part::Collection { open, items, .. }) if self.opens_next(scanner, *open) => {
                    self.read_expected(scanner, *open, *items)?
                }
                _ => self.read_member(scanner, &near, parts.len())?,
            };
            parts.push(part);
            if scanner.eat(b'}') {
                is_open = false;
            } else if !scanner.eat(b',') {
                return Err(scanner.expected("`,` or `}` was expected"));
            }
        }
        let length = scanner.since(start).len();
        Ok(self.keep(parts, length))
    }

    /// A member at the top level, up to the comma or brace behind it. `place` counts those before it.
    fn read_member(
        &mut self,
        scanner: &mut Scanner<'_>,
        near: &[Part],
        place: usize,
    ) -> Result<Part, ScanFault> {
        let start = scanner.at();
        if place == 0 && scanner.peek() == Some(b'}') {
            // `{ }`: the white space is a member without a key, so that it is not lost.
            return Ok(self.plain(scanner, start, None));
        }
        let key = name_of(scanner.key()?);
        let collection = self.schema.at(&key).map(|(index, _)| self.container(index));
        let is_open = |container: &Container| scanner.peek() == Some(container.open);
        let has_entities = |index: u8| self.schema.get(index).is_some_and(|c| c.kind != Kind::Value);
        let collection = collection.filter(|container| has_entities(container.index)).filter(is_open);
        let Some(container) = collection else {
            scanner.value()?;
            scanner.peek();
            return Ok(self.plain(scanner, start, near.get(place)));
        };
        self.read_collection(scanner, start, &container, near)
    }

    /// Whether a collection of some items begins next, letter by letter; walks over its first edge if so.
    fn opens_next(&self, scanner: &mut Scanner<'_>, open: AtomIx) -> bool {
        let text = self.atoms.text(open);
        let is_next = text.ends_with(['[', '{']) && begins_with(scanner.rest(), &text);
        if is_next {
            scanner.advance(text.len());
        }
        is_next
    }

    /// The rest of a collection that begins as expected.
    fn read_expected(
        &mut self,
        scanner: &mut Scanner<'_>,
        open: AtomIx,
        near: SequenceIx,
    ) -> Result<Part, ScanFault> {
        let index = self.atoms.get(open).map_or(NO_COLLECTION, |open| open.collection);
        let container = self.container(index);
        let inside = scanner.at();
        if scanner.peek() == Some(container.close) {
            // Nothing is in it, where something was: its first edge is another one.
            scanner.rewind(inside - self.atoms.length(open));
            return self.read_member(scanner, &[], usize::MAX);
        }
        scanner.rewind(inside);
        let items = self.read_items(scanner, &container, Some(near))?;
        Ok(Part::Collection { open, items, close: self.read_close(scanner, &container) })
    }

    fn container(&self, index: u8) -> Container {
        let collection = self.schema.get(index);
        let id_field = collection.and_then(|collection| collection.id.clone());
        let is_map = collection.is_some_and(|collection| collection.kind == Kind::Map);
        let (open, close) = if is_map { (b'{', b'}') } else { (b'[', b']') };
        Container { index, open, close, id_field }
    }

    /// The last edge of a collection, up to the comma or brace behind it.
    fn read_close(&mut self, scanner: &mut Scanner<'_>, container: &Container) -> AtomIx {
        let start = scanner.at();
        scanner.eat(container.close);
        scanner.peek();
        self.atoms.keep(container.index, Role::Edge, scanner.since(start), None, None)
    }

    /// A member that is no collection. `near` is what stands at its place in a content that it is likely to resemble.
    fn plain(&mut self, scanner: &Scanner<'_>, start: usize, near: Option<&Part>) -> Part {
        let near = near.and_then(|near| match *near {
            Part::Plain(atom) => Some(atom),
            Part::Collection { .. } => None,
        });
        Part::Plain(self.atoms.keep(NO_COLLECTION, Role::Member, scanner.since(start), None, near))
    }

    /// A collection, from its bracket to the comma or brace behind it. `start` is where its member began.
    fn read_collection(
        &mut self,
        scanner: &mut Scanner<'_>,
        start: usize,
        container: &Container,
        near: &[Part],
    ) -> Result<Part, ScanFault> {
        scanner.eat(container.open);
        let inside = scanner.at();
        // White space between nothing but brackets belongs to the first edge.
        let is_empty = scanner.peek() == Some(container.close);
        if !is_empty {
            scanner.rewind(inside);
        }
        let open = self.atoms.keep(container.index, Role::Edge, scanner.since(start), None, None);
        let items = if is_empty {
            self.sequences.build(&[], &self.atoms)
        } else {
            let near_items = near.iter().find_map(|part| match *part {
                Part::Collection { open, items, .. } => {
                    let edge = self.atoms.get(open)?;
                    (edge.collection == container.index).then_some(items)
                }
                Part::Plain(_) => None,
            });
            self.read_items(scanner, container, near_items)?
        };
        let close = self.read_close(scanner, container);
        Ok(Part::Collection { open, items, close })
    }

    /// The entities of a collection, up to the bracket behind them.
    fn read_items(
        &mut self,
        scanner: &mut Scanner<'_>,
        container: &Container,
        near: Option<SequenceIx>,
    ) -> Result<SequenceIx, ScanFault> {
        let expected: Vec<AtomIx> = near.map_or(Vec::new(), |near| self.sequences.atoms(near).collect());
        let mut walk = Expected { atoms: expected, at: 0, places: None };
        let mut items: Vec<AtomIx> = Vec::with_capacity(walk.atoms.len());
        let mut as_expected = true;
        loop {
            match walk.next().filter(|atom| self.comes_next(scanner, *atom, container.close)) {
                Some(atom) => {
                    walk.at += 1;
                    items.push(atom);
                }
                None => {
                    as_expected = false;
                    let atom = self.read_item(scanner, container, walk.next())?;
                    let id = self.atoms.get(atom).and_then(|atom| atom.id);
                    walk.find_place(id, |atom| self.atoms.get(atom).and_then(|atom| atom.id));
                    items.push(atom);
                }
            }
            if scanner.eat(b',') {
                continue;
            }
            if scanner.peek() == Some(container.close) {
                break;
            }
            return Err(scanner.expected("`,` or the end of the collection was expected"));
        }
        match near {
            Some(near) if as_expected && walk.at == walk.atoms.len() => Ok(near),
            _ => Ok(self.sequences.build(&items, &self.atoms)),
        }
    }

    /// An entity that was not expected, with the white space around it.
    fn read_item(
        &mut self,
        scanner: &mut Scanner<'_>,
        container: &Container,
        near: Option<AtomIx>,
    ) -> Result<AtomIx, ScanFault> {
        let start = scanner.at();
        let role = if container.open == b'[' { Role::Item } else { Role::Member };
        if role == Role::Member {
            scanner.key()?;
        }
        scanner.value()?;
        scanner.peek();
        Ok(self.atoms.keep(container.index, role, scanner.since(start), container.id_field.as_deref(), near))
    }

    /// Whether an atom is what comes next, up to the comma or bracket behind it; walks over it if so.
    fn comes_next(&self, scanner: &mut Scanner<'_>, atom: AtomIx, close: u8) -> bool {
        let (rest, pieces) = (scanner.rest(), self.atoms.pieces(atom));
        let length = pieces.iter().map(|piece| piece.len()).sum();
        let ends = rest.as_bytes().get(length).is_some_and(|byte| *byte == b',' || *byte == close);
        // White space alone is a member of nothing else than empty braces.
        let has_value = self.atoms.get(atom).is_some_and(Atom::has_value);
        let is_next = ends && has_value && begins_with_all(rest, pieces);
        if is_next {
            scanner.advance(length);
        }
        is_next
    }
}

/// A collection that is being read.
struct Container {
    index: u8,
    open: u8,
    close: u8,
    id_field: Option<String>,
}

/// The entities of the near content, and which of them should come next.
struct Expected {
    atoms: Vec<AtomIx>,
    at: usize,
    /// Where each id is; made when the walk first loses its place.
    places: Option<HashMap<EntityId, usize>>,
}

impl Expected {
    fn next(&self) -> Option<AtomIx> {
        self.atoms.get(self.at).copied()
    }

    /// An entity of that id came instead of the next one. Behind it the near content goes on; one that is new is passed.
    fn find_place(&mut self, id: Option<EntityId>, id_of: impl Fn(AtomIx) -> Option<EntityId>) {
        let Some(id) = id else { return };
        if self.next().is_some_and(|next| id_of(next) == Some(id)) {
            self.at += 1;
            return;
        }
        let places = self.places.get_or_insert_with(|| {
            let indexed = self.atoms.iter().enumerate();
            indexed.filter_map(|(at, atom)| Some((id_of(*atom)?, at))).collect()
        });
        if let Some(place) = places.get(&id) {
            self.at = place + 1;
        }
    }
}

/// Whether a text begins with another. In words, because the comparison of the standard library goes byte by byte in
/// WebAssembly.
pub fn begins_with(text: &str, start: &str) -> bool {
    let start = start.as_bytes();
    let Some(text) = text.as_bytes().get(..start.len()) else { return false };
    let ((a, a_rest), (b, b_rest)) = (text.as_chunks::<8>(), start.as_chunks::<8>());
    let differ = |a: &[u8; 8], b: &[u8; 8]| u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
    let ((a, a_words), (b, b_words)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    // No early exit inside 64 bytes, so that it compiles to a few vector instructions.
    a.iter().zip(b).all(|(a, b)| a.iter().zip(b).fold(0, |differs, (a, b)| differs | differ(a, b)) == 0)
        && a_words.iter().zip(b_words).all(|(a, b)| differ(a, b) == 0)
        && a_rest == b_rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_with_is_what_it_says() {
        let text: String = ('a'..='z').cycle().take(300).collect();
        for length in [0, 1, 7, 8, 9, 63, 64, 65, 71, 72, 128, 200, 300] {
            let start = &text[..length];
            assert!(begins_with(&text, start));
            for at in 0..length {
                let mut other = start.to_owned();
                other.replace_range(at..=at, "_");
                assert!(!begins_with(&text, &other), "{length} bytes, another one at {at}");
            }
        }
        assert!(!begins_with("abc", "abcd"));
    }
}
