//! One run, from the order to the start: what is to run, what came of it, and how its place is told.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::cgroup::Allowance;
use crate::error::{Doing, Error};
use crate::inbox::Inbox;
use crate::keeper::Keeper;
use crate::limits::Limits;
use crate::memfd;
use crate::protocol::{RunOrder, ToRun, send};
use crate::stream::{Stream, pipe};
use crate::termination::Termination;
use crate::watch::Watch;

/// What to run.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Path and arguments; of a warm sandbox, what its interpreter is handed.
    pub argv: &'a [Vec<u8>],
    /// Under which limits.
    pub limits: &'a Limits,
    /// What it reads.
    pub stdin: &'a [u8],
    /// Path below `/work` and content of each file that it starts with.
    pub files: &'a [(String, &'a [u8])],
    /// Path below `/work` and size limit of each file to be handed back.
    pub collect: &'a [(String, u64)],
    /// What it finds as descriptor 3.
    pub channel: Option<BorrowedFd<'a>>,
}

/// What came of a run.
#[derive(Debug)]
pub struct Record {
    /// How it ended.
    pub termination: Termination,
    /// Standard output up to its limit.
    pub stdout: Vec<u8>,
    /// The beginning of standard error.
    pub stderr: Vec<u8>,
    /// CPU time of all its processes.
    pub cpu: Duration,
    /// Time by the clock, without that in which it was frozen.
    pub wall: Duration,
    /// The most memory that it held at a time.
    pub peak_memory_bytes: u64,
    /// Content of the files handed back.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Why others were not.
    pub refused_files: BTreeMap<String, String>,
}

/// A place is made in a millisecond, and a run is killed in as little. Past this, something is broken.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// A file takes whole pages of the scratch, and some for its name.
const FILE_ROOM_BYTES: u64 = 8192;

/// Orders a program to be run in the place of a keeper, on some cores; the watch sees to the rest.
pub fn order(
    keeper: Keeper,
    cores: &[u32],
    program: &Program<'_>,
    inbox: Option<std::sync::Arc<Inbox>>,
) -> Result<Watch, Error> {
    let limits = program.limits;
    let contents_bytes: u64 = program.files.iter().map(|(_, content)| content.len() as u64).sum();
    let room_bytes = contents_bytes + FILE_ROOM_BYTES * program.files.len() as u64;
    let cpu_ns = keeper.group.cpu_ns().doing("read the CPU time of a cgroup")?;
    let in_cgroup = keeper.accounts();

    let stdin = memfd::read_only(&[program.stdin]).doing("hold the input in memory")?;
    let contents = if program.files.is_empty() {
        None
    } else {
        let parts: Vec<&[u8]> = program.files.iter().map(|(_, content)| *content).collect();
        Some(memfd::read_only(&parts).doing("hold the files of a run in memory")?)
    };
    let (stdout, stdout_writer) = pipe()?;
    let (stderr, stderr_writer) = pipe()?;
    let order = ToRun::Start(RunOrder {
        argv: program.argv.to_vec(),
        files: program.files.iter().map(|(path, content)| (path.clone(), content.len() as u64)).collect(),
        collect: program.collect.to_vec(),
        cores: cores.to_vec(),
        channel: program.channel.is_some(),
        scratch_bytes: limits.scratch_bytes.saturating_add(room_bytes),
        rlimits: limits.rlimits(in_cgroup.memory, in_cgroup.processes),
    });

    keeper.wait_until_ready()?;
    let allowance = Allowance {
        memory_bytes: limits.memory_bytes.saturating_add(room_bytes),
        processes: u64::from(limits.processes),
    };
    let baseline = keeper.group.prepare(allowance).doing("set the limits of a cgroup")?;
    let beside: Vec<BorrowedFd<'_>> = [stdin.as_fd(), stdout_writer.as_fd(), stderr_writer.as_fd()]
        .into_iter()
        .chain(program.channel)
        .chain(contents.as_ref().map(AsFd::as_fd))
        .collect();
    send(&keeper.socket, &order, &beside).doing("order a run")?;

    let looks_at_tree = !in_cgroup.memory || cpu_ns.is_none();
    let streams = [Stream::new(stdout, limits.output_bytes), Stream::new(stderr, limits.stderr_bytes)];
    let mut watch = Watch::new(keeper, *limits, baseline, streams, inbox);
    watch.collect = program.collect.to_vec();
    watch.cores = cores.len();
    watch.room_bytes = room_bytes;
    watch.looks_at_tree = looks_at_tree;
    Ok(watch)
}

/// Waits until a descriptor is readable or closed, but not for ever.
pub fn wait_readable(descriptor: BorrowedFd<'_>) {
    let _ = is_readable_within(descriptor, PATIENCE);
}

/// Whether a descriptor is readable or closed, or becomes so within a time.
#[must_use]
pub fn is_readable_within(descriptor: BorrowedFd<'_>, patience: Duration) -> bool {
    let mut sources = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    let timeout = Timespec::try_from(patience).ok();
    rustix::io::retry_on_intr(|| poll(&mut sources, timeout.as_ref())).is_ok_and(|ready| ready > 0)
}
