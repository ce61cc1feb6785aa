//! Contents as the host completes them before they meet the canvas (P15).
//!
//! The engine cannot call the host. A call that needs a completed content which is not there yet is refused with
//! [`Refusal::Unprepared`] and changes nothing; what a frame wants on the canvas waits until somebody looks at the canvas. Either way
//! [`Engine::to_normalize`] names the content, the host completes it, and the call is made again. What is kept and given back
//! is always the content as it came.

use hashbrown::HashMap;

use super::{Engine, Outcome};
use crate::canvas::Policy;
use crate::content::ContentIx;
use crate::error::Error;
use crate::session::Refusal;

/// What is known of completed contents.
#[derive(Default)]
pub(super) struct Normal {
    /// By content, what the host made of it.
    forms: HashMap<ContentIx, ContentIx>,
    /// What should be on the canvas, oldest first, as soon as it is completed.
    waiting: Vec<Showing>,
    /// What a call was refused for.
    needed: Option<ContentIx>,
    /// What the host is completing.
    asked: Option<ContentIx>,
}

/// Something that should be on the canvas.
#[derive(Clone, Copy)]
pub(super) struct Showing {
    pub content: ContentIx,
    pub policy: Policy,
    /// What should have been there until then.
    pub before: Option<ContentIx>,
}

impl Normal {
    /// The contents that it refers to. Of those that are completed only the one at HEAD is needed again.
    pub(super) fn contents(&self, head: Option<ContentIx>) -> impl Iterator<Item = ContentIx> {
        let waiting = self.waiting.iter().flat_map(|showing| [Some(showing.content), showing.before]);
        let form = head.and_then(|head| self.forms.get(&head)).copied();
        waiting.chain([form, self.needed, self.asked]).flatten()
    }

    /// Forgets what is not referred to any more.
    pub(super) fn forget_but(&mut self, head: Option<ContentIx>) {
        self.forms.retain(|content, _| Some(*content) == head);
    }
}

impl Engine {
    /// A content as it meets the canvas, before it is repaired.
    pub(super) fn normal_form(&mut self, content: ContentIx) -> Result<ContentIx, Refusal> {
        if !self.options.normalizes {
            return Ok(content);
        }
        self.normal.forms.get(&content).copied().ok_or_else(|| {
            self.normal.needed = Some(content);
            Refusal::Unprepared
        })
    }

    fn is_prepared(&self, content: ContentIx) -> bool {
        !self.options.normalizes
            || !self.contents.is_held(content)
            || self.normal.forms.contains_key(&content)
    }

    /// Sets aside what cannot be shown yet. Gives it back when it can be.
    pub(super) fn ready_to_show(&mut self, showing: Showing) -> Option<Showing> {
        let mut contents = [Some(showing.content), showing.before].into_iter().flatten();
        if self.normal.waiting.is_empty() && contents.all(|content| self.is_prepared(content)) {
            return Some(showing);
        }
        self.normal.waiting.push(showing);
        self.outcome.look_at_canvas = true;
        None
    }

    /// Whether anything was set aside.
    pub(super) fn is_waiting_to_show(&self) -> bool {
        !self.normal.waiting.is_empty()
    }

    /// What was set aside.
    pub(super) fn take_waiting(&mut self) -> Vec<Showing> {
        std::mem::take(&mut self.normal.waiting)
    }

    /// The next content that the host has to complete, as text. To be followed by [`Engine::normalized`] or
    /// [`Engine::not_normalized`].
    pub fn to_normalize(&mut self) -> Option<String> {
        let waiting = self.normal.waiting.iter().flat_map(|showing| [Some(showing.content), showing.before]);
        let all = [self.normal.needed].into_iter().chain(waiting).flatten();
        let next = all.into_iter().find(|content| !self.is_prepared(*content))?;
        self.normal.asked = Some(next);
        self.contents.text(next)
    }

    /// What the host made of the content that it was last asked for. To be followed by [`Engine::not_normalized`] when that is no content.
    pub fn normalized(&mut self, text: &str) -> Result<Outcome, Error> {
        let Some(content) = self.normal.asked else { return Ok(self.finish()) };
        let form = self.contents.take_in(text, Some(content));
        if form.is_err() {
            // What was read of it before it made no sense.
            self.collect();
        }
        self.normal.forms.insert(content, form?);
        self.normal.asked = None;
        self.normal.needed = self.normal.needed.filter(|needed| *needed != content);
        Ok(self.finish())
    }

    /// The host could not complete it: the canvas is left alone.
    pub fn not_normalized(&mut self, why: &str) -> Outcome {
        let Some(content) = self.normal.asked.take() else { return self.finish() };
        self.normal.needed = None;
        let count = self.normal.waiting.len();
        self.normal.waiting.retain(|showing| showing.content != content);
        if self.normal.waiting.len() < count {
            self.canvas.leave_alone();
        }
        for showing in &mut self.normal.waiting {
            showing.before = showing.before.filter(|before| *before != content);
        }
        let message = format!("The canvas was left alone, since `normalize` failed: {why}");
        self.notice("normalize_failed", message, None, None);
        self.outcome.changed = true;
        self.finish()
    }
}
