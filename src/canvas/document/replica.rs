//! A replica of a live `Y.Doc`: updates go in and out as bytes, and it knows which entities changed since somebody asked.
//!
//! Only root maps are held on to. References to what lies in them are raw pointers that dangle once it is deleted, so they are
//! looked up anew in each transaction. Every transaction is tried for, never waited for: on one thread nobody would end
//! the other one.
//!
//! What others wrote and what we wrote at once is there once ([`super::twins`], P8): what goes of it is gone here at once, so that
//! nobody sees it, and is told to others when somebody asks for it.

use std::sync::Arc;

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use yrs::block::ClientID;
use yrs::types::PathSegment;
use yrs::updates::decoder::Decode;
use yrs::updates::encoder::Encode;
use yrs::{
    Any, BranchID, DeepObservable, Doc, Map, MapRef, OffsetKind, Options, Out, ReadTxn, StateVector,
    Transact, TransactionMut, Update, WriteTxn, merge_updates_v1,
};

use super::Author;
use super::twins::{Stretch, Twins, taking_away};
use super::update_check::{check_state_vector, check_update};

/// What marks our own transactions.
const OWN: &str = "headway";

/// Why a replica did not do something. It is as it was, but for [`ReplicaFault::Broken`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplicaFault {
    /// A client id is a whole number of at most 53 bits.
    #[error("a client id is a whole number from 0 to 2^53 - 1")]
    ClientId,
    /// Not an update, or not a state vector.
    #[error("these bytes are no {0} of yjs: {1}")]
    Corrupt(&'static str, String),
    /// An update that does not fit to what is there; part of it may be there now. The replica has to be made anew.
    #[error("the update does not fit to the document: {0}")]
    Broken(String),
    /// A transaction is open.
    #[error("the replica is in a transaction")]
    Busy,
}

/// What changed in a root map.
#[derive(Default)]
struct Dirt {
    /// Keys under which something changed.
    inside: HashSet<Arc<str>>,
    /// Whether keys came, went or have another value.
    keys: bool,
}

/// What a key of a root map had when it was last looked at.
#[derive(PartialEq)]
enum Seen {
    Shared(BranchID),
    Plain(Any),
    Foreign,
}

impl Seen {
    fn of(out: &Out) -> Self {
        match (out, out.try_branch()) {
            (_, Some(branch)) => Seen::Shared(branch.id()),
            (Out::Any(any), None) => Seen::Plain(any.clone()),
            _ => Seen::Foreign,
        }
    }
}

struct Root {
    map: MapRef,
    dirt: Rc<RefCell<Dirt>>,
    seen: HashMap<Arc<str>, Seen>,
}

/// The replica.
pub struct Replica {
    doc: Doc,
    roots: Vec<Root>,
    /// Whether it has what was there when it was made.
    is_begun: bool,
    twins: Twins,
    /// What was taken away of twins and was told to nobody yet.
    untold: Vec<Vec<u8>>,
}

impl Replica {
    /// An empty document. `client` names its writer: one for each replica ever made, never that of another document.
    pub fn open(client: u64, roots: &[Arc<str>]) -> Result<Self, ReplicaFault> {
        if client >> 53 != 0 {
            return Err(ReplicaFault::ClientId);
        }
        // All of them, since the default draws random numbers.
        let doc = Doc::with_options(Options {
            client_id: ClientID::new(client),
            guid: OWN.into(),
            collection_id: None,
            offset_kind: OffsetKind::Utf16,
            // What is collected is freed, and a made-up update can still lead there (see `update_check`).
            skip_gc: true,
            auto_load: false,
            should_load: false,
            cleanup_formatting: false,
        });
        let maps: Vec<MapRef> = {
            let mut transaction = doc.try_transact_mut().map_err(|_| ReplicaFault::Busy)?;
            roots.iter().map(|name| transaction.get_or_insert_map(&**name)).collect()
        };
        let roots = maps.into_iter().map(Root::new).collect();
        Ok(Replica { doc, roots, is_begun: false, twins: Twins::of(client), untold: Vec::new() })
    }

    /// Takes in what somebody else wrote.
    pub fn apply(&mut self, update: &[u8], author: Author) -> Result<(), ReplicaFault> {
        let corrupt = |error: String| ReplicaFault::Corrupt("update", error);
        check_update(update).map_err(|fault| corrupt(fault.to_string()))?;
        let update = Update::decode_v1(update).map_err(|error| corrupt(error.to_string()))?;
        let mut transaction = self.doc.try_transact_mut().map_err(|_| ReplicaFault::Busy)?;
        transaction.apply_update(update).map_err(|error| ReplicaFault::Broken(error.to_string()))?;
        if !std::mem::replace(&mut self.is_begun, true) {
            // All that was there before us.
            return Ok(());
        }
        transaction.commit();
        if transaction.insert_set().is_empty() && transaction.delete_set().is_empty() {
            return Ok(());
        }
        // What is in the document now, and was not: it may have waited since an earlier update.
        let new = transaction.encode_update_v1();
        let going = self.twins.hear(&new, &transaction, author);
        drop(transaction);
        self.take_away(&going)
    }

    /// Not as a writing of our own: what is shown changes by it.
    fn take_away(&mut self, going: &[Stretch]) -> Result<(), ReplicaFault> {
        if going.is_empty() {
            return Ok(());
        }
        let broken = |error: String| ReplicaFault::Broken(error);
        let update = Update::decode_v1(&taking_away(going)).map_err(|error| broken(error.to_string()))?;
        let mut transaction = self.doc.try_transact_mut().map_err(|_| ReplicaFault::Busy)?;
        transaction.apply_update(update).map_err(|error| broken(error.to_string()))?;
        transaction.commit();
        if !transaction.delete_set().is_empty() {
            self.untold.push(transaction.encode_update_v1());
        }
        Ok(())
    }

    /// A replay is about to begin: takes away the twins that others have not taken away themselves.
    pub fn before_replay(&mut self) -> Result<(), ReplicaFault> {
        let going = self.twins.before_replay();
        self.take_away(&going)
    }

    /// Whether something was taken away of twins and was told to nobody yet.
    pub fn has_untold(&self) -> bool {
        !self.untold.is_empty()
    }

    /// What others have to be told: what was taken away of twins, and `written`, in one update.
    pub fn tell(&mut self, written: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let mut all = std::mem::take(&mut self.untold);
        all.extend(written);
        match all.len() {
            0 | 1 => all.pop(),
            // Each was made by yrs, which can read them again.
            _ => merge_updates_v1(&all).ok(),
        }
    }

    /// What it has of each writer.
    pub fn state_vector(&self) -> Result<Vec<u8>, ReplicaFault> {
        let transaction = self.doc.try_transact().map_err(|_| ReplicaFault::Busy)?;
        Ok(transaction.state_vector().encode_v1())
    }

    /// What it has and another does not, whose state vector this is; without one, everything.
    pub fn diff(&self, state_vector: Option<&[u8]>) -> Result<Vec<u8>, ReplicaFault> {
        let vector = match state_vector {
            None => StateVector::default(),
            Some(bytes) => {
                let corrupt = |error: String| ReplicaFault::Corrupt("state vector", error);
                check_state_vector(bytes).map_err(|fault| corrupt(fault.to_string()))?;
                StateVector::decode_v1(bytes).map_err(|error| corrupt(error.to_string()))?
            }
        };
        let transaction = self.doc.try_transact().map_err(|_| ReplicaFault::Busy)?;
        Ok(transaction.encode_diff_v1(&vector))
    }

    /// Reads in one transaction.
    pub fn read<T>(
        &self,
        read: impl FnOnce(&dyn Fn(usize) -> Option<MapRef>, &yrs::Transaction<'_>) -> T,
    ) -> Result<T, ReplicaFault> {
        let transaction = self.doc.try_transact().map_err(|_| ReplicaFault::Busy)?;
        let root = |root: usize| self.roots.get(root).map(|root| root.map.clone());
        Ok(read(&root, &transaction))
    }

    /// Writes in one transaction and gives the update that tells others of it; `None` when nothing was written.
    pub fn write(
        &mut self,
        write: impl FnOnce(&dyn Fn(usize) -> Option<MapRef>, &mut TransactionMut<'_>),
    ) -> Result<Option<Vec<u8>>, ReplicaFault> {
        let root = |root: usize| self.roots.get(root).map(|root| root.map.clone());
        let mut transaction = self.doc.try_transact_mut_with(OWN).map_err(|_| ReplicaFault::Busy)?;
        self.is_begun = true;
        write(&root, &mut transaction);
        transaction.commit();
        if !transaction.has_changes() {
            return Ok(None);
        }
        let update = transaction.encode_update_v1();
        self.twins.remember(&update, &transaction);
        Ok(Some(update))
    }

    /// Notes what a key has now, so that our own writing is no news.
    pub fn note(&mut self, root: usize, key: &str) -> Result<(), ReplicaFault> {
        let transaction = self.doc.try_transact().map_err(|_| ReplicaFault::Busy)?;
        if let Some(root) = self.roots.get_mut(root) {
            match root.map.get(&transaction, key) {
                Some(out) => root.seen.insert(key.into(), Seen::of(&out)),
                None => root.seen.remove(key),
            };
        }
        Ok(())
    }

    /// Counts a key among those that changed.
    pub fn touch(&mut self, root: usize, key: &str) {
        if let Some(mut dirt) = self.roots.get(root).and_then(|root| root.dirt.try_borrow_mut().ok()) {
            dirt.inside.insert(key.into());
        }
    }

    /// Whether anything changed since the changes were last taken.
    pub fn is_changed(&self) -> bool {
        let is_dirty =
            |root: &Root| root.dirt.try_borrow().is_ok_and(|dirt| dirt.keys || !dirt.inside.is_empty());
        self.roots.iter().any(is_dirty)
    }

    /// The keys of a root map under which others changed something since this was last asked.
    pub fn take_changed(&mut self, root: usize) -> Result<HashSet<Arc<str>>, ReplicaFault> {
        let transaction = self.doc.try_transact().map_err(|_| ReplicaFault::Busy)?;
        let Some(root) = self.roots.get_mut(root) else { return Ok(HashSet::new()) };
        let Dirt { inside: mut changed, keys } = std::mem::take(&mut *root.dirt.borrow_mut());
        if keys {
            let mut gone = std::mem::take(&mut root.seen);
            for (key, out) in root.map.iter(&transaction) {
                let now = Seen::of(&out);
                if gone.remove(key).as_ref() != Some(&now) {
                    changed.insert(key.into());
                }
                root.seen.insert(key.into(), now);
            }
            changed.extend(gone.into_keys());
        }
        Ok(changed)
    }
}

impl Root {
    fn new(map: MapRef) -> Self {
        let dirt: Rc<RefCell<Dirt>> = Rc::default();
        let sink = Rc::clone(&dirt);
        map.observe_deep(OWN, move |transaction, events| {
            if transaction.origin().is_some_and(|origin| origin.as_ref() == OWN.as_bytes()) {
                return;
            }
            // Nobody else has it while a transaction is open.
            let Ok(mut dirt) = sink.try_borrow_mut() else { return };
            for event in events.iter() {
                match event.path().front() {
                    Some(PathSegment::Key(key)) => drop(dirt.inside.insert((&**key).into())),
                    // Which keys, is looked up when somebody asks: asking the event panics on what a hostile peer can send.
                    _ => dirt.keys = true,
                }
            }
        });
        Root { map, dirt, seen: HashMap::new() }
    }
}
