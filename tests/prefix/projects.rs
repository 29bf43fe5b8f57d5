//! Projects that other people's build systems configure: CMake, Meson, and plain pkg-config, with the prefix where it was
//! staged and moved to a folder with spaces in its name.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{moved_prefix, project, run_sum, variable, words};
use crate::support::{command, path_with, prefix, run};
use harness::needs::need;
use harness::scratch::Scratch;

/// Configures, builds and runs the CMake project; `find` tells CMake where to look.
fn cmake_project(prefix: &Path, scratch: &Path, find: impl Fn(&mut Command) -> &mut Command) {
    let build = scratch.join("cmake build");
    let mut configure = command("cmake");
    configure.arg("-S").arg(project("")).arg("-B").arg(&build);
    find(&mut configure);
    let log = run(&mut configure);
    let found = |name: &str| {
        let line = log
            .lines()
            .find_map(|line| line.strip_prefix(&format!("-- {name}=")));
        PathBuf::from(line.unwrap_or_else(|| panic!("no {name} in\n{log}")))
            .canonicalize()
            .ok()
    };
    assert_eq!(
        found("mpiexec"),
        prefix.join("bin/mpiexec").canonicalize().ok(),
        "\n{log}"
    );
    assert_eq!(
        found("library"),
        prefix.join("lib/librmashm.so").canonicalize().ok(),
        "\n{log}"
    );
    assert!(log.contains("-- fortran=TRUE TRUE TRUE\n"), "\n{log}");
    run(command("cmake").arg("--build").arg(&build));
    for program in ["sum_c", "sum_cxx", "sum_classes", "sum_f08", "sum_f90"] {
        run_sum(prefix, &build.join(program));
    }
    run(command("ctest")
        .current_dir(&build)
        .arg("--output-on-failure"));
}

/// Configures, builds and runs the Meson project, with dependencies by pkg-config: whatever other MPI the machine has, the
/// first in the path is taken.
fn meson_project(prefix: &Path, scratch: &Path) {
    meson_project_in(prefix, scratch, prefix.join("lib/pkgconfig").as_os_str());
}

/// The same with a path for pkg-config.
fn meson_project_in(prefix: &Path, scratch: &Path, packages: &OsStr) {
    let build = scratch.join("meson build");
    let mut setup = command("meson");
    setup.arg("setup").arg(&build).arg(project(""));
    setup
        .env("PATH", path_with(&prefix.join("bin")))
        .env("PKG_CONFIG_PATH", packages);
    run(&mut setup);
    run(command("meson").args(["compile", "-C"]).arg(&build));
    for program in [
        "sum_c",
        "sum_cxx",
        "sum_classes",
        "sum_f08",
        "sum_pkgconfig",
    ] {
        run_sum(prefix, &build.join(program));
    }
}

/// Compiles and links with what each pkg-config file says.
fn pkg_config_project(prefix: &Path, scratch: &Path) {
    let packages = [
        ("rmashm", "gcc", "sum.c"),
        ("mpi-c", "gcc", "sum.c"),
        ("mpich", "gcc", "sum.c"),
        ("ompi-c", "gcc", "sum.c"),
        ("mpi-cxx", "g++", "sum_classes.cxx"),
        ("ompi-cxx", "g++", "sum_classes.cxx"),
        ("mpi-fort", "gfortran", "sum.F90"),
        ("ompi-fort", "gfortran", "sum.F90"),
    ];
    for (package, compiler, source) in packages {
        let mut pkg_config = command("pkg-config");
        pkg_config
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
            .args(["--cflags", "--libs", package]);
        let flags = words(&run(&mut pkg_config).trim_end().replace('$', "\\$"));
        let program = scratch.join(package);
        run(command(compiler)
            .arg(project(source))
            .args(&flags)
            .arg("-o")
            .arg(&program));
        run_sum(prefix, &program);
    }
    let mut pkg_config = command("pkg-config");
    pkg_config.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    run(pkg_config.args([
        "--exists",
        "mpich >= 3.1",
        "mpi-c >= 4",
        concat!("rmashm = ", env!("CARGO_PKG_VERSION")),
    ]));
}

#[test]
fn cmake_finds_us_by_path() {
    if need("cmake", "cmake") && need("g++", "g++") && need("gfortran", "gfortran") {
        let scratch = Scratch::new("cmake-path");
        let bin = prefix().join("bin");
        cmake_project(prefix(), &scratch, |cmake| {
            cmake.env("PATH", path_with(&bin))
        });
    }
}

#[test]
fn cmake_finds_us_by_mpi_home() {
    if need("cmake", "cmake") && need("g++", "g++") && need("gfortran", "gfortran") {
        let scratch = Scratch::new("cmake-home");
        cmake_project(prefix(), &scratch, |cmake| {
            cmake.arg(variable("-DMPI_HOME", prefix()))
        });
    }
}

#[test]
fn meson_finds_us() {
    if need("meson", "meson")
        && need("ninja", "ninja-build")
        && need("pkg-config", "pkg-config")
        && need("g++", "g++")
        && need("gfortran", "gfortran")
    {
        meson_project(prefix(), &Scratch::new("meson"));
    }
}

/// Another MPI comes first for pkg-config, and the user's path decides: as where Open MPI is installed.
#[test]
fn meson_takes_the_first_of_several() {
    if need("meson", "meson")
        && need("ninja", "ninja-build")
        && need("pkg-config", "pkg-config")
        && need("g++", "g++")
        && need("gfortran", "gfortran")
    {
        let scratch = Scratch::new("meson-other");
        for name in ["ompi-c", "ompi-cxx", "ompi-fort"] {
            let text = format!(
                "Name: {name}\nDescription: another\nVersion: 4.1.4\nCflags: -I/nonexistent\nLibs: -lnone-such\n"
            );
            fs::write(scratch.join(name).with_extension("pc"), text).unwrap();
        }
        let folders = [prefix().join("lib/pkgconfig"), scratch.to_path_buf()];
        let folders = std::env::join_paths(folders).unwrap();
        meson_project_in(prefix(), &scratch, &folders);
    }
}

#[test]
fn pkg_config_finds_us() {
    if need("pkg-config", "pkg-config") && need("g++", "g++") && need("gfortran", "gfortran") {
        pkg_config_project(prefix(), &Scratch::new("pkg-config"));
    }
}

#[test]
fn cmake_finds_a_moved_prefix_with_spaces() {
    if need("cmake", "cmake") && need("g++", "g++") && need("gfortran", "gfortran") {
        let scratch = Scratch::new("moved-cmake");
        let moved = moved_prefix(&scratch);
        cmake_project(&moved, &scratch, |cmake| {
            cmake.env("PATH", path_with(&moved.join("bin")))
        });
    }
}

#[test]
fn meson_finds_a_moved_prefix_with_spaces() {
    if need("meson", "meson")
        && need("ninja", "ninja-build")
        && need("pkg-config", "pkg-config")
        && need("g++", "g++")
        && need("gfortran", "gfortran")
    {
        let scratch = Scratch::new("moved-meson");
        meson_project(&moved_prefix(&scratch), &scratch);
    }
}

#[test]
fn pkg_config_finds_a_moved_prefix_with_spaces() {
    if need("pkg-config", "pkg-config") && need("g++", "g++") && need("gfortran", "gfortran") {
        let scratch = Scratch::new("moved-pkg-config");
        pkg_config_project(&moved_prefix(&scratch), &scratch);
    }
}
