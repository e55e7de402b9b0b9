//! A program's output: drained while it runs, of which a bounded part is kept.

use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

use crate::error::{Doing, Error};

const PIPE_BYTES: usize = 256 << 10;
const CHUNK_BYTES: usize = 16 << 10;
/// Chunks read before the clocks are looked at again.
const CHUNKS_AT_ONCE: usize = 64;

/// A pipe whose reading end does not block.
pub fn pipe() -> Result<(OwnedFd, OwnedFd), Error> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).doing("make a pipe")?;
    fcntl_setfl(&reader, OFlags::NONBLOCK).doing("make a pipe")?;
    // A wish: users other than root have a quota of these.
    let _ = fcntl_setpipe_size(&reader, PIPE_BYTES);
    Ok((reader, writer))
}

/// A stream of a program's output, of which a part is kept.
pub struct Stream {
    reader: Option<OwnedFd>,
    kept: Vec<u8>,
    total_bytes: u64,
    limit_bytes: u64,
}

impl Stream {
    /// Reads from the end of a pipe that is not to block.
    #[must_use]
    pub fn new(reader: OwnedFd, limit_bytes: u64) -> Self {
        Self { reader: Some(reader), kept: Vec::new(), total_bytes: 0, limit_bytes }
    }

    /// Whether more came than may be kept.
    #[must_use]
    pub fn exceeded(&self) -> bool {
        self.total_bytes > self.limit_bytes
    }

    /// Reads what is there, up to a share.
    pub fn drain(&mut self) -> Result<(), Error> {
        let mut chunk = [0_u8; CHUNK_BYTES];
        for _ in 0..CHUNKS_AT_ONCE {
            let Some(reader) = &self.reader else { return Ok(()) };
            match rustix::io::retry_on_intr(|| rustix::io::read(reader, &mut chunk)) {
                Ok(0) => self.reader = None,
                Ok(length) => {
                    let room = self.limit_bytes.saturating_sub(self.total_bytes);
                    let keep = usize::try_from(room).unwrap_or(usize::MAX).min(length);
                    self.kept.extend_from_slice(&chunk[..keep]);
                    self.total_bytes += length as u64;
                }
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error).doing("read the output of a program"),
            }
        }
        Ok(())
    }

    /// Reads the rest, after the last process that could write has ended.
    pub fn finish(&mut self) -> Result<(), Error> {
        while self.reader.is_some() {
            let before = self.total_bytes;
            self.drain()?;
            if self.total_bytes == before {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Where it comes from, until that has ended.
    #[must_use]
    pub fn reader(&self) -> Option<&OwnedFd> {
        self.reader.as_ref()
    }

    /// Hands out what was kept.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.kept)
    }
}
