//! The watch over one run: draining its output, keeping the clocks, stopping what passes a limit, and doing what
//! is asked of it meanwhile.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::cgroup::Baseline;
use crate::error::{Doing, Error};
use crate::inbox::{Inbox, Request};
use crate::keeper::Keeper;
use crate::limits::Limits;
use crate::protocol::{Ended, FromRun, ToRun, receive, send};
use crate::run::{PATIENCE, Record};
use crate::stream::Stream;
use crate::termination::Facts;
use crate::tree::{self, Sample};

/// The first look at a limit that may have been reached comes no sooner after the last.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);
/// Nor later, where the tree is watched by looking at it.
const LONGEST_WATCH: Duration = Duration::from_millis(50);
/// How long to sleep where no clock runs.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// How fast a program can touch memory at most: decides when to look again.
const TOUCHED_BYTES_PER_S: u64 = 8 << 30;

#[derive(Clone, Copy)]
enum Phase {
    Starting { since: Duration },
    Running,
    Stopping { since: Duration },
}

/// When a run stood still.
#[derive(Default)]
struct Frozen {
    since: Option<Duration>,
    before: Duration,
}

impl Frozen {
    fn until(&self, time: Duration) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| time.saturating_sub(since))
    }
}

/// A run that was ordered.
pub struct Watch {
    /// Files to be handed back.
    pub collect: Vec<(String, u64)>,
    /// How many cores it may use.
    pub cores: usize,
    /// Memory that the service puts there.
    pub room_bytes: u64,
    /// Whether no cgroup tells all.
    pub looks_at_tree: bool,
    /// Whether the program is a copy of its init.
    pub copied: bool,
    inherited: Option<tree::Inherited>,
    keeper: Keeper,
    limits: Limits,
    baseline: Baseline,
    stdout: Stream,
    stderr: Stream,
    inbox: Option<Arc<Inbox>>,
    /// Those who wait for the init's answers, in the order of asking.
    asked: VecDeque<mpsc::Sender<Result<(), Error>>>,
    phase: Phase,
    /// When the program was executed, and the CPU time of its cgroup then.
    started: Option<(Duration, Option<u64>)>,
    frozen: Frozen,
    facts: Facts,
    /// The most that was seen by looking at the tree.
    most: Sample,
    next_look: Duration,
    files: BTreeMap<String, Vec<u8>>,
    refused_files: BTreeMap<String, String>,
}

/// `CLOCK_MONOTONIC`, on which the init of a run dates its reports too.
fn now() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), u32::try_from(now.tv_nsec).unwrap_or(0))
}

impl Watch {
    /// Of a run that was just ordered; `streams` are its output and its errors.
    pub fn new(
        keeper: Keeper,
        limits: Limits,
        baseline: Baseline,
        streams: [Stream; 2],
        inbox: Option<Arc<Inbox>>,
    ) -> Self {
        let [stdout, stderr] = streams;
        Self {
            collect: Vec::new(),
            cores: 1,
            room_bytes: 0,
            looks_at_tree: false,
            copied: false,
            inherited: None,
            keeper,
            limits,
            baseline,
            stdout,
            stderr,
            inbox,
            asked: VecDeque::new(),
            phase: Phase::Starting { since: now() },
            started: None,
            frozen: Frozen::default(),
            facts: Facts::default(),
            most: Sample::default(),
            next_look: Duration::ZERO,
            files: BTreeMap::new(),
            refused_files: BTreeMap::new(),
        }
    }

    /// Returns when the program runs, or with what came of a run that ended before.
    pub fn until_started(&mut self) -> Result<Option<Record>, Error> {
        while matches!(self.phase, Phase::Starting { .. }) {
            if let Some(record) = self.step()? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// Returns what came of the run, when every process of it is gone.
    pub fn until_the_end(&mut self) -> Result<Record, Error> {
        loop {
            if let Some(record) = self.step()? {
                return Ok(record);
            }
        }
    }

    /// The keeper, to be used again or dropped.
    pub fn into_keeper(self) -> Keeper {
        self.keeper
    }

    fn step(&mut self) -> Result<Option<Record>, Error> {
        let time = now();
        let wake_at = self.keep_limits(time)?;
        let [told, asked, stdout, stderr] = self.wait(wake_at.saturating_sub(time))?;
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
                        return self.record(Some(&ended)).map(Some);
                    }
                }
                None => return self.record(None).map(Some),
            }
        }
        if asked {
            let requests = self.inbox.as_ref().map(|inbox| inbox.take()).unwrap_or_default();
            for request in requests {
                self.pass_on(request);
            }
        }
        Ok(None)
    }

    /// Sleeps until something happens: a message, a request, output, errors.
    fn wait(&self, timeout: Duration) -> Result<[bool; 4], Error> {
        // Requests are for a program that runs: until then, they wait.
        let inbox = self.inbox.as_ref().filter(|_| matches!(self.phase, Phase::Running));
        let descriptors = [
            Some(self.keeper.socket.as_fd()),
            inbox.map(|inbox| inbox.as_fd()),
            self.stdout.reader().map(AsFd::as_fd),
            self.stderr.reader().map(AsFd::as_fd),
        ];
        let mut sources: Vec<PollFd<'_>> = descriptors
            .iter()
            .flatten()
            .map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN))
            .collect();
        let timeout = Timespec::try_from(timeout).map_err(io::Error::other).doing("wait")?;
        match poll(&mut sources, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => (),
            Err(error) => return Err(error).doing("wait for a program"),
        }
        let mut ready = sources.iter().map(|source| !source.revents().is_empty());
        Ok(descriptors.map(|descriptor| descriptor.is_some() && ready.next().unwrap_or(false)))
    }

    /// Stops the run if a limit was passed; says when to look again.
    fn keep_limits(&mut self, time: Duration) -> Result<Duration, Error> {
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
                if self.frozen.since.is_some() {
                    return Ok(time + LONGEST_WAIT);
                }
                let wall_end = started + self.limits.wall + self.frozen.before;
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
                Ok(self.next_look.min(wall_end + SHORTEST_WAIT).min(time + LONGEST_WAIT))
            }
        }
    }

    /// Looks at what was used; says after which time a limit could have been passed at the earliest.
    fn look(&mut self) -> Result<Duration, Error> {
        let limits = self.limits;
        let mut wait = Duration::MAX;
        if self.looks_at_tree {
            let sample =
                self.keeper.pid().map(|pid| tree::sample(pid, self.inherited.as_ref())).unwrap_or_default();
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
        self.facts.stopped_for_cpu = used > limits.cpu;
        Ok(wait.min(self.soonest_cpu(limits.cpu.saturating_sub(used)) + SHORTEST_WAIT).max(SHORTEST_WAIT))
    }

    /// The shortest time in which its processes could use so much CPU time: on each core, it goes no faster than
    /// time by the clock.
    fn soonest_cpu(&self, cpu: Duration) -> Duration {
        cpu / u32::try_from(self.cores.max(1)).unwrap_or(u32::MAX)
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

    fn pass_on(&mut self, request: Request) {
        if !matches!(self.phase, Phase::Running) {
            return;
        }
        let (message, answer) = match request {
            Request::Kill => {
                self.facts.stopped_by_caller = true;
                self.stop(now());
                return;
            }
            Request::Freeze(answer) => (ToRun::Freeze, answer),
            Request::Thaw(cores, answer) => {
                self.cores = self.cores.max(cores.len());
                (ToRun::Thaw { cores }, answer)
            }
        };
        // If it cannot be told, it is gone, and so is the answer with the end of this watch.
        let _ = send(&self.keeper.socket, &message, &[]);
        self.asked.push_back(answer);
    }

    fn answer(&mut self, answer: Result<(), Error>) {
        if let Some(asked) = self.asked.pop_front() {
            let _ = asked.send(answer);
        }
    }

    fn hear(&mut self, message: FromRun, descriptors: Vec<OwnedFd>) -> Result<Option<Ended>, Error> {
        match message {
            FromRun::Ready => return Err(Error::Service("a place was made out of turn".to_owned())),
            FromRun::Failed(failure) => return Err(failure.into()),
            FromRun::Started { at_ns, cpu } => {
                let started = Duration::from_nanos(at_ns);
                self.started = Some((started, self.keeper.group.parse_cpu_ns(&cpu)));
                self.phase = Phase::Running;
                if self.copied && self.looks_at_tree {
                    self.inherited = self.keeper.pid().and_then(tree::inherited);
                }
                let watch = if self.looks_at_tree { SHORTEST_WAIT } else { Duration::MAX };
                self.next_look = started + self.soonest_cpu(self.limits.cpu).min(watch);
            }
            FromRun::Frozen { at_ns } => {
                self.frozen.since.get_or_insert(Duration::from_nanos(at_ns));
                self.answer(Ok(()));
            }
            FromRun::Thawed { at_ns } => {
                let time = Duration::from_nanos(at_ns);
                self.frozen = Frozen { since: None, before: self.frozen.until(time) };
                self.next_look = time;
                self.answer(Ok(()));
            }
            FromRun::Refused(failure) => self.answer(Err(failure.into())),
            FromRun::File { index, refused } => self.take_file(index, refused, descriptors)?,
            FromRun::Ended(ended) => return Ok(Some(ended)),
        }
        Ok(None)
    }

    fn take_file(
        &mut self,
        index: usize,
        refused: Option<String>,
        descriptors: Vec<OwnedFd>,
    ) -> Result<(), Error> {
        let (path, limit_bytes) = self
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
        Ok(())
    }

    /// Puts together what came of the run. Without a report the init itself was killed, which is the program's
    /// doing only if memory ran out.
    fn record(&mut self, ended: Option<&Ended>) -> Result<Record, Error> {
        self.stdout.finish()?;
        self.stderr.finish()?;
        let account = self.keeper.group.account(&self.baseline).doing("read the counts of a cgroup")?;
        if ended.is_none() && !account.out_of_memory {
            return Err(Error::Lost("the init of a run ended without a report (was it killed?)".to_owned()));
        }
        let (started, cpu_at_start) = self.started.unwrap_or((now(), None));
        let ended_at = ended.map_or_else(now, |ended| Duration::from_nanos(ended.at_ns));
        let cpu_at_end = ended.and_then(|ended| self.keeper.group.parse_cpu_ns(&ended.cpu));
        let cpu_ns = match (cpu_at_start, cpu_at_end) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => ended.map_or(0, |ended| ended.waited_cpu_ns).max(self.most.cpu_ns),
        };
        // The largest of copies of an interpreter has its memory too.
        let copied = self.inherited.map_or(0, |inherited| inherited.resident_bytes);
        let largest = ended.map_or(0, |ended| ended.largest_resident_bytes).saturating_sub(copied);
        let in_cgroup = self.keeper.accounts();
        let peak = match account.peak_memory_bytes {
            Some(peak) => peak.saturating_sub(self.room_bytes),
            None => self.most.memory_bytes.max(largest),
        };
        self.facts.output_exceeded |= self.stdout.exceeded();
        self.facts.memory_exceeded |=
            account.out_of_memory || (!in_cgroup.memory && peak > self.limits.memory_bytes);
        self.facts.process_refused = account.refused_process
            || (!in_cgroup.processes && self.most.tasks >= u64::from(self.limits.processes));
        self.facts.cpu = Duration::from_nanos(cpu_ns);
        self.facts.wall = ended_at.saturating_sub(started + self.frozen.until(ended_at));
        self.facts.status = ended.and_then(|ended| ended.status);
        Ok(Record {
            termination: self.facts.termination(&self.limits),
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
