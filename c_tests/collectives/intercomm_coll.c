/* ranks: 2 3 4 8 */
/* Collective operations between the two groups of an intercommunicator, in all their forms. */
#include "inter.h"

enum { BLOCKING, NONBLOCKING, PERSISTENT, LARGE_BLOCKING, LARGE_NONBLOCKING, LARGE_PERSISTENT, FORMS };

static int form;

/* Carries an operation out in the form asked for; a persistent one twice. */
static void carry_out(MPI_Request request, int persistent)
{
    for (int i = 0; i <= persistent; i++) {
        if (persistent)
            OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    if (persistent)
        OK(MPI_Request_free(&request));
}

#define SMALL_FORMS(name, nonblocking, ...)                                           \
    case BLOCKING:                                                                    \
        OK(MPI_##name(__VA_ARGS__));                                                  \
        break;                                                                        \
    case NONBLOCKING:                                                                 \
        OK(MPI_##nonblocking(__VA_ARGS__, &request_));                                \
        carry_out(request_, 0);                                                       \
        break;                                                                        \
    case PERSISTENT:                                                                  \
        OK(MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request_));                 \
        carry_out(request_, 1);                                                       \
        break;

#define LARGE_FORMS(name, nonblocking, ...)                                           \
    case LARGE_BLOCKING:                                                              \
        OK(MPI_##name##_c(__VA_ARGS__));                                              \
        break;                                                                        \
    case LARGE_NONBLOCKING:                                                           \
        OK(MPI_##nonblocking##_c(__VA_ARGS__, &request_));                            \
        carry_out(request_, 0);                                                       \
        break;                                                                        \
    case LARGE_PERSISTENT:                                                            \
        OK(MPI_##name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &request_));               \
        carry_out(request_, 1);                                                       \
        break;

/* The arguments fit both sizes. */
#define RUN(name, nonblocking, ...)                                                   \
    do {                                                                              \
        MPI_Request request_ = MPI_REQUEST_NULL;                                      \
        switch (form) {                                                               \
            SMALL_FORMS(name, nonblocking, __VA_ARGS__)                               \
            LARGE_FORMS(name, nonblocking, __VA_ARGS__)                               \
        }                                                                             \
    } while (0)

/* Arrays differ. */
#define IS_SMALL (form < LARGE_BLOCKING)
#define RUN_SMALL(name, nonblocking, ...)                                             \
    do {                                                                              \
        MPI_Request request_ = MPI_REQUEST_NULL;                                      \
        switch (form) { SMALL_FORMS(name, nonblocking, __VA_ARGS__) }                 \
    } while (0)
#define RUN_LARGE(name, nonblocking, ...)                                             \
    do {                                                                              \
        MPI_Request request_ = MPI_REQUEST_NULL;                                      \
        switch (form) { LARGE_FORMS(name, nonblocking, __VA_ARGS__) }                 \
    } while (0)

enum { MOST = 20000 };

static int *in, *out;

/* Element i of what world rank `from` gives. */
static int element(int from, int i)
{
    return from * 100003 + i;
}

static void prepare(int elements)
{
    for (int i = 0; i < elements; i++)
        in[i] = element(rank, i);
    for (int i = 0; i < size * MOST; i++)
        out[i] = -1;
}

static void is_block(const int *block, int from, int first, int n)
{
    for (int i = 0; i < n; i++)
        CHECK_EQ(block[i], element(from, first + i));
}

static void is_untouched(const int *block, int n)
{
    for (int i = 0; i < n; i++)
        CHECK_EQ(block[i], -1);
}

/* What this process says about the root, which is rank `root` of side `side`. */
static int root_of(const struct inter *x, int side, int root)
{
    if (x->side != side)
        return root;
    return x->rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void with_roots(const struct inter *x, int n)
{
    for (int side = 0; side < 2; side++) {
        int members = x->side == side ? x->size : x->remote;
        for (int r = 0; r < members; r += members > 2 ? members - 1 : 1) {
            int root = root_of(x, side, r);
            int world = x->side == side ? inter_local(x, r) : inter_remote(x, r);

            prepare(n);
            RUN(Bcast, Ibcast, x->side == side ? in : out, n, MPI_INT, root, x->comm);
            if (x->side != side)
                is_block(out, world, 0, n);

            prepare(n);
            RUN(Gather, Igather, in, n, MPI_INT, out, n, MPI_INT, root, x->comm);
            if (root == MPI_ROOT)
                for (int i = 0; i < x->remote; i++)
                    is_block(out + i * n, inter_remote(x, i), 0, n);
            else
                is_untouched(out, size * MOST);

            prepare(n * (x->remote));
            RUN(Scatter, Iscatter, in, n, MPI_INT, out, n, MPI_INT, root, x->comm);
            if (x->side != side)
                is_block(out, world, x->rank * n, n);
            else
                is_untouched(out, size * MOST);

            prepare(n);
            RUN(Reduce, Ireduce, in, out, n, MPI_INT, MPI_SUM, root, x->comm);
            if (root == MPI_ROOT) {
                for (int i = 0; i < n; i++) {
                    int sum = 0;
                    for (int k = 0; k < x->remote; k++)
                        sum += element(inter_remote(x, k), i);
                    CHECK_EQ(out[i], sum);
                }
            } else {
                is_untouched(out, size * MOST);
            }
        }
    }
}

/* Process i of a group has i + 1 of n-element pieces; a piece is left free between blocks. */
static void with_roots_v(const struct inter *x, int n)
{
    int counts[64], displs[64];
    MPI_Count large_counts[64];
    MPI_Aint large_displs[64];
    int at = 0;
    for (int i = 0; i < x->remote; i++) {
        large_counts[i] = counts[i] = (i % 3) * n;
        large_displs[i] = displs[i] = at;
        at += counts[i] + 1;
    }
    int own = (x->rank % 3) * n;
    for (int side = 0; side < 2; side++) {
        int root = root_of(x, side, 0);
        int world = x->side == side ? inter_local(x, 0) : inter_remote(x, 0);
        prepare(own);
        if (IS_SMALL)
            RUN_SMALL(Gatherv, Igatherv, in, own, MPI_INT, out, counts, displs, MPI_INT, root, x->comm);
        else
            RUN_LARGE(Gatherv, Igatherv, in, own, MPI_INT, out, large_counts, large_displs, MPI_INT, root, x->comm);
        if (root == MPI_ROOT)
            for (int i = 0; i < x->remote; i++) {
                is_block(out + displs[i], inter_remote(x, i), 0, counts[i]);
                is_untouched(out + displs[i] + counts[i], 1);
            }

        prepare(at);
        if (IS_SMALL)
            RUN_SMALL(Scatterv, Iscatterv, in, counts, displs, MPI_INT, out, own, MPI_INT, root, x->comm);
        else
            RUN_LARGE(Scatterv, Iscatterv, in, large_counts, large_displs, MPI_INT, out, own, MPI_INT, root,
                      x->comm);
        if (x->side != side) {
            int first = 0;
            for (int i = 0; i < x->rank; i++)
                first += (i % 3) * n + 1;
            is_block(out, world, first, own);
        }
        is_untouched(out + own, 1);
    }
}

/* The groups give blocks of different lengths: n and 2 n. */
static void all_to_all(const struct inter *x, int n)
{
    int give = x->side ? 2 * n : n, get = x->side ? n : 2 * n;
    int counts[64], displs[64], give_counts[64], give_displs[64], bytes[64], give_bytes[64];
    MPI_Count large_counts[64], give_large_counts[64];
    MPI_Aint large_displs[64], give_large_displs[64], large_bytes[64], give_large_bytes[64];
    MPI_Datatype types[64];

    prepare(give);
    RUN(Allgather, Iallgather, in, give, MPI_INT, out, get, MPI_INT, x->comm);
    for (int i = 0; i < x->remote; i++)
        is_block(out + i * get, inter_remote(x, i), 0, get);

    prepare(give * x->remote);
    RUN(Alltoall, Ialltoall, in, give, MPI_INT, out, get, MPI_INT, x->comm);
    for (int i = 0; i < x->remote; i++)
        is_block(out + i * get, inter_remote(x, i), x->rank * get, get);

    /* Rank i of one group and rank k of the other exchange blocks of (i + k) % 3 pieces. */
    for (int i = 0; i < x->remote; i++) {
        large_counts[i] = counts[i] = (x->rank + i) % 3 * get;
        large_displs[i] = displs[i] = i * 3 * get;
        large_bytes[i] = bytes[i] = displs[i] * (int)sizeof(int);
        give_large_counts[i] = give_counts[i] = (x->rank + i) % 3 * give;
        give_large_displs[i] = give_displs[i] = i * 3 * give;
        give_large_bytes[i] = give_bytes[i] = give_displs[i] * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    for (int with_types = 0; with_types < 2; with_types++) {
        prepare(give * 3 * x->remote);
        if (with_types && IS_SMALL)
            RUN_SMALL(Alltoallw, Ialltoallw, in, give_counts, give_bytes, types, out, counts, bytes, types, x->comm);
        else if (with_types)
            RUN_LARGE(Alltoallw, Ialltoallw, in, give_large_counts, give_large_bytes, types, out, large_counts,
                      large_bytes, types, x->comm);
        else if (IS_SMALL)
            RUN_SMALL(Alltoallv, Ialltoallv, in, give_counts, give_displs, MPI_INT, out, counts, displs, MPI_INT,
                      x->comm);
        else
            RUN_LARGE(Alltoallv, Ialltoallv, in, give_large_counts, give_large_displs, MPI_INT, out, large_counts,
                      large_displs, MPI_INT, x->comm);
        for (int i = 0; i < x->remote; i++) {
            is_block(out + displs[i], inter_remote(x, i), x->rank * 3 * get, counts[i]);
            is_untouched(out + displs[i] + counts[i], 3 * get - counts[i]);
        }
    }

    /* Rank i gives i % 3 pieces of its group's length, which go to all. */
    int own = x->rank % 3 * give, at = 0;
    for (int i = 0; i < x->remote; i++) {
        large_counts[i] = counts[i] = i % 3 * get;
        large_displs[i] = displs[i] = at;
        at += counts[i] + 1;
    }
    prepare(own);
    if (IS_SMALL)
        RUN_SMALL(Allgatherv, Iallgatherv, in, own, MPI_INT, out, counts, displs, MPI_INT, x->comm);
    else
        RUN_LARGE(Allgatherv, Iallgatherv, in, own, MPI_INT, out, large_counts, large_displs, MPI_INT, x->comm);
    for (int i = 0; i < x->remote; i++) {
        is_block(out + displs[i], inter_remote(x, i), 0, counts[i]);
        is_untouched(out + displs[i] + counts[i], 1);
    }

    /* One way only. */
    int one_way = x->side ? n : 0, back = x->side ? 0 : n;
    prepare(one_way);
    RUN(Allgather, Iallgather, in, one_way, MPI_INT, out, back, MPI_INT, x->comm);
    for (int i = 0; i < x->remote; i++)
        is_block(out + i * back, inter_remote(x, i), 0, back);
    is_untouched(out + x->remote * back, 1);
}

/* Not commutative: linear functions a x + b, one after the other. */
static void after(void *input, void *inout, int *n, MPI_Datatype *type)
{
    uint32_t *f = input, *g = inout;
    (void)type;
    for (int i = 0; i < *n; i++, f += 2, g += 2) {
        uint32_t a = f[0] * g[0], b = f[0] * g[1] + f[1];
        g[0] = a;
        g[1] = b;
    }
}

static void function_of(uint32_t *f, int from, int i)
{
    f[0] = (uint32_t)(2 * from + 3 + i);
    f[1] = (uint32_t)(7 * from + i);
}

static void reductions(const struct inter *x, int n)
{
    prepare(n);
    RUN(Allreduce, Iallreduce, in, out, n, MPI_INT, MPI_SUM, x->comm);
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = 0; k < x->remote; k++)
            sum += element(inter_remote(x, k), i);
        CHECK_EQ(out[i], sum);
    }
    is_untouched(out + n, 1);

    /* As many elements of both groups, shared out to each. */
    int total = n * x->size * x->remote, counts[64];
    MPI_Count large_counts[64];
    int own = n * x->remote;
    if (total <= size * MOST) {
        prepare(total);
        RUN(Reduce_scatter_block, Ireduce_scatter_block, in, out, own, MPI_INT, MPI_MAX, x->comm);
        int last = inter_remote(x, x->remote - 1);
        is_block(out, last, x->rank * own, own);
        is_untouched(out + own, 1);

        /* Rank 0 gets nothing, the last one twice. */
        for (int i = 0; i < x->size; i++) {
            counts[i] = x->size == 1 ? own : i == 0 ? 0 : i == x->size - 1 ? 2 * own : own;
            large_counts[i] = counts[i];
        }
        prepare(total);
        if (IS_SMALL)
            RUN_SMALL(Reduce_scatter, Ireduce_scatter, in, out, counts, MPI_INT, MPI_MAX, x->comm);
        else
            RUN_LARGE(Reduce_scatter, Ireduce_scatter, in, out, large_counts, MPI_INT, MPI_MAX, x->comm);
        is_block(out, last, x->rank == 0 ? 0 : (x->rank - 1) * own, counts[x->rank]);
        is_untouched(out + counts[x->rank], 1);
    }

    MPI_Datatype pair;
    MPI_Op op;
    OK(MPI_Type_contiguous(2, MPI_UINT32_T, &pair));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Op_create(after, 0, &op));
    uint32_t *f = (uint32_t *)in, *g = (uint32_t *)out, wanted[2], next[2];
    int pairs = n / 2;
    prepare(1);
    for (int i = 0; i < pairs; i++)
        function_of(f + 2 * i, rank, i);
    if (IS_SMALL) /* user functions have a large form of their own */
        RUN_SMALL(Allreduce, Iallreduce, f, g, pairs, pair, op, x->comm);
    else
        OK(MPI_Allreduce(f, g, pairs, pair, op, x->comm));
    for (int i = 0; i < pairs; i++) {
        int one = 1;
        function_of(wanted, inter_remote(x, x->remote - 1), i);
        for (int k = x->remote - 2; k >= 0; k--) {
            function_of(next, inter_remote(x, k), i);
            after(next, wanted, &one, &pair);
        }
        CHECK_BYTES(g + 2 * i, wanted, sizeof wanted);
    }
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&pair));
}

/* Nobody leaves the barrier before all of the other group have come. */
static void barriers(const struct inter *x)
{
    MPI_Request request;
    for (int round = 0; round < 20; round++) {
        int token = round, flag;
        MPI_Status status;
        if (x->side == round % 2)
            for (int i = 0; i < x->remote; i++)
                OK(MPI_Send(&token, 1, MPI_INT, i, 77, x->comm));
        switch (round % 4) {
        case 0:
        case 1:
            OK(MPI_Barrier(x->comm));
            break;
        case 2:
            OK(MPI_Ibarrier(x->comm, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            break;
        default:
            OK(MPI_Barrier_init(x->comm, MPI_INFO_NULL, &request));
            carry_out(request, 1);
        }
        if (x->side != round % 2)
            for (int i = 0; i < x->remote; i++) {
                /* What was sent before is here. */
                do
                    OK(MPI_Iprobe(i, 77, x->comm, &flag, &status));
                while (!flag);
                OK(MPI_Recv(&token, 1, MPI_INT, i, 77, x->comm, &status));
                CHECK_EQ(token, round);
            }
    }
}

/* Many at once, completed in the wrong order. */
static void many(const struct inter *x)
{
    enum { MANY = 24 };
    MPI_Request requests[MANY];
    int give[MANY], get[MANY][64];
    for (int i = 0; i < MANY; i++) {
        give[i] = rank * 1000 + i;
        if (i % 3 == 0)
            OK(MPI_Iallgather(&give[i], 1, MPI_INT, get[i], 1, MPI_INT, x->comm, &requests[i]));
        else if (i % 3 == 1)
            OK(MPI_Iallreduce(&give[i], get[i], 1, MPI_INT, MPI_MAX, x->comm, &requests[i]));
        else
            OK(MPI_Ibcast(x->side == i % 2 ? &give[i] : get[i], 1, MPI_INT, root_of(x, i % 2, 0), x->comm,
                          &requests[i]));
    }
    for (int i = MANY - 1; i >= 0; i--)
        OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    for (int i = 0; i < MANY; i++) {
        if (i % 3 == 0)
            for (int k = 0; k < x->remote; k++)
                CHECK_EQ(get[i][k], inter_remote(x, k) * 1000 + i);
        else if (i % 3 == 1)
            CHECK_EQ(get[i][0], inter_remote(x, x->remote - 1) * 1000 + i);
        else if (x->side != i % 2)
            CHECK_EQ(get[i][0], inter_remote(x, 0) * 1000 + i);
    }
}

int main(int argc, char **argv)
{
    static const int lengths[] = {0, 1, 30, 1100, 6000};
    check_start(&argc, &argv);
    in = malloc(sizeof(int) * MOST * (size_t)size);
    out = malloc(sizeof(int) * MOST * (size_t)size);
    CHECK(in != NULL && out != NULL);
    for (int cut = 1; cut < size; cut = cut * 2 + 1) {
        struct inter x = inter_make(cut);
        for (form = 0; form < FORMS; form++)
            for (int i = 0; i < 5; i++) {
                int n = lengths[i];
                with_roots(&x, n);
                with_roots_v(&x, n);
                if (3 * 2 * n <= MOST)
                    all_to_all(&x, n);
                reductions(&x, i == 4 ? MOST : n);
            }
        barriers(&x);
        many(&x);
        inter_free(&x);
    }
    free(in);
    free(out);
    return check_end();
}
