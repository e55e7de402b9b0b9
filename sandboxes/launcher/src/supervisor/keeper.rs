//! Keepers: processes that sit in the cgroup of a place and make the init of one run after the other.

use std::os::fd::OwnedFd;

use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::init::Init;
use super::syscalls::{Forked, copy, exit, fork, ignore_children, wait_for};
use super::{Place, Side};
use crate::protocol::{Attempt, FIRST_PROGRAM_ID, Failure, Identity, KeeperOrder};

/// Forks a keeper; gives its pidfd.
pub fn spawn(
    order: &KeeperOrder,
    descriptors: Vec<OwnedFd>,
    place: &Place,
) -> Result<Side<OwnedFd>, Failure> {
    let mut descriptors = descriptors.into_iter();
    let missing = || Failure { what: "a keeper was ordered without its descriptors".to_owned(), errno: 0 };
    let socket = descriptors.next().ok_or_else(missing)?;
    let cgroups: Vec<OwnedFd> = descriptors.by_ref().take(order.cgroups).collect();
    let cpu_file = descriptors.next();
    if cgroups.len() != order.cgroups || cpu_file.is_some() != order.cpu_file {
        return Err(missing());
    }
    let ranged = matches!(place.identity, Identity::Range { .. });
    let user = ranged.then_some(FIRST_PROGRAM_ID + order.number);
    let init = Init { socket, cpu_file, user, place };
    let forked = if let Some(interpreter) = &place.interpreter {
        (interpreter.before_fork)();
        // SAFETY: the interpreter was found to have one thread.
        let forked = unsafe { copy() };
        if !matches!(forked, Ok(Forked::Child)) {
            (interpreter.after_fork_in_parent)();
        }
        forked
    } else {
        // SAFETY: the zygote has one thread.
        unsafe { fork(0) }
    };
    match forked.attempt(|| "cannot fork a keeper".to_owned())? {
        Forked::Parent(child) => Ok(Side::Here(child.pidfd)),
        Forked::Child => {
            ignore_children(false);
            match join(&cgroups).and_then(|()| keep(&init)) {
                Ok(Side::Program(argv)) => return Ok(Side::Program(argv)),
                Ok(Side::Here(())) => (),
                Err(failure) => init.report(failure),
            }
            exit(0)
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

fn keep(init: &Init<'_>) -> Result<Side<()>, Failure> {
    loop {
        match fork_init(init.place).attempt(|| "cannot make the namespaces of a run".to_owned())? {
            Forked::Child => return Ok(Side::Program(init.run())),
            Forked::Parent(child) => {
                // Not 0: the server is gone, or has been told why. And a process can make the PID namespace of
                // its children once only.
                if wait_for(child.pid) != 0 || init.place.interpreter.is_some() {
                    return Ok(Side::Here(()));
                }
            }
        }
    }
}

/// Forks the init of a run into its namespaces. The cgroup namespace hides from a program where in the host's tree
/// its own cgroup is.
fn fork_init(place: &Place) -> std::io::Result<Forked> {
    if place.interpreter.is_none() {
        // SAFETY: a keeper has one thread.
        return unsafe { fork(libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWCGROUP) };
    }
    // A warm sandbox serves many submissions, which share nothing: these the runs of one submission share.
    let apart = UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    let namespaces = UnshareFlags::NEWPID | UnshareFlags::NEWNS | UnshareFlags::NEWCGROUP | apart;
    // SAFETY: a keeper has one thread, and shares nothing with another that this call takes apart.
    unsafe {
        unshare_unsafe(namespaces)?;
        copy()
    }
}
