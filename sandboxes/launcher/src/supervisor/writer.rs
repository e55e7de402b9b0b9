//! Writes a file that will be executed, in a process that forks nothing.
//!
//! A file cannot be executed while any process has it open for writing (ETXTBSY), and a descriptor in a server
//! with threads is inherited by whatever another thread forks just then. Here there is nobody to inherit it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::protocol::{Attempt, Done};

pub fn write(path: &str, descriptors: Vec<OwnedFd>) -> Done {
    let target = Path::new(path);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = target.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let result = (|| -> io::Result<()> {
        let content = descriptors.into_iter().next().ok_or(io::ErrorKind::InvalidInput)?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o755).open(&temporary)?;
        io::copy(&mut File::from(content), &mut file)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, target)
    })();
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result.attempt(|| format!("cannot write the executable {path}"))
}
