//! What [checks](crate::check) ask of a datatype: its type signature as a number that other processes compare, and words for it.
//!
//! Predefined datatypes of one kind and size are one here, whatever language or name they have: `MPI_INT`, `MPI_INT32_T` and
//! `MPI_INTEGER` move the same element, and programs in several languages count on that.

use super::basic::Basic;
use super::object::Datatype;
use super::predefined::Named;
use super::signature::Signature;
use crate::check::signature::Signature as Number;
use crate::naming;

impl Basic {
    /// Its number, for one element: that of both parts for a pair, which is made of them.
    const fn number(self) -> Number {
        const fn one(basic: Basic) -> Number {
            Number::one(basic as u8)
        }
        const fn two(first: Basic, second: Basic) -> Number {
            one(first).then(one(second))
        }
        use Basic::*;
        match self {
            // (What is no datatype of the standard's is not judged.)
            Packed | TwoComplexF32 | TwoComplexF64 => Number::ANY,
            FloatInt => two(F32, I32),
            DoubleInt => two(F64, I32),
            LongInt => two(I64, I32),
            ShortInt => two(I16, I32),
            IntInt => two(I32, I32),
            LongDoubleInt => two(F80, I32),
            RealReal => two(F32, F32),
            DoubleDouble => two(F64, F64),
            basic => one(basic),
        }
    }

    /// That of the first part of a pair.
    pub(super) const fn first_number(self) -> Number {
        use Basic::*;
        match self {
            FloatInt | RealReal => F32.number(),
            DoubleInt | DoubleDouble => F64.number(),
            LongInt => I64.number(),
            ShortInt => I16.number(),
            IntInt => I32.number(),
            LongDoubleInt => F80.number(),
            basic => basic.number(),
        }
    }
}

/// The number of `count` elements of a predefined datatype.
pub(super) fn number_of(named: Named, count: usize) -> Number {
    let one = named.basic().map_or(Number::EMPTY, Basic::number);
    one.repeat(count)
}

impl Datatype {
    /// The type signature of `count` elements.
    pub fn number(&self, count: usize) -> Number {
        self.one_number().repeat(count)
    }

    /// Of the first `elements` of these, as far as there are so many.
    pub fn number_of_first(&self, count: usize, elements: u64) -> Number {
        let each = self.one_number();
        match each.elements {
            _ if each.is_any => each,
            0 => each,
            n if elements >= n.saturating_mul(count as u64) => each.repeat(count),
            n => {
                let whole = each.repeat((elements / n) as usize);
                whole.then(self.signature().number_of_first(elements % n))
            }
        }
    }

    /// The elements in words: "4 MPI_INT", or "2 of a derived datatype (6 MPI_INT)".
    pub fn described(&self, count: usize) -> String {
        if count == 0 || self.signature().bytes == 0 {
            return "no elements".to_string();
        }
        let name = self.name();
        let name = String::from_utf8_lossy(&name);
        // Every call of a checked job asks for this.
        if self.is_named() {
            return format!("{count} {name}");
        }
        let kinds = kinds_of(&self.signature().repeat(count));
        match &*name {
            "" => format!("{count} of a derived datatype ({kinds})"),
            name => {
                let name = naming::printable(name.as_bytes());
                format!("{count} {name} ({kinds})")
            }
        }
    }

    fn is_named(&self) -> bool {
        self.envelope().combiner == crate::mpi::constants::MPI_COMBINER_NAMED
    }
}

/// What so many elements are made of, in words, as far as that is short.
fn kinds_of(all: &Signature) -> String {
    let mut kinds: Vec<(Named, usize)> = Vec::new();
    let mut is_long = false;
    let mut most = 64;
    all.for_each_while(&mut |named, n| {
        let is_full = kinds.len() == 3;
        match kinds.last_mut() {
            Some((same, sum)) if *same == named => *sum += n,
            _ if is_full => is_long = true,
            _ => kinds.push((named, n)),
        }
        most -= 1;
        is_long |= most == 0;
        !is_long
    });
    let words = kinds
        .iter()
        .map(|(named, n)| format!("{n} {}", named.name()));
    let mut words = words.collect::<Vec<_>>().join(", ");
    if is_long {
        words += ", …";
    }
    words
}
