/* ranks: 2 4 8; mpich: skip it is about what rmashm does with the program's memory */
/* Windows over the program's own memory that lie on the same pages: side by side, one in the other, across each other's ends, of
 * several communicators, made and freed in any order. Each works for itself, and nobody's bytes are lost when another goes. */
#include "adopt.h"

enum { WINDOWS = 12, BYTES = 6 * A_PAGE, ROUNDS = 150 };

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    uint64_t state = 4711;
    MPI_Comm comms[3] = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_SELF};
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[1]));
    unsigned char *memory = malloc(BYTES), *wanted = malloc(BYTES);
    MPI_Win windows[WINDOWS];
    size_t begins[WINDOWS], lengths[WINDOWS];
    for (int i = 0; i < WINDOWS; i++)
        windows[i] = MPI_WIN_NULL;
    fill(memory, BYTES, (uint64_t)rank);
    memcpy(wanted, memory, BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        /* All draw the same numbers. */
        int i = (int)(draw(&state) % WINDOWS);
        MPI_Comm comm = comms[draw(&state) % 3];
        size_t begin = draw(&state) % (BYTES - 64), most = BYTES - begin, length = 64 + draw(&state) % (most - 63);
        if (draw(&state) % 3 == 0)
            length = length % 500 + 64 < most ? length % 500 + 64 : most;
        begin &= ~(size_t)7;
        length &= ~(size_t)7;
        const char *wish = draw(&state) % 4 ? "true" : "auto";
        if (windows[i] != MPI_WIN_NULL) {
            OK(MPI_Win_free(&windows[i]));
            CHECK_BYTES(memory, wanted, BYTES);
            continue;
        }
        windows[i] = window_of(comm, memory + begin, length, wish);
        begins[i] = begin;
        lengths[i] = length;
        CHECK_BYTES(memory, wanted, BYTES);
        exercise(windows[i], memory + begin, length, -1);
        memcpy(wanted + begin, memory + begin, length);
        CHECK_BYTES(memory, wanted, BYTES);
        barrier();
        /* What one window writes another one reads. */
        for (int other = 0; other < WINDOWS; other++) {
            if (windows[other] == MPI_WIN_NULL)
                continue;
            unsigned char *there = loads_of(windows[other], 0);
            MPI_Group group;
            int all;
            OK(MPI_Win_get_group(windows[other], &group));
            OK(MPI_Group_size(group, &all));
            OK(MPI_Group_free(&group));
            unsigned char last[8];
            OK(MPI_Win_lock(MPI_LOCK_SHARED, all - 1, 0, windows[other]));
            OK(MPI_Get(last, 8, MPI_BYTE, all - 1, (MPI_Aint)lengths[other] - 8, 8, MPI_BYTE, windows[other]));
            OK(MPI_Win_unlock(all - 1, windows[other]));
            if (all == 1)
                CHECK_BYTES(last, memory + begins[other] + lengths[other] - 8, 8);
            if (there && all == 1)
                CHECK_BYTES(there, memory + begins[other], lengths[other]);
        }
        barrier();
    }
    for (int i = 0; i < WINDOWS; i++)
        if (windows[i] != MPI_WIN_NULL)
            OK(MPI_Win_free(&windows[i]));
    CHECK_BYTES(memory, wanted, BYTES);
    /* Many small ones, each on its own place of the same pages; attached ones, too. */
    enum { MANY = 200 };
    MPI_Win many[MANY], dynamic;
    for (int i = 0; i < MANY; i++)
        many[i] = window_of(MPI_COMM_WORLD, memory + 64 * i, 64, "true");
    for (int i = 0; i < MANY; i++)
        exercise(many[(i * 7) % MANY], memory + 64 * ((i * 7) % MANY), 64, 1);
    for (int i = 0; i < MANY; i++)
        OK(MPI_Win_free(&many[(i * 11) % MANY]));
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "rmashm_adopt", "true"));
    OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &dynamic));
    OK(MPI_Info_free(&info));
    for (int i = 0; i < MANY; i++)
        OK(MPI_Win_attach(dynamic, memory + 100 * ((i * 7) % MANY), 100));
    MPI_Aint mine, theirs;
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    OK(MPI_Get_address(memory, &mine));
    OK(MPI_Sendrecv(&mine, 1, MPI_AINT, before, 0, &theirs, 1, MPI_AINT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    memset(memory, 0, BYTES);
    barrier();
    /* Across the borders of attached memory, and of what it was taken in by. */
    unsigned char *ones = malloc(100 * MANY), *got = malloc(100 * MANY);
    memset(ones, 1, 100 * MANY);
    OK(MPI_Win_lock_all(0, dynamic));
    OK(MPI_Put(ones, 100 * MANY - 50, MPI_BYTE, next, theirs + 25, 100 * MANY - 50, MPI_BYTE, dynamic));
    OK(MPI_Win_flush(next, dynamic));
    for (int round = 0; round < 3; round++)
        OK(MPI_Accumulate(ones, 100 * MANY / 4, MPI_UINT32_T, next, theirs, 100 * MANY / 4, MPI_UINT32_T, MPI_SUM, dynamic));
    OK(MPI_Win_flush(next, dynamic));
    OK(MPI_Get(got, 100 * MANY, MPI_BYTE, next, theirs, 100 * MANY, MPI_BYTE, dynamic));
    OK(MPI_Win_unlock_all(dynamic));
    for (int i = 0; i < 100 * MANY; i++)
        CHECK_EQ(got[i], i < 25 || i >= 100 * MANY - 25 ? 3 : 4);
    barrier();
    CHECK_BYTES(memory, got, 100 * MANY);
    for (int i = 0; i < MANY; i++)
        OK(MPI_Win_detach(dynamic, memory + 100 * ((i * 13) % MANY)));
    OK(MPI_Win_free(&dynamic));
    CHECK_BYTES(memory, got, 100 * MANY);
    free(ones);
    free(got);
    free(memory);
    free(wanted);
    OK(MPI_Comm_free(&comms[1]));
    return check_end();
}
