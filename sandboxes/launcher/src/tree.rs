//! CPU time and memory of a process tree by looking at `/proc`: where no cgroup accounts for a run.

use std::fs;

/// What a look at a tree found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sample {
    /// CPU time of its living processes, and of those that they waited for.
    pub cpu_ns: u64,
    /// Memory that is theirs: anonymous and shared memory, not the files that they map.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub tasks: u64,
}

/// The memory that a copy of an interpreter has in common with it, and how to tell such a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inherited {
    /// Where its stack begins: chosen by chance for each file that is executed, and kept by copies.
    stack: u64,
    memory_bytes: u64,
    /// With the files that are mapped.
    pub resident_bytes: u64,
}

/// What a program that was just started has from its init, of which it is a copy.
#[must_use]
pub fn inherited(keeper: u32) -> Option<Inherited> {
    let init = *children(keeper).first()?;
    let program = *children(init).first()?;
    let stack = parse_stack(&fs::read_to_string(format!("/proc/{program}/stat")).ok()?)?;
    // The init takes no more after that.
    let status = fs::read_to_string(format!("/proc/{init}/status")).ok()?;
    let resident_bytes = status_bytes(&status, "VmRSS:");
    Some(Inherited { stack, memory_bytes: parse_status(&status), resident_bytes })
}

/// Looks at all that descends from the init of a keeper's run, but not at the init. What a process `inherited` is not
/// its own.
#[must_use]
pub fn sample(keeper: u32, inherited: Option<&Inherited>) -> Sample {
    let mut sample = Sample::default();
    let mut pending: Vec<u32> = children(keeper).into_iter().flat_map(children).collect();
    while let Some(pid) = pending.pop() {
        if let Some((one, stack)) = look(pid) {
            sample.cpu_ns += one.cpu_ns;
            let shared = inherited.filter(|inherited| inherited.stack == stack);
            sample.memory_bytes +=
                one.memory_bytes.saturating_sub(shared.map_or(0, |inherited| inherited.memory_bytes));
            sample.tasks += one.tasks;
        }
        pending.extend(children(pid));
    }
    sample
}

/// Children of all threads of a process; none if it is gone.
fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| numbers(&list)).collect()
}

fn numbers(list: &str) -> Vec<u32> {
    list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// At one process, and where its stack begins.
fn look(pid: u32) -> Option<(Sample, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second();
    let (ticks, tasks) = parse_stat(&stat)?;
    let sample = Sample { cpu_ns: ticks * tick_ns, memory_bytes: parse_status(&status), tasks };
    Some((sample, parse_stack(&stat)?))
}

/// Ticks of CPU time, with those of waited-for children, and threads (`proc_pid_stat(5)`).
fn parse_stat(stat: &str) -> Option<(u64, u64)> {
    let number = |index| field(stat, index);
    Some(((14..=17).filter_map(number).sum(), number(20)?))
}

/// Where the stack begins; 0 if that is nobody's business here.
fn parse_stack(stat: &str) -> Option<u64> {
    field(stat, 28)
}

fn field(stat: &str, index: usize) -> Option<u64> {
    // Field 3 is the first after the command, which may hold anything but ends at the last parenthesis.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(index - 3)?.parse().ok()
}

/// Bytes of anonymous and shared memory (`proc_pid_status(5)`).
fn parse_status(status: &str) -> u64 {
    status_bytes(status, "RssAnon:") + status_bytes(status, "RssShmem:")
}

fn status_bytes(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes: Option<u64> =
        line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|number| number.parse().ok());
    kibibytes.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_name_cannot_shift_the_fields() {
        let stat = "7 (a) R 1 (b) S 1 2 3 4 5 6 7 8 9 10 100 20 3 1 20 0 5 0 99 8 9 10 11 12 4711 12";
        assert_eq!(parse_stat(stat), Some((124, 5)));
        assert_eq!(parse_stack(stat), Some(4711));
        assert_eq!(parse_stat("nonsense"), None);
    }

    #[test]
    fn mapped_files_are_not_memory_of_the_program() {
        let status = "VmRSS:\t 900 kB\nRssAnon:\t     100 kB\nRssFile:\t 700 kB\nRssShmem:\t  20 kB\n";
        assert_eq!(parse_status(status), 120 * 1024);
        assert_eq!(parse_status(""), 0);
    }

    #[test]
    fn grandchildren_are_found() {
        let mut shell = std::process::Command::new("/bin/sh")
            .args(["-c", "cat | cat"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // From this process, the shell takes the part of the init, and its child that of the program.
        while children(shell.id()).is_empty() {
            std::thread::yield_now();
        }
        assert!(sample(std::process::id(), None).tasks >= 1);
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }
}
