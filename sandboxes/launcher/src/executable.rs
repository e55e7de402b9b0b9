//! Files that will be executed, written so that executing them at once never fails with ETXTBSY.

use std::os::fd::AsFd;
use std::path::Path;

use crate::error::{Doing, Error};
use crate::memfd;
use crate::protocol::{Done, Order};
use crate::spawn::Supervisor;

/// Writes, syncs and renames an executable.
///
/// The server never has it open for writing, so no child that any of its threads forks in the meantime can
/// inherit such a descriptor and make the file busy: a process that forks nothing writes it.
pub fn write_executable(path: &str, content: &[u8]) -> Result<(), Error> {
    let absolute = std::path::absolute(Path::new(path)).doing("make the path of an executable absolute")?;
    let path = absolute
        .to_str()
        .ok_or_else(|| Error::Invalid(format!("the path {} is not UTF-8", absolute.display())))?;
    let content = memfd::read_only(&[content]).doing("hold an executable in memory")?;
    let order = Order::WriteExecutable { path: path.to_owned() };
    let supervisor = Supervisor::start(&order, &[content.as_fd()])?;
    let (done, _) = supervisor.answer::<Done>()?;
    Ok(done?)
}
