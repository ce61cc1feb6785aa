//! Numbers as exact decimals, so that no two that differ are called the same (C2).

/// A number as an exact decimal: `±0.DIGITS × 10^exponent`, no zero at either end of the digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal<'a> {
    negative: bool,
    digits: Vec<u8>,
    exponent: Exponent<'a>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Exponent<'a> {
    Fits(i64),
    /// An exponent of more than 18 digits: compared as it is written, together with the shift that the digits ask for.
    Huge(&'a str, i64),
}

impl<'a> Decimal<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = whole.bytes().chain(fraction.bytes());
        let leading = all.clone().take_while(|d| *d == b'0').count();
        let mut digits: Vec<u8> = all.skip(leading).collect();
        digits.truncate(digits.iter().rposition(|d| *d != b'0').map_or(0, |last| last + 1));
        if digits.is_empty() {
            return Decimal { negative: false, digits, exponent: Exponent::Fits(0) };
        }
        let shift = whole.len() as i64 - leading as i64; // a text never has 2^63 characters
        let exponent = match power.parse::<i64>().ok().filter(|p| p.abs() < 1 << 60) {
            Some(power) => Exponent::Fits(power + shift),
            None => Exponent::Huge(trim_power(power), shift),
        };
        Decimal { negative, digits, exponent }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        if self.digits.is_empty() {
            out.push(b'0');
            return;
        }
        if self.negative {
            out.push(b'-');
        }
        out.extend_from_slice(&self.digits);
        out.push(b'e');
        match &self.exponent {
            Exponent::Fits(power) => out.extend_from_slice(power.to_string().as_bytes()),
            Exponent::Huge(power, shift) => out.extend_from_slice(format!("{power}+{shift}").as_bytes()),
        }
    }
}

fn trim_power(power: &str) -> &str {
    // "+00012…" and "12…" are one exponent; a minus stays, and what lies behind it is compared as written.
    power.strip_prefix('+').unwrap_or(power).trim_start_matches('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c2_spelling_does_not_matter_and_nothing_is_rounded() {
        for (a, b, same) in [
            ("1.0", "1", true),
            ("10e-1", "1", true),
            ("-0", "0.00e7", true),
            ("1e21", "1000000000000000000000", true),
            ("0.1", "0.1000000000000000055", false),
            ("9007199254740993", "9007199254740992", false),
            ("1e400", "1e401", false),
            ("-1", "1", false),
            ("1e99999999999999999999", "1e+099999999999999999999", true),
            ("1e99999999999999999999", "1e-99999999999999999999", false),
        ] {
            assert_eq!(Decimal::of(a) == Decimal::of(b), same, "{a} ~ {b}");
            let written = |text| {
                let mut out = Vec::new();
                Decimal::of(text).write(&mut out);
                out
            };
            assert_eq!(written(a) == written(b), same, "{a} ~ {b}, written");
        }
    }
}
