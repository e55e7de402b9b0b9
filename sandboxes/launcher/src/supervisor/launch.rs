//! From the init of a run to the program: everything that the program must not have is given up here.

use std::ffi::{CString, c_char, c_int, c_void};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr;

use super::restrictions::{self, Restrictions};
use super::syscalls::monotonic_ns;
use crate::protocol::{Attempt, Failure};

const STACK_BYTES: usize = 64 << 10;
/// Enough for the first line of any file that tells CPU time.
const CPU_TEXT_BYTES: usize = 64;
const LAST_CAPABILITY: i32 = 63;
/// `SECBIT_NOROOT`, `SECBIT_NO_SETUID_FIXUP` (not set), `SECBIT_KEEP_CAPS` (not set), each locked: user id 0 means
/// nothing, should a program ever come by it.
const SECURE_BITS: i32 = 0b10_1011;

/// Everything that a program starts with.
pub struct Launch<'a> {
    pub argv: &'a [CString],
    pub environment: &'a [CString],
    pub stdio: [OwnedFd; 3],
    pub core: u32,
    pub rlimits: &'a [(u32, u64, u64)],
    /// The user to become; `None` to stay the server's own, in a user namespace in which it has no name.
    pub user: Option<u32>,
    pub landlock: Option<OwnedFd>,
    pub cpu_file: Option<&'a OwnedFd>,
    pub restrictions: &'a Restrictions,
}

/// A program that is running.
pub struct Launched {
    pub pid: i32,
    pub started_ns: u64,
    pub cpu: Vec<u8>,
}

/// What the child works with: it shares this process's memory, so it must not allocate, and may write here.
struct Plan<'a> {
    argv: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    stdio: [RawFd; 3],
    landlock: RawFd,
    cpu_file: RawFd,
    launch: &'a Launch<'a>,
    // Written by the child.
    step: &'static str,
    errno: i32,
    started_ns: u64,
    cpu: [u8; CPU_TEXT_BYTES],
    cpu_length: usize,
}

/// Starts the program; returns when it runs, or could not be started.
pub fn launch(launch: &Launch<'_>) -> Result<Launched, Failure> {
    let pointers = |strings: &[CString]| -> Vec<*const c_char> {
        strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
    };
    let mut plan = Plan {
        argv: pointers(launch.argv),
        environment: pointers(launch.environment),
        stdio: [0, 1, 2].map(|number: usize| launch.stdio[number].as_raw_fd()),
        landlock: launch.landlock.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        cpu_file: launch.cpu_file.map_or(-1, AsRawFd::as_raw_fd),
        launch,
        step: "",
        errno: 0,
        started_ns: 0,
        cpu: [0; CPU_TEXT_BYTES],
        cpu_length: 0,
    };
    let mut stack = vec![0_u128; STACK_BYTES / size_of::<u128>()];
    // CLONE_VFORK: this process sleeps until the child has executed the program or ended, and until then the
    // child alone uses the memory. Copying the page tables, as fork does, costs more than all the rest.
    let mut flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    if launch.user.is_none() {
        // So that RLIMIT_NPROC counts this run alone. No id is mapped, which creating files does not need.
        flags |= libc::CLONE_NEWUSER;
    }
    // SAFETY: the stack is big enough for `start`, which calls nothing deep, aligned, and lives until the child
    // has left it (CLONE_VFORK); so does `plan`.
    let pid = unsafe {
        libc::clone(start, stack.as_mut_ptr_range().end.cast(), flags, (&raw mut plan).cast::<c_void>())
    };
    if pid == -1 {
        return Err(std::io::Error::last_os_error()).attempt(|| "cannot fork the program".to_owned());
    }
    if plan.errno != 0 {
        super::syscalls::wait_for(pid);
        let program = launch.argv[0].to_string_lossy();
        return Err(Failure { what: format!("cannot {} {program}", plan.step), errno: plan.errno });
    }
    let cpu = plan.cpu[..plan.cpu_length].to_vec();
    Ok(Launched { pid, started_ns: plan.started_ns, cpu })
}

extern "C" fn start(plan: *mut c_void) -> c_int {
    // SAFETY: `launch` passes a valid plan and sleeps meanwhile.
    let plan = unsafe { &mut *plan.cast::<Plan<'_>>() };
    // SAFETY: system calls on values of the plan, all valid; no allocation, no lock.
    let failed_step = unsafe { become_program(plan) };
    plan.step = failed_step;
    // SAFETY: reads this thread's error number.
    plan.errno = unsafe { *libc::__errno_location() }.max(1);
    1
}

/// Gives up everything and executes the program. Returns only if a step failed: what it was.
///
/// # Safety
///
/// To be called in the child of [`launch`] alone.
unsafe fn become_program(plan: &mut Plan<'_>) -> &'static str {
    macro_rules! step {
        ($what:literal, $call:expr) => {
            // SAFETY: each call is on plain values or on pointers into the plan, which outlives it.
            if unsafe { $call } == -1 {
                return $what;
            }
        };
    }
    let launch = plan.launch;
    step!("make a session for", libc::setsid());
    // SAFETY: an all-zero set is an empty one.
    let mut cores: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the macro checks the number against the size of the set.
    unsafe { libc::CPU_SET(launch.core as usize, &mut cores) };
    step!("set the core of", libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const cores));

    for (target, source) in (0..).zip(plan.stdio) {
        step!("set the stdio of", libc::dup2(source, target));
    }
    let cloexec = libc::c_long::from(libc::CLOSE_RANGE_CLOEXEC);
    step!(
        "close descriptors for",
        libc::syscall(libc::SYS_close_range, 3 as libc::c_long, libc::c_long::from(u32::MAX), cloexec)
    );

    for (resource, soft, hard) in launch.rlimits {
        let limit = libc::rlimit64 { rlim_cur: *soft, rlim_max: *hard };
        step!("limit", libc::syscall(libc::SYS_prlimit64, 0, *resource, &raw const limit, 0));
    }

    step!("forbid new privileges to", libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    if plan.landlock != -1 {
        step!("set Landlock's rules for", libc::syscall(libc::SYS_landlock_restrict_self, plan.landlock, 0));
    }
    for capability in 0..=LAST_CAPABILITY {
        // SAFETY: plain values. Ends with EINVAL past the last capability of this kernel.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } == -1 {
            break;
        }
    }
    step!("lock user id 0 of", libc::prctl(libc::PR_SET_SECUREBITS, SECURE_BITS, 0, 0, 0));
    if let Some(user) = launch.user {
        step!("change the group of", libc::syscall(libc::SYS_setresgid, user, user, user));
        step!("change the user of", libc::syscall(libc::SYS_setresuid, user, user, user));
    }
    // Version 3 of the structures of capset(2): two words each of effective, permitted, inheritable.
    let header: [u32; 2] = [0x2008_0522, 0];
    let none: [u32; 6] = [0; 6];
    step!("drop the capabilities of", libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()));

    // What Rust's runtime and the init changed for themselves.
    for signal in [libc::SIGPIPE, libc::SIGCHLD] {
        // SAFETY: the default disposition; handlers are not shared with the parent.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: an all-zero set is an empty one.
    let no_signals: libc::sigset_t = unsafe { std::mem::zeroed() };
    step!(
        "unblock signals for",
        libc::sigprocmask(libc::SIG_SETMASK, &raw const no_signals, ptr::null_mut())
    );

    step!("filter the system calls of", restrictions::install(&launch.restrictions.last));

    if plan.cpu_file != -1 {
        // The kernel books CPU time when it switches, or is asked to: what was used up to here is not the program's.
        // SAFETY: takes nothing.
        unsafe { libc::sched_yield() };
        // SAFETY: the buffer is as long as said.
        let read = unsafe { libc::pread(plan.cpu_file, plan.cpu.as_mut_ptr().cast(), plan.cpu.len(), 0) };
        plan.cpu_length = usize::try_from(read).unwrap_or(0);
    }
    plan.started_ns = monotonic_ns();
    step!("execute", libc::execve(plan.argv[0], plan.argv.as_ptr(), plan.environment.as_ptr()));
    "execute"
}
