//! Keepers: processes that sit in the cgroup of a place and make the init of one run after the other.

use std::ffi::CString;
use std::os::fd::OwnedFd;

use super::init::Init;
use super::restrictions::Restrictions;
use super::syscalls::{Forked, fork, ignore_children, wait_for};
use crate::protocol::{Attempt, FIRST_PROGRAM_ID, Failure, Identity, KeeperOrder, SandboxSetup};

/// Forks a keeper; gives its pidfd.
pub fn spawn(
    order: &KeeperOrder,
    descriptors: Vec<OwnedFd>,
    setup: &SandboxSetup,
    restrictions: &Restrictions,
) -> Result<OwnedFd, Failure> {
    let mut descriptors = descriptors.into_iter();
    let missing = || Failure { what: "a keeper was ordered without its descriptors".to_owned(), errno: 0 };
    let socket = descriptors.next().ok_or_else(missing)?;
    let cgroups: Vec<OwnedFd> = descriptors.by_ref().take(order.cgroups).collect();
    let cpu_file = descriptors.next();
    if cgroups.len() != order.cgroups || cpu_file.is_some() != order.cpu_file {
        return Err(missing());
    }
    let environment = setup
        .environment
        .iter()
        .map(|entry| CString::new(entry.as_slice()))
        .collect::<Result<Vec<_>, _>>()
        .attempt(|| "a NUL in the environment".to_owned())?;
    let init = Init {
        socket,
        cpu_file,
        environment,
        user: matches!(setup.identity, Identity::Range { .. }).then_some(FIRST_PROGRAM_ID + order.number),
        restrictions,
    };
    // SAFETY: the zygote has one thread.
    match unsafe { fork(0) }.attempt(|| "cannot fork a keeper".to_owned())? {
        Forked::Parent(child) => Ok(child.pidfd),
        Forked::Child => {
            ignore_children(false);
            if let Err(failure) = join(&cgroups).and_then(|()| {
                drop(cgroups);
                keep(&init)
            }) {
                init.report(failure);
            }
            std::process::exit(0)
        }
    }
}

/// Moves this process into the cgroups, which those that it forks are born in.
fn join(cgroups: &[OwnedFd]) -> Result<(), Failure> {
    for procs in cgroups {
        rustix::io::write(procs, b"0").attempt(|| "cannot join a cgroup".to_owned())?;
    }
    Ok(())
}

fn keep(init: &Init<'_>) -> Result<(), Failure> {
    loop {
        // The cgroup namespace hides from a program where in the host's tree its own cgroup is.
        let namespaces = libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWCGROUP;
        // SAFETY: a keeper has one thread.
        let forked = unsafe { fork(namespaces) };
        match forked.attempt(|| "cannot make the namespaces of a run".to_owned())? {
            Forked::Child => init.run(),
            Forked::Parent(child) => {
                if wait_for(child.pid) != 0 {
                    // The server is gone, or has been told why.
                    return Ok(());
                }
            }
        }
    }
}
