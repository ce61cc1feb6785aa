//! When a canvas is written, and when it is left alone.

use super::*;

fn put(contents: &mut ContentStore, text: &str) -> ContentIx {
    contents.take_in(text, None).unwrap()
}

#[test]
fn p2_p12_equal_is_not_written_and_the_canvas_itself_is_compared() {
    let mut contents = ContentStore::default();
    let head = put(&mut contents, r#"{"a":1}"#);
    let mut canvas = Canvas::default();
    assert!(!canvas.want(head, Policy::Exact, None), "nothing is bound");
    canvas.bind(Surface::Plain);
    assert!(canvas.want(head, Policy::Exact, None));
    assert_eq!(canvas.plan(&mut contents, r#"{ "a": 1.0 }"#), Plan::Nothing);
    // The same target again, but a person edited in between: it is written.
    canvas.want(head, Policy::Exact, None);
    assert_eq!(canvas.plan(&mut contents, r#"{"a":2}"#), Plan::Write(head));
    assert!(canvas.differs());
    canvas.written(&mut contents);
    assert!(!canvas.differs());
}

#[test]
fn p14_only_an_untouched_canvas_follows_by_itself() {
    let mut contents = ContentStore::default();
    let old = put(&mut contents, "{\"v\":1}");
    let new = put(&mut contents, "{\"v\":2}");
    let mut canvas = Canvas::default();
    canvas.bind(Surface::Plain);
    canvas.want(new, Policy::IfUntouched, None);
    assert_eq!(canvas.plan(&mut contents, "{}"), Plan::LeaveAlone, "a first connect overwrites nothing");
    canvas.want(old, Policy::Exact, None);
    assert_eq!(canvas.plan(&mut contents, "{}"), Plan::Write(old));
    canvas.written(&mut contents);
    canvas.want(new, Policy::IfUntouched, None);
    assert_eq!(canvas.plan(&mut contents, "{\"v\":1}"), Plan::Write(new));
    canvas.want(new, Policy::IfUntouched, None);
    assert_eq!(canvas.plan(&mut contents, "{\"v\":3}"), Plan::LeaveAlone);
}

#[test]
fn p14_a_failure_leaves_no_wish_behind_that_a_later_connect_would_carry_out() {
    let mut contents = ContentStore::default();
    let [old, new] = ["{\"v\":1}", "{\"v\":2}"].map(|text| put(&mut contents, text));
    let mut canvas = Canvas::default();
    canvas.bind(Surface::Plain);
    canvas.want(old, Policy::Exact, None);
    canvas.failed();
    canvas.want(new, Policy::IfUntouched, None);
    assert_eq!(canvas.plan(&mut contents, "{\"v\":3}"), Plan::LeaveAlone);
}

#[test]
fn a_look_writes_nothing_but_sees_the_difference() {
    let mut contents = ContentStore::default();
    let head = put(&mut contents, "{\"v\":1}");
    let mut canvas = Canvas::default();
    canvas.bind(Surface::Plain);
    canvas.want(head, Policy::Look, None);
    assert_eq!(canvas.plan(&mut contents, "{\"v\":2}"), Plan::Nothing);
    assert!(canvas.differs());
    canvas.want(head, Policy::Look, None);
    canvas.want(head, Policy::Exact, None);
    canvas.want(head, Policy::Look, None);
    assert_eq!(canvas.plan(&mut contents, "{\"v\":2}"), Plan::Write(head), "the firmest wish counts");
}

#[test]
fn a_canvas_that_cannot_be_read_is_left_alone() {
    let mut contents = ContentStore::default();
    let head = put(&mut contents, "{\"v\":1}");
    let mut canvas = Canvas::default();
    canvas.bind(Surface::Plain);
    canvas.want(head, Policy::Exact, None);
    assert_eq!(canvas.plan(&mut contents, "undefined"), Plan::Unreadable);
}
