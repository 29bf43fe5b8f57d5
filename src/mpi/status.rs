//! `MPI_Status`, as each interface has it.

use std::ffi::c_int;
use std::mem::offset_of;

/// What a receive, probe or completed request tells (MPI 4.1 §3.2.5).
#[cfg(not(any(feature = "openmpi", feature = "standard")))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MPI_Status {
    /// The low 32 bits of the number of bytes.
    pub count_lo: c_int,
    /// Bit 0: cancelled. Bits 1-31: the bits 32-62 of the number of bytes.
    pub count_hi_and_cancelled: c_int,
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
}

/// What a receive, probe or completed request tells (MPI 5.0 §3.2.5).
#[cfg(feature = "standard")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MPI_Status {
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
    /// The number of bytes, low and high half; whether it was cancelled; and nothing.
    pub MPI_internal: [c_int; 5],
}

/// What a receive, probe or completed request tells (MPI 3.1 §3.2.5). In Fortran it is an array of integers, which may begin where
/// no `usize` can.
#[cfg(feature = "openmpi")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed(4))]
pub struct MPI_Status {
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
    pub _cancelled: c_int,
    /// The number of bytes.
    pub _ucount: usize,
}

#[cfg(not(any(feature = "openmpi", feature = "standard")))]
impl MPI_Status {
    const NOTHING: MPI_Status = MPI_Status {
        count_lo: 0,
        count_hi_and_cancelled: 0,
        MPI_SOURCE: 0,
        MPI_TAG: 0,
        MPI_ERROR: 0,
    };

    /// The number of bytes received.
    pub fn count(&self) -> u64 {
        let high = (self.count_hi_and_cancelled as u32 >> 1) as u64;
        high << 32 | self.count_lo as u32 as u64
    }

    /// Sets the number of bytes received, which must be below 2^63.
    pub fn set_count(&mut self, bytes: u64) {
        debug_assert!(bytes >> 63 == 0);
        let cancelled = self.count_hi_and_cancelled & 1;
        self.count_lo = bytes as u32 as c_int;
        self.count_hi_and_cancelled = (((bytes >> 32) as u32) << 1) as c_int | cancelled;
    }

    pub fn cancelled(&self) -> bool {
        self.count_hi_and_cancelled & 1 != 0
    }

    pub fn set_cancelled(&mut self, cancelled: bool) {
        self.count_hi_and_cancelled = self.count_hi_and_cancelled & !1 | cancelled as c_int;
    }
}

#[cfg(feature = "standard")]
impl MPI_Status {
    const NOTHING: MPI_Status = MPI_Status {
        MPI_SOURCE: 0,
        MPI_TAG: 0,
        MPI_ERROR: 0,
        MPI_internal: [0; 5],
    };

    /// The number of bytes received.
    pub fn count(&self) -> u64 {
        (self.MPI_internal[1] as u32 as u64) << 32 | self.MPI_internal[0] as u32 as u64
    }

    /// Sets the number of bytes received, which must be below 2^63.
    pub fn set_count(&mut self, bytes: u64) {
        debug_assert!(bytes >> 63 == 0);
        self.MPI_internal[0] = bytes as u32 as c_int;
        self.MPI_internal[1] = (bytes >> 32) as u32 as c_int;
    }

    pub fn cancelled(&self) -> bool {
        self.MPI_internal[2] != 0
    }

    pub fn set_cancelled(&mut self, cancelled: bool) {
        self.MPI_internal[2] = cancelled as c_int;
    }
}

#[cfg(feature = "openmpi")]
impl MPI_Status {
    const NOTHING: MPI_Status = MPI_Status {
        MPI_SOURCE: 0,
        MPI_TAG: 0,
        MPI_ERROR: 0,
        _cancelled: 0,
        _ucount: 0,
    };

    /// The number of bytes received.
    pub fn count(&self) -> u64 {
        self._ucount as u64
    }

    /// Sets the number of bytes received, which must be below 2^63.
    pub fn set_count(&mut self, bytes: u64) {
        debug_assert!(bytes >> 63 == 0);
        self._ucount = bytes as usize;
    }

    pub fn cancelled(&self) -> bool {
        self._cancelled != 0
    }

    pub fn set_cancelled(&mut self, cancelled: bool) {
        self._cancelled = cancelled as c_int;
    }
}

/// Its length in integers, of which it consists.
const INTEGERS: usize = size_of::<MPI_Status>() / size_of::<c_int>();

const _: () = assert!(INTEGERS == crate::mpi::constants::MPI_F_STATUS_SIZE as usize);

impl MPI_Status {
    /// The status of an operation that moved nothing and matched nobody (MPI 4.1 §3.7.3).
    pub const EMPTY: MPI_Status = MPI_Status {
        MPI_SOURCE: crate::mpi::constants::MPI_ANY_SOURCE,
        MPI_TAG: crate::mpi::constants::MPI_ANY_TAG,
        MPI_ERROR: crate::mpi::constants::MPI_SUCCESS,
        ..MPI_Status::NOTHING
    };

    /// Writes all fields but `MPI_ERROR`, which keeps what it has.
    ///
    /// # Safety
    /// `place` is memory for a status.
    pub unsafe fn write_but_error(&self, place: *mut MPI_Status) {
        const ERROR: usize = offset_of!(MPI_Status, MPI_ERROR);
        const BEHIND: usize = ERROR + size_of::<c_int>();
        let (from, to) = (&raw const *self, place);
        // SAFETY: the caller's promise, for the bytes before that field and behind it.
        unsafe {
            to.cast::<u8>().copy_from_nonoverlapping(from.cast(), ERROR);
            let rest = size_of::<MPI_Status>() - BEHIND;
            let (from, to) = (from.byte_add(BEHIND), to.byte_add(BEHIND));
            to.cast::<u8>().copy_from_nonoverlapping(from.cast(), rest);
        }
    }

    /// As Fortran has it (MPI 4.1 §19.3.5), in the order in which `MPI_F_SOURCE` and its kin count.
    pub fn integers(self) -> [c_int; INTEGERS] {
        // SAFETY: it consists of integers, without a gap.
        unsafe { std::mem::transmute(self) }
    }

    pub fn of_integers(integers: [c_int; INTEGERS]) -> MPI_Status {
        // SAFETY: any integers are a status.
        unsafe { std::mem::transmute(integers) }
    }
}

/// The status of Fortran's module `mpi_f08`: the fields of [`MPI_Status`], as Fortran integers.
#[cfg(not(any(feature = "openmpi", feature = "standard")))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MPI_F08_status {
    pub count_lo: c_int,
    pub count_hi_and_cancelled: c_int,
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
}

/// The status of Fortran's module `mpi_f08`: [`MPI_Status`] as Fortran integers.
#[cfg(feature = "standard")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MPI_F08_status {
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
    pub MPI_internal: [c_int; 5],
}

/// The status of Fortran's module `mpi_f08`: [`MPI_Status`] as Fortran integers.
#[cfg(feature = "openmpi")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MPI_F08_status {
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
    pub MPI_internal: [c_int; 3],
}

const _: () = assert!(size_of::<MPI_F08_status>() == size_of::<MPI_Status>());

impl MPI_F08_status {
    /// All zeros.
    pub const NOTHING: MPI_F08_status = {
        // SAFETY: it consists of integers.
        unsafe { std::mem::zeroed() }
    };
}

impl From<MPI_Status> for MPI_F08_status {
    fn from(status: MPI_Status) -> MPI_F08_status {
        // SAFETY: both consist of the same integers in the same order.
        unsafe { std::mem::transmute(status) }
    }
}

impl From<MPI_F08_status> for MPI_Status {
    fn from(status: MPI_F08_status) -> MPI_Status {
        // SAFETY: as above.
        unsafe { std::mem::transmute(status) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_keeps_large_counts_and_cancellation_apart() {
        for bytes in [0, 1, 0xffff_ffff, 1 << 32, 0x1234_5678_9abc, (1 << 63) - 1] {
            for cancelled in [false, true] {
                let mut status = MPI_Status::EMPTY;
                status.set_cancelled(cancelled);
                status.set_count(bytes);
                assert_eq!(status.count(), bytes);
                assert_eq!(status.cancelled(), cancelled);
                status.set_cancelled(!cancelled);
                assert_eq!(status.count(), bytes);
                assert_eq!(status.cancelled(), !cancelled);
            }
        }
    }

    #[test]
    #[cfg(not(any(feature = "openmpi", feature = "standard")))]
    fn the_parts_of_a_count_are_where_mpich_has_them() {
        let mut status = MPI_Status::EMPTY;
        status.set_count(5 << 32 | 7);
        status.set_cancelled(true);
        assert_eq!((status.count_lo, status.count_hi_and_cancelled), (7, 11));
    }

    #[test]
    fn fortran_finds_its_fields_where_their_indices_say() {
        use crate::mpi::constants::{MPI_F_ERROR, MPI_F_SOURCE, MPI_F_TAG};
        let status = MPI_Status {
            MPI_SOURCE: 3,
            MPI_TAG: 4,
            MPI_ERROR: 5,
            ..MPI_Status::EMPTY
        };
        let integers = status.integers();
        let at = [MPI_F_SOURCE, MPI_F_TAG, MPI_F_ERROR].map(|i| integers[i as usize]);
        assert_eq!(at, [3, 4, 5]);
        assert_eq!(MPI_Status::of_integers(integers), status);
    }

    #[test]
    fn the_error_stays_where_it_is_not_asked_for() {
        let mut place = MPI_Status {
            MPI_ERROR: 7,
            ..MPI_Status::EMPTY
        };
        let mut told = MPI_Status {
            MPI_SOURCE: 1,
            ..MPI_Status::EMPTY
        };
        told.set_count(5 << 32 | 7);
        // SAFETY: the place is a status.
        unsafe { told.write_but_error(&mut place) };
        told.MPI_ERROR = 7;
        assert_eq!(place, told);
    }
}
