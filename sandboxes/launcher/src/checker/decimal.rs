//! Finite ASCII decimals, compared without making a number of them.
//!
//! A decimal is a sign or none, digits with a point somewhere or none (`5.` and `.5` count, `.` does not), and an exponent
//! or none. A superfluous zero in front (`0011`, `00.5`) makes it text; one in an exponent (`1e05`, as C prints it) does
//! not. Comparing is exact at any length and takes time linear in the text, whatever the exponent says.

use std::cmp::Ordering;

/// How far two numbers may be apart: by either of the two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// By their difference.
    pub absolute: f64,
    /// By their difference over the larger of the two.
    pub relative: f64,
}

impl Tolerance {
    /// That of `CodeContests`.
    pub const CODE_CONTESTS: Self = Self { absolute: 1e-5, relative: 1e-5 };
}

/// Numbers exactly as far apart as is allowed stay within it, although a difference of floats is rounded.
const ROUNDING: f64 = 1.0 + 1e-9;
/// A difference of as many digits tells more than a float can hold.
const ENOUGH: i64 = 100_000_000_000_000_000;
/// A number that is smaller by as many powers of ten changes nothing that a float can hold.
const MOST_PLACES: usize = 40;
/// More than the powers of ten of all floats together, of one sign.
const MOST_POWER: i64 = 700;
/// An exponent of more digits is text: no one needs it, and its arithmetic would overflow.
const MOST_EXPONENT_DIGITS: usize = 17;

/// A decimal, as slices of the token.
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'a> {
    negative: bool,
    /// Significant digits: those before the point, then those after it, without zeros at either end.
    whole: &'a [u8],
    fraction: &'a [u8],
    /// The value is `0.DIGITS * 10^magnitude`.
    magnitude: i64,
    integer: bool,
}

impl<'a> Decimal<'a> {
    /// Reads a token; `None` if it is text.
    #[must_use]
    pub fn parse(token: &'a [u8]) -> Option<Self> {
        let (negative, rest) = match token {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] | rest => (false, rest),
        };
        let (whole, rest) = split_digits(rest);
        let (point, fraction, rest) = match rest {
            [b'.', rest @ ..] => {
                let (fraction, rest) = split_digits(rest);
                (true, fraction, rest)
            }
            rest => (false, &[][..], rest),
        };
        if whole.len() + fraction.len() == 0 || (whole.len() > 1 && whole[0] == b'0') {
            return None;
        }
        let exponent = match rest {
            [] => None,
            [b'e' | b'E', rest @ ..] => Some(parse_exponent(rest)?),
            _ => return None,
        };
        let integer = !point && exponent.is_none();
        Some(Self::normalised(negative, whole, fraction, exponent.unwrap_or(0), integer))
    }

    fn normalised(negative: bool, whole: &'a [u8], fraction: &'a [u8], exponent: i64, integer: bool) -> Self {
        let length = |digits: &[u8]| i64::try_from(digits.len()).unwrap_or(i64::MAX / 4);
        let mut magnitude = length(whole) + exponent;
        let (mut whole, mut fraction) = (whole, fraction);
        let zeros_first = leading_zeros(whole);
        magnitude -= length(&whole[..zeros_first]);
        whole = &whole[zeros_first..];
        if whole.is_empty() {
            let zeros = leading_zeros(fraction);
            magnitude -= length(&fraction[..zeros]);
            fraction = &fraction[zeros..];
        }
        fraction = without_trailing_zeros(fraction);
        if fraction.is_empty() {
            whole = without_trailing_zeros(whole);
        }
        Self { negative, whole, fraction, magnitude, integer }
    }

    /// Written without a point and without an exponent.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.integer
    }

    /// Whether it is 0, of either sign.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn digits(&self) -> impl Iterator<Item = &'a u8> + use<'a> {
        self.whole.iter().chain(self.fraction)
    }

    fn digit_count(&self) -> usize {
        self.whole.len() + self.fraction.len()
    }

    /// Whether both are exactly the same number.
    #[must_use]
    pub fn same_value(&self, other: &Self) -> bool {
        if self.is_zero() || other.is_zero() {
            return self.is_zero() && other.is_zero();
        }
        self.negative == other.negative
            && self.magnitude == other.magnitude
            && self.digit_count() == other.digit_count()
            && self.digits().eq(other.digits())
    }

    /// The order by value.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| if number.is_zero() { 0 } else { 1 - 2 * i32::from(number.negative) };
        let by_size = || self.magnitude.cmp(&other.magnitude).then_with(|| self.digits().cmp(other.digits()));
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => by_size(),
            _ => by_size().reverse(),
        })
    }

    /// The digits as a fraction in `[0.1, 1)`, or 0, with the sign.
    fn scaled(&self) -> f64 {
        // 19 digits fit, and tell more than a float can hold.
        let mut value: u64 = 0;
        let mut scale = 1.0;
        for digit in self.digits().take(19) {
            value = value * 10 + u64::from(digit - b'0');
            scale *= 10.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is wanted")]
        let value = value as f64 / scale;
        if self.negative { -value } else { value }
    }

    /// Whether both are near enough to each other. Symmetric.
    #[must_use]
    pub fn is_within(&self, other: &Self, tolerance: Tolerance) -> bool {
        if self.same_value(other) {
            return true;
        }
        // Both over the power of ten of the larger, so that no exponent leaves the range of a float.
        let nonzero = [self, other].into_iter().filter(|number| !number.is_zero());
        let common = nonzero.map(|number| number.magnitude).max().unwrap_or(0);
        let at = |number: &Self| if number.magnitude == common { number.scaled().abs() } else { 0.0 };
        let largest = at(self).max(at(other));
        let (difference, power) = self.difference(other, common);
        at_most(difference, power, tolerance.relative * largest * ROUNDING)
            || at_most(difference, power.saturating_add(common), tolerance.absolute * ROUNDING)
    }

    /// How far two different numbers are apart, as `(d, p)` for `d * 10^p` over the power of ten `common` of the
    /// larger. Digit by digit: a difference of floats has lost what two long numbers differ by.
    fn difference(&self, other: &Self, common: i64) -> (f64, i64) {
        // The first place of `common` is that of the larger one's first digit.
        let digits = |number: &Self| {
            let places_before = if number.is_zero() { 0 } else { common.saturating_sub(number.magnitude) };
            let zeros = usize::try_from(places_before).unwrap_or(usize::MAX).min(MOST_PLACES);
            std::iter::repeat_n(0_i64, zeros).chain(number.digits().map(|digit| i64::from(digit - b'0')))
        };
        let sign = if self.negative == other.negative { -1 } else { 1 };
        let (mut a, mut b) = (digits(self), digits(other));
        let (mut sum, mut places) = (0_i64, 0_i64);
        while sum.abs() < ENOUGH {
            let (x, y) = (a.next(), b.next());
            if x.is_none() && y.is_none() {
                break;
            }
            sum = sum * 10 + x.unwrap_or(0) + sign * y.unwrap_or(0);
            places += 1;
        }
        #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is wanted")]
        let sum = sum.abs() as f64;
        (sum, -places)
    }
}

/// Whether `value * 10^power` is at most a limit, whatever floats can hold.
fn at_most(value: f64, power: i64, limit: f64) -> bool {
    // In two halves: 10^-400 is no float, and neither need be the product of a limit and the whole.
    let half = i32::try_from((-power).clamp(-MOST_POWER, MOST_POWER) / 2).unwrap_or(0);
    let rest = i32::try_from((-power).clamp(-MOST_POWER, MOST_POWER)).unwrap_or(0) - half;
    value == 0.0 || (limit > 0.0 && value <= limit * 10_f64.powi(half) * 10_f64.powi(rest))
}

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len()))
}

fn leading_zeros(digits: &[u8]) -> usize {
    digits.iter().position(|digit| *digit != b'0').unwrap_or(digits.len())
}

fn without_trailing_zeros(digits: &[u8]) -> &[u8] {
    let end = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
    &digits[..end]
}

fn parse_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let significant = &digits[leading_zeros(digits)..];
    if significant.len() > MOST_EXPONENT_DIGITS {
        return None;
    }
    let value = significant.iter().fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'));
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal<'_> {
        Decimal::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_border_of_the_tolerance_is_within_it() {
        let within = |a, b| {
            let tolerance = Tolerance { absolute: 1e-5, relative: 0.0 };
            let one = number(a).is_within(&number(b), tolerance);
            assert_eq!(one, number(b).is_within(&number(a), tolerance));
            one
        };
        assert!(within("0.5", "0.50001"));
        assert!(within("0", "0.00001"));
        assert!(within("0", "-0.00001"));
        assert!(!within("0.5", "0.500011"));
        assert!(!within("0", "0.000011"));
        assert!(!within("0.00001", "-0.00001"));
    }

    #[test]
    fn long_numbers_are_as_far_apart_as_their_digits_say() {
        let within = |a: &str, b: &str, absolute, relative| {
            let tolerance = Tolerance { absolute, relative };
            let one = number(a).is_within(&number(b), tolerance);
            assert_eq!(one, number(b).is_within(&number(a), tolerance));
            one
        };
        assert!(!within("33991090004909906898", "33991090004909906828", 0.5, 0.0));
        assert!(within("33991090004909906898", "33991090004909906828", 71.0, 0.0));
        assert!(!within("1.00000000000000000000001", "1.0", 0.0, 0.0));
        assert!(!within("9e-324", "-9e-324", 0.0, 0.01));
        assert!(!within("-0.6e-400", "0", 0.0, 1e-5));
        assert!(within("1e-400", "1.001e-400", 0.0, 0.01));
        assert!(within("1e-400", "2e-400", 1e-300, 0.0));
        assert!(!within("1e400", "1.1e400", 1e300, 0.01));
        assert!(within("1e99999999999999999", "1.001e99999999999999999", 0.0, 0.01));
        assert!(!within("1e99999999999999999", "1e-99999999999999999", 0.5, 0.5));
        let nines = "9".repeat(100_000);
        assert!(within(&format!("0.{nines}"), "1", 1e-9, 0.0));
        assert!(!within(&format!("{nines}.0"), &format!("1{}", "0".repeat(100_000)), 0.5, 0.0));
    }

    #[test]
    fn order_is_by_value() {
        let ascending = ["-1e300", "-20", "-3", "-0.5", "0", "1e-9", "0.5", "3", "20", "100.5", "1e300"];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(number(a).order(&number(b)), i.cmp(&j), "{a} {b}");
            }
        }
        assert_eq!(number("-0").order(&number("0.0")), Ordering::Equal);
    }

    #[test]
    fn many_zeros_do_not_count_as_digits() {
        let zeros = "0".repeat(100_000);
        assert!(number(&format!("1.{zeros}")).same_value(&number("1")));
        assert!(number(&format!("1{zeros}")).same_value(&number("1e100000")));
        assert!(number(&format!("0.{zeros}1")).same_value(&number("1e-100001")));
    }
}
