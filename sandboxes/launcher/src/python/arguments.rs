//! What callers pass in: limits, mounts, tests, and the paths and arguments of a run.

use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyMapping;

use crate::judging::Case;
use crate::limits;
use crate::protocol::MountSpec;

/// Limits of one run. `stack` follows `memory_limit_bytes`.
#[pyclass(frozen, module = "scorer_launcher")]
pub struct Limits(pub limits::Limits);

fn duration(name: &str, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|error| PyValueError::new_err(format!("{name} is {seconds}: {error}")))
}

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (*, cpu_limit_s, wall_limit_s, memory_limit_bytes, output_limit_bytes=64 << 20,
                        stderr_limit_bytes=64 << 10, process_limit=32, file_size_limit_bytes=64 << 20,
                        scratch_limit_bytes=64 << 20, open_files_limit=64))]
    #[expect(clippy::too_many_arguments, reason = "each is a limit, passed by name")]
    fn new(
        cpu_limit_s: f64,
        wall_limit_s: f64,
        memory_limit_bytes: u64,
        output_limit_bytes: u64,
        stderr_limit_bytes: u64,
        process_limit: u32,
        file_size_limit_bytes: u64,
        scratch_limit_bytes: u64,
        open_files_limit: u64,
    ) -> PyResult<Self> {
        let limits = limits::Limits {
            cpu: duration("cpu_limit_s", cpu_limit_s)?,
            wall: duration("wall_limit_s", wall_limit_s)?,
            memory_bytes: memory_limit_bytes,
            output_bytes: output_limit_bytes,
            stderr_bytes: stderr_limit_bytes,
            processes: process_limit,
            file_size_bytes: file_size_limit_bytes,
            scratch_bytes: scratch_limit_bytes,
            open_files: open_files_limit,
        };
        Ok(Self(limits.check()?))
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A read-only bind of `source` (host path, file or folder) at `target` (absolute path inside); with `copy`, a copy
/// in memory of a file.
#[pyclass(frozen, module = "scorer_launcher")]
pub struct Mount(pub MountSpec);

/// Folders that belong to the run or to the sandbox itself.
const RESERVED: [&str; 5] = ["work", "tmp", "dev", "run", "proc"];

#[pymethods]
impl Mount {
    #[new]
    #[pyo3(signature = (source, target, *, copy = false))]
    fn new(source: std::path::PathBuf, target: std::path::PathBuf, copy: bool) -> PyResult<Self> {
        let text = |path: std::path::PathBuf| {
            path.into_os_string()
                .into_string()
                .map_err(|path| PyValueError::new_err(format!("{} is not UTF-8", path.display())))
        };
        let (source, target) = (text(source)?, text(target)?);
        let inside = target.strip_prefix('/').map(|inside| inside.trim_end_matches('/'));
        let parts: Option<Vec<&str>> =
            inside.filter(|inside| !inside.is_empty()).map(|inside| inside.split('/').collect());
        let Some(parts) = parts.filter(|parts| !parts.iter().any(|part| matches!(*part, "" | "." | "..")))
        else {
            return Err(PyValueError::new_err(format!(
                "target {target:?} is not an absolute path of plain names below /"
            )));
        };
        if RESERVED.contains(&parts[0]) {
            return Err(PyValueError::new_err(format!(
                "target {target:?} lies in /{}, which is the sandbox's own; choose another place, or pass `files` to a run",
                parts[0]
            )));
        }
        if source.contains('\0') || target.contains('\0') {
            return Err(PyValueError::new_err("a path holds a NUL"));
        }
        Ok(Self(MountSpec { source, target, copy }))
    }

    fn __repr__(&self) -> String {
        let copy = if self.0.copy { ", copy=True" } else { "" };
        format!("Mount(source={:?}, target={:?}{copy})", self.0.source, self.0.target)
    }
}

/// A test of a problem.
#[pyclass(frozen, module = "scorer_launcher")]
pub struct TestCase {
    stdin: PyBackedBytes,
    expected: PyBackedBytes,
}

#[pymethods]
impl TestCase {
    /// Not a class of tests, although pytest would think so by its name.
    #[classattr]
    #[allow(non_upper_case_globals)]
    const __test__: bool = false;

    #[new]
    fn new(stdin: PyBackedBytes, expected: PyBackedBytes) -> Self {
        Self { stdin, expected }
    }
}

/// A shared test, used while the GIL is free.
pub struct SharedCase(pub Py<TestCase>);

impl Case for SharedCase {
    fn stdin(&self) -> &[u8] {
        &self.0.get().stdin
    }

    fn expected(&self) -> &[u8] {
        &self.0.get().expected
    }
}

/// Arguments as bytes for the kernel.
pub fn arguments(argv: Vec<String>) -> PyResult<Vec<Vec<u8>>> {
    if argv.is_empty() {
        return Err(PyValueError::new_err("argv is empty; its first entry is the path of the program"));
    }
    if let Some(bad) = argv.iter().find(|argument| argument.contains('\0')) {
        return Err(PyValueError::new_err(format!("argument {bad:?} holds a NUL")));
    }
    Ok(argv.into_iter().map(String::into_bytes).collect())
}

/// Paths of device nodes.
pub fn device_paths(paths: Vec<String>) -> PyResult<Vec<String>> {
    for path in &paths {
        let plain = |inside: &str| !inside.split('/').any(|part| matches!(part, "" | "." | ".."));
        if path.contains('\0') || !path.strip_prefix("/dev/").is_some_and(plain) {
            return Err(PyValueError::new_err(format!(
                "device {path:?} is not a path of plain names below /dev"
            )));
        }
    }
    Ok(paths)
}

/// `NAME=value` entries.
pub fn environment(mapping: Option<&Bound<'_, PyMapping>>) -> PyResult<Vec<Vec<u8>>> {
    let mut entries = Vec::new();
    for (name, value) in items::<String>(mapping)? {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(PyValueError::new_err(format!("{name:?} cannot be set in an environment")));
        }
        entries.push(format!("{name}={value}").into_bytes());
    }
    Ok(entries)
}

/// A mapping from paths below `/work`.
pub fn relative_paths<V>(mapping: Option<&Bound<'_, PyMapping>>) -> PyResult<Vec<(String, V)>>
where
    V: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let items = items::<V>(mapping)?;
    for (path, _) in &items {
        if path.contains('\0') || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(PyValueError::new_err(format!(
                "{path:?} is not a relative path of plain names (it is taken below /work)"
            )));
        }
    }
    Ok(items)
}

fn items<V>(mapping: Option<&Bound<'_, PyMapping>>) -> PyResult<Vec<(String, V)>>
where
    V: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let Some(mapping) = mapping else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for item in mapping.items()?.iter() {
        let (key, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        all.push((key.extract()?, value.extract().map_err(Into::into)?));
    }
    Ok(all)
}
