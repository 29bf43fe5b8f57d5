//! A datatype as it lies in a file whose elements have other sizes than in memory (MPI 4.1 §14.5).
//!
//! It is made as the datatype itself was, of elements that are so many bytes of the file and need no alignment. So what a
//! constructor was given in elements follows their size: portable datatypes scale. What it was given in bytes are bytes of the
//! file: that is how the standard wants others to be constructed.

use super::object::{Datatype, Envelope};
use super::predefined::Named;
use super::{arrays, construct};
use crate::error::Result;
use crate::mpi::constants::*;
use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::Arc;

/// The datatype in a file in which `size` tells the bytes of elements. Errors: those of `size`; `MPI_ERR_ARG` if it is too large.
pub fn scaled(
    datatype: &Arc<Datatype>,
    size: &mut dyn FnMut(Named) -> Result<usize>,
) -> Result<Arc<Datatype>> {
    // Without recursion: a chain of datatypes may be longer than the stack is deep.
    let mut made: HashMap<*const Datatype, Arc<Datatype>> = HashMap::new();
    let mut left = vec![datatype.clone()];
    while let Some(next) = left.last() {
        let key = Arc::as_ptr(next);
        let parts = &next.envelope().types;
        let is_missing = |part: &&Arc<Datatype>| !made.contains_key(&Arc::as_ptr(part));
        let missing: Vec<_> = match made.contains_key(&key) {
            true => Vec::new(),
            false => parts.iter().filter(is_missing).cloned().collect(),
        };
        if !missing.is_empty() {
            left.extend(missing);
            continue;
        }
        if !made.contains_key(&key) {
            let types = parts.iter().map(|part| made[&Arc::as_ptr(part)].clone());
            let new = remade(next, types.collect(), size)?;
            made.insert(key, new);
        }
        left.pop();
    }
    Ok(made[&Arc::as_ptr(datatype)].clone())
}

/// The datatype made again of other ones.
fn remade(
    datatype: &Arc<Datatype>,
    types: Vec<Arc<Datatype>>,
    size: &mut dyn FnMut(Named) -> Result<usize>,
) -> Result<Arc<Datatype>> {
    let envelope = datatype.envelope();
    let arguments = arguments(envelope);
    let int = |at: usize| arguments[at] as c_int;
    let Some(old) = types.first() else {
        return match envelope.combiner {
            MPI_COMBINER_STRUCT => Ok(Arc::new(construct::structure(&[], &[], &[], false)?)),
            _ => leaf(datatype, size),
        };
    };
    let new = match envelope.combiner {
        MPI_COMBINER_DUP => return Ok(old.clone()),
        MPI_COMBINER_CONTIGUOUS => construct::contiguous(arguments[0], old, false)?,
        MPI_COMBINER_VECTOR => {
            construct::vector(arguments[0], arguments[1], arguments[2], old, false)?
        }
        MPI_COMBINER_HVECTOR => {
            construct::hvector(arguments[0], arguments[1], arguments[2], old, false)?
        }
        MPI_COMBINER_INDEXED | MPI_COMBINER_HINDEXED | MPI_COMBINER_STRUCT => {
            let (lengths, displacements) = arguments[1..].split_at(arguments[0] as usize);
            match envelope.combiner {
                MPI_COMBINER_INDEXED => construct::indexed(lengths, displacements, old, false)?,
                MPI_COMBINER_HINDEXED => construct::hindexed(lengths, displacements, old, false)?,
                _ => construct::structure(lengths, displacements, &types, false)?,
            }
        }
        MPI_COMBINER_INDEXED_BLOCK => {
            construct::indexed_block(arguments[1], &arguments[2..], old, false)?
        }
        MPI_COMBINER_HINDEXED_BLOCK => {
            construct::hindexed_block(arguments[1], &arguments[2..], old, false)?
        }
        MPI_COMBINER_RESIZED => construct::resized(old, arguments[0], arguments[1], false)?,
        MPI_COMBINER_SUBARRAY => {
            let n = arguments[0] as usize;
            let part = |i: usize| &arguments[1 + i * n..1 + (i + 1) * n];
            let order = int(1 + 3 * n);
            arrays::subarray(part(0), part(1), part(2), order, old, false)?
        }
        MPI_COMBINER_DARRAY => {
            let n = arguments[2] as usize;
            let part = |i: usize| &arguments[3 + i * n..3 + (i + 1) * n];
            let ints = |i: usize| part(i).iter().map(|&v| v as c_int).collect::<Vec<_>>();
            arrays::darray(
                int(0),
                int(1),
                part(0),
                &ints(1),
                &ints(2),
                &ints(3),
                int(3 + 4 * n),
                old,
                false,
            )?
        }
        _ => return leaf(datatype, size),
    };
    Ok(Arc::new(new))
}

/// The numbers that a constructor was given, in the order of its arguments.
fn arguments(envelope: &Envelope) -> Vec<i64> {
    let integers = envelope.integers.iter().map(|&v| i64::from(v));
    let addresses = envelope.addresses.iter().map(|&v| v as i64);
    let before = match envelope.combiner {
        MPI_COMBINER_SUBARRAY => 1,
        MPI_COMBINER_DARRAY => 3,
        _ => 0,
    };
    let counts = envelope.counts.iter().copied();
    let first = integers.clone().take(before);
    let rest = integers.skip(before);
    first.chain(counts).chain(rest).chain(addresses).collect()
}

/// Of what is not made of other datatypes: the bytes of its elements. Markers of bounds have none, and stay.
fn leaf(
    datatype: &Arc<Datatype>,
    size: &mut dyn FnMut(Named) -> Result<usize>,
) -> Result<Arc<Datatype>> {
    if datatype.size() == 0 {
        return Ok(datatype.clone());
    }
    let mut bytes: Result<i64> = Ok(0);
    datatype.signature().for_each_while(&mut |named, n| {
        let sum = |bytes: i64| Ok(bytes.saturating_add((size(named)? * n) as i64));
        bytes = std::mem::replace(&mut bytes, Ok(0)).and_then(sum);
        bytes.is_ok()
    });
    let byte = Named::of(MPI_BYTE).expect("bytes are a named type");
    Ok(Arc::new(construct::contiguous(
        bytes?,
        byte.object(),
        false,
    )?))
}

#[cfg(test)]
mod tests {
    use super::super::{get_arc, hvector, resized, structure, subarray, vector};
    use super::*;
    use crate::datatype::external;

    fn in_file(datatype: &Arc<Datatype>) -> Arc<Datatype> {
        scaled(datatype, &mut |named| Ok(external::size_of(named))).unwrap()
    }

    fn runs(datatype: &Datatype) -> Vec<(usize, usize)> {
        let mut runs = Vec::new();
        datatype.for_each_run(0, 1, |at, len| runs.push((at, len)));
        runs
    }

    #[test]
    fn portable_datatypes_scale_and_bytes_stay() {
        let long = get_arc(MPI_LONG).unwrap();
        let two = Arc::new(vector(2, 1, 3, &long, false).unwrap());
        assert_eq!(runs(&in_file(&two)), [(0, 4), (12, 4)]);
        assert_eq!(in_file(&two).extent(), 16);
        for large in [false, true] {
            let part = subarray(&[4, 3], &[2, 1], &[1, 2], MPI_ORDER_C, &long, large).unwrap();
            let part = in_file(&Arc::new(part));
            assert_eq!(runs(&part), [(20, 4), (32, 4)]);
            assert_eq!(part.extent(), 48);
            let bytes = Arc::new(hvector(2, 1, 10, &long, large).unwrap());
            assert_eq!(runs(&in_file(&bytes)), [(0, 4), (10, 4)]);
            let wide = Arc::new(resized(&long, 0, 100, large).unwrap());
            assert_eq!(in_file(&wide).extent(), 100);
        }
    }

    #[test]
    fn structures_have_no_padding_in_files() {
        let (char, pair) = (get_arc(MPI_CHAR).unwrap(), get_arc(MPI_DOUBLE_INT).unwrap());
        let both = structure(&[1, 2], &[0, 1], &[char, pair], false).unwrap();
        let both = in_file(&Arc::new(both));
        assert_eq!(runs(&both), [(0, 25)]);
        assert_eq!(both.extent(), 25);
    }

    #[test]
    fn long_chains_and_shared_parts() {
        let mut chain = get_arc(MPI_LONG).unwrap();
        for i in 0..60_000 {
            chain = Arc::new(
                match i % 1000 {
                    0 if i < 10_000 => structure(
                        &[1, 1],
                        &[0, chain.extent() as i64],
                        &[chain.clone(), chain],
                        false,
                    ),
                    _ => super::super::contiguous(1, &chain, false),
                }
                .unwrap(),
            );
        }
        let (native, scaled) = (chain.size(), in_file(&chain).size());
        assert_eq!((native, scaled), (8 << 10, 4 << 10));
    }
}
