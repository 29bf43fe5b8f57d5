//! The initial error handler: that of `MPI_COMM_WORLD` and `MPI_COMM_SELF` until the program sets another, and of all errors
//! while MPI is not initialized (MPI 4.1 §9.3). It is fatal unless the launcher was asked for another one, by the names of
//! the info key `mpi_initial_errhandler` (§11.8.4).

use crate::bail;
use crate::error::Result;
use crate::mpi::constants::{MPI_ERRORS_ABORT, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN};
use crate::mpi::types::MPI_Errhandler;
use std::sync::LazyLock;

/// The info key that tells it.
pub const KEY: &str = "mpi_initial_errhandler";
/// The variable by which our launcher hands it on.
pub const VARIABLE: &str = "RMASHM_INITIAL_ERRHANDLER";

const NAMES: [(&str, MPI_Errhandler); 3] = [
    ("mpi_errors_are_fatal", MPI_ERRORS_ARE_FATAL),
    ("mpi_errors_abort", MPI_ERRORS_ABORT),
    ("mpi_errors_return", MPI_ERRORS_RETURN),
];

/// The name that the standard has for `asked`, whatever its case. Error: `MPI_ERR_INFO_VALUE` where it has none.
pub fn check(asked: &str) -> Result<&'static str> {
    match find(asked) {
        Some((name, _)) => Ok(name),
        None => bail!(
            InfoValue,
            "\"{asked}\" is no initial error handler: it can be {}, {} or {}",
            NAMES[0].0,
            NAMES[1].0,
            NAMES[2].0
        ),
    }
}

fn find(asked: &str) -> Option<(&'static str, MPI_Errhandler)> {
    let meant = |(name, _): &(&str, MPI_Errhandler)| name.eq_ignore_ascii_case(asked.trim());
    NAMES.into_iter().find(meant)
}

/// The name and the handle of what was asked for, if something was.
static REQUESTED: LazyLock<Option<(&str, MPI_Errhandler)>> = LazyLock::new(|| {
    // What is no name is refused by our launcher; under another it is as if nothing had been asked for.
    find(&std::env::var(VARIABLE).ok()?)
});

/// The initial error handler.
pub fn handle() -> MPI_Errhandler {
    REQUESTED.map_or(MPI_ERRORS_ARE_FATAL, |(_, handle)| handle)
}

/// Its name, if it was asked for.
pub fn requested() -> Option<&'static str> {
    REQUESTED.map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_standard() {
        assert_eq!(check("mpi_errors_return").unwrap(), "mpi_errors_return");
        assert_eq!(check(" MPI_ERRORS_ABORT").unwrap(), "mpi_errors_abort");
        for wrong in ["", "return", "mpi_errors", "MPI_ERRHANDLER_NULL"] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
