//! What can go wrong that is not the program's doing.

use std::io;

use crate::protocol::Failure;

/// A failure of the service. What a program can do to itself is a `Termination` instead.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The sandbox was closed, maybe while the call was running.
    #[error("the sandbox was closed")]
    Closed,
    /// The service failed; the text says at what, why, and what to do.
    #[error("{0}")]
    Service(String),
    /// The service failed, since a process of a sandbox is gone that should not be.
    #[error("{0}")]
    Lost(String),
    /// The caller asked for something that cannot be.
    #[error("{0}")]
    Invalid(String),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Service(failure.to_string())
    }
}

/// Says what the service was doing when a system call failed.
pub trait Doing<T> {
    /// Turns the error into [`Error::Service`].
    fn doing(self, what: &str) -> Result<T, Error>;
}

impl<T, E: Into<io::Error>> Doing<T> for Result<T, E> {
    fn doing(self, what: &str) -> Result<T, Error> {
        self.map_err(|error| Error::Service(format!("cannot {what}: {}", error.into())))
    }
}
