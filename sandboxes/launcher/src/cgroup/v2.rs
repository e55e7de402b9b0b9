//! Version 2: one tree (kernel documentation, `admin-guide/cgroup-v2`).

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::{
    Account, Allowance, Baseline, CLEAN_BYTES, Limit, OWN_PROCESSES, keyed, layout, memory_limit_bytes,
    open_for_writing, read_number, remove_group, stale, write_number,
};

const NEEDED: [&str; 2] = ["memory", "pids"];
/// Where the server itself goes, since a group with processes cannot hand controllers to groups below it.
const SERVER_LEAF: &str = "server";

/// The folder in which groups are made.
#[derive(Debug)]
pub struct Hierarchy {
    base: PathBuf,
}

/// One group.
#[derive(Debug)]
pub struct Group {
    folder: PathBuf,
    /// A reset of the peak holds for the descriptor that asked for it, so it is kept. `None` where the kernel
    /// (before 6.12) knows no reset: such a group serves one run.
    peak: Option<Mutex<fs::File>>,
    memory_limit: Limit,
    process_limit: Limit,
}

impl Hierarchy {
    /// Finds the folder, moving the server into a leaf of its own if that is what it takes.
    pub fn find() -> Result<Self, String> {
        let read =
            |path: &str| fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"));
        let mounted = layout::mounted(&read("/proc/self/mountinfo")?);
        let mounted = mounted.iter().find(|mounted| mounted.unified).ok_or("cgroup v2 is not mounted")?;
        let own = read("/proc/self/cgroup")?;
        let own_path = layout::own_path(&own, "").ok_or("this process is in no cgroup v2 group")?;
        let folders = layout::candidates(mounted, own_path);
        let folder = folders.first().ok_or("the cgroup v2 group of this process is out of sight")?;
        Self::delegated(folder, std::process::id())
    }

    /// Makes a folder fit for groups below it.
    fn delegated(folder: &Path, server_pid: u32) -> Result<Self, String> {
        let at = folder.display();
        let say = |what: &str, error: io::Error| {
            format!(
                "{what} in {at}: {error}; run the service in a \
            delegated group (systemd: Delegate=yes; containers: a private, writable cgroup namespace)"
            )
        };
        let read = |name: &str| fs::read_to_string(folder.join(name)).map_err(|error| say(name, error));
        let available = read("cgroup.controllers")?;
        let lacking =
            |list: &str| NEEDED.iter().find(|name| !list.split_whitespace().any(|have| have == **name));
        if let Some(name) = lacking(&available) {
            return Err(format!("cgroup v2 has no {name} controller in {at} (is it in use by version 1?)"));
        }
        if lacking(&read("cgroup.subtree_control")?).is_some() {
            let processes = read("cgroup.procs")?;
            let own = server_pid.to_string();
            if processes.lines().any(|pid| pid != own) {
                return Err(format!(
                    "cgroup v2 cannot be used in {at}: other processes are in this group; run the service in a \
                     group of its own"
                ));
            }
            if !processes.trim().is_empty() {
                let leaf = folder.join(SERVER_LEAF);
                match fs::create_dir(&leaf) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                        return Err(say("cannot make a group", error));
                    }
                    _ => (),
                }
                write_text(&leaf.join("cgroup.procs"), &own)
                    .map_err(|error| say("cannot move the server", error))?;
            }
            write_text(&folder.join("cgroup.subtree_control"), "+memory +pids")
                .map_err(|error| say("cannot hand on the controllers", error))?;
        }
        stale::sweep(folder);
        let trial = folder.join(stale::new_name());
        fs::create_dir(&trial)
            .and_then(|()| fs::remove_dir(&trial))
            .map_err(|error| say("cannot make a group", error))?;
        Ok(Self { base: folder.to_owned() })
    }

    /// That of a folder which is fit for groups below it.
    pub fn at(base: PathBuf) -> Self {
        Self { base }
    }

    pub fn make(&self, name: &str) -> io::Result<Group> {
        let folder = self.base.join(name);
        fs::create_dir(&folder)?;
        let mut group =
            Group { folder, peak: None, memory_limit: Limit::default(), process_limit: Limit::default() };
        let peak = fs::OpenOptions::new().read(true).write(true).open(group.folder.join("memory.peak"));
        group.peak = peak.ok().filter(|file| reset_peak(file).is_ok()).map(Mutex::new);
        Ok(group)
    }
}

fn write_text(path: &Path, text: &str) -> io::Result<()> {
    io::Write::write_all(&mut fs::OpenOptions::new().write(true).open(path)?, text.as_bytes())
}

/// Any text will do.
fn reset_peak(file: &fs::File) -> io::Result<()> {
    rustix::io::pwrite(file, b"reset", 0)?;
    Ok(())
}

impl Group {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn text(&self, name: &str) -> io::Result<String> {
        fs::read_to_string(self.file(name))
    }

    pub fn procs_files(&self) -> io::Result<Vec<OwnedFd>> {
        open_for_writing(self.file("cgroup.procs")).map(|file| vec![file])
    }

    pub fn cpu_file(&self) -> io::Result<OwnedFd> {
        fs::File::open(self.file("cpu.stat")).map(OwnedFd::from)
    }

    pub fn cpu_ns(&self) -> io::Result<Option<u64>> {
        Ok(parse_cpu_ns(&fs::read(self.file("cpu.stat"))?))
    }

    pub fn prepare(&self, allowance: Allowance) -> io::Result<Baseline> {
        let baseline = Baseline {
            memory_bytes: read_number(&self.file("memory.current"))?,
            oom_kills: keyed(&self.text("memory.events")?, "oom_kill").unwrap_or(0),
            refused_processes: keyed(&self.text("pids.events")?, "max").unwrap_or(0),
        };
        self.memory_limit.set(memory_limit_bytes(allowance, &baseline), |bytes| {
            write_number(&self.file("memory.max"), bytes)?;
            match write_number(&self.file("memory.swap.max"), 0) {
                // A kernel without swap has no such file.
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        })?;
        self.process_limit.set(allowance.processes + OWN_PROCESSES, |processes| {
            write_number(&self.file("pids.max"), processes)
        })?;
        if let Some(peak) = &self.peak {
            reset_peak(&peak.lock().unwrap_or_else(std::sync::PoisonError::into_inner))?;
        }
        Ok(baseline)
    }

    pub fn account(&self, baseline: &Baseline) -> io::Result<Account> {
        let peak = match &self.peak {
            Some(peak) => {
                let file = peak.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let mut text = [0; 32];
                let length = rustix::io::pread(&*file, &mut text, 0)?;
                std::str::from_utf8(&text[..length]).ok().and_then(|text| text.trim().parse().ok())
            }
            // Kernels before 5.19 do not tell.
            None => read_number(&self.file("memory.peak")).ok(),
        };
        Ok(Account {
            peak_memory_bytes: peak.map(|peak: u64| peak.saturating_sub(baseline.memory_bytes)),
            out_of_memory: keyed(&self.text("memory.events")?, "oom_kill").unwrap_or(0) > baseline.oom_kills,
            refused_process: keyed(&self.text("pids.events")?, "max").unwrap_or(0)
                > baseline.refused_processes,
        })
    }

    pub fn is_clean(&self) -> bool {
        self.peak.is_some() && read_number(&self.file("memory.current")).is_ok_and(|held| held <= CLEAN_BYTES)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        remove_group(&self.folder);
    }
}

pub fn parse_cpu_ns(content: &[u8]) -> Option<u64> {
    // The content may be cut off after the first lines, of which this is one.
    let text = String::from_utf8_lossy(content);
    keyed(&text, "usage_usec").map(|usage_us| usage_us * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::fake::Tree;

    const GROUP: [(&str, &str); 9] = [
        ("memory.current", "1000000\n"),
        ("memory.max", "max\n"),
        ("memory.swap.max", "max\n"),
        ("memory.events", "low 0\nhigh 0\nmax 12\noom 2\noom_kill 2\noom_group_kill 0\n"),
        ("memory.peak", "4000000\n"),
        ("pids.max", "max\n"),
        ("pids.events", "max 1\n"),
        ("cpu.stat", "usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n"),
        ("cgroup.procs", ""),
    ];

    fn delegated(
        tree: &Tree,
        controllers: &str,
        enabled: &str,
        processes: &str,
    ) -> Result<Hierarchy, String> {
        tree.write("cgroup.controllers", controllers);
        tree.write("cgroup.subtree_control", enabled);
        tree.write("cgroup.procs", processes);
        Hierarchy::delegated(&tree.folder(""), 42)
    }

    #[test]
    fn a_group_of_its_own_is_made_fit_by_moving_the_server_to_a_leaf() {
        let tree = Tree::new();
        tree.write("server/cgroup.procs", "");
        delegated(&tree, "cpu memory pids\n", "\n", "42\n").unwrap();
        assert_eq!(tree.read("server/cgroup.procs"), "42");
        assert_eq!(tree.read("cgroup.subtree_control"), "+memory +pids");
    }

    #[test]
    fn a_group_shared_with_others_or_without_controllers_is_refused_with_a_way_out() {
        let tree = Tree::new();
        let shared = delegated(&tree, "memory pids\n", "\n", "42\n7\n").unwrap_err();
        assert!(shared.contains("group of its own"), "{shared}");
        let lacking = delegated(&tree, "memory hugetlb\n", "\n", "42\n").unwrap_err();
        assert!(lacking.contains("no pids controller"), "{lacking}");
    }

    #[test]
    fn a_group_that_hands_on_its_controllers_already_is_left_as_it_is() {
        let tree = Tree::new();
        delegated(&tree, "cpu memory pids\n", "memory pids\n", "").unwrap();
        assert_eq!(tree.read("cgroup.subtree_control"), "memory pids\n");
        assert!(!tree.folder("").join("server").exists());
    }

    #[test]
    fn limits_are_over_what_the_group_holds_and_counts_are_since_the_start() {
        let tree = Tree::new();
        let hierarchy = Hierarchy { base: tree.folder("") };
        let mut group = hierarchy.make("g").unwrap();
        for (name, content) in GROUP {
            tree.write(&format!("g/{name}"), content);
        }
        let baseline = group.prepare(Allowance { memory_bytes: 10_000_000, processes: 32 }).unwrap();
        assert_eq!(tree.read("g/memory.max"), "11048576");
        assert_eq!(tree.read("g/memory.swap.max"), "0");
        assert_eq!(tree.read("g/pids.max"), "34");
        assert_eq!(group.cpu_ns().unwrap(), Some(1_500_000));
        let quiet = group.account(&baseline).unwrap();
        assert_eq!(
            quiet,
            Account { peak_memory_bytes: Some(3_000_000), out_of_memory: false, refused_process: false }
        );
        tree.write("g/memory.events", "low 0\nhigh 0\nmax 99\noom 3\noom_kill 3\noom_group_kill 0\n");
        tree.write("g/pids.events", "max 2\n");
        let loud = group.account(&baseline).unwrap();
        assert!(loud.out_of_memory && loud.refused_process);

        assert!(!group.is_clean(), "without a reset of the peak a group serves one run");
        let peak = fs::OpenOptions::new().read(true).write(true).open(tree.folder("g").join("memory.peak"));
        group.peak = Some(Mutex::new(peak.unwrap()));
        assert!(group.is_clean());
        tree.write("g/memory.current", "99000000\n");
        assert!(!group.is_clean());
        tree.clear(&["g"]);
    }

    #[test]
    fn cpu_time_is_read_from_the_beginning_of_the_file() {
        assert_eq!(parse_cpu_ns(b"usage_usec 7\nuser_usec 7\nsyste"), Some(7000));
        assert_eq!(parse_cpu_ns(b""), None);
    }
}
