//! Which elements a datatype has, in the order of the type map: its type signature, kept as short as the datatype was
//! described. It answers what the bytes of a message are: how many elements they make, and of which predefined type.

use super::basic::Basic;
use super::predefined::Named;
use super::rope::{self, Piece};
use super::told::number_of;
use crate::check::signature::Signature as Number;
use std::sync::Arc;

/// The elements of a datatype.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Bytes of data.
    pub bytes: usize,
    /// Basic elements; a pair counts as two.
    pub elements: usize,
    /// The kind of all elements, if they are of one.
    pub basic: Option<Basic>,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Elements {
        named: Named,
        count: usize,
    },
    Repeat {
        count: usize,
        of: Arc<Signature>,
    },
    /// A tree of that height.
    Sequence {
        height: u32,
        list: Arc<[Signature]>,
    },
}

impl Signature {
    pub fn empty() -> Signature {
        Signature::node(Vec::new())
    }

    /// `count` elements of a predefined type.
    pub fn of(named: Named, count: usize) -> Signature {
        match named.basic() {
            None => Signature::empty(),
            Some(_) if count == 0 => Signature::empty(),
            Some(basic) => Signature {
                bytes: basic.size() * count,
                elements: basic.parts().len() * count,
                basic: Some(basic),
                form: Form::Elements { named, count },
            },
        }
    }

    /// `count` times the same.
    pub fn repeat(&self, count: usize) -> Signature {
        if count == 0 || self.bytes == 0 {
            return Signature::empty();
        }
        if count == 1 {
            return self.clone();
        }
        let form = match &self.form {
            Form::Elements { named, count: c } => Form::Elements {
                named: *named,
                count: c * count,
            },
            Form::Repeat { count: c, of } => Form::Repeat {
                count: c * count,
                of: of.clone(),
            },
            Form::Sequence { .. } => Form::Repeat {
                count,
                of: Arc::new(self.clone()),
            },
        };
        Signature {
            bytes: self.bytes * count,
            elements: self.elements * count,
            basic: self.basic,
            form,
        }
    }

    /// One after the other.
    pub fn sequence(signatures: impl Iterator<Item = Signature>) -> Signature {
        let mut list = rope::melted(signatures.filter(|s| s.bytes > 0));
        match list.len() {
            0 => Signature::empty(),
            1 => list.remove(0),
            _ => rope::sequence(list),
        }
    }

    /// How many basic elements `bytes` bytes of a message of this type make (`MPI_Get_elements`); `None` if they end
    /// within an element. The message may have any number of repetitions of the type.
    pub fn elements_in(&self, bytes: usize) -> Option<usize> {
        if self.bytes == 0 {
            return (bytes == 0).then_some(0);
        }
        let whole = bytes / self.bytes * self.elements;
        let rest = bytes % self.bytes;
        if rest == 0 {
            return Some(whole);
        }
        Some(whole + self.elements_in_part(rest)?)
    }

    /// The same for less than the whole of this signature.
    fn elements_in_part(&self, bytes: usize) -> Option<usize> {
        match &self.form {
            Form::Elements { named, .. } => {
                let basic = named.basic()?;
                let parts = basic.parts();
                let whole = bytes / basic.size() * parts.len();
                match bytes % basic.size() {
                    0 => Some(whole),
                    rest if parts.len() == 2 && rest == parts[0].1 => Some(whole + 1),
                    _ => None,
                }
            }
            Form::Repeat { of, .. } => of.elements_in(bytes),
            Form::Sequence { list, .. } => {
                let mut elements = 0;
                let mut left = bytes;
                for s in list.iter() {
                    if left < s.bytes {
                        return Some(
                            elements
                                + if left == 0 {
                                    0
                                } else {
                                    s.elements_in_part(left)?
                                },
                        );
                    }
                    left -= s.bytes;
                    elements += s.elements;
                }
                Some(elements)
            }
        }
    }

    /// The other way round: the bytes of the first `elements` basic elements (`MPI_Status_set_elements`). `None` if
    /// the number of bytes does not fit, or if there are no elements to count.
    pub fn bytes_of(&self, elements: usize) -> Option<usize> {
        if elements == 0 {
            return Some(0);
        }
        if self.elements == 0 {
            return None;
        }
        let whole = (elements / self.elements).checked_mul(self.bytes)?;
        whole.checked_add(self.bytes_of_part(elements % self.elements)?)
    }

    fn bytes_of_part(&self, elements: usize) -> Option<usize> {
        match &self.form {
            Form::Elements { named, .. } => {
                let basic = named.basic()?;
                let parts = basic.parts();
                let odd = elements % parts.len();
                Some(elements / parts.len() * basic.size() + if odd > 0 { parts[0].1 } else { 0 })
            }
            Form::Repeat { of, .. } => of.bytes_of(elements),
            Form::Sequence { list, .. } => {
                let mut bytes = 0;
                let mut left = elements;
                for s in list.iter() {
                    if left < s.elements {
                        return Some(bytes + s.bytes_of_part(left)?);
                    }
                    left -= s.elements;
                    bytes += s.bytes;
                }
                Some(bytes)
            }
        }
    }

    /// Calls `each(type, count)` for the elements in order, as many neighbours at once as the description gives.
    pub fn for_each(&self, each: &mut impl FnMut(Named, usize)) {
        match &self.form {
            Form::Elements { named, count } => each(*named, *count),
            Form::Repeat { count, of } => {
                for _ in 0..*count {
                    of.for_each(each);
                }
            }
            Form::Sequence { list, .. } => {
                for s in list.iter() {
                    s.for_each(each);
                }
            }
        }
    }

    /// The same as long as that says true.
    pub fn for_each_while(&self, each: &mut impl FnMut(Named, usize) -> bool) -> bool {
        match &self.form {
            Form::Elements { named, count } => each(*named, *count),
            Form::Repeat { count, of } => (0..*count).all(|_| of.for_each_while(each)),
            Form::Sequence { list, .. } => list.iter().all(|s| s.for_each_while(each)),
        }
    }

    /// Calls `each` for every kind of elements once at least, without visiting repetitions.
    pub fn for_each_kind(&self, each: &mut impl FnMut(Named)) {
        match &self.form {
            Form::Elements { named, .. } => each(*named),
            Form::Repeat { of, .. } => of.for_each_kind(each),
            Form::Sequence { list, .. } => list.iter().for_each(|s| s.for_each_kind(each)),
        }
    }

    /// It as a number that checks compare.
    pub fn number(&self) -> Number {
        match &self.form {
            Form::Elements { named, count } => number_of(*named, *count),
            Form::Repeat { count, of } => of.number().repeat(*count),
            Form::Sequence { list, .. } => {
                let next = |all: Number, s: &Signature| all.then(s.number());
                list.iter().fold(Number::EMPTY, next)
            }
        }
    }

    /// The same of the first `elements`, of which there are so many.
    pub fn number_of_first(&self, elements: u64) -> Number {
        if elements >= self.elements as u64 {
            return self.number();
        }
        match &self.form {
            Form::Elements { named, .. } => {
                let Some(basic) = named.basic() else {
                    return Number::EMPTY;
                };
                let parts = basic.parts().len() as u64;
                let whole = number_of(*named, (elements / parts) as usize);
                match elements % parts {
                    0 => whole,
                    _ => whole.then(basic.first_number()),
                }
            }
            Form::Repeat { of, .. } => {
                let each = of.elements as u64;
                let whole = of.number().repeat((elements / each) as usize);
                whole.then(of.number_of_first(elements % each))
            }
            Form::Sequence { list, .. } => {
                let (mut all, mut left) = (Number::EMPTY, elements);
                for s in list.iter() {
                    if left == 0 {
                        break;
                    }
                    all = all.then(s.number_of_first(left));
                    left = left.saturating_sub(s.elements as u64);
                }
                all
            }
        }
    }

    /// The sum of `weight` over all elements, without visiting repetitions. `None` if it overflows.
    pub fn sum(&self, weight: &impl Fn(Named) -> usize) -> Option<usize> {
        match &self.form {
            Form::Elements { named, count } => weight(*named).checked_mul(*count),
            Form::Repeat { count, of } => of.sum(weight)?.checked_mul(*count),
            Form::Sequence { list, .. } => list
                .iter()
                .try_fold(0usize, |sum, s| sum.checked_add(s.sum(weight)?)),
        }
    }
}

impl Piece for Signature {
    fn height(&self) -> u32 {
        match self.form {
            Form::Sequence { height, .. } => height,
            _ => 0,
        }
    }

    fn count(&self) -> usize {
        match &self.form {
            Form::Sequence { list, .. } => list.len(),
            _ => 0,
        }
    }

    fn pieces(&self) -> Vec<Signature> {
        match &self.form {
            Form::Sequence { list, .. } => list.to_vec(),
            _ => Vec::new(),
        }
    }

    fn node(pieces: Vec<Signature>) -> Signature {
        let first = pieces.first();
        let basic = first.and_then(|s| s.basic);
        Signature {
            bytes: pieces.iter().map(|s| s.bytes).sum(),
            elements: pieces.iter().map(|s| s.elements).sum(),
            basic: basic.filter(|b| pieces.iter().all(|s| s.basic == Some(*b))),
            form: Form::Sequence {
                height: first.map_or(0, Signature::height) + 1,
                list: pieces.into(),
            },
        }
    }

    fn melt(&self, next: &Signature) -> Option<Signature> {
        match (&self.form, &next.form) {
            (
                Form::Elements { named, count },
                Form::Elements {
                    named: same,
                    count: more,
                },
            ) if named == same => Some(Signature::of(*named, count + more)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::constants::*;

    fn of(handle: crate::mpi::types::MPI_Datatype, count: usize) -> Signature {
        Signature::of(Named::of(handle).unwrap(), count)
    }

    #[test]
    fn elements_and_bytes_answer_each_other() {
        let inner = Signature::sequence([of(MPI_INT, 2), of(MPI_DOUBLE_INT, 3)].into_iter());
        let all = Signature::sequence([inner.repeat(4), of(MPI_CHAR, 5)].into_iter());
        assert_eq!((all.bytes, all.elements), (4 * (8 + 36) + 5, 4 * 8 + 5));
        let mut boundary = vec![0];
        for _ in 0..2 {
            all.for_each(&mut |named, count| {
                for _ in 0..count {
                    for (_, size) in named.basic().unwrap().parts() {
                        boundary.push(boundary.last().unwrap() + size);
                    }
                }
            });
        }
        for bytes in 0..=2 * all.bytes {
            let expected = boundary.iter().position(|b| *b == bytes);
            assert_eq!(all.elements_in(bytes), expected, "{bytes}");
            if let Some(elements) = expected {
                assert_eq!(all.bytes_of(elements), Some(bytes));
            }
        }
    }

    #[test]
    fn numbers_are_of_the_elements_not_of_the_description() {
        let inner = Signature::sequence([of(MPI_INT, 2), of(MPI_DOUBLE_INT, 3)].into_iter());
        let all = Signature::sequence([inner.repeat(4), of(MPI_CHAR, 5)].into_iter());
        let mut each = Vec::new();
        all.for_each(&mut |named, count| {
            let parts = match named == Named::of(MPI_INT).unwrap() {
                true => vec![Basic::I32],
                false if named == Named::of(MPI_CHAR).unwrap() => vec![Basic::Char],
                false => vec![Basic::F64, Basic::I32],
            };
            each.extend(parts.repeat(count));
        });
        let one = |basic: &Basic| Number::one(*basic as u8);
        for elements in 0..=each.len() {
            let first = each[..elements].iter().map(one);
            let expected = first.fold(Number::EMPTY, Number::then);
            assert_eq!(all.number_of_first(elements as u64), expected, "{elements}");
        }
        assert_eq!(all.number(), all.number_of_first(u64::MAX));
        assert_eq!(of(MPI_2INT, 2).number(), of(MPI_INTEGER, 4).number());
        assert_ne!(of(MPI_INT, 1).number(), of(MPI_FLOAT, 1).number());
        assert!(of(MPI_PACKED, 1).number().is_any);
    }

    #[test]
    fn repetitions_of_one_type_are_one_record() {
        let s = of(MPI_INT, 3).repeat(1000).repeat(1000);
        assert!(matches!(
            s.form,
            Form::Elements {
                count: 3_000_000,
                ..
            }
        ));
        assert_eq!(s.basic, Some(Basic::I32));
    }

    #[test]
    fn different_types_of_one_kind_are_homogeneous() {
        let same = Signature::sequence([of(MPI_INT, 1), of(MPI_INTEGER, 1)].into_iter());
        assert_eq!(same.basic, Some(Basic::I32));
        let mixed = Signature::sequence([of(MPI_INT, 1), of(MPI_UNSIGNED, 1)].into_iter());
        assert_eq!(mixed.basic, None);
    }
}
