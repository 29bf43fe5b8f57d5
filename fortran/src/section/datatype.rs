//! Datatypes for the elements of a section, where count and datatype belong to the section alone.

use super::Typed;
use crate::descriptor::{Dimension, Section};
use crate::face::{CHandle, in_c};
use crate::procedures::{
    PMPI_Type_commit, PMPI_Type_contiguous_c, PMPI_Type_create_hvector_c, PMPI_Type_create_resized,
    PMPI_Type_create_struct, PMPI_Type_dup, PMPI_Type_free, PMPI_Type_get_contents_c,
    PMPI_Type_get_envelope_c, PMPI_Type_get_extent, PMPI_Type_get_true_extent, PMPI_Type_size_c,
};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// A datatype for `count` elements of `datatype` in the memory of `section`, if there is one.
///
/// # Safety
/// None but that of calling C.
pub unsafe fn typed(
    section: &Section,
    count: i64,
    datatype: CHandle,
    how: Typed,
) -> Option<CHandle> {
    let Run {
        of: datatype,
        length,
    } = run(datatype)?;
    let size = dense_size(datatype)?;
    let count = count.checked_mul(length)?;
    if size == 0 || section.size as i64 % size != 0 {
        return None;
    }
    let each = section.size as i64 / size;
    let mut unit = contiguous(each, datatype);
    let (elements, rest) = (count / each, count % each);
    let mut pieces = vec![(0, elements_of(&section.dimensions, elements, unit))];
    if rest != 0 {
        pieces.push((
            offset_of(&section.dimensions, elements),
            contiguous(rest, datatype),
        ));
    }
    free(&mut unit);
    let mut made = joined(pieces);
    if how == Typed::Blocks {
        // The next block begins with the next element, wherever that is; blocks that do not end with the same piece of the last
        // dimension cannot be told.
        let (outermost, inner) = section.dimensions.split_last()?;
        let slice: i64 = inner
            .iter()
            .map(|dimension| dimension.extent as i64)
            .product();
        if rest != 0 || elements % slice != 0 {
            free(&mut made);
            return None;
        }
        let mut resized = made;
        // SAFETY: handles of the library for C.
        unsafe {
            PMPI_Type_create_resized(
                made,
                0,
                outermost.stride * (elements / slice) as isize,
                place(&mut resized),
            )
        };
        free(&mut made);
        made = resized;
    }
    // SAFETY: as above.
    unsafe { PMPI_Type_commit(place(&mut made)) };
    Some(made)
}

/// So many elements of a predefined datatype, one after the other.
struct Run {
    of: CHandle,
    length: i64,
}

/// What `datatype` is a run of, if it is one: a predefined datatype, or made of one by nothing but repetition.
fn run(datatype: CHandle) -> Option<Run> {
    let mut counts = [0_i64; 4];
    let mut combiner: c_int = 0;
    let [integers, addresses, large, datatypes] =
        counts.each_mut().map(|count| (&raw mut *count).cast());
    // SAFETY: all places are there.
    let code = unsafe {
        PMPI_Type_get_envelope_c(
            datatype,
            integers,
            addresses,
            large,
            datatypes,
            (&raw mut combiner).cast(),
        )
    };
    if code == 0 && combiner == in_c::COMBINER_NAMED {
        return Some(Run {
            of: datatype,
            length: 1,
        });
    }
    if code != 0 || !matches!(combiner, in_c::COMBINER_DUP | in_c::COMBINER_CONTIGUOUS) {
        return None;
    }
    let (mut number, mut count, mut old): (c_int, i64, CHandle) = (1, 0, datatype);
    let [integers, addresses, large, datatypes] = counts;
    // SAFETY: there is one of each at most, and a place for it.
    unsafe {
        PMPI_Type_get_contents_c(
            datatype,
            integers,
            addresses,
            large,
            datatypes,
            (&raw mut number).cast(),
            null_mut(),
            (&raw mut count).cast(),
            place(&mut old),
        )
    };
    let repeated = if large == 1 { count } else { number.into() };
    let inner = run(old);
    // A predefined one is not given up.
    if inner.as_ref().is_none_or(|inner| inner.of != old) {
        free(&mut old);
    }
    inner.map(|Run { of, length }| Run {
        of,
        length: length * repeated,
    })
}

/// The size of a predefined datatype whose elements follow each other without a gap.
fn dense_size(datatype: CHandle) -> Option<i64> {
    let (mut size, mut lower, mut extent) = (0_i64, 0_isize, 0_isize);
    // SAFETY: all places are there.
    unsafe {
        PMPI_Type_size_c(datatype, (&raw mut size).cast());
        PMPI_Type_get_extent(datatype, place_of(&mut lower), place_of(&mut extent));
    }
    (lower == 0 && extent as i64 == size).then_some(size)
}

/// Whether `count` elements of `datatype` lie within so many bytes.
pub fn fits(count: i64, datatype: CHandle, bytes: usize) -> bool {
    let (mut lower, mut extent, mut true_lower, mut true_extent) = (0_isize, 0_isize, 0, 0);
    // SAFETY: all places are there.
    unsafe {
        PMPI_Type_get_extent(datatype, place_of(&mut lower), place_of(&mut extent));
        PMPI_Type_get_true_extent(
            datatype,
            place_of(&mut true_lower),
            place_of(&mut true_extent),
        );
    }
    let last = (count as isize - 1).saturating_mul(extent);
    let (first, end) = (true_lower, true_lower + true_extent);
    first + last.min(0) >= 0 && last.max(0).saturating_add(end) <= bytes as isize
}

/// The first `count` elements, each of which is one `unit`.
fn elements_of(dimensions: &[Dimension], count: i64, unit: CHandle) -> CHandle {
    let Some((outermost, inner)) = dimensions.split_last() else {
        return contiguous(count, unit);
    };
    let slice: i64 = inner
        .iter()
        .map(|dimension| dimension.extent as i64)
        .product();
    let (slices, rest) = (count / slice, count % slice);
    let mut pieces = Vec::new();
    if slices != 0 || rest == 0 {
        let mut whole = elements_of(inner, slice, unit);
        let mut all = whole;
        // SAFETY: handles of the library for C.
        unsafe {
            PMPI_Type_create_hvector_c(slices, 1, outermost.stride as i64, whole, place(&mut all))
        };
        free(&mut whole);
        pieces.push((0, all));
    }
    if rest != 0 {
        pieces.push((
            slices as isize * outermost.stride,
            elements_of(inner, rest, unit),
        ));
    }
    joined(pieces)
}

/// How far element `at` is behind the first one.
fn offset_of(dimensions: &[Dimension], at: i64) -> isize {
    let Some((outermost, inner)) = dimensions.split_last() else {
        return 0;
    };
    let slice: i64 = inner
        .iter()
        .map(|dimension| dimension.extent as i64)
        .product();
    (at / slice) as isize * outermost.stride + offset_of(inner, at % slice)
}

fn contiguous(count: i64, of: CHandle) -> CHandle {
    let mut made = of;
    // SAFETY: handles of the library for C.
    unsafe {
        match count {
            1 => PMPI_Type_dup(of, place(&mut made)),
            count => PMPI_Type_contiguous_c(count, of, place(&mut made)),
        }
    };
    made
}

/// One datatype of all pieces, which are given up.
fn joined(mut pieces: Vec<(isize, CHandle)>) -> CHandle {
    if let [(0, only)] = pieces[..] {
        return only;
    }
    let lengths = vec![1 as c_int; pieces.len()];
    let places: Vec<isize> = pieces.iter().map(|piece| piece.0).collect();
    let datatypes: Vec<CHandle> = pieces.iter().map(|piece| piece.1).collect();
    let mut made = datatypes[0];
    let (lengths, places, datatypes) = (lengths.as_ptr(), places.as_ptr(), datatypes.as_ptr());
    // SAFETY: the arrays have as many elements as is said.
    unsafe {
        PMPI_Type_create_struct(
            pieces.len() as c_int,
            lengths.cast_mut().cast(),
            places.cast_mut().cast(),
            datatypes.cast_mut().cast(),
            place(&mut made),
        )
    };
    for (_, datatype) in &mut pieces {
        free(datatype);
    }
    made
}

pub fn free(datatype: &mut CHandle) {
    // SAFETY: it was made here.
    unsafe { PMPI_Type_free(place(datatype)) };
}

fn place(datatype: &mut CHandle) -> *mut c_void {
    (&raw mut *datatype).cast()
}

fn place_of(number: &mut isize) -> *mut c_void {
    (&raw mut *number).cast()
}
