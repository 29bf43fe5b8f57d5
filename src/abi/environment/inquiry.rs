//! The environment: versions, clocks, addresses, the machine (MPI 4.1 §9.1, §9.6, §5.1.5), and what tools are told (§15.2.4).
//!
//! All of these may be called at any time, also before `MPI_Init` and after `MPI_Finalize`.

use crate::abi::boundary::pointers::{In, Mut};
use crate::comm::hardware::{self, Level};
use crate::info::{self, Info};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, mpi_api, mpi_plain};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_double, c_int, c_void};
use std::os::unix::ffi::OsStrExt;

/// Gives the version of the standard: 5.0. With Open MPI's interface it is 3.1, which its headers say: that interface lacks the names
/// of later versions, and programs take a library of another version than their header's for a mistake.
///
/// MPI 5.0 §9.1.1. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Get_version(version: Mut<c_int>, subversion: Mut<c_int>) -> c_int {
    let (version, subversion) = (version.out("version")?, subversion.out("subversion")?);
    version.set(MPI_VERSION);
    subversion.set(MPI_SUBVERSION);
    Ok(())
}

/// Gives the name and version of this library, its commit and its interface, at most `MPI_MAX_LIBRARY_VERSION_STRING` bytes.
///
/// MPI 4.1 §9.1.1. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Get_library_version(version: Mut<c_char>, resultlen: Mut<c_int>) -> c_int {
    const FACE: &str = match () {
        () if cfg!(feature = "standard") => "the standard application binary interface",
        () if cfg!(feature = "openmpi") => "the application binary interface of Open MPI",
        () => "the application binary interface of MPICH",
    };
    let own = crate::version::text();
    let text = format!("rmashm {own}: MPI 5.0 on one node, with {FACE}");
    let resultlen = resultlen.out("resultlen")?;
    resultlen.set(version.put_string(MPI_MAX_LIBRARY_VERSION_STRING, text, "version")?);
    Ok(())
}

/// Gives the name of the machine, at most `MPI_MAX_PROCESSOR_NAME` bytes.
///
/// MPI 4.1 §9.1.2. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_OTHER` (the system gives no name).
#[apply(mpi_api)]
pub extern "C" fn MPI_Get_processor_name(name: Mut<c_char>, resultlen: Mut<c_int>) -> c_int {
    let host = match nix::unistd::gethostname() {
        Ok(host) => host,
        Err(error) => bail!(Other, "gethostname failed: {error}"),
    };
    let resultlen = resultlen.out("resultlen")?;
    resultlen.set(name.put_string(MPI_MAX_PROCESSOR_NAME, host.as_bytes(), "name")?);
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
pub extern "C" fn MPI_Get_address(location: In<c_void>, address: Mut<MPI_Aint>) -> c_int {
    let address = address.out("address")?;
    address.set(location.pointer().expose_provenance() as MPI_Aint);
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

/// Tells a profiling library how much to do. There is none in here: it has no effect.
///
/// MPI 4.1 §15.2.4. (In C it takes further arguments, which nobody reads.)
#[apply(mpi_api)]
pub extern "C" fn MPI_Pcontrol(level: c_int) -> c_int {
    let _ = level;
    Ok(())
}

/// Tells which parts of the machine there are (as keys, which are good as values of `mpi_hw_resource_type`), and whether
/// this process is bound to one of each kind (`true`) or not (`false`). To be freed by the caller.
///
/// MPI 4.1 §9.1. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Get_hw_resource_info(hw_info: Mut<MPI_Info>) -> c_int {
    let hw_info = hw_info.out("hw_info")?;
    let (places, mut info) = (hardware::places(None), Info::new());
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
