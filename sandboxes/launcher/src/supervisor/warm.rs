//! Warm sandboxes: the zygote is an interpreter that has loaded what programs need, and they are copies of it.
//!
//! The zygote executes the interpreter inside the private root, with the filter that all processes of a sandbox are
//! held to, and the control socket under a known number. The interpreter calls [`serve`], which serves keeper orders
//! as the zygote of any sandbox does, but by forking the way the C library does: in the process that is to be the
//! program, it returns.

use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};

use serde::{Deserialize, Serialize};

use super::syscalls::{FIRST_HIGH, close_from, exit, occupy};
use super::{Place, die_with_parent, restrictions, scratch, serve_keepers, strings};
use crate::protocol::{Attempt, Done, Failure, Identity, SandboxSetup, send};

/// Under which the interpreter finds the control socket, and its settings.
const CONTROL: RawFd = 3;
const SETTINGS: RawFd = 4;
/// First in the settings, so that nothing else passes for them.
const MARK: &str = concat!("scorer-launcher ", env!("CARGO_PKG_VERSION"));
const LAST_CAPABILITY: u32 = 63;

/// What an interpreter must be told about forks. Keepers and inits are forks too, but do nothing in its terms: of
/// those between the zygote and the program, it hears of the first one before and the last one after.
pub struct Interpreter {
    /// Called before the fork.
    pub before_fork: fn(),
    /// Called after it in the zygote.
    pub after_fork_in_parent: fn(),
    /// Called in the program.
    pub after_fork_in_child: fn(),
}

/// What the interpreter must know to serve.
#[derive(Serialize, Deserialize)]
struct Settings {
    mark: String,
    environment: Vec<Vec<u8>>,
    devices: Vec<String>,
    identity: Identity,
}

/// Turns the zygote into the interpreter. `descriptors`: the file that takes what it writes.
pub fn become_interpreter(
    control: &OwnedFd,
    setup: SandboxSetup,
    descriptors: Vec<OwnedFd>,
) -> Result<(), Failure> {
    let said = descriptors.into_iter().next().ok_or_else(|| Failure {
        what: "a warm sandbox was ordered without its file".to_owned(),
        errno: 0,
    })?;
    // Of its own, so that it may write while it warms up. Runs cover it with theirs.
    scratch::mount_folders(None)?;
    let argv = strings(&setup.warm)?;
    let environment = strings(&setup.environment)?;
    let devices = !setup.devices.is_empty();
    let settings = Settings {
        mark: MARK.to_owned(),
        environment: setup.environment,
        devices: setup.devices,
        identity: setup.identity,
    };
    let settings = sealed(&settings).attempt(|| "cannot hold the settings in memory".to_owned())?;
    keep_capabilities()?;
    restrictions::Restrictions::new(devices)?.install_shared()?;
    let pointers = |strings: &[std::ffi::CString]| -> Vec<*const libc::c_char> {
        strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (argv_pointers, environment_pointers) = (pointers(&argv), pointers(&environment));
    // SAFETY: this process executes or ends, so it loses nothing; the sources have other numbers than the targets,
    // but for one that comes first; the strings outlive the call.
    unsafe {
        for (source, target) in [
            (said.as_raw_fd(), 1),
            (said.as_raw_fd(), 2),
            (control.as_raw_fd(), CONTROL),
            (settings.as_raw_fd(), SETTINGS),
        ] {
            libc::dup2(source, target);
        }
        // The standard input is open already, without its mark to be closed.
        libc::fcntl(0, libc::F_SETFD, 0);
        close_from(SETTINGS + 1, libc::CLOSE_RANGE_CLOEXEC);
        libc::execve(argv_pointers[0], argv_pointers.as_ptr(), environment_pointers.as_ptr());
    }
    Err(std::io::Error::last_os_error()).attempt(|| format!("cannot execute {}", argv[0].to_string_lossy()))
}

fn sealed(settings: &Settings) -> std::io::Result<OwnedFd> {
    use rustix::fs::{MemfdFlags, memfd_create};
    let bytes = postcard::to_stdvec(settings).map_err(std::io::Error::other)?;
    let file = memfd_create("settings", MemfdFlags::CLOEXEC)?;
    rustix::io::write(&file, &bytes)?;
    Ok(rustix::io::fcntl_dupfd_cloexec(&file, FIRST_HIGH)?)
}

/// Has this process keep its capabilities when it executes a file, whatever its user id is: it has them over its own
/// namespaces alone, in which it makes the places of runs.
fn keep_capabilities() -> Result<(), Failure> {
    // Version 3 of the structures of capset(2): two words each of effective, permitted, inheritable.
    let header: [u32; 2] = [0x2008_0522, 0];
    let mut sets: [u32; 6] = [0; 6];
    // SAFETY: the structures are of the version given; the kernel writes to the second one only.
    let kept = unsafe {
        let got = libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr());
        // Permitted ones become inheritable. The words are in the order low: effective, permitted, inheritable; high.
        sets[2] = sets[1];
        sets[5] = sets[4];
        got == 0 && libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) == 0
    };
    let error = std::io::Error::last_os_error();
    if !kept {
        return Err(error).attempt(|| "cannot keep capabilities".to_owned());
    }
    let permitted = u64::from(sets[1]) | u64::from(sets[4]) << 32;
    for capability in (0..=LAST_CAPABILITY).filter(|capability| permitted & (1 << capability) != 0) {
        // SAFETY: plain values.
        if unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE, capability, 0, 0) } == -1 {
            return Err(std::io::Error::last_os_error()).attempt(|| "cannot keep capabilities".to_owned());
        }
    }
    Ok(())
}

/// Whether this process can serve: it is the interpreter of a warm sandbox, has not served yet, and has one thread.
pub fn check() -> Result<(), Failure> {
    settings().and_then(|_| one_thread())
}

/// Serves runs until the server is gone, which ends this process. Returns in each program, with its arguments. To be
/// called after [`check`].
pub fn serve(interpreter: Interpreter) -> Result<Vec<Vec<u8>>, Failure> {
    let settings = settings()?;
    // SAFETY: with settings under their number, the control socket is under its own, and nobody owns either.
    let (inherited, file) = unsafe { (OwnedFd::from_raw_fd(CONTROL), OwnedFd::from_raw_fd(SETTINGS)) };
    let control = rustix::io::fcntl_dupfd_cloexec(&inherited, FIRST_HIGH)
        .attempt(|| "cannot hold the control socket".to_owned())?;
    drop((inherited, file));
    // The number of a program's channel is never that of anything here.
    occupy(&[CONTROL], 0).attempt(|| "cannot keep a number".to_owned())?;
    // Executing a file made it dumpable.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .attempt(|| "cannot become undumpable".to_owned())?;
    die_with_parent(None)?;
    let place = Place::new(&settings.environment, settings.devices, settings.identity, Some(interpreter))?;
    send(&control, &Done::Ok(()), &[]).attempt(|| "cannot tell the server".to_owned())?;
    let Some(argv) = serve_keepers(&control, &place) else { exit(0) };
    drop((control, place));
    // Whatever the interpreter, its modules, and the processes between had open.
    // SAFETY: what owned some of them here is gone; what a module holds, it must not have.
    if unsafe { close_from(CONTROL + 1, 0) } == -1 {
        exit(1)
    }
    Ok(argv)
}

fn settings() -> Result<Settings, Failure> {
    let elsewhere = || Failure {
        what: format!(
            "serve_warm() is for the interpreter of a warm sandbox, of the same version as its server ({MARK}), and \
             can be called once"
        ),
        errno: 0,
    };
    // SAFETY: the number is only looked at; if it is not open, that is the answer.
    let file = unsafe { std::os::fd::BorrowedFd::borrow_raw(SETTINGS) };
    let size = rustix::fs::fstat(file).ok().and_then(|status| usize::try_from(status.st_size).ok());
    let mut bytes = vec![0; size.filter(|size| *size <= 1 << 20).ok_or_else(elsewhere)?];
    let read = rustix::io::pread(file.as_fd(), &mut bytes, 0).map_err(|_| elsewhere())?;
    let settings: Settings = postcard::from_bytes(&bytes[..read]).map_err(|_| elsewhere())?;
    if settings.mark == MARK { Ok(settings) } else { Err(elsewhere()) }
}

/// A fork copies one thread, and what the others held stays locked for ever.
fn one_thread() -> Result<(), Failure> {
    let names: Vec<String> = std::fs::read_dir("/proc/self/task")
        .attempt(|| "cannot count the threads of the interpreter".to_owned())?
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect();
    if names.len() == 1 {
        return Ok(());
    }
    Err(Failure {
        what: format!(
            "the interpreter of a warm sandbox has {} threads ({}), and only one of them would be in a program: have \
             nothing start threads while it warms up (libraries of linear algebra start none with \
             OMP_NUM_THREADS=1, MKL_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1 in the sandbox's environment)",
            names.len(),
            names.join(", ")
        ),
        errno: 0,
    })
}
