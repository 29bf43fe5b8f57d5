// Programs that do nothing wrong: the ways in which one-sided operations of several ranks get into an order. Each looks at what it
// reads.
//
// ranks: 1 3 4
// right mcs_lock
// right ticket_lock
// right between_put_and_get
// right chain_of_messages
// right shared_memory
// right locks
// right requests
// right fences
// right post_and_start
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static int errs;
#define N 64

static void mcs(void) { /* MCS lock with local spinning */
    MPI_Win w;
    int *m;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    /* 0 next, 1 locked, 2 tail(on 0), 3 counter (on 0) */
    m[0] = -1;
    m[1] = 0;
    m[2] = -1;
    m[3] = 0;
    MPI_Win_lock_all(0, w);
    MPI_Win_sync(w);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 50; k++) {
        int prev, mine = rank, nul = -1;
        int one = 1;
        m[0] = -1;
        m[1] = 1;
        MPI_Win_sync(w);
        MPI_Fetch_and_op(&mine, &prev, MPI_INT, 0, 2, MPI_REPLACE, w);
        MPI_Win_flush(0, w);
        if (prev != -1) {
            MPI_Accumulate(&mine, 1, MPI_INT, prev, 0, 1, MPI_INT, MPI_REPLACE, w);
            MPI_Win_flush(prev, w);
            volatile int *l = &m[1];
            while (*l)
                MPI_Win_sync(w);
        }
        int v;
        MPI_Get(&v, 1, MPI_INT, 0, 3, 1, MPI_INT, w);
        MPI_Win_flush(0, w);
        v += one;
        MPI_Put(&v, 1, MPI_INT, 0, 3, 1, MPI_INT, w);
        MPI_Win_flush(0, w);
        int got;
        MPI_Compare_and_swap(&nul, &mine, &got, MPI_INT, 0, 2, w);
        MPI_Win_flush(0, w);
        if (got != rank) {
            volatile int *n = &m[0];
            while (*n == -1)
                MPI_Win_sync(w);
            int nx = *n;
            int z = 0;
            MPI_Accumulate(&z, 1, MPI_INT, nx, 1, 1, MPI_INT, MPI_REPLACE, w);
            MPI_Win_flush(nx, w);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && m[3] != 50 * size) {
        errs++;
        printf("mcs %d\n", m[3]);
    }
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
}

static void ticket(void) {
    MPI_Win w;
    long *m;
    MPI_Win_allocate(3 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    m[0] = m[1] = m[2] = 0;
    MPI_Win_lock_all(0, w);
    MPI_Win_sync(w);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 30; k++) {
        long one = 1, t, s, d = 0;
        MPI_Fetch_and_op(&one, &t, MPI_LONG, 0, 0, MPI_SUM, w);
        MPI_Win_flush(0, w);
        do {
            MPI_Fetch_and_op(&d, &s, MPI_LONG, 0, 1, MPI_NO_OP, w);
            MPI_Win_flush(0, w);
        } while (s != t);
        long v;
        MPI_Get(&v, 1, MPI_LONG, 0, 2, 1, MPI_LONG, w);
        MPI_Win_flush(0, w);
        v++;
        MPI_Put(&v, 1, MPI_LONG, 0, 2, 1, MPI_LONG, w);
        MPI_Win_flush(0, w);
        MPI_Accumulate(&one, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_SUM, w);
        MPI_Win_flush(0, w);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && m[2] != 30 * size)
        errs++;
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
}

static void put_then(int how) {
    MPI_Win w;
    int *m, v = rank, g;
    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Win_lock_all(0, w);
    MPI_Barrier(MPI_COMM_WORLD);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request r;
    MPI_Comm c;
    int x = 0, y = 0;
    int flag = 0;
    for (int k = 0; k < 10; k++) {
        v = 100 * k + rank;
        MPI_Put(&v, 1, MPI_INT, to, 0, 1, MPI_INT, w);
        MPI_Win_flush(to, w);
        switch (how) {
        case 0:
            MPI_Ibarrier(MPI_COMM_WORLD, &r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
            for (flag = 0; !flag;)
                MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_Comm_dup(MPI_COMM_WORLD, &c);
            MPI_Comm_free(&c);
            break;
        case 3:
            MPI_Sendrecv(&x, 1, MPI_INT, to, 0, &y, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 4:
            MPI_Allgather(&x, 1, MPI_INT, m + 8, 1, MPI_INT, MPI_COMM_WORLD);
            break;
        case 5: {
            int b[N];
            MPI_Alltoall(m + 16, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD);
        } break;
        case 6:
            MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
            MPI_Bcast(&y, 1, MPI_INT, 0, MPI_COMM_WORLD);
            break;
        case 7: {
            static char big[200000];
            static char in[200000];
            MPI_Irecv(in, 200000, MPI_CHAR, from, 1, MPI_COMM_WORLD, &r);
            MPI_Send(big, 200000, MPI_CHAR, to, 1, MPI_COMM_WORLD);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        } break;
        case 8: {
            MPI_Message msg;
            MPI_Isend(&x, 1, MPI_INT, to, 2, MPI_COMM_WORLD, &r);
            MPI_Mprobe(from, 2, MPI_COMM_WORLD, &msg, MPI_STATUS_IGNORE);
            MPI_Mrecv(&y, 1, MPI_INT, &msg, MPI_STATUS_IGNORE);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        } break;
        case 9: {
            double a[5000], b[5000];
            memset(a, 0, sizeof a);
            MPI_Allreduce(a, b, 5000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        } break;
        case 10: {
            int b[N];
            MPI_Scan(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Bcast(b, N, MPI_INT, size - 1, MPI_COMM_WORLD);
        } break;
        case 11: {
            MPI_Comm s;
            MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &s);
            MPI_Barrier(s);
            MPI_Comm_free(&s);
        } break;
        case 12: {
            static double a[40000], b[40000];
            MPI_Allreduce(a, b, 40000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        } break;
        case 13: {
            MPI_Gather(&x, 1, MPI_INT, rank == 0 ? m + 20 : NULL, 1, MPI_INT, 0, MPI_COMM_WORLD);
            MPI_Scatter(rank == 0 ? m + 20 : NULL, 1, MPI_INT, &y, 1, MPI_INT, 0, MPI_COMM_WORLD);
        } break;
        case 14: {
            MPI_Win w2;
            char *p;
            MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &p, &w2);
            MPI_Win_free(&w2);
        } break;
        case 15: {
            MPI_Group g0;
            MPI_Comm s;
            MPI_Comm_group(MPI_COMM_WORLD, &g0);
            MPI_Comm_create_group(MPI_COMM_WORLD, g0, 3, &s);
            MPI_Barrier(s);
            MPI_Comm_free(&s);
            MPI_Group_free(&g0);
        } break;
        case 16: {
            MPI_Reduce_scatter_block(m + 24, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        } break;
        case 17: {
            MPI_Request q[2];
                MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]);
            MPI_Start(&q[0]);
            MPI_Wait(&q[0], MPI_STATUS_IGNORE);
            MPI_Request_free(&q[0]);
            } break;
        }
        MPI_Get(&g, 1, MPI_INT, rank, 0, 1, MPI_INT, w);
        MPI_Win_flush(rank, w);
        if (g != 100 * k + from) {
            errs++;
            printf("how %d got %d\n", how, g);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
}

static void chain(void) {
    MPI_Win w;
    int *m, v, x = 0;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Win_lock_all(0, w);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Recv(&x, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    v = rank;
    MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_flush(0, w);
    if (rank + 1 < size)
        MPI_Send(&x, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
}

static void shared(void) {
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win w;
    int *m;
    MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, node, &m, &w);
    MPI_Aint sz;
    int du;
    int *p0;
    MPI_Win_shared_query(w, 0, &sz, &du, &p0);
    MPI_Win_lock_all(0, w);
    if (rank == 0) {
        p0[0] = 0;
        p0[1] = 0;
    }
    MPI_Win_sync(w);
    MPI_Barrier(node);
    int v = 7, g;
    if (rank == 0) {
        MPI_Put(&v, 1, MPI_INT, 0, 1, 1, MPI_INT, w);
        MPI_Win_flush(0, w);
        atomic_store((_Atomic int *)&p0[0], 1);
    } else {
        while (!atomic_load((_Atomic int *)&p0[0]))
            ;
        MPI_Get(&g, 1, MPI_INT, 0, 1, 1, MPI_INT, w);
        MPI_Win_flush(0, w);
        if (g != 7)
            errs++;
    }
    MPI_Barrier(node);
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Comm_free(&node);
}

static void locks(void) {
    MPI_Win w;
    int *m, v;
    MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    m[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 20; k++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
        MPI_Get(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
        MPI_Win_flush(0, w);
        v++;
        MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
        MPI_Win_unlock(0, w);
    }
    for (int k = 0; k < 20; k++) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
        int one = 1;
        MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, w);
        MPI_Win_flush_local(0, w);
        one = 2;
        MPI_Win_unlock(0, w);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
    MPI_Get(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_unlock(0, w);
    if (v != 20 * size)
        errs++;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&w);
}

static void requests(void) {
    MPI_Win w;
    double a[4] = {1, 2, 3, 4}, b[4], *m = malloc(64);
    MPI_Win_create(m, 64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_lock_all(0, w);
    MPI_Request r[2];
    for (int k = 0; k < 10; k++) {
        MPI_Rput(a, 4, MPI_DOUBLE, rank, 0, 4, MPI_DOUBLE, w, &r[0]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        a[0]++;
        MPI_Win_flush(rank, w);
        MPI_Rget(b, 4, MPI_DOUBLE, rank, 0, 4, MPI_DOUBLE, w, &r[1]);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        if (b[0] != a[0] - 1)
            errs++;
        MPI_Request s[3];
        MPI_Isend(a, 4, MPI_DOUBLE, (rank + 1) % size, 5, MPI_COMM_WORLD, &s[0]);
        MPI_Isend(a, 2, MPI_DOUBLE, (rank + 1) % size, 6, MPI_COMM_WORLD, &s[1]);
        MPI_Put(a, 4, MPI_DOUBLE, rank, 0, 4, MPI_DOUBLE, w);
        MPI_Recv(b, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(b, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall(2, s, MPI_STATUSES_IGNORE);
        MPI_Win_flush_all(w);
    }
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    free(m);
}

static void fences(void) {
    MPI_Win w;
    int *m, v[8];
    MPI_Win_allocate(64 * 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Datatype t;
    MPI_Type_vector(4, 1, 2, MPI_INT, &t);
    MPI_Type_commit(&t);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, w);
    for (int k = 0; k < 10; k++) {
        for (int i = 0; i < 8; i++)
            v[i] = k;
        MPI_Put(v, 4, MPI_INT, (rank + 1) % size, 0, 1, t, w);
        MPI_Put(v, 4, MPI_INT, (rank + 1) % size, 1, 1, t, w);
        MPI_Accumulate(v, 4, MPI_INT, 0, 16, 4, MPI_INT, MPI_SUM, w);
        MPI_Win_fence(0, w);
        int g[8];
        MPI_Get(g, 8, MPI_INT, rank, 0, 8, MPI_INT, w);
        MPI_Win_fence(0, w);
        for (int i = 0; i < 7; i++)
            if (g[i] != k)
                errs++;
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w);
    MPI_Type_free(&t);
    MPI_Win_free(&w);
}

static void pscw(void) {
    if (size < 2)
        return;
    MPI_Win w;
    int *m, v = rank;
    MPI_Group g, o;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Comm_group(MPI_COMM_WORLD, &g);
    int to = (rank + 1) % size, fr = (rank + size - 1) % size;
    for (int k = 0; k < 10; k++) {
        MPI_Group_incl(g, 1, &fr, &o);
        MPI_Win_post(o, 0, w);
        MPI_Group_free(&o);
        MPI_Group_incl(g, 1, &to, &o);
        MPI_Win_start(o, 0, w);
        MPI_Group_free(&o);
        MPI_Put(&v, 1, MPI_INT, to, 0, 1, MPI_INT, w);
        MPI_Win_complete(w);
        MPI_Win_wait(w);
        if (m[0] != fr)
            errs++;
        m[0] = -1;
    }
    MPI_Group_free(&g);
    MPI_Win_free(&w);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(what, "mcs_lock"))
        mcs();
    else if (!strcmp(what, "ticket_lock"))
        ticket();
    else if (!strcmp(what, "between_put_and_get"))
        for (int how = 0; how < 18; how++)
            put_then(how);
    else if (!strcmp(what, "chain_of_messages"))
        chain();
    else if (!strcmp(what, "shared_memory"))
        shared();
    else if (!strcmp(what, "locks"))
        locks();
    else if (!strcmp(what, "requests"))
        requests();
    else if (!strcmp(what, "fences"))
        fences();
    else if (!strcmp(what, "post_and_start"))
        pscw();
    else
        errs = 1;
    MPI_Allreduce(MPI_IN_PLACE, &errs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return errs != 0;
}
