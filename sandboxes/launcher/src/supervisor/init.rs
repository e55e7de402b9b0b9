//! The init of a run: makes the place, starts the program, sees all its processes dead, hands out its files.

use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};

use super::launch::{Copied, Copy, Launch, become_program, execute};
use super::restrictions::landlock_rules;
use super::syscalls::{exit, monotonic_ns};
use super::{Place, Side, collect, die_with_parent, freeze, scratch};
use crate::protocol::{Attempt, Ended, Failure, FromRun, RunOrder, ToRun, receive, send};

/// What an init knows before it is told what to run.
pub struct Init<'a> {
    pub socket: OwnedFd,
    pub cpu_file: Option<OwnedFd>,
    /// The user of the program, `None` for the server's own.
    pub user: Option<u32>,
    pub place: &'a Place,
}

/// The program's end, as seen so far.
#[derive(Default)]
struct Program {
    pid: i32,
    end: Option<(i32, u64)>,
}

impl Init<'_> {
    /// Serves one run and exits: 0 if the keeper shall make another. Returns in a copy that is the program, with
    /// its arguments.
    pub fn run(&self) -> Vec<Vec<u8>> {
        match self.serve() {
            Ok(Side::Program(argv)) => argv,
            Ok(Side::Here(())) => exit(0),
            Err(failure) => {
                self.report(failure);
                exit(1)
            }
        }
    }

    /// Tells the server about a failure. If that fails, the server is gone.
    pub fn report(&self, failure: Failure) {
        let _ = send(&self.socket, &FromRun::Failed(failure), &[]);
    }

    fn tell(&self, message: &FromRun) -> Result<(), Failure> {
        send(&self.socket, message, &[]).attempt(|| "cannot report to the server".to_owned())
    }

    fn serve(&self) -> Result<Side<()>, Failure> {
        die_with_parent(None)?;
        scratch::mount(self.user)?;
        let landlock = landlock_rules(&self.place.devices)?;
        let children = child_signals()?;
        rustix::process::chdir("/work").attempt(|| "cannot enter /work".to_owned())?;
        let mut ahead = None;
        if let Some(interpreter) = &self.place.interpreter {
            match Copy::make(interpreter)? {
                Copied::Init(copy) => ahead = Some(copy),
                Copied::Copy(socket) => return self.follow(&socket, landlock).map(Side::Program),
            }
        }
        self.tell(&FromRun::Ready)?;

        let (order, descriptors) = loop {
            match receive::<ToRun>(&self.socket) {
                Ok(Some((ToRun::Start(order), descriptors))) => break (order, descriptors),
                // Meant for the run before, which ended by itself meanwhile.
                Ok(Some((ToRun::Freeze | ToRun::Thaw { .. } | ToRun::Kill, _))) => (),
                Ok(None) | Err(_) => exit(1),
            }
        };
        let mut program = self.start(&order, descriptors, landlock, ahead)?;
        self.watch(&children, &mut program)?;
        self.end_run(&order, &mut program).map(Side::Here)
    }

    fn start(
        &self,
        order: &RunOrder,
        descriptors: Vec<OwnedFd>,
        landlock: Option<OwnedFd>,
        ahead: Option<Copy>,
    ) -> Result<Program, Failure> {
        let mut descriptors = descriptors.into_iter();
        let launch = self.launch(order, &mut descriptors, landlock)?;
        scratch::resize(order.scratch_bytes, order.files.len())?;
        if !order.files.is_empty() {
            scratch::fill(&order.files, &descriptors.next().ok_or_else(missing)?, self.user)?;
        }
        let launched = match ahead {
            None => execute(&launch)?,
            Some(copy) => copy.launch(order, &launch)?,
        };
        self.tell(&FromRun::Started { at_ns: launched.started_ns, cpu: launched.cpu })?;
        Ok(Program { pid: launched.pid, end: None })
    }

    fn launch<'b>(
        &'b self,
        order: &'b RunOrder,
        descriptors: &mut impl Iterator<Item = OwnedFd>,
        landlock: Option<OwnedFd>,
    ) -> Result<Launch<'b>, Failure> {
        let mut next = || descriptors.next().ok_or_else(missing);
        Ok(Launch {
            argv: &order.argv,
            stdio: [next()?, next()?, next()?],
            channel: order.channel.then(&mut next).transpose()?,
            cores: &order.cores,
            rlimits: &order.rlimits,
            user: self.user,
            landlock,
            cpu_file: self.cpu_file.as_ref(),
            place: self.place,
        })
    }

    /// The life of a copy until it is the program, whose arguments it gives.
    fn follow(&self, socket: &OwnedFd, landlock: Option<OwnedFd>) -> Result<Vec<Vec<u8>>, Failure> {
        let Ok(Some((order, descriptors))) = receive::<RunOrder>(socket) else { exit(0) };
        become_program(socket, &self.launch(&order, &mut descriptors.into_iter(), landlock)?);
        Ok(order.argv)
    }

    /// Returns when the program has ended or shall be killed.
    fn watch(&self, children: &OwnedFd, program: &mut Program) -> Result<(), Failure> {
        loop {
            let mut sources =
                [PollFd::new(&self.socket, PollFlags::IN), PollFd::new(children, PollFlags::IN)];
            rustix::io::retry_on_intr(|| poll(&mut sources, None))
                .attempt(|| "cannot wait for the program".to_owned())?;
            let [told, died] = sources.map(|source| !source.revents().is_empty());
            if died {
                // One record stands for any number of children.
                let mut record = [0_u8; size_of::<libc::signalfd_siginfo>()];
                let _ = rustix::io::read(children, &mut record);
                while reap(libc::WNOHANG, program) == Reaped::One {}
            }
            if told {
                match receive::<ToRun>(&self.socket) {
                    Ok(Some((ToRun::Kill, _))) => return Ok(()),
                    Ok(Some((ToRun::Freeze, _))) => {
                        let frozen = freeze::freeze().map(|()| FromRun::Frozen { at_ns: monotonic_ns() });
                        self.tell(&frozen.unwrap_or_else(|failure| {
                            freeze::let_go();
                            FromRun::Refused(failure)
                        }))?;
                    }
                    Ok(Some((ToRun::Thaw { cores }, _))) => {
                        let thawed = freeze::thaw(&cores).map(|at_ns| FromRun::Thawed { at_ns });
                        self.tell(&thawed.unwrap_or_else(FromRun::Refused))?;
                    }
                    _ => exit(1),
                }
            }
            if program.end.is_some() {
                return Ok(());
            }
        }
    }

    /// Kills what is left of the run, and reports.
    fn end_run(&self, order: &RunOrder, program: &mut Program) -> Result<(), Failure> {
        // One call reaches all: it holds the lock that a fork must take to add a process.
        // SAFETY: a plain system call; as first process of its PID namespace this one is exempt.
        unsafe { libc::kill(-1, libc::SIGKILL) };
        while reap(0, program) == Reaped::One {}
        let cpu = self.cpu_text();
        let usage = waited_usage();
        for (index, (path, size_limit_bytes)) in order.collect.iter().enumerate() {
            let (file, refused) = match collect::open(path, *size_limit_bytes) {
                Ok(None) => continue,
                Ok(Some(file)) => (Some(file), None),
                Err(reason) => (None, Some(reason)),
            };
            let beside: Vec<_> = file.iter().map(AsFd::as_fd).collect();
            send(&self.socket, &FromRun::File { index, refused }, &beside)
                .attempt(|| "cannot hand out a file".to_owned())?;
        }
        let (status, at_ns) = program.end.unzip();
        self.tell(&FromRun::Ended(Ended {
            status,
            at_ns: at_ns.unwrap_or_else(monotonic_ns),
            cpu,
            waited_cpu_ns: usage.0,
            largest_resident_bytes: usage.1,
        }))
    }

    fn cpu_text(&self) -> Vec<u8> {
        let mut text = [0; 64];
        let read = self.cpu_file.as_ref().and_then(|file| rustix::io::pread(file, &mut text, 0).ok());
        text[..read.unwrap_or(0)].to_vec()
    }
}

fn missing() -> Failure {
    Failure { what: "a run was ordered without its descriptors".to_owned(), errno: 0 }
}

/// A descriptor that is readable when a child has ended.
fn child_signals() -> Result<OwnedFd, Failure> {
    use std::os::fd::FromRawFd;
    // SAFETY: plain system calls on a set that lives here; the new descriptor is owned by nobody else.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(std::io::Error::last_os_error()).attempt(|| "cannot watch children".to_owned()),
            descriptor => Ok(OwnedFd::from_raw_fd(descriptor)),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Reaped {
    One,
    None,
}

/// Waits for one child, the program or an orphan of it.
fn reap(flags: i32, program: &mut Program) -> Reaped {
    loop {
        let mut status = 0;
        // SAFETY: `status` is valid for writing.
        let pid = unsafe { libc::waitpid(-1, &raw mut status, flags) };
        if pid == -1 && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted {
            continue;
        }
        if pid == program.pid && pid > 0 {
            program.end = Some((status, monotonic_ns()));
        }
        return if pid > 0 { Reaped::One } else { Reaped::None };
    }
}

/// CPU time of the children waited for, and the resident size of the largest.
fn waited_usage() -> (u64, u64) {
    // SAFETY: an all-zero structure is valid, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let nanoseconds =
        |time: libc::timeval| u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_usec * 1_000).unwrap_or(0);
    let largest = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
    (nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime), largest)
}
