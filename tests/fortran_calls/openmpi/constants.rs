//! The variables that stand for predefined handles in Open MPI's `mpi_f08`. Each has the number that `mpif.h` says, and C's handle
//! of that name has it, too.

use crate::arguments::in_integer;
use generator::model::{Interface, Type};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// How the names of the variables begin: of those that C knows, and of the module's.
const PREFIXES: [&str; 2] = ["ompi_f08_", "__mpi_f08_types_MOD_"];

/// Constants that Debian's `mpi.h` does not have: it has no type for some, and the standard has removed others.
const NOT_IN_C: [&str; 4] = ["MPI_INTEGER16", "MPI_LB", "MPI_REAL2", "MPI_UB"];

/// The table of them, in C.
pub struct Table<'i> {
    interface: &'i Interface,
    /// The numbers of `mpif.h`.
    numbers: BTreeMap<String, i32>,
    declarations: String,
    rows: String,
}

impl<'i> Table<'i> {
    /// An empty one. `mpif.h` is in the folder `headers`.
    pub fn new(interface: &'i Interface, headers: &Path) -> Table<'i> {
        let mut numbers = BTreeMap::new();
        for part in ["mpif-handles.h", "mpif-io-handles.h"] {
            let text = std::fs::read_to_string(headers.join(part)).expect("a part of mpif.h");
            numbers.extend(text.lines().filter_map(parameter));
        }
        assert!(numbers.len() > 90, "mpif.h has only {numbers:?}");
        Table {
            interface,
            numbers,
            declarations: String::new(),
            rows: String::new(),
        }
    }

    /// Adds a variable. `None`: it is no handle.
    pub fn add(&mut self, variable: &str) -> Option<()> {
        let mut prefixes = PREFIXES.iter();
        let name = prefixes.find_map(|prefix| variable.strip_prefix(prefix))?;
        let name = name.to_uppercase();
        // The module has names of its own for some of C's integers.
        let name = match self.numbers.contains_key(&name) {
            true => name,
            false => format!("{name}_T"),
        };
        let number = self.numbers.get(&name)?;
        let in_c = match NOT_IN_C.contains(&&*name) {
            true => "NULL".into(),
            false => format!("in_c_{variable}"),
        };
        if in_c != "NULL" {
            let c2f = in_integer(self.handle(&name)?);
            let _ = writeln!(
                self.declarations,
                "static int {in_c}(void) {{ return {c2f}({name}); }}"
            );
        }
        let _ = writeln!(self.declarations, "extern const int {variable};");
        let row = format!("    {{ \"{variable}\", &{variable}, {number}, {in_c} }},\n");
        self.rows += &row;
        Some(())
    }

    /// The type of a constant.
    fn handle(&self, name: &str) -> Option<&str> {
        // C has it twice.
        let name = name.replace("MPI_CXX_COMPLEX", "MPI_CXX_FLOAT_COMPLEX");
        let mut constants = self.interface.constants.iter();
        match &constants.find(|constant| constant.name == name)?.kind {
            Type::Named(handle) => Some(handle),
            _ => None,
        }
    }

    pub fn text(&self) -> String {
        format!(
            "{}static const struct constant constants[] = {{\n{}    {{ NULL }},\n}};\n",
            self.declarations, self.rows
        )
    }
}

/// The name and the number of a line `parameter (MPI_COMM_WORLD=0)`.
fn parameter(line: &str) -> Option<(String, i32)> {
    let (name, number) = line.trim().strip_prefix("parameter (")?.split_once('=')?;
    Some((name.into(), number.strip_suffix(')')?.parse().ok()?))
}
