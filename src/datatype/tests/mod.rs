//! Tests of the datatype engine. This file has a naive model that keeps every entry of every type map; the others compare
//! the engine with it.

mod memory;
mod objects;
mod speed;

use super::*;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::MPI_Datatype;
use std::sync::Arc;

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }
}

/// A datatype and its type map: (displacement, bytes) of every part of every element.
#[derive(Clone)]
struct Model {
    object: Arc<Datatype>,
    map: Vec<(i64, i64)>,
    /// (displacement, kind) of every element.
    elements: Vec<(i64, Basic)>,
    lb: i64,
    ub: i64,
    /// Whether the user has set the lower and the upper bound.
    marked: (bool, bool),
}

fn basic(handle: MPI_Datatype) -> Model {
    let object = get_arc(handle).unwrap();
    let kind = object.basic().unwrap();
    Model {
        map: kind
            .parts()
            .iter()
            .map(|&(disp, size)| (disp as i64, size as i64))
            .collect(),
        elements: vec![(0, kind)],
        lb: 0,
        ub: kind.extent() as i64,
        marked: (false, false),
        object,
    }
}

/// `MPI_LB` or `MPI_UB`.
fn marker(handle: MPI_Datatype) -> Model {
    Model {
        object: get_arc(handle).unwrap(),
        map: Vec::new(),
        elements: Vec::new(),
        lb: 0,
        ub: 0,
        marked: (handle == MPI_LB, handle == MPI_UB),
    }
}

impl Model {
    fn extent(&self) -> i64 {
        self.ub - self.lb
    }

    /// The strictest alignment of an element.
    fn align(&self) -> i64 {
        let strictest = self.elements.iter().map(|e| e.1.align() as i64).max();
        strictest.unwrap_or(1)
    }

    /// The type map of blocks (displacement in bytes, count) of models.
    fn of_blocks(object: Datatype, blocks: &[(i64, i64, &Model)], pad: bool) -> Model {
        let mut map = Vec::new();
        let mut elements = Vec::new();
        // Bounds of what is in the type map: elements, and what the user has set.
        let (mut lbs, mut ubs) = (Vec::new(), Vec::new());
        for (disp, n, old) in blocks {
            for i in 0..*n {
                let at = disp + i * old.extent();
                map.extend(old.map.iter().map(|(d, len)| (at + d, *len)));
                elements.extend(old.elements.iter().map(|(d, kind)| (at + d, *kind)));
                let has_data = !old.map.is_empty();
                if has_data || old.marked.0 {
                    lbs.push((at + old.lb, old.marked.0));
                }
                if has_data || old.marked.1 {
                    ubs.push((at + old.ub, old.marked.1));
                }
            }
        }
        let is_marked = |bounds: &[(i64, bool)]| bounds.iter().any(|b| b.1);
        let marked = (is_marked(&lbs), is_marked(&ubs));
        let lb = lbs.iter().filter(|b| b.1 == marked.0).map(|b| b.0).min();
        let ub = ubs.iter().filter(|b| b.1 == marked.1).map(|b| b.0).max();
        let mut model = Model {
            object: Arc::new(object),
            map,
            elements,
            lb: lb.unwrap_or(0),
            ub: ub.unwrap_or(0),
            marked,
        };
        while pad && !marked.1 && model.extent() % model.align() != 0 {
            model.ub += 1;
        }
        model
    }

    /// A random datatype made of `old` (and others of its like).
    fn derive(&self, random: &mut Random, large: bool) -> Result<Model> {
        let old = &self.object;
        let e = self.extent();
        let n = random.within(0, 4);
        let b = random.within(0, 3);
        let strided = |stride: i64| -> Vec<(i64, i64, &Model)> {
            (0..n).map(|i| (i * stride, b, self)).collect()
        };
        let mut list =
            |low, high| -> Vec<i64> { (0..n).map(|_| random.within(low, high)).collect() };
        let lengths = list(0, 3);
        let elements = list(-5, 9);
        let bytes = list(-60, 90);
        Ok(match random.within(0, 9) {
            0 => Model::of_blocks(contiguous(n, old, large)?, &[(0, n, self)], false),
            1 => {
                let stride = random.within(-4, 5);
                Model::of_blocks(
                    vector(n, b, stride, old, large)?,
                    &strided(stride * e),
                    false,
                )
            }
            2 => {
                let stride = random.within(-40, 50);
                Model::of_blocks(hvector(n, b, stride, old, large)?, &strided(stride), false)
            }
            3 => {
                let object = indexed(&lengths, &elements, old, large)?;
                let blocks: Vec<_> = (0..n as usize)
                    .map(|i| (elements[i] * e, lengths[i], self))
                    .collect();
                Model::of_blocks(object, &blocks, false)
            }
            4 => {
                let object = hindexed(&lengths, &bytes, old, large)?;
                let blocks: Vec<_> = (0..n as usize)
                    .map(|i| (bytes[i], lengths[i], self))
                    .collect();
                Model::of_blocks(object, &blocks, false)
            }
            5 => {
                let object = indexed_block(b, &elements, old, large)?;
                let blocks: Vec<_> = elements.iter().map(|d| (d * e, b, self)).collect();
                Model::of_blocks(object, &blocks, false)
            }
            6 => {
                let object = hindexed_block(b, &bytes, old, large)?;
                let blocks: Vec<_> = bytes.iter().map(|d| (*d, b, self)).collect();
                Model::of_blocks(object, &blocks, false)
            }
            7 => {
                let others: Vec<Model> = (0..n)
                    .map(|i| {
                        if i % 2 == 1 {
                            return self.clone();
                        }
                        match random.within(0, 9) {
                            0 => marker(MPI_LB),
                            1 => marker(MPI_UB),
                            2 => empty(random),
                            _ => leaf(random),
                        }
                    })
                    .collect();
                let types: Vec<_> = others.iter().map(|m| m.object.clone()).collect();
                let object = structure(&lengths, &bytes, &types, large)?;
                let blocks: Vec<_> = (0..n as usize)
                    .map(|i| (bytes[i], lengths[i], &others[i]))
                    .collect();
                Model::of_blocks(object, &blocks, true)
            }
            8 => {
                let (lb, extent) = (random.within(-9, 9), random.within(-20, 70));
                Model {
                    object: Arc::new(resized(old, lb, extent, large)?),
                    lb,
                    ub: lb + extent,
                    marked: (true, true),
                    ..self.clone()
                }
            }
            _ => Model {
                object: Arc::new(dup(old, MPI_DATATYPE_NULL)?),
                ..self.clone()
            },
        })
    }

    fn true_bounds(&self) -> (i64, i64) {
        (
            self.map.iter().map(|m| m.0).min().unwrap_or(0),
            self.map.iter().map(|m| m.0 + m.1).max().unwrap_or(0),
        )
    }

    /// The displacement of every byte of a message, in packed order.
    fn bytes(&self, count: usize) -> Vec<i64> {
        (0..count as i64)
            .flat_map(|i| {
                let at = i * self.extent();
                self.map
                    .iter()
                    .flat_map(move |(d, len)| (0..*len).map(move |k| at + d + k))
            })
            .collect()
    }

    fn check_bounds(&self) {
        let o = &self.object;
        assert_eq!(o.size() as i64, self.map.iter().map(|m| m.1).sum::<i64>());
        assert_eq!((o.lb() as i64, o.ub() as i64), (self.lb, self.ub));
        assert_eq!(o.align() as i64, self.align());
        assert_eq!((o.true_lb() as i64, o.true_ub() as i64), self.true_bounds());
        let one = self.elements.first().map(|e| e.1);
        let same = one.filter(|k| self.elements.iter().all(|e| e.1 == *k));
        assert_eq!(o.basic(), same);
        assert_eq!(
            o.signature().elements,
            self.elements
                .iter()
                .map(|e| e.1.parts().len())
                .sum::<usize>()
        );
    }
}

const LEAVES: [MPI_Datatype; 8] = [
    MPI_CHAR,
    MPI_SHORT,
    MPI_INT,
    MPI_DOUBLE,
    MPI_LONG_DOUBLE,
    MPI_SHORT_INT,
    MPI_DOUBLE_INT,
    MPI_2INT,
];

fn leaf(random: &mut Random) -> Model {
    basic(LEAVES[random.within(0, LEAVES.len() as i64 - 1) as usize])
}

/// A datatype without data, of one with it.
fn empty(random: &mut Random) -> Model {
    let old = leaf(random);
    let object = contiguous(0, &old.object, false).unwrap();
    Model::of_blocks(object, &[], false)
}

/// Random nested datatypes, none of them with too long a type map.
fn models(seed: u64, how_many: usize) -> Vec<Model> {
    let mut random = Random(seed);
    let mut found = Vec::new();
    while found.len() < how_many {
        let mut model = leaf(&mut random);
        for _ in 0..random.within(1, 6) {
            let large = random.within(0, 1) == 1;
            match model.derive(&mut random, large) {
                Ok(next) if next.map.len() < 3000 && next.extent().abs() < 100_000 => model = next,
                Ok(_) => {}
                Err(error) => panic!("{}", error.text),
            }
        }
        found.push(model);
    }
    found
}

/// Memory in which a message of a model lies.
struct Memory {
    bytes: Vec<u8>,
    low: i64,
}

impl Memory {
    fn of(model: &Model, count: usize, fill: impl Fn(usize) -> u8) -> Memory {
        let places = model.bytes(count);
        let low = places.iter().min().copied().unwrap_or(0);
        let high = places.iter().max().copied().unwrap_or(0) + 1;
        assert_eq!(
            model.object.span(count).unwrap(),
            if places.is_empty() {
                (0, 0)
            } else {
                (low as isize, high as isize)
            }
        );
        Memory {
            bytes: (0..(high - low) as usize).map(fill).collect(),
            low,
        }
    }

    /// The buffer's address: that of displacement 0.
    fn base(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr().wrapping_offset(-self.low as isize)
    }

    fn at(&mut self, disp: i64) -> &mut u8 {
        &mut self.bytes[(disp - self.low) as usize]
    }
}

fn noise(i: usize) -> u8 {
    (i.wrapping_mul(0x9e37_79b9) >> 7) as u8
}
