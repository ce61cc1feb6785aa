//! What a document consists of, as data.
//!
//! A schema names the collections of a content: where they lie, how their entities are told apart, which fields refer to
//! other entities, where a position is, what a person calls an entity. Everything else at the top level is carried as a
//! value. Two presets; a host may bring its own, which is checked with a sentence for every mistake.

use serde::Deserialize;

/// The collections of a document, in the order in which they are built.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Schema {
    /// The collections. Those that others refer to come first.
    pub collections: Vec<Collection>,
}

/// One collection.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Collection {
    /// Its key in the content.
    pub path: String,
    /// What holds the entities.
    pub kind: Kind,
    /// Of a list: the field that tells its entities apart.
    pub id: Option<String>,
    /// Where the position of an entity is inside of it; `[]` when the entity is a position.
    pub position: Option<Vec<String>>,
    /// Fields that name an entity for a person, the best first.
    #[serde(default)]
    pub label: Vec<String>,
    /// Fields that refer to entities.
    #[serde(default)]
    pub refs: Vec<Ref>,
    /// Fields that every entity has to have.
    #[serde(default)]
    pub required: Vec<String>,
    /// Where it lies in a `Y.Doc`.
    pub doc: Option<Doc>,
}

/// Where a collection lies in a `Y.Doc`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Doc {
    /// The name of the root map.
    pub map: String,
    /// How its values are kept.
    pub layout: Layout,
    /// The key in that map, for a collection that is one value.
    pub at: Option<String>,
    /// Fields that are plain JSON although the rest is shared types; of a list its items are.
    #[serde(default)]
    pub plain: Vec<String>,
    /// The root map in which the positions of the entities are kept once more, by id.
    pub positions: Option<String>,
}

impl Doc {
    fn new(map: &str, layout: Layout) -> Self {
        Doc { map: map.into(), layout, at: None, plain: Vec::new(), positions: None }
    }
}

/// How values are kept in a `Y.Doc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// As shared types: text, arrays and maps that people edit at the same time.
    Nested,
    /// As plain JSON.
    Plain,
}

/// What holds the entities of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A list of objects with an id.
    List,
    /// An object; its keys are the ids.
    Map,
    /// One value, compared field by field.
    Value,
}

/// A reference from an entity to another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ref {
    /// Where the id is; `[]` when the key of the entity is the id.
    pub field: Vec<String>,
    /// The collection that it is an id in.
    pub to: String,
    /// Where on that entity it ends, when it has places to end at.
    pub port: Option<Port>,
}

/// A place on an entity at which a reference ends.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Port {
    /// Where the name of the place is.
    pub field: Vec<String>,
    /// The list of places on the entity that is referred to.
    pub among: String,
    /// The field that names a place.
    pub id: String,
}

/// Why a schema was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct SchemaFault {
    /// Where in the schema, as `collections[2].id`.
    pub path: String,
    /// What is wrong.
    pub reason: String,
}

impl Default for Schema {
    fn default() -> Self {
        Schema::texera()
    }
}

impl Schema {
    /// Apache Texera's workflow content.
    pub fn texera() -> Self {
        let end = |side: &str, ports: &str| Ref {
            field: vec![side.into(), "operatorID".into()],
            to: "operators".into(),
            port: Some(Port {
                field: vec![side.into(), "portID".into()],
                among: ports.into(),
                id: "portID".into(),
            }),
        };
        Schema {
            collections: vec![
                Collection {
                    label: vec!["customDisplayName".into(), "operatorType".into()],
                    doc: Some(Doc::new("operatorIDMap", Layout::Nested)),
                    ..list("operators", "operatorID")
                },
                Collection {
                    position: Some(vec![]),
                    refs: vec![Ref { field: vec![], to: "operators".into(), port: None }],
                    doc: Some(Doc::new("elementPositionMap", Layout::Plain)),
                    ..Collection::new("operatorPositions", Kind::Map)
                },
                Collection {
                    refs: vec![end("source", "outputPorts"), end("target", "inputPorts")],
                    doc: Some(Doc::new("operatorLinkMap", Layout::Plain)),
                    ..list("links", "linkID")
                },
                Collection {
                    position: Some(vec!["commentBoxPosition".into()]),
                    required: vec!["comments".into(), "commentBoxPosition".into()],
                    doc: Some(Doc {
                        plain: vec!["comments".into()],
                        positions: Some("elementPositionMap".into()),
                        ..Doc::new("commentBoxMap", Layout::Nested)
                    }),
                    ..list("commentBoxes", "commentBoxID")
                },
                value("settings", "contentMeta"),
                value("formBinding", "contentMeta"),
            ],
        }
    }

    /// React Flow's nodes and edges.
    pub fn react_flow() -> Self {
        let end = |side: &str| Ref { field: vec![side.into()], to: "nodes".into(), port: None };
        Schema {
            collections: vec![
                Collection {
                    position: Some(vec!["position".into()]),
                    label: vec!["data.label".into(), "type".into()],
                    doc: Some(Doc::new("nodes", Layout::Nested)),
                    ..list("nodes", "id")
                },
                Collection {
                    refs: vec![end("source"), end("target")],
                    doc: Some(Doc::new("edges", Layout::Plain)),
                    ..list("edges", "id")
                },
                Collection::new("viewport", Kind::Value),
            ],
        }
    }

    /// Reads a schema: the name of a preset as a JSON string, or a schema as a JSON object.
    pub fn read(json: &str) -> Result<Self, SchemaFault> {
        let at_root = |reason: String| SchemaFault { path: "schema".into(), reason };
        if let Ok(name) = serde_json::from_str::<String>(json) {
            return match name.as_str() {
                "texera" => Ok(Schema::texera()),
                "react-flow" => Ok(Schema::react_flow()),
                _ => Err(at_root(format!(
                    "there is no preset called `{name}`; there are `texera` and `react-flow`"
                ))),
            };
        }
        let schema: Schema = serde_json::from_str(json).map_err(|error| at_root(error.to_string()))?;
        schema.check()?;
        Ok(schema)
    }

    fn check(&self) -> Result<(), SchemaFault> {
        let fault = |path: String, reason: &str| Err(SchemaFault { path, reason: reason.to_owned() });
        if self.collections.len() > usize::from(u8::MAX) {
            return fault("collections".into(), "there can be at most 255 collections");
        }
        for (at, collection) in self.collections.iter().enumerate() {
            let place = |field: &str| format!("collections[{at}].{field}");
            if let Some(name) = collection.names().find(|name| name.contains('\0')) {
                let reason = format!("the name {name:?} has the character NUL in it");
                return fault(format!("collections[{at}]"), &reason);
            }
            if collection.path.is_empty() {
                return fault(place("path"), "a collection needs a key of its own");
            }
            if self.collections.iter().take(at).any(|other| other.path == collection.path) {
                return fault(place("path"), "two collections cannot lie at the same key");
            }
            match (collection.kind, &collection.id) {
                (Kind::List, None) => {
                    return fault(place("id"), "a list needs the field that tells its entities apart");
                }
                (Kind::Map | Kind::Value, Some(_)) => {
                    return fault(place("id"), "only a list has an id field");
                }
                _ => {}
            }
            for (index, reference) in collection.refs.iter().enumerate() {
                let target = self.collections.iter().take(at).find(|other| other.path == reference.to);
                let place = format!("collections[{at}].refs[{index}].to");
                match target.map(|target| target.kind) {
                    None => return fault(place, "a reference leads to a collection that is listed before"),
                    Some(Kind::Value) => return fault(place, "a value has no entities to refer to"),
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// The collection at a top-level key.
    pub fn at(&self, key: &str) -> Option<(u8, &Collection)> {
        let index = self.collections.iter().position(|collection| collection.path == key)?;
        Some((u8::try_from(index).ok()?, self.collections.get(index)?))
    }

    /// A collection by its number.
    pub fn get(&self, index: u8) -> Option<&Collection> {
        self.collections.get(usize::from(index))
    }
}

impl Collection {
    fn new(path: &str, kind: Kind) -> Self {
        Collection {
            path: path.into(),
            kind,
            id: None,
            position: None,
            label: Vec::new(),
            refs: Vec::new(),
            required: Vec::new(),
            doc: None,
        }
    }

    /// Every name of a key or a field in it.
    fn names(&self) -> impl Iterator<Item = &String> {
        let refs = self.refs.iter().flat_map(|reference| {
            let port =
                reference.port.iter().flat_map(|port| port.field.iter().chain([&port.among, &port.id]));
            reference.field.iter().chain(port)
        });
        let own = [&self.path].into_iter().chain(&self.id).chain(self.position.iter().flatten());
        own.chain(&self.label).chain(&self.required).chain(refs)
    }
}

/// One value, kept as plain JSON in a root map at its own name.
fn value(path: &str, map: &str) -> Collection {
    let doc = Doc { at: Some(path.into()), ..Doc::new(map, Layout::Plain) };
    Collection { doc: Some(doc), ..Collection::new(path, Kind::Value) }
}

fn list(path: &str, id: &str) -> Collection {
    Collection { id: Some(id.into()), ..Collection::new(path, Kind::List) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_schemas() {
        for (name, schema) in [("\"texera\"", Schema::texera()), ("\"react-flow\"", Schema::react_flow())] {
            assert_eq!(Schema::read(name), Ok(schema.clone()));
            assert_eq!(schema.check(), Ok(()));
        }
        assert_eq!(Schema::texera().at("links").map(|(index, c)| (index, c.kind)), Some((2, Kind::List)));
        assert_eq!(Schema::texera().at("nodes"), None);
    }

    #[test]
    fn x2_a_schema_that_makes_no_sense_says_where() {
        for (json, path, word) in [
            ("\"tldraw\"", "schema", "no preset"),
            ("7", "schema", "invalid type"),
            ("{}", "schema", "missing field `collections`"),
            (
                r#"{"collections":[{"path":"a","kind":"list","id":"id","lable":["x"]}]}"#,
                "schema",
                "unknown field `lable`",
            ),
            (
                r#"{"collections":[{"path":"a","kind":"list","id":"id","position":["\u0000"]}]}"#,
                "collections[0]",
                "NUL",
            ),
            (r#"{"collections":[{"path":"a","kind":"tree"}]}"#, "schema", "unknown variant"),
            (r#"{"collections":[{"path":"","kind":"map"}]}"#, "collections[0].path", "key of its own"),
            (
                r#"{"collections":[{"path":"a","kind":"list"}]}"#,
                "collections[0].id",
                "tells its entities apart",
            ),
            (r#"{"collections":[{"path":"a","kind":"map","id":"x"}]}"#, "collections[0].id", "only a list"),
            (
                r#"{"collections":[{"path":"a","kind":"map"},{"path":"a","kind":"value"}]}"#,
                "collections[1].path",
                "same key",
            ),
            (
                r#"{"collections":[{"path":"a","kind":"map","refs":[{"field":[],"to":"b"}]},{"path":"b","kind":"map"}]}"#,
                "collections[0].refs[0].to",
                "listed before",
            ),
            (
                r#"{"collections":[{"path":"a","kind":"value"},{"path":"b","kind":"map","refs":[{"field":[],"to":"a"}]}]}"#,
                "collections[1].refs[0].to",
                "no entities",
            ),
        ] {
            let fault = Schema::read(json).unwrap_err();
            assert_eq!(fault.path, path, "{json}");
            assert!(fault.reason.contains(word), "{json}: {}", fault.reason);
        }
    }
}
