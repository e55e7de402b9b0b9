//! Version 1: a tree for each controller (kernel documentation, `admin-guide/cgroup-v1`).

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::{
    Account, Allowance, Baseline, CLEAN_BYTES, Limit, OWN_PROCESSES, keyed, layout, memory_limit_bytes,
    open_for_writing, read_number, remove_group, stale, write_number,
};

/// The folders of the controllers in which groups are made.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    memory: Option<PathBuf>,
    pids: Option<PathBuf>,
    cpuacct: Option<PathBuf>,
}

/// One group, a folder in the tree of each controller.
#[derive(Debug)]
pub struct Group {
    memory: Option<PathBuf>,
    pids: Option<PathBuf>,
    cpuacct: Option<PathBuf>,
    memory_limit: Limit,
    process_limit: Limit,
}

impl Hierarchy {
    /// Finds the folders in which groups can be made.
    pub fn find() -> Result<Self, String> {
        let read =
            |path: &str| fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"));
        let mounted = layout::mounted(&read("/proc/self/mountinfo")?);
        let own = read("/proc/self/cgroup")?;
        let folder = |controller: &str| {
            let mounted = mounted.iter().find(|mounted| {
                !mounted.unified && mounted.controllers.iter().any(|name| name == controller)
            })?;
            let own_path = layout::own_path(&own, controller)?;
            let folder = layout::candidates(mounted, own_path).into_iter().find(|path| can_make(path))?;
            stale::sweep(&folder);
            Some(folder)
        };
        let hierarchy = Self { memory: folder("memory"), pids: folder("pids"), cpuacct: folder("cpuacct") };
        if hierarchy.memory.is_none() && hierarchy.pids.is_none() && hierarchy.cpuacct.is_none() {
            return Err("no cgroup v1 controller is mounted where this user may make groups: \
                        mount memory, pids and cpuacct writable, or run as root"
                .to_owned());
        }
        Ok(hierarchy)
    }

    /// Those of the folders of memory, pids and cpuacct.
    pub fn at(folders: [Option<PathBuf>; 3]) -> Self {
        let [memory, pids, cpuacct] = folders;
        Self { memory, pids, cpuacct }
    }

    pub fn has_memory(&self) -> bool {
        self.memory.is_some()
    }

    pub fn has_processes(&self) -> bool {
        self.pids.is_some()
    }

    pub fn make(&self, name: &str) -> io::Result<Group> {
        // What was made is removed again if the next fails.
        let mut group = Group {
            memory: None,
            pids: None,
            cpuacct: None,
            memory_limit: Limit::default(),
            process_limit: Limit::default(),
        };
        let make = |base: &Option<PathBuf>| -> io::Result<Option<PathBuf>> {
            let Some(folder) = base.as_ref().map(|base| base.join(name)) else { return Ok(None) };
            fs::create_dir(&folder)?;
            Ok(Some(folder))
        };
        group.memory = make(&self.memory)?;
        group.pids = make(&self.pids)?;
        group.cpuacct = make(&self.cpuacct)?;
        Ok(group)
    }
}

fn can_make(folder: &Path) -> bool {
    let trial = folder.join(stale::new_name());
    fs::create_dir(&trial).is_ok() && fs::remove_dir(&trial).is_ok()
}

impl Group {
    fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.memory, &self.pids, &self.cpuacct].into_iter().flatten()
    }

    pub fn procs_files(&self) -> io::Result<Vec<OwnedFd>> {
        self.folders().map(|folder| open_for_writing(folder.join("cgroup.procs"))).collect()
    }

    pub fn cpu_file(&self) -> io::Result<Option<OwnedFd>> {
        let open = |folder: &PathBuf| fs::File::open(folder.join("cpuacct.usage")).map(OwnedFd::from);
        self.cpuacct.as_ref().map(open).transpose()
    }

    pub fn cpu_ns(&self) -> io::Result<Option<u64>> {
        self.cpuacct.as_ref().map(|folder| read_number(&folder.join("cpuacct.usage"))).transpose()
    }

    pub fn prepare(&self, allowance: Allowance) -> io::Result<Baseline> {
        let mut baseline = Baseline::default();
        if let Some(folder) = &self.memory {
            baseline.memory_bytes = read_number(&folder.join("memory.usage_in_bytes"))?;
            baseline.oom_kills = oom_kills(folder)?;
            let limit = memory_limit_bytes(allowance, &baseline);
            self.memory_limit.set(limit, |bytes| set_memory_limit(folder, bytes))?;
            write_number(&folder.join("memory.max_usage_in_bytes"), 0)?;
        }
        if let Some(folder) = &self.pids {
            baseline.refused_processes = refused_processes(folder)?;
            let limit = allowance.processes + OWN_PROCESSES;
            self.process_limit.set(limit, |processes| write_number(&folder.join("pids.max"), processes))?;
        }
        Ok(baseline)
    }

    pub fn account(&self, baseline: &Baseline) -> io::Result<Account> {
        let mut account = Account::default();
        if let Some(folder) = &self.memory {
            let peak = read_number(&folder.join("memory.max_usage_in_bytes"))?;
            account.peak_memory_bytes = Some(peak.saturating_sub(baseline.memory_bytes));
            account.out_of_memory = oom_kills(folder)? > baseline.oom_kills;
        }
        if let Some(folder) = &self.pids {
            account.refused_process = refused_processes(folder)? > baseline.refused_processes;
        }
        Ok(account)
    }

    pub fn is_clean(&self) -> bool {
        let held = |folder: &PathBuf| read_number(&folder.join("memory.usage_in_bytes")).unwrap_or(u64::MAX);
        self.memory.as_ref().is_none_or(|folder| held(folder) <= CLEAN_BYTES)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.folders().for_each(|folder| remove_group(folder));
    }
}

pub fn parse_cpu_ns(content: &[u8]) -> Option<u64> {
    std::str::from_utf8(content).ok()?.trim().parse().ok()
}

fn oom_kills(folder: &Path) -> io::Result<u64> {
    Ok(keyed(&fs::read_to_string(folder.join("memory.oom_control"))?, "oom_kill").unwrap_or(0))
}

fn refused_processes(folder: &Path) -> io::Result<u64> {
    Ok(keyed(&fs::read_to_string(folder.join("pids.events"))?, "max").unwrap_or(0))
}

/// Limits memory, and memory with swap where that is counted, which the kernel never lets be the lower one.
fn set_memory_limit(folder: &Path, bytes: u64) -> io::Result<()> {
    let memory = folder.join("memory.limit_in_bytes");
    let with_swap = folder.join("memory.memsw.limit_in_bytes");
    match read_number(&with_swap) {
        Ok(current) if current < bytes => {
            write_number(&with_swap, bytes)?;
            write_number(&memory, bytes)
        }
        Ok(_) => {
            write_number(&memory, bytes)?;
            write_number(&with_swap, bytes)
        }
        Err(_) => write_number(&memory, bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::fake::Tree;

    fn tree() -> (Tree, Hierarchy) {
        let tree = Tree::new();
        let base = |name: &str| Some(tree.folder(name));
        let hierarchy = Hierarchy { memory: base("memory"), pids: base("pids"), cpuacct: base("cpuacct") };
        (tree, hierarchy)
    }

    fn fill(tree: &Tree, group: &str) {
        tree.write(&format!("memory/{group}/memory.usage_in_bytes"), "1000000\n");
        tree.write(&format!("memory/{group}/memory.limit_in_bytes"), "9223372036854771712\n");
        tree.write(&format!("memory/{group}/memory.memsw.limit_in_bytes"), "9223372036854771712\n");
        tree.write(&format!("memory/{group}/memory.max_usage_in_bytes"), "5000000\n");
        tree.write(
            &format!("memory/{group}/memory.oom_control"),
            "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
        );
        tree.write(&format!("pids/{group}/pids.max"), "max\n");
        tree.write(&format!("pids/{group}/pids.events"), "max 5\n");
        tree.write(&format!("cpuacct/{group}/cpuacct.usage"), "123456789\n");
    }

    #[test]
    fn limits_are_over_what_the_group_holds_and_counts_are_since_the_start() {
        let (tree, hierarchy) = tree();
        let group = hierarchy.make("g").unwrap();
        fill(&tree, "g");
        let allowance = Allowance { memory_bytes: 10_000_000, processes: 32 };
        let baseline = group.prepare(allowance).unwrap();
        assert_eq!(tree.read("memory/g/memory.limit_in_bytes"), "11048576");
        assert_eq!(tree.read("memory/g/memory.memsw.limit_in_bytes"), "11048576");
        assert_eq!(tree.read("memory/g/memory.max_usage_in_bytes"), "0");
        assert_eq!(tree.read("pids/g/pids.max"), "34");
        assert_eq!(group.cpu_ns().unwrap(), Some(123_456_789));

        tree.write("memory/g/memory.max_usage_in_bytes", "3000000\n");
        let quiet = group.account(&baseline).unwrap();
        assert_eq!(
            quiet,
            Account { peak_memory_bytes: Some(2_000_000), out_of_memory: false, refused_process: false }
        );
        tree.write("memory/g/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
        tree.write("pids/g/pids.events", "max 6\n");
        let loud = group.account(&baseline).unwrap();
        assert!(loud.out_of_memory && loud.refused_process);
        tree.clear(&["memory/g", "pids/g", "cpuacct/g"]);
    }

    #[test]
    fn a_group_that_still_holds_memory_is_not_used_again() {
        let (tree, hierarchy) = tree();
        let group = hierarchy.make("g").unwrap();
        fill(&tree, "g");
        assert!(group.is_clean());
        tree.write("memory/g/memory.usage_in_bytes", "50000000\n");
        assert!(!group.is_clean());
        tree.clear(&["memory/g", "pids/g", "cpuacct/g"]);
        drop(group);
        assert!(!tree.folder("memory").join("g").exists());
    }

    #[test]
    fn controllers_that_are_missing_are_done_without() {
        let tree = Tree::new();
        let hierarchy = Hierarchy { memory: None, pids: Some(tree.folder("pids")), cpuacct: None };
        assert!(!hierarchy.has_memory() && hierarchy.has_processes());
        let group = hierarchy.make("g").unwrap();
        tree.write("pids/g/pids.max", "max\n");
        tree.write("pids/g/pids.events", "max 0\n");
        tree.write("pids/g/cgroup.procs", "");
        let baseline = group.prepare(Allowance { memory_bytes: 1, processes: 1 }).unwrap();
        assert_eq!(group.account(&baseline).unwrap(), Account::default());
        assert_eq!(group.cpu_ns().unwrap(), None);
        assert_eq!(group.procs_files().unwrap().len(), 1);
        tree.clear(&["pids/g"]);
    }
}
