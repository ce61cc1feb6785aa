//! Twins: one thing that several engines have said at once, of which one goes (P8).
//!
//! Every client hears the same head change, and each engine replays it before it has the others' update. Where both put the same
//! between the same two neighbours of a text or a list, it is there twice. So what the own replays put into texts and lists is
//! remembered for a while, and what comes from others is looked through for the same.
//!
//! What others put in is a **twin** of a run of ours when it says the same (a text: begins with it) and was put into the
//! same place. A **place** is the two neighbours at the time of writing, which never change; neighbours that are twins are the same
//! neighbour. Who had seen our run would stand beside it, not at its place, so twins have not seen each other. What was put in the
//! place of something, which went in the same moment, is put before it; then that neighbour is the place, and on the other side may
//! be what has gone long ago and somebody else has never heard of.
//!
//! Of twins the one of the lowest client stays. That follows from what never changes, so all engines decide alike, in
//! whatever order they hear of what; and since only the higher one of two goes, the lowest is always left. Two exceptions, both about what
//! is gone:
//! * what stands was taken away by a later replay of ours, or by the person in front of us: then what comes late goes, too;
//! * what comes is gone already: then ours stays until its own engine, or ours, takes it away.
//!
//! Invariants: nothing is taken away but what is a twin; one client has at most one run in each family of twins, so that who says
//! a thing twice is left both. Bounded: [`MOST_RUNS`], [`MOST_UNITS`], [`MOST_AT_PLACE`]; what is forgotten is nobody's twin any more.

mod heard;

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use yrs::block::ClientID;
use yrs::{IdSet, TransactionMut};

use self::heard::{Heard, HeardSaid, Place, What, has, newcomers, shared};
use super::Author;
use super::update_check::{Id, runs};

/// So many runs are remembered; of more, the older half is forgotten.
const MOST_RUNS: usize = 1_024;
/// They are so long together, in characters and items. What is longer by itself is not remembered.
const MOST_UNITS: usize = 1 << 20;
/// So many runs at one place are looked at.
const MOST_AT_PLACE: usize = 8;
/// A twin may be known by its neighbours only, and those be told later in the same update: so often it is gone through.
const PASSES: usize = 4;

/// What was put in, and how much of it goes.
pub type Stretch = (Id, u64);

/// What is remembered.
pub struct Twins {
    own: u64,
    families: Vec<Family>,
    /// The families at a place, the oldest first.
    at: HashMap<Place, Vec<usize>>,
    /// The families that took the place of something, or came before what a replay of ours put there, by the first of that.
    instead_of: HashMap<Id, Vec<usize>>,
    /// Our runs: by first clock, how long.
    ours: BTreeMap<u64, u64>,
    /// What twins of others stand for: by client and first clock, how long and which of ours.
    stand_ins: HashMap<u64, BTreeMap<u64, (u64, Id)>>,
    /// Whose run stands in some family.
    standing: HashSet<u64>,
    units: usize,
    /// What goes before a replay: twins that are all somebody else's, who will take them away themselves.
    going_later: Vec<Stretch>,
}

/// A run and its twins.
struct Family {
    place: Place,
    first: Id,
    what: What,
    /// Whether one of them is ours.
    is_ours: bool,
    /// Whether what it was put before went in the same moment.
    is_instead: bool,
    /// What of the one that stands is gone, character by character.
    fate: Vec<Fate>,
    /// Whose is the one that stands, which is the lowest.
    stands: Id,
    /// Who has said it.
    clients: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    There,
    /// Somebody took it away: as something that they did not want, or as a twin.
    Lost,
    /// A later replay of ours, or the person in front of us, took it away.
    Unwanted,
}

impl Twins {
    /// Nothing is remembered. `own` is our client.
    pub fn of(own: u64) -> Self {
        Twins {
            own,
            families: Vec::new(),
            at: HashMap::new(),
            instead_of: HashMap::new(),
            ours: BTreeMap::new(),
            stand_ins: HashMap::new(),
            standing: HashSet::new(),
            units: 0,
            going_later: Vec::new(),
        }
    }

    /// A replay of ours was written: this is its update, and `transaction` has it.
    pub fn remember(&mut self, update: &[u8], transaction: &TransactionMut<'_>) {
        self.take_note(transaction.delete_set(), Fate::Unwanted, true);
        // What is not there is not what the replay wants there.
        for fate in self.families.iter_mut().flat_map(|family| &mut family.fate) {
            if *fate == Fate::Lost {
                *fate = Fate::Unwanted;
            }
        }
        let mut made = Vec::new();
        if runs(update, &mut newcomers(transaction, |run| made.push(Heard::of(&run)))).is_ok() {
            let own = self.own;
            for run in made.into_iter().filter(|run| run.id.client == own) {
                self.remember_run(run, transaction);
            }
            self.forget_some();
        }
    }

    fn remember_run(&mut self, mut rest: Heard<'_>, transaction: &TransactionMut<'_>) {
        loop {
            let Some((what, length)) = rest.first(transaction) else { return };
            let is_gone = |offset: usize| has(transaction.delete_set(), rest.id.plus(offset as u64));
            if length <= MOST_UNITS / 2 && !(0..length).all(is_gone) {
                let fate = |offset| if is_gone(offset) { Fate::Lost } else { Fate::There };
                let family = Family {
                    place: rest.place,
                    first: rest.id,
                    what,
                    is_ours: rest.id.client == self.own,
                    is_instead: rest.place.right.is_some_and(|right| has(transaction.delete_set(), right)),
                    fate: (0..length).map(fate).collect(),
                    stands: rest.id,
                    clients: vec![rest.id.client],
                };
                self.units += length;
                if family.is_ours {
                    self.ours.insert(rest.id.clock, length as u64);
                }
                self.standing.insert(rest.id.client);
                self.families.push(family);
                self.find_again(self.families.len() - 1);
            }
            match rest.after(length as u64) {
                Some(left) => rest = left,
                None => return,
            }
        }
    }

    /// Notes where a family is.
    fn find_again(&mut self, at: usize) {
        let Some(family) = self.families.get(at) else { return };
        let place = self.known_as(family.place);
        let is_recent = |right: &Id| {
            let found = self.ours.range(..=right.clock).next_back();
            right.client == self.own && found.is_some_and(|(begin, length)| right.clock - begin < *length)
        };
        if let Some(right) = place.right.filter(|right| family.is_instead || is_recent(right)) {
            self.instead_of.entry(right).or_default().push(at);
        }
        self.at.entry(place).or_default().push(at);
    }

    /// An update of somebody else's was taken in, and is in `transaction`. Gives what has to go.
    pub fn hear(&mut self, update: &[u8], transaction: &TransactionMut<'_>, author: Author) -> Vec<Stretch> {
        let mut unheard: Vec<Heard<'_>> = Vec::new();
        let checked = runs(
            update,
            &mut newcomers(transaction, |run| {
                if run.id.client != self.own && !unheard.last_mut().is_some_and(|last| last.goes_on_in(&run))
                {
                    unheard.push(Heard::of(&run));
                }
            }),
        );
        let mut going = Vec::new();
        if checked.is_ok() {
            for _ in 0..PASSES {
                let mut is_news = false;
                let mut left = Vec::new();
                for heard in unheard {
                    left.extend(self.compare(heard, transaction, &mut is_news, &mut going));
                }
                unheard = left;
                if !is_news || unheard.is_empty() {
                    break;
                }
            }
        }
        let fate = if author == Author::Here { Fate::Unwanted } else { Fate::Lost };
        self.take_note(transaction.delete_set(), fate, false);
        if checked.is_ok() {
            let skipped = unheard.len().saturating_sub(MOST_RUNS);
            for run in unheard.into_iter().skip(skipped) {
                self.remember_run(run, transaction);
            }
            self.forget_some();
        }
        going
    }

    /// A replay is about to begin. Gives what has to go before.
    pub fn before_replay(&mut self) -> Vec<Stretch> {
        std::mem::take(&mut self.going_later)
    }

    /// Finds what of a run is a twin. Gives the rest.
    fn compare<'a>(
        &mut self,
        mut heard: Heard<'a>,
        transaction: &TransactionMut<'_>,
        is_news: &mut bool,
        going: &mut Vec<Stretch>,
    ) -> Option<Heard<'a>> {
        loop {
            let Some(at) = self.family_of(&heard, transaction) else { return Some(heard) };
            let length = self.join(at, &heard, transaction.delete_set(), going);
            *is_news = true;
            heard = heard.after(length)?;
        }
    }

    /// The family that a run belongs to: one at exactly its place before one that is there by its twins, and one that is still
    /// wanted before one that is not.
    fn family_of(&self, heard: &Heard<'_>, transaction: &TransactionMut<'_>) -> Option<usize> {
        let place = self.known_as(heard.place);
        let at = self.at.get(&place).into_iter();
        let instead = place.right.and_then(|right| self.instead_of.get(&right)).into_iter();
        let newest = |all: &'_ Vec<usize>| all.iter().rev().take(MOST_AT_PLACE).copied().collect::<Vec<_>>();
        let mut first = None;
        let fits = at.chain(instead).flat_map(newest).filter(|at| {
            let Some(family) = self.families.get(*at) else { return false };
            if family.clients.contains(&heard.id.client) || place.left.is_some_and(|left| family.has(left)) {
                return false;
            }
            if let HeardSaid::Deleted(length) = heard.said {
                return family.fate.len() as u64 <= length;
            }
            if let (HeardSaid::Text(text), What::Text(own)) = (&heard.said, &family.what) {
                return text.starts_with(&**own);
            }
            let first = first.get_or_insert_with(|| heard.first(transaction));
            match (&family.what, first) {
                (What::Value(own), Some((What::Value(there), _))) => own.same(there),
                (What::Shared(own), Some((What::Shared(there), _))) => {
                    // What both have changed since in the same way is the same, too.
                    own.same(there) || shared(family.first, transaction).is_some_and(|own| own.same(there))
                }
                _ => false,
            }
        });
        fits.min_by_key(|at| {
            let Some(family) = self.families.get(*at) else { return (true, true, true, *at) };
            let is_there = family.place == heard.place;
            (!is_there, self.known_as(family.place) != place, family.is_unwanted(), *at)
        })
    }

    /// A twin comes into a family: one of them goes. Gives how long it is.
    fn join(&mut self, at: usize, heard: &Heard<'_>, deleted: &IdSet, going: &mut Vec<Stretch>) -> u64 {
        let Some(family) = self.families.get_mut(at) else { return 0 };
        let id = heard.id;
        let length = family.fate.len() as u64;
        family.clients.push(id.client);
        self.stand_ins.entry(id.client).or_default().insert(id.clock, (length, family.first));
        // Of what is not ours somebody else takes care.
        let going = if family.is_ours || family.is_unwanted() { going } else { &mut self.going_later };
        let is_gone = |offset: usize| has(deleted, id.plus(offset as u64));
        if matches!(heard.said, HeardSaid::Deleted(_)) || (0..family.fate.len()).all(is_gone) {
            return length;
        }
        if id.client > family.stands.client || family.is_unwanted() {
            going.push((id, length));
            return length;
        }
        going.push((family.stands, length));
        for (offset, fate) in family.fate.iter_mut().enumerate() {
            match fate {
                Fate::Unwanted => going.push((id.plus(offset as u64), 1)),
                _ if is_gone(offset) => *fate = Fate::Lost,
                _ => *fate = Fate::There,
            }
        }
        family.stands = id;
        self.standing.insert(id.client);
        length
    }

    /// Something was deleted: what of it stands in a family?
    fn take_note(&mut self, deleted: &IdSet, new: Fate, is_replay: bool) {
        if !deleted.client_ids().any(|client| self.standing.contains(&client.get())) {
            return;
        }
        for family in &mut self.families {
            let Some(ranges) = deleted.get(&ClientID::new(family.stands.client)) else { continue };
            // Of what is nobody's here nobody here decides.
            let new = if family.is_ours || is_replay { new } else { Fate::Lost };
            for (clock, fate) in (family.stands.clock..).zip(&mut family.fate) {
                if u32::try_from(clock).is_ok_and(|clock| ranges.contains_clock(clock)) {
                    *fate = new.max(*fate);
                }
            }
        }
    }

    /// A place by what its neighbours stand for.
    fn known_as(&self, Place { left, right, parent }: Place) -> Place {
        let own = |id: Option<Id>| id.map(|id| self.stands_for(id));
        // What lies in a twin is not in the same text or list as what lies in the other one.
        Place { left: own(left), right: own(right), parent }
    }

    fn stands_for(&self, id: Id) -> Id {
        let found = self.stand_ins.get(&id.client).and_then(|of| of.range(..=id.clock).next_back());
        match found {
            Some((begin, (length, own))) if id.clock - begin < *length => own.plus(id.clock - begin),
            _ => id,
        }
    }

    fn forget_some(&mut self) {
        while self.families.len() > MOST_RUNS || self.units > MOST_UNITS {
            let before = self.families.len();
            // What somebody types is most of it.
            let (mut at, half) = (0, before.div_ceil(2));
            self.families.retain(|family| {
                at += 1;
                at > half || family.is_ours || family.clients.len() > 1
            });
            if self.families.len() == before {
                self.families.drain(..half);
            }
            self.units = self.families.iter().map(|family| family.fate.len()).sum();
            let is_left: HashSet<Id> = self.families.iter().map(|family| family.first).collect();
            for of in self.stand_ins.values_mut() {
                of.retain(|_, (_, own)| is_left.contains(own));
            }
            self.stand_ins.retain(|_, of| !of.is_empty());
            self.standing = self.families.iter().map(|family| family.stands.client).collect();
            self.at.clear();
            self.instead_of.clear();
            self.ours.clear();
            let ours =
                self.families.iter().filter(|family| family.is_ours && family.first.client == self.own);
            self.ours.extend(ours.map(|family| (family.first.clock, family.fate.len() as u64)));
            for at in 0..self.families.len() {
                self.find_again(at);
            }
        }
    }
}

impl Family {
    /// Whether something, as the family is known, is in it.
    fn has(&self, id: Id) -> bool {
        let end = self.first.clock + self.fate.len() as u64;
        id.client == self.first.client && (self.first.clock..end).contains(&id.clock)
    }

    fn is_unwanted(&self) -> bool {
        self.fate.iter().all(|fate| *fate == Fate::Unwanted)
    }
}

/// An update that takes stretches away and does nothing else.
pub fn taking_away(stretches: &[Stretch]) -> Vec<u8> {
    let mut of: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for (id, length) in stretches {
        of.entry(id.client).or_default().push((id.clock, *length));
    }
    let mut bytes = vec![0];
    let mut number = |mut number: u64| {
        while number > 127 {
            bytes.push(number as u8 | 128);
            number >>= 7;
        }
        bytes.push(number as u8);
    };
    number(of.len() as u64);
    for (client, stretches) in of {
        number(client);
        number(stretches.len() as u64);
        for (clock, length) in stretches {
            number(clock);
            number(length);
        }
    }
    bytes
}
