//! The supervisor executable: single-threaded processes that make a sandbox and start programs in it.
//!
//! Their tree, from the outside in:
//!
//! - the *root process*: builds the private root with the server's rights, then only waits;
//! - the *zygote*: first process of the sandbox's namespaces; forks keepers, and with it the sandbox dies;
//! - *keepers*, one for each run at a time, sitting in the cgroup of their place so that no run has to be moved
//!   there (moving takes a lock that waits for an RCU grace period: 7 to 15 ms on an idle machine);
//! - the *init* of a run: first process of a PID and mount namespace of its own, made before it is needed;
//! - the program.

mod collect;
mod init;
mod keeper;
mod launch;
mod namespaces;
mod probe;
mod restrictions;
mod root;
mod scratch;
mod syscalls;
mod writer;

use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::protocol::{Attempt, Done, Failure, Identity, KeeperOrder, Order, SandboxSetup, receive, send};

/// Serves one order of the server and never returns.
pub fn main() -> ! {
    // SAFETY: the server starts this executable with its socket as descriptor 0, and nothing else owns it.
    let inherited = unsafe { OwnedFd::from_raw_fd(0) };
    // SAFETY: closes only descriptors that nobody in this process, which has just begun, knows of.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
    syscalls::reset_signals();
    // Away from number 0, which programs will have as their stdin.
    let Ok(control) = rustix::io::fcntl_dupfd_cloexec(&inherited, 3) else { std::process::exit(1) };
    drop(inherited);
    let Ok(Some((order, descriptors))) = receive::<Order>(&control) else { std::process::exit(1) };
    let code = match order {
        Order::Probe { privileged } => answer(&control, &probe::probe(privileged)),
        Order::WriteExecutable { path } => answer(&control, &writer::write(&path, descriptors)),
        Order::Sandbox(setup) => match serve_sandbox(&control, &setup) {
            Ok(()) => 0,
            Err(failure) => answer(&control, &Done::Err(failure)),
        },
    };
    std::process::exit(code)
}

fn answer<T: serde::Serialize>(control: &OwnedFd, message: &T) -> i32 {
    i32::from(send(control, message, &[]).is_err())
}

/// Asks to be killed with the parent, which must still be the one expected.
fn die_with_parent(expected_parent: Option<i32>) -> Result<(), Failure> {
    set_parent_process_death_signal(Some(Signal::KILL))
        .attempt(|| "cannot ask to be killed with the server".to_owned())?;
    let parent = getppid().map(|pid| pid.as_raw_nonzero().get());
    if expected_parent.is_some() && parent != expected_parent {
        return Err(Failure { what: "the server is gone already".to_owned(), errno: 0 });
    }
    Ok(())
}

fn serve_sandbox(control: &OwnedFd, setup: &SandboxSetup) -> Result<(), Failure> {
    die_with_parent(Some(setup.server_pid))?;
    rustix::process::setsid().attempt(|| "cannot leave the server's session".to_owned())?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    // When the whole machine runs out of memory, what runs in a sandbox goes before the server.
    std::fs::write("/proc/self/oom_score_adj", "1000").attempt(|| "cannot write oom_score_adj".to_owned())?;
    let proc = rustix::fs::open(
        "/proc",
        rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC,
        rustix::fs::Mode::empty(),
    )
    .attempt(|| "cannot open /proc".to_owned())?;
    if setup.identity == Identity::Own {
        namespaces::enter_own_user_namespace(&proc)?;
    }
    root::enter(&setup.mounts)?;
    let zygote = namespaces::spawn_zygote(setup.identity, proc, || serve_keepers(control, setup))?;
    send(control, &Done::Ok(()), &[zygote.pidfd.as_fd()]).attempt(|| "cannot answer".to_owned())?;
    syscalls::wait_for(zygote.pid);
    Ok(())
}

/// The zygote's life: a keeper for each order, until the server closes the socket or kills it.
fn serve_keepers(control: &OwnedFd, setup: &SandboxSetup) {
    // Keepers are waited for by the kernel.
    syscalls::ignore_children(true);
    let Ok(restrictions) = restrictions::Restrictions::new() else { return };
    // SAFETY: the first call takes plain values, and is what the second one asks for.
    let filtered = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && restrictions::install(&restrictions.shared) == 0
    };
    if !filtered {
        return;
    }
    while let Ok(Some((order, descriptors))) = receive::<KeeperOrder>(control) {
        let outcome = keeper::spawn(&order, descriptors, setup, &restrictions);
        let sent = match &outcome {
            Ok(pidfd) => send(control, &Done::Ok(()), &[pidfd.as_fd()]),
            Err(failure) => send(control, &Done::Err(failure.clone()), &[]),
        };
        if sent.is_err() {
            return;
        }
    }
}
