/* ranks: 1 2 */
/* Strings of the program come back byte by byte, whatever their encoding: names of objects (MPI 4.1 section 7.8), keys and
 * values of infos (section 10), error strings (section 9.5), and names of files (section 14.2.1). */
#include "check.h"
#include <unistd.h>

/* ISO-8859-1, a cut UTF-8 sequence, and every byte there is but zero. */
static const char *latin = "fen\xeatre", *cut = "d\xc3";
static char every[256];

/* Handles are integers or pointers. */
typedef int setter(intptr_t handle, const char *name);
typedef int getter(intptr_t handle, char *name, int *length);

static int set_comm(intptr_t handle, const char *name) { return MPI_Comm_set_name((MPI_Comm)handle, name); }
static int get_comm(intptr_t handle, char *name, int *length) { return MPI_Comm_get_name((MPI_Comm)handle, name, length); }
static int set_type(intptr_t handle, const char *name) { return MPI_Type_set_name((MPI_Datatype)handle, name); }
static int get_type(intptr_t handle, char *name, int *length) { return MPI_Type_get_name((MPI_Datatype)handle, name, length); }
static int set_win(intptr_t handle, const char *name) { return MPI_Win_set_name((MPI_Win)handle, name); }
static int get_win(intptr_t handle, char *name, int *length) { return MPI_Win_get_name((MPI_Win)handle, name, length); }

static void named(intptr_t handle, setter *set, getter *get)
{
    const char *names[] = {latin, cut, "\xff"};
    char got[MPI_MAX_OBJECT_NAME + 8], tooth[MPI_MAX_OBJECT_NAME + 8];
    int length = -1;
    for (int i = 0; i < 3; i++) {
        OK(set(handle, names[i]));
        OK(get(handle, got, &length));
        CHECK_EQ(length, strlen(names[i]));
        CHECK_BYTES(got, names[i], strlen(names[i]) + 1);
    }
    /* One that is too long is cut, and nothing is written behind the array. */
    memset(tooth, 0xea, sizeof tooth);
    tooth[sizeof tooth - 1] = 0;
    memset(got, '#', sizeof got);
    OK(set(handle, tooth));
    OK(get(handle, got, &length));
    CHECK_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    CHECK_BYTES(got, tooth, MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQ(got[MPI_MAX_OBJECT_NAME - 1], 0);
    CHECK_BYTES(got + MPI_MAX_OBJECT_NAME, "########", 8);
    const char *last = every + sizeof every - MPI_MAX_OBJECT_NAME;
    OK(set(handle, last));
    OK(get(handle, got, &length));
    CHECK(length == MPI_MAX_OBJECT_NAME - 1 && strcmp(got, last) == 0);
}

static void objects(void)
{
    MPI_Comm comm;
    MPI_Win win;
    MPI_Datatype type;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &win));
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    named((intptr_t)comm, set_comm, get_comm);
    named((intptr_t)win, set_win, get_win);
    named((intptr_t)type, set_type, get_type);
    OK(MPI_Type_free(&type));
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&comm));
}

static void info_is(MPI_Info info, const char *key, const char *wanted)
{
    char value[300];
    int flag = 0, length = -1;
    OK(MPI_Info_get_valuelen(info, key, &length, &flag));
    CHECK(flag && length == (int)strlen(wanted));
    OK(MPI_Info_get(info, key, sizeof value - 1, value, &flag));
    CHECK(flag && strcmp(value, wanted) == 0);
#if MPI_VERSION >= 4
    length = sizeof value;
    memset(value, 0, sizeof value);
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK(flag && length == (int)strlen(wanted) + 1 && strcmp(value, wanted) == 0);
#endif
}

static void infos(void)
{
    MPI_Info info, copy;
    char key[MPI_MAX_INFO_KEY];
    int flag = -1;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "k", latin));
    OK(MPI_Info_set(info, latin, every));
    OK(MPI_Info_set(info, cut, cut));
    OK(MPI_Info_dup(info, &copy));
    info_is(copy, "k", latin);
    info_is(copy, latin, every);
    info_is(copy, cut, cut);
    OK(MPI_Info_get_nthkey(copy, 1, key));
    CHECK(strcmp(key, latin) == 0);
    OK(MPI_Info_delete(copy, latin));
    OK(MPI_Info_get_valuelen(copy, latin, &flag, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Info_free(&copy));
    /* As a hint it says nothing. */
    MPI_Win win;
    OK(MPI_Info_set(info, "no_locks", latin));
    OK(MPI_Win_create(NULL, 0, 1, info, MPI_COMM_WORLD, &win));
    OK(MPI_Win_free(&win));
    OK(MPI_Info_free(&info));
}

static void error_strings(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, code, length = -1;
    OK(MPI_Add_error_class(&class));
    OK(MPI_Add_error_code(class, &code));
    OK(MPI_Add_error_string(class, latin));
    OK(MPI_Add_error_string(code, every));
    OK(MPI_Error_string(class, text, &length));
    CHECK(length == 7 && strcmp(text, latin) == 0);
    OK(MPI_Error_string(code, text, &length));
    CHECK(length == 255 && strcmp(text, every) == 0);
}

static void files(void)
{
    char path[100], prefixed[120];
    MPI_File file;
    snprintf(path, sizeof path, "/tmp/rmashm-\xe9t\xe9-%d-%d", (int)getpid(), rank);
    snprintf(prefixed, sizeof prefixed, "ufs:%s", path);
    const char *names[] = {path, prefixed};
    for (int i = 0; i < 2; i++) {
        OK(MPI_File_open(MPI_COMM_SELF, names[i], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
        OK(MPI_File_close(&file));
        CHECK(access(path, F_OK) == 0);
        OK(MPI_File_delete(names[i], MPI_INFO_NULL));
        CHECK(access(path, F_OK) != 0);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int i = 0; i < 255; i++)
        every[i] = (char)(i + 1);
    objects();
    infos();
    error_strings();
    files();
    return check_end();
}
