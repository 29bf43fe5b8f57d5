//! What a rank is called in messages: by its number, the process that has called MPI_Init, and its program. A wrapper that was started in
//! the program's place is named besides.

use std::path::Path;

use crate::supervise::Supervisor;

impl Supervisor<'_> {
    /// "rank 3 (pid 4711, ./program)", "rank 3 (pid 4712, ./program, started by bash)".
    pub fn name(&self, number: u32) -> String {
        let rank = &self.job.ranks[number as usize];
        let program = self.program(number);
        match self.job.segment.pid(number as usize) {
            Some(pid) if pid != rank.pid => {
                let by = match rank.pid {
                    // Another launcher's.
                    0 => String::new(),
                    _ => format!(", started by {}", rank.program),
                };
                format!("rank {number} (pid {pid}, {program}{by})")
            }
            _ => format!("rank {number} (pid {}, {program})", rank.pid),
        }
    }

    /// The program that has called MPI_Init, or else the one that was started, as the user wrote it.
    pub fn program(&self, number: u32) -> String {
        let command = self.job.segment.command(number as usize);
        let started = &self.job.ranks[number as usize].program;
        program_of(&command).unwrap_or_else(|| started.clone())
    }
}

/// The program of a command line whose words end with zeros: the first word, or what an interpreter of Python runs. Nothing where it is
/// empty.
fn program_of(command: &str) -> Option<String> {
    let mut words = command.split('\0').filter(|word| !word.is_empty());
    let first = words.next()?;
    let file = Path::new(first).file_name()?.to_string_lossy();
    if !["python", "pypy"]
        .iter()
        .any(|python| file.starts_with(python))
    {
        return Some(first.to_string());
    }
    while let Some(word) = words.next() {
        match word {
            // Their values are words of their own.
            "-W" | "-X" => drop(words.next()),
            _ if word.starts_with("--") => {}
            // Several letters may stand together.
            _ if word.starts_with('-') && word.ends_with('m') => match words.next() {
                // It runs another.
                Some("mpi4py" | "mpi4py.run") => {}
                module => return Some(format!("{file} -m {}", module?)),
            },
            _ if word.starts_with('-') && word.ends_with('c') => return Some(format!("{file} -c")),
            _ if word.starts_with('-') => {}
            script => return Some(script.to_string()),
        }
    }
    Some(first.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_command_lines() {
        for (command, program) in [
            ("", None),
            ("./ring -c 3", Some("./ring")),
            ("/usr/bin/python3 solve.py 3", Some("solve.py")),
            (
                "python3 -u -W ignore -X dev dir/solve.py",
                Some("dir/solve.py"),
            ),
            (
                "python3.11 -um solver.main",
                Some("python3.11 -m solver.main"),
            ),
            ("python -m mpi4py --rc=threads=0 solve.py", Some("solve.py")),
            ("python -m mpi4py -m solver", Some("python -m solver")),
            ("python3 -c pass", Some("python3 -c")),
            ("python3", Some("python3")),
            ("/opt/pythonic/ring x", Some("/opt/pythonic/ring")),
        ] {
            let command = command.replace(' ', "\0");
            assert_eq!(program_of(&command).as_deref(), program, "{command:?}");
        }
    }
}
