//! Comparing, merging and judging contents, without moving anything (H10, C7).

use super::{Engine, Validation};
use crate::content::ContentIx;
use crate::content::describe::Sentence;
use crate::content::edit::{Edit, Summary};
use crate::content::merge::Conflict;
use crate::content::validate::Fault;
use crate::error::Error;
use crate::session::Refusal;

/// The edits between two contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// In an order in which each is safe when it is its turn.
    pub edits: Vec<Edit>,
    /// How many entities they touch.
    pub summary: Summary,
    /// What they do, in sentences for a person (C6).
    pub sentences: Vec<Sentence>,
}

/// What a merge would do (H10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergePlan {
    /// What it would change in mine.
    pub comparison: Comparison,
    /// Where both sides changed the same, each in its way; mine stays there.
    pub conflicts: Vec<Conflict>,
}

/// Something that has a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side<'t> {
    /// HEAD.
    Head,
    /// The step of that id.
    Step(&'t str),
    /// A canvas: what is on it, as text.
    Canvas(&'t str),
}

impl Engine {
    /// The edits that lead from one content to another; `None` when one of them is not known.
    pub fn compare(&mut self, from: Side<'_>, to: Side<'_>) -> Result<Option<Comparison>, Error> {
        let Some((mut old, mut new)) = self.side(from)?.zip(self.side(to)?) else { return Ok(None) };
        // What is on the canvas has been completed (P15).
        match (from, to) {
            (Side::Canvas(_), Side::Canvas(_)) => {}
            (Side::Canvas(_), _) => new = self.normal_form(new)?,
            (_, Side::Canvas(_)) => old = self.normal_form(old)?,
            _ => {}
        }
        let comparison = self.comparison(old, new);
        self.collect_if_due();
        Ok(Some(comparison))
    }

    /// The edits that a canvas would see if it showed the content at a step, as it would be put there (C7); `None` when that is
    /// not known.
    pub fn preview(&mut self, on_canvas: &str, step: &str) -> Result<Option<Comparison>, Error> {
        let Some(content) = self.content_of(Some(step))? else { return Ok(None) };
        let Some(on_canvas) = self.side(Side::Canvas(on_canvas))? else { return Ok(None) };
        let content = self.normal_form(content)?;
        let repaired = self.contents.repair(content);
        if self.options.validation == Validation::Strict && !repaired.faults.is_empty() {
            return Err(Refusal::InvalidContent.into());
        }
        let comparison = self.comparison(on_canvas, repaired.content);
        self.collect_if_due();
        Ok(Some(comparison))
    }

    /// What it would do to the content of HEAD to merge what another step has into it: three-way, from the nearest step that
    /// both come from (H10).
    pub fn plan_merge(&mut self, step: &str) -> Result<MergePlan, Refusal> {
        let tree = self.history.tree();
        let (head, other) = (self.history.head(), tree.get(step).ok_or(Refusal::UnknownStep)?);
        let base = tree.common_ancestor(head, other).ok_or(Refusal::ContentUnknown)?;
        let [base, mine, theirs] = [base, head, other].map(|step| self.held_at(Some(step)));
        let known = |content: Result<Option<ContentIx>, Refusal>| content?.ok_or(Refusal::ContentUnknown);
        let (base, mine, theirs) = (known(base)?, known(mine)?, known(theirs)?);
        let merge = self.contents.merge(base, mine, theirs);
        let merged = self.contents.repair(merge.content).content;
        let plan = MergePlan { comparison: self.comparison(mine, merged), conflicts: merge.conflicts };
        self.collect_if_due();
        Ok(plan)
    }

    /// Everything that is wrong with a content (C7); `None` when it is not known.
    pub fn validate(&mut self, at: Side<'_>) -> Result<Option<Vec<Fault>>, Error> {
        let content = self.side(at)?;
        let faults = content.map(|content| self.contents.validate(content));
        self.collect_if_due();
        Ok(faults)
    }

    fn side(&mut self, side: Side<'_>) -> Result<Option<ContentIx>, Error> {
        let text = match side {
            Side::Head => return Ok(self.content_of(None)?),
            Side::Step(id) => return Ok(self.content_of(Some(id))?),
            Side::Canvas(text) => text,
        };
        let near = self.history.content_at(self.history.head());
        let taken = self.contents.take_in(text, near);
        if taken.is_err() {
            // What was read of it before it made no sense.
            self.collect();
        }
        Ok(Some(taken?))
    }

    pub(super) fn comparison(&self, from: ContentIx, to: ContentIx) -> Comparison {
        let edits = self.contents.diff(from, to);
        let sentences = self.contents.describe(from, to, &edits);
        Comparison { summary: self.contents.summary(&edits), sentences, edits }
    }
}
