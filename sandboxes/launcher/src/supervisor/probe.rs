//! What this machine can enforce, found by trying it.

use std::os::fd::AsFd;

use rustix::process::{getgid, getuid};

use super::syscalls::{Forked, fork, wait_for};
use crate::protocol::{Failure, ProbeReport};

const NAMESPACES: [(&str, i32); 6] = [
    ("user", libc::CLONE_NEWUSER),
    ("pid", libc::CLONE_NEWPID),
    ("mount", libc::CLONE_NEWNS),
    ("network", libc::CLONE_NEWNET),
    ("ipc", libc::CLONE_NEWIPC),
    ("uts", libc::CLONE_NEWUTS),
];

pub fn probe(privileged: bool) -> ProbeReport {
    let namespaces = NAMESPACES
        .iter()
        .map(|(name, flag)| ((*name).to_owned(), try_namespace(*flag, privileged).err()))
        .collect();
    let seccomp_missing = {
        let action: u32 = libc::SECCOMP_RET_ERRNO;
        // SAFETY: asks whether an action is available; reads one integer.
        let result =
            unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) };
        (result != 0).then(|| failure("the kernel does not filter system calls"))
    };
    // SAFETY: asks for the version only (LANDLOCK_CREATE_RULESET_VERSION), with no structure.
    let abi = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0, 0, 1) };
    ProbeReport { namespaces, seccomp: seccomp_missing, landlock_abi: u32::try_from(abi).unwrap_or(0) }
}

fn failure(what: &str) -> Failure {
    let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
    Failure { what: what.to_owned(), errno }
}

/// Forks a child into one kind of namespace, with a user namespace where that is how it has to be done.
fn try_namespace(flag: i32, privileged: bool) -> Result<(), Failure> {
    let flags = if privileged { flag } else { flag | libc::CLONE_NEWUSER };
    // SAFETY: the supervisor has one thread.
    match unsafe { fork(flags) } {
        Ok(Forked::Child) => {
            let _ = (getuid(), getgid());
            std::process::exit(0)
        }
        Ok(Forked::Parent(child)) => {
            let _ = child.pidfd.as_fd();
            wait_for(child.pid);
            Ok(())
        }
        Err(error) => {
            Err(Failure { what: "cannot be made".to_owned(), errno: error.raw_os_error().unwrap_or(0) })
        }
    }
}
