//! Packing and unpacking, natively and in external32 (MPI 4.1 §5.2, §5.3).
//!
//! All of these are local and do not block.

use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::messages::p2p;
use crate::check::buffers::{self, Access};
use crate::datatype::{self, Datatype, external};
use crate::error::Result;
use crate::mpi::types::*;
use crate::{bail, check, comm, mpi_counts};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_void};

/// The elements that are packed or unpacked.
struct Elements {
    object: &'static Datatype,
    buffer: *mut u8,
    count: usize,
}

/// Checks the elements. Errors: `MPI_ERR_TYPE`, `MPI_ERR_COUNT`, `MPI_ERR_BUFFER`.
fn elements(
    buffer: In<c_void>,
    count: impl Number,
    datatype: MPI_Datatype,
    (buffer_name, count_name): (&str, &str),
) -> Result<Elements> {
    let object = datatype::get_committed(datatype)?;
    let count = crate::abi::boundary::arguments::count(count.wide(), count_name)?;
    object.check_buffer(buffer.pointer().expose_provenance(), count, buffer_name)?;
    if check::is_on() {
        let buffer = p2p::buffer(buffer, count as i64, datatype, buffer_name)?;
        buffer.tell_use(access(buffer_name), buffer_name);
    }
    Ok(Elements {
        object,
        buffer: buffer.pointer().cast_mut().cast(),
        count,
    })
}

/// What the call does with one of its buffers.
fn access(name: &str) -> Access {
    match name {
        "inbuf" => Access::Read,
        _ => Access::Write,
    }
}

/// Checks that `len` bytes from `position` on lie within a packed buffer of `size` bytes, and gives the position.
fn place<P: Number>(
    buffer: In<c_void>,
    size: impl Number,
    position: P,
    len: usize,
    (buffer_name, size_name): (&str, &str),
) -> Result<usize> {
    let (size, position) = (size.wide(), position.wide());
    if size < 0 {
        bail!(Arg, "{size_name} is {size}, and must not be negative");
    }
    if position < 0 || position > size {
        bail!(
            Arg,
            "position is {position}, but must be from 0 to {size_name} {size}"
        );
    }
    if len as u64 > (size - position) as u64 {
        bail!(
            Arg,
            "{size_name} is {size}, too small for {len} bytes at position {position}"
        );
    }
    if len > 0 && buffer.is_null() {
        bail!(Buffer, "{buffer_name} is a null pointer");
    }
    Ok(position as usize)
}

/// Moves a position on.
fn advance<P: Number>(position: &mut P, to: usize) -> Result<()> {
    match P::try_from(to) {
        Ok(value) => {
            *position = value;
            Ok(())
        }
        Err(_) => bail!(Arg, "position would be {to}, which its type cannot hold"),
    }
}

/// Refuses data representations other than external32.
fn only_external32(datarep: In<c_char>) -> Result<()> {
    let datarep = datarep.string("datarep")?;
    if datarep.to_bytes() != b"external32" {
        bail!(
            Arg,
            "datarep is \"{}\", but must be \"external32\"",
            datarep.to_string_lossy()
        );
    }
    Ok(())
}

/// Lets `work` have the `len` bytes at `position` of a packed buffer of `size`, and moves the position behind them.
fn at_position<N: Number>(
    (buffer, size): (In<c_void>, N),
    position: Mut<N>,
    len: usize,
    names: (&str, &str),
    work: impl FnOnce(*mut u8),
) -> Result<()> {
    let mut position = position.inout("position")?;
    let at = place(buffer, size, *position, len, names)?;
    let bytes = buffer.pointer().cast_mut().cast::<u8>().wrapping_add(at);
    if check::is_on() {
        let from = bytes.expose_provenance();
        let packed = std::iter::once((from, from + len));
        buffers::uses(access(names.0), names.0, Some(packed), true);
        buffers::begins();
    }
    work(bytes);
    advance(&mut *position, at + len)
}

fn pack<N: Number>(
    inbuf: In<c_void>,
    incount: N,
    datatype: MPI_Datatype,
    outbuf: Mut<c_void>,
    outsize: N,
    position: Mut<N>,
    comm: MPI_Comm,
) -> Result<()> {
    comm::get(comm)?;
    let from = elements(inbuf, incount, datatype, ("inbuf", "incount"))?;
    let len = from.object.bytes(from.count)?;
    let out = (outbuf.into(), outsize);
    // SAFETY: the caller of the MPI function promised readable elements and `outsize` bytes at `outbuf`, of which `len`
    // from the position on are used.
    at_position(out, position, len, ("outbuf", "outsize"), |to| unsafe {
        from.object.pack(from.buffer, from.count, 0..len, to)
    })
}

fn unpack<N: Number>(
    inbuf: In<c_void>,
    insize: N,
    position: Mut<N>,
    outbuf: Mut<c_void>,
    outcount: N,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<()> {
    comm::get(comm)?;
    let to = elements(outbuf.into(), outcount, datatype, ("outbuf", "outcount"))?;
    let len = to.object.bytes(to.count)?;
    // SAFETY: the caller of the MPI function promised writable elements and `insize` bytes at `inbuf`, of which `len`
    // from the position on are used.
    at_position(
        (inbuf, insize),
        position,
        len,
        ("inbuf", "insize"),
        // SAFETY: the caller of the MPI function promised writable elements, and `insize` bytes at `inbuf`, of which `len` from the
        // position on are read.
        |from| unsafe { to.object.unpack(from, to.buffer, to.count, 0..len) },
    )
}

fn pack_size<N: Number>(
    incount: N,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: Mut<N>,
) -> Result<()> {
    comm::get(comm)?;
    let object = datatype::get_committed(datatype)?;
    let count = crate::abi::boundary::arguments::count(incount.wide(), "incount")?;
    let size = size.out("size")?;
    let bytes = object.bytes(count)?;
    match N::try_from(bytes) {
        Ok(value) => size.set(value),
        Err(_) => bail!(
            Count,
            "incount is {count}: the packed size, {bytes} bytes, does not fit in an int"
        ),
    }
    Ok(())
}

fn pack_external<C: Number, N: Number>(
    datarep: In<c_char>,
    inbuf: In<c_void>,
    incount: C,
    datatype: MPI_Datatype,
    outbuf: Mut<c_void>,
    outsize: N,
    position: Mut<N>,
) -> Result<()> {
    only_external32(datarep)?;
    let from = elements(inbuf, incount, datatype, ("inbuf", "incount"))?;
    let len = external::size(from.object, from.count)?;
    let out = (outbuf.into(), outsize);
    // SAFETY: as in `pack`.
    at_position(out, position, len, ("outbuf", "outsize"), |to| unsafe {
        external::pack(from.object, from.buffer, from.count, to)
    })
}

fn unpack_external<C: Number, N: Number>(
    datarep: In<c_char>,
    inbuf: In<c_void>,
    insize: N,
    position: Mut<N>,
    outbuf: Mut<c_void>,
    outcount: C,
    datatype: MPI_Datatype,
) -> Result<()> {
    only_external32(datarep)?;
    let to = elements(outbuf.into(), outcount, datatype, ("outbuf", "outcount"))?;
    let len = external::size(to.object, to.count)?;
    // SAFETY: as in `unpack`.
    at_position(
        (inbuf, insize),
        position,
        len,
        ("inbuf", "insize"),
        // SAFETY: as in `unpack`.
        |from| unsafe { external::unpack(to.object, from, to.buffer, to.count) },
    )
}

fn pack_external_size<C: Number, N: Number>(
    datarep: In<c_char>,
    incount: C,
    datatype: MPI_Datatype,
    size: Mut<N>,
) -> Result<()> {
    only_external32(datarep)?;
    let object = datatype::get_committed(datatype)?;
    let count = crate::abi::boundary::arguments::count(incount.wide(), "incount")?;
    let size = size.out("size")?;
    let bytes = external::size(object, count)?;
    match N::try_from(bytes) {
        Ok(value) => size.set(value),
        Err(_) => bail!(
            Count,
            "incount is {count}: {bytes} bytes do not fit in size"
        ),
    }
    Ok(())
}

/// Packs `incount` elements into `outbuf`, `*position` bytes from its start, and moves `*position` behind them.
///
/// MPI 4.1 §5.2. Errors: `MPI_ERR_TYPE` (also not committed), `MPI_ERR_COUNT`, `MPI_ERR_BUFFER`, `MPI_ERR_COMM`,
/// `MPI_ERR_ARG` (`outsize` too small, position outside, null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Pack(
    inbuf: In<c_void>,
    incount: Count,
    datatype: MPI_Datatype,
    outbuf: Mut<c_void>,
    outsize: Count,
    position: Mut<Count>,
    comm: MPI_Comm,
) -> c_int {
    pack(inbuf, incount, datatype, outbuf, outsize, position, comm)
}

/// Unpacks `outcount` elements from `inbuf`, `*position` bytes from its start, and moves `*position` behind them.
///
/// MPI 4.1 §5.2. Errors: as `MPI_Pack`.
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Unpack(
    inbuf: In<c_void>,
    insize: Count,
    position: Mut<Count>,
    outbuf: Mut<c_void>,
    outcount: Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    unpack(inbuf, insize, position, outbuf, outcount, datatype, comm)
}

/// Gives the bytes that packing `incount` elements takes.
///
/// MPI 4.1 §5.2. Errors: `MPI_ERR_TYPE` (also not committed), `MPI_ERR_COUNT` (also: the size does not fit),
/// `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Pack_size(
    incount: Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: Mut<Count>,
) -> c_int {
    pack_size(incount, datatype, comm, size)
}

/// Packs `incount` elements in the representation `datarep`, which must be `external32`.
///
/// MPI 4.1 §5.3. Errors: as `MPI_Pack`.
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Pack_external(
    datarep: In<c_char>,
    inbuf: In<c_void>,
    incount: Count,
    datatype: MPI_Datatype,
    outbuf: Mut<c_void>,
    outsize: Extent,
    position: Mut<Extent>,
) -> c_int {
    pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position)
}

/// Unpacks `outcount` elements from the representation `datarep`, which must be `external32`.
///
/// MPI 4.1 §5.3. Errors: as `MPI_Pack`.
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Unpack_external(
    datarep: In<c_char>,
    inbuf: In<c_void>,
    insize: Extent,
    position: Mut<Extent>,
    outbuf: Mut<c_void>,
    outcount: Count,
    datatype: MPI_Datatype,
) -> c_int {
    unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype)
}

/// Gives the bytes that `incount` elements take in the representation `datarep`, which must be `external32`.
///
/// MPI 4.1 §5.3. Errors: `MPI_ERR_TYPE` (also not committed), `MPI_ERR_COUNT`, `MPI_ERR_ARG` (`datarep`, null pointer).
#[apply(mpi_counts)]
#[twice]
pub extern "C" fn MPI_Pack_external_size(
    datarep: In<c_char>,
    incount: Count,
    datatype: MPI_Datatype,
    size: Mut<Extent>,
) -> c_int {
    pack_external_size(datarep, incount, datatype, size)
}
