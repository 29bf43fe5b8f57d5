/* ranks: 2; mpich: skip it is about what rmashm does with the program's memory */
/* What became of memory of the program's own is told: by the hints of its window, of attached memory too, and by performance variables. */
#include "adopt.h"

#include <sys/mman.h>

enum { BYTES = 40000, PAGES = (BYTES + A_PAGE - 1) / A_PAGE };

static MPI_T_pvar_session session;

static MPI_T_pvar_handle variable(const char *name, int class)
{
    int index, count;
    MPI_T_pvar_handle handle;
    CHECK_EQ(MPI_T_pvar_get_index(name, class, &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), MPI_SUCCESS);
    /* A counter may run all the time, and then is not started. */
    MPI_T_pvar_start(session, handle);
    return handle;
}

static unsigned long long value(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;
    CHECK_EQ(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return value;
}

/* Whether the window's hints say that memory was refused; and what they say of adoption. */
static int is_refused(MPI_Win win, char wish[MPI_MAX_INFO_VAL])
{
    MPI_Info info;
    char why[MPI_MAX_INFO_VAL];
    int length = MPI_MAX_INFO_VAL, told, refused;
    OK(MPI_Win_get_info(win, &info));
    OK(MPI_Info_get_string(info, "rmashm_adopt", &length, wish, &told));
    CHECK(told);
    length = sizeof why;
    OK(MPI_Info_get_string(info, "rmashm_adopt_refused", &length, why, &refused));
    CHECK(!refused || strlen(why) > 0);
    OK(MPI_Info_free(&info));
    return refused;
}

int main(int argc, char **argv)
{
    int provided;
    char wish[MPI_MAX_INFO_VAL];
    check_start(&argc, &argv);
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    MPI_T_pvar_handle bytes = variable("rmashm_adopted", MPI_T_PVAR_CLASS_LEVEL),
                      times = variable("rmashm_adoptions", MPI_T_PVAR_CLASS_COUNTER),
                      refusals = variable("rmashm_adoptions_refused", MPI_T_PVAR_CLASS_COUNTER);
    unsigned long long bytes_before = value(bytes), times_before = value(times), refusals_before = value(refusals);
    unsigned char *memory = mmap(NULL, PAGES * A_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *shared = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && shared != MAP_FAILED);

    MPI_Win win = window_of(MPI_COMM_WORLD, memory, BYTES, "true");
    CHECK(!is_refused(win, wish));
    CHECK(!strcmp(wish, "true"));
    CHECK_EQ(value(bytes) - bytes_before, PAGES * A_PAGE);
    CHECK_EQ(value(times) - times_before, 1);
    OK(MPI_Win_free(&win));
    CHECK_EQ(value(bytes), bytes_before);

    win = window_of(MPI_COMM_WORLD, shared, BYTES, "true");
    CHECK(is_refused(win, wish));
    CHECK_EQ(value(refusals) - refusals_before, 1);
    OK(MPI_Win_free(&win));

    /* Of attached memory: once it is used. */
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "rmashm_adopt", "auto"));
    OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
    CHECK(!is_refused(win, wish));
    CHECK(!strcmp(wish, "auto"));
    OK(MPI_Win_free(&win));
    OK(MPI_Info_set(info, "rmashm_adopt", "true"));
    OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_attach(win, memory, BYTES));
    CHECK_EQ(value(bytes) - bytes_before, PAGES * A_PAGE);
    CHECK(!is_refused(win, wish));
    CHECK(!strcmp(wish, "true"));
    OK(MPI_Win_attach(win, shared, BYTES));
    CHECK(is_refused(win, wish));
    OK(MPI_Win_detach(win, shared));
    CHECK(!is_refused(win, wish));
    OK(MPI_Win_detach(win, memory));
    CHECK_EQ(value(bytes), bytes_before);
    OK(MPI_Win_free(&win));
    munmap(memory, PAGES * A_PAGE);
    munmap(shared, BYTES);
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return check_end();
}
