//! Places and sandboxes.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyMapping;

use super::arguments::{Limits, Mount, SharedCase, TestCase, arguments, environment, relative_paths};
use super::checkers::Checker;
use super::results::{RunResult, TestOutcome};
use crate::cgroup::Choice;
use crate::judging::{Plan, run_tests};
use crate::run::Program;
use crate::{sandbox, slots};

/// The places in which programs run at once, in the whole process.
#[pyclass(frozen, module = "scorer_launcher")]
pub struct Slots(Arc<slots::Slots>);

#[pymethods]
impl Slots {
    #[new]
    fn new(count: usize) -> PyResult<Self> {
        Ok(Self(slots::Slots::new(count)?))
    }

    #[getter]
    fn count(&self) -> usize {
        self.0.count()
    }

    #[getter]
    fn busy(&self) -> usize {
        self.0.busy()
    }

    #[getter]
    fn waiting(&self) -> usize {
        self.0.waiting()
    }

    fn __repr__(&self) -> String {
        format!("Slots(count={}, busy={}, waiting={})", self.count(), self.busy(), self.waiting())
    }
}

/// Namespaces of one submission: made once, a fresh process tree and scratch for each run in it.
#[pyclass(frozen, module = "scorer_launcher")]
pub struct Sandbox(pub Arc<sandbox::Sandbox>);

#[pymethods]
impl Sandbox {
    #[new]
    #[pyo3(signature = (*, mounts, slots, environment=None, cgroup="auto"))]
    #[expect(clippy::needless_pass_by_value, reason = "extracted from Python by value")]
    fn new(
        py: Python<'_>,
        mounts: Vec<Py<Mount>>,
        slots: &Bound<'_, Slots>,
        environment: Option<&Bound<'_, PyMapping>>,
        cgroup: &str,
    ) -> PyResult<Self> {
        let mounts = mounts.iter().map(|mount| mount.get().0.clone()).collect();
        let slots = Arc::clone(&slots.get().0);
        let environment = self::environment(environment)?;
        let choice: Choice = cgroup.parse()?;
        let made = py.detach(|| sandbox::Sandbox::new(mounts, slots, environment, choice))?;
        Ok(Self(Arc::new(made)))
    }

    #[pyo3(signature = (argv, *, limits, stdin=None, files=None, collect=None))]
    #[expect(clippy::needless_pass_by_value, reason = "extracted from Python by value")]
    fn run(
        &self,
        py: Python<'_>,
        argv: Vec<String>,
        limits: &Bound<'_, Limits>,
        stdin: Option<PyBackedBytes>,
        files: Option<&Bound<'_, PyMapping>>,
        collect: Option<&Bound<'_, PyMapping>>,
    ) -> PyResult<RunResult> {
        let argv = arguments(argv)?;
        let files = relative_paths::<PyBackedBytes>(files)?;
        let files: Vec<(String, &[u8])> =
            files.iter().map(|(path, content)| (path.clone(), content.as_ref())).collect();
        let collect = relative_paths::<u64>(collect)?;
        let limits = limits.get().0;
        let program = Program {
            argv: &argv,
            limits: &limits,
            stdin: stdin.as_deref().unwrap_or_default(),
            files: &files,
            collect: &collect,
        };
        let record = py.detach(|| self.0.run(&program))?;
        RunResult::new(py, record)
    }

    #[pyo3(signature = (argv, tests, *, limits, checker, stop_at_first_failure=true, keep_output=false))]
    #[expect(clippy::too_many_arguments, reason = "each is passed by name")]
    fn run_tests(
        &self,
        py: Python<'_>,
        argv: Vec<String>,
        tests: Vec<Py<TestCase>>,
        limits: &Bound<'_, Limits>,
        checker: &Bound<'_, Checker>,
        stop_at_first_failure: bool,
        keep_output: bool,
    ) -> PyResult<Vec<TestOutcome>> {
        let argv = arguments(argv)?;
        let cases: Vec<SharedCase> = tests.into_iter().map(SharedCase).collect();
        let limits = limits.get().0;
        let plan = Plan {
            argv: &argv,
            limits: &limits,
            judge: &checker.get().0,
            stop_at_first_failure,
            keep_output,
        };
        let outcomes = py.detach(|| run_tests(&self.0, &cases, &plan))?;
        outcomes.into_iter().map(|outcome| TestOutcome::new(py, outcome)).collect()
    }

    /// Kill everything in it. Calls that are running raise `SandboxClosed`. Idempotent, from any thread.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.0.close());
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (_exc_type, _exc, _tb))]
    fn __exit__(
        &self,
        py: Python<'_>,
        _exc_type: &Bound<'_, PyAny>,
        _exc: &Bound<'_, PyAny>,
        _tb: &Bound<'_, PyAny>,
    ) {
        self.close(py);
    }
}
