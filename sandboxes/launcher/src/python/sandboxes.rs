//! Places, sandboxes, and runs that were started in them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyMapping;

use super::arguments::{
    Limits, Mount, SharedCase, TestCase, arguments, device_paths, environment, relative_paths,
};
use super::checkers::Checker;
use super::results::{RunResult, TestOutcome};
use crate::cgroup::Choice;
use crate::judging::{Plan, run_tests};
use crate::run::Program;
use crate::{running, sandbox, slots};

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

    /// Wait for that many places at once.
    #[pyo3(signature = (count=1))]
    fn take(&self, py: Python<'_>, count: usize) -> PyResult<Places> {
        Ok(Places(py.detach(|| self.0.take(count))?))
    }

    fn __repr__(&self) -> String {
        format!("Slots(count={}, busy={}, waiting={})", self.count(), self.busy(), self.waiting())
    }
}

/// Places that were taken together.
#[pyclass(frozen, module = "scorer_launcher")]
pub struct Places(slots::Places);

impl Places {
    /// The cores, as long as the places are held.
    fn held(&self) -> PyResult<&[u32]> {
        if self.0.are_given_back() {
            return Err(PyValueError::new_err("these places were given back; take others"));
        }
        Ok(self.0.cores())
    }
}

#[pymethods]
impl Places {
    #[getter]
    fn cores(&self) -> Vec<u32> {
        self.0.cores().to_vec()
    }

    /// Let others have them. Idempotent.
    fn give_back(&self) {
        self.0.give_back();
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (_exc_type, _exc, _tb))]
    fn __exit__(&self, _exc_type: &Bound<'_, PyAny>, _exc: &Bound<'_, PyAny>, _tb: &Bound<'_, PyAny>) {
        self.give_back();
    }

    fn __repr__(&self) -> String {
        let given_back = if self.0.are_given_back() { ", given back" } else { "" };
        format!("Places(cores={:?}{given_back})", self.0.cores())
    }
}

/// What a run is made of, as it came from Python.
struct Asked<'py> {
    argv: Vec<Vec<u8>>,
    stdin: Option<PyBackedBytes>,
    files: Vec<(String, PyBackedBytes)>,
    collect: Vec<(String, u64)>,
    limits: &'py crate::limits::Limits,
    channel: Option<OwnedFd>,
}

impl<'py> Asked<'py> {
    fn new(
        argv: Vec<String>,
        limits: &'py Bound<'_, Limits>,
        stdin: Option<PyBackedBytes>,
        files: Option<&Bound<'_, PyMapping>>,
        collect: Option<&Bound<'_, PyMapping>>,
        channel: Option<i32>,
    ) -> PyResult<Self> {
        Ok(Self {
            argv: arguments(argv)?,
            stdin,
            files: relative_paths(files)?,
            collect: relative_paths(collect)?,
            limits: &limits.get().0,
            channel: channel.map(|number| duplicate("channel", number)).transpose()?,
        })
    }

    fn with<T>(&self, call: impl FnOnce(&Program<'_>) -> T) -> T {
        let files: Vec<(String, &[u8])> =
            self.files.iter().map(|(path, content)| (path.clone(), content.as_ref())).collect();
        call(&Program {
            argv: &self.argv,
            limits: self.limits,
            stdin: self.stdin.as_deref().unwrap_or_default(),
            files: &files,
            collect: &self.collect,
            channel: self.channel.as_ref().map(AsFd::as_fd),
        })
    }
}

/// A descriptor of our own for what the caller's number stands for.
pub fn duplicate(name: &str, number: i32) -> PyResult<OwnedFd> {
    let refused = |error: std::io::Error| {
        PyValueError::new_err(format!("{name} is {number}, which cannot be passed on: {error}"))
    };
    if number < 0 {
        return Err(refused(rustix::io::Errno::BADF.into()));
    }
    // SAFETY: used for the length of one call, which finds out whether it is open.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_dupfd_cloexec(borrowed, 0).map_err(|error| refused(error.into()))
}

/// Namespaces of one submission: made once, a fresh process tree and scratch for each run in it.
#[pyclass(frozen, module = "scorer_launcher")]
pub struct Sandbox(pub Arc<sandbox::Sandbox>);

#[pymethods]
impl Sandbox {
    #[new]
    #[pyo3(signature = (*, mounts, slots, environment=None, cgroup="auto", warm=None, devices=Vec::new(),
                        container=None),
           text_signature = "(*, mounts, slots, environment=None, cgroup='auto', warm=None, devices=(), \
                             container=None)")]
    #[expect(clippy::too_many_arguments, reason = "each is passed by name")]
    #[expect(clippy::needless_pass_by_value, reason = "extracted from Python by value")]
    fn new(
        py: Python<'_>,
        mounts: Vec<Py<Mount>>,
        slots: &Bound<'_, Slots>,
        environment: Option<&Bound<'_, PyMapping>>,
        cgroup: &str,
        warm: Option<Vec<String>>,
        devices: Vec<String>,
        container: Option<i32>,
    ) -> PyResult<Self> {
        let slots = Arc::clone(&slots.get().0);
        let cgroup: Choice = cgroup.parse()?;
        let setup = sandbox::Setup {
            mounts: mounts.iter().map(|mount| mount.get().0.clone()).collect(),
            devices: device_paths(devices)?,
            environment: self::environment(environment)?,
            warm: warm.map(arguments).transpose()?.unwrap_or_default(),
            cgroup,
        };
        let container = container.map(|number| duplicate("container", number)).transpose()?;
        let made = py.detach(|| sandbox::Sandbox::new(setup, slots, container))?;
        Ok(Self(Arc::new(made)))
    }

    #[pyo3(signature = (argv, *, limits, stdin=None, files=None, collect=None))]
    fn run(
        &self,
        py: Python<'_>,
        argv: Vec<String>,
        limits: &Bound<'_, Limits>,
        stdin: Option<PyBackedBytes>,
        files: Option<&Bound<'_, PyMapping>>,
        collect: Option<&Bound<'_, PyMapping>>,
    ) -> PyResult<RunResult> {
        let asked = Asked::new(argv, limits, stdin, files, collect, None)?;
        let record = py.detach(|| asked.with(|program| self.0.run(program)))?;
        RunResult::new(py, &record)
    }

    #[pyo3(signature = (argv, *, limits, places, stdin=None, files=None, collect=None, channel=None))]
    #[expect(clippy::too_many_arguments, reason = "each is passed by name")]
    fn start(
        &self,
        py: Python<'_>,
        argv: Vec<String>,
        limits: &Bound<'_, Limits>,
        places: &Bound<'_, Places>,
        stdin: Option<PyBackedBytes>,
        files: Option<&Bound<'_, PyMapping>>,
        collect: Option<&Bound<'_, PyMapping>>,
        channel: Option<i32>,
    ) -> PyResult<Run> {
        let cores = places.get().held()?;
        let asked = Asked::new(argv, limits, stdin, files, collect, channel)?;
        Ok(Run(py.detach(|| asked.with(|program| self.0.start(program, cores)))?))
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
        outcomes.iter().map(|outcome| TestOutcome::new(py, outcome)).collect()
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

/// A run that was started, and goes on beside the caller.
#[pyclass(frozen, module = "scorer_launcher")]
pub struct Run(running::Run);

#[pymethods]
impl Run {
    /// Wait until every process of it is gone.
    fn wait(&self, py: Python<'_>) -> PyResult<RunResult> {
        let record = py.detach(|| self.0.wait())?;
        RunResult::new(py, &record)
    }

    /// Have it killed.
    fn kill(&self) {
        self.0.kill();
    }

    /// Stop every process of it.
    fn freeze(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| self.0.freeze())?)
    }

    /// Bind every thread of it to the cores of `places`, and let it go on.
    fn thaw(&self, py: Python<'_>, places: &Bound<'_, Places>) -> PyResult<()> {
        let cores = places.get().held()?;
        Ok(py.detach(|| self.0.thaw(cores))?)
    }
}
