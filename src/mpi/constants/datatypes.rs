//! Handles of the predefined datatypes (MPI 4.1 §3.2.2, annex A.1). The size in bytes sits in bits 8-15, so that
//! `MPI_INT` is `0x4c00_0405`; the pair types of padded structs have handles of another form.

use super::NONE;
use crate::mpi::types::*;
use std::ffi::c_int;

pub const MPI_DATATYPE_NULL: MPI_Datatype = MPI_Datatype(0x0c000000);

// Types of C.
pub const MPI_CHAR: MPI_Datatype = MPI_Datatype(0x4c000101);
pub const MPI_SIGNED_CHAR: MPI_Datatype = MPI_Datatype(0x4c000118);
pub const MPI_UNSIGNED_CHAR: MPI_Datatype = MPI_Datatype(0x4c000102);
pub const MPI_BYTE: MPI_Datatype = MPI_Datatype(0x4c00010d);
pub const MPI_WCHAR: MPI_Datatype = MPI_Datatype(0x4c00040e);
pub const MPI_SHORT: MPI_Datatype = MPI_Datatype(0x4c000203);
pub const MPI_UNSIGNED_SHORT: MPI_Datatype = MPI_Datatype(0x4c000204);
pub const MPI_INT: MPI_Datatype = MPI_Datatype(0x4c000405);
pub const MPI_UNSIGNED: MPI_Datatype = MPI_Datatype(0x4c000406);
pub const MPI_LONG: MPI_Datatype = MPI_Datatype(0x4c000807);
pub const MPI_UNSIGNED_LONG: MPI_Datatype = MPI_Datatype(0x4c000808);
pub const MPI_LONG_LONG_INT: MPI_Datatype = MPI_Datatype(0x4c000809);
pub const MPI_LONG_LONG: MPI_Datatype = MPI_LONG_LONG_INT;
pub const MPI_UNSIGNED_LONG_LONG: MPI_Datatype = MPI_Datatype(0x4c000819);
pub const MPI_FLOAT: MPI_Datatype = MPI_Datatype(0x4c00040a);
pub const MPI_DOUBLE: MPI_Datatype = MPI_Datatype(0x4c00080b);
pub const MPI_LONG_DOUBLE: MPI_Datatype = MPI_Datatype(0x4c00100c);
pub const MPI_C_BOOL: MPI_Datatype = MPI_Datatype(0x4c00013f);
pub const MPI_C_FLOAT_COMPLEX: MPI_Datatype = MPI_Datatype(0x4c000840);
pub const MPI_C_COMPLEX: MPI_Datatype = MPI_C_FLOAT_COMPLEX;
pub const MPI_C_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x4c001041);
pub const MPI_C_LONG_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x4c002042);
/// `_Float16` (MPICH's extension).
pub const MPIX_C_FLOAT16: MPI_Datatype = MPI_Datatype(0x4c000246);
pub const MPI_INT8_T: MPI_Datatype = MPI_Datatype(0x4c000137);
pub const MPI_INT16_T: MPI_Datatype = MPI_Datatype(0x4c000238);
pub const MPI_INT32_T: MPI_Datatype = MPI_Datatype(0x4c000439);
pub const MPI_INT64_T: MPI_Datatype = MPI_Datatype(0x4c00083a);
pub const MPI_UINT8_T: MPI_Datatype = MPI_Datatype(0x4c00013b);
pub const MPI_UINT16_T: MPI_Datatype = MPI_Datatype(0x4c00023c);
pub const MPI_UINT32_T: MPI_Datatype = MPI_Datatype(0x4c00043d);
pub const MPI_UINT64_T: MPI_Datatype = MPI_Datatype(0x4c00083e);

// Types of MPI.
pub const MPI_AINT: MPI_Datatype = MPI_Datatype(0x4c000843);
pub const MPI_OFFSET: MPI_Datatype = MPI_Datatype(0x4c000844);
pub const MPI_COUNT: MPI_Datatype = MPI_Datatype(0x4c000845);
pub const MPI_PACKED: MPI_Datatype = MPI_Datatype(0x4c00010f);

// Types of C++.
pub const MPI_CXX_BOOL: MPI_Datatype = MPI_Datatype(0x4c000133);
pub const MPI_CXX_FLOAT_COMPLEX: MPI_Datatype = MPI_Datatype(0x4c000834);
pub const MPI_CXX_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x4c001035);
pub const MPI_CXX_LONG_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x4c002036);

// Types of Fortran.
pub const MPI_CHARACTER: MPI_Datatype = MPI_Datatype(0x4c00011a);
pub const MPI_LOGICAL: MPI_Datatype = MPI_Datatype(0x4c00041d);
pub const MPI_INTEGER: MPI_Datatype = MPI_Datatype(0x4c00041b);
pub const MPI_REAL: MPI_Datatype = MPI_Datatype(0x4c00041c);
pub const MPI_DOUBLE_PRECISION: MPI_Datatype = MPI_Datatype(0x4c00081f);
pub const MPI_COMPLEX: MPI_Datatype = MPI_Datatype(0x4c00081e);
pub const MPI_DOUBLE_COMPLEX: MPI_Datatype = MPI_Datatype(0x4c001022);
pub const MPI_INTEGER1: MPI_Datatype = MPI_Datatype(0x4c00012d);
pub const MPI_INTEGER2: MPI_Datatype = MPI_Datatype(0x4c00022f);
pub const MPI_INTEGER4: MPI_Datatype = MPI_Datatype(0x4c000430);
pub const MPI_INTEGER8: MPI_Datatype = MPI_Datatype(0x4c000831);
pub const MPI_INTEGER16: MPI_Datatype = MPI_Datatype(0x4c001032);
pub const MPI_REAL2: MPI_Datatype = MPI_Datatype(0x4c000226);
pub const MPI_REAL4: MPI_Datatype = MPI_Datatype(0x4c000427);
pub const MPI_REAL8: MPI_Datatype = MPI_Datatype(0x4c000829);
pub const MPI_REAL16: MPI_Datatype = MPI_Datatype(0x4c00102b);
pub const MPI_COMPLEX4: MPI_Datatype = MPI_Datatype(0x4c00042e);
pub const MPI_COMPLEX8: MPI_Datatype = MPI_Datatype(0x4c000828);
pub const MPI_COMPLEX16: MPI_Datatype = MPI_Datatype(0x4c00102a);
pub const MPI_COMPLEX32: MPI_Datatype = MPI_Datatype(0x4c00202c);

// A value and an index, for `MPI_MINLOC` and `MPI_MAXLOC` (MPI 4.1 §6.9.4).
pub const MPI_FLOAT_INT: MPI_Datatype = MPI_Datatype(0x8c000000_u32 as c_int);
pub const MPI_DOUBLE_INT: MPI_Datatype = MPI_Datatype(0x8c000001_u32 as c_int);
pub const MPI_LONG_INT: MPI_Datatype = MPI_Datatype(0x8c000002_u32 as c_int);
pub const MPI_SHORT_INT: MPI_Datatype = MPI_Datatype(0x8c000003_u32 as c_int);
pub const MPI_2INT: MPI_Datatype = MPI_Datatype(0x4c000816);
pub const MPI_LONG_DOUBLE_INT: MPI_Datatype = MPI_Datatype(0x8c000004_u32 as c_int);
pub const MPI_2INTEGER: MPI_Datatype = MPI_Datatype(0x4c000820);
pub const MPI_2REAL: MPI_Datatype = MPI_Datatype(0x4c000821);
pub const MPI_2DOUBLE_PRECISION: MPI_Datatype = MPI_Datatype(0x4c001023);

// The bounds markers that MPI-3 removed.
pub const MPI_LB: MPI_Datatype = MPI_Datatype(0x4c000010);
pub const MPI_UB: MPI_Datatype = MPI_Datatype(0x4c000011);

values! {
    // Type classes of `MPI_Type_match_size` (MPI 4.1 §19.1.5).
    MPI_TYPECLASS_REAL: c_int = 1, 2, 193;
    MPI_TYPECLASS_INTEGER: c_int = 2, 1, 192;
    MPI_TYPECLASS_COMPLEX: c_int = 3, 3, 194;

    // What made a datatype, as `MPI_Type_get_envelope` tells (MPI 4.1 §5.1.13).
    MPI_COMBINER_NAMED: c_int = 1, 0, 101;
    MPI_COMBINER_DUP: c_int = 2, 1, 102;
    MPI_COMBINER_CONTIGUOUS: c_int = 3, 2, 103;
    MPI_COMBINER_VECTOR: c_int = 4, 3, 104;
    MPI_COMBINER_HVECTOR_INTEGER: c_int = 5, NONE, NONE;
    MPI_COMBINER_HVECTOR: c_int = 6, 5, 105;
    MPI_COMBINER_INDEXED: c_int = 7, 6, 106;
    MPI_COMBINER_HINDEXED_INTEGER: c_int = 8, NONE, NONE;
    MPI_COMBINER_HINDEXED: c_int = 9, 8, 107;
    MPI_COMBINER_INDEXED_BLOCK: c_int = 10, 9, 108;
    MPI_COMBINER_STRUCT_INTEGER: c_int = 11, NONE, NONE;
    MPI_COMBINER_STRUCT: c_int = 12, 11, 110;
    MPI_COMBINER_SUBARRAY: c_int = 13, 12, 111;
    MPI_COMBINER_DARRAY: c_int = 14, 13, 112;
    MPI_COMBINER_F90_REAL: c_int = 15, 14, 113;
    MPI_COMBINER_F90_COMPLEX: c_int = 16, 15, 114;
    MPI_COMBINER_F90_INTEGER: c_int = 17, 16, 115;
    MPI_COMBINER_RESIZED: c_int = 18, 17, 116;
    MPI_COMBINER_HINDEXED_BLOCK: c_int = 19, 18, 109;
    MPI_COMBINER_VALUE_INDEX: c_int = 20, NONE, 117;

    // Orders and distributions of `MPI_Type_create_subarray` and `MPI_Type_create_darray` (MPI 4.1 §5.1.3, §5.1.4).
    MPI_ORDER_C: c_int = 56, 0, 12;
    MPI_ORDER_FORTRAN: c_int = 57, 1, 15;
    MPI_DISTRIBUTE_BLOCK: c_int = 121, 0, 17;
    MPI_DISTRIBUTE_CYCLIC: c_int = 122, 1, 18;
    MPI_DISTRIBUTE_NONE: c_int = 123, 2, 16;
    MPI_DISTRIBUTE_DFLT_DARG: c_int = -49767, -1, 19;
}
