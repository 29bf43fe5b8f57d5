//! The environment: versions, clocks, addresses, error codes, the machine (MPI 4.1 §9.1, §9.4, §9.6, §5.1.5).
//!
//! All of these may be called at any time, also before `MPI_Init` and after `MPI_Finalize`.

use crate::abi::arguments::{out, put_string};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::comm::hardware::{self, Level};
use crate::error::{class_of, class_text, text_of};
use crate::info::{self, Info};
use crate::{bail, mpi_api, mpi_plain};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_double, c_int, c_void};

/// Gives the version of the standard: 4.1.
///
/// MPI 4.1 §9.1.1. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Get_version(version: *mut c_int, subversion: *mut c_int) -> c_int {
    // SAFETY: what is not null is a place for an `int`.
    let (version, subversion) =
        unsafe { (out(version, "version")?, out(subversion, "subversion")?) };
    version.set(MPI_VERSION);
    subversion.set(MPI_SUBVERSION);
    Ok(())
}

/// Gives the name and version of this library, at most `MPI_MAX_LIBRARY_VERSION_STRING` bytes.
///
/// MPI 4.1 §9.1.1. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Get_library_version(
    version: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    let text = concat!(
        "rmashm ",
        env!("CARGO_PKG_VERSION"),
        ": MPI 4.1 on one node, with the application binary interface of MPICH"
    );
    // SAFETY: what is not null is an array of that length and a place for an `int`.
    unsafe {
        let resultlen = out(resultlen, "resultlen")?;
        resultlen.set(put_string(
            version,
            MPI_MAX_LIBRARY_VERSION_STRING,
            text,
            "version",
        )?);
    }
    Ok(())
}

/// Gives the name of the machine, at most `MPI_MAX_PROCESSOR_NAME` bytes.
///
/// MPI 4.1 §9.1.2. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_OTHER` (the system gives no name).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Get_processor_name(name: *mut c_char, resultlen: *mut c_int) -> c_int {
    let host = match nix::unistd::gethostname() {
        Ok(host) => host,
        Err(error) => bail!(Other, "gethostname failed: {error}"),
    };
    // SAFETY: what is not null is an array of that length and a place for an `int`.
    unsafe {
        let resultlen = out(resultlen, "resultlen")?;
        let host = host.to_string_lossy();
        resultlen.set(put_string(name, MPI_MAX_PROCESSOR_NAME, &host, "name")?);
    }
    Ok(())
}

/// Seconds of the system's monotonic clock. It is the same clock on all ranks (`MPI_WTIME_IS_GLOBAL`).
///
/// MPI 4.1 §9.6.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Wtime() -> c_double {
    seconds(nix::time::clock_gettime(CLOCK))
}

/// The resolution of `MPI_Wtime` in seconds.
///
/// MPI 4.1 §9.6.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Wtick() -> c_double {
    seconds(nix::time::clock_getres(CLOCK))
}

const CLOCK: nix::time::ClockId = nix::time::ClockId::CLOCK_MONOTONIC;

/// The clock is one that every Linux has, so that reading it does not fail.
fn seconds(time: nix::Result<nix::sys::time::TimeSpec>) -> c_double {
    time.map_or(0.0, |t| t.tv_sec() as f64 + t.tv_nsec() as f64 * 1e-9)
}

/// Gives the address of `location`: an absolute displacement in bytes, for use with `MPI_BOTTOM`.
///
/// MPI 4.1 §5.1.5. Errors: `MPI_ERR_ARG` (`address` is null).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Get_address(location: *const c_void, address: *mut MPI_Aint) -> c_int {
    // SAFETY: what is not null is a place for an `MPI_Aint`.
    let address = unsafe { out(address, "address")? };
    address.set(location.expose_provenance() as MPI_Aint);
    Ok(())
}

/// The address `disp` bytes after `base`.
///
/// MPI 4.1 §5.1.5.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Aint_add(base: MPI_Aint, disp: MPI_Aint) -> MPI_Aint {
    base.wrapping_add(disp)
}

/// The bytes from `addr2` to `addr1`.
///
/// MPI 4.1 §5.1.5.
#[apply(mpi_plain)]
pub extern "C" fn MPI_Aint_diff(addr1: MPI_Aint, addr2: MPI_Aint) -> MPI_Aint {
    addr1.wrapping_sub(addr2)
}

/// Gives the class of an error code.
///
/// MPI 4.1 §9.4. Errors: `MPI_ERR_ARG` (null pointer, not an error code).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Error_class(errorcode: c_int, errorclass: *mut c_int) -> c_int {
    // SAFETY: what is not null is a place for an `int`.
    let errorclass = unsafe { out(errorclass, "errorclass")? };
    errorclass.set(known_class(errorcode)?);
    Ok(())
}

/// Gives the sentence of an error code, at most `MPI_MAX_ERROR_STRING` bytes: of an error of this process the one that
/// names the argument, of a class its general one.
///
/// MPI 4.1 §9.4. Errors: `MPI_ERR_ARG` (null pointer, not an error code).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Error_string(
    errorcode: c_int,
    string: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    known_class(errorcode)?;
    // SAFETY: what is not null is an array of that length and a place for an `int`.
    unsafe {
        let resultlen = out(resultlen, "resultlen")?;
        let text = text_of(errorcode);
        resultlen.set(put_string(string, MPI_MAX_ERROR_STRING, &text, "string")?);
    }
    Ok(())
}

/// The class of `code`, if it is one.
fn known_class(code: c_int) -> crate::error::Result<c_int> {
    let class = class_of(code);
    if !(0..=MPI_ERR_LASTCODE).contains(&code) || class_text(class).is_none() {
        bail!(Arg, "errorcode is {code}, which is not an error code");
    }
    Ok(class)
}

/// Tells which parts of the machine there are (as keys, which are good as values of `mpi_hw_resource_type`), and whether
/// this process is bound to one of each kind (`true`) or not (`false`). To be freed by the caller.
///
/// MPI 4.1 §9.1. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub unsafe extern "C" fn MPI_Get_hw_resource_info(hw_info: *mut MPI_Info) -> c_int {
    // SAFETY: what is not null is a place for a handle.
    let hw_info = unsafe { out(hw_info, "hw_info")? };
    let (places, mut info) = (hardware::places(), Info::new());
    for level in Level::ALL {
        let name = format!("hwloc://{}", level.name());
        info.set(
            &name,
            if places.belongs(level) {
                "true"
            } else {
                "false"
            },
        );
    }
    hw_info.set(info::publish(info)?);
    Ok(())
}

// A C-variadic function, which Rust can call but not define: the arguments after the level, which only tools know, are not
// looked at. It is declared in the frame of the header.
crate::mpi_exported! {
    /// Tells a profiling tool how closely to look. There is none in this library, so nothing happens (MPI 4.1 §15.2.4).
    ["MPI_Pcontrol"] ["PMPI_Pcontrol"] MPI_Pcontrol(_level: c_int) { Ok(()) }
}
