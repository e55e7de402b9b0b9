//! The interpreter's side of a warm sandbox.

use pyo3::prelude::*;

use super::SandboxError;
use crate::protocol::Failure;
use crate::supervisor::warm::{Interpreter, check, serve};

/// Serve the runs of the warm sandbox whose interpreter this is. Returns in each program, with its arguments.
#[pyfunction]
pub fn serve_warm(py: Python<'_>) -> PyResult<Vec<String>> {
    let failed = |failure: Failure| SandboxError::new_err(failure.to_string());
    check().map_err(failed)?;
    // What a collector that runs in a program would write to would be copied for it.
    let collector = py.import("gc")?;
    collector.call_method0("collect")?;
    collector.call_method0("freeze")?;
    // SAFETY: the interpreter's lock is held here, and by the same thread wherever these are called; they are what it
    // wants around a fork.
    let interpreter = unsafe {
        Interpreter {
            before_fork: || pyo3::ffi::PyOS_BeforeFork(),
            after_fork_in_parent: || pyo3::ffi::PyOS_AfterFork_Parent(),
            after_fork_in_child: || pyo3::ffi::PyOS_AfterFork_Child(),
        }
    };
    let argv = serve(interpreter).map_err(failed)?;
    Ok(argv.into_iter().map(|argument| String::from_utf8_lossy(&argument).into_owned()).collect())
}
