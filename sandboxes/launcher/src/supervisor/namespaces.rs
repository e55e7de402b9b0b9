//! User namespaces, and the first process of a sandbox's namespaces.

use std::io::{PipeReader, PipeWriter, Read};
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, openat};
use rustix::process::{getgid, getuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::syscalls::{Child, Forked, exit, fork};
use crate::protocol::{Attempt, FIRST_PROGRAM_ID, Failure, IDS, Identity};

/// Namespaces that every run of a sandbox shares. The user namespace comes first: the others are its property.
const OF_SANDBOX: i32 =
    libc::CLONE_NEWPID | libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWNS;

/// Without root: a user namespace that maps the server's own ids, to be allowed the rest.
pub fn enter_own_user_namespace(proc: &OwnedFd) -> Result<(), Failure> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    // SAFETY: this process has one thread and shares no memory with another.
    unsafe { unshare_unsafe(UnshareFlags::NEWUSER | UnshareFlags::NEWNS) }
        .attempt(|| "cannot make a user namespace (is user.max_user_namespaces 0?)".to_owned())?;
    write_proc(proc, "self/setgroups", "deny")?;
    write_proc(proc, "self/uid_map", &format!("{FIRST_PROGRAM_ID} {user} 1"))?;
    write_proc(proc, "self/gid_map", &format!("{FIRST_PROGRAM_ID} {group} 1"))
}

fn write_proc(proc: &OwnedFd, path: &str, content: &str) -> Result<(), Failure> {
    let file = openat(proc, path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
    file.and_then(|file| rustix::io::write(&file, content.as_bytes()))
        .attempt(|| format!("cannot write {content:?} to /proc/{path}"))?;
    Ok(())
}

/// Forks the zygote into namespaces of its own, which runs `serve` and exits, once it is told to by a byte through
/// the pipe. This process must keep its end as long as it lives.
///
/// `proc` is the host's `/proc`; the zygote lets go of it before it serves.
pub fn spawn_zygote(
    identity: Identity,
    proc: OwnedFd,
    serve: impl FnOnce(),
) -> Result<(Child, PipeWriter), Failure> {
    let mapped = matches!(identity, Identity::Range { .. });
    let (mut wait_to_go, go) = std::io::pipe().attempt(|| "cannot make a pipe".to_owned())?;
    let flags = OF_SANDBOX | if mapped { libc::CLONE_NEWUSER } else { 0 };
    // SAFETY: the supervisor has one thread.
    match unsafe { fork(flags) }.attempt(|| "cannot make the sandbox's namespaces".to_owned())? {
        Forked::Child => {
            drop((proc, go));
            if wait_to_go.read_exact(&mut [0]).is_ok() && prepare_zygote(mapped, &wait_to_go).is_ok() {
                drop(wait_to_go);
                serve();
            }
            exit(0)
        }
        Forked::Parent(child) => {
            if let Identity::Range { first_host_id } = identity {
                let map = format!("0 {first_host_id} {IDS}");
                write_proc(&proc, &format!("{}/uid_map", child.pid), &map)?;
                write_proc(&proc, &format!("{}/gid_map", child.pid), &map)?;
            }
            Ok((child, go))
        }
    }
}

/// Takes on the ids of the new user namespace, and gives up what no process of a sandbox needs. `parents` is a pipe of
/// which the parent has the other end.
fn prepare_zygote(mapped: bool, parents: &PipeReader) -> Result<(), Failure> {
    if mapped {
        // SAFETY: plain system calls without pointers. The raw ones, since the C library would look for
        // threads to tell, of which there are none.
        let changed = unsafe {
            libc::syscall(libc::SYS_setgroups, 0, 0) == 0
                && libc::syscall(libc::SYS_setresgid, 0, 0, 0) == 0
                && libc::syscall(libc::SYS_setresuid, 0, 0, 0) == 0
        };
        if !changed {
            return Err(Failure { what: "cannot take on the sandbox's ids".to_owned(), errno: 0 });
        }
    }
    // Changing ids cleared it. As first process of a PID namespace, this one is killed with everything in it.
    super::die_with_parent(None)?;
    // The parent cannot be seen from here, so it may have died before: its end of the pipe was closed then.
    let mut source = [PollFd::new(parents, PollFlags::IN)];
    let ready =
        poll(&mut source, Some(&Timespec::default())).attempt(|| "cannot look at a pipe".to_owned())?;
    if ready > 0 {
        return Err(Failure { what: "the server is gone already".to_owned(), errno: 0 });
    }
    rustix::system::sethostname(b"sandbox").attempt(|| "cannot set the host name".to_owned())?;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .attempt(|| "cannot become undumpable".to_owned())
}
