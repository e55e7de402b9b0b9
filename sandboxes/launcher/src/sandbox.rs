//! A sandbox: the supervisor that holds its namespaces, and the keepers of the runs in it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, geteuid, pidfd_send_signal};

use crate::cgroup::{self, Choice, Detected};
use crate::error::{Doing, Error};
use crate::inbox::Inbox;
use crate::keeper::Keeper;
use crate::memfd;
use crate::protocol::{Done, IDS, Identity, MountSpec, Order, SandboxSetup};
use crate::run::{Program, Record, is_readable_within, order, wait_readable};
use crate::running::Run;
use crate::slots::Slots;
use crate::spawn::Supervisor;

/// What a sandbox is made of.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Read-only binds, made in this order.
    pub mounts: Vec<MountSpec>,
    /// Device nodes beside the usual ones, as absolute paths below `/dev`.
    pub devices: Vec<String>,
    /// `NAME=value`, the whole environment of the programs.
    pub environment: Vec<Vec<u8>>,
    /// The interpreter whose copies the programs are, with its arguments; empty where programs are executed.
    pub warm: Vec<Vec<u8>>,
    /// Where runs are accounted.
    pub cgroup: Choice,
}

/// Namespaces of one submission.
#[derive(Debug)]
pub struct Sandbox {
    slots: Arc<Slots>,
    cgroups: Arc<Detected>,
    closed: AtomicBool,
    /// What the interpreter of a warm sandbox writes.
    said: Option<OwnedFd>,
    state: Mutex<State>,
    run_ended: Condvar,
}

#[derive(Debug)]
struct State {
    /// `None` once it was closed.
    alive: Option<Alive>,
    idle: Vec<Keeper>,
    next_keeper: u32,
    running: usize,
}

#[derive(Debug)]
struct Alive {
    supervisor: Supervisor,
    /// The first process of the namespaces: with it everything in them dies.
    zygote: Arc<OwnedFd>,
}

/// Ids above those that systemd hands out to containers and users, and below the sign bit.
const FIRST_HOST_ID: u32 = 0x7000_0000;
const RANGES: u32 = 0x1000_0000 / IDS;
/// Ids of keepers: those of the range that are left after the first programs' id, with room to spare.
const KEEPER_NUMBERS: u32 = 2048;
/// How long the interpreter of a warm sandbox may take until it serves. Imports take seconds.
const WARM_UP: Duration = Duration::from_secs(120);
/// From the end of what is in a sandbox to that of its first process, where that is why.
const ITS_END: Duration = Duration::from_millis(500);
/// Of what it wrote, in an error message.
const SAID_BYTES: usize = 2048;

/// Under which users the next sandbox of this server runs its programs.
#[must_use]
pub fn identity() -> Identity {
    if privileged() { range() } else { Identity::Own }
}

/// Ids of a sandbox's own.
fn range() -> Identity {
    use std::sync::atomic::AtomicU32;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Servers on one machine start at different ranges. Sharing one would share only quotas of the kernel.
    let start = std::process::id().wrapping_mul(0x9E37_79B1);
    let range = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % RANGES;
    Identity::Range { first_host_id: FIRST_HOST_ID + range * IDS }
}

/// Whether this process is root over all ids, and not only over those of a container's user namespace.
#[must_use]
pub fn privileged() -> bool {
    let covers = |path: &str| {
        let map = std::fs::read_to_string(path).unwrap_or_default();
        map.lines().any(|line| {
            let numbers: Vec<u64> =
                line.split_ascii_whitespace().filter_map(|number| number.parse().ok()).collect();
            matches!(numbers[..], [first, _, count]
                if first <= u64::from(FIRST_HOST_ID) && first + count > u64::from(FIRST_HOST_ID + RANGES * IDS))
        })
    };
    geteuid().is_root() && covers("/proc/self/uid_map") && covers("/proc/self/gid_map")
}

impl Sandbox {
    /// Makes the namespaces, and waits until the interpreter of a warm sandbox is ready. With `container`, the socket of
    /// a supervisor in one, they are made there, and runs are accounted below the container's cgroup.
    pub fn new(setup: Setup, slots: Arc<Slots>, container: Option<OwnedFd>) -> Result<Self, Error> {
        let (elsewhere, cgroups) = match container.map(Supervisor::in_container).transpose()? {
            None => (None, cgroup::detect(setup.cgroup)?),
            Some((supervisor, detected)) => (Some(supervisor), Arc::new(detected)),
        };
        let server_pid =
            i32::try_from(std::process::id()).map_err(|error| Error::Service(error.to_string()))?;
        let warm = !setup.warm.is_empty();
        let said = warm.then(memfd::writable).transpose().doing("hold what an interpreter writes")?;
        let beside: Vec<BorrowedFd<'_>> = said.iter().map(AsFd::as_fd).collect();
        let order = Order::Sandbox(SandboxSetup {
            server_pid: elsewhere.is_none().then_some(server_pid),
            mounts: setup.mounts,
            devices: setup.devices,
            environment: setup.environment,
            identity: if elsewhere.is_some() { range() } else { identity() },
            warm: setup.warm,
        });
        let supervisor = match elsewhere {
            None => Supervisor::start(&order, &beside)?,
            Some(supervisor) => {
                supervisor.order(&order, &beside)?;
                supervisor
            }
        };
        let (done, descriptors) = supervisor.answer::<Done>()?;
        done?;
        let zygote = descriptors.into_iter().next().ok_or_else(|| {
            Error::Service(
                "the sandbox supervisor gave no handle of the sandbox (out of descriptors?)".to_owned(),
            )
        })?;
        let sandbox = Self {
            slots,
            cgroups,
            closed: AtomicBool::new(false),
            said,
            state: Mutex::new(State {
                alive: Some(Alive { supervisor, zygote: Arc::new(zygote) }),
                idle: Vec::new(),
                next_keeper: 0,
                running: 0,
            }),
            run_ended: Condvar::new(),
        };
        if sandbox.is_warm() {
            sandbox.warm_up()?;
        }
        Ok(sandbox)
    }

    /// Waits until the interpreter is ready, and has the place of the first run made.
    fn warm_up(&self) -> Result<(), Error> {
        let mut state = self.lock();
        let Some(alive) = &state.alive else { return Err(Error::Closed) };
        if !is_readable_within(alive.supervisor.control.as_fd(), WARM_UP) {
            return Err(Error::Service(format!(
                "the interpreter of a warm sandbox did not call serve_warm() within {} s; it wrote: {}",
                WARM_UP.as_secs(),
                self.said()
            )));
        }
        match alive.supervisor.answer::<Done>() {
            Ok((done, _)) => done?,
            Err(_) => {
                return Err(Error::Service(format!(
                    "the interpreter of a warm sandbox ended before it called serve_warm(); it wrote: {}",
                    self.said()
                )));
            }
        }
        let keeper = self.make_keeper(&mut state)?;
        state.idle.push(keeper);
        Ok(())
    }

    /// Whether its programs are copies of an interpreter.
    #[must_use]
    pub fn is_warm(&self) -> bool {
        self.said.is_some()
    }

    /// The end of what the interpreter wrote.
    fn said(&self) -> String {
        let text = self.said.as_ref().and_then(|file| memfd::tail(file, SAID_BYTES).ok()).unwrap_or_default();
        if text.is_empty() { "nothing".to_owned() } else { String::from_utf8_lossy(&text).trim().to_owned() }
    }

    /// The places that its runs take.
    #[must_use]
    pub fn slots(&self) -> &Arc<Slots> {
        &self.slots
    }

    /// Whether it was closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Waits for a place and runs a program there.
    pub fn run(self: &Arc<Self>, program: &Program<'_>) -> Result<Record, Error> {
        let place = self.slots.acquire(|| self.is_closed()).ok_or(Error::Closed)?;
        let outcome = self.take_keeper().and_then(|keeper| {
            let mut watch = order(keeper, place.cores(), program, None)?;
            watch.copied = self.is_warm();
            let ended = watch.until_started()?;
            self.make_spare();
            let record = ended.map_or_else(|| watch.until_the_end(), Ok)?;
            self.give_back(watch.into_keeper());
            Ok(record)
        });
        // The core is free for the next one from here on.
        drop(place);
        self.count_end(outcome)
    }

    /// Starts a program on the given cores; returns when it runs.
    pub fn start(self: &Arc<Self>, program: &Program<'_>, cores: &[u32]) -> Result<Run, Error> {
        let started = self.take_keeper().and_then(|keeper| {
            let inbox = Inbox::new()?;
            let mut watch = order(keeper, cores, program, Some(Arc::clone(&inbox)))?;
            watch.copied = self.is_warm();
            let ended = watch.until_started()?;
            self.make_spare();
            Ok((watch, inbox, ended))
        });
        match started {
            Ok((watch, inbox, ended)) => Run::new(self, watch, inbox, ended),
            Err(error) => self.count_end(Err(error)),
        }
    }

    /// To be called at the end of each run that took a keeper, or tried to. Whatever went wrong while the sandbox
    /// was closed went wrong because it was closed.
    pub(crate) fn count_end<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        let outcome =
            outcome.map_err(|error| if self.is_closed() { Error::Closed } else { self.explain(error) });
        self.lock().running -= 1;
        self.run_ended.notify_all();
        outcome
    }

    /// Names the cause of a failure where it is that the first process, and with it everything, was killed.
    fn explain(&self, error: Error) -> Error {
        let zygote = self.lock().alive.as_ref().map(|alive| Arc::clone(&alive.zygote));
        // What is in its namespaces ends before the zygote is said to have.
        let wait = if matches!(error, Error::Lost(_)) { ITS_END } else { Duration::ZERO };
        let dead = zygote.is_some_and(|zygote| is_readable_within(zygote.as_fd(), wait));
        match error {
            Error::Service(text) | Error::Lost(text) if dead => {
                let said =
                    if self.is_warm() { format!("; it wrote: {}", self.said()) } else { String::new() };
                Error::Service(format!(
                    "the sandbox's first process ended (was it killed?), and everything in it with it: close it \
                     and make another ({text}{said})"
                ))
            }
            error => error,
        }
    }

    /// Takes an idle keeper or makes one. Counts as a running run, also when it fails.
    fn take_keeper(self: &Arc<Self>) -> Result<Keeper, Error> {
        let mut state = self.lock();
        state.running += 1;
        if self.is_closed() {
            return Err(Error::Closed);
        }
        let keeper = match state.idle.pop() {
            Some(keeper) => keeper,
            None => self.make_keeper(&mut state)?,
        };
        Ok(keeper)
    }

    /// Has the place of the next run of a warm sandbox made beside this one, which has begun: its keepers serve one
    /// run each, and take a while to make.
    fn make_spare(self: &Arc<Self>) {
        if !self.is_warm() {
            return;
        }
        let sandbox = Arc::clone(self);
        let make = move || {
            let mut state = sandbox.lock();
            if !sandbox.is_closed() && state.idle.is_empty()
                // If it fails, the next run tries again, and tells why.
                && let Ok(keeper) = sandbox.make_keeper(&mut state)
            {
                state.idle.push(keeper);
            }
        };
        let _ = thread::Builder::new().name("sandbox-spare".to_owned()).spawn(make);
    }

    fn make_keeper(&self, state: &mut State) -> Result<Keeper, Error> {
        let Some(alive) = &state.alive else { return Err(Error::Closed) };
        let number = state.next_keeper % KEEPER_NUMBERS;
        state.next_keeper += 1;
        Keeper::make(&alive.supervisor.control, number, &self.cgroups.hierarchy)
    }

    /// Keeps a keeper for the next run, if it can serve one.
    pub(crate) fn give_back(&self, keeper: Keeper) {
        if !self.is_warm() && keeper.group.is_clean() {
            self.lock().idle.push(keeper);
        }
    }

    /// Kills everything in it and waits until it is gone.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.slots.wake();
        let zygote = self.lock().alive.as_ref().map(|alive| {
            alive.supervisor.hang_up();
            Arc::clone(&alive.zygote)
        });
        if let Some(zygote) = zygote {
            // The kernel kills what is in its namespaces before the zygote is reported dead.
            let _ = pidfd_send_signal(&*zygote, Signal::KILL);
            wait_readable(zygote.as_fd());
        }
        let mut state = self.lock();
        while state.running > 0 {
            state = self.run_ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // Of several that close at once, one takes what is left and waits for it.
        let (idle, alive) = (std::mem::take(&mut state.idle), state.alive.take());
        if let Some(mut alive) = alive {
            alive.supervisor.wait();
        }
        drop(idle);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.close();
    }
}
