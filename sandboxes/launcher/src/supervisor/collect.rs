//! Files that a program left, opened so that nothing can be reached through them.

use std::os::fd::OwnedFd;

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
use rustix::io::Errno;

/// Opens a regular file below the working folder; `None` if there is none, or the reason to refuse it.
pub fn open(path: &str, size_limit_bytes: u64) -> Result<Option<OwnedFd>, String> {
    // Not waiting for the other end of a FIFO, following no link, staying below and on this file system.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    let file = match openat2(CWD, path, flags, Mode::empty(), resolve) {
        Ok(file) => file,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(Errno::LOOP) => return Err("symlink".to_owned()),
        Err(Errno::NXIO) => return Err("not regular".to_owned()),
        Err(error) => return Err(format!("cannot be opened: {error}")),
    };
    let status = fstat(&file).map_err(|error| format!("cannot be looked at: {error}"))?;
    if !FileType::from_raw_mode(status.st_mode).is_file() {
        return Err("not regular".to_owned());
    }
    if status.st_nlink != 1 {
        return Err("hard link".to_owned());
    }
    if u64::try_from(status.st_size).is_ok_and(|size| size <= size_limit_bytes) {
        Ok(Some(file))
    } else {
        Err(format!("too large: {} bytes, at most {size_limit_bytes} are taken", status.st_size))
    }
}
