//! From the init of a run to the program: everything that the program must not have is given up here.

use std::ffi::{c_char, c_int, c_void};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::syscalls::{self, Forked, copy, exit, monotonic_ns};
use super::warm::Interpreter;
use super::{Place, restrictions, strings};
use crate::protocol::{Attempt, Failure, RunOrder, receive, send};

const STACK_BYTES: usize = 64 << 10;
/// Enough for the first line of any file that tells CPU time.
const CPU_TEXT_BYTES: usize = 64;
const LAST_CAPABILITY: i32 = 63;
/// `SECBIT_NOROOT`, `SECBIT_NO_SETUID_FIXUP` (not set), `SECBIT_KEEP_CAPS` (not set), each locked: user id 0 means
/// nothing, should a program ever come by it.
const SECURE_BITS: i32 = 0b10_1011;

/// The number that a program finds its channel under.
const CHANNEL: RawFd = 3;

/// Everything that a program starts with.
pub struct Launch<'a> {
    pub argv: &'a [Vec<u8>],
    pub stdio: [OwnedFd; 3],
    pub channel: Option<OwnedFd>,
    pub cores: &'a [u32],
    pub rlimits: &'a [(u32, u64, u64)],
    /// The user to become; `None` to stay the server's own, in a user namespace in which it has no name.
    pub user: Option<u32>,
    pub landlock: Option<OwnedFd>,
    pub cpu_file: Option<&'a OwnedFd>,
    pub place: &'a Place,
}

/// A program that is running.
pub struct Launched {
    pub pid: i32,
    pub started_ns: u64,
    pub cpu: Vec<u8>,
}

/// What the child works with. Where it shares this process's memory, it must not allocate, and may write here.
struct Plan<'a> {
    /// Empty in a copy of an interpreter, which has what it needs in its memory.
    argv: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    stdio: [RawFd; 3],
    channel: RawFd,
    landlock: RawFd,
    cpu_file: RawFd,
    cores: libc::cpu_set_t,
    launch: &'a Launch<'a>,
    // Written by the child.
    step: &'static str,
    errno: i32,
    started_ns: u64,
    cpu: [u8; CPU_TEXT_BYTES],
    cpu_length: usize,
}

impl<'a> Plan<'a> {
    fn new(launch: &'a Launch<'a>) -> Self {
        let number = |descriptor: Option<&OwnedFd>| descriptor.map_or(-1, AsRawFd::as_raw_fd);
        Self {
            argv: Vec::new(),
            environment: Vec::new(),
            stdio: [0, 1, 2].map(|number: usize| launch.stdio[number].as_raw_fd()),
            channel: number(launch.channel.as_ref()),
            landlock: number(launch.landlock.as_ref()),
            cpu_file: number(launch.cpu_file),
            cores: syscalls::core_set(launch.cores),
            launch,
            step: "",
            errno: 0,
            started_ns: 0,
            cpu: [0; CPU_TEXT_BYTES],
            cpu_length: 0,
        }
    }

    fn failure(&self, errno: i32) -> Failure {
        let program = String::from_utf8_lossy(&self.launch.argv[0]);
        Failure { what: format!("cannot {} {program}", self.step), errno }
    }
}

/// Executes the program; returns when it runs, or could not be started.
pub fn execute(launch: &Launch<'_>) -> Result<Launched, Failure> {
    let argv = strings(launch.argv)?;
    let pointers = |strings: &[std::ffi::CString]| -> Vec<*const c_char> {
        strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
    };
    let mut plan = Plan::new(launch);
    plan.argv = pointers(&argv);
    plan.environment = pointers(&launch.place.environment);
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
        syscalls::wait_for(pid);
        return Err(plan.failure(plan.errno));
    }
    let cpu = plan.cpu[..plan.cpu_length].to_vec();
    Ok(Launched { pid, started_ns: plan.started_ns, cpu })
}

/// A copy of an interpreter that waits for an order to become a program. Forking it takes the longest by far of what
/// is to be done for a run, so that is done ahead.
pub struct Copy {
    pid: i32,
    socket: OwnedFd,
}

/// Which side of the making of a [`Copy`] this is.
pub enum Copied {
    /// The init's.
    Init(Copy),
    /// The copy's, with its socket.
    Copy(OwnedFd),
}

/// What a copy tells its init when it has become a program: time, and content of the CPU time file.
type Report = Result<(u64, Vec<u8>), Failure>;

impl Copy {
    /// Forks one.
    pub fn make(interpreter: &Interpreter) -> Result<Copied, Failure> {
        let (socket, others) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .attempt(|| "cannot make a pair of sockets".to_owned())?;
        // SAFETY: the init has one thread.
        match unsafe { copy() }.attempt(|| "cannot fork the program".to_owned())? {
            Forked::Child => {
                (interpreter.after_fork_in_child)();
                Ok(Copied::Copy(others))
            }
            Forked::Parent(child) => Ok(Copied::Init(Self { pid: child.pid, socket })),
        }
    }

    /// Has it become a program; returns when it runs.
    pub fn launch(self, order: &RunOrder, launch: &Launch<'_>) -> Result<Launched, Failure> {
        let beside: Vec<_> = launch.stdio.iter().chain(&launch.channel).map(AsFd::as_fd).collect();
        send(&self.socket, order, &beside).attempt(|| "cannot give the program its order".to_owned())?;
        let report = receive::<Report>(&self.socket).attempt(|| "cannot hear from the program".to_owned())?;
        let ended = || Failure { what: "the program ended before it began".to_owned(), errno: 0 };
        let (started_ns, cpu) = report.ok_or_else(ended)?.0?;
        Ok(Launched { pid: self.pid, started_ns, cpu })
    }
}

/// In a copy: becomes the program, and tells its init.
pub fn become_program(socket: &OwnedFd, launch: &Launch<'_>) {
    let mut plan = Plan::new(launch);
    // SAFETY: nobody else shares memory with this process.
    let report: Report = match unsafe { give_up_everything(&mut plan) } {
        None => Ok((plan.started_ns, plan.cpu[..plan.cpu_length].to_vec())),
        Some(step) => {
            let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
            plan.step = step;
            Err(plan.failure(errno))
        }
    };
    if send(socket, &report, &[]).is_err() || report.is_err() {
        exit(1)
    }
}

extern "C" fn start(plan: *mut c_void) -> c_int {
    // SAFETY: `execute` passes a valid plan and sleeps meanwhile.
    let plan = unsafe { &mut *plan.cast::<Plan<'_>>() };
    // SAFETY: system calls on values of the plan, all valid; no allocation, no lock.
    plan.step = unsafe {
        give_up_everything(plan).unwrap_or_else(|| {
            libc::execve(plan.argv[0], plan.argv.as_ptr(), plan.environment.as_ptr());
            "execute"
        })
    };
    // SAFETY: reads this thread's error number.
    plan.errno = unsafe { *libc::__errno_location() }.max(1);
    1
}

/// Gives up what a program must not have. `None`, or the step that failed, with its error number.
///
/// # Safety
///
/// To be called in the child of [`execute`], or in a copy. It allocates nothing.
unsafe fn give_up_everything(plan: &mut Plan<'_>) -> Option<&'static str> {
    macro_rules! step {
        ($what:literal, $call:expr) => {
            // SAFETY: each call is on plain values or on pointers into the plan, which outlives it.
            if unsafe { $call } == -1 {
                return Some($what);
            }
        };
    }
    let launch = plan.launch;
    let executes = launch.place.interpreter.is_none();
    if !executes && launch.user.is_none() {
        // As with the clone of a program that is executed.
        step!("make a user namespace for", libc::unshare(libc::CLONE_NEWUSER));
    }
    step!("make a session for", libc::setsid());
    step!(
        "set the cores of",
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const plan.cores)
    );

    for (target, source) in (0..).zip(plan.stdio) {
        step!("set the stdio of", libc::dup2(source, target));
    }
    if plan.channel == -1 {
        step!("close descriptors for", libc::close(CHANNEL));
    } else {
        step!("set the channel of", libc::dup2(plan.channel, CHANNEL));
    }
    // A copy closes the rest when it has left all that owns some of it.
    step!("close descriptors for", syscalls::close_from(CHANNEL + 1, libc::CLOSE_RANGE_CLOEXEC));

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

    if !executes {
        // What a process has after it executed a file: its own folder in /proc, and signals of the same user, of
        // which there is no other process. Nobody dumps it: no core may have any size.
        step!("make its own", libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0));
    }
    // What Rust's runtime and the init changed for themselves. An interpreter is used to have SIGPIPE ignored; it
    // ignores SIGXFSZ too, by which the size of files is limited.
    let other = if executes { libc::SIGPIPE } else { libc::SIGXFSZ };
    for signal in [other, libc::SIGCHLD] {
        // SAFETY: the default disposition; handlers are not shared with the parent.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: an all-zero set is an empty one.
    let no_signals: libc::sigset_t = unsafe { std::mem::zeroed() };
    step!(
        "unblock signals for",
        libc::sigprocmask(libc::SIG_SETMASK, &raw const no_signals, ptr::null_mut())
    );

    step!("filter the system calls of", restrictions::install(&launch.place.restrictions.last));

    if plan.cpu_file != -1 {
        // The kernel books CPU time when it switches, or is asked to: what was used up to here is not the program's.
        // SAFETY: takes nothing.
        unsafe { libc::sched_yield() };
        // SAFETY: the buffer is as long as said.
        let read = unsafe { libc::pread(plan.cpu_file, plan.cpu.as_mut_ptr().cast(), plan.cpu.len(), 0) };
        plan.cpu_length = usize::try_from(read).unwrap_or(0);
    }
    plan.started_ns = monotonic_ns();
    None
}
