use super::reader::tag;
use super::*;

/// A client number near the upper end, on the wire.
const FAR: [u8; 8] = [0x8f, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];

/// An update of one client, 5, whose items begin at clock 3.
fn update(count: u8, items: &[u8]) -> Vec<u8> {
    [&[1, count, 5, 3], items, &[0]].concat()
}

/// One item in the root `v` with this content.
fn in_root(kind: u8, content: &[u8]) -> Vec<u8> {
    update(1, &[&[kind, 1, 1, b'v'], content].concat())
}

/// One plain value in the root `v`; it begins at byte 9.
fn value(bytes: &[u8]) -> Vec<u8> {
    in_root(kind::VALUES, &[&[1], bytes].concat())
}

#[track_caller]
fn passes(bytes: &[u8]) {
    assert_eq!(check_update(bytes), Ok(()), "{bytes:02x?}");
}

#[track_caller]
fn refused(bytes: &[u8], at: usize, offence: Offence) {
    assert_eq!(check_update(bytes), Err(UpdateFault { at, offence }), "{bytes:02x?}");
}

#[test]
fn every_kind_of_item_passes() {
    passes(&[0, 0]);
    for (kind, content) in [
        (kind::DELETED, &[4][..]),
        (kind::BINARY, &[2, 0xff, 0xfe]),
        (kind::TEXT, "\u{6}a😀b".as_bytes()),
        (kind::EMBED, b"\x04null"),
        (kind::FORMAT, b"\x04bold\x04true"),
        (kind::SHARED_TYPE, &[shared::MAP]),
        (kind::SHARED_TYPE, &[shared::XML_ELEMENT, 1, b'p']),
        (kind::VALUES, &[2, 126, 127]),
        (kind::SUBDOCUMENT, &[1, b'g', 118, 0]),
    ] {
        passes(&in_root(kind, content));
        passes(&in_root(kind | has::KEY, &[&[1, b'k'], content].concat()));
        passes(&update(1, &[&[kind | has::LEFT, 5, 2], content].concat()));
        passes(&update(1, &[&[kind | has::RIGHT, 9, 200, 1], content].concat()));
        passes(&update(1, &[&[kind | has::LEFT | has::RIGHT, 5, 2, 9, 0], content].concat()));
        passes(&update(1, &[&[kind, 0, 5, 2], content].concat()));
    }
    passes(&update(2, &[kind::COLLECTED, 3, kind::GAP, 2]));
}

#[test]
fn every_kind_of_value_passes() {
    for bytes in [
        &[tag::UNDEFINED][..],
        &[tag::NULL],
        &[tag::TRUE],
        &[tag::FALSE],
        &[tag::INTEGER, 0xbf, 0xff, 0xff, 0xff, 0x0f],
        &[tag::FLOAT_32, 0, 0, 0, 0],
        &[tag::FLOAT_64, 0, 0, 0, 0, 0, 0, 0, 0],
        &[tag::BIGINT, 0, 0, 0, 0, 0, 0, 0, 0],
        &[tag::TEXT, 1, b'a'],
        &[tag::BUFFER, 1, 0xff],
        &[tag::LIST, 0],
        &[tag::OBJECT, 0],
        &[tag::LIST, 3, tag::LIST, 1, tag::NULL, tag::OBJECT, 1, 1, b'k', tag::LIST, 0, tag::TRUE],
    ] {
        passes(&value(bytes));
    }
}

#[test]
fn x1_no_beginning_of_an_update_passes() {
    let whole = [
        &[2, 2][..],
        &FAR,
        &[0, kind::SHARED_TYPE | has::KEY, 1, 1, b'v', 1, b'k', shared::TEXT],
        &[kind::VALUES, 0, 5, 1, 1, tag::OBJECT, 1, 1, b'a', tag::FLOAT_64, 1, 2, 3, 4, 5, 6, 7, 8],
        &[1, 5, 3, kind::TEXT | has::LEFT, 5, 2, 3, b'a', b'b', b'c'],
        &[1, 9, 2, 1, 1, 4, 2],
    ]
    .concat();
    passes(&whole);
    for end in 0..whole.len() {
        assert!(check_update(&whole[..end]).is_err(), "{end} bytes");
    }
    refused(&[&whole[..], &[0]].concat(), whole.len(), Offence::Trailing);
    refused(&in_root(kind::TEXT, &[3, b'a'])[..9], 9, Offence::Truncated);
    refused(&[], 0, Offence::Truncated);
}

#[test]
fn x1_counts_end_with_the_bytes() {
    let many = [0x80, 0xad, 0xe2, 0x04];
    let too_many = Offence::CountTooLarge(10_000_000);
    refused(&many, 0, too_many);
    refused(&[&[1], &many[..], &[5, 0, 0]].concat(), 1, too_many);
    refused(&[&[0], &many[..], &[5, 0, 0]].concat(), 1, too_many);
    refused(&[&[0, 1, 5], &many[..], &[5, 0, 0]].concat(), 3, too_many);
    refused(&in_root(kind::VALUES, &many), 8, too_many);
    refused(&value(&[&[tag::LIST], &many[..]].concat()), 10, too_many);
    refused(&value(&[&[tag::OBJECT], &many[..]].concat()), 10, too_many);
}

#[test]
fn x1_numbers_have_53_bits() {
    let largest = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
    let one_more = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    passes(&[&[1, 1], &largest[..], &[0, kind::COLLECTED, 1, 0]].concat());
    refused(&[&[1, 1], &one_more[..], &[0, kind::COLLECTED, 1, 0]].concat(), 2, Offence::NumberTooLarge);
    refused(&[0x80; 30], 0, Offence::NumberTooLarge);
    // yrs reads this into 32 bits, as a text of one byte.
    refused(&in_root(kind::TEXT, &[0x81, 0x80, 0x80, 0x80, 0x10, b'a']), 15, Offence::Truncated);
    refused(&value(&[&[tag::INTEGER], &[0xff; 9][..], &[0]].concat()), 10, Offence::NumberTooLarge);
}

#[test]
fn x1_values_nest_64_deep() {
    let lists = |depth: usize| [[tag::LIST, 1].repeat(depth - 1), vec![tag::LIST, 0]].concat();
    let objects = |depth: usize| [[tag::OBJECT, 1, 0].repeat(depth - 1), vec![tag::OBJECT, 0]].concat();
    passes(&value(&lists(MAX_DEPTH)));
    passes(&value(&objects(MAX_DEPTH)));
    refused(&value(&lists(MAX_DEPTH + 1)), 9 + 2 * MAX_DEPTH, Offence::TooDeep);
    refused(&value(&objects(MAX_DEPTH + 1)), 9 + 3 * MAX_DEPTH, Offence::TooDeep);
    refused(&value(&[lists(100_000), vec![0; 2]].concat()), 9 + 2 * MAX_DEPTH, Offence::TooDeep);
}

#[test]
fn x1_json_nests_64_deep() {
    let json = |text: &str| in_root(kind::EMBED, &[&[text.len() as u8], text.as_bytes()].concat());
    passes(&json(&format!("{}{}", "[".repeat(40), "]".repeat(40))));
    passes(&json(&"[]".repeat(63)));
    passes(&json(&format!(r#""{}\"{}""#, "[".repeat(50), "{".repeat(50))));
    passes(&json(&format!("{}1", "[".repeat(MAX_DEPTH))));
    refused(&json(&"[{".repeat(MAX_DEPTH / 2 + 1)[..65]), 9 + MAX_DEPTH, Offence::TooDeep);
    refused(&json(&format!("\"\\\\\"{}", "{".repeat(MAX_DEPTH + 1))), 13 + MAX_DEPTH, Offence::TooDeep);
}

#[test]
fn x1_clocks_end_at_2_to_the_31() {
    let last = [0xff, 0xff, 0xff, 0xff, 0x07];
    let before_last = [0xfe, 0xff, 0xff, 0xff, 0x07];
    let beyond = [0x80, 0x80, 0x80, 0x80, 0x08];
    passes(&[&[1, 1, 5], &before_last[..], &[kind::COLLECTED, 1, 0]].concat());
    refused(&[&[1, 1, 5], &last[..], &[kind::COLLECTED, 1, 0]].concat(), 8, Offence::ClockTooLarge);
    refused(&[&[1, 1, 5], &beyond[..], &[kind::COLLECTED, 1, 0]].concat(), 3, Offence::ClockTooLarge);
    refused(&update(1, &[&[kind::COLLECTED], &last[..]].concat()), 4, Offence::ClockTooLarge);
    refused(&update(1, &[&[kind::DELETED, 1, 1, b'v'], &last[..]].concat()), 4, Offence::ClockTooLarge);
    refused(
        &update(1, &[&[kind::TEXT | has::LEFT, 9], &beyond[..], &[1, b'a']].concat()),
        6,
        Offence::ClockTooLarge,
    );
    passes(&[&[0, 1, 5, 1], &before_last[..], &[1]].concat());
    refused(&[&[0, 1, 5, 1], &before_last[..], &[2]].concat(), 4, Offence::ClockTooLarge);
    refused(&[&[0, 1, 5, 1, 1], &last[..]].concat(), 4, Offence::ClockTooLarge);
}

#[test]
fn x1_clients_descend() {
    let client = |client: u8| [1, client, 0, kind::COLLECTED, 1];
    passes(&[&[2], &client(9)[..], &client(5), &[0]].concat());
    refused(&[&[2], &client(5)[..], &client(5), &[0]].concat(), 7, Offence::ClientOutOfOrder(5));
    refused(&[&[2], &client(5)[..], &client(9), &[0]].concat(), 7, Offence::ClientOutOfOrder(9));
    // In the list of deletions they may come in any order.
    passes(&[0, 2, 5, 1, 0, 1, 9, 1, 0, 1]);
    passes(&[0, 2, 9, 1, 0, 1, 5, 1, 0, 1]);
}

#[test]
fn x1_an_item_refers_to_what_was_there_before() {
    let own_clock = 3;
    for later in [own_clock, own_clock + 1] {
        for item in
            [[kind::TEXT | has::LEFT, 5, later, 1, b'a'], [kind::TEXT | has::RIGHT, 5, later, 1, b'a']]
        {
            refused(&update(1, &item), 5, Offence::LaterReference);
        }
        refused(&update(1, &[kind::TEXT, 0, 5, later, 1, b'a']), 6, Offence::LaterReference);
        passes(&update(1, &[kind::TEXT | has::LEFT, 9, later, 1, b'a']));
    }
    // The second item comes after the two clocks of the first.
    passes(&update(2, &[kind::COLLECTED, 2, kind::TEXT | has::LEFT, 5, 4, 1, b'a']));
    refused(
        &update(2, &[kind::COLLECTED, 2, kind::TEXT | has::LEFT, 5, 5, 1, b'a']),
        7,
        Offence::LaterReference,
    );
    // An emoji takes two clocks.
    let emoji = "\u{4}😀".as_bytes();
    passes(&update(
        2,
        &[&[kind::TEXT, 1, 1, b'v'], emoji, &[kind::TEXT | has::LEFT, 5, 4, 1, b'a']].concat(),
    ));
}

#[test]
fn x1_what_is_announced_is_there() {
    refused(&[1, 0, 5, 0, 0], 1, Offence::Empty);
    refused(&update(1, &[kind::COLLECTED, 0]), 5, Offence::Empty);
    refused(&update(1, &[kind::GAP, 0]), 5, Offence::Empty);
    refused(&[0, 1, 5, 1, 7, 0], 5, Offence::Empty);
    // A client whose deletions are none is only superfluous.
    passes(&[0, 1, 5, 0]);
    // Left behind by an old yrs.
    passes(&in_root(kind::DELETED, &[0]));
    passes(&in_root(kind::TEXT, &[0]));
    passes(&in_root(kind::VALUES, &[0]));
}

#[test]
fn x1_texts_are_utf8() {
    refused(&in_root(kind::TEXT, &[2, b'a', 0xff]), 10, Offence::NotUtf8);
    refused(&in_root(kind::EMBED, &[1, 0xc3]), 9, Offence::NotUtf8);
    refused(&update(1, &[kind::DELETED, 1, 1, 0xff, 1]), 7, Offence::NotUtf8);
    refused(&value(&[tag::TEXT, 3, 0xed, 0xa0, 0x80]), 11, Offence::NotUtf8);
}

#[test]
fn x1_unknown_kinds() {
    let unknown = |what, kind| Offence::UnknownKind { what, kind };
    // JSON of old yjs, a moved range of newer experiments, and what has never been.
    for kind in [2, 11, 15, 16, 31] {
        refused(&in_root(kind, &[1, 1, b'1']), 4, unknown("an item", kind.into()));
    }
    // An XML hook, a link, a subdocument, and one that nobody declared.
    for kind in [5, 7, 9, 15, 255] {
        refused(&in_root(kind::SHARED_TYPE, &[kind, 1, b'p']), 8, unknown("a shared type", kind.into()));
    }
    for kind in [0, 115, 128] {
        refused(&value(&[kind, 1, b'a']), 9, unknown("a value", kind.into()));
    }
    refused(&update(1, &[kind::TEXT, 2, 1, b'v', 1, b'a']), 5, unknown("a parent", 2));
}

#[test]
fn x1_state_vectors() {
    assert_eq!(check_state_vector(&[0]), Ok(()));
    assert_eq!(check_state_vector(&[&[2, 5, 7], &FAR[..], &[200, 1]].concat()), Ok(()));
    for (bytes, at, offence) in [
        (&[][..], 0, Offence::Truncated),
        (&[1, 5], 2, Offence::Truncated),
        (&[1, 5, 7, 0], 3, Offence::Trailing),
        (&[9, 5, 7], 0, Offence::CountTooLarge(9)),
        (&[1, 5, 0x80, 0x80, 0x80, 0x80, 0x08], 2, Offence::ClockTooLarge),
        (&[1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10, 0], 1, Offence::NumberTooLarge),
    ] {
        assert_eq!(check_state_vector(bytes), Err(UpdateFault { at, offence }), "{bytes:02x?}");
    }
}

#[test]
fn x2_a_fault_is_a_sentence_with_its_place() {
    let fault = check_update(&in_root(2, &[1, 1, b'1'])).unwrap_err();
    assert_eq!(fault.to_string(), "no sense at byte 4: an item of kind 2 is not read here");
    let fault = check_update(&[9, 0]).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "no sense at byte 0: 9 things are announced, more than there are bytes left"
    );
}
