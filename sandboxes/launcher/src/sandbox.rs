//! A sandbox: the supervisor that holds its namespaces, and the keepers of the runs in it.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::process::{Signal, geteuid, pidfd_send_signal};

use crate::cgroup::{self, Choice, Detected};
use crate::error::Error;
use crate::keeper::Keeper;
use crate::protocol::{Done, IDS, Identity, MountSpec, Order, SandboxSetup};
use crate::run::{Program, Record, execute, wait_readable};
use crate::slots::Slots;
use crate::spawn::Supervisor;

/// Namespaces of one submission.
#[derive(Debug)]
pub struct Sandbox {
    slots: Arc<Slots>,
    cgroups: Arc<Detected>,
    closed: AtomicBool,
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

/// Under which users the next sandbox of this server runs its programs.
#[must_use]
pub fn identity() -> Identity {
    use std::sync::atomic::AtomicU32;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    if !privileged() {
        return Identity::Own;
    }
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
    /// Makes the namespaces. `environment` holds `NAME=value` entries.
    pub fn new(
        mounts: Vec<MountSpec>,
        slots: Arc<Slots>,
        environment: Vec<Vec<u8>>,
        choice: Choice,
    ) -> Result<Self, Error> {
        let cgroups = cgroup::detect(choice)?;
        let server_pid =
            i32::try_from(std::process::id()).map_err(|error| Error::Service(error.to_string()))?;
        let setup = SandboxSetup { server_pid, mounts, environment, identity: identity() };
        let supervisor = Supervisor::start(&Order::Sandbox(setup), &[])?;
        let (done, descriptors) = supervisor.answer::<Done>()?;
        done?;
        let zygote = descriptors.into_iter().next().ok_or_else(|| {
            Error::Service(
                "the sandbox supervisor gave no handle of the sandbox (out of descriptors?)".to_owned(),
            )
        })?;
        Ok(Self {
            slots,
            cgroups,
            closed: AtomicBool::new(false),
            state: Mutex::new(State {
                alive: Some(Alive { supervisor, zygote: Arc::new(zygote) }),
                idle: Vec::new(),
                next_keeper: 0,
                running: 0,
            }),
            run_ended: Condvar::new(),
        })
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
    pub fn run(&self, program: &Program<'_>) -> Result<Record, Error> {
        let slot = self.slots.acquire(|| self.is_closed()).ok_or(Error::Closed)?;
        let keeper = self.take_keeper();
        let outcome = keeper.and_then(|keeper| {
            let record = execute(&keeper, slot.core(), program);
            (record.is_ok() && keeper.group.is_clean()).then(|| keeper.give_back(self));
            record
        });
        // The core is free for the next one from here on.
        drop(slot);
        let mut state = self.lock();
        state.running -= 1;
        drop(state);
        self.run_ended.notify_all();
        match outcome {
            // Whatever went wrong while it was closed went wrong because it was closed.
            Err(_) if self.is_closed() => Err(Error::Closed),
            outcome => outcome,
        }
    }

    /// Takes an idle keeper or makes one. Counts as a running run, also when it fails.
    fn take_keeper(&self) -> Result<Taken, Error> {
        let mut state = self.lock();
        state.running += 1;
        if self.is_closed() {
            return Err(Error::Closed);
        }
        let state = &mut *state;
        let Some(alive) = &state.alive else { return Err(Error::Closed) };
        if let Some(keeper) = state.idle.pop() {
            return Ok(Taken(keeper));
        }
        let number = state.next_keeper % KEEPER_NUMBERS;
        state.next_keeper += 1;
        Keeper::make(&alive.supervisor.control, number, &self.cgroups.hierarchy).map(Taken)
    }

    /// Kills everything in it and waits until it is gone.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.slots.wake();
        let zygote = self.lock().alive.as_ref().map(|alive| Arc::clone(&alive.zygote));
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

/// A keeper in use.
struct Taken(Keeper);

impl std::ops::Deref for Taken {
    type Target = Keeper;

    fn deref(&self) -> &Keeper {
        &self.0
    }
}

impl Taken {
    fn give_back(self, sandbox: &Sandbox) {
        sandbox.lock().idle.push(self.0);
    }
}
