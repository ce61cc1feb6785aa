//! C1 and C2: exact text, and equality that ignores what does not matter and nothing else.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may

mod values;

use headway::content::{ContentStore, Json, canonical};
use proptest::prelude::*;
use values::{Dice, document, nudge, same, spelled, value};

/// Both ways to decide, in both directions.
fn check(a: &str, b: &str, expected: bool) {
    let (left, right) = (Json::check(a).unwrap(), Json::check(b).unwrap());
    assert_eq!(canonical::equal(left, right), expected, "{a}\n{b}");
    assert_eq!(canonical::equal(right, left), expected, "{b}\n{a}");
    assert_eq!(canonical::form(left) == canonical::form(right), expected, "forms\n{a}\n{b}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn c2_two_spellings_of_one_value_are_equal(value in value(), a in any::<u64>(), b in any::<u64>()) {
        check(&spelled(&value, a), &spelled(&value, b), true);
    }

    #[test]
    fn c2_a_small_difference_anywhere_is_seen(value in value(), a in any::<u64>(), b in any::<u64>(), at in any::<u64>()) {
        let other = nudge(&value, &mut Dice(at));
        check(&spelled(&value, a), &spelled(&other, b), same(&value, &other));
    }

    #[test]
    fn c2_any_two_values(left in value(), right in value(), a in any::<u64>(), b in any::<u64>()) {
        check(&spelled(&left, a), &spelled(&right, b), same(&left, &right));
    }

    /// Documents of the schema, and documents that only look like it.
    #[test]
    fn c1_c2_a_store_gives_back_what_it_was_given(values in prop::collection::vec((document(), any::<u64>()), 1..12)) {
        let texts: Vec<String> = values.iter().map(|(value, seed)| spelled(value, *seed).trim().to_owned()).collect();
        let mut store = ContentStore::default();
        let mut kept: Vec<_> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            // With any other content at hand, near or not.
            let near = kept.get((values[at].1 % 7) as usize).copied();
            kept.push(store.take_in(text, near).unwrap());
        }
        for (text, content) in texts.iter().zip(&kept) {
            prop_assert_eq!(store.text(*content), Some(text.clone()));
        }
        for (a, (left, _)) in values.iter().enumerate() {
            for (b, (right, _)) in values.iter().enumerate() {
                prop_assert_eq!(texts[a] == texts[b], kept[a] == kept[b]);
                prop_assert_eq!(store.equal(kept[a], kept[b]), same(left, right), "{}\n{}", &texts[a], &texts[b]);
            }
        }
        // Half of them go; the others stay whole, and what comes again is taken in again.
        let stay: Vec<_> = kept.iter().copied().step_by(2).collect();
        store.retain(stay.iter().copied());
        for (at, content) in kept.iter().enumerate() {
            if stay.contains(content) {
                prop_assert_eq!(store.text(*content), Some(texts[at].clone()));
            }
        }
        let again: Vec<_> = texts.iter().map(|text| store.take_in(text, stay.first().copied()).unwrap()).collect();
        for (text, content) in texts.iter().zip(&again) {
            prop_assert_eq!(store.text(*content), Some(text.clone()));
        }
        store.retain(std::iter::empty());
        prop_assert_eq!((store.len(), store.entities(), store.nodes()), (0, 0, 0), "nothing is left behind");
    }

    /// C2 and C3: a store agrees with the canonical forms on documents that differ little, and keeps them as little.
    #[test]
    fn c2_a_store_sees_a_small_difference(value in document(), a in any::<u64>(), b in any::<u64>(), at in any::<u64>()) {
        let other = nudge(&value, &mut Dice(at));
        let (left, right) = (spelled(&value, a), spelled(&other, b));
        let mut store = ContentStore::default();
        let Ok(one) = store.take_in(&left, None) else { return Ok(()) };
        let Ok(two) = store.take_in(&right, Some(one)) else { return Ok(()) };
        prop_assert_eq!(store.equal(one, two), same(&value, &other), "{}\n{}", left, right);
        prop_assert_eq!(store.text(two), Some(right.trim().to_owned()));
    }
}

/// An operator of a few hundred bytes, in several scripts, that is edited a little at a time.
fn edited(text: &mut Vec<char>, dice: &mut Dice) {
    let at = dice.roll(text.len() as u64) as usize;
    match dice.roll(3) {
        0 => text[at] = ['a', 'é', '中', '🙏'][dice.roll(4) as usize],
        1 => text.insert(at, ['b', 'ß', '文', '🎉'][dice.roll(4) as usize]),
        _ => drop(text.remove(at)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// C1, C3: versions that differ little are kept as what differs, and come back whole, whatever goes in between.
    #[test]
    fn c1_c3_a_long_line_of_versions_comes_back_letter_by_letter(dice in any::<u64>()) {
        let mut dice = Dice(dice);
        let mut store = ContentStore::default();
        let mut names: Vec<Vec<char>> = (0..6).map(|at| format!("operator {at} 中文 ").repeat(12).chars().collect()).collect();
        let mut kept: Vec<(headway::content::ContentIx, String)> = Vec::new();
        for _ in 0..60 {
            for _ in 0..=dice.roll(3) {
                let at = dice.roll(names.len() as u64) as usize;
                edited(&mut names[at], &mut dice);
            }
            let operators = names.iter().enumerate().map(|(at, name)| {
                serde_json::json!({ "operatorID": format!("op{at}"), "name": name.iter().collect::<String>() })
            });
            let text = serde_json::json!({ "operators": operators.collect::<Vec<_>>(), "links": [] }).to_string();
            let near = kept.get(dice.roll(kept.len() as u64 + 1) as usize).map(|(content, _)| *content);
            kept.push((store.take_in(&text, near).unwrap(), text));
            if dice.roll(8) == 0 {
                // Some go, in the middle of it all: what others are made from has to stay.
                kept.retain(|_| dice.roll(3) > 0);
                store.retain(kept.iter().map(|(content, _)| *content));
            }
            for (content, text) in &kept {
                prop_assert_eq!(store.text(*content), Some(text.clone()));
            }
        }
        let (first, last) = (kept[0].0, kept[kept.len() - 1].0);
        let edits = store.diff(first, last);
        let there = store.apply(first, &edits).unwrap();
        prop_assert!(store.equal(there, last));
        store.retain(std::iter::empty());
        prop_assert_eq!((store.len(), store.entities(), store.nodes()), (0, 0, 0), "nothing is left behind");
    }
}

/// C3 in counted work: k of n entities changed cost O(k log n) nodes and little text, whatever n is.
#[test]
fn c3_a_version_costs_what_is_different_in_it() {
    let content = |n: usize, version: usize| {
        let operators: Vec<_> = (0..n)
            .map(|at| {
                let limit = if at % 331 == 7 { version } else { 0 };
                serde_json::json!({ "operatorID": format!("op{at}"), "operatorType": "Limit", "text": "x".repeat(300), "limit": limit })
            })
            .collect();
        serde_json::json!({ "operators": operators, "links": [] }).to_string()
    };
    for n in [1_000, 4_000] {
        let mut store = ContentStore::default();
        let mut near = None;
        let mut take = |store: &mut ContentStore, version| {
            let content = store.take_in(&content(n, version), near).unwrap();
            near = Some(content);
        };
        take(&mut store, 1);
        let (nodes, entities, bytes) = (store.nodes(), store.entities(), store.bytes());
        for version in 2..=21 {
            take(&mut store, version);
        }
        let changed = 20 * n.div_ceil(331);
        assert!(store.entities() - entities <= changed, "one atom for each changed entity");
        let levels = 6;
        assert!(
            store.nodes() - nodes <= changed * levels,
            "{} nodes for {changed} changes of {n}",
            store.nodes() - nodes
        );
        assert!(
            store.bytes() - bytes <= changed * 1_300,
            "{} bytes for {changed} changes of {n}",
            store.bytes() - bytes
        );
    }
}
