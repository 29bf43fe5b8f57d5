//! Prints the procedures of Fortran in `OUT_DIR`, of the functions of C (`generator/src/fortran/wrappers.rs`).

use generator::model::Face;
use std::path::{Path, PathBuf};

fn main() {
    let root = Path::new("..");
    let (values, functions) = (root.join("src/mpi"), root.join("src/abi"));
    for watched in ["build.rs".as_ref(), &*values, &*functions] {
        println!("cargo:rerun-if-changed={}", watched.display());
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let face = match std::env::var_os("CARGO_FEATURE_OPENMPI") {
        Some(_) => Face::Openmpi,
        None => Face::Mpich,
    };
    let printed = generator::read::interface(&values, &functions, face)
        .map(|interface| generator::fortran::wrappers::print(&interface, face));
    let printed = printed.unwrap_or_else(|error| {
        // The compiler says it better, if it is a mistake in the Rust source.
        let sentence = format!("the procedures of Fortran cannot be made: {error}");
        format!("compile_error!({sentence:?});\n")
    });
    link_unwinder_statically(&out);
    std::fs::write(out.join("procedures.rs"), printed).expect("OUT_DIR can be written");
}

/// As the library for C is linked (its build script says why).
fn link_unwinder_statically(out: &Path) {
    let folder = out.join("link");
    std::fs::create_dir_all(&folder).expect("OUT_DIR can be written");
    std::fs::write(folder.join("libgcc_s.so"), "INPUT(-lgcc_eh)\n")
        .expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search=native={}", folder.display());
}
