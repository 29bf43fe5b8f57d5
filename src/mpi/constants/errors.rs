//! Error classes (MPI 4.1 §9.4). `crate::error::Class` has those that this library raises; a test keeps both the same.

use std::ffi::c_int;

pub const MPI_SUCCESS: c_int = 0;
pub const MPI_ERR_BUFFER: c_int = 1;
pub const MPI_ERR_COUNT: c_int = 2;
pub const MPI_ERR_TYPE: c_int = 3;
pub const MPI_ERR_TAG: c_int = 4;
pub const MPI_ERR_COMM: c_int = 5;
pub const MPI_ERR_RANK: c_int = 6;
pub const MPI_ERR_ROOT: c_int = 7;
pub const MPI_ERR_GROUP: c_int = 8;
pub const MPI_ERR_OP: c_int = 9;
pub const MPI_ERR_TOPOLOGY: c_int = 10;
pub const MPI_ERR_DIMS: c_int = 11;
pub const MPI_ERR_ARG: c_int = 12;
pub const MPI_ERR_UNKNOWN: c_int = 13;
pub const MPI_ERR_TRUNCATE: c_int = 14;
pub const MPI_ERR_OTHER: c_int = 15;
pub const MPI_ERR_INTERN: c_int = 16;
pub const MPI_ERR_IN_STATUS: c_int = 17;
pub const MPI_ERR_PENDING: c_int = 18;
pub const MPI_ERR_REQUEST: c_int = 19;
pub const MPI_ERR_ACCESS: c_int = 20;
pub const MPI_ERR_AMODE: c_int = 21;
pub const MPI_ERR_BAD_FILE: c_int = 22;
pub const MPI_ERR_CONVERSION: c_int = 23;
pub const MPI_ERR_DUP_DATAREP: c_int = 24;
pub const MPI_ERR_FILE_EXISTS: c_int = 25;
pub const MPI_ERR_FILE_IN_USE: c_int = 26;
pub const MPI_ERR_FILE: c_int = 27;
pub const MPI_ERR_INFO: c_int = 28;
pub const MPI_ERR_INFO_KEY: c_int = 29;
pub const MPI_ERR_INFO_VALUE: c_int = 30;
pub const MPI_ERR_INFO_NOKEY: c_int = 31;
pub const MPI_ERR_IO: c_int = 32;
pub const MPI_ERR_NAME: c_int = 33;
pub const MPI_ERR_NO_MEM: c_int = 34;
pub const MPI_ERR_NOT_SAME: c_int = 35;
pub const MPI_ERR_NO_SPACE: c_int = 36;
pub const MPI_ERR_NO_SUCH_FILE: c_int = 37;
pub const MPI_ERR_PORT: c_int = 38;
pub const MPI_ERR_QUOTA: c_int = 39;
pub const MPI_ERR_READ_ONLY: c_int = 40;
pub const MPI_ERR_SERVICE: c_int = 41;
pub const MPI_ERR_SPAWN: c_int = 42;
pub const MPI_ERR_UNSUPPORTED_DATAREP: c_int = 43;
pub const MPI_ERR_UNSUPPORTED_OPERATION: c_int = 44;
pub const MPI_ERR_WIN: c_int = 45;
pub const MPI_ERR_BASE: c_int = 46;
pub const MPI_ERR_LOCKTYPE: c_int = 47;
pub const MPI_ERR_KEYVAL: c_int = 48;
pub const MPI_ERR_RMA_CONFLICT: c_int = 49;
pub const MPI_ERR_RMA_SYNC: c_int = 50;
pub const MPI_ERR_SIZE: c_int = 51;
pub const MPI_ERR_DISP: c_int = 52;
pub const MPI_ERR_ASSERT: c_int = 53;
pub const MPI_ERR_RMA_RANGE: c_int = 55;
pub const MPI_ERR_RMA_ATTACH: c_int = 56;
pub const MPI_ERR_RMA_SHARED: c_int = 57;
pub const MPI_ERR_RMA_FLAVOR: c_int = 58;
pub const MPI_ERR_SESSION: c_int = 75;
pub const MPI_ERR_PROC_ABORTED: c_int = 76;
pub const MPI_ERR_VALUE_TOO_LARGE: c_int = 77;
pub const MPI_ERR_ERRHANDLER: c_int = 80;

// Of the tool information interface (MPI 4.1 §15.3.10).
pub const MPI_T_ERR_MEMORY: c_int = 59;
pub const MPI_T_ERR_NOT_INITIALIZED: c_int = 60;
pub const MPI_T_ERR_CANNOT_INIT: c_int = 61;
pub const MPI_T_ERR_INVALID_INDEX: c_int = 62;
pub const MPI_T_ERR_INVALID_ITEM: c_int = 63;
pub const MPI_T_ERR_INVALID_HANDLE: c_int = 64;
pub const MPI_T_ERR_OUT_OF_HANDLES: c_int = 65;
pub const MPI_T_ERR_OUT_OF_SESSIONS: c_int = 66;
pub const MPI_T_ERR_INVALID_SESSION: c_int = 67;
pub const MPI_T_ERR_CVAR_SET_NOT_NOW: c_int = 68;
pub const MPI_T_ERR_CVAR_SET_NEVER: c_int = 69;
pub const MPI_T_ERR_PVAR_NO_STARTSTOP: c_int = 70;
pub const MPI_T_ERR_PVAR_NO_WRITE: c_int = 71;
pub const MPI_T_ERR_PVAR_NO_ATOMIC: c_int = 72;
pub const MPI_T_ERR_INVALID_NAME: c_int = 73;
pub const MPI_T_ERR_INVALID: c_int = 74;
pub const MPI_T_ERR_NOT_SUPPORTED: c_int = 78;
pub const MPI_T_ERR_NOT_ACCESSIBLE: c_int = 79;

/// No predefined error code is above this.
pub const MPI_ERR_LASTCODE: c_int = 0x3fffffff;

// Extensions: fault tolerance. MPICH begins them at 100.
pub const MPIX_ERR_PROC_FAILED: c_int = 101;
/// The name without the X, which programs use that look ahead.
pub const MPI_ERR_PROC_FAILED: c_int = MPIX_ERR_PROC_FAILED;
pub const MPIX_ERR_PROC_FAILED_PENDING: c_int = 102;
pub const MPIX_ERR_REVOKED: c_int = 103;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    /// `IN_STATUS` → `InStatus`.
    fn camel(name: &str) -> String {
        name.split('_')
            .map(|word| word[..1].to_string() + &word[1..].to_lowercase())
            .collect()
    }

    /// The constants above, by the name that [`crate::error::Class`] gives them.
    fn constants() -> BTreeMap<String, i32> {
        include_str!("errors.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("pub const MPI"))
            .filter_map(|line| line.split_once(": c_int = "))
            .filter_map(|(name, value)| {
                let name = name.trim_start_matches('X').trim_start_matches('_');
                let name = match name.strip_prefix("T_ERR_") {
                    Some(of_tools) => format!("T{}", camel(of_tools)),
                    None => camel(
                        name.strip_prefix("ERR_")
                            .or((name == "SUCCESS").then_some(name))?,
                    ),
                };
                Some((name, value.trim_end_matches(';').parse().ok()?))
            })
            .collect()
    }

    /// The variants of [`crate::error::Class`].
    fn classes() -> BTreeMap<String, i32> {
        let source = include_str!("../../error.rs");
        let (_, list) = source.split_once("\nclasses! {\n").unwrap();
        list.lines()
            .take_while(|line| *line != "}")
            .map(|line| {
                let (name, rest) = line.trim().split_once(" = ").unwrap();
                (
                    name.to_string(),
                    rest.split_once(',').unwrap().0.parse().unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn classes_and_constants_agree() {
        let (constants, classes) = (constants(), classes());
        assert!(classes.len() > 60);
        for (name, value) in &classes {
            assert_eq!(constants.get(name), Some(value), "Class::{name}");
        }
        for (name, value) in &constants {
            // MPICH numbers its extensions from 100; only those that this library raises are classes.
            if *value < 100 {
                assert_eq!(classes.get(name), Some(value), "MPI_ERR_{name}");
            }
        }
    }
}
