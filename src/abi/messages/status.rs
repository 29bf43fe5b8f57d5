//! The status: its fields, and its forms in Fortran (MPI 4.1 §3.2.5, §19.3.5).

use crate::abi::bindings::data;
use crate::abi::boundary::pointers::{In, Mut};
use crate::bail;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::mpi_api;
use macro_rules_attribute::apply;
use std::ffi::c_int;
use std::sync::atomic::Ordering;

/// Refuses `MPI_STATUS_IGNORE`, which has no fields.
fn real(status: In<MPI_Status>) -> Result<()> {
    if status.pointer() == MPI_STATUS_IGNORE {
        bail!(Arg, "status is MPI_STATUS_IGNORE, which has no fields");
    }
    Ok(())
}

/// Refuses Fortran's `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE`.
fn real_in_fortran(status: In<MPI_Fint>) -> Result<()> {
    let ignored = [&data::MPI_F_STATUS_IGNORE, &data::MPI_F_STATUSES_IGNORE]
        .map(|place| place.load(Ordering::Relaxed).cast_const());
    if !status.is_null() && ignored.contains(&status.pointer()) {
        bail!(Arg, "f_status is MPI_STATUS_IGNORE, which has no fields");
    }
    Ok(())
}

/// Refuses the objects that the module `mpi_f08` calls `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE`.
fn real_in_f08(status: In<MPI_F08_status>) -> Result<()> {
    let one = data::MPI_F08_STATUS_IGNORE.load(Ordering::Relaxed);
    let many = data::MPI_F08_STATUSES_IGNORE.load(Ordering::Relaxed);
    if !status.is_null() && [one.cast(), many.cast()].contains(&status.pointer().cast_mut()) {
        bail!(Arg, "f08_status is MPI_STATUS_IGNORE, which has no fields");
    }
    Ok(())
}

/// Gives a field of `status`.
fn get(
    status: In<MPI_Status>,
    field: impl FnOnce(&MPI_Status) -> c_int,
    value: Mut<c_int>,
    name: &str,
) -> Result<()> {
    real(status)?;
    let (status, value) = (status.input("status")?, value.out(name)?);
    value.set(field(status));
    Ok(())
}

/// Changes `status`.
fn set(status: Mut<MPI_Status>, change: impl FnOnce(&mut MPI_Status)) -> Result<()> {
    real(status.into())?;
    change(&mut *status.inout("status")?);
    Ok(())
}

/// Gives the rank that sent the message.
///
/// MPI 4.1 §3.2.5. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_get_source(status: In<MPI_Status>, source: Mut<c_int>) -> c_int {
    get(status, |s| s.MPI_SOURCE, source, "source")
}

/// Gives the tag of the message.
///
/// MPI 4.1 §3.2.5. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_get_tag(status: In<MPI_Status>, tag: Mut<c_int>) -> c_int {
    get(status, |s| s.MPI_TAG, tag, "tag")
}

/// Gives the error code of the operation.
///
/// MPI 4.1 §3.2.5. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_get_error(status: In<MPI_Status>, err: Mut<c_int>) -> c_int {
    get(status, |s| s.MPI_ERROR, err, "err")
}

/// Sets the rank that sent the message.
///
/// MPI 4.1 §13.3. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_set_source(status: Mut<MPI_Status>, source: c_int) -> c_int {
    set(status, |s| s.MPI_SOURCE = source)
}

/// Sets the tag of the message.
///
/// MPI 4.1 §13.3. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_set_tag(status: Mut<MPI_Status>, tag: c_int) -> c_int {
    set(status, |s| s.MPI_TAG = tag)
}

/// Sets the error code of the operation.
///
/// MPI 4.1 §13.3. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_set_error(status: Mut<MPI_Status>, err: c_int) -> c_int {
    set(status, |s| s.MPI_ERROR = err)
}

/// Sets what `MPI_Test_cancelled` will say of this status.
///
/// MPI 4.1 §13.3. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_set_cancelled(status: Mut<MPI_Status>, flag: c_int) -> c_int {
    set(status, |s| s.set_cancelled(flag != 0))
}

/// Whether the operation was cancelled.
///
/// MPI 4.1 §3.8.4. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Test_cancelled(status: In<MPI_Status>, flag: Mut<c_int>) -> c_int {
    get(status, |s| s.cancelled() as c_int, flag, "flag")
}

/// Copies a status of C into one of Fortran: an array of `MPI_F_STATUS_SIZE` integers.
///
/// MPI 4.1 §19.3.5. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_c2f(c_status: In<MPI_Status>, f_status: Mut<MPI_Fint>) -> c_int {
    real(c_status)?;
    let (from, to) = (
        c_status.input("c_status")?,
        f_status.cast().out("f_status")?,
    );
    to.set(from.integers());
    Ok(())
}

/// Copies a status of Fortran, an array of `MPI_F_STATUS_SIZE` integers, into one of C.
///
/// MPI 4.1 §19.3.5. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_f2c(f_status: In<MPI_Fint>, c_status: Mut<MPI_Status>) -> c_int {
    real_in_fortran(f_status)?;
    let (from, to) = (
        f_status.cast().input("f_status")?,
        c_status.out("c_status")?,
    );
    to.set(MPI_Status::of_integers(*from));
    Ok(())
}

/// Copies a status of C into one of the module `mpi_f08`.
///
/// MPI 4.1 §19.3.5. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_c2f08(
    c_status: In<MPI_Status>,
    f08_status: Mut<MPI_F08_status>,
) -> c_int {
    real(c_status)?;
    let (from, to) = (c_status.input("c_status")?, f08_status.out("f08_status")?);
    to.set((*from).into());
    Ok(())
}

/// Copies a status of the module `mpi_f08` into one of C.
///
/// MPI 4.1 §19.3.5. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_f082c(
    f08_status: In<MPI_F08_status>,
    c_status: Mut<MPI_Status>,
) -> c_int {
    real_in_f08(f08_status)?;
    let (from, to) = (f08_status.input("f08_status")?, c_status.out("c_status")?);
    to.set((*from).into());
    Ok(())
}

/// Copies a status of Fortran, an array of `MPI_F_STATUS_SIZE` integers, into one of the module `mpi_f08`.
///
/// MPI 4.1 §19.3.5. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_f2f08(
    f_status: In<MPI_Fint>,
    f08_status: Mut<MPI_F08_status>,
) -> c_int {
    real_in_fortran(f_status)?;
    let (from, to) = (
        f_status.cast().input("f_status")?,
        f08_status.out("f08_status")?,
    );
    to.set(MPI_Status::of_integers(*from).into());
    Ok(())
}

/// Copies a status of the module `mpi_f08` into one of Fortran: an array of `MPI_F_STATUS_SIZE` integers.
///
/// MPI 4.1 §19.3.5. Errors: `MPI_ERR_ARG` (null pointer, `MPI_STATUS_IGNORE`).
#[apply(mpi_api)]
pub extern "C" fn MPI_Status_f082f(
    f08_status: In<MPI_F08_status>,
    f_status: Mut<MPI_Fint>,
) -> c_int {
    real_in_f08(f08_status)?;
    let (from, to) = (
        f08_status.input("f08_status")?,
        f_status.cast().out("f_status")?,
    );
    to.set(MPI_Status::from(*from).integers());
    Ok(())
}
