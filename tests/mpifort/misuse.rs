//! What must not compile, by the interfaces of the modules. Each mistake is one statement of a program that compiles with the right
//! statement in its place.

use super::{have_gfortran, tool};
use crate::support::{prefix, run};
use harness::scratch::Scratch;
use std::process::Command;

/// A mistake: the right statement, the wrong one, and what the compiler says of it.
type Mistake = (&'static str, &'static str, &'static str);

const IN_MPI: &[Mistake] = &[
    (
        "call MPI_Comm_rank(MPI_COMM_WORLD, n, ierr)",
        "call MPI_Comm_rank(MPI_COMM_WORLD, x, ierr)",
        "Type mismatch in argument 'rank'",
    ),
    (
        "call MPI_Send(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)",
        "call MPI_Send(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD)",
        "Missing actual argument for argument 'ierror'",
    ),
    (
        "call MPI_Send(many, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)",
        "call MPI_Send(many, 1.0, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)",
        "Type mismatch in argument 'count'",
    ),
    (
        "call MPI_Recv(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, status, ierr)",
        "call MPI_Recv(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, n, ierr)",
        "Rank mismatch in argument 'status'",
    ),
    (
        "call MPI_Win_create(x, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, n, ierr)",
        "call MPI_Win_create(x, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, n, ierr)",
        "Type mismatch in argument 'size'",
    ),
    (
        "call MPI_Comm_dup(MPI_COMM_WORLD, n, ierr)",
        "call MPI_Comm_dup(MPI_COMM_WORLD, MPI_COMM_SELF, ierr)",
        "INTENT = OUT/INOUT",
    ),
    (
        "call MPI_Cart_create(MPI_COMM_WORLD, 1, [1], [.true.], .false., n, ierr)",
        "call MPI_Cart_create(MPI_COMM_WORLD, 1, [1], [1], .false., n, ierr)",
        "Type mismatch in argument 'periods'",
    ),
    (
        "call MPI_Alloc_mem(8_MPI_ADDRESS_KIND, MPI_INFO_NULL, place, ierr)",
        "call MPI_Alloc_mem(8_MPI_ADDRESS_KIND, MPI_INFO_NULL, x, ierr)",
        "no specific subroutine for the generic 'mpi_alloc_mem'",
    ),
    (
        "x = real(MPI_Wtime())",
        "x = real(MPI_Wtime(1))",
        "More actual than formal arguments",
    ),
];

const IN_F08: &[Mistake] = &[
    (
        "call MPI_Comm_rank(MPI_COMM_WORLD, n)",
        "call MPI_Comm_rank(MPI_COMM_WORLD%MPI_VAL, n)",
        "no specific subroutine for the generic 'mpi_comm_rank'",
    ),
    (
        "call MPI_Send(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD)",
        "call MPI_Send(x, 1, MPI_COMM_WORLD, 0, 0, MPI_COMM_WORLD)",
        "no specific subroutine for the generic 'mpi_send'",
    ),
    (
        "call MPI_Send(x, 1_MPI_COUNT_KIND, MPI_REAL, 0, 0, MPI_COMM_WORLD)",
        "call MPI_Send(x, 1_2, MPI_REAL, 0, 0, MPI_COMM_WORLD)",
        "no specific subroutine for the generic 'mpi_send'",
    ),
    (
        "if (comm == MPI_COMM_NULL) n = 1",
        "if (comm == MPI_GROUP_NULL) n = 1",
        "Operands of comparison operator '=='",
    ),
    (
        "call MPI_Probe(0, 0, MPI_COMM_WORLD, status)",
        "call MPI_Probe(0, 0, MPI_COMM_WORLD, many)",
        "no specific subroutine for the generic 'mpi_probe'",
    ),
    (
        "call MPI_Comm_dup(MPI_COMM_WORLD, comm)",
        "call MPI_Comm_dup(MPI_COMM_WORLD, MPI_COMM_SELF)",
        "no specific subroutine for the generic 'mpi_comm_dup'",
    ),
    (
        "comm = MPI_COMM_SELF",
        "MPI_COMM_SELF = comm",
        "Named constant 'mpi_comm_self'",
    ),
    (
        "call MPI_Comm_create_errhandler(note, handler)",
        "call MPI_Comm_create_errhandler(other, handler)",
        "no specific subroutine for the generic 'mpi_comm_create_errhandler'",
    ),
    (
        "call MPI_Barrier(comm=MPI_COMM_WORLD)",
        "call MPI_Barrier(communicator=MPI_COMM_WORLD)",
        "no specific subroutine for the generic 'mpi_barrier'",
    ),
];

fn compiler(folder: &Scratch, module: &str, statement: &str) -> Command {
    let source = match module {
        "mpi" => format!(
            "program mistake\n  use mpi\n  implicit none\n  integer :: n, ierr, status(MPI_STATUS_SIZE)\n  \
             integer(MPI_ADDRESS_KIND) :: place\n  real :: x, many(9)\n  {statement}\nend program\n"
        ),
        _ => format!(
            "program mistake\n  use mpi_f08\n  implicit none\n  integer :: n\n  real :: x, many(9)\n  \
             type(MPI_Comm) :: comm\n  type(MPI_Status) :: status\n  type(MPI_Errhandler) :: handler\n  {statement}\n\
             contains\n  subroutine note(comm, error_code)\n    type(MPI_Comm) :: comm\n    integer :: error_code\n  \
             end subroutine\n  subroutine other(win, error_code)\n    type(MPI_Win) :: win\n    integer :: error_code\n  \
             end subroutine\nend program\n"
        ),
    };
    let path = folder.write("mistake.f90", &source);
    let mut mpifort = tool(prefix(), "mpifort");
    mpifort.arg("-fsyntax-only").arg(path);
    mpifort
}

fn refuses(module: &str, mistakes: &[Mistake]) {
    if !have_gfortran() {
        return;
    }
    let folder = Scratch::new("misuse");
    for (right, wrong, said) in mistakes {
        run(&mut compiler(&folder, module, right));
        let output = compiler(&folder, module, wrong).output();
        let output = output.expect("mpifort runs");
        let message = String::from_utf8_lossy(&output.stderr);
        let error =
            message.contains("Error: ") && message.to_lowercase().contains(&said.to_lowercase());
        assert!(
            error && !output.status.success(),
            "{module}: {wrong} is not refused so:\n{message}"
        );
    }
}

#[test]
fn of_mpi() {
    refuses("mpi", IN_MPI);
}

#[test]
fn of_mpi_f08() {
    refuses("mpi_f08", IN_F08);
}

/// With integers of 8 bytes a program of `mpif.h` compiles, and is wrong: that is said in one line.
#[test]
fn large_integers() {
    if !have_gfortran() {
        return;
    }
    let folder = Scratch::new("misuse");
    let text = "      include 'mpif.h'\n      integer ierr\n      call MPI_Init(ierr)\n      end\n";
    let path = folder.write("large.f", text);
    let said_with = |option: &str| {
        let mut mpifort = tool(prefix(), "mpifort");
        let output = mpifort.args(["-fsyntax-only", option]).arg(&path).output();
        String::from_utf8_lossy(&output.expect("mpifort runs").stderr).into_owned()
    };
    let said = said_with("-fdefault-integer-8");
    assert!(
        said.starts_with(
            "mpifort: -fdefault-integer-8 does not reach MPI, whose integers have 4 bytes"
        ),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(said_with("-fdefault-real-8"), "");
}
