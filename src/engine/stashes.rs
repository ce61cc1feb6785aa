//! Edits by hand that a replay has overwritten, kept until somebody puts them back or drops them (P7).

use serde::Serialize;

use super::compare::MergePlan;
use super::{Engine, Outcome};
use crate::canvas::{PutBack, Replayed};
use crate::content::ContentIx;
use crate::content::merge::Conflict;
use crate::error::Error;
use crate::session::{ManualEdits, Refusal};

/// One of them.
#[derive(Clone, Debug)]
pub struct Stash {
    /// Its number; never used twice.
    pub number: u32,
    /// The turn that HEAD was in after the replay.
    pub turn: Option<String>,
    /// When it was made, in ms since the epoch.
    pub at: f64,
    /// What was edited.
    pub base: ContentIx,
    /// What that led to.
    pub edited: ContentIx,
}

/// All of them, oldest first.
#[derive(Default)]
pub struct Stashes {
    list: Vec<Stash>,
    last: u32,
}

/// What a person sees of one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StashView {
    /// Its name.
    pub id: String,
    /// The turn that HEAD was in after the replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// When it was made, in ms since the epoch.
    pub at: f64,
    /// What was edited, as JSON text.
    pub edits: String,
}

impl Stashes {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The contents that they refer to.
    pub fn contents(&self) -> impl Iterator<Item = ContentIx> + '_ {
        self.list.iter().flat_map(|stash| [stash.base, stash.edited])
    }
}

fn name(number: u32) -> String {
    format!("stash-{number}")
}

impl Engine {
    /// Keeps what a replay has overwritten. Gives the name it goes by.
    pub(super) fn stash(&mut self, replayed: &Replayed) -> Option<String> {
        let (base, edited) = replayed.overwritten?;
        let head = self.history.head();
        let tree = self.history.tree();
        let turn = tree.data(head).map(|data| tree.turn_name(data.turn).to_owned());
        self.stashes.last += 1;
        let number = self.stashes.last;
        self.stashes.list.push(Stash { number, turn, at: self.now, base, edited });
        Some(name(number))
    }

    /// The stashes, oldest first.
    pub fn stashes(&self) -> Vec<StashView> {
        let view = |stash: &Stash| StashView {
            id: name(stash.number),
            turn_id: stash.turn.clone(),
            at: stash.at,
            edits: self.comparison(stash.base, stash.edited).to_json(),
        };
        self.stashes.list.iter().map(view).collect()
    }

    fn find_stash(&self, id: &str) -> Result<usize, Refusal> {
        let found = self.stashes.list.iter().position(|stash| name(stash.number) == id);
        found.ok_or(Refusal::UnknownStash)
    }

    /// Drops a stash for good.
    pub fn drop_stash(&mut self, id: &str) -> Result<Outcome, Refusal> {
        let at = self.find_stash(id)?;
        self.stashes.list.remove(at);
        self.outcome.changed = true;
        Ok(self.finish())
    }

    /// What it would do to the canvas to put a stash back on it, three-way. Where both did something to the same, the canvas stays as it is or
    /// is overwritten. `on_canvas` is what a plain canvas shows. The canvas is asked for; the stash is gone once it is there as a whole.
    pub fn apply_stash(
        &mut self,
        id: &str,
        on_canvas: &str,
        manual_edits: ManualEdits,
    ) -> Result<(MergePlan, Outcome), Error> {
        let at = self.find_stash(id)?;
        let Some(Stash { number, base, edited, .. }) = self.stashes.list.get(at).cloned() else {
            return Err(Refusal::UnknownStash.into());
        };
        let wanted = PutBack { stash: number, base, edited, manual_edits };
        let plan = self.plan_stash(wanted, on_canvas)?;
        if plan.comparison.edits.is_empty() {
            // There is nothing to put back, and it is gone unless something stands against it.
            self.returned(number, manual_edits == ManualEdits::Overwrite || plan.conflicts.is_empty());
            return Ok((plan, self.finish()));
        }
        self.outcome.look_at_canvas |= self.canvas.put_back(wanted);
        Ok((plan, self.finish()))
    }

    /// What on the canvas stands against putting a stash back on it. `on_canvas` is what a plain canvas shows. Changes nothing.
    pub fn edits_against_stash(&mut self, id: &str, on_canvas: &str) -> Result<Vec<Conflict>, Error> {
        let at = self.find_stash(id)?;
        let Some(Stash { number, base, edited, .. }) = self.stashes.list.get(at).cloned() else {
            return Err(Refusal::UnknownStash.into());
        };
        let wanted = PutBack { stash: number, base, edited, manual_edits: ManualEdits::Keep };
        Ok(self.plan_stash(wanted, on_canvas)?.conflicts)
    }

    fn plan_stash(&mut self, wanted: PutBack, on_canvas: &str) -> Result<MergePlan, Error> {
        let head = self.history.content_at(self.history.head());
        let shown = self.on_canvas(on_canvas, head)?;
        let merge = wanted.on(&mut self.contents, shown);
        Ok(MergePlan { comparison: self.comparison(shown, merge.content), conflicts: merge.conflicts })
    }

    /// A stash was put back: it is gone if it is there as a whole.
    pub(super) fn returned(&mut self, number: u32, is_whole: bool) {
        self.stashes.list.retain(|stash| stash.number != number || !is_whole);
        self.outcome.changed |= is_whole;
    }
}
