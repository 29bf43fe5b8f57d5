//! The predefined datatypes. A handle of one says where it is in the table: `0x4c00ssii` has the size in bits 8-15 and
//! the index in bits 0-7. Five pair types have handles of the shape of user datatypes (`0x8c000000` to `0x8c000004`);
//! they are the first five objects of the handle table.

use super::basic::Basic;
use super::handles::TABLE;
use super::layout::Layout;
use super::object::{Datatype, Envelope, Parts};
use super::signature::Signature;
use crate::check::{self, objects};
use crate::error::Result;
use crate::handle::Kind;
use crate::mpi::constants::*;
use crate::mpi::types::MPI_Datatype;
use std::sync::{Arc, LazyLock};

/// Where the five pair types with user-like handles are in the table.
const PAIRS: usize = 0x70;
const LENGTH: usize = 0x78;

/// A predefined datatype, by its index in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named(u8);

#[derive(Clone, Copy)]
struct Entry {
    handle: MPI_Datatype,
    name: &'static str,
    /// `None` for the markers `MPI_LB` and `MPI_UB`.
    basic: Option<Basic>,
}

const fn index(handle: MPI_Datatype) -> Option<usize> {
    let bits = handle.0 as u32;
    if bits >> 16 == 0x4c00 {
        Some((bits & 0xff) as usize)
    } else if bits >= 0x8c00_0000 && bits <= 0x8c00_0004 {
        Some(PAIRS + (bits & 0xff) as usize)
    } else {
        None
    }
}

macro_rules! predefined {
    ($($name:ident $($basic:ident)?;)*) => {
        const ENTRIES: [Option<Entry>; LENGTH] = {
            let mut entries = [None; LENGTH];
            $({
                let at = index($name).expect("the handle of a predefined type");
                assert!(entries[at].is_none(), "two types at one index");
                #[allow(unused_mut, unused_assignments)]
                let mut basic: Option<Basic> = None;
                $(basic = Some(Basic::$basic);)?
                entries[at] = Some(Entry { handle: $name, name: stringify!($name), basic });
            })*
            entries
        };
    };
}

predefined! {
    MPI_CHAR Char;
    MPI_SIGNED_CHAR I8;
    MPI_UNSIGNED_CHAR U8;
    MPI_BYTE Byte;
    MPI_WCHAR WideChar;
    MPI_SHORT I16;
    MPI_UNSIGNED_SHORT U16;
    MPI_INT I32;
    MPI_UNSIGNED U32;
    MPI_LONG I64;
    MPI_UNSIGNED_LONG U64;
    MPI_LONG_LONG_INT I64;
    MPI_UNSIGNED_LONG_LONG U64;
    MPI_FLOAT F32;
    MPI_DOUBLE F64;
    MPI_LONG_DOUBLE F80;
    MPI_PACKED Packed;
    MPI_LB;
    MPI_UB;
    MPI_INT8_T I8;
    MPI_INT16_T I16;
    MPI_INT32_T I32;
    MPI_INT64_T I64;
    MPI_UINT8_T U8;
    MPI_UINT16_T U16;
    MPI_UINT32_T U32;
    MPI_UINT64_T U64;
    MPI_C_BOOL Bool;
    MPI_C_COMPLEX ComplexF32;
    MPI_C_DOUBLE_COMPLEX ComplexF64;
    MPI_C_LONG_DOUBLE_COMPLEX ComplexF80;
    MPIX_C_FLOAT16 F16;
    MPI_AINT I64;
    MPI_OFFSET I64;
    MPI_COUNT I64;
    MPI_CXX_BOOL Bool;
    MPI_CXX_FLOAT_COMPLEX ComplexF32;
    MPI_CXX_DOUBLE_COMPLEX ComplexF64;
    MPI_CXX_LONG_DOUBLE_COMPLEX ComplexF80;
    MPI_CHARACTER Char;
    MPI_LOGICAL Logical4;
    MPI_INTEGER I32;
    MPI_REAL F32;
    MPI_DOUBLE_PRECISION F64;
    MPI_COMPLEX ComplexF32;
    MPI_DOUBLE_COMPLEX ComplexF64;
    MPI_LOGICAL1 Logical1;
    MPI_LOGICAL2 Logical2;
    MPI_LOGICAL4 Logical4;
    MPI_LOGICAL8 Logical8;
    MPI_LOGICAL16 Logical16;
    MPI_INTEGER1 I8;
    MPI_INTEGER2 I16;
    MPI_INTEGER4 I32;
    MPI_INTEGER8 I64;
    MPI_INTEGER16 I128;
    MPI_REAL2 F16;
    MPI_REAL4 F32;
    MPI_REAL8 F64;
    MPI_REAL16 F128;
    MPI_COMPLEX4 ComplexF16;
    MPI_COMPLEX8 ComplexF32;
    MPI_COMPLEX16 ComplexF64;
    MPI_COMPLEX32 ComplexF128;
    MPI_FLOAT_INT FloatInt;
    MPI_DOUBLE_INT DoubleInt;
    MPI_LONG_INT LongInt;
    MPI_SHORT_INT ShortInt;
    MPI_2INT IntInt;
    MPI_LONG_DOUBLE_INT LongDoubleInt;
    MPI_2INTEGER IntInt;
    MPI_2REAL RealReal;
    MPI_2DOUBLE_PRECISION DoubleDouble;
    MPI_2COMPLEX TwoComplexF32;
    MPI_2DOUBLE_COMPLEX TwoComplexF64;
}

/// The `0x4c00…` types without gaps by the low byte of the handle, for the paths that count instructions: the handle (where
/// there is none, a number that ends in another byte), and the kind.
static DENSE: [(i32, Option<Basic>); 256] = {
    let mut dense = [(0, None); 256];
    let mut i = 0;
    while i < 256 {
        dense[i].0 = i as i32 ^ 1;
        if i < PAIRS
            && let Some(Entry {
                basic: Some(basic),
                handle,
                ..
            }) = ENTRIES[i]
            && size_in(handle) == basic.size()
        {
            dense[i] = (handle.0, Some(basic));
        }
        i += 1;
    }
    dense
};

/// The size that the handle of a predefined datatype tells.
const fn size_in(handle: MPI_Datatype) -> usize {
    (handle.0 as usize >> 8) & 0xff
}

/// Size in bytes of a predefined datatype without gaps; `None` for all other handles. One load and a compare.
#[inline(always)]
pub fn predefined_size(handle: MPI_Datatype) -> Option<usize> {
    let (dense, _) = DENSE[handle.0 as usize & 0xff];
    (handle.0 == dense).then_some(size_in(handle))
}

/// Size in bytes and kind of a predefined datatype without gaps; `None` for all other handles.
#[inline(always)]
pub fn predefined_kind(handle: MPI_Datatype) -> Option<(usize, Basic)> {
    let (dense, basic) = DENSE[handle.0 as usize & 0xff];
    if handle.0 == dense {
        Some((size_in(handle), basic?))
    } else {
        None
    }
}

impl Named {
    /// The predefined datatype of a handle.
    pub fn of(handle: MPI_Datatype) -> Option<Named> {
        let at = index(handle)?;
        match ENTRIES.get(at)? {
            Some(entry) if entry.handle == handle => Some(Named(at as u8)),
            _ => None,
        }
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Named> {
        (0..LENGTH)
            .filter(|&i| ENTRIES[i].is_some())
            .map(|i| Named(i as u8))
    }

    fn entry(self) -> &'static Entry {
        static TABLE: [Option<Entry>; LENGTH] = ENTRIES;
        TABLE[self.0 as usize]
            .as_ref()
            .expect("a Named is made of an entry that exists")
    }

    pub fn handle(self) -> MPI_Datatype {
        self.entry().handle
    }

    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The kind of its elements; `None` for `MPI_LB` and `MPI_UB`.
    #[inline]
    pub fn basic(self) -> Option<Basic> {
        self.entry().basic
    }

    /// Whether its C type is `long`, which is shorter in `external32`.
    pub fn is_long(self) -> bool {
        [MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_INT].contains(&self.handle())
    }

    /// The object of this datatype.
    pub fn object(self) -> &'static Arc<Datatype> {
        OBJECTS[self.0 as usize]
            .as_ref()
            .expect("every entry has an object")
    }

    fn make(self) -> Datatype {
        let marker = |handle| self.handle() == handle;
        let basic = self.basic();
        let extent = basic.map_or(0, Basic::extent) as isize;
        let layout = match basic {
            Some(basic) => Layout::sequence(
                basic
                    .parts()
                    .iter()
                    .map(|&(disp, size)| Layout::run(disp as isize, size)),
            ),
            None => Layout::EMPTY,
        };
        Datatype::new(Parts {
            lb: 0,
            ub: extent,
            marked: (marker(MPI_LB), marker(MPI_UB)),
            align: basic.map_or(1, Basic::align),
            layout,
            signature: Signature::of(self, 1),
            envelope: Envelope::named(),
        })
        .permanent(self.handle())
    }
}

/// The objects, made at first use. Making them puts the pair types first into the handle table.
static OBJECTS: LazyLock<Box<[Option<Arc<Datatype>>]>> = LazyLock::new(|| {
    let objects: Box<[_]> = (0..LENGTH)
        .map(|i| ENTRIES[i].map(|_| Arc::new(Named(i as u8).make())))
        .collect();
    for (i, object) in objects[PAIRS..PAIRS + 5].iter().flatten().enumerate() {
        let handle = TABLE.insert(object.clone());
        let expected = MPI_FLOAT_INT.0 + i as i32;
        assert!(
            matches!(handle, Ok(h) if h == expected),
            "the pair types are the first objects of the handle table"
        );
        if check::is_on() {
            // It is not of the call that needs it first.
            objects::gone(Kind::Datatype as u32, expected as usize);
        }
    }
    objects
});

/// Deletes the attributes of the predefined datatypes. Error: the first that a delete callback returns.
pub fn delete_predefined_attributes() -> Result<()> {
    let mut outcome = Ok(());
    for named in Named::all() {
        outcome = outcome.and(named.object().attributes.end(named.handle().0));
    }
    outcome
}

/// Makes the predefined objects, if that has not been done: after this the handle table is open for others.
pub(super) fn ready() {
    LazyLock::force(&OBJECTS);
}

/// The object of a predefined handle other than the five pair types in the handle table.
#[inline(always)]
pub(super) fn builtin(handle: MPI_Datatype) -> Option<&'static Arc<Datatype>> {
    let bits = handle.0 as u32;
    if bits >> 16 != 0x4c00 {
        return None;
    }
    let object = OBJECTS.get((bits & 0xff) as usize)?.as_ref()?;
    (object.permanent_handle() == Some(handle)).then_some(object)
}

/// The predefined datatype of a value with an index (`MPI_Type_get_value_index`), `MPI_DATATYPE_NULL` if there is none.
pub fn pair_of(value: MPI_Datatype, index: MPI_Datatype) -> MPI_Datatype {
    match (value, index) {
        (MPI_FLOAT, MPI_INT) => MPI_FLOAT_INT,
        (MPI_DOUBLE, MPI_INT) => MPI_DOUBLE_INT,
        (MPI_LONG, MPI_INT) => MPI_LONG_INT,
        (MPI_SHORT, MPI_INT) => MPI_SHORT_INT,
        (MPI_INT, MPI_INT) => MPI_2INT,
        (MPI_LONG_DOUBLE, MPI_INT) => MPI_LONG_DOUBLE_INT,
        (MPI_INTEGER, MPI_INTEGER) => MPI_2INTEGER,
        (MPI_REAL, MPI_REAL) => MPI_2REAL,
        (MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION) => MPI_2DOUBLE_PRECISION,
        _ => MPI_DATATYPE_NULL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_say_the_size() {
        let mut all = 0;
        for named in Named::all() {
            let object = named.object();
            let bits = named.handle().0 as u32;
            if bits >> 16 == 0x4c00 {
                assert_eq!(
                    object.size(),
                    (bits >> 8 & 0xff) as usize,
                    "{}",
                    named.name()
                );
                assert_eq!(
                    predefined_size(named.handle()),
                    named.basic().map(Basic::size)
                );
            } else {
                assert_eq!(predefined_size(named.handle()), None);
            }
            let found = super::super::get(named.handle()).unwrap();
            assert!(std::ptr::eq(found, &**object), "{}", named.name());
            all += 1;
        }
        assert_eq!(all, 75);
    }

    #[test]
    fn other_handles_are_no_predefined_types() {
        for garbage in [
            0, -1, 0x4c000404, 0x4c000805, 0x4c0004ff, 0x0c000000, 0x4d000405,
        ] {
            assert_eq!(predefined_size(MPI_Datatype(garbage)), None, "{garbage:#x}");
            assert!(
                super::super::get(MPI_Datatype(garbage)).is_err(),
                "{garbage:#x}"
            );
        }
    }
}
