//! The places in which programs run at once, given in the order of asking.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::thread::{CpuSet, sched_getaffinity};

use crate::error::{Doing, Error};

/// The places of a server. Each is bound to one core.
#[derive(Debug)]
pub struct Slots {
    cores: Vec<u32>,
    queue: Mutex<Queue>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    free: Vec<usize>,
    /// Tickets of those who wait, in the order of asking.
    waiting: VecDeque<u64>,
    next_ticket: u64,
}

/// A place that was got; dropping it gives it back.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<Slots>,
    number: usize,
}

impl Slots {
    /// As many places on the cores that this process may use, in turn.
    pub fn new(count: usize) -> Result<Arc<Self>, Error> {
        if count == 0 {
            return Err(Error::Invalid("count of slots must be more than 0".to_owned()));
        }
        let allowed = sched_getaffinity(None).doing("ask which cores this process may use")?;
        let allowed: Vec<u32> = (0..CpuSet::MAX_CPU)
            .filter(|core| allowed.is_set(*core))
            .filter_map(|core| u32::try_from(core).ok())
            .collect();
        let cores = allowed.iter().copied().cycle().take(count).collect();
        let queue = Queue { free: (0..count).rev().collect(), ..Queue::default() };
        Ok(Arc::new(Self { cores, queue: Mutex::new(queue), moved: Condvar::new() }))
    }

    /// Waits for a place; `None` as soon as `cancelled` says so (see [`Slots::wake`]).
    pub fn acquire(self: &Arc<Self>, cancelled: impl Fn() -> bool) -> Option<Slot> {
        let mut queue = self.lock();
        let ticket = queue.next_ticket;
        queue.next_ticket += 1;
        queue.waiting.push_back(ticket);
        loop {
            if cancelled() {
                queue.waiting.retain(|waiting| *waiting != ticket);
                // Whoever is first now may have been waiting for this one to go.
                self.moved.notify_all();
                return None;
            }
            if queue.waiting.front() == Some(&ticket)
                && let Some(number) = queue.free.pop()
            {
                queue.waiting.pop_front();
                self.moved.notify_all();
                return Some(Slot { slots: Arc::clone(self), number });
            }
            queue = self.moved.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes all that wait ask again whether they are cancelled.
    pub fn wake(&self) {
        // With the lock, so that nobody is between asking and going to sleep.
        drop(self.lock());
        self.moved.notify_all();
    }

    /// All places.
    #[must_use]
    pub fn count(&self) -> usize {
        self.cores.len()
    }

    /// Places in use.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.cores.len() - self.lock().free.len()
    }

    /// Those who wait for a place.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// The core of the place.
    #[must_use]
    pub fn core(&self) -> u32 {
        self.slots.cores[self.number]
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.lock().free.push(self.number);
        self.slots.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    fn wait_until(condition: impl Fn() -> bool) {
        while !condition() {
            thread::yield_now();
        }
    }

    #[test]
    fn places_are_given_in_the_order_of_asking() {
        let slots = Slots::new(1).unwrap();
        let held = slots.acquire(|| false).unwrap();
        let (sender, receiver) = mpsc::channel();
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let (slots, sender) = (Arc::clone(&slots), sender.clone());
                let before = slots.waiting();
                let thread = thread::spawn({
                    let slots = Arc::clone(&slots);
                    move || {
                        let slot = slots.acquire(|| false).unwrap();
                        sender.send(number).unwrap();
                        drop(slot);
                    }
                });
                wait_until(|| slots.waiting() > before);
                thread
            })
            .collect();
        drop(held);
        assert_eq!(receiver.iter().take(8).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!((slots.busy(), slots.waiting()), (0, 0));
    }

    #[test]
    fn one_who_gives_up_does_not_hold_up_the_next() {
        let slots = Slots::new(1).unwrap();
        let held = slots.acquire(|| false).unwrap();
        let cancelled = Arc::new(AtomicBool::new(false));
        let first = thread::spawn({
            let (slots, cancelled) = (Arc::clone(&slots), Arc::clone(&cancelled));
            move || slots.acquire(|| cancelled.load(Ordering::SeqCst)).is_none()
        });
        wait_until(|| slots.waiting() == 1);
        let second = thread::spawn({
            let slots = Arc::clone(&slots);
            move || slots.acquire(|| false).is_some()
        });
        wait_until(|| slots.waiting() == 2);
        cancelled.store(true, Ordering::SeqCst);
        slots.wake();
        assert!(first.join().unwrap());
        drop(held);
        assert!(second.join().unwrap());
    }

    #[test]
    fn every_place_has_a_core_that_is_allowed() {
        let slots = Slots::new(64).unwrap();
        let allowed = sched_getaffinity(None).unwrap();
        for _ in 0..64 {
            let slot = slots.acquire(|| false).unwrap();
            assert!(allowed.is_set(slot.core() as usize));
            std::mem::forget(slot);
        }
        assert_eq!(slots.busy(), 64);
    }
}
