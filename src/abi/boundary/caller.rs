//! Whether a call comes from a library for Fortran, and how its error reads there.
//!
//! | in C                   | in Fortran              |
//! |------------------------|-------------------------|
//! | `MPI_Send_c`           | `MPI_SEND`              |
//! | `sendcounts[2]`        | `sendcounts(3)`         |
//! | `ranges[2]`            | `ranges(:, 3)`          |
//!
//! Fortran does not tell great letters from small ones: a name in the standard's capitals is that of `mpif.h`, of `mpi` and of
//! `mpi_f08`. Calls say nothing of where they come from, as that would cost each of them time. An error looks at the stack.

use crate::check::place::stack;
use std::borrow::Cow;
use std::ffi::{CStr, c_void};

/// How the names of the files begin that libraries for Fortran have: this library's, MPICH's, Open MPI's.
const LIBRARIES: [&str; 4] = ["libmpifort.", "libmpichf", "libmpi_mpifh.", "libmpi_usempi"];

/// The only functions whose names end so in Fortran, too (MPI 4.1 §19.1.5).
const LARGE_BY_NAME: [&str; 2] = ["MPI_Op_create_c", "MPI_Register_datarep_c"];

/// Frames that are looked at: this library's come first.
const DEPTH: usize = 64;

/// A function's name as the caller knows it.
pub fn name(function: &str) -> Cow<'_, str> {
    match is_fortran() {
        true => in_fortran(function).into(),
        false => function.into(),
    }
}

/// A sentence as the caller knows things. `None`: as it is.
pub fn sentence(text: &str) -> Option<String> {
    let told = in_fortran(text);
    (told != text && is_fortran()).then_some(told)
}

/// Whether what has called this library is a library for Fortran.
fn is_fortran() -> bool {
    library().is_some()
}

/// Whether the caller is a library for Fortran that gives `function`, a procedure of the program's, as if it were a function of C. This
/// library's own gives functions of itself, which call those of the program.
pub fn gives_procedure(function: *const c_void) -> bool {
    let base = object_of(function).map(|object| object.dli_fbase.addr());
    library().is_some_and(|library| Some(library) != base)
}

/// Where the library for Fortran is loaded that has called this one, if one has.
fn library() -> Option<usize> {
    let own = object_of(library as *const c_void)?.dli_fbase;
    let mut addresses = [0; DEPTH];
    // Each is that after a call, which may be the last instruction of its function.
    let mut callers = stack(&mut addresses)
        .iter()
        .map_while(|back| object_of(back.wrapping_sub(1) as *const c_void));
    let caller = callers.find(|object| object.dli_fbase != own)?;
    // SAFETY: the linker's string, of an object that is running.
    let path = unsafe { CStr::from_ptr(caller.dli_fname) }.to_bytes();
    let file = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let is_fortran = LIBRARIES
        .iter()
        .any(|library| file.starts_with(library.as_bytes()));
    is_fortran.then(|| caller.dli_fbase.addr())
}

/// The executable or library that has loaded what is at `address`.
fn object_of(address: *const c_void) -> Option<libc::Dl_info> {
    // SAFETY: plain addresses, for which null is a value.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for.
    let known = unsafe { libc::dladdr(address, &mut info) } != 0;
    (known && !info.dli_fname.is_null()).then_some(info)
}

fn in_fortran(text: &str) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_name) {
        told += &rest[..start];
        rest = &rest[start..];
        let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        rest = &rest[end..];
        told += &match word {
            _ if !word.starts_with("MPI_") => word.into(),
            _ if LARGE_BY_NAME.contains(&word) => word.to_uppercase(),
            _ => word.strip_suffix("_c").unwrap_or(word).to_uppercase(),
        };
        if let Some((index, after)) = index(rest) {
            let before = if word == "ranges" { ":, " } else { "" };
            told += &format!("({before}{})", index + 1);
            rest = after;
        }
    }
    told + rest
}

/// The number in brackets with which `text` begins, and what follows it.
fn index(text: &str) -> Option<(u64, &str)> {
    let (number, after) = text.strip_prefix('[')?.split_once(']')?;
    Some((number.parse().ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_indices_are_those_of_fortran() {
        for (c, fortran) in [
            ("MPI_Send", "MPI_SEND"),
            ("MPI_Type_create_struct_c", "MPI_TYPE_CREATE_STRUCT"),
            ("MPI_Op_create_c", "MPI_OP_CREATE_C"),
            ("MPI_T_init_c and c", "MPI_T_INIT and c"),
            (
                "dims[0] is -1, see MPI_Dims_create",
                "dims(1) is -1, see MPI_DIMS_CREATE",
            ),
            (
                "ranges[2] [x] a[b] is MPI_PROC_NULL",
                "ranges(:, 3) [x] a[b] is MPI_PROC_NULL",
            ),
            ("größe von MPI_Comm_rank", "größe von MPI_COMM_RANK"),
            ("", ""),
        ] {
            assert_eq!(in_fortran(c), fortran);
        }
    }

    #[test]
    fn a_program_is_no_library_for_fortran() {
        assert_eq!(name("MPI_Send"), "MPI_Send");
        assert_eq!(sentence("MPI_Send"), None);
    }
}
