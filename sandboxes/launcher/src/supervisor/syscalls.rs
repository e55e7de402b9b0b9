//! System calls that no library offers in the form needed here.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// A child, with a descriptor that stays its own when its number is used again.
pub struct Child {
    pub pid: i32,
    pub pidfd: OwnedFd,
}

/// Which side of a fork this is.
pub enum Forked {
    Parent(Child),
    Child,
}

/// Forks into new namespaces (`CLONE_NEW*`).
///
/// # Safety
///
/// The process must have one thread, since only this one exists in the child.
pub unsafe fn fork(namespaces: i32) -> io::Result<Forked> {
    let mut pidfd: RawFd = -1;
    let flags = libc::c_long::from(namespaces | libc::CLONE_PIDFD | libc::SIGCHLD);
    // SAFETY: without CLONE_VM and with no new stack this is a fork; the kernel writes the descriptor into
    // `pidfd`, which outlives the call. The caller promises a single thread.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, &raw mut pidfd, 0, 0) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => {
            // SAFETY: the kernel has just made this descriptor for us.
            let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
            let pid = i32::try_from(pid).map_err(io::Error::other)?;
            Ok(Forked::Parent(Child { pid, pidfd }))
        }
    }
}

/// Waits until a child has ended and gives its wait status.
pub fn wait_for(pid: i32) -> i32 {
    let mut status = 0;
    loop {
        // SAFETY: `status` is valid for writing.
        let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
        if waited == pid || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return status;
        }
    }
}

/// Gives every signal its default effect: what a process ignores, its children do, and Python ignores some.
pub fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: installs no handler. Refused for the signals that cannot be changed, which is as well.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Whether the kernel shall wait for children itself, and forget their status.
pub fn ignore_children(ignore: bool) {
    let handler = if ignore { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: installs no handler, only one of the two dispositions.
    unsafe { libc::signal(libc::SIGCHLD, handler) };
}

/// Attributes to set on a mount and, with `recursive`, on those below it (`mount_setattr(2)`).
pub fn set_mount_attributes(mount: BorrowedFd<'_>, attributes: u64, recursive: bool) -> io::Result<()> {
    let argument = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH | if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is an empty C string, the argument is of the size given and outlives the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const argument,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// `CLOCK_MONOTONIC`, which no change of the system's time moves.
pub fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}
