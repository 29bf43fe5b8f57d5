//! The recipes of `packaging/` and of the documents: the module file is loaded, the others are read as those do that they are for.
//! None of them is built here: what they build with is not on this machine.

mod support;

use std::process::Command;

use harness::needs::{missing, need};
use support::{command, prefix, repository, run};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn read(file: &str) -> String {
    let path = repository().join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_module_file_leads_to_its_prefix() {
    if !need("modulecmd", "environment-modules") {
        return;
    }
    let modules = prefix().join("share/modulefiles");
    let shell = |script: &str| {
        let mut sh = command("sh");
        sh.args(["-c", script]).env("MODULEPATH", &modules);
        for variable in ["LOADEDMODULES", "_LMFILES_", "MANPATH"] {
            sh.env_remove(variable);
        }
        run(&mut sh)
    };
    let load = r#"eval "$(modulecmd sh load rmashm)""#;
    let told = shell(&format!(
        r#"{load}; command -v mpicc; echo "$MPI_HOME"; echo "$MANPATH"; pkg-config --variable=prefix rmashm 2>&1; mpiexec -V"#
    ));
    let told: Vec<&str> = told.lines().collect();
    let root = prefix().display();
    assert_eq!(told[0], format!("{root}/bin/mpicc"));
    assert_eq!(told[1], root.to_string());
    assert_eq!(told[2], format!("{root}/share/man:"));
    let version = format!("mpiexec (rmashm) {VERSION}");
    assert!(
        told.iter().any(|line| line.starts_with(&version)),
        "{told:?}"
    );
    let after = shell(&format!(
        r#"{load}; eval "$(modulecmd sh unload rmashm)"; echo "$PATH"; echo "home:$MPI_HOME""#
    ));
    assert!(!after.contains(&root.to_string()), "{after}");
    assert!(after.ends_with("home:\n"), "{after}");
}

/// Runs a program in Python with arguments.
fn python(program: &str, arguments: &[&str]) -> String {
    let mut python = command("python3");
    python
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-c", program]);
    run(python.args(arguments).current_dir(repository()))
}

#[test]
fn spacks_package_is_a_package() {
    if !need("python3", "python3") {
        return;
    }
    // The names that it takes from Spack, which do nothing but say what they were given. Others are an error.
    let program = r#"
import pathlib, runpy, sys, types
said = []
def directive(name):
    def say(*words, **more):
        said.append((name, *words))
        return lambda function: function
    return say
spack, package = types.ModuleType("spack"), types.ModuleType("spack.package")
package.Package = type("Package", (), {})
package.Executable = lambda path: lambda *words: said.append((path, *words))
package.make = lambda *words: said.append(("make", *words))
for name in "license version variant provides depends_on requires run_after".split():
    setattr(package, name, directive(name))
package.__all__ = [name for name in vars(package) if not name.startswith("_")]
sys.modules |= {"spack": spack, "spack.package": package}
made = runpy.run_path("packaging/spack/package.py")["Rmashm"]()
class Prefix(str):
    bin = types.SimpleNamespace(mpiexec="mpiexec")
made.prefix = Prefix("/p")
made.install(None, made.prefix)
made.check_install()
print(made.url_for_version("9").endswith("/rmashm-9.tar.xz"))
print(*said, sep="\n")
"#;
    let told = python(program, &[]);
    let version = format!("('version', '{VERSION}')");
    for wanted in [
        "True",
        &version,
        "('provides', 'mpi@:5.0')",
        "('make', 'install', 'PREFIX=/p')",
    ] {
        assert!(
            told.lines().any(|line| line == wanted),
            "{wanted} is not in\n{told}"
        );
    }
    let calls = told
        .find("('make',)")
        .zip(told.find("('mpiexec', '-n', '2', 'true')"));
    assert!(
        calls.is_some_and(|(build, try_it)| build < try_it),
        "{told}"
    );
}

/// Whether Python reads YAML.
fn has_yaml() -> bool {
    let asked = Command::new("python3").args(["-c", "import yaml"]).output();
    let has = asked.is_ok_and(|output| output.status.success());
    if !has {
        missing("python3 has no module yaml (PyPI: pip install pyyaml)");
    }
    has
}

#[test]
fn condas_recipe_is_read() {
    if !has_yaml() {
        return;
    }
    let program = r#"
import sys, yaml
recipe = yaml.safe_load(open("packaging/conda/recipe.yaml"))
print(recipe["context"]["version"], recipe["package"]["name"])
print(*recipe["build"]["script"], sep="; ")
print(*recipe["about"]["license_file"], *(f for t in recipe["tests"] for f in t.get("files", {}).get("source", [])))
"#;
    let told = python(program, &[]);
    let told: Vec<&str> = told.lines().collect();
    assert_eq!(told[0], format!("{VERSION} rmashm"));
    let build = told[1].split_once("; ").map(|(_, build)| build);
    assert_eq!(build, Some("make; make install PREFIX=$PREFIX"));
    for file in told[2].split(' ') {
        assert!(repository().join(file).is_file(), "there is no {file}");
    }
}

/// The blocks of code of a language in a document.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = read(document);
    let mark = format!("\n```{language}\n");
    let begun = text.split(&mark).skip(1);
    let whole = begun.map(|rest| rest.split("\n```").next().unwrap_or_default().to_string());
    let blocks: Vec<String> = whole.collect();
    assert!(!blocks.is_empty(), "{document} has no {language}");
    blocks
}

#[test]
fn workflows_of_the_documents_are_read() {
    if !has_yaml() {
        return;
    }
    let program = r#"
import sys, yaml
for job in yaml.safe_load(sys.argv[1])["jobs"].values():
    print(job["runs-on"])
    for step in job["steps"]:
        print(*([step["uses"]] if "uses" in step else step["run"].splitlines()), sep="\n")
"#;
    for workflow in blocks("docs/recipes.md", "yaml") {
        let told = python(program, &[&workflow]);
        assert!(
            told.contains("pip install rmashm") && told.contains("mpiexec "),
            "{told}"
        );
    }
}

#[test]
fn container_files_of_the_documents_are_lists_of_instructions() {
    const KNOWN: [&str; 6] = ["FROM", "RUN", "COPY", "USER", "WORKDIR", "CMD"];
    for file in blocks("docs/recipes.md", "dockerfile") {
        let words = file
            .lines()
            .map(|line| line.split(' ').next().unwrap_or_default());
        let words: Vec<&str> = words.collect();
        assert_eq!(words[0], "FROM");
        assert!(words.iter().all(|word| KNOWN.contains(word)), "{words:?}");
    }
}
