//! What we want to reach: ratios to the best peer and to the bare machine.

mod own_memory;

use crate::results::Key;

/// A mark for the results that it names.
pub struct Mark {
    family: &'static str,
    /// The beginning of the case's name.
    case: &'static str,
    x: Option<i64>,
    ranks: Option<usize>,
    pub peer: Option<f64>,
    pub limit: Option<f64>,
}

const fn mark(
    family: &'static str,
    case: &'static str,
    x: Option<i64>,
    ranks: Option<usize>,
    peer: Option<f64>,
    limit: Option<f64>,
) -> Mark {
    Mark {
        family,
        case,
        x,
        ranks,
        peer,
        limit,
    }
}

/// For times the most, for rates the least. The first that fits counts.
#[rustfmt::skip]
const MARKS: &[Mark] = &[
    mark("latency", "put_shared", Some(8), None, Some(0.5), Some(1.5)),
    mark("latency", "get_shared", Some(8), None, Some(0.5), Some(1.5)),
    mark("latency", "put_allocate", Some(8), None, Some(0.5), Some(1.5)),
    mark("latency", "get_allocate", Some(8), None, Some(0.5), Some(1.5)),
    mark("latency", "rput_allocate", Some(8), None, Some(0.7), None),
    mark("latency", "rget_allocate", Some(8), None, Some(0.7), None),
    mark("latency", "put_shared", Some(4096), None, Some(0.9), None),
    mark("latency", "get_shared", Some(4096), None, Some(0.9), None),
    mark("latency", "put_shared", Some(32768), None, Some(1.0), Some(1.1)),
    mark("latency", "put_shared", Some(4 << 20), None, Some(1.0), Some(1.1)),
    mark("latency", "put_create_alloc_mem", Some(8), None, Some(0.03), Some(1.5)),
    mark("latency", "get_create_alloc_mem", Some(8), None, Some(0.03), Some(1.5)),
    mark("latency", "put_dynamic", Some(8), None, Some(0.03), Some(1.5)),
    mark("latency", "get_dynamic", Some(8), None, Some(0.03), Some(1.5)),
    // Where the target helps, peers need no call of the kernel; where it computes, see `progress`.
    mark("latency", "put_create_malloc", Some(8), None, None, Some(1.1)),
    mark("latency", "get_create_malloc", Some(8), None, None, Some(1.1)),
    mark("rate", "put", None, None, Some(0.35), None),
    mark("rate", "flush", None, None, Some(0.8), Some(1.0)),
    mark("rate", "sync", None, None, Some(1.2), Some(1.0)),
    mark("types", "put_vector_to_vector", None, None, Some(0.8), Some(1.15)),
    mark("types", "get_vector_to_vector", None, None, Some(0.8), Some(1.15)),
    mark("types", "", None, None, Some(0.85), Some(1.15)),
    mark("accumulate", "accumulate_double", Some(1), None, Some(0.5), None),
    mark("accumulate", "accumulate_double", Some(512), None, Some(0.8), None),
    mark("accumulate", "accumulate_double", Some(65536), None, Some(1.0), Some(1.2)),
    mark("accumulate", "get_accumulate_double", Some(65536), None, Some(0.8), None),
    mark("atomics", "fetch_and_op", None, None, Some(0.45), Some(2.0)),
    mark("atomics", "compare_and_swap", None, None, Some(0.35), Some(2.0)),
    mark("contended", "fetch_and_op_throughput", None, None, Some(3.0), Some(0.5)),
    mark("contended", "exclusive_throughput", None, Some(2), Some(1.0), Some(0.35)),
    mark("contended", "exclusive_throughput", None, Some(8), Some(6.0), Some(0.35)),
    mark("contended", "shared_throughput", None, Some(8), Some(6.0), Some(0.35)),
    mark("locks", "lock_all", None, Some(2), Some(0.25), None),
    mark("locks", "lock_", None, Some(2), Some(0.4), Some(2.0)),
    mark("epochs", "fence", None, Some(2), Some(0.85), Some(1.4)),
    mark("epochs", "barrier", None, Some(2), Some(0.85), Some(1.4)),
    mark("epochs", "pscw_ring", None, Some(2), Some(0.7), None),
    mark("epochs", "barrier", None, Some(8), Some(1.0), Some(1.5)),
    mark("epochs", "fence", None, Some(8), Some(1.0), Some(1.5)),
    mark("epochs", "barrier", None, Some(32), Some(0.5), Some(1.5)),
    mark("epochs", "fence", None, Some(32), Some(0.5), Some(1.5)),
    mark("windows", "shared", None, None, Some(0.12), None),
    mark("windows", "create", None, None, Some(0.5), None),
    mark("windows", "dynamic", None, None, Some(0.5), None),
    // On memory of windows that they made themselves, not all peers wait for the target.
    mark("progress", "busy_put_64k_shared", None, None, Some(1.0), None),
    mark("progress", "busy_put_64k_allocate", None, None, Some(1.0), None),
    mark("progress", "busy_put_shared", None, None, Some(1.0), None),
    mark("progress", "busy_put_allocate", None, None, Some(1.0), None),
    mark("progress", "busy_get_shared", None, None, Some(1.0), None),
    mark("progress", "busy_get_allocate", None, None, Some(1.0), None),
    mark("progress", "busy_accumulate_shared", None, None, Some(1.0), None),
    mark("progress", "busy_accumulate_allocate", None, None, Some(1.0), None),
    mark("progress", "busy_fetch_and_op_shared", None, None, Some(1.0), None),
    mark("progress", "busy_fetch_and_op_allocate", None, None, Some(1.0), None),
    mark("progress", "busy_", None, None, Some(0.001), None),
    mark("nothing", "job", None, None, Some(0.3), Some(2.0)),
    mark("memory", "pss", None, None, Some(0.5), None),
    mark("idle", "", None, None, Some(0.03), None),
    mark("messages", "message", Some(8), None, Some(0.85), None),
    mark("messages", "put_seen", None, None, Some(1.0), Some(1.1)),
];

/// The mark for `key`, if there is one.
pub fn of(key: &Key) -> Option<&'static Mark> {
    MARKS
        .iter()
        .chain(own_memory::MARKS)
        .chain(own_memory::REFUSED)
        .find(|mark| {
            mark.family == key.family
                && key.case.starts_with(mark.case)
                && mark.x.is_none_or(|x| x == key.x)
                && mark.ranks.is_none_or(|ranks| ranks == key.ranks)
        })
}

/// What we want of our own results, whatever others do.
pub struct Own {
    pub family: &'static str,
    pub case: &'static str,
    pub x: Option<i64>,
    pub ranks: Option<usize>,
    /// The result that it is divided by: case, x and ranks, where they are not the same.
    pub by: Option<(&'static str, Option<i64>, Option<usize>)>,
    pub bound: Bound,
}

/// What the value, or the quotient, may be.
#[derive(Clone, Copy)]
pub enum Bound {
    Most(f64),
    Least(f64),
}

const fn own(
    family: &'static str,
    case: &'static str,
    x: Option<i64>,
    ranks: Option<usize>,
    by: Option<(&'static str, Option<i64>, Option<usize>)>,
    bound: Bound,
) -> Own {
    Own {
        family,
        case,
        x,
        ranks,
        by,
        bound,
    }
}

/// All of them.
pub fn all_own() -> impl Iterator<Item = &'static Own> {
    OWN.iter().chain(own_memory::OWN)
}

#[rustfmt::skip]
const OWN: &[Own] = &[
    own("bandwidth", "triad_own", None, None, Some(("triad_private", None, None)), Bound::Least(1.0)),
    own("bandwidth", "triad_remote", None, None, Some(("triad_private", None, None)), Bound::Least(1.0)),
    own("bandwidth", "memcpy_own", None, None, Some(("memcpy_private", None, None)), Bound::Least(1.0)),
    own("bandwidth", "memcpy_remote", None, None, Some(("memcpy_private", None, None)), Bound::Least(1.0)),
    own("bandwidth", "triad_adopted", None, None, Some(("triad_private", None, None)), Bound::Least(1.0)),
    own("bandwidth", "triad_adopted_huge", None, None, Some(("triad_huge", None, None)), Bound::Least(0.95)),
    own("bandwidth", "memcpy_adopted", None, None, Some(("memcpy_private", None, None)), Bound::Least(1.0)),
    own("bandwidth", "memcpy_adopted_huge", None, None, Some(("memcpy_huge", None, None)), Bound::Least(0.95)),
    own("bandwidth", "touch_window", None, None, Some(("touch_private", None, None)), Bound::Least(0.9)),
    own("bandwidth", "put_first", None, None, Some(("put_again", None, None)), Bound::Least(0.4)),
    own("contended", "fetch_and_op_most_to_least", None, None, None, Bound::Most(2.0)),
    own("contended", "accumulate_most_to_least", None, None, None, Bound::Most(2.0)),
    own("contended", "accumulate_array_most_to_least", None, None, None, Bound::Most(3.0)),
    own("contended", "exclusive_most_to_least", None, None, None, Bound::Most(3.0)),
    own("contended", "shared_most_to_least", None, None, None, Bound::Most(3.0)),
    own("contended", "exclusive_longest", None, None, None, Bound::Most(50.0)),
    own("contended", "shared_longest", None, None, None, Bound::Most(50.0)),
    own("locks", "lock_all", None, Some(32), Some(("lock_all", None, Some(2))), Bound::Most(1.3)),
    own("windows", "shared_among", Some(10_000), None, Some(("shared_among", Some(1000), None)), Bound::Most(1.0)),
    own("progress", "busy_put_create_malloc", None, None, Some(("idle_put_create_malloc", None, None)), Bound::Most(1.0)),
    own("progress", "busy_put_create_alloc_mem", None, None, Some(("idle_put_create_alloc_mem", None, None)), Bound::Most(1.0)),
    own("progress", "busy_put_dynamic", None, None, Some(("idle_put_dynamic", None, None)), Bound::Most(1.0)),
    own("progress", "busy_put_shared", None, None, Some(("idle_put_shared", None, None)), Bound::Most(1.0)),
];

impl Own {
    pub fn fits(&self, key: &Key) -> bool {
        key.family == self.family
            && key.case == self.case
            && self.x.is_none_or(|x| x == key.x)
            && self.ranks.is_none_or(|ranks| ranks == key.ranks)
    }
}
