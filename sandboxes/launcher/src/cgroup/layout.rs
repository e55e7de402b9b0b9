//! Where the hierarchies are mounted, and where in them this process is.

use std::path::{Path, PathBuf};

/// A mounted hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mounted {
    /// Where it is mounted.
    pub point: PathBuf,
    /// Which folder of the hierarchy is seen there.
    pub root: PathBuf,
    /// Its controllers (version 1), or nothing (version 2).
    pub controllers: Vec<String>,
    /// Version 2.
    pub unified: bool,
}

/// Reads `/proc/self/mountinfo` (`proc_pid_mountinfo(5)`).
pub fn mounted(mountinfo: &str) -> Vec<Mounted> {
    let parse = |line: &str| {
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ').skip(3);
        let (root, point) = (left.next()?, left.next()?);
        let mut right = right.split(' ');
        let (kind, options) = (right.next()?, right.nth(1)?);
        let unified = kind == "cgroup2";
        (unified || kind == "cgroup").then(|| Mounted {
            point: unescape(point),
            root: unescape(root),
            controllers: if unified { Vec::new() } else { options.split(',').map(str::to_owned).collect() },
            unified,
        })
    };
    mountinfo.lines().filter_map(parse).collect()
}

/// Octal escapes of white space in a path.
fn unescape(text: &str) -> PathBuf {
    let text = text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n");
    PathBuf::from(text.replace("\\134", "\\"))
}

/// The path of this process in the hierarchy of a controller, or in that of version 2 for an empty name, from
/// `/proc/self/cgroup` (`cgroups(7)`).
pub fn own_path<'a>(proc_cgroup: &'a str, controller: &str) -> Option<&'a Path> {
    proc_cgroup.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        controllers.split(',').any(|name| name == controller).then(|| Path::new(path))
    })
}

/// The folders in which groups may be made, the best first: the process's own, so that limits set on the server
/// as a whole hold for its sandboxes too, then the top of what is seen.
pub fn candidates(mounted: &Mounted, own_path: &Path) -> Vec<PathBuf> {
    let below = own_path.strip_prefix(&mounted.root).ok();
    let own = below.map(|below| mounted.point.join(below));
    let mut all: Vec<PathBuf> = own.into_iter().collect();
    if !all.contains(&mounted.point) {
        all.push(mounted.point.clone());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTINFO: &str = "\
22 1 0:5 / /proc rw,relatime - proc proc rw
30 22 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
31 22 0:27 /docker/ab /sys/fs/cgroup/cpu\\040acct rw - cgroup cgroup rw,cpu,cpuacct
32 22 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate
";

    #[test]
    fn only_hierarchies_are_listed_with_what_they_control() {
        let all = mounted(MOUNTINFO);
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].controllers, ["rw", "memory"]);
        assert_eq!(all[1].point, Path::new("/sys/fs/cgroup/cpu acct"));
        assert_eq!(all[1].root, Path::new("/docker/ab"));
        assert!(all[2].unified && all[2].controllers.is_empty());
    }

    #[test]
    fn the_own_path_is_found_by_controller() {
        let text = "9:name=systemd:/\n4:cpu,cpuacct:/a:b\n0::/system.slice/x\n";
        assert_eq!(own_path(text, "cpuacct"), Some(Path::new("/a:b")));
        assert_eq!(own_path(text, ""), Some(Path::new("/system.slice/x")));
        assert_eq!(own_path(text, "pids"), None);
    }

    #[test]
    fn own_folder_goes_first_and_is_seen_through_the_root_of_the_mount() {
        let all = mounted(MOUNTINFO);
        let own = candidates(&all[0], Path::new("/server"));
        assert_eq!(own, [Path::new("/sys/fs/cgroup/memory/server"), Path::new("/sys/fs/cgroup/memory")]);
        assert_eq!(candidates(&all[0], Path::new("/")), [Path::new("/sys/fs/cgroup/memory")]);
        let inside = candidates(&all[1], Path::new("/docker/ab/x"));
        assert_eq!(inside[0], Path::new("/sys/fs/cgroup/cpu acct/x"));
        let elsewhere = candidates(&all[1], Path::new("/other"));
        assert_eq!(elsewhere, [Path::new("/sys/fs/cgroup/cpu acct")]);
    }
}
