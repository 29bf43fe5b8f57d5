//! Tests of the datatype engine. This file has a naive model that keeps every entry of every type map; the others compare
//! the engine with it.

mod memory;
mod objects;
mod speed;

use super::*;
use crate::abi::constants::*;
use crate::abi::types::MPI_Datatype;
use crate::error::Result;
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
    marked: bool,
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
        marked: false,
        object,
    }
}

impl Model {
    fn extent(&self) -> i64 {
        self.ub - self.lb
    }

    /// The type map of blocks (displacement in bytes, count) of models.
    fn of_blocks(object: Datatype, blocks: &[(i64, i64, &Model)], pad: bool) -> Model {
        let mut map = Vec::new();
        let mut elements = Vec::new();
        let mut bounds: Vec<(i64, i64, bool)> = Vec::new();
        let mut align = 1;
        for (disp, n, old) in blocks {
            for i in 0..*n {
                let at = disp + i * old.extent();
                map.extend(old.map.iter().map(|(d, len)| (at + d, *len)));
                elements.extend(old.elements.iter().map(|(d, kind)| (at + d, *kind)));
                bounds.push((at + old.lb, at + old.ub, old.marked));
                align = align.max(old.object.align() as i64);
            }
        }
        let marked = bounds.iter().any(|b| b.2);
        let chosen = || bounds.iter().filter(|b| b.2 || !marked);
        let lb = chosen().map(|b| b.0).min().unwrap_or(0);
        let mut ub = chosen().map(|b| b.1).max().unwrap_or(0);
        while pad && !marked && (ub - lb) % align != 0 {
            ub += 1;
        }
        Model {
            object: Arc::new(object),
            map,
            elements,
            lb,
            ub,
            marked,
        }
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
                        if i % 2 == 0 {
                            leaf(random)
                        } else {
                            self.clone()
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
                    marked: true,
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
