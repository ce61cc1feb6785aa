//! The canvas: what is on it, what should be, and whether to write.
//!
//! This is the plain canvas: the host reads and replaces a whole content as text. The engine never holds the canvas,
//! it is told what lies on it when it has to decide (P12: the comparison is with the canvas, never with the last
//! emission). Equal means canonically equal; an equal canvas is not written (P2).
//!
//! Place in the flow: after `session`; the engine says what should be there, the host does it.

use crate::content::{ContentIx, ContentStore};

/// When to write, the softest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// Only look whether it shows the target: nobody changed anything on purpose.
    Look,
    /// The canvas becomes the target if it still shows what the engine last put there; otherwise somebody edited it
    /// and it is left alone (P14).
    IfUntouched,
    /// The canvas becomes the target.
    Exact,
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

/// What the engine knows of the canvas.
#[derive(Debug, Default)]
pub struct Canvas {
    bound: bool,
    last_put: Option<ContentIx>,
    wanted: Option<(ContentIx, Policy)>,
    /// What the host was told to write and has not confirmed.
    writing: Option<ContentIx>,
    differs: bool,
}

impl Canvas {
    /// Whether a host has bound one.
    pub fn is_bound(&self) -> bool {
        self.bound
    }

    /// A host binds a canvas, or takes it away. Nothing is known of a new one.
    pub fn bind(&mut self, bound: bool) {
        *self = Canvas { bound, ..Canvas::default() };
    }

    /// Whether the canvas was seen to differ from the content of HEAD.
    pub fn differs(&self) -> bool {
        self.bound && self.differs
    }

    /// Whether what the engine put on it, or found there and knew, may still be on it.
    pub fn shows_ours(&self) -> bool {
        self.last_put.is_some()
    }

    /// Asks for a look at the canvas. Tells whether there is one to look at. The latest target counts; as long as nobody
    /// has looked, the firmest policy does.
    pub fn want(&mut self, target: ContentIx, policy: Policy) -> bool {
        if self.bound {
            let before = self.wanted.map_or(policy, |(_, before)| before);
            self.wanted = Some((target, before.max(policy)));
        }
        self.bound
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

    /// Decides, now that the host has read the canvas.
    pub fn plan(&mut self, contents: &mut ContentStore, on_canvas: &str) -> Plan {
        let Some((target, policy)) = self.wanted.take() else {
            return Plan::Nothing;
        };
        let Ok(shown) = contents.take_in(on_canvas, Some(target)) else {
            self.differs = true;
            return Plan::Unreadable;
        };
        if contents.equal(target, shown) {
            self.last_put = Some(target);
            self.differs = false;
            return Plan::Nothing;
        }
        let untouched = self.last_put.is_some_and(|last| contents.equal(last, shown));
        self.differs = true;
        match policy {
            Policy::Look => Plan::Nothing,
            Policy::IfUntouched if !untouched => Plan::LeaveAlone,
            _ => {
                self.writing = Some(target);
                Plan::Write(target)
            }
        }
    }

    /// The host has put on the canvas what the last plan said.
    pub fn written(&mut self) {
        if let Some(content) = self.writing.take() {
            self.last_put = Some(content);
            self.differs = false;
        }
    }

    /// The host could not.
    pub fn failed(&mut self) {
        self.wanted = None;
        self.writing = None;
        self.differs = true;
    }

    /// The contents that it refers to.
    pub fn contents(&self) -> impl Iterator<Item = ContentIx> {
        [self.last_put, self.writing, self.wanted.map(|(target, _)| target)].into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(contents: &mut ContentStore, text: &str) -> ContentIx {
        contents.take_in(text, None).unwrap()
    }

    #[test]
    fn p2_p12_equal_is_not_written_and_the_canvas_itself_is_compared() {
        let mut contents = ContentStore::default();
        let head = put(&mut contents, r#"{"a":1}"#);
        let mut canvas = Canvas::default();
        assert!(!canvas.want(head, Policy::Exact), "nothing is bound");
        canvas.bind(true);
        assert!(canvas.want(head, Policy::Exact));
        assert_eq!(canvas.plan(&mut contents, r#"{ "a": 1.0 }"#), Plan::Nothing);
        // The same target again, but a person edited in between: it is written.
        canvas.want(head, Policy::Exact);
        assert_eq!(canvas.plan(&mut contents, r#"{"a":2}"#), Plan::Write(head));
        assert!(canvas.differs());
        canvas.written();
        assert!(!canvas.differs());
    }

    #[test]
    fn p14_only_an_untouched_canvas_follows_by_itself() {
        let mut contents = ContentStore::default();
        let old = put(&mut contents, "{\"v\":1}");
        let new = put(&mut contents, "{\"v\":2}");
        let mut canvas = Canvas::default();
        canvas.bind(true);
        canvas.want(new, Policy::IfUntouched);
        assert_eq!(canvas.plan(&mut contents, "{}"), Plan::LeaveAlone, "a first connect overwrites nothing");
        canvas.want(old, Policy::Exact);
        assert_eq!(canvas.plan(&mut contents, "{}"), Plan::Write(old));
        canvas.written();
        canvas.want(new, Policy::IfUntouched);
        assert_eq!(canvas.plan(&mut contents, "{\"v\":1}"), Plan::Write(new));
        canvas.want(new, Policy::IfUntouched);
        assert_eq!(canvas.plan(&mut contents, "{\"v\":3}"), Plan::LeaveAlone);
    }

    #[test]
    fn p14_a_failure_leaves_no_wish_behind_that_a_later_connect_would_carry_out() {
        let mut contents = ContentStore::default();
        let [old, new] = ["{\"v\":1}", "{\"v\":2}"].map(|text| put(&mut contents, text));
        let mut canvas = Canvas::default();
        canvas.bind(true);
        canvas.want(old, Policy::Exact);
        canvas.failed();
        canvas.want(new, Policy::IfUntouched);
        assert_eq!(canvas.plan(&mut contents, "{\"v\":3}"), Plan::LeaveAlone);
    }

    #[test]
    fn a_look_writes_nothing_but_sees_the_difference() {
        let mut contents = ContentStore::default();
        let head = put(&mut contents, "{\"v\":1}");
        let mut canvas = Canvas::default();
        canvas.bind(true);
        canvas.want(head, Policy::Look);
        assert_eq!(canvas.plan(&mut contents, "{\"v\":2}"), Plan::Nothing);
        assert!(canvas.differs());
        canvas.want(head, Policy::Look);
        canvas.want(head, Policy::Exact);
        canvas.want(head, Policy::Look);
        assert_eq!(canvas.plan(&mut contents, "{\"v\":2}"), Plan::Write(head), "the firmest wish counts");
    }

    #[test]
    fn a_canvas_that_cannot_be_read_is_left_alone() {
        let mut contents = ContentStore::default();
        let head = put(&mut contents, "{\"v\":1}");
        let mut canvas = Canvas::default();
        canvas.bind(true);
        canvas.want(head, Policy::Exact);
        assert_eq!(canvas.plan(&mut contents, "undefined"), Plan::Unreadable);
    }
}
