//! Starts supervisor executables. The server itself is never forked: it has threads, and knows too much.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::thread;

use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType, shutdown, socketpair};
use serde::de::DeserializeOwned;

use crate::cgroup::{self, Detected};
use crate::error::{Doing, Error};
use crate::memfd;
use crate::protocol::{Greeting, Order, receive, send};

/// The supervisor. With the path of a socket as its argument it is the first process of a container.
pub static EXECUTABLE: &[u8] = include_bytes!(env!("SCORER_SUPERVISOR_PATH"));

/// A supervisor that was started.
#[derive(Debug)]
pub struct Supervisor {
    /// The socket to it. When it closes, the supervisor ends, and all that it made.
    pub control: OwnedFd,
    /// `None` in a container, whose engine started it.
    child: Option<Child>,
}

impl Supervisor {
    /// Starts one with an order and descriptors beside it.
    pub fn start(order: &Order, descriptors: &[BorrowedFd<'_>]) -> Result<Self, Error> {
        let (control, remote) = socket_pair()?;
        let child = spawn(remote)?;
        let supervisor = Self { control, child: Some(child) };
        supervisor.order(order, descriptors)?;
        Ok(supervisor)
    }

    /// Gives it its order, and descriptors beside it.
    pub fn order(&self, order: &Order, descriptors: &[BorrowedFd<'_>]) -> Result<(), Error> {
        send(&self.control, order, descriptors).doing("give the sandbox supervisor its order")
    }

    /// Takes over one that an engine started in a container, and that has connected to a socket of the server; gives the
    /// groups in which its runs are accounted, too.
    pub fn in_container(control: OwnedFd) -> Result<(Self, Detected), Error> {
        let supervisor = Self { control, child: None };
        let (greeting, folders) = supervisor.answer::<Greeting>()?;
        if greeting.maps_ids {
            Ok((supervisor, cgroup::of_container(&greeting.cgroup, folders)))
        } else {
            Err(Error::Service(
                "a container is not root over all user ids, of which each sandbox needs its own: use an engine that \
                 runs as root (not rootless)"
                    .to_owned(),
            ))
        }
    }

    /// Whether it runs in a container.
    #[must_use]
    pub fn is_in_container(&self) -> bool {
        self.child.is_none()
    }

    /// Has it end, and all that it made, where it is in a container: a server that is not root may not signal it.
    pub fn hang_up(&self) {
        if self.is_in_container() {
            let _ = shutdown(&self.control, Shutdown::Both);
        }
    }

    /// Waits for its answer, with descriptors.
    pub fn answer<T: DeserializeOwned>(&self) -> Result<(T, Vec<OwnedFd>), Error> {
        receive(&self.control).doing("hear from the sandbox supervisor")?.ok_or_else(|| {
            Error::Service("the sandbox supervisor ended without an answer (was it killed?)".to_owned())
        })
    }

    /// Waits for its end, which must have been brought about. That of a container is the engine's to see.
    pub fn wait(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.wait();
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.hang_up();
        // It has been waited for where it served a sandbox; others end with their answer.
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A pair of sockets that keep messages apart.
pub fn socket_pair() -> Result<(OwnedFd, OwnedFd), Error> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .doing("make a pair of sockets")
}

struct Job {
    remote: OwnedFd,
    started: mpsc::Sender<io::Result<Child>>,
}

/// Starts a supervisor with the socket as its only descriptor, from the one thread that starts them all.
///
/// "Killed with its parent" is, to the kernel, with the thread that started it: a supervisor started by a
/// thread of a pool would die with that thread. The thread that runs here ends only with the process.
fn spawn(remote: OwnedFd) -> Result<Child, Error> {
    static JOBS: OnceLock<(u32, Mutex<mpsc::Sender<Job>>)> = OnceLock::new();
    let (process, jobs) = JOBS.get_or_init(|| {
        let (sender, receiver) = mpsc::channel::<Job>();
        let _ = thread::Builder::new().name("sandbox-spawner".to_owned()).spawn(move || {
            for job in receiver {
                let _ = job.started.send(start_executable(job.remote));
            }
        });
        (std::process::id(), Mutex::new(sender))
    });
    if *process != std::process::id() {
        return Err(Error::Service(
            "sandboxes cannot be made in a forked copy of the server: start it by exec".to_owned(),
        ));
    }
    let (started, outcome) = mpsc::channel();
    let sent = jobs.lock().unwrap_or_else(PoisonError::into_inner).send(Job { remote, started });
    let gone = |_| Error::Service("the thread that starts sandboxes could not be started".to_owned());
    sent.map_err(|error| error.to_string()).map_err(Error::Service)?;
    outcome.recv().map_err(gone)?.doing("start the sandbox supervisor (is vm.memfd_noexec 2?)")
}

fn start_executable(remote: OwnedFd) -> io::Result<Child> {
    static FILE: OnceLock<OwnedFd> = OnceLock::new();
    let file = if let Some(file) = FILE.get() {
        file
    } else {
        let file = memfd::executable(EXECUTABLE)?;
        FILE.get_or_init(|| file)
    };
    Command::new(format!("/proc/self/fd/{}", file.as_raw_fd()))
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(remote))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}
