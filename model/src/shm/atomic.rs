//! loom's atomics behind the library's façade.

use super::futex::Queue;
use loom::sync::atomic as loomed;
pub use loom::sync::atomic::{Ordering, fence};

pub fn full_fence() {
    fence(Ordering::SeqCst);
}

/// Both halves of an asymmetric fence are full ones here: against each other that is what they are worth.
pub fn light_fence() {
    full_fence();
}

/// What a locked instruction does besides.
fn locked(order: Ordering) {
    if order == Ordering::SeqCst {
        full_fence();
    }
}

macro_rules! atomic {
    ($name:ident, $int:ty, $more:ident: $below:ty) => {
        #[derive(Default)]
        pub struct $name {
            value: loomed::$name,
            pub(super) $more: $below,
        }

        impl $name {
            pub fn new(value: $int) -> $name {
                $name {
                    value: loomed::$name::new(value),
                    $more: Default::default(),
                }
            }

            pub fn load(&self, order: Ordering) -> $int {
                self.value.load(order)
            }

            pub fn store(&self, value: $int, order: Ordering) {
                self.value.store(value, order);
                locked(order);
            }

            atomic!($int, swap fetch_add fetch_sub fetch_and fetch_or);

            pub fn compare_exchange(
                &self,
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                let result = self.value.compare_exchange(current, new, success, failure);
                locked(success);
                result
            }

            pub fn fetch_update(
                &self,
                success: Ordering,
                failure: Ordering,
                update: impl FnMut($int) -> Option<$int>,
            ) -> Result<$int, $int> {
                let result = self.value.fetch_update(success, failure, update);
                if result.is_ok() {
                    locked(success);
                }
                result
            }
        }
    };
    ($int:ty, $($operation:ident)*) => {
        $(pub fn $operation(&self, operand: $int, order: Ordering) -> $int {
            let before = self.value.$operation(operand, order);
            locked(order);
            before
        })*
    };
}

// Words of this size can be slept on.
atomic!(AtomicU8, u8, _nothing: ());
atomic!(AtomicU32, u32, queue: Queue);
atomic!(AtomicU64, u64, _nothing: ());
