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

/// Forks as the C library does it, so that all its parts, and those who asked it to be told, know of it: for a
/// process that goes on in their terms, as an interpreter does.
///
/// # Safety
///
/// The process must have one thread, since only this one exists in the child.
pub unsafe fn copy() -> io::Result<Forked> {
    // SAFETY: the caller promises a single thread.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => {
            // SAFETY: a plain system call; the kernel has just made the descriptor for us.
            let pidfd = unsafe {
                match libc::syscall(libc::SYS_pidfd_open, pid, 0) {
                    -1 => return Err(io::Error::last_os_error()),
                    number => OwnedFd::from_raw_fd(RawFd::try_from(number).map_err(io::Error::other)?),
                }
            };
            Ok(Forked::Parent(Child { pid, pidfd }))
        }
    }
}

/// Ends this process, and calls nothing that others want to be called at its end: in a copy of an interpreter,
/// that would be done once a copy.
pub fn exit(code: i32) -> ! {
    // SAFETY: it does nothing but end the process.
    unsafe { libc::_exit(code) }
}

/// A set of cores.
pub fn core_set(cores: &[u32]) -> libc::cpu_set_t {
    // SAFETY: an all-zero set is an empty one.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for core in cores {
        // SAFETY: the macro checks the number against the size of the set.
        unsafe { libc::CPU_SET(*core as usize, &mut set) };
    }
    set
}

/// Binds a thread, 0 for this one, to cores.
pub fn bind(thread: i32, cores: &libc::cpu_set_t) -> io::Result<()> {
    // SAFETY: the set is of the size given.
    match unsafe { libc::sched_setaffinity(thread, size_of::<libc::cpu_set_t>(), cores) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
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

/// Descriptors that must survive the making of a program's get at least this number: those below get lost.
pub const FIRST_HIGH: RawFd = 16;

/// Makes the numbers copies of a descriptor that nobody owns, and which are nobody's either.
pub fn occupy(numbers: &[RawFd], source: RawFd) -> io::Result<()> {
    for number in numbers {
        // SAFETY: the caller chose numbers that nothing of this process has.
        if unsafe { libc::dup3(source, *number, libc::O_CLOEXEC) } == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Closes all descriptors from a number on (`close_range(2)`); -1 with an error number if that failed.
///
/// # Safety
///
/// Nobody may use them afterwards.
pub unsafe fn close_from(first: RawFd, flags: libc::c_uint) -> libc::c_long {
    // SAFETY: plain values; the caller knows of no owner.
    unsafe {
        libc::syscall(
            libc::SYS_close_range,
            libc::c_long::from(first),
            libc::c_long::from(u32::MAX),
            libc::c_long::from(flags),
        )
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
