//! Makes `mpi.h` of `src/mpi`, `src/abi` and the frame `mpi.h.in`; part of the build script.
//!
//! cbindgen turns Rust's declarations into C's. It does not look into macros and does not print function types, so the
//! sources are prepared for it first ([`prepare`]) and its output is put in order afterwards ([`Header`]).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Sources that have no place in the header: macros, and what the frame writes itself.
const SKIPPED: [&str; 3] = ["mod.rs", "boundary", "data.rs"];
/// Constants that are addresses: the frame writes their casts.
const ADDRESSES: &str = "addresses.rs";
/// Integers whose C types the frame chooses.
const INTEGERS: [&str; 4] = ["MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Fint"];
/// Types that are enumerations in C: their constants become enumerators.
const ENUMERATIONS: [&str; 2] = ["MPI_T_cb_safety", "MPI_T_source_order"];
/// Longest line of the header.
const WIDTH: usize = 110;

/// The Rust sources below `folder`, in a fixed order.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if SKIPPED.contains(&&*name) || name == ADDRESSES {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The header, or what cbindgen did not understand. `scratch` is a file for the prepared source.
pub fn header(sources: &[PathBuf], frame: &str, scratch: &Path) -> Result<String, String> {
    let mut prepared = String::new();
    for path in sources {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        prepared += &prepare(&text);
    }
    std::fs::write(scratch, &prepared).map_err(|e| format!("{}: {e}", scratch.display()))?;

    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        no_includes: true,
        documentation: false,
        style: cbindgen::Style::Both,
        ..Default::default()
    };
    config.function.args = cbindgen::Layout::Horizontal;
    config.export.exclude = INTEGERS.map(str::to_string).to_vec();
    // cbindgen prints a type that no function uses only if it is told to.
    config.export.include = type_names(&prepared);
    config
        .export
        .include
        .retain(|name| name.starts_with("MPI") && !INTEGERS.contains(&&**name));
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(scratch)
        .generate()
        .map_err(|error| error.to_string())?;
    let mut printed = Vec::new();
    bindings.write(&mut printed);
    let printed = String::from_utf8(printed).map_err(|error| error.to_string())?;
    Ok(Header::read(&printed, &prepared)?.fill(frame))
}

/// The types that `prepared` defines, in its order.
fn type_names(prepared: &str) -> Vec<String> {
    prepared
        .lines()
        .filter_map(|line| {
            line.strip_prefix("pub type ")
                .or(line.strip_prefix("pub struct "))
        })
        .filter_map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
        })
        .map(str::to_string)
        .collect()
}

/// Writes a source so that cbindgen sees what the macros make of it, one constant a line.
fn prepare(source: &str) -> String {
    let mut out = String::new();
    let mut list = "";
    let source = without_fast_paths(source);
    let mut lines = source.into_iter().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim();
        if text == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.starts_with("mod ")) {
            break;
        }
        if text.starts_with("//") || text.starts_with("#![") {
            continue;
        }
        match text {
            "handles! {" | "opaque! {" => list = text,
            "}" if !list.is_empty() => list = "",
            _ if list == "handles! {" => {
                let _ = writeln!(out, "pub type {} = c_int;", text.trim_end_matches(';'));
            }
            _ if list == "opaque! {" => {
                let _ = writeln!(out, "pub struct {text}");
            }
            "#[apply(mpi_counts)]" => {
                let (name, parameters) = signature(&mut lines);
                declare(&mut out, &name, &parameters, "");
            }
            "#[apply(mpi_collective)]" => {
                let mut names = String::new();
                while !names.ends_with(")]") {
                    names += lines.next().unwrap_or(")]").trim();
                }
                let (_, parameters) = signature(&mut lines);
                let names = names.trim_start_matches("#[names(").trim_end_matches(")]");
                for name in names.split(',').map(str::trim).filter(|n| !n.is_empty()) {
                    let form = match name {
                        _ if name.ends_with("_init") => "info: MPI_Info, request: *mut MPI_Request",
                        _ if name.starts_with("MPI_I") => "request: *mut MPI_Request",
                        _ => "",
                    };
                    declare(&mut out, name, &parameters, form);
                }
            }
            _ if text.starts_with("#[apply(mpi_") => out += "#[unsafe(no_mangle)]\n",
            _ if line.starts_with("pub const ") => {
                out += line;
                while !out.ends_with(';') {
                    let Some(next) = lines.next() else { break };
                    let _ = write!(out, " {}", next.trim());
                }
                out.push('\n');
            }
            _ => {
                out += line;
                out.push('\n');
            }
        }
    }
    unwrap_callbacks(&unwrap_handles(&raw_pointers(
        &raw_pointers(&out, "In<", "*const "),
        "Mut<",
        "*mut ",
    )))
}

fn raw_pointers(source: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    while let Some(at) = rest.find(from) {
        let tail = &rest[at + from.len()..];
        let mut depth = 1;
        let end = tail
            .find(|c| {
                depth += (c == '<') as i32 - (c == '>') as i32;
                depth == 0
            })
            .unwrap_or(0);
        out += &rest[..at];
        out += to;
        out += tail[..end]
            .trim_start_matches("'a, ")
            .trim_start_matches("'_, ");
        rest = &tail[end + 1..];
    }
    out + rest
}

/// The name and the parameters of the function that begins here; `lines` goes on after it.
/// The lines but those of `#[quick(…)]`, which are code.
fn without_fast_paths(source: &str) -> Vec<&str> {
    let mut inside = false;
    let mut is_other = |line: &&str| {
        inside |= line.starts_with("#[quick(");
        let other = !inside;
        inside &= !line.ends_with(")]");
        other
    };
    source.lines().filter(|line| is_other(line)).collect()
}

fn signature<'a>(lines: &mut impl Iterator<Item = &'a str>) -> (String, String) {
    let mut head = String::new();
    for line in lines.by_ref() {
        head += line.trim();
        if line.ends_with('{') {
            break;
        }
        head.push(' ');
    }
    lines.by_ref().find(|line| *line == "}");
    let (before, after) = head.split_once('(').unwrap_or((&head, ""));
    // The result may be in parentheses, too.
    let (parameters, _) = after.rsplit_once(") ->").unwrap_or((after, ""));
    let name = before.rsplit(' ').next().unwrap_or_default();
    let parameters = parameters.trim().trim_end_matches(',');
    (name.to_string(), parameters.to_string())
}

/// Declares `name` and its large count form. `more` are parameters after the others.
fn declare(out: &mut String, name: &str, parameters: &str, more: &str) {
    const SMALL: [(&str, &str); 3] = [
        ("Count", "c_int"),
        ("Displ", "c_int"),
        ("Extent", "MPI_Aint"),
    ];
    const LARGE: [(&str, &str); 3] = [
        ("Count", "MPI_Count"),
        ("Displ", "MPI_Aint"),
        ("Extent", "MPI_Count"),
    ];
    for (suffix, types) in [("", SMALL), ("_c", LARGE)] {
        let mut all = format!("{parameters},");
        for (from, to) in types {
            // A type stands after a colon or, behind a pointer, after `const` or `mut`.
            for before in ["In<", "Mut<"] {
                all = all.replace(&format!("{before}{from}>"), &format!("{before}{to}>"));
            }
            for before in [": ", "*const ", "*mut "] {
                all = all.replace(&format!("{before}{from},"), &format!("{before}{to},"));
            }
        }
        let _ = writeln!(
            out,
            "#[unsafe(no_mangle)]\npub extern \"C\" fn {name}{suffix}({all} {more}) -> c_int {{ 0 }}"
        );
    }
}

/// `= MPI_Comm(0x44000000);` → `= 0x44000000;`: a handle is an integer in C.
fn unwrap_handles(source: &str) -> String {
    let mut out = String::new();
    for line in source.lines() {
        let plain = line.strip_prefix("pub const ").and_then(|constant| {
            let (head, value) = constant.split_once(" = ")?;
            let (_, kind) = head.split_once(": ")?;
            let number = value.strip_prefix(kind)?.strip_prefix('(')?;
            let number = number.strip_suffix(");")?.split("_u32").next()?;
            Some(format!("pub const {head} = {number};"))
        });
        out += plain.as_deref().unwrap_or(line);
        out.push('\n');
    }
    out
}

/// `Option<MPI_User_function>` → `*mut MPI_User_function`: C has function types where Rust has function pointers.
fn unwrap_callbacks(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("Option<MPI") {
        out += before;
        match after.split_once('>') {
            Some((name, tail)) if is_callback(name) => {
                let _ = write!(out, "*mut MPI{name}");
                rest = tail;
            }
            _ => {
                out += "Option<MPI";
                rest = after;
            }
        }
    }
    out + rest
}

fn is_callback(name: &str) -> bool {
    let plain = name.trim_end_matches("_c");
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && (plain.ends_with("_function") || plain.ends_with("_fn"))
}

/// What cbindgen printed, sorted by what it is.
#[derive(Default)]
struct Header {
    /// Type definitions in the order of the sources, where what is used comes before what uses it. (cbindgen's own order
    /// changes with the functions.)
    types: Vec<String>,
    /// Name and value, in the order of the sources.
    constants: Vec<(String, String)>,
    /// The type of a constant.
    kinds: BTreeMap<String, String>,
    /// Declarations of functions by name.
    functions: BTreeMap<String, String>,
}

impl Header {
    fn read(printed: &str, prepared: &str) -> Result<Header, String> {
        let mut header = Header::default();
        for line in prepared.lines() {
            if let Some((head, value)) = line
                .strip_prefix("pub const ")
                .filter(|constant| constant.starts_with("MPI"))
                .and_then(|constant| constant.split_once(" = "))
            {
                let (name, kind) = head.split_once(": ").unwrap_or((head, "c_int"));
                let value = value.trim_end_matches(';').to_string();
                header.kinds.insert(name.into(), kind.into());
                header.constants.push((name.into(), value));
            }
        }
        let mut values = BTreeMap::new();
        for item in printed.split("\n\n").map(str::trim) {
            if item.starts_with("typedef") {
                header.types.push(item.replace("\n  ", "\n    "));
                continue;
            }
            for line in item.lines() {
                if let Some(define) = line.strip_prefix("#define ") {
                    let (name, value) = define.split_once(' ').unwrap_or((define, ""));
                    values.insert(name.to_string(), value.to_string());
                } else if let Some((head, _)) = line.split_once('(') {
                    let name = head.rsplit([' ', '*']).next().unwrap_or_default();
                    if name.starts_with("MPI_") || name.starts_with("MPIX_") {
                        header.functions.insert(name.into(), untag(line));
                    }
                } else if !line.is_empty() {
                    return Err(format!("cbindgen printed something unexpected: {line}"));
                }
            }
        }
        let order = type_names(prepared);
        header
            .types
            .sort_by_key(|item| order.iter().position(|name| name == type_name(item)));
        for (name, value) in &mut header.constants {
            let Some(evaluated) = values.get(name) else {
                return Err(format!("cbindgen printed no value for the constant {name}"));
            };
            if !value.starts_with("0x") {
                *value = evaluated.clone();
            }
        }
        Ok(header)
    }

    fn fill(&self, frame: &str) -> String {
        let mut out = String::new();
        for line in frame.lines() {
            match line.trim() {
                "@types@" => out += &self.types(),
                "@constants@" => out += &self.constants(),
                "@prototypes@" => out += &self.prototypes(),
                _ => {
                    out += &line.replace("@version@", env!("CARGO_PKG_VERSION"));
                    out.push('\n');
                }
            }
        }
        out
    }

    fn types(&self) -> String {
        let mut out = String::new();
        for item in &self.types {
            let name = type_name(item);
            if ENUMERATIONS.contains(&name) {
                let _ = writeln!(out, "typedef enum {name} {{");
                let mut members = self.of_kind(name).peekable();
                while let Some((member, value)) = members.next() {
                    let comma = if members.peek().is_some() { "," } else { "" };
                    let _ = writeln!(out, "    {member} = {value}{comma}");
                }
                let _ = writeln!(out, "}} {name};");
            } else {
                let _ = writeln!(out, "{}", function_type(item));
            }
        }
        out
    }

    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a (String, String)> {
        self.constants
            .iter()
            .filter(move |(name, _)| self.kinds[name] == kind)
    }

    fn constants(&self) -> String {
        let mut out = String::new();
        for (name, value) in &self.constants {
            let kind = self.kinds[name].as_str();
            if ENUMERATIONS.contains(&kind) {
                continue;
            }
            let value = match kind {
                _ if value.starts_with("MPI") => value.clone(),
                "c_int" if value.starts_with('-') => format!("({value})"),
                "c_int" => value.clone(),
                _ => format!("(({kind}){value})"),
            };
            let _ = writeln!(out, "#define {name:<29} {value}");
        }
        out
    }

    /// Both names of every function, one after the other.
    fn prototypes(&self) -> String {
        let mut out = String::new();
        for prefix in ["", "P"] {
            for (name, prototype) in &self.functions {
                let mut prototype = prototype.replacen(name, &format!("{prefix}{name}"), 1);
                if name == "MPI_Pcontrol" {
                    // Rust can only define the fixed argument; the others are ignored anyway (MPI 4.1 §15.2.4).
                    prototype = prototype.replace(");", ", ...);");
                }
                out += &wrap(&prototype);
            }
            if prefix.is_empty() {
                out.push('\n');
            }
        }
        out
    }
}

/// The name that a type definition of cbindgen's makes.
fn type_name(item: &str) -> &str {
    let name = match item.split_once("(*") {
        Some((_, function)) => function.split(')').next(),
        None => item.trim_end_matches(';').rsplit([' ', '*']).next(),
    };
    name.unwrap_or_default()
}

/// `typedef int (*F)(…);` → `typedef int F(…);`, wrapped.
fn function_type(item: &str) -> String {
    let flat = untag(&item.split_whitespace().collect::<Vec<_>>().join(" "));
    let Some((result, rest)) = flat.split_once(" (*") else {
        return item.to_string();
    };
    match rest.split_once(")(") {
        Some((name, arguments)) => wrap(&format!("{result} ({name})({arguments}"))
            .trim_end()
            .to_string(),
        None => item.to_string(),
    }
}

/// `struct MPI_Status *` → `MPI_Status *`: every struct has a typedef of its name.
fn untag(declaration: &str) -> String {
    declaration.replace("struct MPI", "MPI")
}

/// Breaks a declaration at commas.
fn wrap(declaration: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for part in declaration.split_inclusive(", ") {
        if column + part.trim_end().len() > WIDTH {
            out.truncate(out.trim_end().len());
            out += "\n    ";
            column = 4;
        }
        out += part;
        column += part.len();
    }
    out.push('\n');
    out
}
