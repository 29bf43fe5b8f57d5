//! The languages that the tool compiles, and what differs by them: names of tools, compilers, variables and options.

/// The language the tool compiles, which its name tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
    Fortran(Dialect),
}

/// Which of the names for Fortran the tool was called by. They compile alike; the variables that name the compiler differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Fortran,
    F77,
    F90,
}

impl Language {
    /// The language meant by the name the tool was called by.
    pub fn of_tool(name: &str) -> Language {
        const NAMES: [(&str, Language); 7] = [
            ("mpicxx", Language::Cxx),
            ("mpic++", Language::Cxx),
            ("mpiCC", Language::Cxx),
            ("mpif77", Language::Fortran(Dialect::F77)),
            ("mpif90", Language::Fortran(Dialect::F90)),
            ("mpifort", Language::Fortran(Dialect::Fortran)),
            ("rmashm-modules", Language::Fortran(Dialect::Fortran)),
        ];
        let named = NAMES.iter().find(|(start, _)| name.starts_with(start));
        named.map_or(Language::C, |(_, language)| *language)
    }

    pub fn name(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Cxx => "C++",
            Language::Fortran(_) => "Fortran",
        }
    }

    pub fn is_fortran(self) -> bool {
        matches!(self, Language::Fortran(_))
    }

    /// Environment variables that name the compiler; the first that is set wins.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Language::C => &["MPICH_CC", "OMPI_CC"],
            Language::Cxx => &["MPICH_CXX", "OMPI_CXX"],
            Language::Fortran(Dialect::Fortran) => &["MPICH_FC", "OMPI_FC"],
            Language::Fortran(Dialect::F77) => &["MPICH_F77", "MPICH_FC", "OMPI_F77", "OMPI_FC"],
            Language::Fortran(Dialect::F90) => &["MPICH_F90", "MPICH_FC", "OMPI_FC"],
        }
    }

    /// Compilers looked for when none is named; the first on `PATH` is taken.
    pub fn compilers(self) -> &'static [&'static str] {
        match self {
            Language::C => &["gcc", "cc", "clang"],
            Language::Cxx => &["g++", "c++", "clang++"],
            Language::Fortran(_) => &["gfortran", "flang", "flang-new"],
        }
    }

    /// The options by which the command line names the compiler, with one dash or two.
    pub fn options(self) -> &'static [&'static str] {
        match self {
            Language::C => &["-cc="],
            Language::Cxx => &["-cxx=", "-CC="],
            Language::Fortran(_) => &["-fc=", "-f77=", "-f90="],
        }
    }

    /// Debian's package of the usual compiler.
    pub fn package(self) -> &'static str {
        match self {
            Language::C => "gcc",
            Language::Cxx => "g++",
            Language::Fortran(_) => "gfortran",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_tool_chooses_the_language() {
        assert_eq!(Language::of_tool("mpicc"), Language::C);
        assert_eq!(Language::of_tool("mpicc.rmashm"), Language::C);
        for name in ["mpicxx", "mpic++", "mpiCC", "mpicxx.rmashm"] {
            assert_eq!(Language::of_tool(name), Language::Cxx, "{name}");
        }
        let fortran = Language::of_tool("mpifort.rmashm");
        assert_eq!(fortran, Language::Fortran(Dialect::Fortran));
        for (name, dialect) in [("mpif77", Dialect::F77), ("mpif90", Dialect::F90)] {
            assert_eq!(Language::of_tool(name), Language::Fortran(dialect));
        }
    }
}
