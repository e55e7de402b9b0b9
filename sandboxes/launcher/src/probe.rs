//! What this machine can enforce, and what to do where it is less than it could be.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use crate::cgroup::{self, Choice};
use crate::error::Error;
use crate::protocol::{Order, ProbeReport};
use crate::sandbox::privileged;
use crate::spawn::Supervisor;

/// What this machine can enforce.
#[derive(Debug, Clone)]
pub struct Isolation {
    /// Kinds of namespaces that could be made.
    pub namespaces: Vec<String>,
    /// System calls are filtered.
    pub seccomp: bool,
    /// Landlock's version, 0 without.
    pub landlock_abi: u32,
    /// v2, v1 or none.
    pub cgroup: &'static str,
    /// cgroup-v2, cgroup-v1 or rlimit.
    pub memory_accounting: String,
    /// cgroup-v2, cgroup-v1 or rlimit.
    pub process_accounting: String,
    /// Sandboxes run under ids of their own.
    pub privileged: bool,
    /// A sentence for each mechanism that is missing.
    pub complaints: Vec<String>,
}

/// Tries each mechanism once, in a child; with `container`, the socket of a supervisor in one, there.
pub fn probe(container: Option<OwnedFd>) -> Result<Isolation, Error> {
    let elsewhere = container.map(Supervisor::in_container).transpose()?;
    let privileged = elsewhere.is_some() || privileged();
    let order = Order::Probe { privileged };
    let (supervisor, in_container) = match elsewhere {
        None => (Supervisor::start(&order, &[])?, None),
        Some((supervisor, detected)) => {
            supervisor.order(&order, &[])?;
            (supervisor, Some(detected))
        }
    };
    let (report, _) = supervisor.answer::<ProbeReport>()?;
    let missing: Vec<String> = report
        .namespaces
        .iter()
        .filter_map(|(name, failure)| Some(format!("{name} namespace: {}", failure.as_ref()?)))
        .chain(report.seccomp.as_ref().map(|failure| format!("seccomp: {failure}")))
        .collect();
    if !missing.is_empty() {
        return Err(Error::Service(format!(
            "no sandbox can be made on this machine: {}. Run the service as root, or allow user namespaces \
             (user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns; in a container, a seccomp \
             profile that lets them be made)",
            missing.join("; ")
        )));
    }
    let detected = match in_container {
        None => cgroup::detect(Choice::Auto)?,
        Some(detected) => Arc::new(detected),
    };
    let hierarchy = &detected.hierarchy;
    let mut complaints = detected.complaints.clone();
    let accounting =
        |has: bool| if has { format!("cgroup-{}", hierarchy.name()) } else { "rlimit".to_owned() };
    if !hierarchy.has_memory() {
        complaints.push(
            "memory is watched from outside and limited by rlimits: a limit can be passed for a moment; make a \
             cgroup with the memory controller writable to the service"
                .to_owned(),
        );
    }
    if !hierarchy.has_processes() {
        complaints.push(
            "processes are limited by RLIMIT_NPROC, and a program that copes with it badly may be called a runtime \
             error; make a cgroup with the pids controller writable to the service"
                .to_owned(),
        );
    }
    if report.landlock_abi == 0 {
        complaints.push(
            "the kernel has no Landlock: files are protected by mounts and permissions alone; boot a kernel since \
             5.13 with landlock among its lsm= modules"
                .to_owned(),
        );
    }
    if !privileged {
        complaints.push(
            "sandboxes run under the server's own user id: they are kept apart by namespaces alone; run the service \
             as root to give them ids of their own"
                .to_owned(),
        );
    }
    Ok(Isolation {
        namespaces: report.namespaces.iter().map(|(name, _)| name.clone()).collect(),
        seccomp: report.seccomp.is_none(),
        landlock_abi: report.landlock_abi,
        cgroup: hierarchy.name(),
        memory_accounting: accounting(hierarchy.has_memory()),
        process_accounting: accounting(hierarchy.has_processes()),
        privileged,
        complaints,
    })
}
