// Starting, infos, times, versions; C's constants of the same names.
#include <fcntl.h>

#include "check.hpp"

#include <cstring>
#include <unistd.h>

static void infos()
{
    char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
    int length = 0;
    MPI::Info info = MPI::Info::Create();
    info.Set("wind", "north");
    info.Set("rain", "no");
    CHECK(info.Get_nkeys() == 2 && info.Get("wind", MPI::MAX_INFO_VAL, value) && std::strcmp(value, "north") == 0);
    CHECK(info.Get_valuelen("rain", length) && length == 2 && !info.Get_valuelen("snow", length));
    CHECK(!info.Get("snow", 10, value));
    info.Get_nthkey(0, key);
    CHECK(std::strcmp(key, "wind") == 0 || std::strcmp(key, "rain") == 0);
    MPI::Info copy = info.Dup();
    info.Delete("wind");
    CHECK(info.Get_nkeys() == 1 && copy.Get_nkeys() == 2 && copy != info);
    info.Free();
    copy.Free();
    CHECK(info == MPI::INFO_NULL);
}

static void of_the_machine()
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0, version = 0, subversion = -1;
    MPI::Get_processor_name(name, length);
    CHECK(length > 0 && std::strlen(name) == static_cast<std::size_t>(length));
    MPI::Get_version(version, subversion);
    CHECK(version >= 3 && subversion >= 0);
    const double before = MPI::Wtime();
    CHECK(MPI::Wtime() >= before && MPI::Wtick() > 0);
    MPI::Pcontrol(1);
    MPI::Pcontrol(2, "more", 3);
}

static void constants()
{
#if !defined(SEEK_SET) && !defined(REAL_MPICH_HEADER) && !defined(OPEN_MPI_HEADER)
#error "SEEK_SET is a macro in C"
#endif
    int whence = SEEK_END;
    switch (whence) {
    case SEEK_SET:
    case SEEK_CUR: whence = -1; break;
    default: break;
    }
    CHECK(whence == 2);
#ifndef OPEN_MPI_HEADER
    CHECK(MPI::SEEK_SET == MPI_SEEK_SET && MPI::SEEK_END == MPI_SEEK_END && MPI::SEEK_CUR == MPI_SEEK_CUR);
#endif
    CHECK(lseek(-1, 0, SEEK_SET) == -1);
    CHECK(MPI::BOTTOM == MPI_BOTTOM && MPI::IN_PLACE == MPI_IN_PLACE && MPI::ANY_SOURCE == MPI_ANY_SOURCE);
    CHECK(MPI::COMM_WORLD != MPI::COMM_NULL && MPI::COMM_WORLD == MPI::COMM_WORLD);
    // To C and back.
    MPI_Comm world = MPI::COMM_WORLD;
    MPI::Intracomm same(world);
    CHECK(world == MPI_COMM_WORLD && same == MPI::COMM_WORLD);
    MPI_Datatype type = MPI::DOUBLE;
    CHECK(type == MPI_DOUBLE && MPI::Datatype(MPI_DOUBLE) == MPI::DOUBLE);
}

int main(int argc, char** argv)
{
    if (MPI::Is_initialized() || MPI::Is_finalized())
        return EXIT_FAILURE;
    const int provided = MPI::Init_thread(argc, argv, MPI::THREAD_SERIALIZED);
    CHECK(MPI::Is_initialized() && !MPI::Is_finalized() && MPI::Is_thread_main());
    CHECK(provided == MPI::Query_thread() && provided >= MPI::THREAD_SINGLE && provided <= MPI::THREAD_MULTIPLE);
    infos();
    of_the_machine();
    constants();
    const int status = conclude();
    return MPI::Is_finalized() ? status : EXIT_FAILURE;
}
