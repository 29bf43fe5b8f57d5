//! What the suite takes for success.

/// How an entry has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Exit status 0, `No Errors` on a line of its own, and nothing else printed.
    NoErrors,
    /// The same, but a status that is not 0: a rank dies on purpose, of which our launcher tells.
    FailureNoErrors,
    /// A status that is not 0, whatever is printed.
    Failure,
    /// The program comes to its own end, without a fatal error of MPI. Of programs that find themselves wrong where
    /// something takes longer than something else, which says nothing about a library on a machine that others use too.
    OwnEnd,
}

impl Expectation {
    /// By the names that test lists use.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            // The suite means to forbid output for this one, but its check lets any output pass.
            "TestStatus" | "TestErrFatal" => Ok(Self::Failure),
            "TestStatusNoErrors" => Ok(Self::FailureNoErrors),
            _ => Err(format!("resultTest={name} is unknown")),
        }
    }

    /// Why a job that ended with this status and printed this is not what is expected, if it is not.
    pub fn complaint(self, status: i32, output: &str) -> Option<String> {
        if self == Self::OwnEnd {
            let fatal = output.lines().find(|line| is_fatal(line));
            return match fatal {
                Some(line) => Some(format!("fatal error: {}", line.trim())),
                // What the suite's programs return for what they found.
                None if status <= 1 => None,
                None => Some(format!("exit status {status}")),
            };
        }
        let wants_failure = self != Self::NoErrors;
        if self != Self::Failure {
            let is_fine = |line| is_expected(line) || wants_failure && is_death(line);
            let unexpected = output.lines().find(|line| !is_fine(line));
            if let Some(line) = unexpected {
                return Some(format!("unexpected output: {}", line.trim()));
            }
            if !output.lines().any(is_no_errors) {
                return Some("it did not print `No Errors`".to_owned());
            }
        }
        match (wants_failure, status) {
            (false, 0) => None,
            (false, _) => Some(format!("exit status {status}")),
            (true, 0) => Some("exit status 0, but it has to fail".to_owned()),
            (true, _) => None,
        }
    }
}

fn is_no_errors(line: &str) -> bool {
    matches!(line.trim(), "No Errors" | "No errors")
}

/// How rmashm and MPICH begin to tell of an error that ends the job.
fn is_fatal(line: &str) -> bool {
    line.starts_with("rmashm: rank")
        || line.starts_with("Fatal error in")
        || line.starts_with("Abort(")
}

/// What our launcher tells of a rank that has died, and of those that waited then.
fn is_death(line: &str) -> bool {
    let told = line.strip_prefix("mpiexec: rank");
    told.is_some_and(|told| told.contains(") exited with status") || told.contains(" in "))
}

fn is_expected(line: &str) -> bool {
    is_no_errors(line) || matches!(line.trim(), "Test Passed" | "") || line.contains("FORTRAN STOP")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_is_no_errors_and_nothing_else() {
        let expectation = Expectation::NoErrors;
        assert_eq!(expectation.complaint(0, " No Errors\n"), None);
        assert_eq!(expectation.complaint(0, "No errors\n"), None);
        assert!(expectation.complaint(1, " No Errors\n").is_some());
        assert!(expectation.complaint(0, "").is_some());
        assert!(expectation.complaint(0, " Found 3 errors\n").is_some());
        assert!(expectation.complaint(0, "oh\n No Errors\n").is_some());
        assert!(expectation.complaint(0, "Test Passed\n").is_some());
    }

    #[test]
    fn durations_are_not_judged() {
        let expectation = Expectation::OwnEnd;
        assert_eq!(expectation.complaint(0, " No Errors\n"), None);
        assert_eq!(
            expectation.complaint(1, "too slow\n Found 1 errors\n"),
            None
        );
        assert!(expectation.complaint(139, "").is_some());
        let fatal = "rmashm: rank 0 (process 1): error in MPI_Send\n";
        assert!(expectation.complaint(1, fatal).is_some());
    }

    #[test]
    fn some_have_to_fail() {
        let expectation = Expectation::named("TestErrFatal").unwrap();
        assert_eq!(expectation.complaint(15, "Fatal error\n"), None);
        assert!(expectation.complaint(0, "").is_some());
        let expectation = Expectation::named("TestStatusNoErrors").unwrap();
        assert_eq!(expectation.complaint(9, " No Errors\n"), None);
        assert!(expectation.complaint(0, " No Errors\n").is_some());
        assert!(expectation.complaint(9, "").is_some());
        let death = "mpiexec: rank 2 (pid 7, x) exited with status 1 without calling MPI_Finalize\n\
                     mpiexec: ranks 0-1 were in MPI_Barrier\n No Errors\n";
        assert_eq!(expectation.complaint(1, death), None);
        assert!(Expectation::NoErrors.complaint(0, death).is_some());
        let crash = "mpiexec: rank 2 (pid 7, x) was killed by signal 11\n No Errors\n";
        assert!(expectation.complaint(139, crash).is_some());
        assert!(Expectation::named("TestTest").is_err());
    }
}
