//! What is asked of a run while it goes on, on its way to the thread that watches it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use rustix::event::{EventfdFlags, eventfd};

use crate::error::{Doing, Error};

/// What may be asked of a run.
#[derive(Debug)]
pub enum Request {
    /// To end.
    Kill,
    /// To stand still.
    Freeze(mpsc::Sender<Result<(), Error>>),
    /// To go on, on these cores.
    Thaw(Vec<u32>, mpsc::Sender<Result<(), Error>>),
}

/// Requests on their way to a watch, which may sleep.
#[derive(Debug)]
pub struct Inbox {
    /// `None` once nobody reads them any more.
    requests: Mutex<Option<Vec<Request>>>,
    wake: OwnedFd,
}

impl Inbox {
    /// An empty one.
    pub fn new() -> Result<Arc<Self>, Error> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).doing("make an event")?;
        Ok(Arc::new(Self { requests: Mutex::new(Some(Vec::new())), wake }))
    }

    /// Leaves a request. Once the run is over, it is dropped, and with it whatever waits for its answer is told.
    pub fn ask(&self, request: Request) {
        if let Some(requests) = &mut *self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            requests.push(request);
            let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
        }
    }

    /// Takes what was left there.
    #[must_use]
    pub fn take(&self) -> Vec<Request> {
        let _ = rustix::io::read(&self.wake, &mut [0_u8; 8]);
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes no more requests, and drops those that are there.
    pub fn close(&self) {
        *self.requests.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl AsFd for Inbox {
    /// Readable when there may be a request.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::run::is_readable_within;

    #[test]
    fn requests_wake_and_are_taken_once() {
        let inbox = Inbox::new().unwrap();
        assert!(!is_readable_within(inbox.as_fd(), Duration::ZERO));
        inbox.ask(Request::Kill);
        inbox.ask(Request::Kill);
        assert!(is_readable_within(inbox.as_fd(), Duration::ZERO));
        assert_eq!(inbox.take().len(), 2);
        assert!(!is_readable_within(inbox.as_fd(), Duration::ZERO));
        assert!(inbox.take().is_empty());
    }

    #[test]
    fn who_waits_for_an_answer_is_told_that_none_will_come() {
        let inbox = Inbox::new().unwrap();
        let (before, answer_before) = mpsc::channel();
        inbox.ask(Request::Freeze(before));
        inbox.close();
        let (after, answer_after) = mpsc::channel();
        inbox.ask(Request::Freeze(after));
        assert!(answer_before.recv().is_err());
        assert!(answer_after.recv().is_err());
    }
}
