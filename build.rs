//! Makes `mpi.h`, `mpi_abi.h` and `mpif.h` from `src/mpi` and `src/abi` in `OUT_DIR` (`tests/header.rs` compares them with those
//! committed in `include`), the sources of Fortran's modules, and a number that tells one state of the sources of shared memory from another, by which launcher and ranks know
//! that they belong together. It is the same in all interfaces, whose ranks may be in one job, and another where another compiler
//! lays things out.

use generator::model::Face;
use generator::modules;
use std::path::{Path, PathBuf};

/// The headers, whatever interface is compiled, and how the compiler of tests finds them.
const HEADERS: [(Face, &str, &str); 2] = [
    (Face::Mpich, "mpi.h", "RMASHM_GENERATED_HEADER"),
    (Face::Standard, "mpi_abi.h", "RMASHM_GENERATED_ABI_HEADER"),
];
/// Fortran's header, found likewise.
const MPIF_H: (&str, &str) = ("mpif.h", "RMASHM_GENERATED_MPIF_H");
/// Where the types and the constants of headers are.
const VALUES: &str = "src/mpi";
/// Where the functions are.
const FUNCTIONS: &str = "src/abi";

/// What lays something out in memory that the launcher and its ranks share, or tells other ranks something.
const SHARED: [&str; 12] = [
    "src/error.rs",
    "src/shm",
    "src/observe",
    "src/runtime",
    "src/transport",
    "src/comm",
    "src/p2p",
    "src/coll",
    "src/win",
    "src/block",
    "src/check",
    "src/file",
];

fn main() {
    let sources = ["build.rs", VALUES, FUNCTIONS].into_iter().chain(SHARED);
    let frames = HEADERS.iter().map(|(_, name, _)| *name).chain([MPIF_H.0]);
    let frames = frames.chain(modules::SOURCES.map(|(name, _)| name));
    let frames: Vec<String> = frames.map(|name| format!("include/{name}.in")).collect();
    for watched in sources.chain(frames.iter().map(String::as_str)) {
        println!("cargo:rerun-if-changed={watched}");
    }
    println!(
        "cargo:rustc-env=RMASHM_SHARED_SOURCES={:016x}",
        digest(&SHARED)
    );
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let write = |name: &str, text: Result<String, generator::read::Error>| {
        let text = text.unwrap_or_else(|error| {
            // The compiler says it better, if it is a mistake in the Rust source; a header like this serves nobody.
            println!("cargo:warning={name} cannot be made: {error}");
            format!("#error \"{name} could not be made of {VALUES} and {FUNCTIONS}\"\n")
        });
        let path = out.join(name);
        std::fs::write(&path, text).expect("OUT_DIR can be written");
        path
    };
    for (face, name, variable) in HEADERS {
        let path = write(name, header(face, name));
        println!("cargo:rustc-env={variable}={}", path.display());
    }
    let path = write(MPIF_H.0, fortran(MPIF_H.0, modules::mpif_h::print));
    println!("cargo:rustc-env={}={}", MPIF_H.1, path.display());
    for (name, print) in modules::SOURCES {
        write(name, fortran(name, print));
    }
    link_unwinder_statically(&out);
}

/// The text of the header of `face`.
fn header(face: Face, name: &str) -> Result<String, generator::read::Error> {
    let interface = generator::read::interface(Path::new(VALUES), Path::new(FUNCTIONS), face)?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(generator::c_header::print(
        &interface,
        face,
        &frame(name),
        version,
    ))
}

/// What `print` makes for Fortran, which has the values of MPICH.
fn fortran(name: &str, print: modules::Print) -> Result<String, generator::read::Error> {
    let (values, functions) = (Path::new(VALUES), Path::new(FUNCTIONS));
    let interface = generator::read::interface(values, functions, Face::Mpich)?;
    Ok(print(&interface, &frame(name)))
}

fn frame(name: &str) -> String {
    std::fs::read_to_string(format!("include/{name}.in"))
        .expect("the frames in include can be read")
}

/// The standard library asks for `-lgcc_s`: the linker finds this script for it, which names the archive. A process is spared
/// the loading of a library, and its constructor, which asks the processor for its features; where a hypervisor answers, that
/// takes longer than all other work of loading: 95 us for each process of a job.
fn link_unwinder_statically(out: &Path) {
    let folder = out.join("link");
    std::fs::create_dir_all(&folder).expect("OUT_DIR can be written");
    std::fs::write(folder.join("libgcc_s.so"), "INPUT(-lgcc_eh)\n")
        .expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search=native={}", folder.display());
}

/// FNV-1a of all Rust sources in `places`, and of the compiler's version.
fn digest(places: &[&str]) -> u64 {
    let files = places.iter().flat_map(|place| files(Path::new(place)));
    let texts = files.map(|file| std::fs::read(file).expect("the sources can be read"));
    let mix = |digest: u64, byte: u8| (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let bytes = texts.chain([compiler()]).flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, mix)
}

/// The version of the compiler.
fn compiler() -> Vec<u8> {
    let compiler = std::env::var_os("RUSTC").expect("cargo sets RUSTC");
    let told = std::process::Command::new(compiler).arg("-vV").output();
    told.expect("the compiler runs").stdout
}

/// All files in `place` and the folders in it, in a fixed order.
fn files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_path_buf()];
    }
    let entries = std::fs::read_dir(place).expect("the sources can be read");
    let paths = entries.map(|entry| entry.expect("the sources can be read").path());
    let mut files: Vec<PathBuf> = paths
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .collect();
    files.sort();
    files
}
