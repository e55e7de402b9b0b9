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
mod container;
mod freeze;
mod init;
mod keeper;
mod launch;
mod namespaces;
mod probe;
mod restrictions;
mod root;
mod scratch;
mod syscalls;
pub mod warm;
mod writer;

use std::ffi::CString;
use std::io::Write;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use syscalls::exit;

use crate::protocol::{Attempt, Done, Failure, Identity, KeeperOrder, Order, SandboxSetup, receive, send};

/// Serves one order of the server and never returns.
pub fn main() -> ! {
    // In a container, the path of the server's socket.
    let meeting_point = std::env::args_os().nth(1);
    // SAFETY: the server starts this executable with its socket as descriptor 0, and nothing else owns it. In a
    // container it is nothing that is needed.
    let inherited = unsafe { OwnedFd::from_raw_fd(0) };
    // SAFETY: closes only descriptors that nobody in this process, which has just begun, knows of.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
    syscalls::reset_signals();
    let control = match &meeting_point {
        Some(path) => container::meet(path),
        None => rustix::io::fcntl_dupfd_cloexec(&inherited, syscalls::FIRST_HIGH).map_err(Into::into),
    };
    let Ok(control) = control else { exit(1) };
    drop(inherited);
    // The numbers that programs have for their own are never those of anything of this executable.
    if syscalls::occupy(&[0, 3], 1).is_err() {
        exit(1)
    }
    let Ok(Some((order, descriptors))) = receive::<Order>(&control) else { exit(1) };
    let code = match order {
        Order::Probe { privileged } => answer(&control, &probe::probe(privileged)),
        Order::WriteExecutable { path } => answer(&control, &writer::write(&path, descriptors)),
        Order::Sandbox(setup) => match serve_sandbox(&control, setup, descriptors) {
            Ok(()) => 0,
            Err(failure) => answer(&control, &Done::Err(failure)),
        },
    };
    exit(code)
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

/// What the processes of a sandbox know of it.
struct Place {
    /// `NAME=value`, the whole environment of the programs.
    environment: Vec<CString>,
    /// Device nodes beside the usual ones.
    devices: Vec<String>,
    /// Under which users programs run.
    identity: Identity,
    restrictions: restrictions::Restrictions,
    /// The interpreter whose copies the programs are; `None` where they are executed.
    interpreter: Option<warm::Interpreter>,
}

impl Place {
    fn new(
        environment: &[Vec<u8>],
        devices: Vec<String>,
        identity: Identity,
        interpreter: Option<warm::Interpreter>,
    ) -> Result<Self, Failure> {
        let restrictions = restrictions::Restrictions::new(!devices.is_empty())?;
        Ok(Self { environment: strings(environment)?, devices, identity, restrictions, interpreter })
    }
}

/// Strings for the kernel.
fn strings(texts: &[Vec<u8>]) -> Result<Vec<CString>, Failure> {
    let strings: Result<Vec<_>, _> = texts.iter().map(|text| CString::new(text.as_slice())).collect();
    strings.attempt(|| "a NUL in an argument or the environment".to_owned())
}

/// Of a call that forks: what it was for, or that this is the program, which goes on with its arguments.
enum Side<T> {
    Here(T),
    Program(Vec<Vec<u8>>),
}

fn serve_sandbox(control: &OwnedFd, setup: SandboxSetup, descriptors: Vec<OwnedFd>) -> Result<(), Failure> {
    let in_container = setup.server_pid.is_none();
    if !in_container {
        die_with_parent(setup.server_pid)?;
        rustix::process::setsid().attempt(|| "cannot leave the server's session".to_owned())?;
    }
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
    root::enter(&setup.mounts, &setup.devices)?;
    let identity = setup.identity;
    let zygote = || {
        let failed = if setup.warm.is_empty() {
            let place = Place::new(&setup.environment, setup.devices, identity, None);
            place.and_then(|place| {
                place.restrictions.install_shared()?;
                serve_keepers(control, &place);
                Ok(())
            })
        } else {
            warm::become_interpreter(control, setup, descriptors)
        };
        if let Err(failure) = failed {
            let _ = send(control, &Done::Err(failure), &[]);
        }
    };
    let (zygote, mut go) = namespaces::spawn_zygote(identity, proc, zygote)?;
    // Before it may say anything itself.
    send(control, &Done::Ok(()), &[zygote.pidfd.as_fd()]).attempt(|| "cannot answer".to_owned())?;
    let _ = go.write_all(b"!");
    if in_container {
        container::outlive(&zygote, control)?;
    }
    syscalls::wait_for(zygote.pid);
    drop(go);
    Ok(())
}

/// The zygote's life: a keeper for each order, until the server closes the socket or kills it. Returns the arguments
/// of a program in a process that became one.
fn serve_keepers(control: &OwnedFd, place: &Place) -> Option<Vec<Vec<u8>>> {
    // Keepers are waited for by the kernel.
    syscalls::ignore_children(true);
    while let Ok(Some((order, descriptors))) = receive::<KeeperOrder>(control) {
        let sent = match keeper::spawn(&order, descriptors, place) {
            Ok(Side::Program(argv)) => return Some(argv),
            Ok(Side::Here(pidfd)) => send(control, &Done::Ok(()), &[pidfd.as_fd()]),
            Err(failure) => send(control, &Done::Err(failure), &[]),
        };
        if sent.is_err() {
            return None;
        }
    }
    None
}
