//! The tool information interface: events and their sources (MPI 4.1 §15.3.8). Errors as in [`tools`](crate::abi::tools::interface).
//!
//! Hints are taken and not used: there are none that this library knows.

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::tools::interface::{named, put, tell};
use crate::error::Result;
use crate::info::{self, Info};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::tools::events::{self, Bound, Data, SOURCES, Safety, TICKS, Type, types};
use crate::tools::{self, of_handle, to_handle};
use crate::{comm, err, mpi_api, transport, win};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int, c_void};

/// Error: `MPI_T_ERR_INVALID`.
fn check_info(info: MPI_Info) -> Result<()> {
    match info::hints(info) {
        Ok(_) => Ok(()),
        Err(error) => Err(err!(TInvalid, "{}", error.text)),
    }
}

/// A new info object without hints, unless its place is null.
fn no_hints(place: Mut<MPI_Info>) -> Result<()> {
    if !place.is_null() {
        place.out("info")?.set(info::publish(Info::new())?);
    }
    Ok(())
}

/// Gives the number of kinds of events.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_get_num(num_events: Mut<c_int>) -> c_int {
    tools::check()?;
    num_events.out("num_events")?.set(types().len() as c_int);
    Ok(())
}

/// Describes a kind of events. Results whose places are null are left out.
///
/// `num_elements` is the room in both arrays, and becomes the number of elements. Their names are in the enumeration. `info` becomes
/// an info object that the caller frees.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID` (negative length).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_get_info(
    event_index: c_int,
    name: Mut<c_char>,
    name_len: Mut<c_int>,
    verbosity: Mut<c_int>,
    array_of_datatypes: Mut<MPI_Datatype>,
    array_of_displacements: Mut<MPI_Aint>,
    num_elements: Mut<c_int>,
    enumtype: Mut<MPI_T_enum>,
    info: Mut<MPI_Info>,
    desc: Mut<c_char>,
    desc_len: Mut<c_int>,
    bind: Mut<c_int>,
) -> c_int {
    tools::check()?;
    let event = tools::at(types(), event_index)?;
    tell(event.about.name, name, name_len)?;
    tell(event.about.text, desc, desc_len)?;
    tell_elements(
        event,
        array_of_datatypes,
        array_of_displacements,
        num_elements,
    )?;
    put(verbosity, event.about.verbosity)?;
    put(enumtype, to_handle(event_index as usize))?;
    let bound = match event.bound {
        Bound::Nothing => MPI_T_BIND_NO_OBJECT,
        Bound::Window => MPI_T_BIND_MPI_WIN,
        Bound::Communicator => MPI_T_BIND_MPI_COMM,
    };
    put(bind, bound)?;
    no_hints(info)
}

fn tell_elements(
    event: &Type,
    datatypes: Mut<MPI_Datatype>,
    displacements: Mut<MPI_Aint>,
    number_of: Mut<c_int>,
) -> Result<()> {
    if number_of.is_null() {
        return Ok(());
    }
    let mut number_of = number_of.inout("num_elements")?;
    let len = event.elements.len();
    let room = match datatypes.is_null() && displacements.is_null() {
        true => 0,
        false => number(*number_of, "num_elements")?.min(len),
    };
    let (places, _) = event.layout();
    if !datatypes.is_null() {
        let values: Vec<_> = event.elements.iter().map(|e| e.datatype()).collect();
        datatypes.fill(&values[..room], "array_of_datatypes")?;
    }
    if !displacements.is_null() {
        let values: Vec<_> = places.iter().map(|&place| place as MPI_Aint).collect();
        displacements.fill(&values[..room], "array_of_displacements")?;
    }
    *number_of = len as c_int;
    Ok(())
}

/// Gives the index of a kind of events.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_NAME`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_get_index(name: In<c_char>, event_index: Mut<c_int>) -> c_int {
    tools::check()?;
    let (name, event_index) = (named(name)?, event_index.out("event_index")?);
    event_index.set(tools::find(types(), name, |t| t.about.name == name)?);
    Ok(())
}

/// The number of the object whose handle stands at `obj_handle`. Errors: `MPI_T_ERR_INVALID` (null pointer), `MPI_T_ERR_INVALID_HANDLE`.
fn object(bound: Bound, obj_handle: Mut<c_void>) -> Result<u64> {
    let none = |what: &str| err!(TInvalidHandle, "obj_handle points to no {what}");
    match bound {
        Bound::Nothing => Ok(0),
        Bound::Window => {
            let handle = obj_handle.cast::<MPI_Win>().handle("obj_handle")?;
            let window = win::get(handle).map_err(|_| none("window"))?;
            Ok(window.number)
        }
        Bound::Communicator => {
            let handle = obj_handle.cast::<MPI_Comm>().handle("obj_handle")?;
            let comm = comm::get(handle).map_err(|_| none("communicator"))?;
            Ok(transport::number(comm.context))
        }
    }
}

/// Gives a handle of a kind of events, of the object at `obj_handle` if the kind is bound to one. Nothing is told before a function is
/// registered.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID_HANDLE` (object),
/// `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_handle_alloc(
    event_index: c_int,
    obj_handle: Mut<c_void>,
    info: MPI_Info,
    event_registration: Mut<MPI_T_event_registration>,
) -> c_int {
    tools::check()?;
    let event = tools::at(types(), event_index)?;
    let event_registration = event_registration.out("event_registration")?;
    check_info(info)?;
    let object = object(event.bound, obj_handle)?;
    event_registration.set(to_handle(events::alloc(event.kind, object)));
    Ok(())
}

/// Whether that is a handle, with a function of the level if one is named.
fn registered(handle: MPI_T_event_registration, safety: Option<MPI_T_cb_safety>) -> Result<()> {
    tools::check()?;
    let handle = of_handle(handle);
    events::check_handle(handle, None)?;
    let safety = safety.map(Safety::of).transpose()?;
    events::check_handle(handle, safety)
}

/// Adds hints to a handle; none is known.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_handle_set_info(
    event_registration: MPI_T_event_registration,
    info: MPI_Info,
) -> c_int {
    registered(event_registration, None)?;
    check_info(info)
}

/// Gives the hints of a handle: an info object without any, which the caller frees.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_handle_get_info(
    event_registration: MPI_T_event_registration,
    info_used: Mut<MPI_Info>,
) -> c_int {
    registered(event_registration, None)?;
    let info_used = info_used.out("info_used")?;
    info_used.set(info::publish(Info::new())?);
    Ok(())
}

/// Registers what is called for the events of a handle where `cb_safety` is asked for; null takes it away.
///
/// One function for each level. Called is that of the lowest level that may be: where the event happens, in the middle of a call
/// of MPI, from `MPI_T_CB_REQUIRE_MPI_RESTRICTED` on; any at the end of the program's call.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID` (level, info).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_register_callback(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info: MPI_Info,
    user_data: Mut<c_void>,
    event_cb_function: Option<MPI_T_event_cb_function>,
) -> c_int {
    registered(event_registration, None)?;
    let safety = Safety::of(cb_safety)?;
    check_info(info)?;
    let data = Data(user_data.pointer());
    events::register(
        of_handle(event_registration),
        safety,
        event_cb_function,
        data,
    )
}

/// Adds hints to a registered function; none is known.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE` (also: no function of that level),
/// `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_callback_set_info(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info: MPI_Info,
) -> c_int {
    registered(event_registration, Some(cb_safety))?;
    check_info(info)
}

/// Gives the hints of a registered function: an info object without any, which the caller frees.
///
/// MPI 4.1 §15.3.8. Errors: as `MPI_T_event_callback_set_info`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_callback_get_info(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info_used: Mut<MPI_Info>,
) -> c_int {
    registered(event_registration, Some(cb_safety))?;
    let info_used = info_used.out("info_used")?;
    info_used.set(info::publish(Info::new())?);
    Ok(())
}

/// Gives a handle back. What waited for being told of it is forgotten. `free_cb_function`, unless it is null, is called when no other
/// function will be for this handle: before the return, or after a function of the handle that runs now.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_handle_free(
    event_registration: MPI_T_event_registration,
    user_data: Mut<c_void>,
    free_cb_function: Option<MPI_T_event_free_cb_function>,
) -> c_int {
    tools::check()?;
    let data = Data(user_data.pointer());
    events::free(of_handle(event_registration), free_cb_function, data)
}

/// Registers what is called when events of a handle were lost, with their number since it was called last; null takes it away. It gets
/// the data of the function that would be called for an event there.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_set_dropped_handler(
    event_registration: MPI_T_event_registration,
    dropped_cb_function: Option<MPI_T_event_dropped_cb_function>,
) -> c_int {
    tools::check()?;
    events::set_dropped(of_handle(event_registration), dropped_cb_function)
}

fn happened(event_instance: MPI_T_event_instance) -> Result<events::Happened> {
    tools::check()?;
    events::instance(of_handle(event_instance))
}

fn copy(bytes: &[u8], buffer: Mut<c_void>) -> Result<()> {
    let places = buffer.cast::<c_char>().slice_mut(bytes.len(), "buffer")?;
    let bytes = bytes.iter().map(|&byte| byte as c_char);
    places
        .iter_mut()
        .zip(bytes)
        .for_each(|(place, byte)| *place = byte);
    Ok(())
}

/// Gives an element of the event that a function is being told of.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID_INDEX`,
/// `MPI_T_ERR_INVALID` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_read(
    event_instance: MPI_T_event_instance,
    element_index: c_int,
    buffer: Mut<c_void>,
) -> c_int {
    copy(&happened(event_instance)?.element(element_index)?, buffer)
}

/// Gives all elements of the event that a function is being told of, each at its displacement.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_copy(
    event_instance: MPI_T_event_instance,
    buffer: Mut<c_void>,
) -> c_int {
    copy(&happened(event_instance)?.bytes(), buffer)
}

/// Gives the time at which the event happened that a function is being told of, in ticks of its source.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_get_timestamp(
    event_instance: MPI_T_event_instance,
    event_timestamp: Mut<MPI_Count>,
) -> c_int {
    let time = happened(event_instance)?.time();
    event_timestamp.out("event_timestamp")?.set(time);
    Ok(())
}

/// Gives the index of the source of the event that a function is being told of.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`, `MPI_T_ERR_INVALID` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_get_source(
    event_instance: MPI_T_event_instance,
    source_index: Mut<c_int>,
) -> c_int {
    let source = happened(event_instance)?.source();
    source_index.out("source_index")?.set(source as c_int);
    Ok(())
}

/// Gives the number of sources of events.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_source_get_num(num_sources: Mut<c_int>) -> c_int {
    tools::check()?;
    num_sources.out("num_sources")?.set(SOURCES.len() as c_int);
    Ok(())
}

/// Describes a source of events. Results whose places are null are left out. `info` becomes an info object that the caller frees.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID` (negative length).
#[apply(mpi_api)]
pub extern "C" fn MPI_T_source_get_info(
    source_index: c_int,
    name: Mut<c_char>,
    name_len: Mut<c_int>,
    desc: Mut<c_char>,
    desc_len: Mut<c_int>,
    ordering: Mut<MPI_T_source_order>,
    ticks_per_second: Mut<MPI_Count>,
    max_ticks: Mut<MPI_Count>,
    info: Mut<MPI_Info>,
) -> c_int {
    tools::check()?;
    let (own, text) = tools::at(&SOURCES, source_index)?;
    tell(own, name, name_len)?;
    tell(text, desc, desc_len)?;
    put(ordering, MPI_T_SOURCE_ORDERED)?;
    put(ticks_per_second, TICKS)?;
    put(max_ticks, MPI_Count::MAX)?;
    no_hints(info)
}

/// Gives the time of a source of events: nanoseconds of a clock that all processes of the machine share.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_source_get_timestamp(
    source_index: c_int,
    timestamp: Mut<MPI_Count>,
) -> c_int {
    tools::check()?;
    tools::at(&SOURCES, source_index)?;
    timestamp.out("timestamp")?.set(events::now());
    Ok(())
}
