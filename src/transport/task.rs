//! Operations that take several steps, and go on whenever messages are moved along: collective operations, and what is
//! made of several sends and receives.
//!
//! A thread that moves messages along lets every task do what it can, and completes the operations of those that have ended.

use super::operation::{Operation, Outcome, wake_threads};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What such an operation does.
pub trait Task: Send {
    /// Does what can be done now without blocking; true when all is done. Begins no other task.
    fn advance(&mut self) -> bool;

    /// How it ended.
    fn end(&mut self) -> Outcome;

    /// Lets go of what has not ended: the operation was given up because a process died.
    fn abandon(&mut self) {}
}

/// A task on its way, and the operation that it ends.
struct Begun {
    operation: Arc<Operation>,
    task: Box<dyn Task>,
}

static TASKS: Mutex<Vec<Begun>> = Mutex::new(Vec::new());
static HOW_MANY: AtomicUsize = AtomicUsize::new(0);

/// Lets `task` go on until it ends `operation`.
pub fn begin(operation: Arc<Operation>, task: impl Task + 'static) {
    let task = Box::new(task);
    TASKS.lock().push(Begun { operation, task });
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
    let moved = super::look(times);
    if !are_begun() {
        return moved;
    }
    let Some(mut tasks) = TASKS.try_lock() else {
        return true;
    };
    // One that a wait has given up goes no further.
    let over = |begun: &mut Begun| begun.operation.is_done() || begun.task.advance();
    let over: Vec<_> = tasks.extract_if(.., over).collect();
    drop(tasks);
    if over.is_empty() {
        return moved;
    }
    HOW_MANY.fetch_sub(over.len(), Ordering::SeqCst);
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
    true
}

/// Gives up those operations that have not ended.
pub fn withdraw_all(operations: &[Arc<Operation>]) {
    for operation in operations {
        if !operation.is_done() {
            super::withdraw(operation);
        }
    }
}
