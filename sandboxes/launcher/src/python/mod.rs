//! The Python border: checks arguments, lets go of the GIL, turns errors into exceptions. Its types are in
//! `python/scorer_launcher/__init__.pyi`.

mod arguments;
mod checkers;
mod results;
mod sandboxes;
mod warm;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

use crate::error::Error;

create_exception!(
    scorer_launcher,
    SandboxError,
    PyException,
    "The service failed, not the program. The message says what to do about it."
);
create_exception!(
    scorer_launcher,
    SandboxClosed,
    SandboxError,
    "The sandbox was closed or cancelled while the call was running."
);

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match error {
            Error::Closed => SandboxClosed::new_err(text),
            Error::Service(_) | Error::Lost(_) => SandboxError::new_err(text),
            Error::Invalid(_) => PyValueError::new_err(text),
        }
    }
}

/// Write, fsync and rename an executable so that running it at once never fails with ETXTBSY.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python by value")]
fn write_executable(
    py: Python<'_>,
    path: std::path::PathBuf,
    content: pyo3::pybacked::PyBackedBytes,
) -> PyResult<()> {
    let path = path.to_str().ok_or_else(|| PyValueError::new_err("path is not UTF-8"))?;
    Ok(py.detach(|| crate::executable::write_executable(path, &content))?)
}

/// Try each mechanism once, in a child. Raises `SandboxError` where no sandbox can be made at all.
#[pyfunction]
#[pyo3(signature = (*, container=None))]
fn probe(py: Python<'_>, container: Option<i32>) -> PyResult<results::Isolation> {
    let container = container.map(|number| sandboxes::duplicate("container", number)).transpose()?;
    Ok(py.detach(|| crate::probe::probe(container)).map(results::Isolation::from)?)
}

/// The executable that makes sandboxes, as it is started in containers.
#[pyfunction]
fn supervisor_executable(py: Python<'_>) -> Bound<'_, pyo3::types::PyBytes> {
    pyo3::types::PyBytes::new(py, crate::spawn::EXECUTABLE)
}

/// The extension of the package `scorer_launcher`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("SandboxError", module.py().get_type::<SandboxError>())?;
    module.add("SandboxClosed", module.py().get_type::<SandboxClosed>())?;
    module.add_class::<arguments::Limits>()?;
    module.add_class::<arguments::Mount>()?;
    module.add_class::<arguments::TestCase>()?;
    module.add_class::<results::Isolation>()?;
    module.add_class::<results::RunResult>()?;
    module.add_class::<results::TestOutcome>()?;
    module.add_class::<checkers::Checker>()?;
    module.add_class::<sandboxes::Slots>()?;
    module.add_class::<sandboxes::Places>()?;
    module.add_class::<sandboxes::Sandbox>()?;
    module.add_class::<sandboxes::Run>()?;
    module.add_function(wrap_pyfunction!(warm::serve_warm, module)?)?;
    module.add_function(wrap_pyfunction!(checkers::has_decimals, module)?)?;
    module.add_function(wrap_pyfunction!(probe, module)?)?;
    module.add_function(wrap_pyfunction!(supervisor_executable, module)?)?;
    module.add_function(wrap_pyfunction!(write_executable, module)?)
}
