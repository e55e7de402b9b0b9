//! Stopping every process of a run, and letting them go on elsewhere.
//!
//! Only the init is outside of it. A stop cannot be caught, and what could undo one (SIGCONT, sent in any way) is
//! refused to programs by their filter. One way is left to the kernel: it continues a process group when the exit
//! of a process orphans it. So a stop counts only when every thread was seen stopped, and none on its way out.

use std::fs;
use std::io;
use std::time::Duration;

use super::syscalls::{self, monotonic_ns};
use crate::protocol::{Attempt, Failure};

/// A stop takes as long as the longest system call that no signal interrupts.
const PATIENCE: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_micros(200);
/// The most that the kernel gives numbers to.
const MOST_THREADS: i32 = 1 << 22;
/// `PF_EXITING` among the flags of a task.
const EXITING: u64 = 0x4;

/// What `proc_pid_stat(5)` tells of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    letter: char,
    exiting: bool,
}

impl State {
    fn parse(stat: &str) -> Option<Self> {
        // The state is field 3, the first after the command, which may hold anything but ends at the last
        // parenthesis; the flags are field 9.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let letter = fields.next()?.chars().next()?;
        let flags: u64 = fields.nth(5)?.parse().ok()?;
        Some(Self { letter, exiting: flags & EXITING != 0 })
    }

    /// Stopped or dead; or asleep in the kernel, with the stop as the first thing that it meets on its way out: the
    /// parent of a vfork waits like this for its child, which is stopped.
    fn stands(self) -> bool {
        matches!(self.letter, 'T' | 'Z' | 'X') || (self.letter == 'D' && !self.exiting)
    }
}

/// Stops everything; returns when all of it stands.
pub fn freeze() -> Result<(), Failure> {
    let begin = monotonic_ns();
    loop {
        // SAFETY: a plain system call; it spares the caller and the first process of the namespace, both this one.
        unsafe { libc::kill(-1, libc::SIGSTOP) };
        let Some(threads) = threads()? else {
            // Nothing can be seen, but nothing can undo it either.
            return Ok(());
        };
        if threads.iter().all(|thread| thread.stands()) {
            return Ok(());
        }
        if Duration::from_nanos(monotonic_ns() - begin) > PATIENCE {
            return Err(Failure {
                what: format!("a process did not stop within {} s", PATIENCE.as_secs()),
                errno: 0,
            });
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

/// Binds every thread of what was stopped to the cores, and lets all go on; gives the time just before.
pub fn thaw(cores: &[u32]) -> Result<u64, Failure> {
    freeze()?;
    let cores = syscalls::core_set(cores);
    for thread in thread_ids()? {
        match syscalls::bind(thread, &cores) {
            Err(error) if error.raw_os_error() != Some(libc::ESRCH) => {
                return Err(error).attempt(|| format!("cannot bind thread {thread} to the cores"));
            }
            _ => (),
        }
    }
    let time = monotonic_ns();
    // SAFETY: a plain system call.
    unsafe { libc::kill(-1, libc::SIGCONT) };
    Ok(time)
}

/// Lets what was stopped go on as it was.
pub fn let_go() {
    // SAFETY: a plain system call.
    unsafe { libc::kill(-1, libc::SIGCONT) };
}

/// States of all threads but the init's; `None` where there is no `/proc` to look at.
fn threads() -> Result<Option<Vec<State>>, Failure> {
    let Some(ids) = listed()? else { return Ok(None) };
    let look = |(process, thread)| match fs::read_to_string(format!("/proc/{process}/task/{thread}/stat")) {
        Ok(stat) => State::parse(&stat).map(Some).ok_or_else(|| io::Error::other("unknown format")),
        Err(error) => gone(error).map(|()| None),
    };
    let found: io::Result<Vec<Option<State>>> = ids.into_iter().map(look).collect();
    let found = found.attempt(|| "cannot look at a thread".to_owned())?;
    Ok(Some(found.into_iter().flatten().collect()))
}

/// Of an error of a look at a thread: whether it is that the thread ended.
fn gone(error: io::Error) -> io::Result<()> {
    if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESRCH)) { Ok(()) } else { Err(error) }
}

/// Process and number of all threads but the init's; `None` where there is no `/proc` to look at.
fn listed() -> Result<Option<Vec<(i32, i32)>>, Failure> {
    let numbers = |path: &str| -> io::Result<Vec<i32>> {
        let entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        Ok(entries.iter().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
    };
    let what = || "cannot list the processes of a run".to_owned();
    let processes = numbers("/proc").attempt(what)?;
    if !processes.contains(&1) {
        return Ok(None);
    }
    let mut all = Vec::new();
    for process in processes.into_iter().filter(|process| *process != 1) {
        match numbers(&format!("/proc/{process}/task")) {
            Ok(threads) => all.extend(threads.into_iter().map(|thread| (process, thread))),
            Err(error) => gone(error).attempt(what)?,
        }
    }
    Ok(Some(all))
}

/// Numbers of all threads but the init's; where there is no `/proc`, all that may be one.
fn thread_ids() -> Result<Vec<i32>, Failure> {
    if let Some(threads) = listed()? {
        return Ok(threads.into_iter().map(|(_, thread)| thread).collect());
    }
    // Numbers are given in turn, so all are below that of a process made now (until four million were used).
    // SAFETY: the init has one thread, and the child ends at once.
    let next = match unsafe { libc::fork() } {
        // SAFETY: ends this process without touching anything.
        0 => unsafe { libc::_exit(0) },
        -1 => MOST_THREADS,
        child => {
            syscalls::wait_for(child);
            child
        }
    };
    let exists = |thread: i32| {
        // SAFETY: an all-zero set is an empty one.
        let mut cores: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: the set is of the size given.
        unsafe { libc::sched_getaffinity(thread, size_of::<libc::cpu_set_t>(), &raw mut cores) >= 0 }
    };
    Ok((2..next).filter(|thread| exists(*thread)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(stat: &str) -> bool {
        State::parse(stat).unwrap().stands()
    }

    #[test]
    fn only_what_cannot_move_any_more_stands() {
        assert!(stands("7 (a) T 1 7 7 0 -1 4194304 0"));
        assert!(stands("7 (a) Z 1 7 7 0 -1 4228100 0"));
        assert!(stands("7 (a) D 1 7 7 0 -1 4194304 0"));
        assert!(!stands("7 (a) D 1 7 7 0 -1 4194308 0"));
        assert!(!stands("7 (a) R 1 7 7 0 -1 4194304 0"));
        assert!(!stands("7 (a) S 1 7 7 0 -1 4194304 0"));
    }

    #[test]
    fn a_command_name_cannot_look_like_a_state() {
        assert!(!stands("7 (a) T 1 (b) R 1 7 7 0 -1 4194304 0"));
        assert_eq!(State::parse("nonsense"), None);
    }
}
