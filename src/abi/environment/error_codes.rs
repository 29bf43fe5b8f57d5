//! Error codes and classes: what they mean, and those of the program's own (MPI 4.1 §9.4, §9.5).
//!
//! All of these are local, do not block, and may be called at any time.

use crate::abi::boundary::pointers::{In, Mut};
use crate::comm::predefined::set_last_used_code;
use crate::error::{class_of, is_code, made, text_of};
use crate::mpi::constants::*;
use crate::mpi_api;
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};

/// An error code. What is none is an unknown error: programs ask when something is wrong already.
fn known(errorcode: c_int) -> c_int {
    match is_code(errorcode) {
        true => errorcode,
        false => MPI_ERR_UNKNOWN,
    }
}

/// Gives the class of an error code; `MPI_ERR_UNKNOWN` of what is none.
///
/// MPI 4.1 §9.4. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Error_class(errorcode: c_int, errorclass: Mut<c_int>) -> c_int {
    let errorclass = errorclass.out("errorclass")?;
    errorclass.set(class_of(known(errorcode)));
    Ok(())
}

/// Gives the sentence of an error code, at most `MPI_MAX_ERROR_STRING` bytes: of an error of this process the one that
/// names the argument, of a class its general one, of the program's own what it gave, or nothing. What is no code is an
/// unknown error.
///
/// MPI 4.1 §9.4. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Error_string(
    errorcode: c_int,
    string: Mut<c_char>,
    resultlen: Mut<c_int>,
) -> c_int {
    let text = text_of(known(errorcode));
    let resultlen = resultlen.out("resultlen")?;
    resultlen.set(string.put_string(MPI_MAX_ERROR_STRING, &text, "string")?);
    Ok(())
}

/// Makes an error class. `MPI_LASTUSEDCODE` grows with it.
///
/// MPI 4.1 §9.5. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Add_error_class(errorclass: Mut<c_int>) -> c_int {
    let errorclass = errorclass.out("errorclass")?;
    let new = made::add_class();
    set_last_used_code(new);
    errorclass.set(new);
    Ok(())
}

/// Makes an error code of a class, which may be one of MPI's. `MPI_LASTUSEDCODE` grows with it.
///
/// MPI 4.1 §9.5. Errors: `MPI_ERR_ARG` (no class, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Add_error_code(errorclass: c_int, errorcode: Mut<c_int>) -> c_int {
    let errorcode = errorcode.out("errorcode")?;
    let new = made::add_code(errorclass)?;
    set_last_used_code(new);
    errorcode.set(new);
    Ok(())
}

/// Gives a class or code of the program's its text, of at most `MPI_MAX_ERROR_STRING` bytes.
///
/// MPI 4.1 §9.5. Errors: `MPI_ERR_ARG` (not added by the program, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Add_error_string(errorcode: c_int, string: In<c_char>) -> c_int {
    let text = string.string("string")?;
    made::set_text(errorcode, text.to_bytes())
}

/// Forgets an error class of the program's, which has no codes.
///
/// MPI 4.1 §9.5. Errors: `MPI_ERR_ARG` (no class added by the program), `MPI_ERR_OTHER` (it has codes).
#[apply(mpi_api)]
pub extern "C" fn MPI_Remove_error_class(errorclass: c_int) -> c_int {
    made::remove_class(errorclass)
}

/// `MPI_Remove_error_class` as MPICH 4.0 called it, whose Fortran library asks for it.
///
/// Errors: as there.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Delete_error_class(errorclass: c_int) -> c_int {
    made::remove_class(errorclass)
}

/// Forgets an error code of the program's.
///
/// MPI 4.1 §9.5. Errors: `MPI_ERR_ARG` (no code added by the program).
#[apply(mpi_api)]
pub extern "C" fn MPI_Remove_error_code(errorcode: c_int) -> c_int {
    made::remove_code(errorcode)
}

/// `MPI_Remove_error_code` as MPICH 4.0 called it.
///
/// Errors: as there.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Delete_error_code(errorcode: c_int) -> c_int {
    made::remove_code(errorcode)
}

/// `MPI_Remove_error_string` as MPICH 4.0 called it.
///
/// Errors: as there.
#[apply(mpi_api)]
pub extern "C" fn MPIX_Delete_error_string(errorcode: c_int) -> c_int {
    made::remove_text(errorcode)
}

/// Takes the text of a class or code of the program's away.
///
/// MPI 4.1 §9.5. Errors: `MPI_ERR_ARG` (not added by the program, no text).
#[apply(mpi_api)]
pub extern "C" fn MPI_Remove_error_string(errorcode: c_int) -> c_int {
    made::remove_text(errorcode)
}
