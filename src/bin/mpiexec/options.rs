//! The options of `mpiexec`: one table, from which the command line is read, the help is printed and a hint for an
//! unknown option is found.
//!
//! Every name is understood with one dash, as MPICH's launcher writes it, and with two, as GNU programs do.

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
    WorkDir,
    GlobalEnv,
    GlobalEnvList,
    GlobalEnvAll,
    GlobalEnvNone,
    PrependRank,
    OutPattern,
    ErrPattern,
    BindTo,
    Timeout,
    ConfigFile,
    PrintExitCodes,
    NoCleanup,
    MemoryAllocKinds,
    Hosts,
    HostFile,
    Verbose,
    Help,
    Version,
    /// Means nothing on one machine, and is accepted because scripts written for other launchers give it.
    Nothing,
}

/// One option: its names without dashes, the names of the values it takes, and its line of help.
pub struct Spec {
    pub names: &'static [&'static str],
    pub values: &'static [&'static str],
    pub ask: Ask,
    help: &'static str,
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
const LOCAL: &[Spec] = &[
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
        &["x"],
        &["NAME[=VALUE]"],
        Ask::Export,
        "as -env NAME=VALUE; NAME alone passes it on",
    ),
];

/// Options of the whole job.
const GLOBAL: &[Spec] = &[
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
        &["bind-to"],
        &["core|none"],
        Ask::BindTo,
        "give each rank a core of its own, if there are enough (default: none)",
    ),
    spec(
        &["timeout"],
        &["SECONDS"],
        Ask::Timeout,
        "end the job after this time (also: variable MPIEXEC_TIMEOUT)",
    ),
    spec(
        &["configfile"],
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
        &["disable-auto-cleanup"],
        &[],
        Ask::NoCleanup,
        "do not end the job when a rank dies: the others are told, and go on",
    ),
    spec(
        &["memory-alloc-kinds"],
        &["KINDS"],
        Ask::MemoryAllocKinds,
        "memory allocation kinds the program asks for (MPI 4.1 §12.4.3)",
    ),
    spec(
        &["host", "hosts", "H"],
        &["HOSTS"],
        Ask::Hosts,
        "this machine, by any of its names: localhost, localhost:4",
    ),
    spec(
        &["f", "hostfile", "machinefile"],
        &["FILE"],
        Ask::HostFile,
        "file of hosts, all of them this machine",
    ),
    spec(
        &["v", "verbose"],
        &[],
        Ask::Verbose,
        "say what is started, and where",
    ),
    spec(&["h", "help", "usage"], &[], Ask::Help, "this text"),
    spec(&["V", "version"], &[], Ask::Version, "the version"),
];

/// Options of other launchers that mean nothing here.
const NOTHING: &[Spec] = &[
    spec(&["oversubscribe"], &[], Ask::Nothing, ""),
    spec(&["allow-run-as-root"], &[], Ask::Nothing, ""),
    spec(&["quiet", "q"], &[], Ask::Nothing, ""),
    spec(&["launcher", "bootstrap"], &["NAME"], Ask::Nothing, ""),
    spec(
        &["launcher-exec", "bootstrap-exec"],
        &["PROGRAM"],
        Ask::Nothing,
        "",
    ),
    spec(&["rmk"], &["NAME"], Ask::Nothing, ""),
    spec(&["iface"], &["NAME"], Ask::Nothing, ""),
    spec(&["demux"], &["NAME"], Ask::Nothing, ""),
    spec(&["topolib"], &["NAME"], Ask::Nothing, ""),
    spec(&["nameserver"], &["HOST"], Ask::Nothing, ""),
    spec(&["ppn", "perhost"], &["N"], Ask::Nothing, ""),
    spec(&["map-by"], &["HOW"], Ask::Nothing, ""),
    spec(&["mca"], &["NAME", "VALUE"], Ask::Nothing, ""),
    spec(&["enable-x"], &[], Ask::Nothing, ""),
    spec(&["disable-x"], &[], Ask::Nothing, ""),
    spec(&["disable-hostname-propagation"], &[], Ask::Nothing, ""),
    spec(&["localhost"], &["NAME"], Ask::Nothing, ""),
];

fn all() -> impl Iterator<Item = &'static Spec> {
    LOCAL.iter().chain(GLOBAL).chain(NOTHING)
}

/// The option called `name` (without dashes).
pub fn find(name: &str) -> Option<&'static Spec> {
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

/// The whole help text.
pub fn help() -> String {
    let mut text = String::from(
        "Usage: mpiexec [options] program [arguments] [: [options] program [arguments]]...\n\
         Runs an MPI program (any MPICH-ABI binary, or any other program) as N ranks on this machine.\n",
    );
    section(&mut text, "For one program (each part between ':')", LOCAL);
    section(&mut text, "For the whole job", GLOBAL);
    text.push_str(
        "\nAccepted because scripts for other launchers give them; they mean nothing here:\n",
    );
    for spec in NOTHING {
        let _ = writeln!(text, "  {}", forms(spec));
    }
    text.push_str(
        "\nOptions may be written with one dash or two, and --name=value for those with one value.\n\
         \n\
         stdin goes to rank 0. Lines of different ranks are never mixed; a line longer than 256 KiB is passed on in pieces.\n\
         INT, TERM, HUP and QUIT are passed on to all ranks, which have 5 s to end; a second one kills them. USR1, USR2 are passed on.\n\
         The exit status is that of the first rank to fail (128 + number of the signal, if killed by one), 124 after -timeout,\n\
         127 or 126 if the program is not found or cannot be run. The death of a rank ends the job; so does leaving without\n\
         MPI_Finalize. A rank that fails after MPI_Finalize, or was never an MPI process, lets the others finish.\n",
    );
    text
}

fn forms(spec: &Spec) -> String {
    let names: Vec<String> = spec.names.iter().map(|name| format!("-{name}")).collect();
    let mut text = names.join(", ");
    for value in spec.values {
        let _ = write!(text, " {value}");
    }
    text
}

fn section(text: &mut String, title: &str, specs: &[Spec]) {
    let _ = writeln!(text, "\n{title}:");
    for spec in specs {
        let _ = writeln!(text, "  {:<34} {}", forms(spec), spec.help);
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
