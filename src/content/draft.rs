//! A content while edits are applied to it, one after the other.
//!
//! Nothing of the store changes, so a list that does not fit leaves no trace (P5). What no edit reaches stays a handle. A
//! collection becomes its entities, found by id and by place; an entity that changes becomes a [`Value`], so all edits of it
//! together cost one walk over it. What an edit says was there is compared with what is there, and either the edit is refused
//! or that is gone afterwards: no text is compared twice.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::apply::{Fit, Misfit, Work};
use super::edit::{Edit, PathStep, Place, Point};
use super::group::{Group, is_there, json, same};
use super::json::Json;
use super::splice::{Change, Value};
use super::store::{ContentIx, ContentStore, Part};

/// A content in the making.
pub(super) struct Draft<'a> {
    store: &'a ContentStore,
    /// In order; those that went leave a gap.
    members: Vec<Option<Member<'a>>>,
    by_key: HashMap<&'a str, usize>,
}

struct Member<'a> {
    key: &'a str,
    state: State<'a>,
}

/// What lies at a key of the top level.
enum State<'a> {
    Untouched(Part),
    Value(Value<'a>),
    Entities(Group<'a>),
}

impl<'a> Draft<'a> {
    /// A content as it is.
    pub fn of(store: &'a ContentStore, content: ContentIx) -> Self {
        let mut draft = Draft { store, members: Vec::new(), by_key: HashMap::new() };
        for part in store.parts(content).unwrap_or(&[]) {
            let (Part::Plain(atom) | Part::Collection { open: atom, .. }) = *part;
            // White space between nothing but braces has no key and nothing to keep it for.
            let Some(id) = store.atoms.get(atom).and_then(|atom| atom.id) else { continue };
            let (key, state) = (store.atoms.id_text(id), State::Untouched(*part));
            match draft.by_key.get(key).and_then(|at| draft.members.get_mut(*at)) {
                // Of a repeated key the last counts.
                Some(member) => *member = Some(Member { key, state }),
                None => draft.push(key, state),
            }
        }
        draft
    }

    fn push(&mut self, key: &'a str, state: State<'a>) {
        self.by_key.insert(key, self.members.len());
        self.members.push(Some(Member { key, state }));
    }

    /// What lies at the top level now, in order.
    pub fn done(self) -> Vec<(Box<str>, Work)> {
        let members = self.members.into_iter().flatten();
        members.map(|member| (member.key.into(), member.state.done())).collect()
    }

    /// One edit. When it does not fit, the draft is worth nothing any more.
    pub fn apply(&mut self, edit: &'a Edit) -> Fit<()> {
        let key = edit.collection();
        match edit {
            Edit::Set { place, path, from: None, to } if place.id.is_empty() && path.is_empty() => {
                if self.by_key.contains_key(key) {
                    return Err(Misfit::KeyThere);
                }
                self.push(key, State::Value(Value::of(Cow::Borrowed(json(to)?.text()))));
                return Ok(());
            }
            Edit::Unset { place, path, from } if place.id.is_empty() && path.is_empty() => {
                let at = self.by_key.remove(key).ok_or(Misfit::NoKey)?;
                let member = self.members.get_mut(at).and_then(Option::take).ok_or(Misfit::NoKey)?;
                return is_there(member.state.says(self.store, from));
            }
            _ => {}
        }
        let at = self.by_key.get(key).copied();
        let member = at.and_then(|at| self.members.get_mut(at)?.as_mut()).ok_or(Misfit::NoKey)?;
        match edit {
            Edit::Add { place, at, value } => member.group(self.store)?.add(&place.id, *at, value),
            Edit::Remove { place, at, value } => {
                member.group(self.store)?.remove(self.store, &place.id, *at, value)
            }
            Edit::Set { place, path, from, to } => {
                member.change(self.store, place, path, from.as_deref(), Some(json(to)?))
            }
            Edit::Unset { place, path, from } => member.change(self.store, place, path, Some(from), None),
            Edit::Move { place, from, to } => member.shift(self.store, place, from, to),
            Edit::Order { from, to, .. } => member.group(self.store)?.arrange(from, to),
        }
    }
}

impl<'a> State<'a> {
    fn says(self, store: &'a ContentStore, text: &str) -> bool {
        match self {
            State::Untouched(part) => same(&store.part_value(part), text),
            State::Value(value) => same(&value.text(), text),
            State::Entities(group) => same(&group.text(store), text),
        }
    }

    fn done(self) -> Work {
        match self {
            State::Untouched(part) => Work::Untouched(part),
            State::Value(value) => Work::Value(value.text()),
            State::Entities(group) => group.done(),
        }
    }
}

impl<'a> Member<'a> {
    /// The entities, taken apart if they were not yet.
    fn group(&mut self, store: &'a ContentStore) -> Fit<&mut Group<'a>> {
        let taken = match &self.state {
            State::Entities(_) => None,
            State::Untouched(part) => Some(Group::of(store, *part)?),
            // A key that came while edits are applied, and is empty still.
            State::Value(value) => Some(Group::empty(store, self.key, value)?),
        };
        if let Some(taken) = taken {
            self.state = State::Entities(taken);
        }
        match &mut self.state {
            State::Entities(group) => Ok(group),
            State::Untouched(_) | State::Value(_) => Err(Misfit::NoEntities),
        }
    }

    /// The value that an edit reaches into.
    fn value(&mut self, store: &'a ContentStore, place: &Place) -> Fit<&mut Value<'a>> {
        if !place.id.is_empty() {
            return self.group(store)?.value(store, &place.id);
        }
        if let State::Untouched(part) = self.state {
            self.state = State::Value(Value::of(Cow::Owned(store.part_value(part))));
        }
        match &mut self.state {
            State::Value(value) => Ok(value),
            State::Untouched(_) | State::Entities(_) => Err(Misfit::EntityByEntity),
        }
    }

    fn change(
        &mut self,
        store: &'a ContentStore,
        place: &Place,
        path: &[PathStep],
        from: Option<&str>,
        to: Option<Json<'a>>,
    ) -> Fit<()> {
        if !place.id.is_empty() && !self.group(store)?.keeps_id(&place.id, path, to) {
            return Err(Misfit::OtherId);
        }
        let value = self.value(store, place)?;
        let change = match (from, to) {
            (_, None) => Change::Remove,
            (Some(_), Some(to)) => Change::Replace(to.text()),
            (None, Some(to)) => Change::Insert(to.text()),
        };
        if let Some(from) = from {
            let from = json(from).map_err(|_| Misfit::NotWhatIsThere)?;
            is_there(value.says(path, from).ok_or(Misfit::Nowhere)?)?;
        }
        value.change(path, change).then_some(()).ok_or(Misfit::Nowhere)
    }

    /// To another position.
    fn shift(&mut self, store: &'a ContentStore, place: &Place, from: &Point, to: &Point) -> Fit<()> {
        let group = self.group(store)?;
        let path = group.collection.position.as_deref().ok_or(Misfit::NothingMoves)?;
        let path: Vec<PathStep> = path.iter().map(|key| PathStep::Key(key.as_str().into())).collect();
        let value = group.value(store, &place.id)?;
        let from = point(from).ok_or(Misfit::NotWhatIsThere)?;
        is_there(value.says(&path, Json::scanned(&from)).ok_or(Misfit::Nowhere)?)?;
        value.replace(&path, Cow::Owned(point(to).ok_or(Misfit::NoPoint)?));
        Ok(())
    }
}

/// A position as text; `None` when it is not made of two numbers.
fn point(Point { x, y }: &Point) -> Option<String> {
    let is_number = |text: &str| {
        text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) && json(text).is_ok()
    };
    (is_number(x) && is_number(y)).then(|| format!(r#"{{"x":{x},"y":{y}}}"#))
}
