/* ranks: 1; seconds: 30; mpich: skip MPICH 4.0 goes down such a nest by recursion, until the stack is gone */
/* Datatypes of datatypes of datatypes, as recursive programs make them: each costs what it adds, and none is too deep for the stack
 * of a thread that makes, uses or frees it. */
#include "check.h"
#include <pthread.h>

enum { DEPTH = 40000, STACK = 128 << 10 };

/* A struct of the one before and a char, which adjoins nothing, behind it or in front. */
static void nest(int in_front)
{
    MPI_Datatype type = MPI_CHAR, next, inner[2];
    int lengths[2] = {1, 1}, bytes = -1, position = 0, i;
    for (i = 1; i <= DEPTH; i++) {
        MPI_Aint places[2] = {0, 2 * i};
        MPI_Datatype types[2] = {type, MPI_CHAR};
        if (in_front) {
            places[0] = -2 * i, places[1] = 0;
            types[0] = MPI_CHAR, types[1] = type;
        }
        OK(MPI_Type_create_struct(2, lengths, places, types, &next));
        if (type != MPI_CHAR)
            OK(MPI_Type_free(&type));
        type = next;
    }
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_size(type, &bytes));
    CHECK_EQ(bytes, DEPTH + 1);
    MPI_Aint lb = -1, extent = -1;
    OK(MPI_Type_get_extent(type, &lb, &extent));
    CHECK(lb == (in_front ? -2 * DEPTH : 0) && extent == 2 * DEPTH + 1);
    unsigned char *memory = malloc(2 * DEPTH + 1), *packed = malloc(DEPTH + 1), *back = malloc(2 * DEPTH + 1);
    fill(memory, 2 * DEPTH + 1, 5);
    OK(MPI_Pack(memory - lb, 1, type, packed, DEPTH + 1, &position, MPI_COMM_SELF));
    CHECK_EQ(position, DEPTH + 1);
    for (i = 0; i <= DEPTH; i++)
        CHECK_EQ(packed[i], memory[2 * i]);
    memset(back, 0, 2 * DEPTH + 1);
    OK(MPI_Sendrecv(packed, DEPTH + 1, MPI_CHAR, 0, 0, back - lb, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    for (i = 0; i <= 2 * DEPTH; i++)
        CHECK_EQ(back[i], i % 2 ? 0 : memory[i]);
    /* What it is made of. */
    int integers[3], nothing;
    MPI_Aint places[2];
    OK(MPI_Type_get_contents(type, 3, 2, 2, integers, places, inner));
    CHECK(inner[in_front ? 0 : 1] == MPI_CHAR);
    next = inner[in_front ? 1 : 0];
    OK(MPI_Type_free(&type));
    OK(MPI_Type_size(next, &nothing));
    CHECK_EQ(nothing, DEPTH);
    OK(MPI_Type_free(&next));
    free(memory);
    free(packed);
    free(back);
}

/* The same memory under ever new descriptions. */
static void chain(void)
{
    MPI_Datatype type = MPI_INT, next;
    for (int i = 0; i < DEPTH; i++) {
        if (i % 2)
            OK(MPI_Type_dup(type, &next));
        else
            OK(MPI_Type_create_resized(type, 0, 4 + i % 3, &next));
        if (type != MPI_INT)
            OK(MPI_Type_free(&type));
        type = next;
    }
    OK(MPI_Type_free(&type));
}

static void *work(void *nothing)
{
    nest(0);
    nest(1);
    chain();
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_attr_t attributes;
    check_start_threads(&argc, &argv);
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, STACK) == 0);
    CHECK(pthread_create(&thread, &attributes, work, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return check_end();
}
