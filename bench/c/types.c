/* 1024 doubles of stride 64 B: vector and indexed, from and to contiguous memory and strided on both sides. */
#include "bench.h"

enum { N = 1024, STRIDE = 8 };

static void fill(double *data, double first)
{
    for (int i = 0; i < N * STRIDE; i++)
        data[i] = first + i;
}

void family_types(void)
{
    struct window w = window_open(SHARED, N * STRIDE * sizeof(double));
    int target = size - 1;
    double *local = malloc(N * STRIDE * sizeof(double)), *there = (double *)w.mine;
    int lengths[N], displacements[N];
    MPI_Datatype vector, indexed;
    for (int i = 0; i < N; i++) {
        lengths[i] = 1;
        /* Not of equal distance, or it would be a vector again. */
        displacements[i] = i * STRIDE + i % 2;
    }
    MPI_Type_vector(N, 1, STRIDE, MPI_DOUBLE, &vector);
    MPI_Type_indexed(N, lengths, displacements, MPI_DOUBLE, &indexed);
    MPI_Type_commit(&vector);
    MPI_Type_commit(&indexed);
    fill(local, 1);
    MPI_Win_lock_all(0, w.win);

    TIMED(ALONE, "put_to_vector", N, MPI_Put(local, N, MPI_DOUBLE, target, 0, 1, vector, w.win);
          MPI_Win_flush(target, w.win));
    MPI_Win_sync(w.win);
    check(rank != target || (there[0] == 1 && there[(N - 1) * STRIDE] == N && there[1] == 0), "put to vector");
    TIMED(ALONE, "put_to_indexed", N, MPI_Put(local, N, MPI_DOUBLE, target, 0, 1, indexed, w.win);
          MPI_Win_flush(target, w.win));
    MPI_Win_sync(w.win);
    check(rank != target || there[(N - 1) * STRIDE + 1] == N, "put to indexed");
    TIMED(ALONE, "put_vector_to_vector", N, MPI_Put(local, 1, vector, target, 0, 1, vector, w.win);
          MPI_Win_flush(target, w.win));
    MPI_Win_sync(w.win);
    check(rank != target || there[(N - 1) * STRIDE] == 1 + (N - 1) * STRIDE, "put vector to vector");

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == target)
        fill(there, 7);
    MPI_Win_sync(w.win);
    MPI_Barrier(MPI_COMM_WORLD);
    TIMED(ALONE, "get_from_vector", N, MPI_Get(local, N, MPI_DOUBLE, target, 0, 1, vector, w.win);
          MPI_Win_flush(target, w.win));
    check(rank != 0 || local[N - 1] == 7 + (N - 1) * STRIDE, "get from vector");
    TIMED(ALONE, "get_from_indexed", N, MPI_Get(local, N, MPI_DOUBLE, target, 0, 1, indexed, w.win);
          MPI_Win_flush(target, w.win));
    check(rank != 0 || local[N - 1] == 7 + (N - 1) * STRIDE + 1, "get from indexed");
    TIMED(ALONE, "get_vector_to_vector", N, MPI_Get(local, 1, vector, target, 0, 1, vector, w.win);
          MPI_Win_flush(target, w.win));
    check(rank != 0 || local[(N - 1) * STRIDE] == 7 + (N - 1) * STRIDE, "get vector to vector");

    MPI_Win_unlock_all(w.win);
    MPI_Type_free(&vector);
    MPI_Type_free(&indexed);
    window_close(&w);
    free(local);
}
