//! The canvas: what is on it, what should be, and whether to write.
//!
//! A canvas is plain, then the host reads and writes it as text; or it is a live `Y.Doc`, of which the engine holds a replica
//! ([`document`]). Either way the comparison is with what is on the canvas when it has to be decided, never with the last
//! emission (P12). Equal means canonically equal; an equal canvas is not written (P2).
//!
//! Place in the flow: after `session`; the engine says what should be there, the host does it.

pub mod document;

use std::collections::VecDeque;

use self::document::Document;
use crate::content::edit::Edit;
use crate::content::merge::{Conflict, Merge};
use crate::content::{ContentIx, ContentStore};
use crate::error::Error;
use crate::session::{ManualEdits, Refusal};

/// When to write, the softest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// Only look whether it shows the target: nobody changed anything on purpose.
    Look,
    /// The canvas becomes the target if it still shows what the engine last put there; otherwise somebody edited it
    /// and it is left alone (P14).
    IfUntouched,
    /// What leads to the target is done to the canvas, but where something was edited by hand: who asked for it decides about that, on their
    /// canvas, which is the same one (P6, P8).
    GiveWay,
    /// What a step did is done to the canvas as it is, so that what was edited by hand stays, but where both did something to
    /// the same (P13).
    Follow,
    /// The same with all that leads to the target from what the agent last had on the canvas (P6).
    Keep,
    /// The canvas becomes the target.
    Exact,
}

impl From<ManualEdits> for Policy {
    fn from(manual_edits: ManualEdits) -> Self {
        match manual_edits {
            ManualEdits::Overwrite => Policy::Exact,
            ManualEdits::Keep => Policy::Keep,
        }
    }
}

/// What to do about the canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// It shows the target already.
    Nothing,
    /// Put this content on it.
    Write(ContentIx),
    /// Somebody edited it; leave it alone.
    LeaveAlone,
    /// What the host read is no JSON object: nothing can be compared, so nothing is overwritten.
    Unreadable,
}

/// What there is to put a content on.
#[derive(Default)]
pub enum Surface {
    /// Nothing.
    #[default]
    Unbound,
    /// Something that the host reads and writes as text.
    Plain,
    /// A live document.
    Document(Box<Document>),
}

/// What the engine knows of the canvas.
#[derive(Default)]
pub struct Canvas {
    surface: Surface,
    /// What the agent last had on it: what edits by hand are told from.
    last_put: Option<ContentIx>,
    wanted: Option<Wish>,
    /// What the host was told to write and has not confirmed.
    writing: Option<Writing>,
    /// What a person wants back on it, in the order in which they asked.
    putting_back: VecDeque<PutBack>,
    differs: bool,
    /// How many entities on it are not as the agent last had them.
    manual_edits: usize,
    /// Whether somebody changed the document since it was looked at.
    is_stale: bool,
}

/// What should be on the canvas.
#[derive(Clone, Copy)]
struct Wish {
    target: ContentIx,
    policy: Policy,
    /// What should have been there before it.
    before: Option<ContentIx>,
}

/// Edits by hand that are to come back on the canvas (P7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PutBack {
    /// The number of the stash.
    pub stash: u32,
    /// What was edited.
    pub base: ContentIx,
    /// What that led to.
    pub edited: ContentIx,
    /// What becomes of what is on the canvas where both did something to the same.
    pub manual_edits: ManualEdits,
}

impl PutBack {
    /// What it leads to on a canvas that shows something.
    pub fn on(&self, contents: &mut ContentStore, shown: ContentIx) -> Merge {
        match self.manual_edits {
            ManualEdits::Keep => contents.merge(self.base, shown, self.edited),
            ManualEdits::Overwrite => contents.merge(self.base, self.edited, shown),
        }
    }
}

/// What a replay does.
struct Writing {
    /// What the agent has; `None` when this is none of its business.
    target: Option<ContentIx>,
    result: ContentIx,
    replayed: Replayed,
}

/// What a replay did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// What was on the canvas.
    pub from: ContentIx,
    /// What is on it now.
    pub to: ContentIx,
    /// What was edited by hand and is not in it any more, as the content that it was done to and the one that it led to (P7).
    pub overwritten: Option<(ContentIx, ContentIx)>,
    /// Where the target and an edit by hand did something to the same. `mine` is the edit by hand.
    pub conflicts: Vec<Conflict>,
    /// What was put back, if it did that.
    pub put_back: Option<PutBack>,
}

impl Canvas {
    /// Whether a host has bound one.
    pub fn is_bound(&self) -> bool {
        !matches!(self.surface, Surface::Unbound)
    }

    /// A host binds a canvas, or takes it away. Nothing is known of a new one.
    pub fn bind(&mut self, surface: Surface) {
        *self = Canvas { surface, ..Canvas::default() };
    }

    /// Whether what is on it is on others' canvas, too.
    pub fn is_shared(&self) -> bool {
        matches!(self.surface, Surface::Document(_))
    }

    /// The live document that is bound.
    pub fn document(&mut self) -> Option<&mut Document> {
        match &mut self.surface {
            Surface::Document(document) => Some(document),
            Surface::Unbound | Surface::Plain => None,
        }
    }

    /// Somebody else changed the document: whether it shows what it should has to be looked at again. Tells whether that is new.
    pub fn touched(&mut self) -> bool {
        !std::mem::replace(&mut self.is_stale, true)
    }

    /// Looks at a document again that somebody has changed. `head` is what it should show.
    pub fn refresh(&mut self, contents: &mut ContentStore, head: ContentIx) {
        if !self.is_stale {
            return;
        }
        let Some(shown) = self.document().and_then(|document| document.content(contents, Some(head)).ok())
        else {
            return;
        };
        self.is_stale = false;
        self.differs = !contents.equal(head, shown);
        self.count_edits(contents, shown, Some(head));
    }

    /// How many entities were edited by hand since the agent last had something on the canvas, as of when it was looked at.
    pub fn manual_edits(&self) -> usize {
        if self.is_bound() { self.manual_edits } else { 0 }
    }

    /// On a canvas of unknown origin, what differs from what it should show; but what is not there, nobody took away.
    fn count_edits(&mut self, contents: &mut ContentStore, shown: ContentIx, target: Option<ContentIx>) {
        let last = self.last_put.filter(|last| contents.is_held(*last));
        let Some(base) = last.or(target).filter(|base| *base != shown) else {
            self.manual_edits = 0;
            return;
        };
        let shown = self.in_order_of(contents, shown, base);
        let mut edits = contents.diff(base, shown);
        if last.is_none() {
            edits.retain(|edit| !is_less(edit));
        }
        self.manual_edits = contents.summary(&edits).entities();
    }

    /// Whether the canvas was seen to differ from the content of HEAD.
    pub fn differs(&self) -> bool {
        self.is_bound() && self.differs
    }

    /// Whether what the engine put on it, or found there and knew, may still be on it.
    pub fn shows_ours(&self) -> bool {
        self.last_put.is_some()
    }

    /// What is on the canvas: `on_canvas` if it is a plain one. Where that cannot be read, what was kept of it has to be collected.
    pub fn shown(
        &mut self,
        contents: &mut ContentStore,
        on_canvas: &str,
        near: Option<ContentIx>,
    ) -> Result<ContentIx, Error> {
        match &mut self.surface {
            Surface::Document(document) => Ok(document.content(contents, near)?),
            Surface::Plain => Ok(contents.take_in(on_canvas, near)?),
            Surface::Unbound => Err(Refusal::CanvasUnbound.into()),
        }
    }

    /// Asks for edits to be put back on the canvas (P7). Tells whether there is one.
    pub fn put_back(&mut self, wanted: PutBack) -> bool {
        if self.is_bound() {
            self.putting_back.push_back(wanted);
        }
        self.is_bound()
    }

    /// Asks for a look at the canvas. Tells whether there is one to look at. The latest target counts; as long as nobody
    /// has looked, the firmest policy does.
    ///
    /// `before` is what the canvas should have shown until now.
    pub fn want(&mut self, target: ContentIx, policy: Policy, before: Option<ContentIx>) -> bool {
        if self.is_bound() {
            let earlier = self.wanted;
            let policy = earlier.map_or(policy, |earlier| earlier.policy.max(policy));
            let before = earlier.and_then(|earlier| earlier.before).or(before);
            self.wanted = Some(Wish { target, policy, before });
        }
        self.is_bound()
    }

    /// Whether something should be put on it.
    pub fn is_wanted(&self) -> bool {
        self.wanted.is_some() || !self.putting_back.is_empty()
    }

    /// HEAD's content is not known: whatever is on the canvas stays.
    pub fn want_nothing(&mut self) {
        self.wanted = None;
    }

    /// What should be there cannot be put there: whatever is on the canvas stays, and it is not that.
    pub fn leave_alone(&mut self) {
        self.wanted = None;
        self.differs = true;
    }

    /// Decides, now that the host has read the canvas. Of a document nothing has to be read.
    pub fn plan(&mut self, contents: &mut ContentStore, on_canvas: &str) -> Plan {
        let Some(Wish { target, policy, before }) = self.wanted.take() else {
            return self.plan_to_put_back(contents, on_canvas);
        };
        let shown = self.shown(contents, on_canvas, Some(target));
        self.is_stale = false;
        let Ok(shown) = shown else {
            self.differs = true;
            return Plan::Unreadable;
        };
        if contents.equal(target, shown) {
            self.last_put = Some(target);
            self.differs = false;
            self.manual_edits = 0;
            return Plan::Nothing;
        }
        let untouched = self.last_put.is_some_and(|last| self.shows(contents, last, shown));
        self.differs = true;
        let kept = match policy {
            Policy::Look => Some(Plan::Nothing),
            Policy::IfUntouched if !untouched => Some(Plan::LeaveAlone),
            Policy::IfUntouched | Policy::GiveWay | Policy::Follow | Policy::Keep | Policy::Exact => None,
        };
        if let Some(kept) = kept {
            self.count_edits(contents, shown, Some(target));
            return kept;
        }
        let base = match policy {
            Policy::Follow => before.or(self.last_put),
            _ => self.last_put.or(before),
        };
        let (result, replayed) = replayed(contents, base, shown, target, policy);
        if contents.equal(result, shown) {
            // What leads to the target is there already.
            self.last_put = Some(target);
            self.count_edits(contents, shown, None);
            return Plan::Nothing;
        }
        self.writing = Some(Writing { target: Some(target), result, replayed });
        Plan::Write(result)
    }

    /// Whether what is shown is this content. A document has no order of its own, so it has that of what it is compared with.
    fn shows(&mut self, contents: &mut ContentStore, content: ContentIx, shown: ContentIx) -> bool {
        let shown = self.in_order_of(contents, shown, content);
        contents.equal(content, shown)
    }

    /// What is shown, in the order of another content if the canvas has none of its own.
    fn in_order_of(&mut self, contents: &mut ContentStore, shown: ContentIx, other: ContentIx) -> ContentIx {
        match &mut self.surface {
            Surface::Document(document) => document.in_order_of(contents, shown, other),
            Surface::Unbound | Surface::Plain => shown,
        }
    }

    /// With what is on the canvas now, not when it was asked for: somebody may have edited it since.
    fn plan_to_put_back(&mut self, contents: &mut ContentStore, on_canvas: &str) -> Plan {
        let Some(wanted) = self.putting_back.pop_front() else { return Plan::Nothing };
        let Ok(shown) = self.shown(contents, on_canvas, Some(wanted.edited)) else {
            return Plan::Unreadable;
        };
        let Merge { content: result, conflicts } = wanted.on(contents, shown);
        if contents.equal(result, shown) {
            return Plan::Nothing;
        }
        // What is overwritten in turn was edited by hand if the agent did not put it there.
        let is_lost = wanted.manual_edits == ManualEdits::Overwrite && !conflicts.is_empty();
        let last = self.last_put.filter(|last| contents.is_held(*last)).unwrap_or(wanted.base);
        let overwritten = (is_lost && !self.shows(contents, last, shown)).then_some((last, shown));
        let replayed = Replayed { from: shown, to: result, overwritten, conflicts, put_back: Some(wanted) };
        self.writing = Some(Writing { target: None, result, replayed });
        Plan::Write(result)
    }

    /// The host has put on the canvas what the last plan said. Tells what that was.
    pub fn written(&mut self, contents: &mut ContentStore) -> Option<Replayed> {
        let Writing { target, result, replayed } = self.writing.take()?;
        self.last_put = target.or(self.last_put);
        self.differs = self.last_put != Some(result);
        self.count_edits(contents, result, None);
        Some(replayed)
    }

    /// What the host was told to write leads from one content to another.
    pub fn planned(&self) -> Option<(ContentIx, ContentIx)> {
        let Replayed { from, to, .. } = &self.writing.as_ref()?.replayed;
        Some((*from, *to))
    }

    /// What stands against keeping what was edited by hand on the way to a target (P6). `shown` is on the canvas.
    pub fn conflicts(
        &self,
        contents: &mut ContentStore,
        shown: ContentIx,
        target: ContentIx,
        before: Option<ContentIx>,
    ) -> Vec<Conflict> {
        let base = self.last_put.or(before);
        replayed(contents, base, shown, target, Policy::Keep).1.conflicts
    }

    /// The host could not.
    pub fn failed(&mut self) {
        self.wanted = None;
        self.writing = None;
        self.putting_back.clear();
        self.differs = true;
    }

    /// The contents that it refers to.
    pub fn contents(&self) -> impl Iterator<Item = ContentIx> {
        let shown = match &self.surface {
            Surface::Document(document) => document.shown(),
            Surface::Unbound | Surface::Plain => None,
        };
        let writing = self.writing.iter().flat_map(|writing| {
            let Replayed { from, to, overwritten, .. } = &writing.replayed;
            let (base, mine) = overwritten.unzip();
            [writing.target, Some(writing.result), Some(*from), Some(*to), base, mine]
        });
        let wanted = self.wanted.iter().flat_map(|wish| [Some(wish.target), wish.before]);
        let back = self.putting_back.iter().flat_map(|wanted| [Some(wanted.base), Some(wanted.edited)]);
        [self.last_put, shown].into_iter().chain(back).chain(writing).chain(wanted).flatten()
    }
}

/// What a canvas becomes, and what that costs (P6, P7).
fn replayed(
    contents: &mut ContentStore,
    base: Option<ContentIx>,
    shown: ContentIx,
    target: ContentIx,
    policy: Policy,
) -> (ContentIx, Replayed) {
    let known = base.filter(|base| contents.is_held(*base));
    // What nobody knows the origin of is all edited by hand; but what is not there, nobody took away.
    let is_empty_handed =
        |contents: &ContentStore| known.is_none() && contents.diff(target, shown).iter().all(is_less);
    let base = known.unwrap_or(target);
    if policy == Policy::GiveWay {
        let result = contents.merge(base, shown, target).content;
        let conflicts = Vec::new();
        return (result, Replayed { from: shown, to: result, overwritten: None, conflicts, put_back: None });
    }
    // The target's side wins where both did something to the same.
    let merge = contents.merge(base, target, shown);
    let swapped = |conflict: Conflict| Conflict { mine: conflict.theirs, theirs: conflict.mine, ..conflict };
    let conflicts: Vec<Conflict> = merge.conflicts.into_iter().map(swapped).collect();
    let is_kept = matches!(policy, Policy::Keep | Policy::Follow);
    let result = if is_kept { merge.content } else { target };
    let is_lost = !conflicts.is_empty() || !contents.equal(result, merge.content);
    let is_lost = is_lost && !is_empty_handed(contents);
    let overwritten = is_lost.then_some((base, shown));
    // Whoever asked for the target alone does not ask what it stands against.
    let conflicts = if is_kept { conflicts } else { Vec::new() };
    (result, Replayed { from: shown, to: result, overwritten, conflicts, put_back: None })
}

/// Something is not there, or somewhere else in a list.
fn is_less(edit: &Edit) -> bool {
    matches!(edit, Edit::Remove { .. } | Edit::Unset { .. } | Edit::Order { .. })
}

#[cfg(test)]
mod tests;
