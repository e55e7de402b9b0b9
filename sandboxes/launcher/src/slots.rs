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

/// Places that were got together; dropping them gives them back.
#[derive(Debug)]
pub struct Places {
    slots: Arc<Slots>,
    cores: Vec<u32>,
    /// Empty once they were given back.
    numbers: Mutex<Vec<usize>>,
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
    pub fn acquire(self: &Arc<Self>, cancelled: impl Fn() -> bool) -> Option<Places> {
        self.wait_for(1, cancelled)
    }

    /// Waits for `count` places at once. Whoever asks later waits behind, also where fewer would do: many places
    /// are got some time, however busy those are who want one.
    pub fn take(self: &Arc<Self>, count: usize) -> Result<Places, Error> {
        if count == 0 || count > self.count() {
            return Err(Error::Invalid(format!(
                "count is {count}; between 1 and {} places can be taken at once",
                self.count()
            )));
        }
        self.wait_for(count, || false).ok_or(Error::Closed)
    }

    fn wait_for(self: &Arc<Self>, count: usize, cancelled: impl Fn() -> bool) -> Option<Places> {
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
            if queue.waiting.front() == Some(&ticket) && queue.free.len() >= count {
                queue.waiting.pop_front();
                let first = queue.free.len() - count;
                let numbers: Vec<usize> = queue.free.drain(first..).rev().collect();
                self.moved.notify_all();
                let cores = numbers.iter().map(|number| self.cores[*number]).collect();
                return Some(Places { slots: Arc::clone(self), cores, numbers: Mutex::new(numbers) });
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

impl Places {
    /// The core of each.
    #[must_use]
    pub fn cores(&self) -> &[u32] {
        &self.cores
    }

    /// Lets others have them. Again it does nothing.
    pub fn give_back(&self) {
        let numbers = std::mem::take(&mut *self.lock());
        if !numbers.is_empty() {
            self.slots.lock().free.extend(numbers.into_iter().rev());
            self.slots.moved.notify_all();
        }
    }

    /// Whether they were given back.
    #[must_use]
    pub fn are_given_back(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<usize>> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        self.give_back();
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
    fn one_who_wants_many_is_not_passed_by_those_who_want_one() {
        let slots = Slots::new(2).unwrap();
        let held = slots.take(1).unwrap();
        let (sender, receiver) = mpsc::channel();
        let ask = |name: &'static str, count: usize| {
            let (slots, sender) = (Arc::clone(&slots), sender.clone());
            let before = slots.waiting();
            let thread = thread::spawn({
                let slots = Arc::clone(&slots);
                move || {
                    let places = slots.take(count).unwrap();
                    sender.send((name, slots.busy())).unwrap();
                    drop(places);
                }
            });
            wait_until(|| slots.waiting() == before + 1);
            thread
        };
        // One place is free all the time, but it is the front's.
        let threads = [ask("both", 2), ask("one", 1)];
        assert!(receiver.try_recv().is_err());
        held.give_back();
        held.give_back();
        assert!(held.are_given_back());
        assert_eq!(receiver.recv().unwrap(), ("both", 2));
        assert_eq!(receiver.recv().unwrap().0, "one");
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!((slots.busy(), slots.waiting()), (0, 0));
    }

    #[test]
    fn no_more_places_can_be_taken_than_there_are() {
        let slots = Slots::new(2).unwrap();
        for count in [0, 3] {
            assert!(slots.take(count).unwrap_err().to_string().contains("between 1 and 2"));
        }
        assert_eq!(slots.take(2).unwrap().cores().len(), 2);
        assert_eq!((slots.busy(), slots.waiting()), (0, 0));
    }

    #[test]
    fn every_place_has_a_core_that_is_allowed() {
        let slots = Slots::new(64).unwrap();
        let allowed = sched_getaffinity(None).unwrap();
        for _ in 0..64 {
            let slot = slots.acquire(|| false).unwrap();
            assert!(allowed.is_set(slot.cores()[0] as usize));
            std::mem::forget(slot);
        }
        assert_eq!(slots.busy(), 64);
    }
}
