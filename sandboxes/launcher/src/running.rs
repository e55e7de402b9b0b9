//! A run that was started: its handle, and the thread that watches it.

use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::thread;

use crate::error::{Doing, Error};
use crate::inbox::{Inbox, Request};
use crate::run::Record;
use crate::sandbox::Sandbox;
use crate::watch::Watch;

type Outcome = Result<Arc<Record>, Error>;

/// A started run. Dropping the last handle of it kills it.
#[derive(Debug)]
pub struct Run {
    inbox: Arc<Inbox>,
    end: Arc<End>,
}

#[derive(Debug, Default)]
struct End {
    outcome: Mutex<Option<Outcome>>,
    came: Condvar,
}

impl End {
    fn set(&self, outcome: Outcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.came.notify_all();
    }
}

impl Run {
    /// Watches a run in a thread of its own, unless it has `ended` already.
    pub(crate) fn new(
        sandbox: &Arc<Sandbox>,
        watch: Watch,
        inbox: Arc<Inbox>,
        ended: Option<Record>,
    ) -> Result<Self, Error> {
        let end = Arc::new(End::default());
        let run = Self { inbox: Arc::clone(&inbox), end: Arc::clone(&end) };
        let started = {
            let sandbox = Arc::clone(sandbox);
            thread::Builder::new()
                .name("sandbox-watch".to_owned())
                .spawn(move || see_to_the_end(&sandbox, watch, &inbox, ended, &end))
        };
        match started.doing("start the thread that watches a run") {
            Ok(_) => Ok(run),
            // The watch is gone, and its keeper with it, which killed the run.
            Err(error) => sandbox.count_end(Err(error)),
        }
    }

    /// Waits until every process of it is gone.
    pub fn wait(&self) -> Outcome {
        let mut outcome = self.end.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(outcome) = &*outcome {
                return outcome.clone();
            }
            outcome = self.end.came.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Has it killed; [`Run::wait`] tells when it is gone.
    pub fn kill(&self) {
        self.inbox.ask(Request::Kill);
    }

    /// Stops all its processes; returns when they stand still.
    pub fn freeze(&self) -> Result<(), Error> {
        self.ask(Request::Freeze)
    }

    /// Binds every thread to `cores` and lets all go on.
    pub fn thaw(&self, cores: &[u32]) -> Result<(), Error> {
        self.ask(|answer| Request::Thaw(cores.to_vec(), answer))
    }

    fn ask(&self, request: impl FnOnce(mpsc::Sender<Result<(), Error>>) -> Request) -> Result<(), Error> {
        let (sender, answer) = mpsc::channel();
        self.inbox.ask(request(sender));
        // The sender is dropped when the run ends.
        answer.recv().unwrap_or_else(|_| {
            // A run of a sandbox that was closed says so.
            self.wait()?;
            Err(Error::Service("the run has ended: it can be waited for, and no more".to_owned()))
        })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.kill();
    }
}

fn see_to_the_end(sandbox: &Arc<Sandbox>, mut watch: Watch, inbox: &Inbox, ended: Option<Record>, end: &End) {
    let outcome = match ended {
        Some(record) => Ok(record),
        None => watch.until_the_end(),
    };
    inbox.close();
    let keeper = watch.into_keeper();
    if outcome.is_ok() {
        sandbox.give_back(keeper);
    } else {
        drop(keeper);
    }
    let outcome = sandbox.count_end(outcome);
    end.set(outcome.map(Arc::new));
}
