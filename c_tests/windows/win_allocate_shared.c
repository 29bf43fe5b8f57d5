/* ranks: 1 2 4 8; launcher: mpiexec hydra */
/* Shared windows: contiguous in rank order, of any sizes, reachable by load and store from every rank
 * (MPI 4.1 section 12.2.3). */
#include "check.h"

/* Size of a rank's part in pattern `pattern`. */
static MPI_Aint part(int pattern, int r)
{
    switch (pattern) {
    case 0: return 64;
    case 1: return 1 + 3 * r;                       /* odd sizes */
    case 2: return r % 2 ? 1000 : 0;                /* none on even ranks */
    case 3: return r == 0 ? 0 : 24;                 /* none on the first */
    case 4: return r == size - 1 ? 0 : 8;           /* none on the last */
    case 5: return 0;                               /* none at all */
    case 6: return r == size / 2 ? 3 << 20 : 0;     /* one large */
    default: return (MPI_Aint)(mix((uint64_t)pattern, (uint64_t)r) % 5000);
    }
}

#define PATTERNS 16

/* Every rank sees each part where it belongs, and what others store in it. */
static void check_parts(MPI_Win win, int pattern, unsigned char *base, int contiguous)
{
    unsigned char *first = NULL, *end = NULL;
    MPI_Aint lowest = 0;
    int lowest_unit = 0, unit;
    MPI_Aint bytes;
    unsigned char *at;

    fill(base, (size_t)part(pattern, rank), (uint64_t)(100 * pattern + rank));
    OK(MPI_Win_fence(0, win));
    for (int r = 0; r < size; r++) {
        OK(MPI_Win_shared_query(win, r, &bytes, &unit, &at));
        CHECK_EQ(bytes, part(pattern, r));
#ifdef RMASHM /* MPICH leaves the unit of empty parts out */
        /* An empty part marks a border between its neighbours, if it has any. */
        CHECK((at == NULL) == (bytes == 0 && !contiguous));
        CHECK_EQ(unit, r + 1);
#else
        CHECK(bytes == 0 || unit == r + 1);
#endif
        if (r == rank)
            CHECK(at == base);
        if (bytes == 0)
            continue;
        if (end != NULL && contiguous)
            CHECK(at == end);
        end = at + bytes;
        if (first == NULL) {
            first = at;
            lowest = bytes;
            lowest_unit = unit;
        }
        unsigned char *wanted = malloc((size_t)bytes);
        fill(wanted, (size_t)bytes, (uint64_t)(100 * pattern + r));
        CHECK_BYTES(at, wanted, (size_t)bytes);
        free(wanted);
    }
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &at));
    CHECK_EQ(bytes, lowest);
    if (first != NULL) {
        CHECK(at == first);
        CHECK_EQ(unit, lowest_unit);
    }
#ifdef RMASHM
    CHECK(at != NULL);
#endif
    OK(MPI_Win_fence(0, win));

    /* The next rank changes our part, by store. */
    int next = (rank + 1) % size;
    OK(MPI_Win_shared_query(win, next, &bytes, &unit, &at));
    for (MPI_Aint i = 0; i < bytes; i++)
        at[i] = (unsigned char)(rank + i);
    OK(MPI_Win_fence(0, win));
    int previous = (rank + size - 1) % size;
    for (MPI_Aint i = 0; i < part(pattern, rank); i++)
        CHECK_EQ(base[i], (unsigned char)(previous + i));
    OK(MPI_Win_fence(0, win));
}

static void run(int pattern, int noncontiguous)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Win win;
    unsigned char *base = NULL;
    if (noncontiguous) {
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    }
    OK(MPI_Win_allocate_shared(part(pattern, rank), rank + 1, info, MPI_COMM_WORLD, &base, &win));
    if (info != MPI_INFO_NULL)
        OK(MPI_Info_free(&info));
    if (part(pattern, rank) > 0) {
        CHECK(base != NULL);
        if (noncontiguous)
            CHECK_EQ((uintptr_t)base % 16, 0);
    }
    check_parts(win, pattern, base, !noncontiguous);
    OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
}

/* The start of the whole is aligned for every type. */
static void check_alignment(void)
{
    MPI_Win win;
    char *base;
    OK(MPI_Win_allocate_shared(13, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    if (rank == 0)
        CHECK_EQ((uintptr_t)base % 16, 0);
    OK(MPI_Win_free(&win));
}

/* On a communicator of some of the ranks. */
static void check_half(void)
{
    MPI_Comm half;
    MPI_Win win;
    int *base, *at, unit, half_rank, half_size;
    MPI_Aint bytes;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    OK(MPI_Comm_rank(half, &half_rank));
    OK(MPI_Comm_size(half, &half_size));
    OK(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, half, &base, &win));
    *base = 1000 + rank;
    OK(MPI_Win_fence(0, win));
    for (int r = 0; r < half_size; r++) {
        OK(MPI_Win_shared_query(win, r, &bytes, &unit, &at));
        CHECK_EQ(*at, 1000 + rank + 2 * (half_rank - r));
    }
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&half));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        run(pattern, 0);
        run(pattern, 1);
    }
    check_alignment();
    check_half();
    return check_end();
}
