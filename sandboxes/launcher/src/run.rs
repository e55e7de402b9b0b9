//! One run, from the order to the report: draining output, keeping the clocks, stopping what passes a limit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::cgroup::{Allowance, Baseline};
use crate::error::{Doing, Error};
use crate::keeper::Keeper;
use crate::limits::Limits;
use crate::memfd;
use crate::protocol::{Ended, FromRun, RunOrder, ToRun, receive, send};
use crate::stream::{Stream, pipe};
use crate::termination::{Facts, Termination};
use crate::tree::{self, Sample};

/// What to run.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Path and arguments.
    pub argv: &'a [Vec<u8>],
    /// Under which limits.
    pub limits: &'a Limits,
    /// What it reads.
    pub stdin: &'a [u8],
    /// Path below `/work` and content of each file that it starts with.
    pub files: &'a [(String, &'a [u8])],
    /// Path below `/work` and size limit of each file to be handed back.
    pub collect: &'a [(String, u64)],
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
    /// Time by the clock.
    pub wall: Duration,
    /// The most memory that it held at a time.
    pub peak_memory_bytes: u64,
    /// Content of the files handed back.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Why others were not.
    pub refused_files: BTreeMap<String, String>,
}

/// A place is made in a millisecond, and a run is killed in as little. Past this, something is broken.
const PATIENCE: Duration = Duration::from_secs(30);
/// The first look at a limit that may have been reached comes no sooner after the last.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);
/// Nor later, where the tree is watched by looking at it.
const LONGEST_WATCH: Duration = Duration::from_millis(50);
/// How fast a program can touch memory at most: decides when to look again.
const TOUCHED_BYTES_PER_S: u64 = 8 << 30;
/// A file takes whole pages of the scratch, and some for its name.
const FILE_ROOM_BYTES: u64 = 8192;

/// Runs a program in the place of a keeper, on a core.
pub fn execute(keeper: &Keeper, core: u32, program: &Program<'_>) -> Result<Record, Error> {
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
        core,
        scratch_bytes: limits.scratch_bytes.saturating_add(room_bytes),
        rlimits: limits.rlimits(in_cgroup.memory, in_cgroup.processes),
    });

    keeper.wait_until_ready()?;
    let allowance = Allowance {
        memory_bytes: limits.memory_bytes.saturating_add(room_bytes),
        processes: u64::from(limits.processes),
    };
    let baseline = keeper.group.prepare(allowance).doing("set the limits of a cgroup")?;
    let beside: Vec<BorrowedFd<'_>> =
        [&stdin, &stdout_writer, &stderr_writer].into_iter().chain(&contents).map(AsFd::as_fd).collect();
    send(&keeper.socket, &order, &beside).doing("order a run")?;
    drop((stdin, stdout_writer, stderr_writer, contents));

    let mut watch = Watch {
        keeper,
        program,
        baseline,
        room_bytes,
        looks_at_tree: !in_cgroup.memory || cpu_ns.is_none(),
        stdout: Stream::new(stdout, limits.output_bytes),
        stderr: Stream::new(stderr, limits.stderr_bytes),
        phase: Phase::Starting { since: now() },
        started: None,
        facts: Facts::default(),
        most: Sample::default(),
        next_look: Duration::ZERO,
        files: BTreeMap::new(),
        refused_files: BTreeMap::new(),
    };
    watch.until_the_end()
}

/// `CLOCK_MONOTONIC`, on which the init of a run dates its reports too.
fn now() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// Waits until a descriptor is readable or closed, but not for ever.
pub fn wait_readable(descriptor: BorrowedFd<'_>) {
    let mut sources = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    let timeout = Timespec::try_from(PATIENCE).ok();
    let _ = rustix::io::retry_on_intr(|| poll(&mut sources, timeout.as_ref()));
}

#[derive(Clone, Copy)]
enum Phase {
    Starting { since: Duration },
    Running,
    Stopping { since: Duration },
}

struct Watch<'a> {
    keeper: &'a Keeper,
    program: &'a Program<'a>,
    baseline: Baseline,
    room_bytes: u64,
    looks_at_tree: bool,
    stdout: Stream,
    stderr: Stream,
    phase: Phase,
    /// When the program was executed, and the CPU time of its cgroup then.
    started: Option<(Duration, Option<u64>)>,
    facts: Facts,
    /// The most that was seen by looking at the tree.
    most: Sample,
    next_look: Duration,
    files: BTreeMap<String, Vec<u8>>,
    refused_files: BTreeMap<String, String>,
}

impl Watch<'_> {
    fn until_the_end(&mut self) -> Result<Record, Error> {
        loop {
            let time = now();
            let wake_at = self.keep_limits(time)?;
            let (told, stdout, stderr) = self.wait(wake_at.saturating_sub(time))?;
            if stdout {
                self.stdout.drain()?;
            }
            if stderr {
                self.stderr.drain()?;
            }
            if told {
                match receive::<FromRun>(&self.keeper.socket).doing("hear from the init of a run")? {
                    Some((message, descriptors)) => {
                        if let Some(ended) = self.hear(message, descriptors)? {
                            return self.record(Some(&ended));
                        }
                    }
                    None => return self.record(None),
                }
            }
        }
    }

    /// Sleeps until something happens: a message, output, errors.
    fn wait(&self, timeout: Duration) -> Result<(bool, bool, bool), Error> {
        let mut sources = Vec::with_capacity(3);
        sources.push(PollFd::new(&self.keeper.socket, PollFlags::IN));
        let streams = [&self.stdout, &self.stderr];
        let readers = streams.map(|stream| stream.reader());
        sources.extend(readers.iter().flatten().map(|reader| PollFd::new(*reader, PollFlags::IN)));
        let timeout = Timespec::try_from(timeout).map_err(io::Error::other).doing("wait")?;
        match poll(&mut sources, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => (),
            Err(error) => return Err(error).doing("wait for a program"),
        }
        let mut ready = sources.iter().map(|source| !source.revents().is_empty());
        let told = ready.next().unwrap_or(false);
        let mut of = |reader: Option<&OwnedFd>| reader.is_some() && ready.next().unwrap_or(false);
        let (stdout, stderr) = (of(readers[0]), of(readers[1]));
        Ok((told, stdout, stderr))
    }

    /// Stops the run if a limit was passed; says when to look again.
    fn keep_limits(&mut self, time: Duration) -> Result<Duration, Error> {
        let limits = self.program.limits;
        match self.phase {
            Phase::Starting { since } | Phase::Stopping { since } => {
                if time > since + PATIENCE {
                    let what = if matches!(self.phase, Phase::Starting { .. }) { "start" } else { "end" };
                    return Err(Error::Service(format!(
                        "a run did not {what} within {} s (is the machine out of memory or its disk stuck?)",
                        PATIENCE.as_secs()
                    )));
                }
                Ok(since + PATIENCE + SHORTEST_WAIT)
            }
            Phase::Running => {
                let Some((started, _)) = self.started else { return Ok(time) };
                if self.stdout.exceeded() {
                    self.facts.output_exceeded = true;
                    return Ok(self.stop(time));
                }
                let wall_end = started + limits.wall;
                if time > wall_end {
                    self.facts.stopped_for_wall = true;
                    return Ok(self.stop(time));
                }
                if time >= self.next_look {
                    self.next_look = time + self.look()?;
                    if self.facts.stopped_for_cpu || self.facts.memory_exceeded {
                        return Ok(self.stop(time));
                    }
                }
                Ok(self.next_look.min(wall_end + SHORTEST_WAIT))
            }
        }
    }

    /// Looks at what was used; says after which time a limit could have been passed at the earliest.
    fn look(&mut self) -> Result<Duration, Error> {
        let limits = self.program.limits;
        let mut wait = Duration::MAX;
        if self.looks_at_tree {
            let sample = self.keeper.pid().map(tree::sample).unwrap_or_default();
            self.most.cpu_ns = self.most.cpu_ns.max(sample.cpu_ns);
            self.most.memory_bytes = self.most.memory_bytes.max(sample.memory_bytes);
            self.most.tasks = self.most.tasks.max(sample.tasks);
            if !self.keeper.accounts().memory {
                let room = limits.memory_bytes.saturating_sub(sample.memory_bytes);
                self.facts.memory_exceeded = sample.memory_bytes > limits.memory_bytes;
                let milliseconds = room.saturating_mul(1000) / TOUCHED_BYTES_PER_S;
                wait = wait.min(Duration::from_millis(milliseconds).min(LONGEST_WATCH));
            }
        }
        let used = self.used_cpu()?;
        // All its processes share one core, so time on it goes no faster than time by the clock.
        let left = limits.cpu.saturating_sub(used);
        self.facts.stopped_for_cpu = used > limits.cpu;
        Ok(wait.min(left + SHORTEST_WAIT).max(SHORTEST_WAIT))
    }

    fn used_cpu(&self) -> Result<Duration, Error> {
        let at_start = self.started.and_then(|(_, cpu_ns)| cpu_ns);
        let so_far = self.keeper.group.cpu_ns().doing("read the CPU time of a cgroup")?;
        let used_ns = match (at_start, so_far) {
            (Some(at_start), Some(so_far)) => so_far.saturating_sub(at_start),
            _ => self.most.cpu_ns,
        };
        Ok(Duration::from_nanos(used_ns))
    }

    fn stop(&mut self, time: Duration) -> Duration {
        self.phase = Phase::Stopping { since: time };
        // If it cannot be told, it is gone, which the next wait finds out.
        let _ = send(&self.keeper.socket, &ToRun::Kill, &[]);
        time + PATIENCE + SHORTEST_WAIT
    }

    fn hear(&mut self, message: FromRun, descriptors: Vec<OwnedFd>) -> Result<Option<Ended>, Error> {
        match message {
            // Said again by the init that follows one which a late kill ended.
            FromRun::Ready => (),
            FromRun::Failed(failure) => return Err(failure.into()),
            FromRun::Started { at_ns, cpu } => {
                let started = Duration::from_nanos(at_ns);
                self.started = Some((started, self.keeper.group.parse_cpu_ns(&cpu)));
                self.phase = Phase::Running;
                let watch = if self.looks_at_tree { SHORTEST_WAIT } else { Duration::MAX };
                self.next_look = started + self.program.limits.cpu.min(watch);
            }
            FromRun::File { index, refused } => {
                let (path, limit_bytes) = self
                    .program
                    .collect
                    .get(index)
                    .ok_or_else(|| Error::Service("a file was handed out unasked".to_owned()))?;
                match (refused, descriptors.into_iter().next()) {
                    (Some(reason), _) => {
                        self.refused_files.insert(path.clone(), reason);
                    }
                    (None, Some(file)) => {
                        let mut content = Vec::new();
                        File::from(file)
                            .take(*limit_bytes)
                            .read_to_end(&mut content)
                            .doing("read a file that a run left")?;
                        self.files.insert(path.clone(), content);
                    }
                    (None, None) => {
                        return Err(Error::Service("a file was handed out without a descriptor".to_owned()));
                    }
                }
            }
            FromRun::Ended(ended) => return Ok(Some(ended)),
        }
        Ok(None)
    }

    /// Puts together what came of the run. Without a report the init itself was killed, which is the program's
    /// doing only if memory ran out.
    fn record(&mut self, ended: Option<&Ended>) -> Result<Record, Error> {
        self.stdout.finish()?;
        self.stderr.finish()?;
        let limits = self.program.limits;
        let account = self.keeper.group.account(&self.baseline).doing("read the counts of a cgroup")?;
        if ended.is_none() && !account.out_of_memory {
            return Err(Error::Service(
                "the init of a run ended without a report (was it killed?)".to_owned(),
            ));
        }
        let (started, cpu_at_start) = self.started.unwrap_or((now(), None));
        let ended_at = ended.map_or_else(now, |ended| Duration::from_nanos(ended.at_ns));
        let cpu_at_end = ended.and_then(|ended| self.keeper.group.parse_cpu_ns(&ended.cpu));
        let cpu_ns = match (cpu_at_start, cpu_at_end) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => ended.map_or(0, |ended| ended.waited_cpu_ns).max(self.most.cpu_ns),
        };
        let largest = ended.map_or(0, |ended| ended.largest_resident_bytes);
        let in_cgroup = self.keeper.accounts();
        let peak = match account.peak_memory_bytes {
            Some(peak) => peak.saturating_sub(self.room_bytes),
            None => self.most.memory_bytes.max(largest),
        };
        self.facts.output_exceeded |= self.stdout.exceeded();
        self.facts.memory_exceeded |=
            account.out_of_memory || (!in_cgroup.memory && peak > limits.memory_bytes);
        self.facts.process_refused = account.refused_process
            || (!in_cgroup.processes && self.most.tasks >= u64::from(limits.processes));
        self.facts.cpu = Duration::from_nanos(cpu_ns);
        self.facts.wall = ended_at.saturating_sub(started);
        self.facts.status = ended.and_then(|ended| ended.status);
        Ok(Record {
            termination: self.facts.termination(limits),
            stdout: self.stdout.take(),
            stderr: self.stderr.take(),
            cpu: self.facts.cpu,
            wall: self.facts.wall,
            peak_memory_bytes: peak,
            files: std::mem::take(&mut self.files),
            refused_files: std::mem::take(&mut self.refused_files),
        })
    }
}
