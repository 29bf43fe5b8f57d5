//! Starting processes: arrays of strings, which end with a blank one in Fortran and with a null pointer in C.

use crate::f08::give;
use crate::face::{CHandle, Changed, Comm, Handles, Info, Kind, in_c};
use crate::header::{is_argv_null, is_argvs_null, is_errcodes_ignore};
use crate::procedures::{
    MPI_Comm_spawn, MPI_Comm_spawn_multiple, PMPI_Comm_spawn, PMPI_Comm_spawn_multiple,
};
use crate::text::Text;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// Strings for C, and the array of pointers to them.
struct Texts {
    texts: Vec<Text>,
    pointers: Vec<*mut c_void>,
}

impl Texts {
    fn of(texts: Vec<Text>) -> Texts {
        let mut pointers: Vec<*mut c_void> = texts.iter().map(Text::pointer).collect();
        pointers.push(null_mut());
        Texts { texts, pointers }
    }

    /// `count` strings of `length` characters, without the blanks around them (MPI 4.1 §11.8.2).
    ///
    /// # Safety
    /// So many are there.
    unsafe fn counted(text: *const c_char, length: usize, count: usize) -> Texts {
        // SAFETY: the caller's contract.
        let text_at = |at: usize| unsafe { Text::of(text.add(at * length), length, true) };
        Texts::of((0..count).map(text_at).collect())
    }

    /// The strings before the first blank one. They are `step` strings apart: the rows of a matrix are.
    ///
    /// # Safety
    /// A blank one is there.
    unsafe fn until_blank(text: *const c_char, length: usize, step: usize) -> Texts {
        let mut texts = Vec::new();
        // SAFETY: the caller's contract.
        let text_at = |at: usize| unsafe { Text::of(text.add(at * step * length), length, true) };
        while let text = text_at(texts.len())
            && !text.is_empty()
        {
            texts.push(text);
        }
        Texts::of(texts)
    }

    fn pointer(&mut self) -> *mut c_void {
        debug_assert!(self.texts.len() < self.pointers.len());
        self.pointers.as_mut_ptr().cast()
    }
}

fn errcodes(errcodes: *mut c_int) -> *mut c_void {
    match is_errcodes_ignore(errcodes) {
        true => in_c::ERRCODES_IGNORE,
        false => errcodes.cast(),
    }
}

type Spawn = unsafe extern "C" fn(
    *mut c_void,
    *mut c_void,
    c_int,
    CHandle,
    c_int,
    CHandle,
    *mut c_void,
    *mut c_void,
) -> c_int;

unsafe fn spawn(
    call: Spawn,
    command: *mut c_char,
    argv: *mut c_char,
    maxprocs: *mut c_int,
    info: *mut c_int,
    root: *mut c_int,
    comm: *mut c_int,
    intercomm: *mut c_int,
    codes: *mut c_int,
    ierror: *mut c_int,
    command_length: usize,
    argv_length: usize,
) {
    // SAFETY: the arguments are Fortran's, of the types that the interface says.
    unsafe {
        let command = Text::of(command, command_length, true);
        let mut arguments = (!is_argv_null(argv)).then(|| Texts::until_blank(argv, argv_length, 1));
        let mut made = Changed::<Comm>::of(intercomm);
        let code = call(
            command.pointer(),
            arguments.as_mut().map_or(in_c::ARGV_NULL, Texts::pointer),
            *maxprocs,
            Info::in_c(*info),
            *root,
            Comm::in_c(*comm),
            made.pointer(),
            errcodes(codes),
        );
        made.give();
        give(ierror, code);
    }
}

type SpawnMultiple = unsafe extern "C" fn(
    c_int,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    c_int,
    CHandle,
    *mut c_void,
    *mut c_void,
) -> c_int;

unsafe fn spawn_multiple(
    call: SpawnMultiple,
    count: *mut c_int,
    commands: *mut c_char,
    argvs: *mut c_char,
    maxprocs: *mut c_int,
    infos: *mut c_int,
    root: *mut c_int,
    comm: *mut c_int,
    intercomm: *mut c_int,
    codes: *mut c_int,
    ierror: *mut c_int,
    commands_length: usize,
    argvs_length: usize,
) {
    // SAFETY: as in `spawn`. A count below 1 is told by C.
    unsafe {
        let rows = (*count).max(0) as usize;
        let mut commands = Texts::counted(commands, commands_length, rows);
        let row = |at: usize| Texts::until_blank(argvs.add(at * argvs_length), argvs_length, rows);
        let mut arguments: Option<Vec<Texts>> =
            (!is_argvs_null(argvs)).then(|| (0..rows).map(row).collect());
        let pointers = arguments
            .as_mut()
            .map(|rows| rows.iter_mut().map(Texts::pointer).collect::<Vec<_>>());
        let mut infos = Handles::<Info>::of(infos, *count);
        let mut made = Changed::<Comm>::of(intercomm);
        let code = call(
            *count,
            commands.pointer(),
            pointers.as_ref().map_or(in_c::ARGVS_NULL, |pointers| {
                pointers.as_ptr().cast_mut().cast()
            }),
            maxprocs.cast(),
            infos.pointer(),
            *root,
            Comm::in_c(*comm),
            made.pointer(),
            errcodes(codes),
        );
        made.give();
        give(ierror, code);
    }
}

macro_rules! procedures {
    ($($one:ident $call_one:ident $many:ident $call_many:ident),*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $one(
            command: *mut c_char, argv: *mut c_char, maxprocs: *mut c_int, info: *mut c_int, root: *mut c_int, comm: *mut c_int,
            intercomm: *mut c_int, codes: *mut c_int, ierror: *mut c_int, command_length: usize, argv_length: usize,
        ) {
            // SAFETY: the caller's contract.
            unsafe {
                spawn(
                    $call_one, command, argv, maxprocs, info, root, comm, intercomm, codes, ierror, command_length, argv_length,
                )
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $many(
            count: *mut c_int, commands: *mut c_char, argvs: *mut c_char, maxprocs: *mut c_int, infos: *mut c_int, root: *mut c_int,
            comm: *mut c_int, intercomm: *mut c_int, codes: *mut c_int, ierror: *mut c_int, commands_length: usize,
            argvs_length: usize,
        ) {
            // SAFETY: the caller's contract.
            unsafe {
                spawn_multiple(
                    $call_many, count, commands, argvs, maxprocs, infos, root, comm, intercomm, codes, ierror, commands_length,
                    argvs_length,
                )
            }
        }
    )*};
}

procedures! {
    mpi_comm_spawn_ MPI_Comm_spawn mpi_comm_spawn_multiple_ MPI_Comm_spawn_multiple,
    pmpi_comm_spawn_ PMPI_Comm_spawn pmpi_comm_spawn_multiple_ PMPI_Comm_spawn_multiple
}
