//! What callers get back.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};

use crate::run::Record;
use crate::termination::Termination;
use crate::{judging, probe};

/// The member of the enumeration in Python.
fn termination(py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || {
        py.import("scorer_launcher._termination")?.getattr("Termination").map(Bound::unbind)
    })?;
    class.call1(py, (name,))
}

/// Of one run.
#[pyclass(frozen, get_all, module = "scorer_launcher")]
pub struct RunResult {
    termination: Py<PyAny>,
    exit_code: Option<i32>,
    signal: Option<i32>,
    stdout: Py<PyBytes>,
    stderr: Py<PyBytes>,
    cpu_s: f64,
    wall_s: f64,
    peak_memory_bytes: u64,
    files: Py<PyDict>,
    refused_files: Py<PyDict>,
}

impl RunResult {
    pub fn new(py: Python<'_>, record: &Record) -> PyResult<Self> {
        let (name, exit_code, signal) = match record.termination {
            Termination::OutputLimit => ("output_limit", None, None),
            Termination::MemoryLimit => ("memory_limit", None, None),
            Termination::CpuTimeLimit => ("cpu_time_limit", None, None),
            Termination::WallTimeLimit => ("wall_time_limit", None, None),
            Termination::ProcessLimit => ("process_limit", None, None),
            Termination::Stopped => ("stopped", None, None),
            Termination::Signaled(signal) => ("signaled", None, Some(signal)),
            Termination::Exited(code) => ("exited", Some(code), None),
        };
        let files = PyDict::new(py);
        for (path, content) in &record.files {
            files.set_item(path, PyBytes::new(py, content))?;
        }
        Ok(Self {
            termination: termination(py, name)?,
            exit_code,
            signal,
            stdout: PyBytes::new(py, &record.stdout).unbind(),
            stderr: PyBytes::new(py, &record.stderr).unbind(),
            cpu_s: record.cpu.as_secs_f64(),
            wall_s: record.wall.as_secs_f64(),
            peak_memory_bytes: record.peak_memory_bytes,
            files: files.unbind(),
            refused_files: texts(py, &record.refused_files)?,
        })
    }
}

fn texts(py: Python<'_>, texts: &BTreeMap<String, String>) -> PyResult<Py<PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in texts {
        dict.set_item(key, value)?;
    }
    Ok(dict.unbind())
}

#[pymethods]
impl RunResult {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name: String = self.termination.getattr(py, "name")?.extract(py)?;
        let (code, signal) = (self.exit_code, self.signal);
        let (stdout, stderr) = (self.stdout.as_bytes(py).len(), self.stderr.as_bytes(py).len());
        Ok(format!(
            "RunResult({name}, exit_code={code:?}, signal={signal:?}, cpu_s={:.6}, wall_s={:.6}, \
             peak_memory_bytes={}, stdout={stdout} bytes, stderr={stderr} bytes)",
            self.cpu_s, self.wall_s, self.peak_memory_bytes
        ))
    }
}

/// One test of `Sandbox.run_tests`.
#[pyclass(frozen, get_all, module = "scorer_launcher")]
pub struct TestOutcome {
    index: usize,
    result: Py<RunResult>,
    accepted: bool,
}

impl TestOutcome {
    pub fn new(py: Python<'_>, outcome: &judging::Outcome) -> PyResult<Self> {
        let result = Py::new(py, RunResult::new(py, &outcome.record)?)?;
        Ok(Self { index: outcome.index, result, accepted: outcome.accepted })
    }
}

#[pymethods]
impl TestOutcome {
    /// Not a class of tests, although pytest would think so by its name.
    #[classattr]
    #[allow(non_upper_case_globals)]
    const __test__: bool = false;

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (index, accepted) = (self.index, self.accepted);
        Ok(format!("TestOutcome({index}, accepted={accepted}, {})", self.result.get().__repr__(py)?))
    }
}

/// What this machine can enforce.
#[pyclass(frozen, get_all, module = "scorer_launcher")]
pub struct Isolation {
    namespaces: Vec<String>,
    seccomp: bool,
    landlock_abi: u32,
    cgroup: String,
    memory_accounting: String,
    process_accounting: String,
    privileged: bool,
    complaints: Vec<String>,
}

impl From<probe::Isolation> for Isolation {
    fn from(found: probe::Isolation) -> Self {
        Self {
            namespaces: found.namespaces,
            seccomp: found.seccomp,
            landlock_abi: found.landlock_abi,
            cgroup: found.cgroup.to_owned(),
            memory_accounting: found.memory_accounting,
            process_accounting: found.process_accounting,
            privileged: found.privileged,
            complaints: found.complaints,
        }
    }
}

#[pymethods]
impl Isolation {
    fn __repr__(&self) -> String {
        format!(
            "Isolation(namespaces={:?}, seccomp={}, landlock_abi={}, cgroup={:?}, memory_accounting={:?}, \
             process_accounting={:?}, privileged={}, complaints={:?})",
            self.namespaces,
            self.seccomp,
            self.landlock_abi,
            self.cgroup,
            self.memory_accounting,
            self.process_accounting,
            self.privileged,
            self.complaints
        )
    }
}
