//! Where in the program ranks wait: names and lines of the return addresses that they told (`src/runtime/place.rs`).
//!
//! The addresses are looked for in the files that the rank's process has mapped, each opened once for all ranks. What has
//! debug information is told by function, file and line, else by function, else by file and offset. A rank in PID namespaces of its
//! own, whose process cannot be found here, is told without.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use addr2line::Context;
use addr2line::gimli::{DW_LANG_Rust, Dwarf, EndianSlice, Error, LittleEndian, SectionId};
use cpp_demangle::{DemangleOptions, Symbol};
use memmap2::Mmap;
use object::{CompressionFormat, Object, ObjectSection, ObjectSegment, SymbolMap, SymbolMapName};
use rmashm::launching::read_proc;

/// So many frames of a rank are told.
const MOST: usize = 6;

/// Where a rank waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The call of MPI's, by its C name.
    pub call: Option<String>,
    /// "main (ring.c:41)", the innermost first.
    pub frames: Vec<String>,
}

impl Place {
    /// "MPI_Recv at exchange (ring.c:12), from main (ring.c:41)"; nothing if nothing is known.
    pub fn text(&self) -> String {
        let call = self.call.as_deref().unwrap_or_default();
        let frames = self.frames.join(", from ");
        match (call, &*frames) {
            ("", frames) => frames.to_string(),
            (call, "") => call.to_string(),
            (call, frames) => format!("{call} at {frames}"),
        }
    }
}

/// The files that were opened.
#[derive(Default)]
pub struct Modules(HashMap<PathBuf, Option<Module>>);

type Slice = EndianSlice<'static, LittleEndian>;

struct Module {
    lines: Context<Slice>,
    symbols: SymbolMap<SymbolMapName<'static>>,
    /// Its addresses are those that it has in memory.
    is_fixed: bool,
    /// Where it begins by its own addresses.
    base: u64,
}

impl Module {
    /// Debug information that is compressed, or in a file of its own, is not looked at.
    fn open(path: &Path) -> Option<Module> {
        let file = fs::File::open(path).ok()?;
        // SAFETY: a program that runs is not written to, which is refused; who truncates a library has killed those that use it
        // before. It stays mapped: this is asked for once, before a job's end.
        let map: &'static Mmap = Box::leak(Box::new(unsafe { Mmap::map(&file) }.ok()?));
        let object = object::File::parse(&**map).ok()?;
        let section = |id: SectionId| {
            let data = object.section_by_name(id.name()).and_then(|section| {
                let data = section.compressed_data().ok()?;
                (data.format == CompressionFormat::None).then_some(data.data)
            });
            Ok::<Slice, Error>(EndianSlice::new(data.unwrap_or_default(), LittleEndian))
        };
        Some(Module {
            lines: Context::from_dwarf(Dwarf::load(section).ok()?).ok()?,
            symbols: object.symbol_map(),
            is_fixed: !is_relocated(map),
            base: object
                .segments()
                .map(|segment| segment.address())
                .min()
                .unwrap_or(0)
                & !0xfff,
        })
    }

    fn symbol(&self, address: u64) -> Option<String> {
        let symbol = self.symbols.containing(address)?;
        Some(symbol.name().to_string())
    }
}

/// Whether an ELF file is put anywhere in memory: programs mostly are, as libraries.
fn is_relocated(file: &[u8]) -> bool {
    // Its type stands behind the 16 bytes that say what kind of file this is.
    const DYNAMIC: u8 = 3;
    file.get(16) == Some(&DYNAMIC)
}

/// A file in a process's memory.
#[derive(Debug, PartialEq, Eq)]
struct Mapped {
    from: u64,
    to: u64,
    path: PathBuf,
}

/// A frame, and what else stands there because it was inlined.
struct Frame {
    /// In the ELF file.
    symbol: Option<String>,
    lines: Vec<String>,
    path: PathBuf,
}

impl Modules {
    /// Where `process` is that told these addresses.
    pub fn place(&mut self, process: i32, addresses: &[u64]) -> Place {
        let maps = read_proc(&format!("/proc/{process}/maps")).unwrap_or_default();
        let mapped = mappings(&maps);
        let frames: Vec<Frame> = addresses
            .iter()
            .filter_map(|&address| self.frame(&mapped, address))
            .collect();
        let library = frames.iter().take_while(|frame| is_library(&frame.path));
        let call = library.filter_map(|frame| frame.symbol.as_deref()).last();
        let mut place = Place {
            call: call.map(call_name),
            frames: Vec::new(),
        };
        let mut frames = frames
            .iter()
            .skip_while(|frame| is_library(&frame.path))
            .peekable();
        while let Some(frame) = frames.next() {
            if is_start(frame) {
                break;
            }
            if is_library(&frame.path) {
                // The library has called the program, as an error handler: of its frames the program's call alone is told.
                let is_inner = frames.peek().is_some_and(|next| is_library(&next.path));
                let call = frame.symbol.as_deref().filter(|_| !is_inner);
                place.frames.extend(call.map(call_name));
                continue;
            }
            if is_python(&frame.path) {
                place.frames.push("Python".to_string());
                break;
            }
            place.frames.extend(frame.lines.iter().cloned());
            let is_first = |symbol: &str| matches!(symbol, "main" | "MAIN__");
            if frame.symbol.as_deref().is_some_and(is_first) {
                break;
            }
        }
        place.frames.truncate(MOST);
        place
    }

    fn frame(&mut self, mapped: &[Mapped], address: u64) -> Option<Frame> {
        // Where it returns to is behind the call.
        let address = address.checked_sub(1)?;
        let at = mapped.iter().find(|m| (m.from..m.to).contains(&address))?;
        let path = &at.path;
        let begin = mapped
            .iter()
            .filter(|m| m.path == *path)
            .map(|m| m.from)
            .min()?;
        Some(self.at(path, address - begin))
    }

    /// In a file: what stands before the return address that is so far behind its begin in memory.
    pub fn line(&mut self, path: &Path, offset: u64) -> String {
        let frame = self.at(path, offset.saturating_sub(1));
        frame.lines.into_iter().next().unwrap_or_default()
    }

    fn at(&mut self, path: &Path, offset: u64) -> Frame {
        let module = self
            .0
            .entry(path.to_path_buf())
            .or_insert_with(|| Module::open(path));
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let nowhere = Frame {
            symbol: None,
            lines: vec![format!("{name}+{offset:#x}")],
            path: path.to_path_buf(),
        };
        let Some(module) = module else {
            return nowhere;
        };
        let probe = offset + if module.is_fixed { module.base } else { 0 };
        let symbol = module.symbol(probe);
        let mut lines = Vec::new();
        if let Ok(mut frames) = module.lines.find_frames(probe).skip_all_loads() {
            while let Ok(Some(frame)) = frames.next() {
                let function = frame.function.as_ref().and_then(|f| f.raw_name().ok());
                let function = function.or(symbol.as_deref().map(Cow::Borrowed));
                let function = function.map(|name| readable(&name));
                let place = frame.location.and_then(|at| {
                    let file = Path::new(at.file?)
                        .file_name()?
                        .to_string_lossy()
                        .into_owned();
                    Some(format!("{file}:{}", at.line?))
                });
                match (function, place) {
                    (Some(function), Some(place)) => lines.push(format!("{function} ({place})")),
                    (Some(one), None) | (None, Some(one)) => lines.push(one),
                    (None, None) => {}
                }
            }
        }
        if lines.is_empty() {
            match &symbol {
                Some(symbol) => lines.push(format!("{} ({name})", readable(symbol))),
                None => return nowhere,
            }
        }
        Frame {
            symbol,
            lines,
            path: path.to_path_buf(),
        }
    }
}

/// A name as the program's source has it, where a compiler of C++ or Rust has made another of it. Of a function of C++ without its
/// parameters, whose types may be longer than all the rest.
fn readable(symbol: &str) -> String {
    if let Some(name) = addr2line::demangle(symbol, DW_LANG_Rust) {
        return name;
    }
    // A short name of C's may be that of a type in C++: `f` is float there.
    if !symbol.starts_with("_Z") {
        return symbol.to_string();
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let name = Symbol::new(symbol).ok();
    let name = name.and_then(|name| name.demangle_with_options(&options).ok());
    name.unwrap_or_else(|| symbol.to_string())
}

/// A text in which names of C++ may stand: as the source has them.
pub fn with_readable_names(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_$.".contains(c);
    let mut told = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("_Z") {
        let (before, from) = rest.split_at(at);
        let end = from.find(|c| !is_part(c)).unwrap_or(from.len());
        let (name, behind) = from.split_at(end);
        told += before;
        match before.ends_with(is_part) {
            true => told += name,
            false => told += &readable(name),
        }
        rest = behind;
    }
    told + rest
}

/// What the names of functions begin with.
const PREFIXES: [&str; 2] = ["MPI_", "MPIX_"];

/// The name in C of what the program has called: as a profiling tool's, and Fortran's, are not.
fn call_name(symbol: &str) -> String {
    if let Some(name) = mangled(symbol) {
        return name.to_string();
    }
    let lower = symbol.to_ascii_lowercase();
    let name = if lower.starts_with("pmpi") {
        &symbol[1..]
    } else {
        symbol
    };
    if PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return name.to_string();
    }
    let words = name
        .trim_end_matches('_')
        .trim_end_matches("_f08ts")
        .trim_end_matches("_f08");
    let words = words.to_ascii_lowercase();
    for prefix in PREFIXES {
        let rest = words.strip_prefix(&prefix.to_ascii_lowercase());
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            return format!("{prefix}{}{}", rest[..1].to_ascii_uppercase(), &rest[1..]);
        }
    }
    name.to_string()
}

/// The name in a function of the library's own that stands in the call's place: `..12MPI_Win_lock9otherwise..`.
fn mangled(symbol: &str) -> Option<&str> {
    let found = PREFIXES.iter().find_map(|prefix| symbol.find(prefix));
    let at = found.filter(|_| symbol.starts_with("_"))?;
    let digits = symbol[..at]
        .bytes()
        .rev()
        .take_while(u8::is_ascii_digit)
        .count();
    let len: usize = symbol[at - digits..at].parse().ok()?;
    symbol.get(at..at + len)
}

fn begins(path: &Path, names: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    names.iter().any(|begin| name.starts_with(begin))
}

/// Whether it is one of the files of this library, or of those that programs in other languages call it by.
fn is_library(path: &Path) -> bool {
    begins(path, &["librmashm", "libmpi"])
}

/// Whether it is what calls the program's main function, whose name a program may lack.
fn is_start(frame: &Frame) -> bool {
    let starts = |symbol: &str| symbol.starts_with("__libc_start");
    begins(&frame.path, &["libc.so", "libc-"]) && frame.symbol.as_deref().is_none_or(starts)
}

fn is_python(path: &Path) -> bool {
    begins(path, &["python", "libpython"])
}

/// The files in `/proc/PID/maps`.
fn mappings(maps: &str) -> Vec<Mapped> {
    let mapping = |line: &str| {
        let mut fields = line.splitn(6, ' ');
        let (from, to) = fields.next()?.split_once('-')?;
        let path = fields.nth(4)?.trim_start();
        path.starts_with('/').then_some(())?;
        Some(Mapped {
            from: u64::from_str_radix(from, 16).ok()?,
            to: u64::from_str_radix(to, 16).ok()?,
            path: path.into(),
        })
    };
    maps.lines().filter_map(mapping).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_names_of_c() {
        for (symbol, name) in [
            ("MPI_Recv", "MPI_Recv"),
            ("PMPI_Win_lock", "MPI_Win_lock"),
            ("mpi_recv_", "MPI_Recv"),
            ("pmpi_win_lock__", "MPI_Win_lock"),
            ("mpi_recv_f08ts_", "MPI_Recv"),
            ("mpix_comm_agree_", "MPIX_Comm_agree"),
            ("something", "something"),
            (
                "_ZN6rmashm3abi12MPI_Win_lock9otherwise17h5adb12cb86a9e671E",
                "MPI_Win_lock",
            ),
            (
                "_ZN6rmashm3abi13communicators8recovery15MPIX_Comm_agree5whole17h16b1d5b982a7a94fE",
                "MPIX_Comm_agree",
            ),
        ] {
            assert_eq!(call_name(symbol), name);
        }
    }

    #[test]
    fn names_are_those_of_the_source() {
        for (symbol, name) in [
            ("main", "main"),
            ("_ZN4mine5solveEi", "mine::solve"),
            ("_ZN4mine6SolverIdE5solveEii", "mine::Solver<double>::solve"),
            (
                "_Z5tradeISt6vectorIiSaIiEEEiT_",
                "trade<std::vector<int, std::allocator<int> > >",
            ),
            ("_ZNK4mine4GridclEv", "mine::Grid::operator()"),
            ("_ZN4mineL5tableE", "mine::table"),
            ("_ZN3abc4here17h5adb12cb86a9e671E", "abc::here"),
            ("f", "f"),
            ("Pc", "Pc"),
            // None of a compiler's.
            ("_Zebra", "_Zebra"),
            ("_ZN4mine5solve", "_ZN4mine5solve"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(readable(symbol), name);
        }
        assert_eq!(
            with_readable_names("behind the end of _ZN4mineL5tableE, which; a_Z1f _Zebra. _Z1fi"),
            "behind the end of mine::table, which; a_Z1f _Zebra. f"
        );
    }

    #[test]
    fn files_may_have_blanks_in_their_names() {
        let maps = "55d0-55d8 r-xp 00001000 fe:00 17   /home/a b/ring\n7f00-7f10 rw-p 00000000 00:00 0 \n7f20-7f30 rw-p 0 0 0 [heap]\n";
        let mapped = Mapped {
            from: 0x55d0,
            to: 0x55d8,
            path: "/home/a b/ring".into(),
        };
        assert_eq!(mappings(maps), [mapped]);
    }

    #[inline(never)]
    fn here() -> u64 {
        let mut addresses = [std::ptr::null_mut(); 4];
        // SAFETY: there is room for as many.
        let count = unsafe { libc::backtrace(addresses.as_mut_ptr(), 4) };
        assert!(count > 1);
        addresses[0] as u64
    }

    #[test]
    fn an_address_of_this_program_has_a_name_and_a_line() {
        let place = Modules::default().place(std::process::id() as i32, &[here()]);
        let [frame, ..] = &place.frames[..] else {
            panic!("{place:?}")
        };
        assert!(
            frame.contains("here") && frame.contains("places.rs:"),
            "{frame}"
        );
        assert_eq!(
            Modules::default().place(std::process::id() as i32, &[1]),
            Place::default()
        );
    }

    #[test]
    fn what_is_told() {
        let place = |call: Option<&str>, frames: &[&str]| Place {
            call: call.map(str::to_string),
            frames: frames.iter().map(|frame| frame.to_string()).collect(),
        };
        assert_eq!(
            place(Some("MPI_Recv"), &["a (a.c:1)", "main (a.c:9)"]).text(),
            "MPI_Recv at a (a.c:1), from main (a.c:9)"
        );
        assert_eq!(place(Some("MPI_Recv"), &[]).text(), "MPI_Recv");
        assert_eq!(place(None, &[]).text(), "");
    }
}
