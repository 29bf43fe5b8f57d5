//! The options of `mpiexec`: one table, from which the command line is read, the help is printed and a hint for an unknown
//! option is found. The options of other launchers are in [`foreign`].
//!
//! The table is our own, as `clap` and `lexopt` read MPICH's long options, which have one dash (`-genv`, `-np`), as bundles of
//! short ones. Every name is understood with one dash, as MPICH's launcher writes it, and with two, as GNU programs do.

// Named for `manual`, which includes this file from elsewhere.
#[path = "options/foreign.rs"]
mod foreign;

use std::fmt::Write;

/// What an option asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    Ranks,
    Env,
    EnvList,
    EnvAll,
    EnvNone,
    Export,
    Unset,
    WorkDir,
    SearchPath,
    PerNode,
    Abi,
    GlobalEnv,
    GlobalEnvList,
    GlobalEnvAll,
    GlobalEnvNone,
    PrependRank,
    PrependPattern,
    OutPattern,
    ErrPattern,
    OutputFolder,
    Output,
    MergeOutput,
    Stdin,
    BindTo,
    BindToCore,
    NoOversubscribe,
    Timeout,
    Universe,
    Join,
    Deadlock,
    Check,
    Report,
    Trace,
    TraceSize,
    ConfigFile,
    PrintExitCodes,
    NoCleanup,
    MemoryAllocKinds,
    InitialErrhandler,
    ThreadLevel,
    ForwardSignals,
    Hosts,
    HostFile,
    Verbose,
    VerboseHow,
    Help,
    Version,
    /// Means nothing on one machine, and is accepted because scripts written for other launchers give it.
    Nothing,
    /// Is an option of another launcher, and what it asks for is not done here.
    Cannot,
}

impl Ask {
    /// Whether a file can have it that the info key `file` of a spawn names: how processes are started, when it is known how many, and of
    /// which program.
    pub fn is_for_later(self) -> bool {
        matches!(
            self,
            Ask::WorkDir
                | Ask::Env
                | Ask::EnvList
                | Ask::EnvAll
                | Ask::EnvNone
                | Ask::Export
                | Ask::Unset
                | Ask::SearchPath
                | Ask::Abi
                | Ask::MemoryAllocKinds
                | Ask::InitialErrhandler
                | Ask::Hosts
                | Ask::HostFile
                | Ask::Nothing
        )
    }
}

/// One option: its names without dashes, the names of the values it takes, and its line of help.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub names: &'static [&'static str],
    pub values: &'static [&'static str],
    pub ask: Ask,
    /// What it does; why not, where it cannot be done.
    pub help: &'static str,
}

impl Spec {
    /// How many words of the command line behind it are its values. One in brackets may be left out, and stands behind `=`.
    pub fn words(&self) -> usize {
        self.values.iter().filter(|v| !v.starts_with('[')).count()
    }
}

/// A value as it stands behind the option: ` FILE`, `[=FILE]` where it may be left out.
pub fn written(value: &str) -> String {
    match value.strip_prefix('[') {
        Some(rest) => format!("[={rest}"),
        None => format!(" {value}"),
    }
}

const fn spec(
    names: &'static [&'static str],
    values: &'static [&'static str],
    ask: Ask,
    help: &'static str,
) -> Spec {
    Spec {
        names,
        values,
        ask,
        help,
    }
}

/// Options of one part of the command line (parts are separated by `:`).
pub const LOCAL: &[Spec] = &[
    spec(
        &["n", "np", "c"],
        &["N"],
        Ask::Ranks,
        "number of ranks that run this program (default: 1)",
    ),
    spec(
        &["wdir", "wd"],
        &["DIR"],
        Ask::WorkDir,
        "working directory of these ranks",
    ),
    spec(
        &["env"],
        &["NAME", "VALUE"],
        Ask::Env,
        "set a variable for these ranks (NAME=VALUE too)",
    ),
    spec(
        &["envlist"],
        &["A,B,.."],
        Ask::EnvList,
        "pass only these variables on to these ranks",
    ),
    spec(
        &["envall"],
        &[],
        Ask::EnvAll,
        "pass all variables on to these ranks (default)",
    ),
    spec(
        &["envnone"],
        &[],
        Ask::EnvNone,
        "pass no variable on to these ranks",
    ),
    spec(
        &["x", "set-env"],
        &["NAME[=VALUE]"],
        Ask::Export,
        "as -env NAME=VALUE; NAME alone, or NAME*, passes on",
    ),
    spec(
        &["unset-env"],
        &["NAME"],
        Ask::Unset,
        "do not pass this variable on, or NAME*: those that begin so",
    ),
    spec(
        &["path"],
        &["DIRS"],
        Ask::SearchPath,
        "look for the program here, before PATH",
    ),
    spec(
        &["N", "npernode"],
        &["N"],
        Ask::PerNode,
        "as -n N where that is not given: there is one node",
    ),
    spec(
        &["abi"],
        &["mpich|openmpi|standard|none"],
        Ask::Abi,
        "the library that these ranks get (default: that of the interface that the program was linked with)",
    ),
];

/// Options of the whole job.
pub const GLOBAL: &[Spec] = &[
    spec(
        &["genv"],
        &["NAME", "VALUE"],
        Ask::GlobalEnv,
        "set a variable for all ranks (NAME=VALUE too)",
    ),
    spec(
        &["genvlist"],
        &["A,B,.."],
        Ask::GlobalEnvList,
        "pass only these variables on",
    ),
    spec(
        &["genvall"],
        &[],
        Ask::GlobalEnvAll,
        "pass all variables on (default)",
    ),
    spec(
        &["genvnone"],
        &[],
        Ask::GlobalEnvNone,
        "pass no variable on",
    ),
    spec(
        &["l", "prepend-rank", "tag-output"],
        &[],
        Ask::PrependRank,
        "begin each line of output with its rank: \"[3] \"",
    ),
    spec(
        &["prepend-pattern"],
        &["TEXT"],
        Ask::PrependPattern,
        "begin each line of output with TEXT, in which %r is the rank and so on, as below",
    ),
    spec(
        &["outfile-pattern"],
        &["FILE"],
        Ask::OutPattern,
        "write stdout to files; %r rank, %h host, %t time in s, %g and %p 0, %% a %",
    ),
    spec(
        &["errfile-pattern"],
        &["FILE"],
        Ask::ErrPattern,
        "write stderr to files, named likewise",
    ),
    spec(
        &["output-filename"],
        &["DIR"],
        Ask::OutputFolder,
        "write stdout and stderr to DIR/1/rank.N/stdout and stderr, in new folders",
    ),
    spec(
        &["output"],
        &["HOW,.."],
        Ask::Output,
        "any of tag, merge, dir=DIR, file=NAME, as the options named likewise",
    ),
    spec(
        &["merge-stderr-to-stdout"],
        &[],
        Ask::MergeOutput,
        "pass on what the ranks write to stderr as if it were stdout",
    ),
    spec(
        &["stdin", "s"],
        &["RANK|none"],
        Ask::Stdin,
        "the rank that reads the launcher's stdin (default: 0)",
    ),
    spec(
        &["bind-to"],
        &["core|none"],
        Ask::BindTo,
        "give each rank a core of its own, if there are enough (default: none)",
    ),
    spec(&["bind-to-core"], &[], Ask::BindToCore, "as -bind-to core"),
    spec(
        &["nooversubscribe"],
        &[],
        Ask::NoOversubscribe,
        "refuse more ranks than there are cores",
    ),
    spec(
        &["timeout"],
        &["SECONDS"],
        Ask::Timeout,
        "end the job after this time (also: variable MPIEXEC_TIMEOUT)",
    ),
    spec(
        &["usize"],
        &["N"],
        Ask::Universe,
        "MPI_UNIVERSE_SIZE, the number of processes that the program may take for useful (default, as with -1: one for each core, and one \
         more than there are ranks at least)",
    ),
    spec(
        &["join"],
        &["PID|any|NAME|none"],
        Ask::Join,
        "start the ranks in a job that runs, so that they can connect by ports and names: that of this process (such as its mpiexec), the \
         only one, or that of this name, which the first one that asks for it begins; none: not even that whose port an argument names (also: \
         variable RMASHM_JOIN)",
    ),
    spec(
        &["deadlock"],
        &["end|report|off"],
        Ask::Deadlock,
        "end the job when ranks wait for each other for ever, or only say so (default: end; also: variable RMASHM_DEADLOCK)",
    ),
    spec(
        &["check"],
        &["[end|report|off]"],
        Ask::Check,
        "look for what the program does wrong, and end the job with status 56 there, or go on (default: end; also: variable RMASHM_CHECK)",
    ),
    spec(
        &["report"],
        &["[FILE]"],
        Ask::Report,
        "tell at the end what the ranks did in MPI: on stderr, or in FILE.txt, .json, .html, .svg",
    ),
    spec(
        &["trace"],
        &["FILE"],
        Ask::Trace,
        "write a time line of all calls, waits and messages: FILE.json or .json.gz, for Perfetto",
    ),
    spec(
        &["trace-size"],
        &["MIB"],
        Ask::TraceSize,
        "the most that a time line takes; what finds no room is counted (default: 64)",
    ),
    spec(
        &["configfile", "app"],
        &["FILE"],
        Ask::ConfigFile,
        "read the parts of the command line from FILE, one a line; # comments",
    ),
    spec(
        &["print-all-exitcodes"],
        &[],
        Ask::PrintExitCodes,
        "print the exit codes of all ranks at the end",
    ),
    spec(
        &["disable-auto-cleanup", "enable-recovery"],
        &[],
        Ask::NoCleanup,
        "do not end the job when a rank dies: the others are told, and go on",
    ),
    spec(
        &["initial-errhandler"],
        &["mpi_errors_are_fatal|mpi_errors_abort|mpi_errors_return"],
        Ask::InitialErrhandler,
        "the error handler of the predefined communicators (MPI 4.1 §11.8.4)",
    ),
    spec(
        &["thread-level"],
        &["single|funneled|serialized|multiple"],
        Ask::ThreadLevel,
        "the least thread level that MPI_Init and MPI_Init_thread give: for programs whose threads call MPI, and that ask for less (also: \
         variable RMASHM_THREAD_LEVEL)",
    ),
    spec(
        &["forward-signals"],
        &["A,B,.."],
        Ask::ForwardSignals,
        "signals to be passed on; those that can be are in any case",
    ),
    spec(
        &["memory-alloc-kinds"],
        &["KINDS"],
        Ask::MemoryAllocKinds,
        "memory allocation kinds the program asks for (MPI 4.1 §12.4.3)",
    ),
    spec(
        &["host", "hosts", "H", "add-host", "hosts-group"],
        &["HOSTS"],
        Ask::Hosts,
        "this machine, by any of its names: localhost, localhost:4",
    ),
    spec(
        &[
            "f",
            "hostfile",
            "machinefile",
            "default-hostfile",
            "add-hostfile",
        ],
        &["FILE"],
        Ask::HostFile,
        "file of hosts, all of them this machine",
    ),
    spec(
        &[
            "v",
            "verbose",
            "report-bindings",
            "print-rank-map",
            "prot",
            "output-proctable",
            "display-map",
            "display-devel-map",
            "display-diffable-map",
            "display-allocation",
            "display-devel-allocation",
            "display-topo",
        ],
        &[],
        Ask::Verbose,
        "say what is started, and where",
    ),
    spec(
        &["display"],
        &["WHAT"],
        Ask::VerboseHow,
        "as -verbose, whatever is to be displayed",
    ),
    spec(&["h", "help", "usage"], &[], Ask::Help, "this text"),
    spec(&["V", "version", "info"], &[], Ask::Version, "the version"),
];

/// All options, those of other launchers last.
fn all() -> impl Iterator<Item = Spec> {
    ours().chain(of_others())
}

/// Our own options.
pub fn ours() -> impl Iterator<Item = Spec> {
    LOCAL.iter().chain(GLOBAL).copied()
}

/// Those of other launchers.
pub fn of_others() -> impl Iterator<Item = Spec> {
    let nothing = |values| move |name| spec(std::slice::from_ref(name), values, Ask::Nothing, "");
    let cannot = |(name, reason): &'static (&'static str, &'static str)| {
        spec(std::slice::from_ref(name), &[], Ask::Cannot, reason)
    };
    let flags = foreign::FLAGS.iter().map(nothing(&[]));
    flags
        .chain(foreign::VALUED.iter().map(nothing(&["VALUE"])))
        .chain(foreign::PARAMETERS.iter().map(nothing(&["NAME", "VALUE"])))
        .chain(foreign::CANNOT.iter().map(cannot))
}

/// The option called `name` (without dashes).
pub fn find(name: &str) -> Option<Spec> {
    all().find(|spec| spec.names.contains(&name))
}

/// The option whose name is nearest to `name`, if one is near enough to have been meant.
pub fn nearest(name: &str) -> Option<&'static str> {
    let far_enough = name.chars().count().div_ceil(3).max(1);
    all()
        .flat_map(|spec| spec.names)
        .map(|known| (distance(name, known), *known))
        .min()
        .filter(|(distance, _)| *distance <= far_enough)
        .map(|(_, known)| known)
}

/// Edit distance: insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = substituted.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

/// What the launcher does.
pub const PURPOSE: &str = "Runs an MPI program as N ranks on this machine: one that was built for MPICH, for Open MPI or for the standard ABI, or any other.";

/// How options are written.
pub const FORMS: &str =
    "Options may be written with one dash or two, and --name=value for those with one value.";

/// The whole help text.
pub fn help() -> String {
    let mut text = format!(
        "Usage: mpiexec [options] program [arguments] [: [options] program [arguments]]...\n{PURPOSE}\n"
    );
    section(&mut text, "For one program (each part between ':')", LOCAL);
    section(&mut text, "For the whole job", GLOBAL);
    text.push_str(
        "\nAccepted because scripts for other launchers give them; they mean nothing here:\n",
    );
    for (names, values) in [
        (foreign::FLAGS, ""),
        (foreign::VALUED, " (with a value)"),
        (foreign::PARAMETERS, " (with a name and a value)"),
    ] {
        list(&mut text, names.iter().copied(), values);
    }
    text.push_str("\nOf other launchers, and refused with what to do instead:\n");
    list(&mut text, foreign::CANNOT.iter().map(|(name, _)| *name), "");
    let _ = writeln!(text, "\n{FORMS}");
    text.push_str(
        "\n\
         Lines of different ranks are never mixed; a line longer than 256 KiB is passed on in pieces.\n\
         INT, TERM, HUP and QUIT are passed on to all ranks, which have 5 s to end; a second one kills them. USR1, USR2 are passed on.\n\
         The exit status is that of the first rank to fail (128 + number of the signal, if killed by one), 124 after -timeout,\n\
         55 after a deadlock, 56 if -check found something, 127 or 126 if the program is not found or cannot be run. The death of a rank ends the job; so does leaving without\n\
         MPI_Finalize, if the status is not 0 or another rank comes to wait for the one that left. A rank that fails after\n\
         MPI_Finalize, or was never an MPI process, lets the others finish. A job in which ranks wait for each other and can\n\
         never go on is ended.\n",
    );
    text
}

/// Names, as many on a line as fit.
fn list(text: &mut String, names: impl Iterator<Item = &'static str>, values: &str) {
    let mut line = String::new();
    for name in names {
        if line.len() + name.len() > 100 {
            let _ = writeln!(text, " {line}");
            line.clear();
        }
        let _ = write!(line, " -{name}");
    }
    let _ = writeln!(text, " {line}{values}");
}

fn forms(spec: &Spec) -> String {
    let names: Vec<String> = spec.names.iter().map(|name| format!("-{name}")).collect();
    let mut text = names.join(", ");
    for value in spec.values {
        text += &written(value);
    }
    text
}

fn section(text: &mut String, title: &str, specs: &[Spec]) {
    let _ = writeln!(text, "\n{title}:");
    for spec in specs {
        let forms = forms(spec);
        let gap = match forms.len() {
            0..35 => String::new(),
            _ => format!("\n  {:<34} ", ""),
        };
        let _ = writeln!(text, "  {forms:<34} {gap}{}", spec.help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        assert_eq!(nearest("tiemout"), Some("timeout"));
        assert_eq!(nearest("bindto"), Some("bind-to"));
        assert_eq!(nearest("prepend-rnk"), Some("prepend-rank"));
        assert_eq!(nearest("completely-different"), None);
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names: Vec<_> = all().flat_map(|spec| spec.names).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("abc", "acb"), 1);
        assert_eq!(distance("genv", "genvall"), 3);
    }
}
