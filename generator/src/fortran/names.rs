//! The names by which compiled programs refer to procedures and constants.

use super::{Kind, Procedure};
use crate::model::Face;
use std::fmt::Write;

/// The names of a procedure's external procedures.
pub struct Names {
    /// What all of them have in common: `mpi_send`, `mpi_send_c` with large counts.
    pub stem: String,
    /// `mpi_send_`, for `mpif.h` and `mpi`.
    pub header: Option<String>,
    pub f08: Option<F08>,
    /// Other names of them.
    aliases: Vec<(String, String)>,
}

/// The names for `mpi_f08`.
pub struct F08 {
    /// `mpi_send_f08ts_`.
    pub name: String,
    pub profiling: String,
    /// `rmashm_mpi_send_cfi`.
    pub cfi: String,
    pub cfi_profiling: String,
}

impl Names {
    pub fn of(procedure: &Procedure, face: Face) -> Names {
        match face {
            Face::Openmpi => Names::of_openmpi(procedure),
            _ => Names::of_mpich(procedure),
        }
    }

    fn of_mpich(procedure: &Procedure) -> Names {
        let small = procedure.name.to_lowercase();
        let stem = match procedure.large {
            true => format!("{small}_c"),
            false => small.clone(),
        };
        let places = &procedure.places;
        let mut aliases = Vec::new();
        let has_buffer = procedure.parameters.iter().any(|p| p.kind == Kind::Choice);
        let header = (places.header || places.mpi).then(|| format!("{small}_"));
        if let Some(header) = &header {
            let mut spell = |prefix: &str| {
                let body = format!("{prefix}{header}");
                let without = body.trim_end_matches('_').to_string();
                aliases.push((format!("{without}__"), body.clone()));
                aliases.push((without.to_uppercase(), body.clone()));
                aliases.push((without, body));
            };
            spell("");
            spell("p");
            // In `mpi` a C_PTR is another specific. It is the same in memory as the integer.
            if procedure.parameters.iter().any(|p| p.kind == Kind::Pointer)
                && procedure.function.is_some()
            {
                for body in [header.clone(), format!("p{header}")] {
                    aliases.push((format!("{body}cptr_"), body.clone()));
                    aliases.push((format!("{body}cptr"), body));
                }
            }
        }
        let ts = if has_buffer { "ts" } else { "" };
        let f08 = places.f08.then(|| F08 {
            name: format!("{stem}_f08{ts}_"),
            profiling: format!("{}_f08{ts}_", profiling(&stem)),
            cfi: format!("rmashm_{stem}_cfi"),
            cfi_profiling: format!("rmashm_p{stem}_cfi"),
        });
        if let Some(f08) = &f08 {
            // MPICH before 4.1.
            if let Some(rest) = f08.name.strip_prefix("mpi_remove_error_") {
                aliases.push((format!("mpi_delete_error_{rest}"), f08.name.clone()));
                aliases.push((format!("pmpir_delete_error_{rest}"), f08.profiling.clone()));
            }
            if procedure.large {
                for body in [&f08.name, &f08.profiling] {
                    let old =
                        body.replacen(&format!("_c_f08{ts}_"), &format!("_f08{ts}_large_"), 1);
                    aliases.push((old, body.clone()));
                }
            }
        }
        Names {
            stem,
            header,
            f08,
            aliases,
        }
    }

    /// Those of Open MPI. Procedures of `mpi_f08` are those of `mpif.h`, except where one gives what the other cannot. Its
    /// libraries ask each other for the names that end in `_f`.
    fn of_openmpi(procedure: &Procedure) -> Names {
        let name = &procedure.name;
        let stem = name.to_lowercase();
        let own_f08 = procedure
            .parameters
            .iter()
            .any(|p| p.kind == Kind::Detached);
        let body = |prefix: &str| format!("{prefix}{stem}_");
        let mut others = vec![name.clone()];
        if is_persistent_collective(name) {
            others.push(name.replacen("MPI_", "MPIX_", 1));
        }
        if procedure.parameters.iter().any(|p| p.kind == Kind::Pointer) {
            others.push(format!("{name}_cptr"));
        }
        let mut aliases = Vec::new();
        for other in &others {
            let small = other.to_lowercase();
            for (prefix, great) in [("", ""), ("p", "P")] {
                let mut add = |alias: String| {
                    if alias != body(prefix) {
                        aliases.push((alias, body(prefix)));
                    }
                };
                add(format!("{prefix}{small}_"));
                add(format!("{prefix}{small}__"));
                add(format!("{prefix}{small}"));
                add(format!("{prefix}{small}").to_uppercase());
                add(format!("{great}{other}_f"));
                add(format!("{great}{other}_f08"));
                if procedure.places.f08 && !own_f08 {
                    add(format!("{prefix}{small}_f08_"));
                }
            }
            aliases.push((format!("o{small}_f"), body("p")));
        }
        let f08 = own_f08.then(|| F08 {
            name: format!("{stem}_f08_"),
            profiling: format!("p{stem}_f08_"),
            cfi: String::new(),
            cfi_profiling: String::new(),
        });
        Names {
            header: Some(body("")),
            stem,
            f08,
            aliases,
        }
    }

    /// The other names; of what is written `by_hand` also those for `mpi_f08`, as one function serves both.
    pub fn print(&self, out: &mut String, by_hand: bool) {
        for (name, body) in &self.aliases {
            let _ = writeln!(out, "alias!(\"{name}\" => {body});");
        }
        if let (true, Some(f08)) = (by_hand, &self.f08) {
            let body = format!("{}_", self.stem);
            let _ = writeln!(out, "alias!(\"{}\" => {body});", f08.name);
            let _ = writeln!(out, "alias!(\"{}\" => p{body});", f08.profiling);
        }
    }
}

fn is_persistent_collective(name: &str) -> bool {
    let of_messages = ["send_init", "recv_init"];
    name.ends_with("_init") && !of_messages.iter().any(|end| name.ends_with(end))
}

/// MPICH's name in the profiling interface of `mpi_f08`.
fn profiling(stem: &str) -> String {
    match stem.strip_prefix("mpix_") {
        Some(rest) => format!("pmpixr_{rest}"),
        None => stem.replacen("mpi", "pmpir", 1),
    }
}

/// The variables for a constant, by gfortran and by Intel's compiler.
pub fn of_constant(name: &str) -> [String; 2] {
    let name = name.to_lowercase();
    [
        format!("__mpi_f08_compile_constants_MOD_{name}"),
        format!("mpi_f08_compile_constants_mp_{name}_"),
    ]
}
