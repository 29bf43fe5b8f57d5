//! What we want to reach: ratios to the best peer and to the bare machine.

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
    mark("latency", "put_shared", Some(4096), None, Some(0.9), None),
    mark("latency", "get_shared", Some(4096), None, Some(0.9), None),
    mark("latency", "put_shared", Some(32768), None, Some(1.0), Some(1.1)),
    mark("latency", "put_shared", Some(4 << 20), None, Some(1.0), Some(1.1)),
    mark("latency", "put_create_alloc_mem", Some(8), None, Some(0.03), Some(1.5)),
    mark("latency", "get_create_alloc_mem", Some(8), None, Some(0.03), Some(1.5)),
    mark("latency", "put_dynamic", Some(8), None, Some(0.03), Some(1.5)),
    mark("latency", "get_dynamic", Some(8), None, Some(0.03), Some(1.5)),
    mark("latency", "put_create_malloc", Some(8), None, Some(1.0), Some(1.1)),
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
    mark("progress", "busy_", None, None, Some(0.001), None),
    mark("nothing", "job", None, None, Some(0.3), Some(2.0)),
    mark("memory", "pss", None, None, Some(0.5), None),
    mark("idle", "", None, None, Some(0.03), None),
    mark("messages", "message", Some(8), None, Some(0.85), None),
    mark("messages", "put_seen", None, None, Some(1.0), Some(1.1)),
];

/// The mark for `key`, if there is one.
pub fn of(key: &Key) -> Option<&'static Mark> {
    MARKS.iter().find(|mark| {
        mark.family == key.family
            && key.case.starts_with(mark.case)
            && mark.x.is_none_or(|x| x == key.x)
            && mark.ranks.is_none_or(|ranks| ranks == key.ranks)
    })
}
