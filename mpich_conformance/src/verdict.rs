//! What the suite takes for success.

/// How an entry has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Exit status 0, `No Errors` on a line of its own, and nothing else printed.
    NoErrors,
    /// The same, but a status that is not 0: a rank dies on purpose.
    FailureNoErrors,
    /// A status that is not 0, whatever is printed.
    Failure,
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
        let wants_failure = self != Self::NoErrors;
        if self != Self::Failure {
            let unexpected = output.lines().find(|line| !is_expected(line));
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
    fn some_have_to_fail() {
        let expectation = Expectation::named("TestErrFatal").unwrap();
        assert_eq!(expectation.complaint(15, "Fatal error\n"), None);
        assert!(expectation.complaint(0, "").is_some());
        let expectation = Expectation::named("TestStatusNoErrors").unwrap();
        assert_eq!(expectation.complaint(9, " No Errors\n"), None);
        assert!(expectation.complaint(0, " No Errors\n").is_some());
        assert!(expectation.complaint(9, "").is_some());
        assert!(Expectation::named("TestTest").is_err());
    }
}
