//! Bytes as a descriptor that nobody can change: how input reaches a program without a pipe to keep filled.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, memfd_create, open};

const SEALS: SealFlags =
    SealFlags::SEAL.union(SealFlags::SHRINK).union(SealFlags::GROW).union(SealFlags::WRITE);

/// A sealed memfd that may be executed.
pub fn executable(content: &[u8]) -> io::Result<OwnedFd> {
    // Kernels since 6.3 want to be told that it will be executed; those before do not know the flag.
    let with = |flags| memfd_create("supervisor", flags | MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING);
    let file = with(MemfdFlags::EXEC).or_else(|_| with(MemfdFlags::empty()))?;
    fill(file, &[content])
}

/// A read-only descriptor, with an offset of its own, of the parts one after the other.
pub fn read_only(parts: &[&[u8]]) -> io::Result<OwnedFd> {
    let file = memfd_create("input", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let file = fill(file, parts)?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

fn fill(file: OwnedFd, parts: &[&[u8]]) -> io::Result<OwnedFd> {
    let mut file = File::from(file);
    for part in parts {
        file.write_all(part)?;
    }
    fcntl_add_seals(&file, SEALS)?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn it_reads_from_the_start_and_cannot_be_written() {
        let descriptor = read_only(&[b"one ", b"two"]).unwrap();
        assert!(rustix::io::write(&descriptor, b"x").is_err());
        let writable = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
        assert!(std::fs::write(writable, "x").is_err());
        let mut content = String::new();
        File::from(descriptor).read_to_string(&mut content).unwrap();
        assert_eq!(content, "one two");
    }
}
