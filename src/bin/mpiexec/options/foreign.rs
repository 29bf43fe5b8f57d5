//! The options of MPICH's, Hydra's, Intel's and Open MPI's launchers, and of the standard's mpiexec, that are not ours: those
//! that mean nothing on one machine, by how many values they take, and those that mean something that is not done here, with
//! the reason.

/// Without a value, and without a meaning here.
pub const FLAGS: &[&str] = &[
    "allow-run-as-root",
    "bycore",
    "bynode",
    "byslot",
    "d",
    "debug-daemons",
    "debug-daemons-file",
    "debug-devel",
    "disable-hostname-propagation",
    "disable-recovery",
    "disable-x",
    "do-not-resolve",
    "enable-instant-on-support",
    "enable-x",
    "fwd-mpirun-port",
    "get-stack-traces",
    "hetero-nodes",
    "hybrid-hosts",
    "leave-session-attached",
    "no-app-prefix",
    "no-ready-msg",
    "noconf",
    "noprefix",
    "novm",
    "ordered-output",
    "oversubscribe",
    "pernode",
    "pmi-port",
    "preload-binary",
    "profile",
    "q",
    "quiet",
    "report-child-jobs-separately",
    "report-state-on-timeout",
    "rr",
    "set-sid",
    "show-progress",
    "silent-abort",
    "system-server",
    "use-hwthread-cpus",
    "use-regexp",
];

/// With a value, and without a meaning here.
pub const VALUED: &[&str] = &[
    "am",
    "amca",
    "app-pmix-prefix",
    "arch",
    "bootstrap",
    "bootstrap-exec",
    "bootstrap-exec-args",
    "branch-count",
    "cartofile",
    "cf",
    "cpus-per-proc",
    "cpus-per-rank",
    "demux",
    "gpu-support",
    "gpus-per-proc",
    "grr",
    "hnp",
    "iface",
    "keepalive",
    "launch-agent",
    "launcher",
    "launcher-exec",
    "localhost",
    "map-by",
    "max-vm-size",
    "nameserver",
    "ompi-server",
    "order-nodes",
    "perhost",
    "personality",
    "pmix-prefix",
    "ppn",
    "ppr",
    "prefix",
    "preload-files",
    "rank-by",
    "rankmap",
    "report-events",
    "rmk",
    "singleton",
    "soft",
    "spawn-timeout",
    "tmpdir",
    "topolib",
    "tune",
];

/// With two values, and without a meaning here: parameters of other libraries.
pub const PARAMETERS: &[&str] = &[
    "gmca", "gomca", "gpmixmca", "gprtemca", "mca", "omca", "pmixmca", "prtemca",
];

const DEBUGGER: &str =
    "start the debugger as the program: mpiexec -n 2 xterm -e gdb --args ./program";
const BINDING: &str =
    "ranks are bound by -bind-to core, or all together by taskset or numactl before mpiexec";
const HERE: &str = "all ranks run on this machine, which has no other";
const STAMPS: &str = "times are not put before lines of output (a filter can: mpiexec ... | ts)";
const XML: &str = "output is not written as XML (-outfile-pattern keeps that of each rank apart)";
const RESTART: &str =
    "a rank that has failed is not started again (-disable-auto-cleanup lets the others go on)";
const TOOLS: &str = "start the tool as the program: mpiexec -n 2 tool ./program";
const PROTOCOLS: &str = "it needs a runtime that stays when the job is over, which there is not";

/// What is not done here, and what to do instead.
pub const CANNOT: &[(&str, &str)] = &[
    ("append-env", "give the whole value: -x NAME=VALUE"),
    ("aps", TOOLS),
    ("bind-to-socket", BINDING),
    ("binding", BINDING),
    ("continuous", RESTART),
    ("cpu-bind", BINDING),
    ("cpu-list", BINDING),
    ("cpu-set", BINDING),
    ("debug", DEBUGGER),
    ("debugger", DEBUGGER),
    (
        "do-not-launch",
        "there is nothing to be shown of a job that is not started",
    ),
    ("dvm", PROTOCOLS),
    ("file", "give the options themselves, or -configfile FILE"),
    ("gdb", DEBUGGER),
    ("gdb-args", DEBUGGER),
    ("gtool", TOOLS),
    ("gtoolfile", TOOLS),
    (
        "index-argv-by-rank",
        "a program finds its rank in the variable PMI_RANK",
    ),
    ("max-restarts", RESTART),
    ("membind", BINDING),
    ("mps", TOOLS),
    ("nolocal", HERE),
    ("npersocket", "give the number of ranks: -n N"),
    ("prepend-env", "give the whole value: -x NAME=VALUE"),
    ("prepend-timestamp", STAMPS),
    (
        "pset",
        "there are the process sets mpi://WORLD and mpi://SELF, and no others",
    ),
    ("rankfile", BINDING),
    ("report-pid", "a shell knows it: mpiexec ... & echo $!"),
    ("report-uri", PROTOCOLS),
    ("rf", BINDING),
    (
        "runtime-options",
        "of these there are -timeout and -disable-auto-cleanup",
    ),
    (
        "set-cwd-to-session-dir",
        "there is no such folder (-wdir DIR names one)",
    ),
    ("skip-launch-node", HERE),
    ("stop-in-app", DEBUGGER),
    ("stop-in-init", DEBUGGER),
    ("stop-on-exec", DEBUGGER),
    ("timestamp-output", STAMPS),
    ("tv", DEBUGGER),
    (
        "with-ft",
        "of fault tolerance there is -disable-auto-cleanup: the others get MPI_ERR_PROC_FAILED",
    ),
    ("xml", XML),
    ("xml-file", XML),
    ("xterm", DEBUGGER),
];
