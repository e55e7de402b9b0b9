//! How a run ended: the facts about it, and the one name that they get.

use std::time::Duration;

use crate::limits::Limits;

/// How a run ended. Where several limits were passed, the first listed here that applies is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Termination {
    /// More on standard output, or in one file, than is allowed.
    OutputLimit,
    /// More memory.
    MemoryLimit,
    /// More CPU time.
    CpuTimeLimit,
    /// More time by the clock.
    WallTimeLimit,
    /// A process or thread was refused, and the program did not cope.
    ProcessLimit,
    /// Ended because the caller wanted it to.
    Stopped,
    /// Ended by a signal.
    Signaled(i32),
    /// Ended by itself.
    Exited(i32),
}

/// What was seen of a run.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations, not the states of one thing")]
pub struct Facts {
    /// Standard output passed its limit.
    pub output_exceeded: bool,
    /// The kernel or the watch saw memory pass its limit.
    pub memory_exceeded: bool,
    /// A process or thread was refused.
    pub process_refused: bool,
    /// The run was stopped for its CPU time.
    pub stopped_for_cpu: bool,
    /// The run was stopped for its wall time.
    pub stopped_for_wall: bool,
    /// The run was stopped because the caller asked for it.
    pub stopped_by_caller: bool,
    /// CPU time of all its processes.
    pub cpu: Duration,
    /// Time by the clock.
    pub wall: Duration,
    /// Wait status of the program, `None` if it did not end by itself.
    pub status: Option<i32>,
}

impl Facts {
    /// Names the end.
    #[must_use]
    pub fn termination(&self, limits: &Limits) -> Termination {
        let signal =
            self.status.filter(|status| libc::WIFSIGNALED(*status)).map(|status| libc::WTERMSIG(status));
        let code =
            self.status.filter(|status| libc::WIFEXITED(*status)).map(|status| libc::WEXITSTATUS(status));
        // SIGXFSZ is how the kernel enforces the limit on the size of a file.
        if self.output_exceeded || signal == Some(libc::SIGXFSZ) {
            Termination::OutputLimit
        } else if self.memory_exceeded {
            Termination::MemoryLimit
        } else if self.stopped_for_cpu || self.cpu > limits.cpu {
            Termination::CpuTimeLimit
        } else if self.stopped_for_wall || self.wall > limits.wall {
            Termination::WallTimeLimit
        } else if self.process_refused && code != Some(0) {
            Termination::ProcessLimit
        } else if let Some(code) = code {
            // It came before the caller's wish was done.
            Termination::Exited(code)
        } else if self.stopped_by_caller && signal.is_none_or(|signal| signal == libc::SIGKILL) {
            Termination::Stopped
        } else {
            Termination::Signaled(signal.unwrap_or(libc::SIGKILL))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXIT_1: Option<i32> = Some(1 << 8);
    const EXIT_0: Option<i32> = Some(0);
    const KILLED: Option<i32> = Some(libc::SIGKILL);

    fn named(facts: Facts) -> Termination {
        let limits = Limits {
            cpu: Duration::from_millis(500),
            wall: Duration::from_secs(2),
            memory_bytes: 256 << 20,
            output_bytes: 1 << 20,
            stderr_bytes: 1 << 10,
            processes: 32,
            file_size_bytes: 1 << 20,
            scratch_bytes: 1 << 20,
            open_files: 64,
        };
        facts.termination(&limits)
    }

    #[test]
    fn every_limit_goes_before_those_listed_after_it() {
        let mut facts = Facts {
            output_exceeded: true,
            memory_exceeded: true,
            process_refused: true,
            stopped_for_cpu: true,
            stopped_for_wall: true,
            status: KILLED,
            ..Facts::default()
        };
        assert_eq!(named(facts), Termination::OutputLimit);
        facts.output_exceeded = false;
        assert_eq!(named(facts), Termination::MemoryLimit);
        facts.memory_exceeded = false;
        assert_eq!(named(facts), Termination::CpuTimeLimit);
        facts.stopped_for_cpu = false;
        assert_eq!(named(facts), Termination::WallTimeLimit);
        facts.stopped_for_wall = false;
        assert_eq!(named(facts), Termination::ProcessLimit);
        facts.process_refused = false;
        assert_eq!(named(facts), Termination::Signaled(libc::SIGKILL));
    }

    #[test]
    fn what_came_before_the_callers_wish_is_named_instead() {
        let stopped = |status| Facts { stopped_by_caller: true, status, ..Facts::default() };
        assert_eq!(named(stopped(KILLED)), Termination::Stopped);
        assert_eq!(named(stopped(None)), Termination::Stopped);
        assert_eq!(named(stopped(EXIT_1)), Termination::Exited(1));
        assert_eq!(named(stopped(Some(libc::SIGSEGV))), Termination::Signaled(libc::SIGSEGV));
        let over = Facts { cpu: Duration::from_secs(1), ..stopped(KILLED) };
        assert_eq!(named(over), Termination::CpuTimeLimit);
    }

    #[test]
    fn a_few_milliseconds_over_the_limit_are_over_the_limit() {
        let spent = |cpu_ms| Facts { cpu: Duration::from_millis(cpu_ms), status: EXIT_0, ..Facts::default() };
        assert_eq!(named(spent(510)), Termination::CpuTimeLimit);
        assert_eq!(named(spent(500)), Termination::Exited(0));
        let waited =
            |wall_ms| Facts { wall: Duration::from_millis(wall_ms), status: EXIT_0, ..Facts::default() };
        assert_eq!(named(waited(2001)), Termination::WallTimeLimit);
        assert_eq!(named(waited(2000)), Termination::Exited(0));
    }

    #[test]
    fn a_refused_process_matters_only_to_a_program_that_failed() {
        let refused = |status| Facts { process_refused: true, status, ..Facts::default() };
        assert_eq!(named(refused(EXIT_0)), Termination::Exited(0));
        assert_eq!(named(refused(EXIT_1)), Termination::ProcessLimit);
        assert_eq!(named(refused(Some(libc::SIGABRT))), Termination::ProcessLimit);
    }

    #[test]
    fn a_file_that_grew_too_large_is_output() {
        assert_eq!(
            named(Facts { status: Some(libc::SIGXFSZ), ..Facts::default() }),
            Termination::OutputLimit
        );
    }

    #[test]
    fn exit_codes_and_signals_are_told_apart() {
        assert_eq!(named(Facts { status: Some(101 << 8), ..Facts::default() }), Termination::Exited(101));
        assert_eq!(named(Facts { status: Some(11), ..Facts::default() }), Termination::Signaled(11));
        assert_eq!(named(Facts { status: Some(6 | 0x80), ..Facts::default() }), Termination::Signaled(6));
    }
}
