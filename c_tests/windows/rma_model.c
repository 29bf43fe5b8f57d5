/* ranks: 1 2 4; name: 1; args: 1 */
/* ranks: 2 8; name: 2; args: 2 */
/* ranks: 3; name: 3; args: 3 */
/* Random operations, compared with a model: all of them, with derived datatypes on both sides, origins inside windows too,
 * in every kind of epoch, on each flavour, with a displacement unit of each rank's own. Every rank draws the same numbers
 * and does all operations on its own copy of everybody's memory; after each round its part must be as in the copy. */
#include "flavours.h"

#define INTS 256
#define ROUNDS 300
#define ELEMENTS 64

static int copy[8][INTS]; /* the model: each rank's part */
static int local[8][INTS]; /* and each rank's buffer outside the window */
static int real[INTS]; /* that buffer */
static uint64_t state;

static int below(int n) { return (int)(draw(&state) % (uint64_t)n); }

/* A datatype of ints and where they are, in ints from the address given. */
struct layout {
    MPI_Datatype type;
    int n, at[ELEMENTS], extent;
};

static void add_part(struct layout *l, int at)
{
    CHECK(l->n < ELEMENTS);
    l->at[l->n++] = at;
}

static void make(struct layout *l)
{
    int ints[4], lengths[4];
    MPI_Aint places[4];
    MPI_Datatype inner, kinds[4];
    l->n = 0;
    switch (below(9)) {
    case 0:
        OK(MPI_Type_dup(MPI_INT, &l->type));
        add_part(l, 0);
        l->extent = 1;
        break;
    case 1: { /* vector, forwards or backwards */
        int count = 1 + below(4), block = 1 + below(3), stride = block + below(3);
        if (below(2))
            stride = -stride;
        OK(MPI_Type_vector(count, block, stride, MPI_INT, &l->type));
        for (int i = 0; i < count; i++)
            for (int j = 0; j < block; j++)
                add_part(l, i * stride + j);
        l->extent = (count - 1) * abs(stride) + block;
        break;
    }
    case 2: /* indexed, with an empty block, not in order */
        for (int i = 0; i < 4; i++) {
            ints[i] = 5 * ((i + 2) % 4) + below(2);
            lengths[i] = i == 1 ? 0 : 1 + below(3);
            for (int j = 0; j < lengths[i]; j++)
                add_part(l, ints[i] + j);
        }
        OK(MPI_Type_indexed(4, lengths, ints, MPI_INT, &inner));
        OK(MPI_Type_create_resized(inner, 0, 20 * sizeof(int), &l->type));
        OK(MPI_Type_free(&inner));
        l->extent = 20;
        break;
    case 3: /* indexed block */
        for (int i = 0; i < 3; i++) {
            ints[i] = 4 * (2 - i);
            add_part(l, ints[i]);
            add_part(l, ints[i] + 1);
        }
        OK(MPI_Type_create_indexed_block(3, 2, ints, MPI_INT, &l->type));
        l->extent = 10;
        break;
    case 4: /* a row or a column of a matrix */
    case 5: {
        int sizes[2] = {4, 5}, part[2] = {1 + below(4), 1 + below(5)}, starts[2];
        int fortran = below(2);
        for (int d = 0; d < 2; d++)
            starts[d] = below(sizes[d] - part[d] + 1);
        OK(MPI_Type_create_subarray(2, sizes, part, starts, fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &l->type));
        for (int i = 0; i < part[fortran]; i++)
            for (int j = 0; j < part[!fortran]; j++)
                add_part(l, (starts[fortran] + i) * sizes[!fortran] + starts[!fortran] + j);
        l->extent = 20;
        break;
    }
    case 6: /* struct of a vector and ints */
        OK(MPI_Type_vector(2, 1, 2, MPI_INT, &inner));
        kinds[0] = inner;
        kinds[1] = MPI_INT;
        lengths[0] = 1;
        lengths[1] = 2;
        places[0] = 3 * sizeof(int);
        places[1] = 0;
        OK(MPI_Type_create_struct(2, lengths, places, kinds, &l->type));
        OK(MPI_Type_free(&inner));
        add_part(l, 3);
        add_part(l, 5);
        add_part(l, 0);
        add_part(l, 1);
        l->extent = 6;
        break;
    case 7: /* hvector of contiguous */
        OK(MPI_Type_contiguous(2, MPI_INT, &inner));
        OK(MPI_Type_create_hvector(3, 1, 3 * sizeof(int), inner, &l->type));
        OK(MPI_Type_free(&inner));
        for (int i = 0; i < 6; i++)
            add_part(l, i / 2 * 3 + i % 2);
        l->extent = 8;
        break;
    default: /* hindexed, one part before the address, and a gap at the end */
        places[0] = -2 * (MPI_Aint)sizeof(int);
        places[1] = sizeof(int);
        lengths[0] = lengths[1] = 1;
        OK(MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &inner));
        OK(MPI_Type_create_resized(inner, -2 * (MPI_Aint)sizeof(int), 6 * sizeof(int), &l->type));
        OK(MPI_Type_free(&inner));
        add_part(l, -2);
        add_part(l, 1);
        l->extent = 6;
        break;
    }
    OK(MPI_Type_commit(&l->type));
}

/* One side of an operation: `count` elements of a layout at `first` of an array of INTS; `index` are its ints. */
struct side {
    struct layout layout;
    int count, first, n, index[ELEMENTS];
};

/* Finds a place for it. */
static void put_down(struct side *s)
{
    int low = 0, high = 0;
    s->n = 0;
    for (int c = 0; c < s->count; c++)
        for (int i = 0; i < s->layout.n; i++) {
            int at = c * s->layout.extent + s->layout.at[i];
            CHECK(s->n < ELEMENTS);
            s->index[s->n++] = at;
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
    s->first = -low + below(INTS - (high - low));
    for (int i = 0; i < s->n; i++)
        s->index[i] += s->first;
}

static void make_side(struct side *s)
{
    make(&s->layout);
    do
        s->count = below(4);
    while (s->count * s->layout.n > 40);
    put_down(s);
}

/* A side with as many ints as `like`: of the same layout, or ints. */
static void make_match(struct side *s, const struct side *like)
{
    if (below(2)) {
        *s = *like;
        OK(MPI_Type_dup(like->layout.type, &s->layout.type));
    } else {
        s->layout = (struct layout){MPI_DATATYPE_NULL, 1, {0}, 1};
        OK(MPI_Type_dup(MPI_INT, &s->layout.type));
        s->count = like->n;
    }
    put_down(s);
}

static int apply(int op, int here, int there)
{
    switch (op) {
    case 0: return (int)((unsigned)here + (unsigned)there);
    case 1: return here > there ? here : there;
    case 2: return here ^ there;
    case 3: return here;
    default: return there;
    }
}

static int overlap(const struct side *a, const struct side *b)
{
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++)
            if (a->index[i] == b->index[j])
                return 1;
    return 0;
}

/* One operation of `origin` on `target`: by the model on all ranks, by MPI on the origin. `passive`: with requests too. */
static void operation(struct area *area, int origin, int target, int passive)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_REPLACE, MPI_NO_OP};
    struct side far, near, result;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win win = area->win;
    int kind = below(6), op = below(5), with_request = passive && below(2), inside;
    int *memory = (int *)(void *)area->base;
    make_side(&far);
    make_match(&near, &far);
    make_match(&result, &far);
    inside = below(3) == 0 && (origin != target || (!overlap(&near, &far))); /* the buffer is in our own window */
    int *buffer = inside ? memory : real, *mine = inside ? copy[origin] : local[origin];
    int separate = !overlap(&near, &result);
    int unit = area->flavour == DYNAMIC ? 1 : target % 2 ? 4 : 2;
    MPI_Aint at = AT(area, target, 0) + (MPI_Aint)sizeof(int) * far.first / unit, one = AT(area, target, 0) + (MPI_Aint)sizeof(int) * (far.first % INTS) / unit;
#define NEAR buffer + near.first, near.count, near.layout.type
#define FAR target, at, far.count, far.layout.type
    int *theirs = copy[target];
    switch (kind) {
    case 0: /* put */
        if (rank == origin)
            OK(with_request ? MPI_Rput(NEAR, FAR, win, &request) : MPI_Put(NEAR, FAR, win));
        for (int i = 0; i < far.n; i++)
            theirs[far.index[i]] = mine[near.index[i]];
        break;
    case 1: /* get */
        if (rank == origin)
            OK(with_request ? MPI_Rget(NEAR, FAR, win, &request) : MPI_Get(NEAR, FAR, win));
        for (int i = 0; i < far.n; i++)
            mine[near.index[i]] = theirs[far.index[i]];
        break;
    case 2: /* accumulate */
        if (op == 4)
            op = 3;
        if (rank == origin)
            OK(with_request ? MPI_Raccumulate(NEAR, FAR, ops[op], win, &request) : MPI_Accumulate(NEAR, FAR, ops[op], win));
        for (int i = 0; i < far.n; i++)
            theirs[far.index[i]] = apply(op, mine[near.index[i]], theirs[far.index[i]]);
        break;
    case 3: /* get_accumulate; the buffers are apart */
        if (!separate)
            break;
        buffer = real;
        mine = local[origin];
        if (rank == origin)
            OK(with_request ? MPI_Rget_accumulate(NEAR, buffer + result.first, result.count, result.layout.type, FAR, ops[op], win, &request)
                            : MPI_Get_accumulate(NEAR, buffer + result.first, result.count, result.layout.type, FAR, ops[op], win));
        for (int i = 0; i < far.n; i++) {
            mine[result.index[i]] = theirs[far.index[i]];
            theirs[far.index[i]] = apply(op, mine[near.index[i]], theirs[far.index[i]]);
        }
        break;
    case 4: /* fetch_and_op */
        if (rank == origin)
            OK(MPI_Fetch_and_op(&real[1], &real[7], MPI_INT, target, one, ops[op], win));
        local[origin][7] = theirs[far.first % INTS];
        theirs[far.first % INTS] = apply(op, local[origin][1], local[origin][7]);
        break;
    default: { /* compare_and_swap, with what is there or not */
        int *compare = &local[origin][9];
        if (below(2))
            *compare = theirs[far.first % INTS];
        if (rank == origin) {
            real[9] = *compare;
            OK(MPI_Compare_and_swap(&real[2], &real[9], &real[11], MPI_INT, target, one, win));
        }
        local[origin][11] = theirs[far.first % INTS];
        if (theirs[far.first % INTS] == *compare)
            theirs[far.first % INTS] = local[origin][2];
    }
    }
    if (rank == origin) {
        if (with_request)
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        if (passive)
            OK(MPI_Win_flush(target, win));
    }
    OK(MPI_Type_free(&far.layout.type));
    OK(MPI_Type_free(&near.layout.type));
    OK(MPI_Type_free(&result.layout.type));
}

/* Operations of one epoch must not touch each other in active target epochs: one is made in each. */
static void round_of(struct area *area, int number)
{
    int origin = number % size, how = below(5), count = how < 3 ? 1 + below(6) : 1, target = below(size);
    MPI_Group world, to, from;
    MPI_Win win = area->win;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &target, &to));
    OK(MPI_Group_incl(world, 1, &origin, &from));
    if (how == 0 && rank == origin)
        OK(MPI_Win_lock_all(number % 2 ? MPI_MODE_NOCHECK : 0, win));
    if (how == 3)
        OK(MPI_Win_fence(0, win));
    if (how == 4 && rank == target)
        OK(MPI_Win_post(from, 0, win));
    if (how == 4 && rank == origin)
        OK(MPI_Win_start(to, 0, win));
    for (int i = 0; i < count; i++) {
        int at = how == 4 ? target : below(size);
        if ((how == 1 || how == 2) && rank == origin)
            OK(MPI_Win_lock(how == 1 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, at, 0, win));
        operation(area, origin, at, how < 3);
        if ((how == 1 || how == 2) && rank == origin)
            OK(MPI_Win_unlock(at, win));
    }
    if (how == 0 && rank == origin)
        OK(MPI_Win_unlock_all(win));
    if (how == 3)
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    if (how == 4 && rank == origin)
        OK(MPI_Win_complete(win));
    if (how == 4 && rank == target)
        OK(MPI_Win_wait(win));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&from));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    for (int i = 0; i < INTS; i++)
        if (((int *)(void *)area->base)[i] != copy[rank][i])
            check_failed(__FILE__, __LINE__, "flavour %d, round %d: int %d is %d, not %d", area->flavour, number, i,
                         ((int *)(void *)area->base)[i], copy[rank][i]);
    OK(MPI_Win_unlock(rank, win));
    for (int i = 0; i < INTS; i++)
        if (real[i] != local[rank][i])
            check_failed(__FILE__, __LINE__, "flavour %d, round %d: int %d of the buffer is %d, not %d", area->flavour, number, i,
                         real[i], local[rank][i]);
    barrier();
}

static void run(struct area *given)
{
    struct area area = *given;
    /* The same memory again in a window with a displacement unit of each rank's own. */
    if (area.flavour != DYNAMIC)
        OK(MPI_Win_create(area.base, (MPI_Aint)area.bytes, rank % 2 ? 4 : 2, MPI_INFO_NULL, MPI_COMM_WORLD, &area.win));
    for (int r = 0; r < size; r++)
        for (int i = 0; i < INTS; i++) {
            copy[r][i] = (int)draw(&state);
            local[r][i] = (int)draw(&state);
        }
    memcpy(area.base, copy[rank], sizeof copy[rank]);
    memcpy(real, local[rank], sizeof real);
    barrier();
    for (int number = 0; number < ROUNDS; number++)
        round_of(&area, number);
    if (area.flavour != DYNAMIC)
        OK(MPI_Win_free(&area.win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_EQ(argc, 2);
    state = mix(12345, (uint64_t)atoi(argv[1]));
    on_each_flavour(INTS * sizeof(int), run);
    return check_end();
}
