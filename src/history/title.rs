//! A turn in one line (H3).

use unicode_segmentation::UnicodeSegmentation;

/// Most characters (grapheme clusters) of a title.
pub const LONGEST: usize = 80;

/// The first line of a prompt that says anything, white space folded, cut between two characters as a reader sees
/// them. `number` names a turn whose prompt says nothing.
pub fn title(prompt: &str, number: usize) -> String {
    let line = prompt
        .split(['\n', '\r', '\u{2028}', '\u{2029}'])
        .find(|line| line.split_whitespace().next().is_some());
    let Some(line) = line else {
        return format!("Turn {number}");
    };
    let mut folded = String::new();
    // A title needs a few hundred bytes of a prompt that may have millions.
    let mut graphemes = 0;
    for word in line.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        for grapheme in word.graphemes(true) {
            folded.push_str(grapheme);
            graphemes += 1;
            if graphemes > LONGEST {
                break;
            }
        }
        if graphemes > LONGEST {
            break;
        }
    }
    if folded.graphemes(true).count() <= LONGEST {
        return folded;
    }
    let mut cut: String = folded.graphemes(true).take(LONGEST - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h3_first_line_white_space_folded() {
        for (prompt, expected) in [
            ("  build \t a\u{a0}workflow \r\nand more", "build a workflow"),
            ("\n\n second line", "second line"),
            ("", "Turn 7"),
            (" \n\t ", "Turn 7"),
        ] {
            assert_eq!(title(prompt, 7), expected);
        }
    }

    #[test]
    fn h3_at_most_80_and_never_half_a_character() {
        assert_eq!(title(&"a".repeat(80), 1), "a".repeat(80));
        assert_eq!(title(&"a".repeat(81), 1), "a".repeat(79) + "…");
        let family = "👨‍👩‍👧‍👦";
        assert_eq!(title(&family.repeat(80), 1), family.repeat(80));
        assert_eq!(title(&family.repeat(200), 1), family.repeat(79) + "…");
        assert_eq!(title(&"ab ".repeat(1_000_000), 1).graphemes(true).count(), 80);
    }
}
