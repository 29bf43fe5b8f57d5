//! `mpiexec -check`: programs that do one thing wrong, and their twins that do it right (`programs`), in C or C++. Wrong ones are told, by kind
//! and line, and end with status 56; right ones end with 0, and nothing is told.
//!
//! A program is one file of several variants, by the name that is its argument. What is expected stands in its head, and at its lines:
//!
//! ```c
//! // ranks: 2                        (or several numbers; 2 if nothing is said)
//! // wrong float_as_int: type mismatch
//! // right ints
//! ...
//! MPI_Recv(buffer, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); // !float_as_int
//! ```
//!
//! At a `wrong` variant there is at least one finding of its kind, and none of another; each line marked `!variant` is in one of them.
//! Every variant is also run without `-check`, where its status is 0 unless the head says `// fails variant`: what is to be found does
//! not show otherwise. A kind that begins with `note` does not change the status: see docs/checking.md. Of a variant that the head
//! says `// noted variant` of, notes may be told besides. Of one with `// told variant: words` these words are told, of one with
//! `// once variant` only one line is a whole finding. `// flags:` are the compiler's.
//!
//! Right variants are also run with MPI_THREAD_MULTIPLE, as the check's short ways are for one thread; but not those of programs that say which level
//! they want.
//!
//! A program whose head says `// sanitized` is compiled for ThreadSanitizer, which tells what is wrong, and not the library; without `-check`
//! only what `fails`. Without a compiler that has it (Debian: libtsan2, which comes with gcc) those are skipped.

#[path = "../support/mod.rs"]
mod support;

use harness::turns::Turns;
use harness::{job, leftovers};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use support::{command, prefix, repository};

const FOUND: i32 = 56;
const SECONDS: u64 = 60;

const SANITIZED: &str = "-fsanitize=thread";
/// What is in all that ThreadSanitizer tells, and the status of a process that it has told something of.
const WARNING: &str = "ThreadSanitizer:";
const SANITIZER_FOUND: i32 = 66;

/// A program, as its head says.
struct Program {
    name: String,
    source: PathBuf,
    text: String,
    ranks: Vec<String>,
    /// Variants that are wrong, and the kind of what is found.
    wrong: Vec<(String, String)>,
    right: Vec<String>,
    /// Wrong ones whose status is not 0 without `-check`.
    fails: Vec<String>,
    /// Those of which something is noted besides.
    noted: Vec<String>,
    /// Variants, and what else is told of them.
    told: Vec<(String, String)>,
    /// Those of which one line tells all.
    once: Vec<String>,
    flags: Vec<String>,
    /// Whether it is compiled for ThreadSanitizer.
    sanitized: bool,
    compiled: OnceLock<Result<PathBuf, String>>,
}

impl Program {
    fn read(source: PathBuf) -> Program {
        let text = std::fs::read_to_string(&source).expect("the source can be read");
        let said = |word: &str| -> Vec<String> {
            let begin = format!("// {word}");
            let lines = text.lines().filter_map(|line| line.strip_prefix(&begin));
            lines.map(|rest| rest.trim().to_string()).collect()
        };
        let name = source.file_stem().expect("it has a name");
        let name = name.to_string_lossy().into_owned();
        let ranks = said("ranks:").join(" ");
        let ranks: Vec<String> = ranks.split_whitespace().map(str::to_string).collect();
        let pairs = |word: &str| -> Vec<(String, String)> {
            let pair = |line: String| {
                let (variant, rest) = line.split_once(':').expect("a colon");
                (variant.trim().to_string(), rest.trim().to_string())
            };
            said(word).into_iter().map(pair).collect()
        };
        let wrong = pairs("wrong ");
        let right = said("right ");
        assert!(wrong.len() + right.len() > 0, "{name} says nothing");
        Program {
            name,
            ranks: if ranks.is_empty() {
                vec!["2".into()]
            } else {
                ranks
            },
            wrong,
            right,
            fails: said("fails "),
            noted: said("noted "),
            told: pairs("told "),
            once: said("once "),
            flags: said("flags:"),
            sanitized: !said("sanitized").is_empty(),
            source,
            text,
            compiled: OnceLock::new(),
        }
    }

    /// The lines that are marked with a variant's name, as findings tell them.
    fn lines(&self, variant: &str) -> Vec<String> {
        let mark = format!("!{variant}");
        let is_marked = |line: &str| {
            let comment = line.split_once("// !").map(|(_, comment)| comment);
            comment.is_some_and(|comment| {
                let words = format!("!{comment}");
                words.split_whitespace().any(|word| word == mark)
            })
        };
        let lines = (1..).zip(self.text.lines());
        let marked = lines.filter(|(_, line)| is_marked(line));
        let file = self.source.file_name().unwrap_or_default().display();
        marked
            .map(|(number, _)| format!("{file}:{number})"))
            .collect()
    }

    fn compile(&self) -> Result<PathBuf, Failed> {
        let compiled = self.compiled.get_or_init(|| {
            let program = output().join(&self.name);
            let is_c = self.source.extension().is_some_and(|end| end == "c");
            let compiler = if is_c { "bin/mpicc" } else { "bin/mpicxx" };
            let mut mpicc = command(prefix().join(compiler));
            mpicc.args(["-g", "-O1", "-Wall", "-Werror", "-pthread"]);
            mpicc.args(&self.flags);
            if self.sanitized {
                mpicc.arg(SANITIZED);
            }
            mpicc.arg("-o");
            let made = mpicc.arg(&program).arg(&self.source).output();
            let made = made.map_err(|error| error.to_string())?;
            match made.status.success() {
                true => Ok(program),
                false => Err(String::from_utf8_lossy(&made.stderr).into_owned()),
            }
        });
        Ok(compiled.clone()?)
    }

    fn run(&self, variant: &str, ranks: &str, option: Option<&str>) -> Result<job::Ended, Failed> {
        self.run_with(option.as_slice(), variant, ranks)
    }

    fn run_with(&self, options: &[&str], variant: &str, ranks: &str) -> Result<job::Ended, Failed> {
        let mut mpiexec = command(prefix().join("bin/mpiexec"));
        mpiexec
            .args(options)
            .args(["-n", ranks])
            .arg(self.compile()?)
            .arg(variant);
        let name = format!("{}-{variant}-{ranks}{}", self.name, options.concat());
        let before = leftovers::shared_memory_files();
        let ended = job::run(mpiexec, output(), &name, SECONDS)?;
        let mut complaints = leftovers::complaints(&ended.marker, &before);
        if ended.hung {
            complaints.push("it hangs".to_string());
        }
        match complaints.is_empty() {
            true => Ok(ended),
            false => Err(format!("{}\n{}", complaints.join("\n"), ended.report()).into()),
        }
    }

    /// The same of what ThreadSanitizer tells.
    fn wrong_by_itself(&self, variant: &str, kind: &str, ranks: &str) -> Result<(), Failed> {
        let ended = self.run(variant, ranks, Some("-check=report"))?;
        let fail = |what: &str| Err(format!("{what}\n{}", ended.report()).into());
        let found = format!("WARNING: ThreadSanitizer: {kind}");
        let told = ended
            .stderr
            .lines()
            .filter(|line| line.starts_with("WARNING: "));
        let told: Vec<_> = told.collect();
        if told.is_empty() || !told.iter().all(|line| line.contains(&found)) {
            return fail(&format!("not all that is told is a {kind}"));
        }
        for line in self.lines(variant) {
            let line = line.replace(')', " ");
            if !ended.stderr.contains(&line) {
                return fail(&format!("nothing is told of {line}"));
            }
        }
        if ended.status != SANITIZER_FOUND {
            return fail("this is not the status");
        }
        let fails = self.fails.iter().any(|name| name == variant);
        let ended = self.run(variant, ranks, None)?;
        match (ended.status != 0, ended.stderr.contains(WARNING)) == (fails, fails) {
            true => Ok(()),
            false => Err(format!("unchecked it ends otherwise\n{}", ended.report()).into()),
        }
    }

    fn wrong(&self, variant: &str, kind: &str, ranks: &str) -> Result<(), Failed> {
        if self.sanitized {
            return self.wrong_by_itself(variant, kind, ranks);
        }
        let is_note = kind.starts_with("note");
        let ended = self.run(variant, ranks, Some("-check=report"))?;
        let fails = self.fails.iter().any(|name| name == variant);
        // The error that follows from what is wrong, and ends the job, is noted too.
        let is_noted = self.noted.iter().any(|name| name == variant);
        let follows = |line: &&str| {
            fails && line.contains(": note: error: ") || is_noted && line.contains(": note: ")
        };
        let told = findings(&ended.stderr).filter(|line| !follows(line));
        let told: Vec<&str> = told.collect();
        let fail = |what: &str| Err(format!("{what}\n{}", ended.report()).into());
        let named = format!(": {kind}: ");
        if told.is_empty() || !told.iter().all(|line| line.contains(&named)) {
            return fail(&format!("not all that is told is a {kind}"));
        }
        for line in self.lines(variant) {
            if !told.iter().any(|finding| finding.contains(&line)) {
                return fail(&format!("nothing is told of {line}"));
            }
        }
        for (_, words) in self.told.iter().filter(|(name, _)| name == variant) {
            if !ended.stderr.contains(words) {
                return fail(&format!("it does not say '{words}'"));
            }
        }
        let whole = told.iter().filter(|line| line.contains("(MPI 4.1 "));
        if self.once.iter().any(|name| name == variant) && whole.count() != 1 {
            return fail("it is not told once");
        }
        if !fails && ended.status != if is_note { 0 } else { FOUND } {
            return fail("this is not the status");
        }
        if !is_note {
            let ended = self.run(variant, ranks, Some("-check"))?;
            if ended.status != FOUND || findings(&ended.stderr).next().is_none() {
                return Err(format!("it goes on\n{}", ended.report()).into());
            }
        }
        let ended = self.run(variant, ranks, None)?;
        match (ended.status == 0) != fails && findings(&ended.stderr).next().is_none() {
            true => Ok(()),
            false => Err(format!("unchecked it ends otherwise\n{}", ended.report()).into()),
        }
    }

    fn right(&self, variant: &str, ranks: &str) -> Result<(), Failed> {
        let all: &[&[&str]] = &[&["-check"], &[], &["-check", "-thread-level", "multiple"]];
        let says_level = self.sanitized || self.text.contains("MPI_Init_thread");
        for options in &all[..if says_level { 2 } else { 3 }] {
            let ended = self.run_with(options, variant, ranks)?;
            let is_noted = self.noted.iter().any(|name| name == variant);
            let by_itself = ended.stderr.contains(WARNING);
            let silent = findings(&ended.stderr).all(|line| is_noted && line.contains(": note: "));
            let says_so = ended.stderr.contains("check: nothing was found") != options.is_empty();
            if ended.status != 0 || !silent || !says_so || by_itself {
                return Err(format!("a right program\n{}", ended.report()).into());
            }
        }
        Ok(())
    }
}

/// The lines that tell a finding.
fn findings(stderr: &str) -> impl Iterator<Item = &str> {
    stderr
        .lines()
        .filter(|line| line.starts_with("mpiexec: check: rank"))
}

fn output() -> &'static Path {
    static OUTPUT: OnceLock<PathBuf> = OnceLock::new();
    OUTPUT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checked");
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        folder
    })
}

/// Whether programs can be compiled for ThreadSanitizer.
fn has_sanitizer() -> bool {
    let source = output().join("sanitized.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").expect("a file can be written");
    let mut mpicc = command(prefix().join("bin/mpicc"));
    mpicc
        .arg(SANITIZED)
        .arg("-o")
        .arg(output().join("sanitized"))
        .arg(&source);
    mpicc.output().is_ok_and(|made| made.status.success())
}

fn main() {
    let folder = repository().join("tests/checked/programs");
    let files = std::fs::read_dir(folder).expect("there are programs");
    let mut sources: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    sources.retain(|path| {
        path.extension()
            .is_some_and(|end| end == "c" || end == "cpp")
    });
    sources.sort();
    let has_sanitizer = has_sanitizer();
    if !has_sanitizer {
        eprintln!("the compiler has no ThreadSanitizer (libtsan): what needs it is skipped");
    }
    let mut arguments = Arguments::from_args();
    let turns = Turns::of_tests(&mut arguments.test_threads);
    let mut trials = Vec::new();
    for source in sources {
        let program: &'static Program = Box::leak(Box::new(Program::read(source)));
        let is_skipped = program.sanitized && !has_sanitizer;
        for ranks in &program.ranks {
            for (variant, kind) in &program.wrong {
                let name = format!("{}::{variant}::{ranks}", program.name);
                let job = turns.during(move || program.wrong(variant, kind, ranks));
                let trial = Trial::test(name, job);
                trials.push(trial.with_ignored_flag(is_skipped));
            }
            for variant in &program.right {
                let name = format!("{}::{variant}::{ranks}", program.name);
                let job = turns.during(move || program.right(variant, ranks));
                let trial = Trial::test(name, job);
                trials.push(trial.with_ignored_flag(is_skipped));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}
