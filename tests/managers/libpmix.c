/* A libpmix.so.2 that connects to nothing: one job of FALSE_PMIX_SIZE ranks, of which this process is FALSE_PMIX_RANK. FALSE_PMIX
 * names what it does wrong. What it is told at the end it writes to stderr. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { char nspace[256]; uint32_t rank; } proc_t;
typedef struct { uint16_t type; union { char *string; uint32_t number; uint64_t words[3]; } data; } value_t;
typedef struct { char key[512]; uint32_t flags; value_t value; } info_t;
typedef void handled_t(int, info_t *, size_t, void (*)(int, void *), void *, void *);
typedef void handler_t(size_t, int, const proc_t *, info_t *, size_t, info_t *, size_t, handled_t *, void *);

enum { STRING = 3, UINT32 = 14, FAILURE = -1, NOT_FOUND = -46, LOST_CONNECTION = -61 };

static int is(const char *what)
{
    const char *wrong = getenv("FALSE_PMIX");
    return wrong && !strcmp(wrong, what);
}

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value ? value : otherwise;
}

int PMIx_Init(proc_t *proc, info_t *info, size_t n)
{
    (void)info, (void)n;
    strcpy(proc->nspace, "job");
    proc->rank = atoi(setting("FALSE_PMIX_RANK", "0"));
    return is("init") ? FAILURE : 0;
}

int PMIx_Finalize(const info_t *info, size_t n)
{
    (void)info, (void)n;
    fprintf(stderr, "finalized\n");
    return is("finalize") ? FAILURE : 0;
}

int PMIx_Abort(int status, const char *message, proc_t *procs, size_t n)
{
    (void)procs, (void)n;
    fprintf(stderr, "aborted: %d %s\n", status, message);
    return is("abort") ? FAILURE : 0;
}

int PMIx_Put(uint8_t scope, const char *key, value_t *value)
{
    (void)key;
    if (scope != 3 || value->type != STRING || !value->data.string)
        abort();
    return is("put") ? FAILURE : 0;
}

int PMIx_Commit(void) { return is("commit") ? FAILURE : 0; }

int PMIx_Fence(const proc_t *procs, size_t nprocs, const info_t *info, size_t n)
{
    if (procs || nprocs || n != 1 || strcmp(info->key, "pmix.collect") || info->value.type != 1)
        abort();
    return is("fence") ? FAILURE : 0;
}

int PMIx_Get(const proc_t *proc, const char *key, const info_t *info, size_t n, value_t **value)
{
    (void)info, (void)n;
    if (strcmp(proc->nspace, "job") || is(key))
        return NOT_FOUND;
    if (is("null"))
        return 0;
    *value = calloc(1, sizeof **value);
    if (!strcmp(key, "pmix.job.size") && proc->rank == UINT32_MAX - 1) {
        (*value)->type = is("job size of another type") ? STRING : UINT32;
        if (!is("job size of another type"))
            (*value)->data.number = atoi(setting("FALSE_PMIX_SIZE", "1"));
    } else if (!strcmp(key, "rmashm-machine") && !proc->rank) {
        (*value)->type = is("string of another type") ? UINT32 : STRING;
        if (!is("string of another type") && !is("null string"))
            (*value)->data.string = strdup("elsewhere");
    } else {
        free(*value);
        *value = NULL;
        return NOT_FOUND;
    }
    return 0;
}

static handler_t *lost;

static void handled(int status, info_t *info, size_t n, void (*more)(int, void *), void *data, void *mine)
{
    (void)status, (void)info, (void)n, (void)more, (void)data, (void)mine;
}

static void *lose(void *file)
{
    while (access(file, F_OK))
        usleep(1000);
    lost(1, LOST_CONNECTION, NULL, NULL, 0, NULL, 0, handled, NULL);
    return NULL;
}

int PMIx_Register_event_handler(int *codes, size_t ncodes, info_t *info, size_t n, handler_t *handler, void *done, void *data)
{
    pthread_t thread;
    (void)info, (void)n, (void)done, (void)data;
    if (ncodes != 1 || codes[0] != LOST_CONNECTION)
        abort();
    lost = handler;
    /* Lost as soon as there is this file. */
    if (getenv("FALSE_PMIX_LOST"))
        pthread_create(&thread, NULL, lose, getenv("FALSE_PMIX_LOST"));
    return is("register") ? FAILURE : 1;
}

#ifndef LACKING
const char *PMIx_Error_string(int status) { return status == NOT_FOUND ? "NOTHING-OF-THAT-NAME" : "A-FAILURE"; }
#endif
