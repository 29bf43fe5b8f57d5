//! Communicators (MPI 4.1 §7.4, §7.6, §7.8).
//!
//! Making a communicator is collective over the one it is made of (`MPI_Comm_create_group`: over the group) and blocks
//! until all its processes have called. When one of them fails, all of them get an error and nobody gets a communicator.

use crate::abi::boundary::pointers::{In, Mut};
use crate::comm::Hints;
use crate::comm::create::{self, Hint, Request, SplitType};
use crate::comm::duplicate;
use crate::comm::group::{self, Likeness};
use crate::comm::hardware::{self, Level, Places, Wish};
use crate::error::{Error, Object, Result};
use crate::info::{self, Info};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, comm, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};

/// The key of info by which a split is guided, and by which an unguided one tells what it found.
const RESOURCE: &str = "mpi_hw_resource_type";
const PSET: &str = "mpi_pset_name";
/// MPICH's key for a directory that processes may see or not.
const DIRECTORY: &str = "nbhd_common_dirname";

/// The hints to a communicator in an argument. Errors: `MPI_ERR_INFO`, `MPI_ERR_INFO_VALUE`.
pub fn hints(info: MPI_Info) -> Result<Hints> {
    Hints::of(&info::hints(info)?)
}

/// Gives the number of processes of a communicator (of the local group of an intercommunicator).
///
/// MPI 4.1 §7.4.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_size(comm: MPI_Comm, size: Mut<c_int>) -> c_int {
    let comm = comm::get(comm)?;
    size.out("size")?.set(comm.size() as c_int);
    Ok(())
}

/// Gives the caller's rank in a communicator.
///
/// MPI 4.1 §7.4.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_rank(comm: MPI_Comm, rank: Mut<c_int>) -> c_int {
    let comm = comm::get(comm)?;
    rank.out("rank")?.set(comm.rank as c_int);
    Ok(())
}

/// Compares two communicators: `MPI_IDENT` (the same), `MPI_CONGRUENT` (same processes, same order), `MPI_SIMILAR` (same
/// processes) or `MPI_UNEQUAL`. Of intercommunicators, both groups are compared. Local.
///
/// MPI 4.1 §7.4.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_compare(comm1: MPI_Comm, comm2: MPI_Comm, result: Mut<c_int>) -> c_int {
    let (one, two) = (comm::get(comm1)?, comm::get(comm2)?);
    let result = result.out("result")?;
    result.set(match one.compare(two) {
        _ if comm1 == comm2 => MPI_IDENT,
        Likeness::Identical => MPI_CONGRUENT,
        Likeness::Similar => MPI_SIMILAR,
        Likeness::Unequal => MPI_UNEQUAL,
    });
    Ok(())
}

/// Tells whether a communicator is an intercommunicator. Local.
///
/// MPI 4.1 §7.6.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_test_inter(comm: MPI_Comm, flag: Mut<c_int>) -> c_int {
    let comm = comm::get(comm)?;
    flag.out("flag")?.set(comm.remote.is_some().into());
    Ok(())
}

/// Gives the number of processes of the remote group of an intercommunicator. Local.
///
/// MPI 4.1 §7.6.1. Errors: `MPI_ERR_COMM` (also: not an intercommunicator), `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_remote_size(comm: MPI_Comm, size: Mut<c_int>) -> c_int {
    let remote = comm::get(comm)?.remote_group()?;
    size.out("size")?.set(remote.size() as c_int);
    Ok(())
}

/// Gives the remote group of an intercommunicator. Local.
///
/// MPI 4.1 §7.6.1. Errors: `MPI_ERR_COMM` (also: not an intercommunicator), `MPI_ERR_ARG` (null pointer),
/// `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_remote_group(comm: MPI_Comm, group: Mut<MPI_Group>) -> c_int {
    let remote = comm::get(comm)?.remote_group()?;
    let group = group.out("group")?;
    group.set(group::publish(remote)?);
    Ok(())
}

/// Gives a new communicator a place, if there is one for it. A missing place fails like any other argument: only after
/// the others were told. Where no communicator could be made the place gets `MPI_COMM_NULL`.
pub fn give(
    newcomm: Mut<MPI_Comm>,
    make: impl FnOnce(Result<()>) -> Result<Option<MPI_Comm>>,
) -> Result<()> {
    let place = newcomm.out("newcomm");
    let told = place.as_ref().map(|_| ()).map_err(Clone::clone);
    let made = make(told);
    let comm = made.as_ref().ok().copied().flatten();
    place?.set(comm.unwrap_or(MPI_COMM_NULL));
    made.map(|_| ())
}

/// Duplicates a communicator with its attributes, its error handler and its topology.
///
/// MPI 4.1 §7.4.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM`, what a copy callback
/// returned, `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_dup(comm: MPI_Comm, newcomm: Mut<MPI_Comm>) -> c_int {
    let parent = comm::get(comm)?;
    parent.called_together();
    let make = |told: Result<()>| {
        let hints = told.map(|()| Hints::default());
        duplicate::duplicate(parent, hints, FUNCTION).map(Some)
    };
    give(newcomm, make)
}

/// Duplicates a communicator as `MPI_Comm_dup` does, with hints.
///
/// MPI 4.1 §7.4.2. Errors: as `MPI_Comm_dup`, and `MPI_ERR_INFO`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_dup_with_info(
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    let parent = comm::get(comm)?;
    parent.called_together();
    let make = |told: Result<()>| {
        let hints = told.and_then(|()| hints(info));
        duplicate::duplicate(parent, hints, FUNCTION).map(Some)
    };
    give(newcomm, make)
}

/// Makes a communicator of `group`, a part of the group of `comm`. Processes may give different groups if these have no
/// process in common; who is not in the group it gives gets `MPI_COMM_NULL`. Of an intercommunicator, it makes one of the
/// parts that its two groups give, or nothing if one of these is empty.
///
/// MPI 4.1 §7.4.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_GROUP` (none, not part of the communicator's, or its processes do not
/// agree on it), `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed),
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_create(
    comm: MPI_Comm,
    group: MPI_Group,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    let parent = comm::get(comm)?;
    parent.called_together();
    let make = |told: Result<()>| {
        let group = told.and_then(|()| group::get(group));
        create::from_groups(parent, group, FUNCTION)
    };
    give(newcomm, make)
}

/// Makes a communicator of `group`, a part of the group of `comm`. Collective over `group` only; calls that overlap are
/// told apart by `tag`. A caller outside of `group` gets `MPI_COMM_NULL` at once.
///
/// MPI 4.1 §7.4.2. Errors: as `MPI_Comm_create`, `MPI_ERR_COMM` (an intercommunicator) and `MPI_ERR_TAG` (negative). The
/// others are not told of a process with a wrong `comm`, `group` or `tag`, for these say which call it is.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_create_group(
    comm: MPI_Comm,
    group: MPI_Group,
    tag: c_int,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    let parent = comm::get_intra(comm)?;
    let make =
        |told: Result<()>| comm::create_group(parent, group::get(group)?, tag, told, FUNCTION);
    give(newcomm, make)
}

/// Splits a communicator: processes with the same `color` get one together, in the order of `key`, then of their rank.
/// With `color` `MPI_UNDEFINED`, the process gets `MPI_COMM_NULL`; in an intercommunicator, also where no process of the
/// other group has its color.
///
/// MPI 4.1 §7.4.2. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (negative color, null pointer), `MPI_ERR_NO_MEM`,
/// `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_split(
    comm: MPI_Comm,
    color: c_int,
    key: c_int,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    let parent = comm::get(comm)?;
    parent.called_together();
    let make = |told: Result<()>| {
        let choice = told.and_then(|()| create::choice(color, key));
        create::split(parent, choice, Hints::default(), FUNCTION)
    };
    give(newcomm, make)
}

/// Splits a communicator by what its processes share: memory (all of them do), the part of the machine that info key
/// `mpi_hw_resource_type` names (`Package`, `NUMANode`, `Core`; by the cores that a process is bound to), the process set that
/// `mpi_pset_name` names, or the highest level of such parts that parts them, which is then told in `info` under that key. As in
/// MPICH, there are also the processes that see the directory that `nbhd_common_dirname` names. A key whose value is not the
/// same at all processes is ignored. Where there is nothing to go by, and with `MPI_UNDEFINED`, the process gets
/// `MPI_COMM_NULL`.
///
/// MPI 4.1 §7.4.2. Errors: as `MPI_Comm_split`, `MPI_ERR_ARG` (unknown `split_type`), `MPI_ERR_INFO`,
/// `MPI_ERR_NOT_SAME` (different `split_type`s).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_split_type(
    comm: MPI_Comm,
    split_type: c_int,
    key: c_int,
    info: MPI_Info,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    let parent = comm::get(comm)?;
    parent.called_together();
    let make = |told: Result<()>| {
        let asked = told.and_then(|()| info::hints(info));
        let hints = asked.as_ref().map_err(Error::clone).and_then(Hints::of);
        let request = asked.and_then(|asked| {
            hints.as_ref().map_err(Error::clone)?;
            request(split_type, key, &asked)
        });
        let hints = hints.unwrap_or_default();
        let (made, found) = create::split_by_type(parent, request, hints, FUNCTION)?;
        if let Some(level) = found
            && !matches!(info, MPI_INFO_NULL | MPI_INFO_ENV)
        {
            info::change(info, |info| info.set(RESOURCE, level.name()))?;
        }
        Ok(made)
    };
    give(newcomm, make)
}

/// What a kind of split goes by that only Open MPI has. What processes share of caches or threads of a core, nobody here knows.
fn of_openmpi(split_type: c_int) -> Option<Wish> {
    if !cfg!(feature = "openmpi") {
        return None;
    }
    let kinds = [
        (OMPI_COMM_TYPE_HWTHREAD, Wish::Nothing),
        (OMPI_COMM_TYPE_CORE, Wish::Part(Level::Core)),
        (OMPI_COMM_TYPE_L1CACHE, Wish::Nothing),
        (OMPI_COMM_TYPE_L2CACHE, Wish::Nothing),
        (OMPI_COMM_TYPE_L3CACHE, Wish::Nothing),
        (OMPI_COMM_TYPE_SOCKET, Wish::Part(Level::Package)),
        (OMPI_COMM_TYPE_NUMA, Wish::Part(Level::Numa)),
        (OMPI_COMM_TYPE_BOARD, Wish::Together),
        (OMPI_COMM_TYPE_HOST, Wish::Together),
        (OMPI_COMM_TYPE_CU, Wish::Together),
        (OMPI_COMM_TYPE_CLUSTER, Wish::Together),
    ];
    let known = kinds.into_iter().find(|&(kind, _)| kind == split_type);
    known.map(|(_, wish)| wish)
}

/// What a kind of split goes by, and where this process is, as far as that matters.
fn request(split_type: c_int, key: c_int, info: &Info) -> Result<Request> {
    let certain = |wish| [Hint::new("", wish), Hint::default(), Hint::default()];
    let named = |key: &str, wish: &dyn Fn(&str) -> Wish| {
        let value = info.get(key);
        value.map_or(Hint::default(), |value| Hint::new(value, wish(value)))
    };
    let part = || named(RESOURCE, &Wish::named);
    let directory = || named(DIRECTORY, &|_| Wish::Directory);
    let kind = match split_type {
        MPI_UNDEFINED => None,
        MPI_COMM_TYPE_SHARED => Some(SplitType::Shared),
        MPI_COMM_TYPE_HW_GUIDED => Some(SplitType::HwGuided),
        MPI_COMM_TYPE_HW_UNGUIDED => Some(SplitType::HwUnguided),
        MPI_COMM_TYPE_RESOURCE_GUIDED => Some(SplitType::ResourceGuided),
        MPIX_COMM_TYPE_NEIGHBORHOOD => Some(SplitType::Neighborhood),
        _ if of_openmpi(split_type).is_some() => Some(SplitType::OfOpenmpi),
        _ => bail!(Arg, "split_type is {split_type}, which is no kind of split"),
    };
    let places = match kind {
        None | Some(SplitType::Shared) => Places::default(),
        Some(_) => hardware::places(info.get(DIRECTORY)),
    };
    let hints = match kind {
        None => <[Hint; 3]>::default(),
        Some(SplitType::Shared) => certain(Wish::Together),
        Some(SplitType::HwUnguided) => certain(Wish::AnyPart),
        Some(SplitType::HwGuided) => [part(), Hint::default(), Hint::default()],
        // MPICH 4.0 has MPIX_COMM_TYPE_NEIGHBORHOOD under its number.
        Some(SplitType::ResourceGuided) => [part(), named(PSET, &Wish::named), directory()],
        Some(SplitType::Neighborhood) => [directory(), Hint::default(), Hint::default()],
        Some(SplitType::OfOpenmpi) => {
            let wish = of_openmpi(split_type).unwrap_or_default();
            [
                Hint::new(&format!("{wish:?}"), wish),
                Hint::default(),
                Hint::default(),
            ]
        }
    };
    Ok(Request {
        kind,
        key,
        hints,
        places,
    })
}

/// Ends a communicator and sets the handle to `MPI_COMM_NULL`. Its attributes are deleted; what is still under way in it
/// is completed. Does not block.
///
/// MPI 4.1 §7.4.3. Errors: `MPI_ERR_COMM` (none, `MPI_COMM_WORLD`, `MPI_COMM_SELF`), `MPI_ERR_ARG` (null pointer), what
/// a delete callback returned.
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_free(comm: Mut<MPI_Comm>) -> c_int {
    let mut comm = comm.inout("comm")?;
    comm::free(*comm).map_err(|error| error.on(Object::Comm(*comm)))?;
    *comm = MPI_COMM_NULL;
    Ok(())
}

/// Names a communicator, for people: at most `MPI_MAX_OBJECT_NAME` bytes with the zero are kept. Local.
///
/// MPI 4.1 §7.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_set_name(comm: MPI_Comm, comm_name: In<c_char>) -> c_int {
    let comm = comm::get(comm)?;
    let name = comm_name.string("comm_name")?;
    comm.set_name(name.to_bytes());
    Ok(())
}

/// Gives the name of a communicator, at most `MPI_MAX_OBJECT_NAME` bytes with the zero; empty if it has none. Local.
///
/// MPI 4.1 §7.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_get_name(
    comm: MPI_Comm,
    comm_name: Mut<c_char>,
    resultlen: Mut<c_int>,
) -> c_int {
    let name = match comm {
        MPI_COMM_NULL => b"MPI_COMM_NULL"[..].into(),
        comm => comm::get(comm)?.name(),
    };
    let resultlen = resultlen.out("resultlen")?;
    let length = comm_name.put_string(MPI_MAX_OBJECT_NAME, &name, "comm_name")?;
    resultlen.set(length);
    Ok(())
}

/// Adds hints to those of a communicator. Collective over it, but does not block: no hint changes what it does. Info keys:
/// the assertions of the standard, and `mpi_assert_memory_alloc_kinds`; what is not understood is ignored.
///
/// MPI 4.1 §7.4.4. Errors: `MPI_ERR_COMM`, `MPI_ERR_INFO`, `MPI_ERR_INFO_VALUE` (a malformed list of memory allocation
/// kinds).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_set_info(comm: MPI_Comm, info: MPI_Info) -> c_int {
    let comm = comm::get(comm)?;
    comm.take_hints(&info::copy(info)?)
}

/// Makes an info object of the hints of a communicator, all that it understands with their values, and of its memory
/// allocation kinds. The caller frees it. Local.
///
/// MPI 4.1 §7.4.4. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer), `MPI_ERR_NO_MEM` (too many handles).
#[apply(mpi_api)]
pub extern "C" fn MPI_Comm_get_info(comm: MPI_Comm, info_used: Mut<MPI_Info>) -> c_int {
    let comm = comm::get(comm)?;
    let info_used = info_used.out("info_used")?;
    info_used.set(info::publish(comm.info())?);
    Ok(())
}
