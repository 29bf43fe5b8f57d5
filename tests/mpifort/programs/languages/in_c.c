/* The part in C. What it gets from Fortran are Fortran's handles. */
#include "languages.h"

#include <stdio.h>
#include <string.h>

int failures = 0;

void expect(int right, const char *file, int line, const char *what)
{
    if (!right) {
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
        failures++;
    }
}

/* ---- Handles ---- */

void c_knows_constants(const MPI_Fint *number)
{
    CHECK(MPI_Comm_f2c(number[0]) == MPI_COMM_WORLD && MPI_Comm_c2f(MPI_COMM_WORLD) == number[0]);
    CHECK(MPI_Comm_f2c(number[1]) == MPI_COMM_NULL && MPI_Comm_c2f(MPI_COMM_NULL) == number[1]);
    CHECK(MPI_Type_f2c(number[2]) == MPI_INTEGER && MPI_Type_c2f(MPI_INTEGER) == number[2]);
    CHECK(MPI_Op_f2c(number[3]) == MPI_SUM && MPI_Op_c2f(MPI_SUM) == number[3]);
    CHECK(MPI_Group_f2c(number[4]) == MPI_GROUP_EMPTY && MPI_Group_c2f(MPI_GROUP_EMPTY) == number[4]);
    CHECK(MPI_Info_f2c(number[5]) == MPI_INFO_ENV && MPI_Info_c2f(MPI_INFO_ENV) == number[5]);
    CHECK(MPI_Errhandler_f2c(number[6]) == MPI_ERRORS_RETURN && MPI_Errhandler_c2f(MPI_ERRORS_RETURN) == number[6]);
    CHECK(MPI_Request_f2c(number[7]) == MPI_REQUEST_NULL && MPI_Request_c2f(MPI_REQUEST_NULL) == number[7]);
    CHECK(MPI_Win_f2c(number[8]) == MPI_WIN_NULL && MPI_Win_c2f(MPI_WIN_NULL) == number[8]);
    CHECK(MPI_File_f2c(number[9]) == MPI_FILE_NULL && MPI_File_c2f(MPI_FILE_NULL) == number[9]);
    CHECK(MPI_Message_f2c(number[10]) == MPI_MESSAGE_NO_PROC && MPI_Message_c2f(MPI_MESSAGE_NO_PROC) == number[10]);
    CHECK(MPI_Session_f2c(number[11]) == MPI_SESSION_NULL && MPI_Session_c2f(MPI_SESSION_NULL) == number[11]);
}

void c_reads_comm(MPI_Fint handle)
{
    MPI_Comm comm = MPI_Comm_f2c(handle);
    char name[MPI_MAX_OBJECT_NAME];
    int length, same;
    MPI_Comm_get_name(comm, name, &length);
    CHECK(strcmp(name, "of Fortran") == 0 && length == 10);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
    CHECK(same == MPI_CONGRUENT);
    MPI_Comm_set_name(comm, "of C");
}

void c_frees_comm(MPI_Fint *handle)
{
    MPI_Comm comm = MPI_Comm_f2c(*handle);
    MPI_Comm_free(&comm);
    *handle = MPI_Comm_c2f(comm);
}

MPI_Fint c_makes_group(void)
{
    MPI_Group world, first;
    const int zero = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &first);
    MPI_Group_free(&world);
    return MPI_Group_c2f(first);
}

MPI_Fint c_makes_info(void)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "made by", "C");
    return MPI_Info_c2f(info);
}

void c_reads_file(MPI_Fint handle, int rank)
{
    int value = -1;
    MPI_File_read_at(MPI_File_f2c(handle), 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(value == 100 + rank);
}

void c_commits_type(MPI_Fint handle)
{
    MPI_Datatype type = MPI_Type_f2c(handle);
    MPI_Type_commit(&type);
    CHECK(MPI_Type_c2f(type) == handle);
}

/* ---- Messages ---- */

/* Sends a number to this process, waits for the receive that Fortran has begun, and gives Fortran the request of the
   send, and the status as an array and as what mpi_f08 has. */
void c_waits(MPI_Fint receive, MPI_Fint *send, MPI_Fint *array, MPI_F08_status *typed)
{
    static int number = 4711;
    MPI_Request request, waited = MPI_Request_f2c(receive);
    MPI_Status status;
    int count;
    MPI_Isend(&number, 1, MPI_INT, 0, 21, MPI_COMM_SELF, &request);
    MPI_Wait(&waited, &status);
    CHECK(MPI_Request_c2f(waited) == MPI_Request_c2f(MPI_REQUEST_NULL));
    CHECK(status.MPI_TAG == 21 && status.MPI_SOURCE == 0);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 1);
    MPI_Status_c2f(&status, array);
    MPI_Status_c2f08(&status, typed);
    *send = MPI_Request_c2f(request);
}

/* The status of a receive that Fortran has done, in both of its forms. */
void c_reads_status(const MPI_Fint *array, const MPI_F08_status *typed)
{
    MPI_Status status[2];
    MPI_Status_f2c(array, &status[0]);
    MPI_Status_f082c(typed, &status[1]);
    for (int i = 0; i < 2; i++) {
        int count;
        MPI_Get_count(&status[i], MPI_DOUBLE, &count);
        CHECK(count == 3 && status[i].MPI_TAG == 22 && status[i].MPI_SOURCE == 0);
    }
}

void c_waits_persistent(MPI_Fint *handle)
{
    MPI_Request request = MPI_Request_f2c(*handle);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request != MPI_REQUEST_NULL);
    *handle = MPI_Request_c2f(request);
}

/* A message is found in C, to be received in Fortran. */
MPI_Fint c_finds_message(int tag)
{
    MPI_Message message;
    MPI_Mprobe(0, tag, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
    return MPI_Message_c2f(message);
}

/* ---- Operations: the number of larger absolute value ---- */

static void larger(void *in, void *inout, int *length, MPI_Datatype *type)
{
    CHECK(*type == MPI_INTEGER || *type == MPI_INT);
    for (int i = 0; i < *length; i++) {
        int a = ((int *)in)[i], *b = &((int *)inout)[i];
        if (a * a > *b * *b)
            *b = a;
    }
}

MPI_Fint c_makes_op(void)
{
    MPI_Op op;
    MPI_Op_create(larger, 1, &op);
    return MPI_Op_c2f(op);
}

int c_reduces(MPI_Fint op, int value)
{
    int result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_Op_f2c(op), MPI_COMM_WORLD);
    return result;
}

/* ---- Errors ---- */

static int told = MPI_SUCCESS;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    MPI_Error_class(*code, &told);
}

MPI_Fint c_makes_errhandler(void)
{
    MPI_Errhandler made;
    MPI_Comm_create_errhandler(handler, &made);
    return MPI_Errhandler_c2f(made);
}

/* The class that the handler was told last, which it then forgets. */
int c_was_told(void)
{
    int last = told;
    told = MPI_SUCCESS;
    return last;
}

/* Sends to nobody, and gives the class of the error. */
int c_fails(MPI_Fint comm)
{
    int found;
    MPI_Error_class(MPI_Send(NULL, 0, MPI_INT, 1 << 20, 0, MPI_Comm_f2c(comm)), &found);
    return found;
}

/* ---- Attributes ---- */

static int copies = 0, deletions = 0;

static int copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    CHECK(state == &copies);
    copies++;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)value;
    CHECK(state == &copies);
    deletions++;
    return MPI_SUCCESS;
}

int c_makes_keyval(void)
{
    int keyval;
    MPI_Comm_create_keyval(copy, delete, &keyval, &copies);
    return keyval;
}

void c_counts_calls(int *copied, int *deleted)
{
    *copied = copies;
    *deleted = deletions;
}

void c_sets_attribute(MPI_Fint comm, int keyval)
{
    MPI_Comm_set_attr(MPI_Comm_f2c(comm), keyval, (void *)OF_C);
}

/* C gets the pointer that C has set, and the address of what Fortran has set (MPI 4.1 §19.3.7). */
void c_reads_attribute(MPI_Fint comm, int keyval, int setter)
{
    void *value = NULL;
    int found = 0;
    MPI_Comm_get_attr(MPI_Comm_f2c(comm), keyval, &value, &found);
    CHECK(found);
    switch (setter) {
    case 0: CHECK(value == (void *)OF_C); break;
    case 1: CHECK(value == (void *)OF_CXX); break;
    case 2: CHECK(*(MPI_Fint *)value == OF_FORTRAN); break;
    case 3: CHECK(*(MPI_Aint *)value == OF_FORTRAN_ADDRESS); break;
    }
}

/* ---- Windows ---- */

/* Looks at the numbers that others have put into Fortran's window, as ordinary memory. */
void c_reads_window(MPI_Fint handle, int rank, int ranks)
{
    MPI_Win win = MPI_Win_f2c(handle);
    MPI_Aint size;
    int unit, found, *kind, *unit_of_attribute;
    double *base, *base_of_attribute;
    MPI_Win_shared_query(win, rank, &size, &unit, &base);
    CHECK(size == 80 && unit == 8);
    CHECK(base[3] == 0.5 + (rank + ranks - 1) % ranks);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base_of_attribute, &found);
    CHECK(found && base_of_attribute == base);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit_of_attribute, &found);
    CHECK(found && *unit_of_attribute == 8);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &kind, &found);
    CHECK(found && *kind == MPI_WIN_FLAVOR_SHARED);
}
