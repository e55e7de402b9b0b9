//! Control groups: memory, processes and CPU time of a run, accounted by the kernel where it offers to.
//!
//! A group belongs to one keeper, which was born into it or moved there once; runs are forked inside. The keeper
//! and the init of the run are part of the group, so their share is measured before each run and added to its
//! limits.

mod layout;
mod stale;
mod v1;
mod v2;

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::Error;
use crate::protocol::ContainerCgroup;

/// The keeper and the init of a run, which count as processes of the group.
const OWN_PROCESSES: u64 = 2;
/// What a group may still hold when the next run begins. Beyond it, the group is given up for a new one.
const CLEAN_BYTES: u64 = 4 << 20;
const LIMIT_STEP_BYTES: u64 = 1 << 20;

/// Which version to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The best that works.
    Auto,
    /// Version 2 or an error.
    V2,
    /// Version 1 or an error.
    V1,
    /// None, even where there is one.
    None,
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "auto" => Ok(Self::Auto),
            "v2" => Ok(Self::V2),
            "v1" => Ok(Self::V1),
            "none" => Ok(Self::None),
            _ => Err(Error::Invalid(format!("cgroup is {text:?}; it is one of auto, v2, v1, none"))),
        }
    }
}

/// Where groups are made.
#[derive(Debug)]
pub enum Hierarchy {
    /// One tree with all controllers.
    V2(v2::Hierarchy),
    /// A tree for each controller.
    V1(v1::Hierarchy),
    /// Nowhere.
    None,
}

/// The group of one keeper. Removed when dropped, by when its processes must be gone.
#[derive(Debug)]
pub enum Group {
    /// In the one tree.
    V2(v2::Group),
    /// In the trees of the controllers.
    V1(v1::Group),
    /// Not there: limits are kept by other means.
    None,
}

/// What a run may use.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// Memory, with what the service itself puts there for the run.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub processes: u64,
}

/// A group's counters just before a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Baseline {
    memory_bytes: u64,
    oom_kills: u64,
    refused_processes: u64,
}

/// What the kernel counted of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// `None` where it cannot tell.
    pub peak_memory_bytes: Option<u64>,
    /// It killed a process because the memory limit was reached.
    pub out_of_memory: bool,
    /// It refused a process or thread.
    pub refused_process: bool,
}

/// What was found, and why not better.
#[derive(Debug)]
pub struct Detected {
    /// Where groups are made.
    pub hierarchy: Hierarchy,
    /// Why the better versions do not work.
    pub complaints: Vec<String>,
    /// Open folders by which the hierarchy is reached, where it is that of a container.
    pub folders: Vec<OwnedFd>,
}

/// The groups of a container, whose folders its supervisor handed over. What is made there is held to the limits of the
/// container too.
pub fn of_container(cgroup: &ContainerCgroup, folders: Vec<OwnedFd>) -> Detected {
    let mut paths =
        folders.iter().map(|folder| PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())));
    let mut complaints = Vec::new();
    let hierarchy = match cgroup {
        ContainerCgroup::V2 => paths.next().map(v2::Hierarchy::at).map(Hierarchy::V2),
        ContainerCgroup::V1(there) => {
            let bases = there.map(|there| if there { paths.next() } else { None });
            Some(Hierarchy::V1(v1::Hierarchy::at(bases)))
        }
        ContainerCgroup::None(reason) => {
            complaints.push(reason.clone());
            None
        }
    };
    let hierarchy = hierarchy.unwrap_or(Hierarchy::None);
    let hierarchy = match hierarchy.make() {
        Ok(_) => hierarchy,
        Err(error) => {
            complaints.push(format!("this user may make no group in the cgroup of a container: {error}"));
            Hierarchy::None
        }
    };
    Detected { hierarchy, complaints, folders }
}

/// Finds, once in the life of the server, where groups can be made, and removes what killed servers left there.
pub fn detect(choice: Choice) -> Result<Arc<Detected>, Error> {
    static V2: OnceLock<Result<Arc<Detected>, String>> = OnceLock::new();
    static V1: OnceLock<Result<Arc<Detected>, String>> = OnceLock::new();
    let found = |hierarchy| Arc::new(Detected { hierarchy, complaints: Vec::new(), folders: Vec::new() });
    let v2 = || V2.get_or_init(|| v2::Hierarchy::find().map(Hierarchy::V2).map(found)).clone();
    let v1 = || V1.get_or_init(|| v1::Hierarchy::find().map(Hierarchy::V1).map(found)).clone();
    match choice {
        Choice::V2 => v2().map_err(Error::Service),
        Choice::V1 => v1().map_err(Error::Service),
        Choice::None => Ok(found(Hierarchy::None)),
        Choice::Auto => v2().or_else(|no_v2| {
            let mut detected = match v1() {
                Ok(detected) => return Ok(detected),
                Err(no_v1) => {
                    Detected { hierarchy: Hierarchy::None, complaints: vec![no_v1], folders: Vec::new() }
                }
            };
            detected.complaints.insert(0, no_v2);
            Ok(Arc::new(detected))
        }),
    }
}

impl Hierarchy {
    /// v2, v1 or none.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::V2(_) => "v2",
            Self::V1(_) => "v1",
            Self::None => "none",
        }
    }

    /// Whether memory is accounted.
    #[must_use]
    pub fn has_memory(&self) -> bool {
        match self {
            Self::V2(_) => true,
            Self::V1(hierarchy) => hierarchy.has_memory(),
            Self::None => false,
        }
    }

    /// Whether processes are counted.
    #[must_use]
    pub fn has_processes(&self) -> bool {
        match self {
            Self::V2(_) => true,
            Self::V1(hierarchy) => hierarchy.has_processes(),
            Self::None => false,
        }
    }

    /// Makes a group.
    pub fn make(&self) -> io::Result<Group> {
        match self {
            Self::V2(hierarchy) => hierarchy.make(&stale::new_name()).map(Group::V2),
            Self::V1(hierarchy) => hierarchy.make(&stale::new_name()).map(Group::V1),
            Self::None => Ok(Group::None),
        }
    }
}

impl Group {
    /// Files in which a process writes 0 to join.
    pub fn procs_files(&self) -> io::Result<Vec<OwnedFd>> {
        match self {
            Self::V2(group) => group.procs_files(),
            Self::V1(group) => group.procs_files(),
            Self::None => Ok(Vec::new()),
        }
    }

    /// The file that tells the CPU time.
    pub fn cpu_file(&self) -> io::Result<Option<OwnedFd>> {
        match self {
            Self::V2(group) => group.cpu_file().map(Some),
            Self::V1(group) => group.cpu_file(),
            Self::None => Ok(None),
        }
    }

    /// CPU time so far; `None` where it is not accounted.
    pub fn cpu_ns(&self) -> io::Result<Option<u64>> {
        match self {
            Self::V2(group) => group.cpu_ns(),
            Self::V1(group) => group.cpu_ns(),
            Self::None => Ok(None),
        }
    }

    /// CPU time from the content of the file that tells it.
    #[must_use]
    pub fn parse_cpu_ns(&self, content: &[u8]) -> Option<u64> {
        match self {
            Self::V2(_) => v2::parse_cpu_ns(content),
            Self::V1(_) => v1::parse_cpu_ns(content),
            Self::None => None,
        }
    }

    /// Sets the limits of the next run, over what the group holds already.
    pub fn prepare(&self, allowance: Allowance) -> io::Result<Baseline> {
        match self {
            Self::V2(group) => group.prepare(allowance),
            Self::V1(group) => group.prepare(allowance),
            Self::None => Ok(Baseline::default()),
        }
    }

    /// What the run since used.
    pub fn account(&self, baseline: &Baseline) -> io::Result<Account> {
        match self {
            Self::V2(group) => group.account(baseline),
            Self::V1(group) => group.account(baseline),
            Self::None => Ok(Account::default()),
        }
    }

    /// Whether another run may use the group: nothing of the last one is charged to it.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        match self {
            Self::V2(group) => group.is_clean(),
            Self::V1(group) => group.is_clean(),
            Self::None => true,
        }
    }
}

/// A limit of a group, written only when it changes: most runs of a group have the limits of the one before.
#[derive(Debug, Default)]
struct Limit(AtomicU64);

impl Limit {
    fn set(&self, value: u64, write: impl FnOnce(u64) -> io::Result<()>) -> io::Result<()> {
        if self.0.load(Ordering::Relaxed) != value {
            write(value)?;
            self.0.store(value, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// The memory limit over what the group holds, in steps, so that a few pages more or less change nothing.
fn memory_limit_bytes(allowance: Allowance, baseline: &Baseline) -> u64 {
    let held = baseline.memory_bytes.next_multiple_of(LIMIT_STEP_BYTES);
    allowance.memory_bytes.saturating_add(held)
}

/// The value of a `key value` line.
fn keyed(content: &str, key: &str) -> Option<u64> {
    content.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
}

fn read_number(path: &Path) -> io::Result<u64> {
    let text = fs::read_to_string(path)?;
    text.trim().parse().map_err(|_| io::Error::other(format!("{} holds {text:?}, no number", path.display())))
}

fn write_number(path: &Path, number: u64) -> io::Result<()> {
    // Not `fs::write`: a control file is never to be created.
    let mut file = fs::OpenOptions::new().write(true).truncate(true).open(path)?;
    io::Write::write_all(&mut file, number.to_string().as_bytes())
}

fn open_for_writing(path: PathBuf) -> io::Result<OwnedFd> {
    Ok(fs::OpenOptions::new().write(true).open(path)?.into())
}

/// Removes the folder of a group. Its last processes may be ending: the kernel says busy until they have.
fn remove_group(folder: &Path) {
    for _ in 0..1000 {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            _ => return,
        }
    }
}

/// A folder that stands for a hierarchy, for tests of what is read from and written to its files.
#[cfg(test)]
mod fake {
    use std::fs;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU64, Ordering};

    pub struct Tree {
        top: PathBuf,
    }

    impl Tree {
        pub fn new() -> Self {
            static NUMBER: AtomicU64 = AtomicU64::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let top = std::env::temp_dir().join(format!("scorer-tree-{}-{number}", std::process::id()));
            fs::create_dir_all(&top).unwrap();
            Self { top }
        }

        pub fn folder(&self, path: &str) -> PathBuf {
            let folder = self.top.join(path);
            fs::create_dir_all(&folder).unwrap();
            folder
        }

        pub fn write(&self, path: &str, content: &str) {
            let path = self.top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }

        pub fn read(&self, path: &str) -> String {
            fs::read_to_string(self.top.join(path)).unwrap()
        }

        /// Removes the files of groups, which the kernel's tree would not count when a group is removed.
        pub fn clear(&self, groups: &[&str]) {
            for group in groups {
                for entry in fs::read_dir(self.top.join(group)).unwrap() {
                    fs::remove_file(entry.unwrap().path()).unwrap();
                }
            }
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.top);
        }
    }
}
