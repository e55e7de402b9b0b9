//! The limits of one run, and the kernel's own limits (`setrlimit(2)`) that back them.

use std::time::Duration;

use crate::error::Error;

/// The limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// User and system time of every process together.
    pub cpu: Duration,
    /// Time from the start of the program, by a monotonic clock.
    pub wall: Duration,
    /// Memory of every process together; the main thread's stack follows it.
    pub memory_bytes: u64,
    /// Bytes on standard output.
    pub output_bytes: u64,
    /// Bytes of standard error that are kept.
    pub stderr_bytes: u64,
    /// Processes and threads at once.
    pub processes: u32,
    /// Size of any file that the program writes.
    pub file_size_bytes: u64,
    /// Size of `/work`, `/tmp` and `/dev/shm` together, beside the files that the run starts with.
    pub scratch_bytes: u64,
    /// Open descriptors of a process.
    pub open_files: u64,
}

/// Below it not even the program's loading fits.
const LEAST_MEMORY_BYTES: u64 = 4 << 20;
/// What the main thread's stack leaves of the memory limit, so that endless recursion ends in the signal that it
/// deserves: with the whole limit as stack, memory would run out first. Enough for the page tables of a stack
/// of that size, the program's own text and data, and the init.
const STACK_RESERVE_DIVISOR: u64 = 8;
const MOST_STACK_RESERVE_BYTES: u64 = 16 << 20;
/// Without a cgroup, memory is watched from outside; this is only what no program comes near between two looks.
const DATA_LIMIT_FACTOR: u64 = 4;
const DATA_LIMIT_ROOM_BYTES: u64 = 4 << 30;
/// How far the kernel's limit on a user's processes stays behind that of the cgroup.
const PROCESS_LIMIT_ROOM: u64 = 8;

impl Limits {
    /// Checks that a program can run within the limits at all.
    pub fn check(self) -> Result<Self, Error> {
        let positive = [
            ("cpu_limit_s", self.cpu.is_zero()),
            ("wall_limit_s", self.wall.is_zero()),
            ("process_limit", self.processes == 0),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, zero)| *zero) {
            return Err(Error::Invalid(format!("{name} must be more than 0")));
        }
        if self.memory_bytes < LEAST_MEMORY_BYTES {
            return Err(Error::Invalid(format!(
                "memory_limit_bytes is {}; a program needs at least {LEAST_MEMORY_BYTES} to be loaded",
                self.memory_bytes
            )));
        }
        if self.open_files < 8 {
            return Err(Error::Invalid(format!(
                "open_files_limit is {}; at least 8 is needed",
                self.open_files
            )));
        }
        Ok(self)
    }

    /// Size limit of the main thread's stack.
    #[must_use]
    pub fn stack_bytes(&self) -> u64 {
        self.memory_bytes - (self.memory_bytes / STACK_RESERVE_DIVISOR).min(MOST_STACK_RESERVE_BYTES)
    }

    /// Resource, soft and hard limit of everything that the kernel limits for a process by itself.
    #[must_use]
    pub fn rlimits(&self, memory_in_cgroup: bool, processes_in_cgroup: bool) -> Vec<(u32, u64, u64)> {
        // Whole seconds: a last resort, the real limit is kept by the clock of the server.
        let cpu_s = self.cpu.as_secs() + 2;
        let data_bytes = if memory_in_cgroup {
            libc::RLIM64_INFINITY
        } else {
            (self.memory_bytes.saturating_mul(DATA_LIMIT_FACTOR))
                .max(self.memory_bytes.saturating_add(DATA_LIMIT_ROOM_BYTES))
        };
        // The cgroup must be the one to refuse, since only it counts how often it did.
        let backup = if processes_in_cgroup { PROCESS_LIMIT_ROOM } else { 0 };
        let processes = u64::from(self.processes) + backup;
        [
            (libc::RLIMIT_CPU, cpu_s),
            (libc::RLIMIT_DATA, data_bytes),
            (libc::RLIMIT_STACK, self.stack_bytes()),
            (libc::RLIMIT_FSIZE, self.file_size_bytes),
            (libc::RLIMIT_NOFILE, self.open_files),
            (libc::RLIMIT_NPROC, processes),
            // None, of any size: with 0, a program that takes cores by a pipe would still be started for them.
            (libc::RLIMIT_CORE, 1),
            (libc::RLIMIT_MEMLOCK, 64 << 10),
            (libc::RLIMIT_MSGQUEUE, 0),
            (libc::RLIMIT_RTPRIO, 0),
            (libc::RLIMIT_NICE, 0),
        ]
        .into_iter()
        .map(|(resource, value)| (resource, value, value))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits {
            cpu: Duration::from_secs(1),
            wall: Duration::from_secs(2),
            memory_bytes: 256 << 20,
            output_bytes: 1 << 20,
            stderr_bytes: 1 << 10,
            processes: 32,
            file_size_bytes: 1 << 20,
            scratch_bytes: 1 << 20,
            open_files: 64,
        }
    }

    #[test]
    fn the_stack_follows_the_memory_limit_and_stays_below_it() {
        assert_eq!(limits().stack_bytes(), 240 << 20);
        let small = Limits { memory_bytes: 16 << 20, ..limits() };
        assert_eq!(small.stack_bytes(), 14 << 20);
    }

    #[test]
    fn a_limit_under_which_nothing_runs_is_refused_by_name() {
        let refused = |limits: Limits| limits.check().unwrap_err().to_string();
        assert!(refused(Limits { cpu: Duration::ZERO, ..limits() }).contains("cpu_limit_s"));
        assert!(refused(Limits { wall: Duration::ZERO, ..limits() }).contains("wall_limit_s"));
        assert!(refused(Limits { processes: 0, ..limits() }).contains("process_limit"));
        assert!(refused(Limits { memory_bytes: 1 << 20, ..limits() }).contains("memory_limit_bytes"));
        assert!(refused(Limits { open_files: 3, ..limits() }).contains("open_files_limit"));
        assert!(limits().check().is_ok());
    }

    #[test]
    fn the_cgroup_refuses_processes_before_the_kernels_own_limit_does() {
        let processes = |in_cgroup| {
            let all = limits().rlimits(true, in_cgroup);
            all.iter().find(|limit| limit.0 == libc::RLIMIT_NPROC).unwrap().1
        };
        assert!(processes(true) > 32);
        assert_eq!(processes(false), 32);
    }

    #[test]
    fn address_space_is_limited_only_where_no_cgroup_counts_memory() {
        let data = |in_cgroup| {
            let all = limits().rlimits(in_cgroup, true);
            all.iter().find(|limit| limit.0 == libc::RLIMIT_DATA).unwrap().1
        };
        assert_eq!(data(true), libc::RLIM64_INFINITY);
        assert!(data(false) > 4 * limits().memory_bytes);
    }
}
