//! Functions beyond MPI that MPICH's `mpi.h` declares and programs call. Those that its Fortran library refers to are in
//! [`extensions`](crate::abi::bindings::extensions). What of all others is, `docs/extensions.md` tells.

#![cfg(not(any(feature = "openmpi", feature = "standard")))]

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::environment::info::key;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::p2p::completion;
use crate::{bail, datatype, info, mpi_api, mpi_plain};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int, c_void};

/// Gives how many contiguous runs of bytes an element of a datatype has, and their bytes: of all runs if `max_iov_bytes` is -1, else of
/// the first ones that are not longer than that together.
///
/// Does not block. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer, limit below -1).
#[apply(mpi_api)]
pub extern "C" fn MPIX_Type_iov_len(
    datatype: MPI_Datatype,
    max_iov_bytes: MPI_Count,
    iov_len: Mut<MPI_Count>,
    actual_iov_bytes: Mut<MPI_Count>,
) -> c_int {
    let datatype = datatype::get(datatype)?;
    let (iov_len, actual) = (
        iov_len.out("iov_len")?,
        actual_iov_bytes.out("actual_iov_bytes")?,
    );
    if max_iov_bytes < -1 {
        bail!(
            Arg,
            "max_iov_bytes is {max_iov_bytes}, and must be -1 or more"
        );
    }
    let most = usize::try_from(max_iov_bytes).unwrap_or(usize::MAX);
    let (mut runs, mut bytes, mut full) = (0, 0, false);
    datatype.for_each_run(0, 1, |_, len| {
        full |= len > most - bytes;
        if !full {
            runs += 1;
            bytes += len;
        }
    });
    iov_len.set(runs);
    actual.set(bytes as MPI_Count);
    Ok(())
}

/// Gives the contiguous runs of bytes of an element of a datatype, in the order of the type map: from number `iov_offset` on, at most
/// `max_iov_len`, and how many that are. Addresses count from the element's.
///
/// Does not block. Errors: `MPI_ERR_TYPE`, `MPI_ERR_ARG` (null pointer, negative number).
#[apply(mpi_api)]
pub extern "C" fn MPIX_Type_iov(
    datatype: MPI_Datatype,
    iov_offset: MPI_Count,
    iov: Mut<MPIX_Iov>,
    max_iov_len: MPI_Count,
    actual_iov_len: Mut<MPI_Count>,
) -> c_int {
    let datatype = datatype::get(datatype)?;
    let first = number(iov_offset, "iov_offset")?;
    let most = number(max_iov_len, "max_iov_len")?;
    let actual = actual_iov_len.out("actual_iov_len")?;
    let (mut place, mut runs) = (0, Vec::new());
    datatype.for_each_run(0, 1, |at, len| {
        if place >= first && runs.len() < most {
            runs.push(MPIX_Iov {
                iov_base: std::ptr::without_provenance_mut(at),
                iov_len: len as MPI_Aint,
            });
        }
        place += 1;
    });
    iov.fill(&runs, "iov")?;
    actual.set(runs.len() as MPI_Count);
    Ok(())
}

/// Sets a key to bytes, as two hexadecimal digits each.
///
/// Does not block. Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_KEY`, `MPI_ERR_INFO_VALUE` (too many bytes), `MPI_ERR_ARG` (null pointer,
/// negative size).
#[apply(mpi_api)]
pub extern "C" fn MPIX_Info_set_hex(
    info: MPI_Info,
    key: In<c_char>,
    value: In<c_void>,
    value_size: c_int,
) -> c_int {
    let key = self::key(key);
    let size = number(value_size, "value_size")?;
    if size >= MPI_MAX_INFO_VAL as usize / 2 {
        bail!(
            InfoValue,
            "value has {size} bytes, of two digits each, but must have less than {} digits",
            MPI_MAX_INFO_VAL
        );
    }
    let bytes = value.cast::<c_char>().slice(size, "value")?;
    let digits: String = bytes
        .iter()
        .map(|&byte| format!("{:02x}", byte as u8))
        .collect();
    info::change(info, |info| {
        info.set(key?, digits);
        Ok(())
    })?
}

/// Whether a request is complete: 1 or 0. It stays as it is, and nothing is moved along: who asks again and again has to call
/// something that does that, too. A request that is not active is complete; what is no request is not.
#[apply(mpi_plain)]
pub extern "C" fn MPIX_Request_is_complete(request: MPI_Request) -> c_int {
    completion::is_done(request).into()
}
