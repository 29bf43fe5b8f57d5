//! The predefined operations and their names.

use crate::mpi::constants::*;
use crate::mpi::types::MPI_Op;

/// A predefined operation. The discriminant is one less than the low byte of its handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Predefined {
    Max,
    Min,
    Sum,
    Prod,
    Land,
    Band,
    Lor,
    Bor,
    Lxor,
    Bxor,
    Minloc,
    Maxloc,
    Replace,
    NoOp,
}

impl Predefined {
    pub const ALL: [Predefined; 14] = {
        use Predefined::*;
        [
            Max, Min, Sum, Prod, Land, Band, Lor, Bor, Lxor, Bxor, Minloc, Maxloc, Replace, NoOp,
        ]
    };

    /// The operation of a predefined handle.
    #[inline(always)]
    pub fn of(handle: MPI_Op) -> Option<Predefined> {
        let at = (handle.0 as u32).wrapping_sub(MPI_MAX.0 as u32);
        Predefined::ALL.get(at as usize).copied()
    }

    pub const fn handle(self) -> MPI_Op {
        MPI_Op(MPI_MAX.0 + self as i32)
    }

    pub fn name(self) -> &'static str {
        match self {
            Predefined::Max => "MPI_MAX",
            Predefined::Min => "MPI_MIN",
            Predefined::Sum => "MPI_SUM",
            Predefined::Prod => "MPI_PROD",
            Predefined::Land => "MPI_LAND",
            Predefined::Band => "MPI_BAND",
            Predefined::Lor => "MPI_LOR",
            Predefined::Bor => "MPI_BOR",
            Predefined::Lxor => "MPI_LXOR",
            Predefined::Bxor => "MPI_BXOR",
            Predefined::Minloc => "MPI_MINLOC",
            Predefined::Maxloc => "MPI_MAXLOC",
            Predefined::Replace => "MPI_REPLACE",
            Predefined::NoOp => "MPI_NO_OP",
        }
    }

    /// Whether the operation is for the accumulate family only, not for reductions.
    pub fn is_for_accumulate_only(self) -> bool {
        matches!(self, Predefined::Replace | Predefined::NoOp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_mpichs() {
        let handles = [
            MPI_MAX,
            MPI_MIN,
            MPI_SUM,
            MPI_PROD,
            MPI_LAND,
            MPI_BAND,
            MPI_LOR,
            MPI_BOR,
            MPI_LXOR,
            MPI_BXOR,
            MPI_MINLOC,
            MPI_MAXLOC,
            MPI_REPLACE,
            MPI_NO_OP,
        ];
        for (op, handle) in Predefined::ALL.into_iter().zip(handles) {
            assert_eq!(op.handle(), handle, "{}", op.name());
            assert_eq!(Predefined::of(handle), Some(op));
        }
        for garbage in [0, -1, 0x58000000, 0x5800000f, 0x18000000] {
            assert_eq!(Predefined::of(MPI_Op(garbage)), None);
        }
    }
}
