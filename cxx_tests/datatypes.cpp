// Constructors of datatypes, what is told of them, packing, attributes, names.
#include "check.hpp"

#include <cstring>
#include <vector>

// What a datatype picks of 0, 1, 2, …: sent to this process itself.
static std::vector<int> picked(MPI::Datatype type)
{
    std::vector<int> given(100), got(type.Get_size() / sizeof(int), -1);
    for (int i = 0; i < 100; i++)
        given[i] = i;
    type.Commit();
    MPI::COMM_SELF.Sendrecv(&given[0], 1, type, 0, 0, &got[0], static_cast<int>(got.size()), MPI::INT, 0, 0);
    type.Free();
    CHECK(type == MPI::DATATYPE_NULL);
    return got;
}

static bool is(const std::vector<int>& got, int a, int b, int c, int d)
{
    return got.size() == 4 && got[0] == a && got[1] == b && got[2] == c && got[3] == d;
}

static void constructors()
{
    const int two[] = {2, 2}, at[] = {7, 3}, sizes[] = {4, 5}, subsizes[] = {2, 2}, starts[] = {1, 3};
    const MPI::Aint far[] = {28, 12};
    const MPI::Datatype types[] = {MPI::INT, MPI::INT};
    CHECK(is(picked(MPI::INT.Create_contiguous(4)), 0, 1, 2, 3));
    CHECK(is(picked(MPI::INT.Create_vector(2, 2, 5)), 0, 1, 5, 6));
    CHECK(is(picked(MPI::INT.Create_hvector(2, 2, 24)), 0, 1, 6, 7));
    CHECK(is(picked(MPI::INT.Create_indexed(2, two, at)), 7, 8, 3, 4));
    CHECK(is(picked(MPI::INT.Create_hindexed(2, two, far)), 7, 8, 3, 4));
    CHECK(is(picked(MPI::INT.Create_indexed_block(2, 2, at)), 7, 8, 3, 4));
    CHECK(is(picked(MPI::Datatype::Create_struct(2, two, far, types)), 7, 8, 3, 4));
    CHECK(is(picked(MPI::INT.Create_subarray(2, sizes, subsizes, starts, MPI::ORDER_C)), 8, 9, 13, 14));
    CHECK(is(picked(MPI::INT.Create_subarray(2, sizes, subsizes, starts, MPI::ORDER_FORTRAN)), 13, 14, 17, 18));
    const int gsizes[] = {8}, distribs[] = {MPI::DISTRIBUTE_CYCLIC}, dargs[] = {MPI::DISTRIBUTE_DFLT_DARG}, psizes[] = {2};
    CHECK(is(picked(MPI::INT.Create_darray(2, 1, 1, gsizes, distribs, dargs, psizes, MPI::ORDER_C)), 1, 3, 5, 7));
    CHECK(is(picked(MPI::INT.Create_resized(-4, 12).Create_contiguous(4)), 0, 3, 6, 9));
}

static void told()
{
    MPI::Aint lb = -1, extent = -1;
    MPI::Datatype resized = MPI::INT.Create_resized(-4, 12);
    resized.Get_extent(lb, extent);
    CHECK(lb == -4 && extent == 12 && resized.Get_size() == 4);
    resized.Get_true_extent(lb, extent);
    CHECK(lb == 0 && extent == 4);
    int integers = 0, addresses = 0, datatypes = 0, combiner = 0, values[3];
    resized.Get_envelope(integers, addresses, datatypes, combiner);
    CHECK(integers == 0 && addresses == 2 && datatypes == 1 && combiner == MPI::COMBINER_RESIZED);
    MPI::Aint places[2];
    MPI::Datatype inner[1];
    resized.Get_contents(0, 2, 1, values, places, inner);
    CHECK(places[0] == -4 && places[1] == 12 && inner[0] == MPI::INT);
    MPI::Datatype copy = resized.Dup();
    copy.Get_envelope(integers, addresses, datatypes, combiner);
    CHECK(combiner == MPI::COMBINER_DUP);
    copy.Free();
    resized.Free();
    CHECK(MPI::Datatype::Match_size(MPI::TYPECLASS_REAL, 8).Get_size() == 8);
    CHECK(MPI::Datatype::Create_f90_integer(9).Get_size() == 4);
    CHECK(MPI::Datatype::Create_f90_real(15, 307).Get_size() == 8);
    CHECK(MPI::Datatype::Create_f90_complex(15, 307).Get_size() == 16);
    int here[2];
    CHECK(MPI::Get_address(&here[1]) - MPI::Get_address(&here[0]) == static_cast<MPI::Aint>(sizeof(int)));
    CHECK(MPI::BOOL.Get_size() == sizeof(bool) && MPI::LONG_DOUBLE_COMPLEX.Get_size() == 2 * sizeof(long double));
    CHECK(MPI::LONG_LONG.Get_size() == 8 && MPI::UNSIGNED_LONG_LONG.Get_size() == 8 && MPI::WCHAR.Get_size() == 4);
    CHECK(MPI::TWOINT.Get_size() == 8 && MPI::SHORT_INT.Get_size() == 6 && MPI::SIGNED_CHAR.Get_size() == 1);
#if !defined(REAL_MPICH_HEADER) && !defined(REAL_MPICH_LIBRARY) && !defined(OPEN_MPI_HEADER)
    CHECK(MPI::INT64_T.Get_size() == 8 && MPI::UINT8_T.Get_size() == 1 && MPI::AINT.Get_size() == sizeof(MPI::Aint));
#endif
}

static void packing()
{
    char packed[100];
    int position = 0, values[2] = {3, 4}, got[2] = {0, 0};
    double half = 0.5, other = 0;
    CHECK(MPI::INT.Pack_size(2, MPI::COMM_SELF) >= 8);
    MPI::INT.Pack(values, 2, packed, 100, position, MPI::COMM_SELF);
    MPI::DOUBLE.Pack(&half, 1, packed, 100, position, MPI::COMM_SELF);
    const int size = position;
    position = 0;
    MPI::INT.Unpack(packed, size, got, 2, position, MPI::COMM_SELF);
    MPI::DOUBLE.Unpack(packed, size, &other, 1, position, MPI::COMM_SELF);
    CHECK(got[0] == 3 && got[1] == 4 && other == 0.5 && position == size);
    MPI::Aint place = 0;
    CHECK(MPI::INT.Pack_external_size("external32", 2) == 8);
    MPI::INT.Pack_external("external32", values, 2, packed, 100, place);
    CHECK(place == 8 && packed[3] == 3 && packed[7] == 4 && packed[0] == 0);
    place = 0;
    got[0] = got[1] = 0;
    MPI::INT.Unpack_external("external32", packed, 8, place, got, 2);
    CHECK(got[0] == 3 && got[1] == 4 && place == 8);
}

static int copies = 0, deletions = 0;

#ifdef OPEN_MPI_HEADER
typedef const void* Value;
#else
typedef void* Value;
#endif

static int copy_attr(const MPI::Datatype& type, int, void*, Value value, void* copied, bool& flag)
{
    copies++;
    *static_cast<Value*>(copied) = value;
    flag = type.Get_size() == 4;
    return MPI::SUCCESS;
}

static int delete_attr(MPI::Datatype&, int, void*, void*)
{
    deletions++;
    return MPI::SUCCESS;
}

static void attributes()
{
    int value = 0;
    void* found = 0;
    int keyval = MPI::Datatype::Create_keyval(copy_attr, delete_attr, 0);
    MPI::Datatype type = MPI::INT.Dup();
    type.Set_attr(keyval, &value);
    MPI::Datatype copy = type.Dup();
    CHECK(copies == 1 && copy.Get_attr(keyval, &found) && found == &value);
    copy.Delete_attr(keyval);
    CHECK(deletions == 1 && !copy.Get_attr(keyval, &found));
    type.Free();
    copy.Free();
    CHECK(deletions == 2);
    MPI::Datatype::Free_keyval(keyval);
    CHECK(keyval == MPI::KEYVAL_INVALID);

    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    type = MPI::INT.Dup();
    type.Set_name("number");
    type.Get_name(name, length);
    CHECK(std::strcmp(name, "number") == 0 && length == 6);
    type.Free();
    MPI::INT.Get_name(name, length);
    CHECK(std::strcmp(name, "MPI_INT") == 0);
#ifndef OPEN_MPI_HEADER
    MPI::BOOL.Get_name(name, length);
    CHECK(std::strcmp(name, "MPI::BOOL") == 0);
#endif
}

int main(int argc, char** argv)
{
    MPI::Init(argc, argv);
    constructors();
    told();
    packing();
    attributes();
    return conclude();
}
