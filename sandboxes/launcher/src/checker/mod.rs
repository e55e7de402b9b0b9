//! Whether an output is right: comparisons of bytes with expected bytes, in linear time, with no allocation per token.
//!
//! The default is that of `CodeContests`: tokens split on ASCII white space, as many on both sides, each pair equal as
//! bytes but for ASCII case, or equal as numbers. See [`decimal`] for what a number is.

pub mod decimal;
mod lines;

use decimal::{Decimal, Tolerance};

/// How an output is compared with the expected one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Checker {
    /// Equal bytes, but for white space at the end of the whole output.
    Exact,
    /// Equal tokens.
    Tokens(Numbers),
    /// Equal lines of tokens in any order; empty lines are ignored.
    UnorderedLines(Numbers),
}

/// When two numbers are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Numbers {
    /// The same value: `123.0` and `123`, `1e5` and `100000`.
    SameValue,
    /// Two integers: the same value. Else within the tolerance.
    DecimalsWithin(Tolerance),
    /// Within the tolerance, integers too.
    AllWithin(Tolerance),
}

impl Numbers {
    /// Of the default checker: a tolerance only in problems that have decimals among their expected outputs.
    #[must_use]
    pub fn of_problem(decimals: bool) -> Self {
        if decimals { Self::DecimalsWithin(Tolerance::CODE_CONTESTS) } else { Self::SameValue }
    }
}

impl Checker {
    /// Whether the output is accepted.
    #[must_use]
    pub fn accepts(&self, expected: &[u8], output: &[u8]) -> bool {
        match self {
            Self::Exact => trim_end(expected) == trim_end(output),
            Self::Tokens(numbers) => tokens_equal(expected, output, *numbers),
            Self::UnorderedLines(numbers) => lines::equal_in_any_order(expected, output, *numbers),
        }
    }
}

/// Whether a token of an expected output is a decimal: a number with a point or an exponent.
#[must_use]
pub fn has_decimals(expected: &[u8]) -> bool {
    tokens(expected).filter_map(Decimal::parse).any(|number| !number.is_integer())
}

/// ASCII white space as C has it: the vertical tab too, which Rust's `is_ascii_whitespace` leaves out.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

fn trim_end(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
    &bytes[..end]
}

fn tokens(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| is_space(*byte)).filter(|token| !token.is_empty())
}

fn tokens_equal(expected: &[u8], output: &[u8], numbers: Numbers) -> bool {
    let (mut expected, mut output) = (tokens(expected), tokens(output));
    loop {
        match (expected.next(), output.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if token_equal(a, b, numbers) => (),
            _ => return false,
        }
    }
}

fn token_equal(a: &[u8], b: &[u8], numbers: Numbers) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let (Some(a), Some(b)) = (Decimal::parse(a), Decimal::parse(b)) else { return false };
    match numbers {
        Numbers::SameValue => a.same_value(&b),
        Numbers::DecimalsWithin(_) if a.is_integer() && b.is_integer() => a.same_value(&b),
        Numbers::DecimalsWithin(tolerance) | Numbers::AllWithin(tolerance) => a.is_within(&b, tolerance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTEGERS: Checker = Checker::Tokens(Numbers::SameValue);

    fn decimals() -> Checker {
        Checker::Tokens(Numbers::of_problem(true))
    }

    /// Asks in both orders, which must agree.
    #[track_caller]
    fn judge(checker: Checker, a: &[u8], b: &[u8]) -> bool {
        let (one, other) = (checker.accepts(a, b), checker.accepts(b, a));
        assert_eq!(one, other, "the order of the arguments matters");
        one
    }

    #[track_caller]
    fn accepted(checker: Checker, expected: impl AsRef<[u8]>, output: impl AsRef<[u8]>) {
        assert!(judge(checker, expected.as_ref(), output.as_ref()));
    }

    #[track_caller]
    fn wrong(checker: Checker, expected: impl AsRef<[u8]>, output: impl AsRef<[u8]>) {
        assert!(!judge(checker, expected.as_ref(), output.as_ref()));
    }

    #[test]
    fn tokens_are_not_joined() {
        for checker in [INTEGERS, decimals()] {
            wrong(checker, "a b", "ab");
            wrong(checker, "1 2", "12");
        }
    }

    #[test]
    fn line_structure_does_not_matter() {
        accepted(INTEGERS, "1 2 3", "1\n2\n3\n");
        accepted(INTEGERS, "a\tb", "a\x0bb\x0c");
    }

    #[test]
    fn white_space_around_does_not_matter() {
        for output in ["5", "5 \r\n", "\n5\n\n"] {
            accepted(INTEGERS, "5\n", output);
        }
    }

    #[test]
    fn ascii_case_is_ignored_and_other_case_is_not() {
        accepted(INTEGERS, "YES", "yes");
        accepted(INTEGERS, "Yes No", "yEs nO");
        wrong(INTEGERS, "Ä", "ä");
    }

    #[test]
    fn integers_compare_exactly_at_any_length() {
        for checker in [INTEGERS, decimals()] {
            wrong(checker, "9007199254740993", "9007199254740992");
            let long = "7".repeat(100_000);
            accepted(checker, &long, &long);
            wrong(checker, &long, format!("{}6", &long[1..]));
            wrong(checker, &long, format!("{long}0"));
            accepted(checker, "5", "+5");
            accepted(checker, "0", "-0");
            wrong(checker, "5", "-5");
        }
    }

    #[test]
    fn a_tolerance_needs_a_problem_with_decimals() {
        wrong(INTEGERS, "123", "123.000001");
        accepted(INTEGERS, "123", "123.0");
        accepted(decimals(), "123", "123.000001");
        accepted(decimals(), "5 0.3333", "4.9999999 0.3333");
        accepted(decimals(), "0.333333", "0.3333334");
        accepted(decimals(), "1000000000.5", "1000000001.0");
        wrong(INTEGERS, "0.333333", "0.3333334");
        wrong(decimals(), "0.3333", "0.3334");
    }

    #[test]
    fn a_superfluous_leading_zero_makes_it_text() {
        for checker in [INTEGERS, decimals()] {
            wrong(checker, "0011", "11");
            wrong(checker, "00.5", "0.5");
            wrong(checker, "00", "0");
            accepted(checker, "0011", "0011");
        }
    }

    #[test]
    fn equal_values_are_equal_however_they_are_written() {
        for checker in [INTEGERS, decimals()] {
            accepted(checker, "1e5", "100000");
            accepted(checker, "1E+5", "1e05");
            accepted(checker, "-0.0", "0");
            accepted(checker, "0.5", ".5");
            accepted(checker, "5", "5.");
            accepted(checker, "1.50", "1.5");
            accepted(checker, "1200e-2", "12");
        }
    }

    #[test]
    fn only_finite_ascii_decimals_are_numbers() {
        for output in
            ["nan", "inf", "-inf", "infinity", "1_0", "0x1p0", "١", "1,0", "1f", "1.0.0", "--1", "1e", "."]
        {
            for checker in [INTEGERS, decimals()] {
                wrong(checker, "1.0", output);
            }
        }
        accepted(INTEGERS, "nan", "nan");
        accepted(decimals(), "inf", "INF");
    }

    #[test]
    fn missing_and_extra_tokens_are_wrong() {
        wrong(INTEGERS, "1 2", "1 2 3");
        wrong(INTEGERS, "1 2", "1");
        wrong(INTEGERS, "", "x");
        accepted(INTEGERS, "", "");
        accepted(INTEGERS, "", " \n");
    }

    #[test]
    fn a_nul_hides_nothing() {
        wrong(INTEGERS, "5", b"5\0junk");
        wrong(INTEGERS, "5", b"5\0");
        wrong(INTEGERS, "5", b"5 \0");
    }

    #[test]
    fn bytes_are_bytes() {
        accepted(INTEGERS, b"\xff", b"\xff");
        wrong(INTEGERS, b"\xff", b"\xfe");
    }

    #[test]
    fn exponent_bombs_cost_nothing() {
        for checker in [INTEGERS, decimals()] {
            accepted(checker, "1e999999999", "10e999999998");
            wrong(checker, "1e999999999", "2e999999999");
            wrong(checker, "1e999999999", "1e-999999999");
            wrong(checker, "1e999999999999999999999999", "1e999999999999999999999998");
            wrong(checker, "1", "1e999999999");
        }
        accepted(decimals(), "0.0", "1e-999999999");
        wrong(INTEGERS, "0.0", "1e-999999999");
        accepted(decimals(), "1e400", "1.000001e400");
        wrong(decimals(), "1e400", "1.1e400");
    }

    #[test]
    fn exact_forgives_only_white_space_at_the_end() {
        accepted(Checker::Exact, "a  b\n", "a  b");
        accepted(Checker::Exact, "a\r\n", "a");
        wrong(Checker::Exact, "a  b", "a b");
        wrong(Checker::Exact, " a", "a");
        wrong(Checker::Exact, "A", "a");
        wrong(Checker::Exact, "a\nb", "a \nb");
        accepted(Checker::Exact, "", "\n\n");
    }

    #[test]
    fn floats_have_their_own_tolerance_for_every_number() {
        let floats =
            |absolute, relative| Checker::Tokens(Numbers::AllWithin(Tolerance { absolute, relative }));
        accepted(floats(0.01, 0.0), "1.0", "1.01");
        wrong(floats(0.01, 0.0), "1.0", "1.02");
        accepted(floats(0.0, 0.01), "1000", "1010");
        wrong(floats(0.0, 0.01), "1000", "1020");
        wrong(floats(0.0, 0.0), "1.0", "1.0000001");
        accepted(floats(0.0, 0.0), "1.0", "1");
        wrong(floats(0.1, 0.1), "x1", "x1.0");
    }

    #[test]
    fn decimals_are_found_in_expected_outputs() {
        assert!(has_decimals(b"YES\n0.5"));
        assert!(has_decimals(b"1e5"));
        for none in [&b"1 2 3"[..], b"", b"a.b", b"00.5", b"...", b"nan", b"1.2.3"] {
            assert!(!has_decimals(none), "{none:?}");
        }
    }

    #[test]
    fn lines_may_come_in_any_order() {
        let lines = Checker::UnorderedLines(Numbers::SameValue);
        accepted(lines, "1 2\n3 4\n", "3 4\n\n1 2");
        accepted(lines, "a\nb\na", "A\na\nB");
        accepted(lines, "1.0\n2", "2.0\n1");
        wrong(lines, "a\na\nb", "a\nb\nb");
        wrong(lines, "1 2\n3 4", "1 3\n2 4");
        wrong(lines, "1 2", "1\n2");
        wrong(lines, "1", "1\n1");
        let near = Checker::UnorderedLines(Numbers::of_problem(true));
        accepted(near, "0.5 x\n1.5 y", "1.500001 y\n0.4999999 x");
        wrong(near, "0.5 x\n1.5 y", "1.500001 x\n0.4999999 y");
        // Sorting alone pairs these wrongly: each is within reach of exactly one other.
        accepted(near, "1.000000 2\n1.000004 1", "1.000004 2\n1.000000 1");
    }

    /// The value of a short token by plain means, to compare with.
    fn by_float(token: &str) -> Option<f64> {
        let digits = token.strip_prefix(['+', '-']).unwrap_or(token);
        let whole = digits.split(['.', 'e']).next().unwrap_or("");
        let plain = digits.chars().all(|c| c.is_ascii_digit() || ".e-".contains(c));
        (plain && !(whole.len() > 1 && whole.starts_with('0'))).then(|| token.parse().ok()).flatten()
    }

    #[test]
    #[expect(
        clippy::float_cmp,
        reason = "short decimals are parsed to the nearest float, so equal values are equal"
    )]
    fn short_tokens_agree_with_plain_arithmetic() {
        let characters = ['-', '.', '0', '1', 'e', '5'];
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..4 {
            last = last.iter().flat_map(|text| characters.map(|c| format!("{text}{c}"))).collect();
            all.extend(last.iter().cloned());
        }
        all.remove(0);
        let with_values: Vec<_> = all.iter().map(|text| (text, by_float(text))).collect();
        for (a, value_a) in &with_values {
            assert_eq!(Decimal::parse(a.as_bytes()).is_some(), value_a.is_some(), "{a}");
        }
        for (a, value_a) in with_values.iter().step_by(7) {
            for (b, value_b) in &with_values {
                let equal = a == b || matches!((value_a, value_b), (Some(x), Some(y)) if x == y);
                // Exponents beyond a float's range make zeros and infinities of different values.
                let in_range =
                    [value_a, value_b].iter().all(|v| v.is_none_or(|v| v.is_finite() && (v != 0.0)));
                if in_range {
                    assert_eq!(judge(INTEGERS, a.as_bytes(), b.as_bytes()), equal, "{a} {b}");
                }
            }
        }
    }
}
