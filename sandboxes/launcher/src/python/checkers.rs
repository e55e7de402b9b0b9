//! Checkers, as callers name them.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::arguments::{Limits, arguments};
use super::sandboxes::Sandbox;
use crate::checker::decimal::Tolerance;
use crate::checker::{Checker as Comparison, Numbers};
use crate::judging::Judge;

/// How an output is compared with the expected one. Bytes from end to end.
#[pyclass(frozen, module = "scorer_launcher")]
pub struct Checker(pub Judge);

impl Checker {
    fn comparing(checker: Comparison) -> Self {
        Self(Judge::Comparing(checker))
    }
}

#[pymethods]
impl Checker {
    /// Equal bytes, but for white space at the end of the whole output.
    #[staticmethod]
    fn exact() -> Self {
        Self::comparing(Comparison::Exact)
    }

    /// The default checker of `CodeContests`.
    #[staticmethod]
    #[pyo3(signature = (*, decimals))]
    fn tokens(decimals: bool) -> Self {
        Self::comparing(Comparison::Tokens(Numbers::of_problem(decimals)))
    }

    /// Tokens, where numbers may differ by either tolerance.
    #[staticmethod]
    #[pyo3(signature = (*, absolute, relative))]
    fn floats(absolute: f64, relative: f64) -> PyResult<Self> {
        for (name, value) in [("absolute", absolute), ("relative", relative)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(PyValueError::new_err(format!(
                    "{name} is {value}; it must be finite and at least 0"
                )));
            }
        }
        Ok(Self::comparing(Comparison::Tokens(Numbers::AllWithin(Tolerance { absolute, relative }))))
    }

    /// The lines (compared by tokens) in any order; empty lines are ignored.
    #[staticmethod]
    #[pyo3(signature = (*, decimals))]
    fn unordered_lines(decimals: bool) -> Self {
        Self::comparing(Comparison::UnorderedLines(Numbers::of_problem(decimals)))
    }

    /// An output validator of the ICPC problem package format, run in `sandbox`.
    #[staticmethod]
    fn special(
        sandbox: &Bound<'_, Sandbox>,
        argv: Vec<String>,
        limits: &Bound<'_, Limits>,
    ) -> PyResult<Self> {
        Ok(Self(Judge::Special {
            sandbox: Arc::clone(&sandbox.get().0),
            argv: arguments(argv)?,
            limits: limits.get().0,
        }))
    }

    #[pyo3(signature = (*, stdin, expected, output))]
    #[expect(clippy::needless_pass_by_value, reason = "extracted from Python by value")]
    fn accepts(
        &self,
        py: Python<'_>,
        stdin: PyBackedBytes,
        expected: PyBackedBytes,
        output: PyBackedBytes,
    ) -> PyResult<bool> {
        Ok(py.detach(|| self.0.accepts(&stdin, &expected, &output))?)
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            Judge::Comparing(checker) => format!("Checker({checker:?})"),
            Judge::Special { argv, .. } => {
                format!("Checker(special {:?})", String::from_utf8_lossy(&argv[0]))
            }
        }
    }
}

/// Whether a token of an expected output is a decimal (a number with a point or an exponent).
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python by value")]
pub fn has_decimals(py: Python<'_>, expected: PyBackedBytes) -> bool {
    py.detach(|| crate::checker::has_decimals(&expected))
}
