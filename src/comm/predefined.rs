//! The attributes that MPI itself gives every communicator (MPI 4.1 §9.1.2, §9.5.3, §11.10). Their values are pointers
//! to integers.

use crate::mpi::constants::*;
use crate::runtime;
use crate::shm::atomic::{AtomicI32, Ordering};
use crate::transport::TAG_UB;
use std::ffi::c_int;

/// The keys, and what they hold, in one order.
const KEYS: [c_int; 7] = [
    MPI_TAG_UB,
    MPI_HOST,
    MPI_IO,
    MPI_WTIME_IS_GLOBAL,
    MPI_UNIVERSE_SIZE,
    MPI_LASTUSEDCODE,
    MPI_APPNUM,
];

static HOLD: [AtomicI32; KEYS.len()] = [
    AtomicI32::new(TAG_UB),
    // There is no process that stands for the host.
    AtomicI32::new(MPI_PROC_NULL),
    // Every process can do input and output.
    AtomicI32::new(MPI_ANY_SOURCE),
    // One clock of one machine.
    AtomicI32::new(1),
    AtomicI32::new(0),
    AtomicI32::new(MPI_ERR_LASTCODE),
    AtomicI32::new(0),
];

fn hold(key: c_int) -> Option<&'static AtomicI32> {
    let place = KEYS.iter().position(|&known| known == key)?;
    HOLD.get(place)
}

/// Where the value of a predefined key is. `None`: it is no such key, or has no value in this job (`MPI_APPNUM` of a
/// program that no launcher started).
pub fn value(key: c_int) -> Option<*mut c_int> {
    let place = hold(key)?;
    match key {
        MPI_UNIVERSE_SIZE => place.store(runtime::spawn::universe() as c_int, Ordering::Relaxed),
        MPI_APPNUM => place.store(runtime::job().appnum?, Ordering::Relaxed),
        _ => {}
    }
    Some(place.as_ptr())
}

/// Tells of an error class or code in use, for `MPI_LASTUSEDCODE`, which is the highest.
pub fn set_last_used_code(code: c_int) {
    if let Some(place) = hold(MPI_LASTUSEDCODE) {
        place.fetch_max(code, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_to_their_values() {
        let read = |key: c_int| {
            let place = value(key)?;
            // SAFETY: the place is a static.
            Some(unsafe { *place })
        };
        assert_eq!(read(MPI_TAG_UB), Some(TAG_UB));
        assert_eq!(read(MPI_HOST), Some(MPI_PROC_NULL));
        assert_eq!(read(MPI_WTIME_IS_GLOBAL), Some(1));
        assert_eq!(read(MPI_LASTUSEDCODE), Some(MPI_ERR_LASTCODE));
        for other in [MPI_KEYVAL_INVALID, 1 << 20, c_int::MIN, c_int::MAX] {
            assert_eq!(read(other), None);
        }
    }
}
