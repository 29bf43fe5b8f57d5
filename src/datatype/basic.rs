//! The kinds of elements that memory holds: what a reduction kernel, a byte-order conversion or an atomic access must
//! know about a predefined datatype, and no more. Several predefined datatypes are of one kind (`MPI_INT`,
//! `MPI_INTEGER` and `MPI_INT32_T` are all [`Basic::I32`]).

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Basic {
    I8,
    I16,
    I32,
    I64,
    /// `INTEGER*16`.
    I128,
    U8,
    U16,
    U32,
    U64,
    /// IEEE half precision.
    F16,
    F32,
    F64,
    /// x87 extended precision, C's `long double`: 10 bytes of value in 16 bytes.
    F80,
    /// IEEE quadruple precision, Fortran's `REAL*16`.
    F128,
    ComplexF16,
    ComplexF32,
    ComplexF64,
    ComplexF80,
    ComplexF128,
    /// `_Bool` of C and `bool` of C++: one byte.
    Bool,
    /// Fortran's `LOGICAL`s: nonzero is `.TRUE.`. The default one has four bytes.
    Logical1,
    Logical2,
    Logical4,
    Logical8,
    Logical16,
    /// Uninterpreted: `MPI_BYTE`.
    Byte,
    /// Uninterpreted: `MPI_PACKED`.
    Packed,
    /// A printable character of one byte.
    Char,
    /// A `wchar_t`.
    WideChar,
    /// The pairs of MINLOC and MAXLOC: a value and an index, laid out as a C struct.
    FloatInt,
    DoubleInt,
    LongInt,
    ShortInt,
    IntInt,
    LongDoubleInt,
    /// The pairs of Fortran, two elements of one type.
    RealReal,
    DoubleDouble,
    /// Two complex numbers, which have no operation of their own.
    TwoComplexF32,
    TwoComplexF64,
}

impl Basic {
    /// Every kind, in order.
    pub const ALL: [Basic; 39] = {
        use Basic::*;
        [
            I8,
            I16,
            I32,
            I64,
            I128,
            U8,
            U16,
            U32,
            U64,
            F16,
            F32,
            F64,
            F80,
            F128,
            ComplexF16,
            ComplexF32,
            ComplexF64,
            ComplexF80,
            ComplexF128,
            Bool,
            Logical1,
            Logical2,
            Logical4,
            Logical8,
            Logical16,
            Byte,
            Packed,
            Char,
            WideChar,
            FloatInt,
            DoubleInt,
            LongInt,
            ShortInt,
            IntInt,
            LongDoubleInt,
            RealReal,
            DoubleDouble,
            TwoComplexF32,
            TwoComplexF64,
        ]
    };

    /// The parts of an element as (displacement, bytes): two for a pair, whose parts may be of different sizes with a
    /// gap between them; the one element itself for all others.
    pub const fn parts(self) -> &'static [(usize, usize)] {
        match self {
            Basic::I8
            | Basic::U8
            | Basic::Bool
            | Basic::Logical1
            | Basic::Byte
            | Basic::Packed
            | Basic::Char => &[(0, 1)],
            Basic::I16 | Basic::U16 | Basic::F16 | Basic::Logical2 => &[(0, 2)],
            Basic::I32
            | Basic::U32
            | Basic::F32
            | Basic::Logical4
            | Basic::WideChar
            | Basic::ComplexF16 => &[(0, 4)],
            Basic::I64 | Basic::U64 | Basic::F64 | Basic::ComplexF32 | Basic::Logical8 => &[(0, 8)],
            Basic::I128
            | Basic::F80
            | Basic::F128
            | Basic::ComplexF64
            | Basic::Logical16
            | Basic::TwoComplexF32 => &[(0, 16)],
            Basic::ComplexF80 | Basic::ComplexF128 | Basic::TwoComplexF64 => &[(0, 32)],
            Basic::FloatInt | Basic::IntInt | Basic::RealReal => &[(0, 4), (4, 4)],
            Basic::DoubleInt | Basic::LongInt => &[(0, 8), (8, 4)],
            Basic::ShortInt => &[(0, 2), (4, 4)],
            Basic::LongDoubleInt => &[(0, 16), (16, 4)],
            Basic::DoubleDouble => &[(0, 8), (8, 8)],
        }
    }

    /// Bytes of data in an element (`MPI_Type_size`).
    #[inline]
    pub const fn size(self) -> usize {
        match self.parts() {
            [(_, a)] => *a,
            [(_, a), (_, b)] => *a + *b,
            _ => 0,
        }
    }

    /// Bytes from one element of an array to the next.
    #[inline]
    pub const fn extent(self) -> usize {
        match self {
            Basic::DoubleInt | Basic::LongInt => 16,
            Basic::ShortInt => 8,
            Basic::LongDoubleInt => 32,
            _ => self.size(),
        }
    }

    /// The alignment that C (or Fortran) gives the element.
    pub const fn align(self) -> usize {
        match self {
            Basic::ComplexF16 => 2,
            Basic::ComplexF32 | Basic::TwoComplexF32 => 4,
            Basic::ComplexF64 | Basic::TwoComplexF64 => 8,
            Basic::ComplexF80 | Basic::ComplexF128 | Basic::LongDoubleInt => 16,
            Basic::FloatInt | Basic::ShortInt | Basic::IntInt | Basic::RealReal => 4,
            Basic::DoubleInt | Basic::LongInt | Basic::DoubleDouble => 8,
            _ => self.size(),
        }
    }

    /// Whether this is a value and an index, the operands of MINLOC and MAXLOC.
    pub const fn is_pair(self) -> bool {
        self.parts().len() == 2
    }

    /// Whether elements next to each other leave no gap.
    pub const fn is_dense(self) -> bool {
        self.size() == self.extent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lists_every_kind_once() {
        for (i, basic) in Basic::ALL.iter().enumerate() {
            assert_eq!(*basic as usize, i);
        }
    }

    #[test]
    fn pairs_are_laid_out_as_c_structs() {
        #[repr(C)]
        struct Pair<A, B>(A, B);
        #[repr(C, align(16))]
        struct LongDouble([u8; 16]);
        fn check<A, B>(basic: Basic) {
            let parts = basic.parts();
            assert_eq!(parts[0], (0, size_of::<A>()), "{basic:?}");
            assert_eq!(
                parts[1],
                (std::mem::offset_of!(Pair<A, B>, 1), size_of::<B>()),
                "{basic:?}"
            );
            assert_eq!(basic.extent(), size_of::<Pair<A, B>>(), "{basic:?}");
            assert_eq!(basic.align(), align_of::<Pair<A, B>>(), "{basic:?}");
        }
        check::<f32, i32>(Basic::FloatInt);
        check::<f64, i32>(Basic::DoubleInt);
        check::<i64, i32>(Basic::LongInt);
        check::<i16, i32>(Basic::ShortInt);
        check::<i32, i32>(Basic::IntInt);
        check::<LongDouble, i32>(Basic::LongDoubleInt);
        check::<f32, f32>(Basic::RealReal);
        check::<f64, f64>(Basic::DoubleDouble);
    }
}
