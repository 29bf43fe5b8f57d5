// What a program leaves behind when MPI ends.
//
// wrong types: note: not freed
// wrong communicators: note: not freed
// wrong windows: note: not freed
// wrong infos: note: not freed
// wrong groups: note: not freed
// wrong operations: note: not freed
// wrong keys: note: not freed
// wrong handlers: note: not freed
// wrong memory: note: not freed
// wrong attached: note: not freed
// wrong persistent: note: not freed
// wrong file: not freed
// right freed
// right predefined
// right freed_in_the_end
// right reused
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void sum(void *in, void *inout, int *len, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *len; i++) ((int *)inout)[i] += ((int *)in)[i];
}

static void on_error(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }

static MPI_Datatype last;

static int free_last(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_Type_free(&last);
}

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
    int provided, free_all = !strcmp(variant, "freed");
#define IS(name) (free_all || !strcmp(variant, #name))
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (IS(types)) {
        MPI_Datatype type;
        for (int i = 0; i < 3; i++) {
            MPI_Type_vector(3, 1, 2, MPI_INT, &type); // !types
            if (free_all) MPI_Type_free(&type);
        }
    }
    if (IS(communicators)) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm); // !communicators
        if (free_all) MPI_Comm_free(&comm);
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm); // !communicators
        if (free_all) MPI_Comm_free(&comm);
    }
    if (IS(windows)) {
        MPI_Win win;
        int *base;
        MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win); // !windows
        if (free_all) MPI_Win_free(&win);
    }
    if (IS(infos)) {
        MPI_Info info;
        MPI_Info_create(&info); // !infos
        if (free_all) MPI_Info_free(&info);
        MPI_Comm_get_info(MPI_COMM_WORLD, &info); // !infos
        if (free_all) MPI_Info_free(&info);
    }
    if (IS(groups)) {
        MPI_Group group;
        MPI_Comm_group(MPI_COMM_SELF, &group); // !groups
        if (free_all) MPI_Group_free(&group);
    }
    if (IS(operations)) {
        MPI_Op op;
        MPI_Op_create(sum, 1, &op); // !operations
        if (free_all) MPI_Op_free(&op);
    }
    if (IS(keys)) {
        int key;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL); // !keys
        if (free_all) MPI_Comm_free_keyval(&key);
    }
    if (IS(handlers)) {
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(on_error, &handler); // !handlers
        if (free_all) MPI_Errhandler_free(&handler);
    }
    if (IS(memory)) {
        void *memory;
        MPI_Alloc_mem(100, MPI_INFO_NULL, &memory); // !memory
        if (free_all) MPI_Free_mem(memory);
    }
    if (IS(attached)) {
        MPI_Win win;
        static char memory[3][64];
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win); // !attached
        for (int i = 0; i < 3; i++) MPI_Win_attach(win, memory[i], 64); // !attached
        // What is attached yet goes with the window.
        if (free_all) MPI_Win_detach(win, memory[0]), MPI_Win_free(&win);
    }
    if (IS(persistent)) {
        MPI_Request request;
        int value = 0;
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request); // !persistent
        MPI_Start(&request);
        MPI_Send(&free_all, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (free_all) MPI_Request_free(&request);
    }
    if (IS(file)) {
        MPI_File file;
        char name[] = "/tmp/rmashm-not-freed-XXXXXX";
        close(mkstemp(name));
        MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &file); // !file
        unlink(name);
        if (free_all) MPI_File_close(&file);
    }
    if (!strcmp(variant, "predefined")) {
        MPI_Datatype type;
        MPI_Type_create_f90_real(6, 30, &type);
        MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
        int size;
        MPI_Type_size(MPI_DOUBLE_INT, &size);
    }
    if (!strcmp(variant, "freed_in_the_end")) {
        int key;
        MPI_Type_contiguous(5, MPI_INT, &last);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_last, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
        MPI_Comm_free_keyval(&key);
    }
    if (!strcmp(variant, "reused")) {
        MPI_Datatype type;
        MPI_Group groups[3];
        for (int i = 0; i < 100; i++) MPI_Type_contiguous(i + 1, MPI_INT, &type), MPI_Type_free(&type);
        for (int i = 0; i < 3; i++) MPI_Comm_group(MPI_COMM_WORLD, groups + i);
        for (int i = 0; i < 3; i++) MPI_Group_free(groups + i);
    }
    MPI_Finalize();
    return 0;
}
