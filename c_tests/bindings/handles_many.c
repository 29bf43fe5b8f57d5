/* ranks: 1 */
/* A million objects of a kind and more: each has a handle of its own, leads to what it should, and can be freed. (Memory ends
 * before the handles do.) */
#include "check.h"

enum { MANY = 1100 * 1000, STEP = 99991 };

static void *all;

/* An array of the handles of MANY objects. */
#define HANDLES(Type, name) Type *name = all

static void infos(void)
{
    HANDLES(MPI_Info, info);
    char value[16], wanted[16];
    for (int i = 0; i < MANY; i++)
        OK(MPI_Info_create(&info[i]));
    for (int i = 0; i < MANY; i += STEP) {
        snprintf(value, sizeof value, "%d", i);
        OK(MPI_Info_set(info[i], "key", value));
    }
    for (int i = 0; i < MANY; i += STEP) {
        int flag = 0;
        snprintf(wanted, sizeof wanted, "%d", i);
        OK(MPI_Info_get(info[i], "key", sizeof value - 1, value, &flag));
        CHECK(flag && strcmp(value, wanted) == 0);
    }
    for (int i = 0; i < MANY; i++)
        OK(MPI_Info_free(&info[i]));
}

static void groups(void)
{
    HANDLES(MPI_Group, group);
    MPI_Group world;
    int zero = 0, result;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < MANY; i++)
        OK(MPI_Group_incl(world, 1, &zero, &group[i]));
    for (int i = 0; i < MANY; i += STEP) {
        OK(MPI_Group_compare(world, group[i], &result));
        CHECK_EQ(result, MPI_IDENT);
    }
    for (int i = 0; i < MANY; i++)
        OK(MPI_Group_free(&group[i]));
    OK(MPI_Group_free(&world));
}

static void datatypes(void)
{
    HANDLES(MPI_Datatype, type);
    int bytes;
    for (int i = 0; i < MANY; i++)
        OK(MPI_Type_contiguous(i % 1000, MPI_CHAR, &type[i]));
    for (int i = 0; i < MANY; i += STEP) {
        OK(MPI_Type_size(type[i], &bytes));
        CHECK_EQ(bytes, i % 1000);
    }
    for (int i = 0; i < MANY; i++)
        OK(MPI_Type_free(&type[i]));
}

#ifdef RMASHM
/* (MPICH runs out of them.) */
static void requests(void)
{
    HANDLES(MPI_Request, request);
    static int got[MANY];
    for (int i = 0; i < MANY; i++)
        OK(MPI_Irecv(&got[i], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request[i]));
    for (int i = 0; i < MANY; i++)
        OK(MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    OK(MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(got[i], i);
}

static void messages(void)
{
    HANDLES(MPI_Message, message);
    int got = -1;
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Send(&i, 1, MPI_INT, 0, 3, MPI_COMM_SELF));
        OK(MPI_Mprobe(0, 3, MPI_COMM_SELF, &message[i], MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Mrecv(&got, 1, MPI_INT, &message[i], MPI_STATUS_IGNORE));
        CHECK_EQ(got, i);
    }
}
#endif

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    all = malloc(MANY * sizeof(void *)); /* No interface has larger handles. */
    CHECK(all);
    infos();
    groups();
    datatypes();
#ifdef RMASHM
    requests();
    messages();
#endif
    free(all);
    return check_end();
}
