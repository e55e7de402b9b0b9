//! The supervisor as first process of a container: it meets the server at a socket that the container was given,
//! hands over the container's cgroup, and keeps no right once the sandbox is made.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Gid, Mode, OFlags, Uid, chownat, mkdirat, openat};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_flag, fsmount, fsopen,
};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use rustix::process::{Signal, pidfd_send_signal};

use super::syscalls::{Child, FIRST_HIGH};
use crate::protocol::{Attempt, ContainerCgroup, Failure, Greeting, IDS, send};

/// Controllers of version 1, in the order in which their folders are handed over.
const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpuacct"];
/// Where this process goes, since a group with processes cannot hand controllers to groups below it.
const OWN_LEAF: &str = "supervisor";

/// Connects to the server and greets it.
pub fn meet(path: &OsStr) -> io::Result<OwnedFd> {
    let address = SocketAddrUnix::new(path)?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    connect(&socket, &address)?;
    let socket = rustix::io::fcntl_dupfd_cloexec(&socket, FIRST_HIGH)?;
    let (server, its_group) = peer(&socket)?;
    let (cgroup, folders) = unified(server, its_group)
        .map(|folder| (ContainerCgroup::V2, vec![folder]))
        .or_else(|no_v2| separate().map_err(|no_v1| format!("{no_v2}; {no_v1}")))
        .unwrap_or_else(|reason| (ContainerCgroup::None(reason), Vec::new()));
    let beside: Vec<_> = folders.iter().map(AsFd::as_fd).collect();
    send(&socket, &Greeting { cgroup, maps_ids: maps_ids() }, &beside)?;
    Ok(socket)
}

/// User and group of the other end. Its process has no number in this PID namespace.
fn peer(socket: &OwnedFd) -> io::Result<(Uid, Gid)> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = libc::socklen_t::try_from(size_of::<libc::ucred>()).map_err(io::Error::other)?;
    // SAFETY: the kernel writes no more than the length says, into a structure of that size.
    let got = unsafe {
        let value = (&raw mut peer).cast::<libc::c_void>();
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, value, &raw mut length)
    };
    if got == 0 {
        Ok((Uid::from_raw(peer.uid), Gid::from_raw(peer.gid)))
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Waits for the end of the zygote without any right over the host, and brings it about when the server is gone.
pub fn outlive(zygote: &Child, control: &OwnedFd) -> Result<(), Failure> {
    // Rights over the namespaces of the zygote are left: who made a user namespace owns it.
    drop_capabilities().attempt(|| "cannot drop the capabilities of a container".to_owned())?;
    loop {
        // No event is asked for: the end of a connection is told unasked.
        let mut sources =
            [PollFd::new(control, PollFlags::empty()), PollFd::new(&zygote.pidfd, PollFlags::IN)];
        rustix::io::retry_on_intr(|| poll(&mut sources, None))
            .attempt(|| "cannot wait for the end of a sandbox".to_owned())?;
        let [gone, ended] = sources.map(|source| !source.revents().is_empty());
        if gone {
            let _ = pidfd_send_signal(&zygote.pidfd, Signal::KILL);
        }
        if gone || ended {
            return Ok(());
        }
    }
}

fn drop_capabilities() -> io::Result<()> {
    // Version 3 of the structures of capset(2): two words each of effective, permitted, inheritable.
    let header: [u32; 2] = [0x2008_0522, 0];
    let none: [u32; 6] = [0; 6];
    // SAFETY: the structures are of the version given, and only read.
    match unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether this process is root over all ids, and not only over some that an engine maps.
fn maps_ids() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.lines().any(|line| {
        let numbers: Vec<u64> =
            line.split_ascii_whitespace().filter_map(|number| number.parse().ok()).collect();
        matches!(numbers[..], [0, 0, count] if count > u64::from(u32::MAX - IDS))
    })
}

/// The container's own group in the tree of version 2, made fit for groups of the server below it.
fn unified(server: Uid, group: Gid) -> Result<OwnedFd, String> {
    let folder =
        mounted::<&str>("cgroup2", &[]).map_err(|error| format!("cgroup v2 cannot be mounted: {error}"))?;
    let prepare = || -> io::Result<Option<&str>> {
        let mut controllers = String::new();
        opened(&folder, "cgroup.controllers", OFlags::RDONLY)?.read_to_string(&mut controllers)?;
        let lacking = ["memory", "pids"]
            .into_iter()
            .find(|name| !controllers.split_ascii_whitespace().any(|controller| controller == *name));
        if lacking.is_none() {
            mkdirat(&folder, OWN_LEAF, Mode::from_raw_mode(0o755))?;
            opened(&folder, &format!("{OWN_LEAF}/cgroup.procs"), OFlags::WRONLY)?.write_all(b"0")?;
            opened(&folder, "cgroup.subtree_control", OFlags::WRONLY)?.write_all(b"+memory +pids")?;
            if server != Uid::ROOT {
                for path in [".", "cgroup.procs"] {
                    chownat(&folder, path, Some(server), Some(group), rustix::fs::AtFlags::empty())?;
                }
            }
        }
        Ok(lacking)
    };
    match prepare() {
        Ok(None) => Ok(folder),
        Ok(Some(name)) => Err(format!("cgroup v2 has no {name} controller in the container")),
        Err(error) => Err(format!("cgroup v2 cannot be used in the container: {error}")),
    }
}

/// The container's own groups in the trees of version 1.
fn separate() -> Result<(ContainerCgroup, Vec<OwnedFd>), String> {
    let own = std::fs::read_to_string("/proc/self/cgroup")
        .map_err(|error| format!("cannot read /proc/self/cgroup: {error}"))?;
    let folders = CONTROLLERS.map(|name| mounted("cgroup", &mounted_with(&own, name)?).ok());
    if folders.iter().all(Option::is_none) {
        return Err("no controller of cgroup v1 can be mounted in the container".to_owned());
    }
    let there = [0, 1, 2].map(|index: usize| folders[index].is_some());
    Ok((ContainerCgroup::V1(there), folders.into_iter().flatten().collect()))
}

/// All controllers of the tree of version 1 that has this one (`cgroups(7)`), which can be mounted together only.
fn mounted_with(proc_cgroup: &str, controller: &str) -> Option<Vec<String>> {
    proc_cgroup.lines().find_map(|line| {
        let names: Vec<String> = line.split(':').nth(1)?.split(',').map(str::to_owned).collect();
        names.iter().any(|name| name == controller).then_some(names)
    })
}

/// A hierarchy, from the group of this cgroup namespace down, mounted where nobody sees it.
fn mounted<S: AsRef<str>>(kind: &str, flags: &[S]) -> rustix::io::Result<OwnedFd> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for flag in flags {
        fsconfig_set_flag(context.as_fd(), flag.as_ref())?;
    }
    fsconfig_create(context.as_fd())?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}

fn opened(folder: &OwnedFd, path: &str, access: OFlags) -> io::Result<std::fs::File> {
    Ok(openat(folder, path, access | OFlags::CLOEXEC, Mode::empty())?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_is_mounted_with_those_that_share_its_tree() {
        let text = "9:name=systemd:/\n4:cpu,cpuacct:/a\n3:memory:/a\n0::/\n";
        assert_eq!(mounted_with(text, "cpuacct").unwrap(), ["cpu", "cpuacct"]);
        assert_eq!(mounted_with(text, "memory").unwrap(), ["memory"]);
        assert_eq!(mounted_with(text, "pids"), None);
    }
}
