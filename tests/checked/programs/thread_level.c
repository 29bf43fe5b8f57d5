// Threads that call MPI otherwise than the level that was asked for allows: MPI 4.1 §11.6.
//
// ranks: 1
// wrong single: thread level
// wrong funneled: thread level
// wrong fetches: thread level
// wrong serialized: thread level
// right multiple
// right in_turns
// right only_main
// right asked
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static const char *variant;
#define IS(name) (!strcmp(variant, #name))

static MPI_Win win;

static void *in_thread(void *unused) {
    int flag, value = 1, sum;
    if (IS(fetches)) MPI_Get_accumulate(&value, 1, MPI_INT, &sum, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); // !fetches
    MPI_Status status;
    if (IS(single) || IS(funneled)) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, &status); // !single !funneled
    if (IS(serialized) || IS(multiple) || IS(in_turns)) {
        if (IS(serialized)) MPI_Probe(0, 5, MPI_COMM_WORLD, &status); // !serialized
        else MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, &status);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    }
    MPI_Initialized(&flag);
    if (!IS(asked)) MPI_Query_thread(&value), MPI_Is_thread_main(&flag);
    return unused;
}

int main(int argc, char **argv) {
    variant = argc > 1 ? argv[1] : "";
    int level = IS(funneled) || IS(fetches) || IS(only_main) || IS(asked) ? MPI_THREAD_FUNNELED
                : IS(serialized) || IS(in_turns)           ? MPI_THREAD_SERIALIZED
                : IS(multiple)                             ? MPI_THREAD_MULTIPLE
                                                           : MPI_THREAD_SINGLE;
    int provided, value = 3;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, level, &provided);
    int *counter;
    MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    *counter = 0;
    MPI_Win_lock_all(0, win);
    pthread_create(&thread, NULL, in_thread, NULL);
    if (IS(serialized)) {
        // The other thread waits for this message in a call.
        usleep(200000);
        MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); // !serialized
        pthread_join(thread, NULL);
        MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (IS(multiple)) MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!IS(serialized)) pthread_join(thread, NULL);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
