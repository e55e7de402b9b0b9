//! Bytes as a descriptor that nobody can change: how input reaches a program without a pipe to keep filled.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, fstat, memfd_create, open};
use rustix::io::pread;

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

/// An empty one to which others append.
pub fn writable() -> io::Result<OwnedFd> {
    let file = memfd_create("said", MemfdFlags::CLOEXEC)?;
    // With a description of its own for this process, which reads at places of its own choice.
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(open(path, OFlags::RDWR | OFlags::APPEND | OFlags::CLOEXEC, Mode::empty())?)
}

/// The last bytes of a file.
pub fn tail(file: &OwnedFd, length: usize) -> io::Result<Vec<u8>> {
    let size = u64::try_from(fstat(file)?.st_size).unwrap_or(0);
    let mut bytes = vec![0; length];
    let read = pread(file, &mut bytes, size.saturating_sub(length as u64))?;
    bytes.truncate(read);
    Ok(bytes)
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

    #[test]
    fn the_end_of_what_was_written_is_kept() {
        let file = writable().unwrap();
        assert_eq!(tail(&file, 4).unwrap(), b"");
        for part in [b"one ", b"two "] {
            rustix::io::write(&file, part).unwrap();
        }
        assert_eq!(tail(&file, 100).unwrap(), b"one two ");
        assert_eq!(tail(&file, 4).unwrap(), b"two ");
    }
}
