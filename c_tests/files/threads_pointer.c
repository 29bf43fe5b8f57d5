/* ranks: 2 */
/* MPI_THREAD_MULTIPLE: while a thread is in a collective access that waits for another process, another one uses the same file, its own file
 * pointer too, and what that process waits for comes of it (MPI 4.1 sections 11.6, 14.6.3). */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

enum { N = 30000 };

static char name[64];
static MPI_File file;
static int data[N];

static void *write_all(void *argument)
{
    MPI_Status status;
    int count;
    OK(MPI_File_write_all(file, data, N, MPI_INT, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, N);
    return argument;
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Datatype column;
    MPI_Offset position = -1;
    pthread_t thread;
    int mark = 4711;
    check_start_threads(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rmashm-pointer-%d", (int)getpid());
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_Info_set(info, "romio_cb_read", "enable"));
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file));
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &column));
    OK(MPI_Type_commit(&column));
    OK(MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, column, "native", MPI_INFO_NULL));
    for (int i = 0; i < N; i++)
        data[i] = 2 * i + rank;
    if (rank == 0) {
        CHECK_EQ(pthread_create(&thread, NULL, write_all, NULL), 0);
        /* Until it has begun: its data is before what is written from now on. */
        while (position < N) {
            OK(MPI_File_get_position(file, &position));
            usleep(1000);
        }
        CHECK_EQ(position, N);
        OK(MPI_File_write(file, &mark, 1, MPI_INT, MPI_STATUS_IGNORE));
        OK(MPI_Send(&mark, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
        CHECK_EQ(pthread_join(thread, NULL), 0);
        OK(MPI_File_get_position(file, &position));
        CHECK_EQ(position, N + 1);
    } else {
        OK(MPI_Recv(&mark, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        write_all(NULL);
    }
    barrier();
    /* A read that ends with the file leaves the pointer there. */
    MPI_Status status;
    int count = -1, there = rank == 0 ? N + 1 : N;
    static int back[N + 10];
    OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    OK(MPI_File_read_all(file, back, N + 10, MPI_INT, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, there);
    CHECK_BYTES(back, data, sizeof data);
    CHECK(rank == 1 || back[N] == mark);
    OK(MPI_File_get_position(file, &position));
    CHECK_EQ(position, there);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&column));
    OK(MPI_Info_free(&info));
    return check_end();
}
