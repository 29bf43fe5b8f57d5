//! Makes `mpi.h` from `src/abi` in `OUT_DIR`. `tests/header.rs` compares it with the committed `include/mpi.h`.

#[path = "include/generate.rs"]
mod generate;

use std::path::{Path, PathBuf};

const FRAME: &str = "include/mpi.h.in";

fn main() {
    for watched in ["build.rs", "include/generate.rs", FRAME, "src/abi"] {
        println!("cargo:rerun-if-changed={watched}");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let frame = std::fs::read_to_string(FRAME).expect("include/mpi.h.in can be read");
    let sources = generate::sources(Path::new("src/abi"));
    let header = generate::header(&sources, &frame, &out.join("abi.rs")).unwrap_or_else(|error| {
        // The compiler says it better, if it is a mistake in the Rust source; a header like this serves nobody.
        println!("cargo:warning=mpi.h cannot be made: {error}");
        "#error \"mpi.h could not be made of src/abi\"\n".to_string()
    });
    let path = out.join("mpi.h");
    std::fs::write(&path, header).expect("OUT_DIR can be written");
    println!("cargo:rustc-env=RMASHM_GENERATED_HEADER={}", path.display());
}
