//! Native sandbox and parallel test runner of the scoring service.
//!
//! Two halves share this crate. The *launcher* lives in the server: it knows the expected outputs, holds the
//! clocks and gives the verdicts. The *supervisor* is an executable of its own, one process tree a sandbox:
//! it makes the namespaces, starts programs in them, and knows nothing worth stealing. They talk over a
//! socket in the terms of [`protocol`].

pub mod protocol;

#[cfg(feature = "launcher")]
pub mod cgroup;
#[cfg(feature = "launcher")]
pub mod checker;
#[cfg(feature = "launcher")]
pub mod error;
#[cfg(feature = "launcher")]
pub mod executable;
#[cfg(feature = "launcher")]
pub mod inbox;
#[cfg(feature = "launcher")]
pub mod judging;
#[cfg(feature = "launcher")]
pub mod keeper;
#[cfg(feature = "launcher")]
pub mod limits;
#[cfg(feature = "launcher")]
pub mod memfd;
#[cfg(feature = "launcher")]
pub mod probe;
#[cfg(feature = "launcher")]
pub mod run;
#[cfg(feature = "launcher")]
pub mod running;
#[cfg(feature = "launcher")]
pub mod sandbox;
#[cfg(feature = "launcher")]
pub mod slots;
#[cfg(feature = "launcher")]
pub mod spawn;
#[cfg(feature = "launcher")]
pub mod stream;
#[cfg(feature = "launcher")]
pub mod termination;
#[cfg(feature = "launcher")]
pub mod tree;
#[cfg(feature = "launcher")]
pub mod watch;

#[cfg(feature = "supervisor")]
pub mod supervisor;

#[cfg(feature = "python")]
mod python;
