//! The tool information interface: events and their sources (MPI 4.1 §15.3.8), of which there are none. So every index,
//! handle and name is wrong, which is what these functions say. Errors as in [`tools`](crate::abi::tools::interface).

use crate::abi::boundary::pointers::{In, Mut};
use crate::error::Result;
use crate::mpi::types::*;
use crate::{bail, mpi_api, tools};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int, c_void};

fn no_index<T>(index: c_int) -> Result<T> {
    tools::check()?;
    bail!(
        TInvalidIndex,
        "the index is {index}, but there are no events"
    )
}

fn no_handle<T>() -> Result<T> {
    tools::check()?;
    bail!(
        TInvalidHandle,
        "there are no events, and so no handles of them"
    )
}

/// Gives the number of events: 0.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_get_num(num_events: Mut<c_int>) -> c_int {
    tools::check()?;
    num_events.out("num_events")?.set(0);
    Ok(())
}

/// Describes an event.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`.
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
    let _ = (
        name,
        name_len,
        verbosity,
        array_of_datatypes,
        array_of_displacements,
        num_elements,
        enumtype,
        info,
        desc,
        desc_len,
        bind,
    );
    no_index(event_index)
}

/// Gives the index of an event.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_NAME`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_get_index(name: In<c_char>, event_index: Mut<c_int>) -> c_int {
    let _ = event_index;
    tools::check()?;
    let name = crate::abi::tools::interface::named(name)?;
    bail!(TInvalidName, "there is no event with the name {name}")
}

/// Gives a handle of an event.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_handle_alloc(
    event_index: c_int,
    obj_handle: Mut<c_void>,
    info: MPI_Info,
    event_registration: Mut<MPI_T_event_registration>,
) -> c_int {
    let _ = (obj_handle, info, event_registration);
    no_index(event_index)
}

/// Adds hints to a handle.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_handle_set_info(
    event_registration: MPI_T_event_registration,
    info: MPI_Info,
) -> c_int {
    let _ = (event_registration, info);
    no_handle()
}

/// Gives the hints of a handle.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_handle_get_info(
    event_registration: MPI_T_event_registration,
    info_used: Mut<MPI_Info>,
) -> c_int {
    let _ = (event_registration, info_used);
    no_handle()
}

/// Registers a function for an event.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_register_callback(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info: MPI_Info,
    user_data: Mut<c_void>,
    event_cb_function: Option<MPI_T_event_cb_function>,
) -> c_int {
    let _ = (
        event_registration,
        cb_safety,
        info,
        user_data,
        event_cb_function,
    );
    no_handle()
}

/// Adds hints to a registered function.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_callback_set_info(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info: MPI_Info,
) -> c_int {
    let _ = (event_registration, cb_safety, info);
    no_handle()
}

/// Gives the hints of a registered function.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_callback_get_info(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info_used: Mut<MPI_Info>,
) -> c_int {
    let _ = (event_registration, cb_safety, info_used);
    no_handle()
}

/// Gives a handle back.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_handle_free(
    event_registration: MPI_T_event_registration,
    user_data: Mut<c_void>,
    free_cb_function: Option<MPI_T_event_free_cb_function>,
) -> c_int {
    let _ = (event_registration, user_data, free_cb_function);
    no_handle()
}

/// Registers a function for events that are lost.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_set_dropped_handler(
    event_registration: MPI_T_event_registration,
    dropped_cb_function: Option<MPI_T_event_dropped_cb_function>,
) -> c_int {
    let _ = (event_registration, dropped_cb_function);
    no_handle()
}

/// Gives an element of an event.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_read(
    event_instance: MPI_T_event_instance,
    element_index: c_int,
    buffer: Mut<c_void>,
) -> c_int {
    let _ = (event_instance, element_index, buffer);
    no_handle()
}

/// Gives all of an event.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_copy(
    event_instance: MPI_T_event_instance,
    buffer: Mut<c_void>,
) -> c_int {
    let _ = (event_instance, buffer);
    no_handle()
}

/// Gives the time of an event.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_get_timestamp(
    event_instance: MPI_T_event_instance,
    event_timestamp: Mut<MPI_Count>,
) -> c_int {
    let _ = (event_instance, event_timestamp);
    no_handle()
}

/// Gives the source of an event.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_HANDLE`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_event_get_source(
    event_instance: MPI_T_event_instance,
    source_index: Mut<c_int>,
) -> c_int {
    let _ = (event_instance, source_index);
    no_handle()
}

/// Gives the number of sources of events: 0.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_source_get_num(num_sources: Mut<c_int>) -> c_int {
    tools::check()?;
    num_sources.out("num_sources")?.set(0);
    Ok(())
}

/// Describes a source of events.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`.
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
    let _ = (
        name,
        name_len,
        desc,
        desc_len,
        ordering,
        ticks_per_second,
        max_ticks,
        info,
    );
    no_index(source_index)
}

/// Gives the time of a source of events.
///
/// MPI 4.1 §15.3.8. Errors: `MPI_T_ERR_NOT_INITIALIZED`, `MPI_T_ERR_INVALID_INDEX`.
#[apply(mpi_api)]
pub extern "C" fn MPI_T_source_get_timestamp(
    source_index: c_int,
    timestamp: Mut<MPI_Count>,
) -> c_int {
    let _ = timestamp;
    no_index(source_index)
}
