//! The access epoch of a window after a fence that no operation followed: threads of one process that open epochs at the same
//! time end that fence, and nothing else.

use rmashm_model::actor::{act, explore};
use rmashm_model::block::access::{Access, AccessWord};

fn after_a_fence() -> AccessWord {
    let state = AccessWord::new(Box::leak(Box::default()));
    state.set(Access::FenceIdle);
    state
}

/// One thread exposes (`Window::post`), the other accesses (`Window::start`, an operation, `Window::complete`).
#[test]
fn post_against_start() {
    explore("access, post against start", 4, || {
        act(after_a_fence(), 2, |state, me| match me {
            0 => state.end_idle_fence(),
            _ => {
                assert!(state.open(Access::Start));
                assert!(!state.use_fence(), "an operation on what was not started");
                assert!(state.close(Access::Start), "the epoch is lost");
                assert!(state.open(Access::Start) && state.close(Access::Start));
            }
        });
    });
}

/// One thread exposes, two lock targets (`Window::hold`).
#[test]
fn post_against_locks() {
    explore("access, post against 2 locks", 4, || {
        act(after_a_fence(), 3, |state, _| {
            state.end_idle_fence();
            assert!(state.is(Access::None));
        });
    });
}

/// Two threads make the first operation after the fence.
#[test]
fn first_operations() {
    explore("access, 2 first operations", 4, || {
        act(after_a_fence(), 2, |state, _| {
            assert!(state.use_fence());
            state.end_idle_fence();
            assert!(state.is(Access::Fence));
        });
    });
}
