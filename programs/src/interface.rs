//! The C interfaces of MPI libraries, and the names by which programs ask for them.

/// A C interface of MPI: types, values and names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    Mpich,
    Openmpi,
    Standard,
}

impl Interface {
    pub const ALL: [Interface; 3] = [Interface::Mpich, Interface::Openmpi, Interface::Standard];

    /// As the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Interface::Mpich => "mpich",
            Interface::Openmpi => "openmpi",
            Interface::Standard => "standard",
        }
    }

    pub fn of_name(name: &str) -> Option<Interface> {
        let all = Interface::ALL.into_iter();
        all.into_iter().find(|interface| interface.name() == name)
    }

    pub fn title(self) -> &'static str {
        match self {
            Interface::Mpich => "the MPICH ABI",
            Interface::Openmpi => "the Open MPI ABI",
            Interface::Standard => "the standard ABI of MPI 5",
        }
    }

    /// The names by which programs ask for a library of it. The first one is what a program linked today records.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            // All MPICHs since 3.1, Intel MPI since 5, and others; Debian's MPICH has a name of its own.
            Interface::Mpich => &["libmpi.so.12", "libmpich.so.12"],
            // Open MPI 4 and 5.
            Interface::Openmpi => &["libmpi.so.40"],
            // MPICH up to 5.0.1 had the 0.
            Interface::Standard => &["libmpi_abi.so.1", "libmpi_abi.so.0"],
        }
    }

    /// The libraries for other languages than C, which programs in them ask for beside it.
    pub fn other_languages(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Interface::Mpich => &[("C++", "libmpicxx.so.12"), ("Fortran", "libmpifort.so.12")],
            Interface::Openmpi => &[
                ("C++", "libmpi_cxx.so.40"),
                ("Fortran", "libmpi_mpifh.so.40"),
            ],
            Interface::Standard => &[],
        }
    }
}

/// An MPI library by the name that a program asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Of(Interface),
    /// Whose interface is none of these, and what to do.
    Other {
        whose: &'static str,
        advice: &'static str,
    },
}

const BUILD_AGAIN: &str =
    "build it again, with rmashm's mpicc, with Open MPI 4 or 5, or with MPICH 3.1 or later";
const CRAY: &str = "link it with the module cray-mpich-abi, by which it asks for libmpi.so.12, or with rmashm's mpicc";

/// Libraries of other interfaces.
const OTHERS: &[(&str, &str, &str)] = &[
    ("libmpi.so.0", "Open MPI 1", BUILD_AGAIN),
    ("libmpi.so.1", "Open MPI 1", BUILD_AGAIN),
    ("libmpi.so.20", "Open MPI 2 or 3", BUILD_AGAIN),
    ("libmpi.so.4", "Intel MPI 4", BUILD_AGAIN),
    ("libmpi_mt.so.4", "Intel MPI 4", BUILD_AGAIN),
    ("libmpich.so.1", "an MPICH before 3.1", BUILD_AGAIN),
    ("libmpich.so.3", "an MPICH before 3.1", BUILD_AGAIN),
    ("libmpich.so.8", "an MPICH before 3.1", BUILD_AGAIN),
    ("libmpich.so.10", "an MPICH before 3.1", BUILD_AGAIN),
    ("libmpi_cray.so.12", "Cray's compiler wrappers", CRAY),
    ("libmpi_gnu.so.12", "Cray's compiler wrappers", CRAY),
    (
        "libmpitrampoline.so.5",
        "MPItrampoline",
        "it loads what the variable MPITRAMPOLINE_LIB names: an MPIwrapper that was built with rmashm's mpicc",
    ),
];

impl Library {
    /// The MPI library of this name; none, where it is no MPI library.
    pub fn named(name: &str) -> Option<Library> {
        for interface in Interface::ALL {
            if interface.libraries().contains(&name) {
                return Some(Library::Of(interface));
            }
        }
        let other = OTHERS.iter().find(|other| other.0 == name);
        other.map(|&(_, whose, advice)| Library::Other { whose, advice })
    }

    /// The MPI library in a file of this name, which has more of the version than programs ask for.
    pub fn of_file(name: &str) -> Option<Library> {
        Library::named(name).or_else(|| {
            let (shorter, version) = name.rsplit_once('.')?;
            let is_number = version.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| Library::of_file(shorter)).flatten()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_interfaces() {
        for interface in Interface::ALL {
            assert_eq!(Interface::of_name(interface.name()), Some(interface));
            for name in interface.libraries() {
                assert_eq!(Library::named(name), Some(Library::Of(interface)));
            }
        }
        let of_openmpi = Some(Library::Of(Interface::Openmpi));
        assert_eq!(Library::of_file("libmpi.so.40.30.4"), of_openmpi);
        assert_eq!(Library::of_file("libmpi.so.41"), None);
        assert_eq!(Library::of_file("libmpi.so"), None);
        assert_eq!(Library::named("libm.so.6"), None);
        assert_eq!(Library::named("libmpi_mpifh.so.40"), None);
        assert_eq!(Interface::of_name("lam"), None);
    }

    #[test]
    fn every_other_library_comes_with_advice() {
        for (name, whose, advice) in OTHERS {
            let found = Library::named(name);
            assert_eq!(found, Some(Library::Other { whose, advice }), "{name}");
        }
    }
}
