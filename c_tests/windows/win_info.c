/* Hints of windows: given at creation, set later, and got back (MPI 4.1 sections 12.2.1, 12.2.7). */
#include "check.h"

/* The value of `key`, or "" if the window does not know it. */
static const char *hint(MPI_Win win, const char *key)
{
    static char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int length = sizeof value, found = 0;
    value[0] = 0;
    OK(MPI_Win_get_info(win, &info));
    CHECK(info != MPI_INFO_NULL);
    OK(MPI_Info_get_string(info, key, &length, value, &found));
    OK(MPI_Info_free(&info));
    return found ? value : "";
}

static MPI_Win create(MPI_Info info)
{
    MPI_Win win;
    int *base;
    OK(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win));
    return win;
}

static void defaults(void)
{
    MPI_Win win = create(MPI_INFO_NULL);
    CHECK(strcmp(hint(win, "no_locks"), "false") == 0);
    CHECK(strcmp(hint(win, "accumulate_ops"), "same_op_no_op") == 0);
    CHECK(strcmp(hint(win, "same_size"), "false") == 0);
    CHECK(strcmp(hint(win, "same_disp_unit"), "false") == 0);
    const char *ordering = hint(win, "accumulate_ordering");
    CHECK(strstr(ordering, "rar") && strstr(ordering, "raw") && strstr(ordering, "war") && strstr(ordering, "waw"));
    CHECK(strcmp(hint(win, "no such hint"), "") == 0);
    OK(MPI_Win_free(&win));
}

static void given(void)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "no_locks", "true"));
    OK(MPI_Info_set(info, "same_size", "true"));
    OK(MPI_Info_set(info, "same_disp_unit", "true"));
    OK(MPI_Info_set(info, "accumulate_ops", "same_op"));
    OK(MPI_Info_set(info, "accumulate_ordering", "none"));
    OK(MPI_Info_set(info, "a hint of another library", "yes"));
    MPI_Win win = create(info);
    OK(MPI_Info_free(&info));
    CHECK(strcmp(hint(win, "no_locks"), "true") == 0);
    CHECK(strcmp(hint(win, "same_size"), "true") == 0);
    CHECK(strcmp(hint(win, "same_disp_unit"), "true") == 0);
    CHECK(strcmp(hint(win, "accumulate_ops"), "same_op") == 0);
    CHECK(strcmp(hint(win, "accumulate_ordering"), "none") == 0);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
}

/* The flavour of shared windows has its own hint. */
static void shared(void)
{
    MPI_Info info;
    MPI_Win win;
    int *base;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    OK(MPI_Win_allocate_shared(64, 1, info, MPI_COMM_WORLD, &base, &win));
    CHECK(strcmp(hint(win, "alloc_shared_noncontig"), "true") == 0);
    OK(MPI_Win_free(&win));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK(strcmp(hint(win, "alloc_shared_noncontig"), "false") == 0);
    /* How the memory lies cannot change any more. */
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
    OK(MPI_Win_set_info(win, info));
    OK(MPI_Info_free(&info));
    CHECK(strcmp(hint(win, "alloc_shared_noncontig"), "false") == 0);
    CHECK(strcmp(hint(win, "mpi_minimum_memory_alignment"), "4096") != 0);
    OK(MPI_Win_free(&win));
}

/* A promise that is not kept is no error: `no_locks` is a hint, and of a process's own part. */
static void locked_all_the_same(int on_rank_0, int on_others)
{
    MPI_Info info;
    MPI_Win win;
    int *base, next = (rank + 1) % size, value = 100 + rank;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "no_locks", (rank == 0 ? on_rank_0 : on_others) ? "true" : "false"));
    OK(MPI_Win_allocate(64, 4, info, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    OK(MPI_Win_unlock(next, win));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    OK(MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, win));
    OK(MPI_Win_unlock(next, win));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, next, 2, 1, MPI_INT, win));
    OK(MPI_Win_unlock_all(win));
    barrier();
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    OK(MPI_Win_sync(win));
    for (int i = 0; i < 3; i++)
        CHECK_EQ(base[i], 100 + (rank + size - 1) % size);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

static void changed(void)
{
    MPI_Win win = create(MPI_INFO_NULL);
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "accumulate_ordering", "raw,waw"));
    OK(MPI_Info_set(info, "no_locks", "true"));
    OK(MPI_Win_set_info(win, info));
#ifdef RMASHM
    CHECK(strcmp(hint(win, "no_locks"), "true") == 0);
#endif
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Info_set(info, "no_locks", "false"));
    OK(MPI_Win_set_info(win, info));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Info_free(&info));
    /* A hint may be taken or not, but what is got back is an info with every hint. */
    CHECK(strcmp(hint(win, "accumulate_ordering"), "") != 0);
    CHECK(strcmp(hint(win, "no_locks"), "false") == 0);
    /* Changing the info that was got changes nothing. */
    OK(MPI_Win_get_info(win, &info));
    OK(MPI_Info_set(info, "no_locks", "true"));
    OK(MPI_Info_free(&info));
    CHECK(strcmp(hint(win, "no_locks"), "false") == 0);
    OK(MPI_Win_free(&win));
}

#ifdef RMASHM
/* Every hint that is followed is there with its value on each flavour, and none is there twice. */
static void complete(MPI_Win win, const char *const expected[][2], int count)
{
    MPI_Info info;
    int keys;
    char key[MPI_MAX_INFO_KEY + 1];
    for (int i = 0; i < count; i++)
        if (strcmp(hint(win, expected[i][0]), expected[i][1]) != 0)
            check_failed(__FILE__, __LINE__, "%s is '%s', not '%s'", expected[i][0], hint(win, expected[i][0]), expected[i][1]);
    OK(MPI_Win_get_info(win, &info));
    OK(MPI_Info_get_nkeys(info, &keys));
    for (int i = 0; i < keys; i++) {
        OK(MPI_Info_get_nthkey(info, i, key));
        CHECK(strcmp(hint(win, key), "") != 0);
    }
    OK(MPI_Info_free(&info));
    OK(MPI_Win_free(&win));
}

static void every_flavour(void)
{
    static const char *const defaults[][2] = {
        {"no_locks", "false"}, {"accumulate_ops", "same_op_no_op"}, {"same_size", "false"}, {"same_disp_unit", "false"},
        {"accumulate_ordering", "rar,raw,war,waw"}, {"alloc_shared_noncontig", "false"},
        {"mpi_minimum_memory_alignment", "64"}, {"mpi_accumulate_granularity", "0"}};
    static const char *const given[][2] = {
        {"no_locks", "true"}, {"accumulate_ops", "same_op"}, {"same_size", "true"}, {"same_disp_unit", "true"},
        {"accumulate_ordering", "rar,waw"}, {"alloc_shared_noncontig", "true"}, {"mpi_minimum_memory_alignment", "8192"},
        {"mpi_accumulate_granularity", "16"}, {"mpi_assert_memory_alloc_kinds", "system"}, {"mpi_memory_alloc_kinds", "system"}};
    for (int round = 0; round < 2; round++) {
        const char *const(*expected)[2] = round ? given : defaults;
        int count = round ? 10 : 8;
        MPI_Info info = MPI_INFO_NULL;
        MPI_Win win;
        char *base, memory[16];
        if (round) {
            OK(MPI_Info_create(&info));
            for (int i = 0; i < 9; i++)
                OK(MPI_Info_set(info, given[i][0], given[i][1]));
        }
        OK(MPI_Win_create(memory, 16, 1, info, MPI_COMM_WORLD, &win));
        complete(win, expected, count);
        OK(MPI_Win_allocate(16, 1, info, MPI_COMM_WORLD, &base, &win));
        CHECK_EQ((uintptr_t)base % (round ? 8192 : 64), 0);
        complete(win, expected, count);
        OK(MPI_Win_allocate_shared(16, 1, info, MPI_COMM_WORLD, &base, &win));
        if (round || rank == 0)
            CHECK_EQ((uintptr_t)base % (round ? 8192 : 64), 0);
        complete(win, expected, count);
        OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
        complete(win, expected, count);
        if (round)
            OK(MPI_Info_free(&info));
    }
}
#endif

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
#ifdef RMASHM
    every_flavour();
#endif
    defaults();
    given();
    shared();
    locked_all_the_same(1, 1);
    locked_all_the_same(1, 0);
    changed();
    return check_end();
}
