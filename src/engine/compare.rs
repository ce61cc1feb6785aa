//! Comparing, merging and judging contents, without moving anything (H10, C7).

use super::{Engine, Validation};
use crate::content::describe::Sentence;
use crate::content::edit::{Edit, Summary};
use crate::content::merge::Conflict;
use crate::content::validate::Fault;
use crate::content::{ContentIx, JsonFault};
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

impl Engine {
    /// Takes in what is on the canvas, to compare with it. It is kept until the next collection.
    pub fn take_in(&mut self, text: &str) -> Result<ContentIx, JsonFault> {
        let near = self.history.content_at(self.history.head());
        self.contents.take_in(text, near)
    }

    /// The edits that lead from one content to another.
    pub fn compare(&self, from: ContentIx, to: ContentIx) -> Comparison {
        let edits = self.contents.diff(from, to);
        let sentences = self.contents.describe(from, to, &edits);
        Comparison { summary: self.contents.summary(&edits), sentences, edits }
    }

    /// The edits that a canvas would see if it showed a content: that as it would be put there (C7).
    pub fn preview(&mut self, on_canvas: ContentIx, content: ContentIx) -> Result<Comparison, Refusal> {
        let repaired = self.contents.repair(content);
        if self.options.validation == Validation::Strict && !repaired.faults.is_empty() {
            return Err(Refusal::InvalidContent);
        }
        Ok(self.compare(on_canvas, repaired.content))
    }

    /// What it would do to the content of HEAD to merge what another step has into it: three-way, from the nearest step that
    /// both come from (H10).
    pub fn plan_merge(&mut self, step: &str) -> Result<MergePlan, Refusal> {
        let tree = self.history.tree();
        let (head, other) = (self.history.head(), tree.get(step).ok_or(Refusal::UnknownStep)?);
        let base = tree.common_ancestor(head, other).ok_or(Refusal::ContentUnknown)?;
        let [base, mine, theirs] = [base, head, other].map(|step| self.held_at(Some(step)));
        let known = |content: Result<Option<ContentIx>, Refusal>| content?.ok_or(Refusal::ContentUnknown);
        let mine = known(mine)?;
        let merge = self.contents.merge(known(base)?, mine, known(theirs)?);
        let merged = self.contents.repair(merge.content).content;
        Ok(MergePlan { comparison: self.compare(mine, merged), conflicts: merge.conflicts })
    }

    /// Everything that is wrong with a content (C7).
    pub fn validate(&self, content: ContentIx) -> Vec<Fault> {
        self.contents.validate(content)
    }
}
