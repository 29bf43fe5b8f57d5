//! What is said of errors of Fortran programs: names are those of Fortran, and elements are counted from 1.

use super::{have_gfortran, tool};
use crate::support::{command, prefix, run, run_to_fail};
use harness::scratch::Scratch;
use std::path::PathBuf;

fn compile(folder: &Scratch, interface: &str, statements: &str) -> PathBuf {
    let head = match interface {
        "mpif.h" => "program wrong\n  implicit none\n  include 'mpif.h'\n",
        "mpi" => "program wrong\n  use mpi\n  implicit none\n",
        _ => "program wrong\n  use mpi_f08\n  implicit none\n",
    };
    let handle = match interface {
        "mpi_f08" => "type(MPI_Request) :: request\n",
        _ => "integer :: request\n",
    };
    let text = format!(
        "{head}  integer :: ierr, x(9, 9), n(2)\n  {handle}  x = 0\n  n = [1, -5]\n{statements}end program\n"
    );
    let (source, program) = (folder.write("wrong.f90", &text), folder.join("wrong"));
    let mut mpifort = tool(prefix(), "mpifort");
    run(mpifort.arg(source).arg("-o").arg(&program));
    program
}

/// A program that calls `wrong` says this, and no name of C.
fn says(interface: &str, wrong: &str, words: &[&str]) {
    let folder = Scratch::new("sentences");
    let statements = format!("  call MPI_Init(ierr)\n  call {wrong}\n");
    let program = compile(&folder, interface, &statements);
    let output = command(&program).output().expect("it runs");
    assert!(!output.status.success(), "{interface}: {wrong} passes");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for word in words {
        assert!(
            said.contains(word),
            "{interface}: no \"{word}\" in:\n{said}"
        );
    }
    let function = wrong.split('(').next().expect("a name");
    assert!(
        !said.contains(function),
        "{interface}: {function} in:\n{said}"
    );
}

#[test]
fn names_of_all_three() {
    if !have_gfortran() {
        return;
    }
    for interface in ["mpif.h", "mpi", "mpi_f08"] {
        let send = "MPI_Send(x, 1, MPI_INTEGER, 7, 0, MPI_COMM_WORLD, ierr)";
        says(
            interface,
            send,
            &[
                "error in MPI_SEND on communicator MPI_COMM_WORLD",
                "dest is 7",
            ],
        );
        let cart = "MPI_Cart_rank(MPI_COMM_WORLD, n, ierr, ierr)";
        says(interface, cart, &["error in MPI_CART_RANK on"]);
        let dims = "MPI_Dims_create(4, 2, n, ierr)";
        says(
            interface,
            dims,
            &["error in MPI_DIMS_CREATE", "dims(2) is -5"],
        );
    }
}

/// Large counts have the same name, and a procedure written by hand has its own.
#[test]
fn names_of_other_functions() {
    if !have_gfortran() {
        return;
    }
    let send = "MPI_Send(x, -1_MPI_COUNT_KIND, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)";
    says("mpi_f08", send, &["error in MPI_SEND on", "count is -1"]);
    let set = "MPI_Comm_set_attr(MPI_COMM_WORLD, 77, 1_MPI_ADDRESS_KIND, ierr)";
    says("mpi", set, &["error in MPI_COMM_SET_ATTR on"]);
}

/// What is called before `MPI_INIT` is named so.
#[test]
fn too_early() {
    if !have_gfortran() {
        return;
    }
    let folder = Scratch::new("sentences");
    let program = compile(&folder, "mpi", "  call MPI_Barrier(MPI_COMM_WORLD, ierr)\n");
    let said = run_to_fail(&mut command(program), 15);
    assert!(
        said.contains("MPI_BARRIER was called before MPI_INIT"),
        "{said}"
    );
}

/// Memory that MPI is given is in one piece.
#[test]
fn sections() {
    if !have_gfortran() {
        return;
    }
    let attach = "MPI_Buffer_attach(x(1, :), 36, ierr)";
    says(
        "mpi_f08",
        attach,
        &["error in MPI_BUFFER_ATTACH", "needs memory in one piece"],
    );
    // A copy of it has an end.
    let reduce =
        "MPI_Allreduce(MPI_IN_PLACE, x(1, 1:3), 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)";
    says(
        "mpi_f08",
        reduce,
        &["error in MPI_ALLREDUCE", "reach beyond its end"],
    );
    let partitions = "MPI_Psend_init(x(1:2, :), 2, 1_MPI_COUNT_KIND, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &\n\
                      request, ierr)";
    says(
        "mpi_f08",
        partitions,
        &["error in MPI_PSEND_INIT", "some of its last dimension"],
    );
}
