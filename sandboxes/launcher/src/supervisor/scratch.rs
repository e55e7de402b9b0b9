//! The writable part of a sandbox: one tmpfs a run, seen as `/work`, `/tmp` and `/dev/shm`.
//!
//! One file system gives one quota, and goes with the mount namespace of the run: nothing has to be emptied, and
//! no time stamp, inode number or attribute of it survives.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{CWD, Gid, Mode, OFlags, Uid, chownat, mkdirat, openat};
use rustix::mount::{
    FsPickFlags, MoveMountFlags, OpenTreeFlags, fsconfig_reconfigure, fsconfig_set_string, fspick,
    move_mount, open_tree,
};

use super::root::{procfs, tmpfs};
use crate::protocol::{Attempt, Failure};

/// Where the whole tmpfs is mounted.
const STAGE: &str = "/run";
/// Folder on the tmpfs, where it is seen, its mode.
const PLACES: [(&str, &str, u32); 3] =
    [("work", "/work", 0o755), ("tmp", "/tmp", 0o1777), ("shm", "/dev/shm", 0o1777)];
/// The quota that a place is made with, before it is known for what: one that is asked for most need not be set.
const USUAL_BYTES: u64 = 64 << 20;
/// Inodes beside those that the quota's pages could fill.
const LEAST_INODES: u64 = 1024;
const MOST_INODES: u64 = 1 << 16;

/// Mounts an empty scratch whose `/work` belongs to `owner`, and covers `/proc`.
pub fn mount(owner: Option<u32>) -> Result<(), Failure> {
    mount_folders(owner).and_then(|whole| cover_proc(&whole))
}

/// Mounts an empty scratch whose `/work` belongs to `owner`; gives the whole of it.
pub fn mount_folders(owner: Option<u32>) -> Result<OwnedFd, Failure> {
    let (bytes, inodes) = (USUAL_BYTES.to_string(), inodes(USUAL_BYTES, 0).to_string());
    let whole = tmpfs(&[("mode", "0755"), ("size", &bytes), ("nr_inodes", &inodes)])?;
    move_mount(&whole, "", CWD, STAGE, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
        .attempt(|| "cannot mount the scratch".to_owned())?;
    for (folder, target, mode) in PLACES {
        place(&whole, folder, target, mode, owner).attempt(|| format!("cannot make {target}"))?;
    }
    Ok(whole)
}

/// Covers the host's `/proc`: by the run's own, which loaders and compilers ask for their own path, or by nothing
/// where a container hides parts of it, since then the kernel lets no new one be mounted.
fn cover_proc(whole: &OwnedFd) -> Result<(), Failure> {
    let own = procfs().or_else(|_| {
        mkdirat(whole, "empty", Mode::from_raw_mode(0o555))
            .and_then(|()| {
                let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
                open_tree(whole, "empty", flags)
            })
            .attempt(|| "cannot make an empty /proc".to_owned())
    })?;
    move_mount(&own, "", CWD, "/proc", MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
        .attempt(|| "cannot cover /proc".to_owned())
}

fn place(
    whole: &OwnedFd,
    folder: &str,
    target: &str,
    mode: u32,
    owner: Option<u32>,
) -> rustix::io::Result<()> {
    mkdirat(whole, folder, Mode::from_raw_mode(mode))?;
    if mode & 0o002 != 0 {
        // The process's mask took the bits away.
        let flags = rustix::fs::AtFlags::empty();
        rustix::fs::chmodat(whole, folder, Mode::from_raw_mode(mode), flags)?;
    } else if let Some(id) = owner {
        let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
        chownat(whole, folder, Some(Uid::from_raw(id)), Some(Gid::from_raw(id)), flags)?;
    }
    let tree = open_tree(whole, folder, OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC)?;
    move_mount(&tree, "", CWD, target, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

fn inodes(bytes: u64, files: usize) -> u64 {
    (bytes / 16384).clamp(LEAST_INODES, MOST_INODES) + files as u64
}

/// Sets the quota of a mounted scratch.
pub fn resize(bytes: u64, files: usize) -> Result<(), Failure> {
    if bytes == USUAL_BYTES && files == 0 {
        return Ok(());
    }
    let inodes = inodes(bytes, files);
    fspick(CWD, STAGE, FsPickFlags::FSPICK_CLOEXEC)
        .and_then(|context| {
            fsconfig_set_string(context.as_fd(), "size", bytes.max(4096).to_string())?;
            fsconfig_set_string(context.as_fd(), "nr_inodes", inodes.to_string())?;
            fsconfig_reconfigure(context.as_fd())
        })
        .attempt(|| format!("cannot set the size of the scratch to {bytes} bytes"))
}

/// Writes the files that a run starts with: path and size of each, contents one after the other in `contents`.
pub fn fill(files: &[(String, u64)], contents: &OwnedFd, owner: Option<u32>) -> Result<(), Failure> {
    let own = |path: &str| {
        let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
        owner.map_or(Ok(()), |id| chownat(CWD, path, Some(Uid::from_raw(id)), Some(Gid::from_raw(id)), flags))
    };
    let mut offset = 0;
    for (path, size) in files {
        let what = || format!("cannot write the file {path:?} of {size} bytes");
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            match mkdirat(CWD, folder, Mode::from_raw_mode(0o755)) {
                Err(rustix::io::Errno::EXIST) => (),
                made => made.and_then(|()| own(folder)).attempt(what)?,
            }
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(CWD, path.as_str(), flags, Mode::from_raw_mode(0o755)).attempt(what)?;
        let end = offset + size;
        while offset < end {
            let count = usize::try_from(end - offset).unwrap_or(usize::MAX);
            let copied = rustix::fs::sendfile(&file, contents, Some(&mut offset), count).attempt(what)?;
            if copied == 0 {
                return Err(Failure { what: what(), errno: 0 });
            }
        }
        own(path).attempt(what)?;
    }
    Ok(())
}
