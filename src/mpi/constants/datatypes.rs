//! Handles of the predefined datatypes (MPI 4.1 §3.2.2, annex A.1). The size in bytes sits in bits 8-15, so that
//! `MPI_INT` is `0x4c00_0405`; the pair types of padded structs have handles of another form.

use super::{NONE, own};
use crate::mpi::types::*;
use std::ffi::c_int;

objects! { MPI_Datatype:
    MPI_DATATYPE_NULL = 0x0c000000, ompi_mpi_datatype_null, 0x200;

    // Types of C.
    MPI_CHAR = 0x4c000101, ompi_mpi_char, 0x243;
    MPI_SIGNED_CHAR = 0x4c000118, ompi_mpi_signed_char, 0x244;
    MPI_UNSIGNED_CHAR = 0x4c000102, ompi_mpi_unsigned_char, 0x245;
    MPI_BYTE = 0x4c00010d, ompi_mpi_byte, 0x247;
    MPI_WCHAR = 0x4c00040e, ompi_mpi_wchar, 0x23c;
    MPI_SHORT = 0x4c000203, ompi_mpi_short, 0x208;
    MPI_UNSIGNED_SHORT = 0x4c000204, ompi_mpi_unsigned_short, 0x20c;
    MPI_INT = 0x4c000405, ompi_mpi_int, 0x209;
    MPI_UNSIGNED = 0x4c000406, ompi_mpi_unsigned, 0x20d;
    MPI_LONG = 0x4c000807, ompi_mpi_long, 0x20a;
    MPI_UNSIGNED_LONG = 0x4c000808, ompi_mpi_unsigned_long, 0x20e;
    MPI_LONG_LONG_INT = 0x4c000809, ompi_mpi_long_long_int, 0x20b;
    MPI_UNSIGNED_LONG_LONG = 0x4c000819, ompi_mpi_unsigned_long_long, 0x20f;
    MPI_FLOAT = 0x4c00040a, ompi_mpi_float, 0x210;
    MPI_DOUBLE = 0x4c00080b, ompi_mpi_double, 0x214;
    MPI_LONG_DOUBLE = 0x4c00100c, ompi_mpi_long_double, 0x220;
    MPI_C_BOOL = 0x4c00013f, ompi_mpi_c_bool, 0x238;
    MPI_C_FLOAT_COMPLEX = 0x4c000840, ompi_mpi_c_float_complex, 0x212;
    MPI_C_DOUBLE_COMPLEX = 0x4c001041, ompi_mpi_c_double_complex, 0x216;
    MPI_C_LONG_DOUBLE_COMPLEX = 0x4c002042, ompi_mpi_c_long_double_complex, 0x224;
    /// `_Float16` (MPICH's extension).
    MPIX_C_FLOAT16 = 0x4c000246, ompi_mpi_short_float, NONE;
    MPI_INT8_T = 0x4c000137, ompi_mpi_int8_t, 0x240;
    MPI_INT16_T = 0x4c000238, ompi_mpi_int16_t, 0x248;
    MPI_INT32_T = 0x4c000439, ompi_mpi_int32_t, 0x250;
    MPI_INT64_T = 0x4c00083a, ompi_mpi_int64_t, 0x258;
    MPI_UINT8_T = 0x4c00013b, ompi_mpi_uint8_t, 0x241;
    MPI_UINT16_T = 0x4c00023c, ompi_mpi_uint16_t, 0x249;
    MPI_UINT32_T = 0x4c00043d, ompi_mpi_uint32_t, 0x251;
    MPI_UINT64_T = 0x4c00083e, ompi_mpi_uint64_t, 0x259;

    // Types of MPI.
    MPI_AINT = 0x4c000843, ompi_mpi_aint, 0x201;
    MPI_OFFSET = 0x4c000844, ompi_mpi_offset, 0x203;
    MPI_COUNT = 0x4c000845, ompi_mpi_count, 0x202;
    MPI_PACKED = 0x4c00010f, ompi_mpi_packed, 0x207;

    // Types of C++.
    MPI_CXX_BOOL = 0x4c000133, ompi_mpi_cxx_bool, 0x239;
    MPI_CXX_FLOAT_COMPLEX = 0x4c000834, ompi_mpi_cxx_cplex, 0x213;
    MPI_CXX_DOUBLE_COMPLEX = 0x4c001035, ompi_mpi_cxx_dblcplex, 0x217;
    MPI_CXX_LONG_DOUBLE_COMPLEX = 0x4c002036, ompi_mpi_cxx_ldblcplex, 0x225;

    // Types of Fortran.
    MPI_CHARACTER = 0x4c00011a, ompi_mpi_character, 0x21e;
    MPI_LOGICAL = 0x4c00041d, ompi_mpi_logical, 0x218;
    MPI_INTEGER = 0x4c00041b, ompi_mpi_integer, 0x219;
    MPI_REAL = 0x4c00041c, ompi_mpi_real, 0x21a;
    MPI_DOUBLE_PRECISION = 0x4c00081f, ompi_mpi_dblprec, 0x21c;
    MPI_COMPLEX = 0x4c00081e, ompi_mpi_cplex, 0x21b;
    MPI_DOUBLE_COMPLEX = 0x4c001022, ompi_mpi_dblcplex, 0x21d;
    MPI_LOGICAL1 = 0x4c000147, ompi_mpi_logical1, 0x2c0;
    MPI_LOGICAL2 = 0x4c000248, ompi_mpi_logical2, 0x2c8;
    MPI_LOGICAL4 = 0x4c000449, ompi_mpi_logical4, 0x2d0;
    MPI_LOGICAL8 = 0x4c00084a, ompi_mpi_logical8, 0x2d8;
    MPI_LOGICAL16 = 0x4c00104b, NONE, 0x2e0;
    MPI_INTEGER1 = 0x4c00012d, ompi_mpi_integer1, 0x2c1;
    MPI_INTEGER2 = 0x4c00022f, ompi_mpi_integer2, 0x2c9;
    MPI_INTEGER4 = 0x4c000430, ompi_mpi_integer4, 0x2d1;
    MPI_INTEGER8 = 0x4c000831, ompi_mpi_integer8, 0x2d9;
    MPI_INTEGER16 = 0x4c001032, ompi_mpi_integer16, 0x2e1;
    MPI_REAL2 = 0x4c000226, ompi_mpi_real2, 0x2ca;
    MPI_REAL4 = 0x4c000427, ompi_mpi_real4, 0x2d2;
    MPI_REAL8 = 0x4c000829, ompi_mpi_real8, 0x2da;
    MPI_REAL16 = 0x4c00102b, ompi_mpi_real16, 0x2e2;
    MPI_COMPLEX4 = 0x4c00042e, ompi_mpi_complex4, 0x2d3;
    MPI_COMPLEX8 = 0x4c000828, ompi_mpi_complex8, 0x2db;
    MPI_COMPLEX16 = 0x4c00102a, ompi_mpi_complex16, 0x2e3;
    MPI_COMPLEX32 = 0x4c00202c, ompi_mpi_complex32, 0x2eb;

    // A value and an index, for `MPI_MINLOC` and `MPI_MAXLOC` (MPI 4.1 §6.9.4).
    MPI_FLOAT_INT = 0x8c000000, ompi_mpi_float_int, 0x228;
    MPI_DOUBLE_INT = 0x8c000001, ompi_mpi_double_int, 0x229;
    MPI_LONG_INT = 0x8c000002, ompi_mpi_long_int, 0x22a;
    MPI_SHORT_INT = 0x8c000003, ompi_mpi_short_int, 0x22c;
    MPI_2INT = 0x4c000816, ompi_mpi_2int, 0x22b;
    MPI_LONG_DOUBLE_INT = 0x8c000004, ompi_mpi_longdbl_int, 0x22d;
    MPI_2INTEGER = 0x4c000820, ompi_mpi_2integer, 0x232;
    MPI_2REAL = 0x4c000821, ompi_mpi_2real, 0x230;
    MPI_2DOUBLE_PRECISION = 0x4c001023, ompi_mpi_2dblprec, 0x231;

    // Two complex numbers, which only Open MPI has a name for.
    MPI_2COMPLEX = own(0x4c001024), ompi_mpi_2cplex, NONE;
    MPI_2DOUBLE_COMPLEX = own(0x4c002025), ompi_mpi_2dblcplex, NONE;

    // The bounds markers that MPI-3 removed.
    MPI_LB = 0x4c000010, ompi_mpi_lb, NONE;
    MPI_UB = 0x4c000011, ompi_mpi_ub, NONE;
}

pub const MPI_LONG_LONG: MPI_Datatype = MPI_LONG_LONG_INT;
pub const MPI_C_COMPLEX: MPI_Datatype = MPI_C_FLOAT_COMPLEX;

values! {
    // Type classes of `MPI_Type_match_size` (MPI 4.1 §19.1.5).
    MPI_TYPECLASS_REAL: c_int = 1, 2, 193;
    MPI_TYPECLASS_INTEGER: c_int = 2, 1, 192;
    MPI_TYPECLASS_COMPLEX: c_int = 3, 3, 194;
    /// As MPICH has it in the standard's interface.
    MPIX_TYPECLASS_LOGICAL: c_int = NONE, NONE, 191;

    // What made a datatype, as `MPI_Type_get_envelope` tells (MPI 4.1 §5.1.13).
    MPI_COMBINER_NAMED: c_int = 1, 0, 101;
    MPI_COMBINER_DUP: c_int = 2, 1, 102;
    MPI_COMBINER_CONTIGUOUS: c_int = 3, 2, 103;
    MPI_COMBINER_VECTOR: c_int = 4, 3, 104;
    MPI_COMBINER_HVECTOR_INTEGER: c_int = 5, 4, NONE;
    MPI_COMBINER_HVECTOR: c_int = 6, 5, 105;
    MPI_COMBINER_INDEXED: c_int = 7, 6, 106;
    MPI_COMBINER_HINDEXED_INTEGER: c_int = 8, 7, NONE;
    MPI_COMBINER_HINDEXED: c_int = 9, 8, 107;
    MPI_COMBINER_INDEXED_BLOCK: c_int = 10, 9, 108;
    MPI_COMBINER_STRUCT_INTEGER: c_int = 11, 10, NONE;
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
