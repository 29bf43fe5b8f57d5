/* ranks: 2 4 8 */
/* Memory comes and goes on a dynamic window while others access what stays: what is attached is always found and right,
 * neighbouring pieces serve one operation together, what was detached is not found (MPI 4.1 section 12.2.4). */
#include "check.h"

#define PIECES 300
#define ROUNDS 1500

static MPI_Win win;

static MPI_Aint address(const void *memory)
{
    MPI_Aint at;
    OK(MPI_Get_address(memory, &at));
    return at;
}

/* Rank 0 attaches and detaches pieces around one that stays, until all others are done; every piece has its own bytes. */
static void owner(char *pieces, int *stays)
{
    uint64_t state = 99;
    char attached[PIECES] = {0};
    int missing = size - 1, token, flag = 0;
    MPI_Aint at = address(stays);
    OK(MPI_Win_attach(win, stays, 64 * sizeof *stays));
    for (int r = 1; r < size; r++)
        OK(MPI_Send(&at, 1, MPI_AINT, r, 1, MPI_COMM_WORLD));
    while (missing) {
        int i = (int)(draw(&state) % PIECES);
        if (attached[i])
            OK(MPI_Win_detach(win, pieces + 32 * i));
        else
            OK(MPI_Win_attach(win, pieces + 32 * i, 32));
        attached[i] = !attached[i];
        OK(MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        if (flag) {
            OK(MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            missing--;
        }
    }
    for (int i = 0; i < PIECES; i++)
        if (attached[i])
            OK(MPI_Win_detach(win, pieces + 32 * i));
    CHECK_EQ(stays[0], (size - 1) * ROUNDS);
}

static void origin(void)
{
    MPI_Aint at;
    int one = 1, mine, got, token = 0;
    OK(MPI_Recv(&at, 1, MPI_AINT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < ROUNDS; i++) {
        mine = 1000 * rank + i;
        OK(MPI_Put(&mine, 1, MPI_INT, 0, MPI_Aint_add(at, 4 * rank), 1, MPI_INT, win));
        OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, at, MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Get(&got, 1, MPI_INT, 0, MPI_Aint_add(at, 4 * rank), 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        CHECK_EQ(got, mine);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Send(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
}

/* Two pieces side by side, and what is asked for across their border and over their ends. */
static void neighbours(char *memory)
{
    char data[24], back[24];
    int next = (rank + 1) % size;
    MPI_Aint at[8], mine = address(memory);
    OK(MPI_Allgather(&mine, 1, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD));
    memset(memory, 0, 32);
    OK(MPI_Win_attach(win, memory, 16));
    OK(MPI_Win_attach(win, memory + 16, 16));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    fill(data, sizeof data, (uint64_t)rank);
    OK(MPI_Put(data, 24, MPI_BYTE, next, at[next] + 4, 24, MPI_BYTE, win));
    OK(MPI_Win_flush(next, win));
    OK(MPI_Get(back, 24, MPI_BYTE, next, at[next] + 4, 24, MPI_BYTE, win));
    OK(MPI_Win_flush(next, win));
    CHECK_BYTES(back, data, 24);
#ifdef RMASHM
    CHECK_CLASS(MPI_Get(back, 24, MPI_BYTE, next, at[next] + 9, 24, MPI_BYTE, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put(back, 24, MPI_BYTE, next, at[next] - 1, 24, MPI_BYTE, win), MPI_ERR_RMA_RANGE);
#endif
    OK(MPI_Win_unlock(next, win));
    barrier();
    OK(MPI_Win_detach(win, memory + 16));
    barrier();
#ifdef RMASHM
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_CLASS(MPI_Get(back, 24, MPI_BYTE, next, at[next] + 4, 24, MPI_BYTE, win), MPI_ERR_RMA_RANGE);
    OK(MPI_Get(back, 12, MPI_BYTE, next, at[next] + 4, 12, MPI_BYTE, win));
    OK(MPI_Win_unlock(next, win));
#endif
    barrier();
    OK(MPI_Win_detach(win, memory));
}

/* MPI_BOTTOM with absolute addresses: several pieces of the target in one operation, from several here; what lies between
 * them is not attached. The pieces are of malloc, of MPI_Alloc_mem, or of both. */
static void absolute(int kind)
{
    int here[3] = {100 * rank + 1, 100 * rank + 2, 100 * rank + 3}, *there[3], got[3];
    MPI_Aint mine[3], theirs[8][3], heres[3] = {address(&here[2]), address(&here[0]), address(&here[1])};
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Datatype from, to;
    for (int i = 0; i < 3; i++) {
        if (kind == 1 || (kind == 2 && i == 1))
            OK(MPI_Alloc_mem(1000 * sizeof(int), MPI_INFO_NULL, &there[i]));
        else
            there[i] = malloc(1000 * sizeof(int));
        OK(MPI_Win_attach(win, there[i], 1000 * sizeof(int)));
        mine[i] = address(there[i] + 333);
    }
    OK(MPI_Allgather(mine, 3, MPI_AINT, theirs, 3, MPI_AINT, MPI_COMM_WORLD));
    OK(MPI_Type_create_hindexed_block(3, 1, heres, MPI_INT, &from));
    OK(MPI_Type_create_hindexed_block(3, 1, theirs[next], MPI_INT, &to));
    OK(MPI_Type_commit(&from));
    OK(MPI_Type_commit(&to));
    for (int i = 0; i < 3; i++) {
        MPI_Datatype one;
        OK(MPI_Type_create_hindexed_block(1, 1, &theirs[next][i], MPI_INT, &one));
        OK(MPI_Type_commit(&one));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
        OK(MPI_Put(&here[i], 1, MPI_INT, next, (MPI_Aint)MPI_BOTTOM, 1, one, win));
        OK(MPI_Win_unlock(next, win));
        OK(MPI_Type_free(&one));
    }
    barrier();
    for (int i = 0; i < 3; i++)
        CHECK_EQ(there[i][333], 100 * previous + i + 1);
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    OK(MPI_Put(MPI_BOTTOM, 1, from, next, (MPI_Aint)MPI_BOTTOM, 1, to, win));
    OK(MPI_Win_flush(next, win));
    OK(MPI_Get(got, 3, MPI_INT, next, (MPI_Aint)MPI_BOTTOM, 1, to, win));
    OK(MPI_Win_unlock(next, win));
    CHECK_EQ(got[0], here[2]);
    CHECK_EQ(got[1], here[0]);
    CHECK_EQ(got[2], here[1]);
    barrier();
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(there[i][333], 100 * previous + (i + 2) % 3 + 1);
    }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    OK(MPI_Accumulate(MPI_BOTTOM, 1, from, next, (MPI_Aint)MPI_BOTTOM, 1, to, MPI_SUM, win));
    OK(MPI_Win_unlock(next, win));
    barrier();
    for (int i = 0; i < 3; i++)
        CHECK_EQ(there[i][333], 2 * (100 * previous + (i + 2) % 3 + 1));
    barrier();
    /* One that is detached is missed, and nothing is changed. */
    OK(MPI_Win_detach(win, there[1]));
    barrier();
#ifdef RMASHM
    got[0] = got[1] = got[2] = -1;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_CLASS(MPI_Get(got, 3, MPI_INT, next, (MPI_Aint)MPI_BOTTOM, 1, to, win), MPI_ERR_RMA_RANGE);
    OK(MPI_Win_unlock(next, win));
    CHECK(got[0] == -1 && got[1] == -1 && got[2] == -1);
#endif
    barrier();
    for (int i = 0; i < 3; i++) {
        if (i != 1)
            OK(MPI_Win_detach(win, there[i]));
        if (kind == 1 || (kind == 2 && i == 1))
            OK(MPI_Free_mem(there[i]));
        else
            free(there[i]);
    }
    OK(MPI_Type_free(&from));
    OK(MPI_Type_free(&to));
}

int main(int argc, char **argv)
{
    char *pieces, *shared;
    check_start(&argc, &argv);
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Alloc_mem(32 * PIECES, MPI_INFO_NULL, &shared));
    for (int i = 0; i < 2; i++) {
        int *stays = calloc(64, sizeof *stays);
        pieces = i ? shared : malloc(32 * PIECES);
        if (rank == 0)
            owner(pieces, stays);
        else
            origin();
        barrier();
        if (rank == 0)
            OK(MPI_Win_detach(win, stays));
        neighbours(pieces);
        if (!i)
            free(pieces);
        free(stays);
    }
    for (int kind = 0; kind < 3; kind++)
        absolute(kind);
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(shared));
    return check_end();
}
