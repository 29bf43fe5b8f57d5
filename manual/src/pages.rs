//! The pages: which there are, and what they are made of.

use crate::options::{self, Ask, Spec};
use crate::paper;
use crate::roff::{Page, bold, italic, plain};

const LAUNCHER: &str = include_str!("../../docs/launcher.md");
const ENVIRONMENT: &str = include_str!("../../docs/environment.md");
const HINTS: &str = include_str!("../../docs/hints.md");
const README: &str = include_str!("../../README.md");
const MPICC: &str = include_str!("../../src/bin/mpicc/mpicc.txt");
const MODULES: &str = include_str!("../../src/bin/mpicc/rmashm-modules.txt");
const RUN: &str = include_str!("../../programs/src/rmashm-run.txt");
const ABI: &str = include_str!("../../programs/src/rmashm-abi.txt");
pub const TOP: &str = include_str!("../../top/src/rmashm-top.txt");

/// The other names of the compiler wrapper.
const WRAPPERS: [&str; 8] = [
    "mpicxx",
    "mpic++",
    "mpifort",
    "mpif77",
    "mpif90",
    "mpicc_abi",
    "mpicxx_abi",
    "mpic++_abi",
];

/// All pages, by their place below `share`. Tools whose names other MPIs have, too, are called with the suffix.
pub fn all(suffix: &str) -> Vec<(String, String)> {
    let mut files = vec![
        page(&format!("mpiexec{suffix}"), 1, mpiexec()),
        page(&format!("mpicc{suffix}"), 1, mpicc()),
        page(
            "rmashm-modules",
            1,
            of_help(
                "rmashm-modules",
                "make Fortran's MPI modules for a compiler",
                MODULES,
            ),
        ),
        page(
            "rmashm-abi",
            1,
            of_help(
                "rmashm-abi",
                "tell which MPI library programs were linked with",
                ABI,
            ),
        ),
        page(
            "rmashm-run",
            1,
            of_help(
                "rmashm-run",
                "lead a program to the MPI library that it wants",
                RUN,
            ),
        ),
        page(
            "rmashm-top",
            1,
            of_help("rmashm-top", "show the jobs of this user, live", TOP),
        ),
        page("rmashm", 7, rmashm()),
    ];
    let aliases = WRAPPERS.iter().map(|name| (*name, "mpicc"));
    for (name, of) in aliases.chain([("mpirun", "mpiexec")]) {
        files.push(page(
            &format!("{name}{suffix}"),
            1,
            format!(".so man1/{of}{suffix}.1\n"),
        ));
    }
    files
}

fn page(name: &str, section: u32, text: String) -> (String, String) {
    (format!("man/man{section}/{name}.{section}"), text)
}

fn name(page: &mut Page, names: &[&str], title: &str) {
    page.section("Name");
    let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    page.line(&format!("{} \\- {}", names.join(", "), plain(title)));
}

fn see_also(page: &mut Page, others: &[(&str, u32)]) {
    page.section("See also");
    let others: Vec<String> = others
        .iter()
        .map(|(name, section)| format!("{}({section})", bold(name)))
        .collect();
    page.line(&others.join(",\n"));
}

fn mpiexec() -> String {
    let mut page = Page::new("mpiexec", 1);
    name(
        &mut page,
        &["mpiexec", "mpirun"],
        "run an MPI program as ranks on this machine",
    );
    page.section("Synopsis");
    let part = format!(
        "[{}] {} [{}]",
        italic("options"),
        italic("program"),
        italic("arguments")
    );
    page.line(&format!("{} {part} [: {part}] ...", bold("mpiexec")));
    page.section("Description");
    page.line(&plain(options::PURPOSE));
    page.paragraph();
    page.line(&plain(options::FORMS));
    page.section("Options");
    page.subsection("For one program (each part between colons)");
    list(&mut page, options::LOCAL);
    page.subsection("For the whole job");
    list(&mut page, options::GLOBAL);
    page.subsection("Of other launchers, and without a meaning here");
    let nothing: Vec<Spec> = options::of_others()
        .filter(|spec| spec.ask == Ask::Nothing)
        .collect();
    let forms: Vec<String> = nothing.iter().map(form).collect();
    page.line(&forms.join(",\n"));
    page.subsection("Of other launchers, and refused with what to do instead");
    for spec in options::of_others().filter(|spec| spec.ask == Ask::Cannot) {
        page.item(&form(&spec), &plain(spec.help));
    }
    for (title, text) in paper::titled(paper::head(LAUNCHER)) {
        page.section(&title);
        page.line(&paper::inline(&text));
    }
    page.section("Other launchers");
    paper::write(&mut page, paper::part(LAUNCHER, "Other launchers"));
    see_also(&mut page, &[("mpicc", 1), ("rmashm-abi", 1), ("rmashm", 7)]);
    page.text()
}

fn list(page: &mut Page, specs: &[Spec]) {
    for spec in specs {
        page.item(&form(spec), &plain(spec.help));
    }
}

/// An option's names and values.
fn form(spec: &Spec) -> String {
    let names: Vec<String> = spec
        .names
        .iter()
        .map(|name| bold(&format!("-{name}")))
        .collect();
    let values: Vec<String> = spec
        .values
        .iter()
        .map(|value| match value.trim_matches(['[', ']']) {
            name if name.len() < value.len() => format!("[={}]", italic(name)),
            name => format!(" {}", italic(name)),
        })
        .collect();
    format!("{}{}", names.join(", "), values.concat())
}

fn mpicc() -> String {
    let mut page = Page::new("mpicc", 1);
    let names: Vec<&str> = ["mpicc"].into_iter().chain(WRAPPERS).collect();
    name(&mut page, &names, "compile and link MPI programs");
    page.section("Synopsis");
    let rest = format!(
        "[{}] [{}]",
        italic("options"),
        italic("options and files of the compiler")
    );
    page.line(&format!("{} {rest}", bold("mpicc")));
    page.section("Description");
    help(&mut page, MPICC);
    see_also(
        &mut page,
        &[("mpiexec", 1), ("rmashm-modules", 1), ("rmashm", 7)],
    );
    page.text()
}

/// The page of a tool whose help text begins with its usage.
fn of_help(tool: &str, title: &str, text: &str) -> String {
    let mut page = Page::new(tool, 1);
    name(&mut page, &[tool], title);
    let (usage, rest) = text.split_once('\n').expect("a help text has lines");
    let usage = usage
        .strip_prefix("Usage: ")
        .expect("it begins with the usage");
    page.section("Synopsis");
    page.line(&plain(usage));
    page.section("Description");
    help(&mut page, rest);
    see_also(&mut page, &[("mpiexec", 1), ("mpicc", 1), ("rmashm", 7)]);
    page.text()
}

/// A help text: paragraphs, and options that are indented by two with what is said of them behind two blanks or more.
fn help(page: &mut Page, text: &str) {
    let mut new_paragraph = false;
    for line in text.trim().lines() {
        if line.is_empty() {
            new_paragraph = true;
            continue;
        }
        let begins = std::mem::take(&mut new_paragraph);
        match line.strip_prefix("  ") {
            Some(option) if !option.starts_with(' ') => {
                let (tag, said) = option.split_once("  ").unwrap_or((option, ""));
                page.item(&bold(tag), &plain(said.trim()));
            }
            Some(more) => page.line(&plain(more.trim())),
            None => {
                if begins {
                    page.paragraph();
                }
                page.line(&plain(line));
            }
        }
    }
}

fn rmashm() -> String {
    let mut page = Page::new("rmashm", 7);
    name(&mut page, &["rmashm"], "an MPI library for one machine");
    page.section("Description");
    // What follows is a table of the papers.
    let what = paper::head(README).split("\n|").next().unwrap_or("");
    paper::write(&mut page, what);
    page.section("Environment");
    paper::write(&mut page, paper::head(ENVIRONMENT));
    page.section("Info keys");
    for part in ["Windows", "Communicators", "Memory kinds"] {
        page.subsection(part);
        paper::write(&mut page, paper::part(HINTS, part));
    }
    for part in ["Control variables", "Performance variables"] {
        page.section(part);
        paper::write(&mut page, paper::part(HINTS, part));
    }
    see_also(
        &mut page,
        &[
            ("mpiexec", 1),
            ("mpicc", 1),
            ("rmashm-modules", 1),
            ("rmashm-abi", 1),
            ("rmashm-run", 1),
        ],
    );
    page.text()
}
