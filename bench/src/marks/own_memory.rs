//! Windows over the program's own memory: what we want of them beside windows that allocate theirs, and against peers.

use super::{Bound, Mark, Own, mark, own};

const FAMILY: &str = "own_memory";

/// For each operation, at a size or at all others, the mark against the best peer.
macro_rules! against_peers {
    ($($operation:literal $x:expr, $peer:literal;)*) => {
        &[$(
            mark(FAMILY, concat!($operation, "_create"), $x, None, Some($peer), None),
            mark(FAMILY, concat!($operation, "_dynamic"), $x, None, Some($peer), None),
        )*]
    };
}

/// Memory that stays private: peers have the target do it, too.
#[rustfmt::skip]
pub const REFUSED: &[Mark] = &[
    mark(FAMILY, "put_to_vector_refused", None, None, Some(0.9), None),
    mark(FAMILY, "get_from_vector_refused", None, None, Some(1.5), None),
    mark(FAMILY, "put_refused", Some(8), None, Some(2.0), None),
    mark(FAMILY, "get_refused", Some(8), None, Some(2.0), None),
    mark(FAMILY, "fetch_and_op_refused", None, None, Some(4.0), None),
];

#[rustfmt::skip]
pub const MARKS: &[Mark] = against_peers!(
    "put" Some(8), 0.1;
    "get" Some(8), 0.1;
    "put" None, 0.9;
    "get" None, 0.9;
    "fetch_and_op" None, 0.1;
    "compare_and_swap" None, 0.1;
    "put_rate" None, 0.9;
    "accumulate" None, 0.9;
    "get_accumulate" None, 0.9;
    "put_to_vector" None, 0.9;
    "get_from_vector" None, 0.9;
    "lock_put_unlock" None, 0.9;
    "fence_put" None, 0.9;
    "pscw_put" None, 0.9;
    "create_free" None, 0.3;
    "create_put_free" None, 0.9;
    "first" None, 0.9;
    // Rates.
    "contended_fetch_and_op" None, 1.1;
    "contended_increment" None, 1.1;
);

/// For each operation the bound of its quotient by the same on memory that the window allocated.
macro_rules! against_allocated {
    ($($operation:literal $bound:expr;)*) => {
        &[$(
            own(FAMILY, concat!($operation, "_create"), None, None, Some((concat!($operation, "_allocate"), None, None)), $bound),
            own(FAMILY, concat!($operation, "_dynamic"), None, None, Some((concat!($operation, "_allocate"), None, None)), $bound),
        )*]
    };
}

#[rustfmt::skip]
pub const OWN: &[Own] = against_allocated!(
    "put" Bound::Most(1.3);
    "get" Bound::Most(1.3);
    "put_rate" Bound::Most(1.3);
    "fetch_and_op" Bound::Most(1.3);
    "compare_and_swap" Bound::Most(1.3);
    "accumulate" Bound::Most(1.3);
    "get_accumulate" Bound::Most(1.3);
    "put_to_vector" Bound::Most(1.3);
    "get_from_vector" Bound::Most(1.3);
    "lock_put_unlock" Bound::Most(1.3);
    "fence_put" Bound::Most(1.3);
    "pscw_put" Bound::Most(1.3);
    "create_free" Bound::Most(1.3);
    "create_put_free" Bound::Most(1.3);
    "contended_fetch_and_op" Bound::Least(0.75);
    "contended_increment" Bound::Least(0.75);
);
