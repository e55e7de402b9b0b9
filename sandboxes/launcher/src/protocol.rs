//! What the server and a supervisor say to each other: one message a packet, descriptors beside it.
//!
//! Three sockets use it. *Control* (one a sandbox): an [`Order`], then [`KeeperOrder`]s. *Keeper* (one for each
//! place in a sandbox): [`ToRun`] one way and [`FromRun`] the other, spoken by the first process of each run.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Longest message. Arguments, mounts and file names fit easily; contents travel in descriptors.
pub const MESSAGE_LIMIT_BYTES: usize = 64 << 10;
/// Most descriptors beside one message.
const DESCRIPTOR_LIMIT: usize = 8;

/// The first message to a supervisor: what it is for.
#[derive(Debug, Serialize, Deserialize)]
pub enum Order {
    /// Make a sandbox and serve [`KeeperOrder`]s until the socket closes. Beside it, where the sandbox is warm:
    /// the file that takes what its interpreter writes.
    Sandbox(SandboxSetup),
    /// Say what this machine can enforce, and exit.
    Probe {
        /// Whether to try as one who may map user ids.
        privileged: bool,
    },
    /// Write the content in the descriptor to a file that will be executed, and exit.
    WriteExecutable {
        /// Absolute path.
        path: String,
    },
}

/// A sandbox to be made.
#[derive(Debug, Serialize, Deserialize)]
pub struct SandboxSetup {
    /// The server's process id: a supervisor whose parent is another has been orphaned already. `None` in a
    /// container, where the parent is the engine's.
    pub server_pid: Option<i32>,
    /// Read-only binds, made in this order.
    pub mounts: Vec<MountSpec>,
    /// Device nodes beside the usual ones, as absolute paths below `/dev`, which programs may use in any way.
    pub devices: Vec<String>,
    /// `NAME=value`, the whole environment of the programs.
    pub environment: Vec<Vec<u8>>,
    /// Under which users programs run.
    pub identity: Identity,
    /// Path and arguments of the interpreter of a warm sandbox, of which its programs are copies. Empty where
    /// programs are executed.
    pub warm: Vec<Vec<u8>>,
}

/// A read-only bind, or a file that is copied.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MountSpec {
    /// Path on the host.
    pub source: String,
    /// Absolute path in the sandbox.
    pub target: String,
    /// Whether the sandbox gets a copy of the file for itself.
    pub copy: bool,
}

/// Under which users the programs of a sandbox run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Identity {
    /// Ids of the sandbox's own: `0..IDS` inside are `first_host_id..` outside. Needs root.
    Range {
        /// The host's id of the sandbox's id 0.
        first_host_id: u32,
    },
    /// The server's own id.
    Own,
}

/// Ids in the range of a sandbox.
pub const IDS: u32 = 4096;
/// The id inside a sandbox of the programs of its first keeper.
pub const FIRST_PROGRAM_ID: u32 = 1000;

/// Why the supervisor could not do something: its words, and the kernel's.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Failure {
    /// What was attempted.
    pub what: String,
    /// The kernel's error, 0 if there is none.
    pub errno: i32,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.errno == 0 {
            f.write_str(&self.what)
        } else {
            write!(f, "{}: {}", self.what, io::Error::from_raw_os_error(self.errno))
        }
    }
}

/// Says what was attempted when a system call failed.
pub trait Attempt<T> {
    /// Turns the error into a [`Failure`] that names `what`.
    fn attempt(self, what: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> Attempt<T> for Result<T, E> {
    fn attempt(self, what: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| {
            let error: io::Error = error.into();
            match error.raw_os_error() {
                Some(errno) => Failure { what: what(), errno },
                None => Failure { what: format!("{}: {error}", what()), errno: 0 },
            }
        })
    }
}

/// The first words of a supervisor in a container, which the server did not start itself. Beside it: the folders of the
/// container's own cgroup, in the order of their names here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// In which groups can be made, if in any.
    pub cgroup: ContainerCgroup,
    /// Whether ids of its own can be mapped to a sandbox.
    pub maps_ids: bool,
}

/// The cgroup of a container, as its supervisor hands it over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContainerCgroup {
    /// Version 2, one folder.
    V2,
    /// Version 1: whether there is a folder for each of memory, pids and cpuacct.
    V1([bool; 3]),
    /// None, and why.
    None(String),
}

/// Answer to [`Order::Sandbox`] (with a pidfd of the sandbox's first process; a warm sandbox says it again when
/// its interpreter is ready), [`Order::WriteExecutable`] and [`KeeperOrder`].
pub type Done = Result<(), Failure>;

/// Answer to [`Order::Probe`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProbeReport {
    /// Name of each kind of namespace, and why it could not be made.
    pub namespaces: Vec<(String, Option<Failure>)>,
    /// Whether the kernel filters system calls.
    pub seccomp: Option<Failure>,
    /// Landlock's version, 0 without.
    pub landlock_abi: u32,
}

/// Asks for a keeper. Beside it: the keeper's socket, `cgroup.procs` files, and the file that tells CPU time.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeeperOrder {
    /// Number of the keeper in its sandbox, from 0: decides the user id of its programs.
    pub number: u32,
    /// How many `cgroup.procs` files.
    pub cgroups: usize,
    /// Whether the last descriptor is the file that tells CPU time.
    pub cpu_file: bool,
}

/// To the first process of a run.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToRun {
    /// Start a program. Beside it: stdin, stdout, stderr, its channel if it has one, and the contents of `files`,
    /// one after the other.
    Start(RunOrder),
    /// Stop every process until [`ToRun::Thaw`].
    Freeze,
    /// Bind every thread to the cores and let them go on.
    Thaw {
        /// Numbers of the cores.
        cores: Vec<u32>,
    },
    /// Kill everything and report.
    Kill,
}

/// A program to be started.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunOrder {
    /// Path and arguments.
    pub argv: Vec<Vec<u8>>,
    /// Path below `/work` and size of each file.
    pub files: Vec<(String, u64)>,
    /// Path below `/work` and size limit of each file to be handed back.
    pub collect: Vec<(String, u64)>,
    /// The cores that the program may use.
    pub cores: Vec<u32>,
    /// Whether a channel is beside it, which becomes descriptor 3.
    pub channel: bool,
    /// Size of `/work`, `/tmp` and `/dev/shm` together.
    pub scratch_bytes: u64,
    /// Resource (`RLIMIT_*`), soft and hard limit.
    pub rlimits: Vec<(u32, u64, u64)>,
}

/// From the first process of a run.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromRun {
    /// The place is made and clean.
    Ready,
    /// The place could not be made, or the program could not be started.
    Failed(Failure),
    /// The program is about to run.
    Started {
        /// `CLOCK_MONOTONIC` just before it.
        at_ns: u64,
        /// Content of the CPU time file just before it.
        cpu: Vec<u8>,
    },
    /// Every process is stopped.
    Frozen {
        /// `CLOCK_MONOTONIC` then.
        at_ns: u64,
    },
    /// Every process goes on, on the cores that were named.
    Thawed {
        /// `CLOCK_MONOTONIC` just before.
        at_ns: u64,
    },
    /// The processes could not be stopped, or not be bound to the cores; they are what they were.
    Refused(Failure),
    /// A file of `collect`: beside it, its descriptor, unless it was refused.
    File {
        /// Its place in `collect`.
        index: usize,
        /// Why it was refused.
        refused: Option<String>,
    },
    /// Every process of the run is gone. The last message.
    Ended(Ended),
}

/// How a run ended, in the kernel's terms.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ended {
    /// The wait status of the program, `None` if it was killed by [`ToRun::Kill`] before it ended.
    pub status: Option<i32>,
    /// `CLOCK_MONOTONIC` when the program's end was seen.
    pub at_ns: u64,
    /// Content of the CPU time file after the last process was gone.
    pub cpu: Vec<u8>,
    /// CPU time of all processes that were waited for.
    pub waited_cpu_ns: u64,
    /// Largest resident size of a process that was waited for.
    pub largest_resident_bytes: u64,
}

/// Sends one message with descriptors.
pub fn send<T: Serialize>(socket: impl AsFd, message: &T, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    if bytes.len() > MESSAGE_LIMIT_BYTES {
        let length = bytes.len();
        return Err(io::Error::other(format!(
            "arguments and file names take {length} bytes; at most {MESSAGE_LIMIT_BYTES} fit"
        )));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTOR_LIMIT))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !beside.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many descriptors beside one message"));
    }
    rustix::io::retry_on_intr(|| {
        sendmsg(&socket, &[IoSlice::new(&bytes)], &mut beside, SendFlags::NOSIGNAL)
    })?;
    Ok(())
}

/// Receives one message with its descriptors; `None` when the other side is gone.
pub fn receive<T: DeserializeOwned>(socket: impl AsFd) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut bytes = vec![0; MESSAGE_LIMIT_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTOR_LIMIT))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::io::retry_on_intr(|| {
        recvmsg(&socket, &mut [IoSliceMut::new(&mut bytes)], &mut beside, RecvFlags::CMSG_CLOEXEC)
    });
    let received = match received {
        Err(rustix::io::Errno::CONNRESET) => return Ok(None),
        other => other?,
    };
    if received.bytes == 0 {
        return Ok(None);
    }
    if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Err(io::Error::other("a message or its descriptors were cut off (out of descriptors?)"));
    }
    let mut descriptors = Vec::new();
    for message in beside.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = message {
            descriptors.extend(fds);
        }
    }
    let message = postcard::from_bytes(&bytes[..received.bytes]).map_err(io::Error::other)?;
    Ok(Some((message, descriptors)))
}
