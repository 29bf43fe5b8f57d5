//! Operations that take several steps, and go on whenever messages are moved along: collective operations, and what is
//! made of several sends and receives.
//!
//! A thread that moves messages along lets every task do what it can, and completes the operations of those that have ended.

use super::counted::Counted;
use super::operation::{Action, Operation, Outcome, wake_threads};
use crate::error::Result;
use crate::runtime::wait::spin;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What such an operation does.
pub trait Task: Send {
    /// Does what can be done now without blocking; true when all is done. Begins no other task.
    fn advance(&mut self) -> bool;

    /// How it ended.
    fn end(&mut self) -> Outcome;

    /// Lets go of what has not ended: the operation was given up because a process died. Nothing touches its buffers after this.
    fn abandon(&mut self) {}

    /// The program does nothing else until it has ended.
    fn set_awaited(&mut self) {}

    /// The operation that is cancelled where this one is meant, if there is one.
    fn inner(&self) -> Option<&Counted<Operation>> {
        None
    }
}

/// A task on its way, and the operation that it ends.
struct Begun {
    operation: Counted<Operation>,
    task: Box<dyn Task>,
}

static TASKS: Mutex<Vec<Begun>> = Mutex::new(Vec::new());
static HOW_MANY: AtomicUsize = AtomicUsize::new(0);
/// How many of them wait for an operation that may be another's.
static FOLLOWING: AtomicUsize = AtomicUsize::new(0);

/// Lets `task` go on until it ends `operation`.
pub fn begin(operation: Counted<Operation>, task: impl Task + 'static) {
    let task = Box::new(task);
    let following = task.inner().is_some();
    TASKS.lock().push(Begun { operation, task });
    FOLLOWING.fetch_add(following.into(), Ordering::SeqCst);
    HOW_MANY.fetch_add(1, Ordering::SeqCst);
}

/// Whether some have not ended.
pub fn are_begun() -> bool {
    HOW_MANY.load(Ordering::Relaxed) != 0
}

/// Moves messages, and the tasks that were begun, along. True if something moved, or if another thread is at it.
pub fn progress() -> bool {
    look(1)
}

/// The same, after up to so many looks for messages.
#[inline]
pub fn look(times: u32) -> bool {
    let mut moved = super::look(times);
    while are_begun() {
        let Some(mut tasks) = TASKS.try_lock() else {
            return true;
        };
        // One that a wait has given up goes no further.
        let over = |begun: &mut Begun| begun.operation.is_done() || begun.task.advance();
        let over: Vec<_> = tasks.extract_if(.., over).collect();
        drop(tasks);
        if over.is_empty() {
            break;
        }
        end(over);
        moved = true;
        if FOLLOWING.load(Ordering::Relaxed) == 0 {
            break;
        }
    }
    moved
}

/// These are no longer among the tasks.
fn forget(over: &[Begun]) {
    let following = over.iter().filter(|begun| begun.task.inner().is_some());
    FOLLOWING.fetch_sub(following.count(), Ordering::SeqCst);
    HOW_MANY.fetch_sub(over.len(), Ordering::SeqCst);
}

/// Completes the operations of tasks that have ended.
fn end(over: Vec<Begun>) {
    forget(&over);
    for Begun {
        operation,
        mut task,
    } in over
    {
        if operation.is_done() {
            task.abandon();
        } else {
            let Outcome { status, error, .. } = task.end();
            operation.complete(status, error);
        }
    }
    wake_threads();
}

/// Of so many tasks it is said that they are waited for, at most: each is looked for among all.
const TOLD: usize = 16;

/// Says to those that receive something of these operations that this process does nothing else until all of them have ended.
pub fn set_awaited<'a>(operations: impl Iterator<Item = &'a Operation>) {
    if spin() == 0 {
        return;
    }
    let mut told = 0;
    for operation in operations {
        match operation.about.action {
            Action::Send => super::set_awaited(operation),
            Action::Receive => {}
            Action::Collective(_) | Action::Steps(_) if told == TOLD => {}
            Action::Collective(_) | Action::Steps(_) => {
                told += 1;
                let Some(mut tasks) = TASKS.try_lock() else {
                    return;
                };
                let mut begun = tasks.iter_mut();
                if let Some(it) = begun.find(|it| std::ptr::eq(&*it.operation, operation)) {
                    it.task.set_awaited();
                }
            }
        }
    }
}

/// Cancels an operation, as [`super::cancel`] does; in place of a task's, that which the task waits for.
pub fn cancel(operation: &Operation) -> Result<()> {
    let tasks = TASKS.lock();
    let begun = tasks
        .iter()
        .find(|begun| std::ptr::eq(&*begun.operation, operation));
    let inner = begun.and_then(|begun| begun.task.inner().cloned());
    drop(tasks);
    super::cancel(inner.as_deref().unwrap_or(operation))
}

/// Gives an operation up that has not ended, because a process died or its communicator was revoked: as [`super::withdraw`], and of what is a task's
/// all that the task has begun.
pub fn withdraw(operation: &Operation) {
    match operation.about.action {
        Action::Send | Action::Receive => super::withdraw(operation),
        Action::Collective(_) | Action::Steps(_) => {
            let mut tasks = TASKS.lock();
            let mut begun = tasks.iter();
            let place = begun.position(|it| std::ptr::eq(&*it.operation, operation));
            let begun = place.map(|place| tasks.remove(place));
            drop(tasks);
            if let Some(mut begun) = begun {
                forget(std::slice::from_ref(&begun));
                begun.task.abandon();
            }
        }
    }
}

/// Gives up those operations that have not ended.
pub fn withdraw_all(operations: &[Counted<Operation>]) {
    for operation in operations {
        if !operation.is_done() {
            super::withdraw(operation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::operation::{About, Partners};
    use super::*;
    use crate::mpi::constants::MPI_COMM_WORLD;
    use std::sync::Arc;

    #[derive(Default)]
    struct Seen {
        advanced: AtomicUsize,
        abandoned: AtomicUsize,
    }

    struct Endless(Arc<Seen>, Option<Counted<Operation>>);

    impl Task for Endless {
        fn advance(&mut self) -> bool {
            self.0.advanced.fetch_add(1, Ordering::Relaxed);
            false
        }

        fn end(&mut self) -> Outcome {
            Outcome::NOTHING
        }

        fn abandon(&mut self) {
            self.0.abandoned.fetch_add(1, Ordering::Relaxed);
            if let Some(inner) = &self.1 {
                withdraw(inner);
            }
        }
    }

    fn operation() -> Counted<Operation> {
        Operation::new(About {
            action: Action::Collective("MPI_Ibarrier"),
            context: 0,
            peer: 0,
            tag: 0,
            partners: Partners::One(0),
            comm: MPI_COMM_WORLD,
        })
    }

    /// What is given up lets go at once, with what it has begun itself, and goes no further; others go on.
    #[test]
    fn who_is_given_up_goes_no_further() {
        let (seen, operations) = (
            [(); 3].map(|()| Arc::<Seen>::default()),
            [(); 3].map(|()| operation()),
        );
        let [inner, outer, other] = &operations;
        let with = [None, Some(inner.clone()), None];
        for ((operation, seen), with) in operations.iter().zip(&seen).zip(with) {
            begin(operation.clone(), Endless(seen.clone(), with));
        }
        look(0);
        withdraw(outer);
        let abandoned = || [0, 1, 2].map(|i: usize| seen[i].abandoned.load(Ordering::Relaxed));
        assert_eq!(abandoned(), [1, 1, 0]);
        look(0);
        withdraw(outer);
        let advanced = [0, 1, 2].map(|i: usize| seen[i].advanced.load(Ordering::Relaxed));
        assert_eq!((advanced, abandoned()), ([1, 1, 2], [1, 1, 0]));
        withdraw(other);
        assert!(!are_begun());
    }
}
