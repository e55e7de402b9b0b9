//! The private root: read-only binds and a few devices on a tmpfs, and nothing of the host beside.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fstat, mkdirat, openat, openat2, symlinkat};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags,
    UnmountFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen, mount_change, move_mount, open_tree,
    unmount,
};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::syscalls::set_mount_attributes;
use crate::protocol::{Attempt, Failure, MountSpec};

const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
/// A device must be usable, but nothing else.
const DEVICE: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC;
/// One beside the usual ones, whose driver may ask whether it is written to.
const FURTHER_DEVICE: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC;

/// Nothing there is meant to be executed.
const PROC: u64 = READ_ONLY | libc::MOUNT_ATTR_NOEXEC;

/// Names in `/dev` that stand for descriptors of the process that asks.
const DESCRIPTOR_LINKS: [(&str, &str); 4] = [
    ("/proc/self/fd", "dev/fd"),
    ("/proc/self/fd/0", "dev/stdin"),
    ("/proc/self/fd/1", "dev/stdout"),
    ("/proc/self/fd/2", "dev/stderr"),
];

/// Room for folders and mount points of the private root.
const ROOT_BYTES: u64 = 4 << 20;
/// The devices a program may expect anywhere.
pub const DEVICES: [&str; 5] = ["null", "zero", "full", "urandom", "random"];
/// Folders on which each run mounts its own scratch.
const MOUNT_POINTS: [&str; 4] = ["run", "work", "tmp", "dev/shm"];

/// Makes the private root of `mounts` and enters it, in a mount namespace of its own. `further_devices` are absolute
/// paths of nodes.
pub fn enter(mounts: &[MountSpec], further_devices: &[String]) -> Result<(), Failure> {
    // SAFETY: this process has one thread and shares nothing with another.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.attempt(|| "cannot make a mount namespace".to_owned())?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .attempt(|| "cannot make the mounts private".to_owned())?;

    // All sources are cloned or opened before anything is covered: from here on their paths do not matter.
    let (in_memory, bound): (Vec<_>, Vec<_>) = mounts.iter().partition(|mount| mount.copy);
    let copies = in_memory
        .into_iter()
        .map(|mount| opened(&mount.source).map(|file| (mount.target.trim_matches('/'), file)))
        .collect::<Result<Vec<_>, _>>()?;
    let binds = bound
        .into_iter()
        .map(|mount| detached(&mount.source, READ_ONLY).map(|tree| (mount.target.trim_matches('/'), tree)))
        .collect::<Result<Vec<_>, _>>()?;
    let devices = DEVICES
        .iter()
        .map(|name| detached(&format!("/dev/{name}"), DEVICE).map(|tree| (format!("dev/{name}"), tree)))
        .chain(further_devices.iter().map(|path| {
            let tree = detached(path, FURTHER_DEVICE)?;
            let mode = fstat(&tree).attempt(|| format!("cannot look at {path}"))?.st_mode;
            if rustix::fs::FileType::from_raw_mode(mode).is_char_device() {
                return Ok((path.trim_start_matches('/').to_owned(), tree));
            }
            Err(Failure { what: format!("{path} is not the node of a character device"), errno: 0 })
        }))
        .collect::<Result<Vec<_>, _>>()?;

    // In a user namespace, `/proc` may be mounted only where one is there already. Each run covers this one with
    // its own before a program starts.
    let proc = detached("/proc", PROC)?;

    let copied_bytes: u64 = copies.iter().map(|(_, (_, size))| size).sum();
    let root = tmpfs(&[("mode", "0755"), ("size", &(ROOT_BYTES + copied_bytes).to_string())])?;
    move_mount(&root, "", CWD, cover()?, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
        .attempt(|| "cannot mount the private root".to_owned())?;
    for folder in MOUNT_POINTS {
        make_folders(&root, folder)?;
    }
    for (target, tree) in &binds {
        attach(&root, target, tree)?;
    }
    for (target, (file, size)) in &copies {
        copy(&root, target, file, *size)?;
    }
    for (target, tree) in &devices {
        attach(&root, target, tree)?;
    }
    attach(&root, "proc", &proc)?;
    for (target, link) in DESCRIPTOR_LINKS {
        symlinkat(target, &root, link).attempt(|| format!("cannot make /{link}"))?;
    }

    rustix::process::fchdir(&root).attempt(|| "cannot enter the private root".to_owned())?;
    rustix::process::pivot_root(".", ".").attempt(|| "cannot make the private root the root".to_owned())?;
    unmount(".", UnmountFlags::DETACH).attempt(|| "cannot let go of the host's root".to_owned())?;
    rustix::process::chdir("/").attempt(|| "cannot enter the private root".to_owned())?;
    set_mount_attributes(root.as_fd(), READ_ONLY, false)
        .attempt(|| "cannot make the private root read-only".to_owned())
}

/// A tmpfs with options, mounted nowhere yet.
pub fn tmpfs(options: &[(&str, &str)]) -> Result<OwnedFd, Failure> {
    filesystem("tmpfs", options, MountAttrFlags::empty())
}

/// The processes of this PID namespace, and nothing else of what `/proc` has; mounted nowhere yet.
pub fn procfs() -> Result<OwnedFd, Failure> {
    let attributes = MountAttrFlags::MOUNT_ATTR_RDONLY | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    filesystem("proc", &[("subset", "pid"), ("hidepid", "invisible")], attributes)
}

fn filesystem(kind: &str, options: &[(&str, &str)], attributes: MountAttrFlags) -> Result<OwnedFd, Failure> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)
        .and_then(|context| {
            for (key, value) in options {
                fsconfig_set_string(context.as_fd(), *key, *value)?;
            }
            fsconfig_create(context.as_fd())?;
            Ok(context)
        })
        .attempt(|| format!("cannot make a {kind}"))?;
    fsmount(
        context.as_fd(),
        FsMountFlags::FSMOUNT_CLOEXEC,
        attributes | MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV,
    )
    .attempt(|| format!("cannot mount a {kind}"))
}

/// A clone of what is mounted at a path and below, mounted nowhere yet.
fn detached(path: &str, attributes: u64) -> Result<OwnedFd, Failure> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(CWD, path, flags).attempt(|| format!("cannot bind {path}"))?;
    set_mount_attributes(tree.as_fd(), attributes, true)
        .attempt(|| format!("cannot make the bind of {path} read-only"))?;
    Ok(tree)
}

/// A regular file to be copied, and its size.
fn opened(path: &str) -> Result<(OwnedFd, u64), Failure> {
    let what = || format!("cannot copy {path}");
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = openat(CWD, path, flags, Mode::empty()).attempt(what)?;
    let status = fstat(&file).attempt(what)?;
    if !rustix::fs::FileType::from_raw_mode(status.st_mode).is_file() {
        return Err(Failure { what: format!("{}: it is no regular file", what()), errno: 0 });
    }
    Ok((file, u64::try_from(status.st_size).unwrap_or(0)))
}

/// Copies a file to `target`, with the rights of a program.
fn copy(root: &OwnedFd, target: &str, source: &OwnedFd, size: u64) -> Result<(), Failure> {
    let what = || format!("cannot make the copy /{target} in the sandbox");
    let (parent, name) = split(target);
    if parent != "." {
        make_folders(root, parent)?;
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = open_below(root, parent)
        .and_then(|parent| openat(&parent, name, flags, Mode::from_raw_mode(0o755)))
        .attempt(what)?;
    let mut offset = 0;
    while offset < size {
        let count = usize::try_from(size - offset).unwrap_or(usize::MAX);
        if rustix::fs::sendfile(&file, source, Some(&mut offset), count).attempt(what)? == 0 {
            return Err(Failure { what: format!("{}: it was cut meanwhile", what()), errno: 0 });
        }
    }
    Ok(())
}

/// A folder of the host that the private root may cover until it takes the host's root's place.
fn cover() -> Result<&'static str, Failure> {
    ["/tmp", "/proc", "/dev"].into_iter().find(|path| std::path::Path::new(path).is_dir()).ok_or_else(|| {
        Failure { what: "there is none of /tmp, /proc and /dev to mount a root on".to_owned(), errno: 0 }
    })
}

/// Opens a path below `root`, whose links never lead out of it.
fn open_below(root: &OwnedFd, path: &str) -> rustix::io::Result<OwnedFd> {
    openat2(root, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::IN_ROOT)
}

fn make_folders(root: &OwnedFd, path: &str) -> Result<(), Failure> {
    for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
        let (parent, name) = split(&path[..end]);
        let made =
            open_below(root, parent).and_then(|parent| mkdirat(&parent, name, Mode::from_raw_mode(0o755)));
        match made {
            Err(rustix::io::Errno::EXIST) => (),
            made => made.attempt(|| {
                format!("cannot make /{path} in the sandbox (a read-only mount above must have it already)")
            })?,
        }
    }
    Ok(())
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}

/// Mounts `tree` at `target`, making the mount point where it is missing.
fn attach(root: &OwnedFd, target: &str, tree: &OwnedFd) -> Result<(), Failure> {
    let kind = fstat(tree).attempt(|| format!("cannot look at the source of /{target}"))?.st_mode;
    let (parent, name) = split(target);
    if rustix::fs::FileType::from_raw_mode(kind).is_dir() {
        make_folders(root, target)?;
    } else {
        if parent != "." {
            make_folders(root, parent)?;
        }
        let made = open_below(root, parent).and_then(|parent| {
            openat(&parent, name, OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC, Mode::from_raw_mode(0o644))
        });
        match made {
            Err(rustix::io::Errno::EXIST) => (),
            made => {
                made.attempt(|| format!("cannot make /{target} in the sandbox"))?;
            }
        }
    }
    let place = open_below(root, target).attempt(|| format!("cannot open /{target} in the sandbox"))?;
    move_mount(
        tree,
        "",
        &place,
        "",
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH,
    )
    .attempt(|| format!("cannot mount at /{target} in the sandbox"))
}
