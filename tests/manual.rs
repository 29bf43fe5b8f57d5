//! Man pages and completions of the staged prefix, by the programs that read them. That every option is there is a test of `manual`.

mod support;

use std::path::PathBuf;
use std::process::Child;

use harness::needs::need;
use harness::scratch::Scratch;
use support::{command, prefix, run};

fn share(name: &str) -> PathBuf {
    prefix().join("share").join(name)
}

/// A job that does nothing, as long as this lives.
struct Job(Child);

impl Job {
    fn start() -> Job {
        let mut mpiexec = command(prefix().join("bin/mpiexec"));
        let job = mpiexec.args(["-n", "1", "sleep", "60"]).spawn();
        Job(job.expect("mpiexec runs"))
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// All pages but those that only name another.
fn pages() -> Vec<PathBuf> {
    let folders = ["man/man1", "man/man7"].map(share);
    let files = folders.iter().flat_map(|folder| {
        let entries = std::fs::read_dir(folder).expect("the pages are staged");
        entries.map(|entry| entry.expect("the folder can be read").path())
    });
    let pages: Vec<PathBuf> = files
        .filter(|page| !std::fs::read_to_string(page).unwrap().starts_with(".so "))
        .collect();
    assert!(pages.len() >= 5, "{pages:?}");
    pages
}

#[test]
fn groff_formats_the_pages_without_a_warning() {
    if !need("groff", "groff-base") {
        return;
    }
    for page in pages() {
        let mut groff = command("groff");
        groff
            .args(["-man", "-ww", "-z", "-Kutf8", "-Tutf8"])
            .arg(&page);
        let output = groff.output().expect("groff runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && said.is_empty(),
            "{}: {said}",
            page.display()
        );
    }
}

#[test]
fn mandoc_finds_nothing_in_them() {
    if !need("mandoc", "mandoc") {
        return;
    }
    for page in pages() {
        let said = command("mandoc")
            .args(["-T", "lint", "-W", "warning"])
            .arg(&page)
            .output();
        let said = String::from_utf8_lossy(&said.expect("mandoc runs").stdout).into_owned();
        // The pages have no date: they are the same whenever they are made.
        let complaints: Vec<&str> = said
            .lines()
            .filter(|line| !line.contains("missing date"))
            .collect();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

#[test]
fn other_names_lead_to_the_page() {
    if !need("man", "man-db") {
        return;
    }
    for (name, title) in [
        ("mpirun", "MPIEXEC(1)"),
        ("mpif90", "MPICC(1)"),
        ("rmashm", "RMASHM(7)"),
    ] {
        let shown = run(command("man")
            .arg("-M")
            .arg(share("man"))
            .args(["-P", "cat", name]));
        assert!(shown.trim_start().starts_with(title), "{name}: {shown}");
    }
}

/// What bash offers for the last of these words, of which the first is the tool.
fn offered_by_bash(words: &[&str]) -> Vec<String> {
    let script = share("bash-completion/completions").join(words[0]);
    let ask = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))
        [[ $(complete -p \"$1\") =~ '-F '(_rmashm_[a-z]+)\" $1\"$ ]] || exit 1
        ${BASH_REMATCH[1]}; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = command("bash");
    bash.args(["--norc", "-c", ask, "bash"])
        .arg(script)
        .args(words);
    let folder = Scratch::new("completion");
    folder.write("program.x", "");
    let place = PathBuf::from(folder.file("program.x"));
    bash.current_dir(place.parent().expect("a folder"));
    run(&mut bash).lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes() {
    if !need("bash", "bash") {
        return;
    }
    let offers = |words: &[&str], wanted: &str| {
        let offered = offered_by_bash(words);
        assert!(
            offered.iter().any(|word| word == wanted),
            "{words:?}: {offered:?}"
        );
        offered
    };
    let offered = offers(&["mpiexec", "-tim"], "-timeout");
    assert_eq!(offered.len(), 1);
    offers(&["mpiexec", "--genv"], "--genvlist");
    assert_eq!(offers(&["mpiexec", "-abi", ""], "openmpi").len(), 4);
    // The value of an option is not the program, nor are two of -env; = makes words of its own.
    offers(&["mpiexec", "-n", "4", "-env", "A", "1", "-bi"], "-bind-to");
    offers(&["mpiexec", "--abi", "=", "st"], "standard");
    offers(&["mpiexec", "-mca", "x", "y", "-hostf"], "-hostfile");
    // Behind the program come its own words, behind a colon another part.
    assert_eq!(
        offers(&["mpiexec", "-n", "2", "./a", "program"], "program.x").len(),
        1
    );
    offers(&["mpiexec", "./a", ":", "-wd"], "-wdir");
    assert!(!offered_by_bash(&["mpiexec", "./a", "-wd"]).contains(&"-wdir".to_owned()));
    offers(&["mpirun", "progra"], "program.x");
}

#[test]
fn bash_completes_rmashm_top() {
    if !need("bash", "bash") || !need("pgrep", "procps") {
        return;
    }
    let offered = |words: &[&str]| offered_by_bash(&[&["rmashm-top"], words].concat());
    assert_eq!(offered(&["-del"]), ["-delay"]);
    assert_eq!(offered(&["--js"]), ["--json"]);
    assert_eq!(offered(&["-core", ""]), ["program.x"]);
    assert_eq!(offered(&["--core", "="]), ["program.x"]);
    assert_eq!(offered(&["-delay", ""]), [""]);
    let job = Job::start();
    assert!(offered(&["-once", ""]).contains(&job.pid()));
}

#[test]
fn zsh_reads_its_completions() {
    if !need("zsh", "zsh") {
        return;
    }
    let folder = share("zsh/site-functions");
    for name in ["_mpiexec", "_rmashm-top"] {
        run(command("zsh").args(["-f", "-n"]).arg(folder.join(name)));
    }
    // They are found under the tools' names.
    let ask = "fpath=($1 $fpath); autoload -U compinit; compinit -D -u
        print $_comps[mpiexec] $_comps[mpirun] $_comps[rmashm-top]";
    let told = run(command("zsh").args(["-f", "-c", ask, "zsh"]).arg(folder));
    assert_eq!(told, "_mpiexec _mpiexec _rmashm-top\n");
}

/// What zsh makes of lines in folder $2 after a tab, by the completions in folder $1: a shell for each, at a terminal of its own.
const ZSH_LINES: &str = r#"
zmodload zsh/zpty
for line in "${@:3}"; do
    zpty -b shell zsh -f -i
    zpty -w shell "fpath=(${(q)1} \$fpath); cd ${(q)2}; autoload -U compinit; compinit -D -u"
    zpty -w shell "tell() { print -r -- \$BUFFER > .half; mv .half .said }; zle -N tell; bindkey '^X' tell"
    zpty -wn shell $line$'\t\C-x'
    until [[ -e $2/.said ]] { zpty -rt shell shown; sleep 0.02 }
    zpty -d shell
    cat $2/.said
    rm $2/.said
done
"#;

#[test]
fn zsh_completes() {
    if !need("zsh", "zsh") || !need("pgrep", "procps") {
        return;
    }
    let folder = Scratch::new("zsh");
    folder.write("program.x", "");
    let job = Job::start();
    let of_job = format!("rmashm-top -once {}", job.pid());
    let found = format!("{of_job} ");
    let lines = [
        ("mpiexec -timeo", "mpiexec -timeout "),
        ("mpirun --genvl", "mpirun --genvlist "),
        ("mpiexec -abi openm", "mpiexec -abi openmpi "),
        // The value of an option is not the program, nor are two of -env.
        ("mpiexec -env A 1 -wdi", "mpiexec -env A 1 -wdir "),
        ("mpiexec -x A progr", "mpiexec -x A program.x "),
        ("mpiexec -n 2 truncat", "mpiexec -n 2 truncate "),
        // Behind the program come its own words, behind a colon another part.
        ("mpiexec -n 2 true -wdi", "mpiexec -n 2 true -wdi"),
        ("mpiexec -n 2 true : -wdi", "mpiexec -n 2 true : -wdir "),
        (
            "mpiexec true : -n 1 progr",
            "mpiexec true : -n 1 program.x ",
        ),
        ("rmashm-top -del", "rmashm-top -delay "),
        ("rmashm-top --core progr", "rmashm-top --core program.x "),
        (&of_job, &found),
        // No process of a launcher has this number.
        ("rmashm-top 0", "rmashm-top 0"),
    ];
    let mut zsh = command("zsh");
    zsh.args(["-f", "-c", ZSH_LINES, "zsh"])
        .arg(share("zsh/site-functions"))
        .arg(folder.file(""))
        .args(lines.map(|(typed, _)| typed));
    let said = run(&mut zsh);
    let wanted = lines.map(|(_, completed)| completed);
    assert_eq!(said.lines().collect::<Vec<_>>(), wanted);
}

#[test]
fn fish_completes() {
    if !need("fish", "fish") || !need("pgrep", "procps") {
        return;
    }
    let home = Scratch::new("fish");
    home.write("x", "");
    let home = PathBuf::from(home.file("x"));
    let offered = |line: &str| {
        let mut fish = command("fish");
        fish.env("HOME", home.parent().expect("a folder"));
        fish.args([
            "--no-config",
            "-c",
            "for file in $argv[2..-1]; source $file; end; complete -C $argv[1]",
            line,
        ]);
        fish.args(
            ["mpiexec.fish", "mpirun.fish", "rmashm-top.fish"]
                .map(|name| share("fish/vendor_completions.d").join(name)),
        );
        let told = run(&mut fish);
        let words = told.lines().filter_map(|line| line.split('\t').next());
        words.map(str::to_owned).collect::<Vec<String>>()
    };
    assert!(offered("mpiexec -timeo").contains(&"-timeout".to_owned()));
    assert!(offered("mpirun --genvl").contains(&"--genvlist".to_owned()));
    assert!(offered("mpiexec -abi ").contains(&"openmpi".to_owned()));
    assert!(offered("mpiexec -env A 1 -wd").contains(&"-wdir".to_owned()));
    assert!(!offered("mpiexec -n 2 true -wd").contains(&"-wdir".to_owned()));
    assert!(offered("mpiexec -n 2 true : -wd").contains(&"-wdir".to_owned()));
    assert!(offered("rmashm-top -del").contains(&"-delay".to_owned()));
    assert!(offered("rmashm-top --js").contains(&"--json".to_owned()));
    let job = Job::start();
    assert!(offered("rmashm-top ").contains(&job.pid()));
    assert!(offered("rmashm-top -once ").contains(&job.pid()));
    assert_eq!(offered("rmashm-top -delay "), [] as [String; 0]);
}
