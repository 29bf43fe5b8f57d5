//! `rmashm-abi` and `rmashm-run`: one program, to which its name says what to do. Both are small beside what each program of Rust
//! brings along.

mod abi;
mod run;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let called = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&called).file_name().unwrap_or_default();
    match name.as_encoded_bytes().starts_with(b"rmashm-run") {
        true => run::main(),
        false => abi::main(),
    }
}
