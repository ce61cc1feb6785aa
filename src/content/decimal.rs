//! Numbers as exact decimals, so that no two that differ are called the same (C2).

/// A number as an exact decimal: `±0.DIGITS × 10^exponent`, no zero at either end of the digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: Exponent,
}

/// A power of ten. One that fits is never written out, so that equal powers are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Exponent {
    Fits(i128),
    /// Sign and digits, without leading zeros.
    Huge(bool, Vec<u8>),
}

impl Decimal {
    pub(super) fn of(text: &str) -> Self {
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
        let exponent = Exponent::of(power, shift);
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
            Exponent::Huge(negative, digits) => {
                if *negative {
                    out.push(b'-');
                }
                out.extend_from_slice(digits);
            }
        }
    }
}

impl Exponent {
    /// `power`, as it is written, plus `shift`.
    fn of(power: &str, shift: i64) -> Self {
        if let Some(sum) = power.parse::<i128>().ok().and_then(|power| power.checked_add(i128::from(shift))) {
            return Exponent::Fits(sum);
        }
        let negative = power.starts_with('-');
        let mut digits: Vec<u8> =
            power.trim_start_matches(['+', '-']).trim_start_matches('0').bytes().collect();
        // The power has more digits than a shift can have, so its sign is that of the sum.
        if negative == (shift < 0) {
            add(&mut digits, shift.unsigned_abs());
        } else {
            take(&mut digits, shift.unsigned_abs());
        }
        let text = std::str::from_utf8(&digits).unwrap_or("");
        let sign = if negative { "-" } else { "" };
        // With its sign, since there is one negative number more than there are positive ones.
        let fits = format!("{sign}{text}").parse::<i128>().ok();
        fits.map_or(Exponent::Huge(negative, digits), Exponent::Fits)
    }
}

/// Adds to a number written in digits.
fn add(digits: &mut Vec<u8>, mut carry: u64) {
    for digit in digits.iter_mut().rev() {
        if carry == 0 {
            return;
        }
        let sum = u64::from(*digit - b'0') + carry % 10;
        *digit = b'0' + (sum % 10) as u8;
        carry = carry / 10 + sum / 10;
    }
    while carry > 0 {
        digits.insert(0, b'0' + (carry % 10) as u8);
        carry /= 10;
    }
}

/// Takes away from a number written in digits that is larger.
fn take(digits: &mut Vec<u8>, mut borrow: u64) {
    for digit in digits.iter_mut().rev() {
        if borrow == 0 {
            break;
        }
        let (have, less) = (u64::from(*digit - b'0'), borrow % 10);
        borrow /= 10;
        *digit = b'0' + ((have + 10 - less) % 10) as u8;
        borrow += u64::from(have < less);
    }
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.drain(..zeros);
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
            ("10e99999999999999999998", "1e99999999999999999999", true),
            ("1e-0999999999999999999999", "1e-999999999999999999999", true),
            ("1e1152921504606846976", "10e1152921504606846975", true),
            ("1e-9223372036854775808", "0.1e-9223372036854775807", true),
            // 2^127 and its neighbours: where a power stops to fit.
            (
                "1e170141183460469231731687303715884105727",
                "0.1e170141183460469231731687303715884105728",
                true,
            ),
            ("10e170141183460469231731687303715884105727", "1e170141183460469231731687303715884105728", true),
            (
                "1e-170141183460469231731687303715884105730",
                "10e-170141183460469231731687303715884105731",
                true,
            ),
            (
                "0.1e1000000000000000000000000000000000000000",
                "1e999999999999999999999999999999999999999",
                true,
            ),
            (
                "10e999999999999999999999999999999999999999",
                "1e1000000000000000000000000000000000000000",
                true,
            ),
            (
                "100e999999999999999999999999999999999999999",
                "1e1000000000000000000000000000000000000000",
                false,
            ),
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
