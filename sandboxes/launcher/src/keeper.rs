//! Keepers as the server sees them: a socket, and the cgroup in which their runs are born.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::process::{Signal, pidfd_send_signal};

use crate::cgroup::{Group, Hierarchy};
use crate::error::{Doing, Error};
use crate::protocol::{Done, FromRun, KeeperOrder, receive, send};
use crate::spawn::socket_pair;

/// What the cgroup of a keeper accounts for.
#[derive(Debug, Clone, Copy)]
pub struct Accounts {
    /// Memory.
    pub memory: bool,
    /// Processes and threads.
    pub processes: bool,
}

/// A keeper. Dropping it kills it and its run, and removes its cgroup.
#[derive(Debug)]
pub struct Keeper {
    /// To the init of the present run.
    pub socket: OwnedFd,
    /// Where it is accounted.
    pub group: Group,
    accounts: Accounts,
    pidfd: OwnedFd,
}

impl Keeper {
    /// Has one made by the zygote at the other end of `control`.
    pub fn make(control: &OwnedFd, number: u32, hierarchy: &Hierarchy) -> Result<Self, Error> {
        let group = hierarchy.make().doing("make a cgroup")?;
        let cgroups = group.procs_files().doing("open a cgroup")?;
        let cpu_file = group.cpu_file().doing("open a cgroup")?;
        let (socket, remote) = socket_pair()?;
        let order = KeeperOrder { number, cgroups: cgroups.len(), cpu_file: cpu_file.is_some() };
        let beside: Vec<BorrowedFd<'_>> =
            std::iter::once(&remote).chain(&cgroups).chain(&cpu_file).map(AsFd::as_fd).collect();
        send(control, &order, &beside).doing("order a keeper of the sandbox")?;
        let gone = || Error::Lost("the sandbox ended before it had a keeper (was it killed?)".to_owned());
        let (done, descriptors) =
            receive::<Done>(control).doing("hear from the sandbox")?.ok_or_else(gone)?;
        done?;
        let pidfd = descriptors.into_iter().next().ok_or_else(gone)?;
        let accounts = Accounts { memory: hierarchy.has_memory(), processes: hierarchy.has_processes() };
        Ok(Self { socket, group, accounts, pidfd })
    }

    /// What its cgroup accounts for; the rest has to be watched.
    pub fn accounts(&self) -> Accounts {
        self.accounts
    }

    /// Waits until the place of the next run is made.
    pub fn wait_until_ready(&self) -> Result<(), Error> {
        match receive(&self.socket).doing("hear from the init of a run")? {
            Some((FromRun::Ready, _)) => Ok(()),
            Some((FromRun::Failed(failure), _)) => Err(failure.into()),
            Some(_) => Err(Error::Service("the init of a run answered out of turn".to_owned())),
            None => Err(Error::Lost("the keeper of a sandbox ended (was it killed?)".to_owned())),
        }
    }

    /// The process id of the keeper; its only child is the init of the present run.
    pub fn pid(&self) -> Option<u32> {
        pid_of(&self.pidfd)
    }
}

/// The process of a pidfd, as this process sees it (`pidfd_open(2)`).
fn pid_of(pidfd: &OwnedFd) -> Option<u32> {
    use std::os::fd::AsRawFd;
    let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", pidfd.as_raw_fd())).ok()?;
    info.lines().find_map(|line| line.strip_prefix("Pid:")?.trim().parse().ok())
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Its init asked to be killed with it, and the run goes with the init. The cgroup is removed after this.
        if pidfd_send_signal(&self.pidfd, Signal::KILL).is_err() {
            // Of a container, and the server is not root: the init ends when nobody can tell it anything any more.
            let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
        }
        crate::run::wait_readable(self.pidfd.as_fd());
    }
}
