//! Where each collection of a schema lies in a `Y.Doc`.

use std::sync::Arc;

use super::shape::Types;
use crate::content::Schema;
use crate::content::schema::{Collection, Doc, Kind, Layout};

/// Where one collection lies.
#[derive(Clone, Debug)]
pub struct Shelf {
    /// Its key in a content.
    pub collection: Arc<str>,
    /// What holds its entities there.
    pub kind: Kind,
    /// Of a list: the field that tells its entities apart.
    pub id: Option<Arc<str>>,
    /// The root map, by its number.
    pub root: usize,
    /// The key in that map, when the collection is one value.
    pub at: Option<Arc<str>>,
    /// Whether its values are shared types.
    pub is_nested: bool,
    /// Fields of those that are plain all the same.
    pub plain: Vec<Arc<str>>,
    /// Where the position of an entity is inside of it.
    pub position: Option<Vec<Arc<str>>>,
    /// The root map that has the positions once more.
    pub positions: Option<usize>,
    /// How the document has shared types.
    pub types: Types,
}

/// The root maps of a document, and what lies where.
#[derive(Clone, Debug, Default)]
pub struct Shelves {
    /// The names of the root maps, each once.
    pub roots: Vec<Arc<str>>,
    /// The collections, in the order of the schema. One that does not lie in the document is not among them.
    pub all: Vec<Shelf>,
}

impl Shelves {
    /// Reads a schema.
    pub fn of(schema: &Schema, types: Types) -> Self {
        let mut shelves = Shelves::default();
        for collection in &schema.collections {
            if let Some(doc) = &collection.doc {
                let shelf = shelves.shelf(collection, doc, types);
                shelves.all.push(shelf);
            }
        }
        shelves
    }

    fn shelf(&mut self, collection: &Collection, doc: &Doc, types: Types) -> Shelf {
        let boxed = |names: &[String]| names.iter().map(|name| name.as_str().into()).collect::<Vec<_>>();
        let is_value = collection.kind == Kind::Value;
        Shelf {
            collection: collection.path.as_str().into(),
            kind: collection.kind,
            id: collection.id.as_deref().map(Into::into),
            root: self.root(&doc.map),
            at: is_value.then(|| doc.at.as_deref().unwrap_or(&collection.path).into()),
            is_nested: doc.layout == Layout::Nested,
            plain: boxed(&doc.plain),
            position: collection.position.as_deref().map(boxed),
            positions: doc.positions.as_deref().map(|map| self.root(map)),
            types,
        }
    }

    fn root(&mut self, name: &str) -> usize {
        self.roots.iter().position(|known| **known == *name).unwrap_or_else(|| {
            self.roots.push(name.into());
            self.roots.len() - 1
        })
    }

    /// The shelf of a collection; `None` when it does not lie in the document.
    pub fn of_collection(&self, collection: &str) -> Option<&Shelf> {
        self.all.iter().find(|shelf| *shelf.collection == *collection)
    }

    /// The shelves whose entities have their positions once more in a root map.
    pub fn placed_in(&self, root: usize) -> impl Iterator<Item = &Shelf> {
        self.all.iter().filter(move |shelf| shelf.positions == Some(root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_lie_where_their_editors_keep_them() {
        let shelves = Shelves::of(&Schema::texera(), Types::Apart);
        let names: Vec<&str> = shelves.roots.iter().map(|name| &**name).collect();
        assert_eq!(
            names,
            ["operatorIDMap", "elementPositionMap", "operatorLinkMap", "commentBoxMap", "contentMeta"]
        );
        let boxes = shelves.of_collection("commentBoxes").unwrap();
        assert_eq!((boxes.root, boxes.positions, boxes.is_nested), (3, Some(1), true));
        assert_eq!(shelves.of_collection("settings").unwrap().at.as_deref(), Some("settings"));
        assert_eq!(shelves.placed_in(1).count(), 1);
        let flow = Shelves::of(&Schema::react_flow(), Types::Apart);
        assert_eq!(flow.all.len(), 2, "the viewport is everybody's own (P11)");
    }
}
