/* Processes that are started later: with those that start them they make a communicator, run a program in it, and part. */
#ifndef SPAWNS_H
#define SPAWNS_H

#include "steps.h"

/* What a rank has of a program that waits while another one runs. */
struct program {
    MPI_Comm world;
    int rank, size;
    uint64_t seed, plan;
    struct window windows[WINDOWS];
    struct communicator communicators[COMMUNICATORS];
};

static void set_aside(struct program *it)
{
    *it = (struct program){.world = world, .rank = rank, .size = size, .seed = seed, .plan = plan};
    memcpy(it->windows, windows, sizeof windows);
    memcpy(it->communicators, communicators, sizeof communicators);
    memset(windows, 0, sizeof windows);
    memset(communicators, 0, sizeof communicators);
}

static void take_up(const struct program *it)
{
    world = it->world;
    rank = it->rank;
    size = it->size;
    seed = it->seed;
    plan = it->plan;
    memcpy(windows, it->windows, sizeof windows);
    memcpy(communicators, it->communicators, sizeof communicators);
}

/* The program that waits while another one runs. */
static struct program waiting;

#ifdef MPIX_ERR_REVOKED

static void revoke_program(MPI_Comm of_all, const struct communicator *of_some)
{
    MPIX_Comm_revoke(of_all);
    for (int i = 0; i < COMMUNICATORS; i++)
        if (of_some[i].is_there)
            MPIX_Comm_revoke(of_some[i].comm);
}

static void revoke_all(void)
{
    revoke_program(world, communicators);
    if (waiting.size > 0)
        revoke_program(waiting.world, waiting.communicators);
}

#else

/* Without a way to revoke it leaves as one that fails. */
static void revoke_all(void)
{
    end(0);
}

#endif

/* A program of both groups, of which one has the lower ranks. */
static void together(MPI_Comm inter, int high, uint64_t number, int steps)
{
    MPI_Comm whole;
    int remote;
    if (!options.fatal)
        DO(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    DO(MPI_Comm_remote_size(inter, &remote));
    DO(MPI_Intercomm_merge(inter, high, &whole));
    if (!options.fatal)
        DO(MPI_Comm_set_errhandler(whole, MPI_ERRORS_RETURN));
    set_aside(&waiting);
    begin_program(whole, number);
    DO(MPI_Comm_rank(whole, &rank));
    DO(MPI_Comm_size(whole, &size));
    equal("the size of what was merged", (uint64_t)size, (uint64_t)(waiting.size + remote));
    equal("the rank in what was merged", (uint64_t)rank, (uint64_t)(waiting.rank + (high ? remote : 0)));
    for (int i = 0; i < steps; i++)
        random_step();
    end_program();
    take_up(&waiting);
    waiting.size = 0;
    DO(MPI_Comm_free(&whole));
    DO(MPI_Comm_disconnect(&inter));
}

/* The words for processes that are started later; what is injected here is to be injected there, too. */
struct words {
    char preloaded[4096], seed[24], steps[12];
    char *all[12];
};

static const char *command(struct words *it, uint64_t number, int steps, int high)
{
    const char *preloaded = getenv("LD_PRELOAD");
    int count = 0;
    if (preloaded != NULL) {
        snprintf(it->preloaded, sizeof it->preloaded, "LD_PRELOAD=%s", preloaded);
        it->all[count++] = it->preloaded;
        it->all[count++] = (char *)options.program;
    }
    snprintf(it->seed, sizeof it->seed, "%" PRIu64, number);
    snprintf(it->steps, sizeof it->steps, "%d", steps);
    it->all[count++] = it->seed;
    it->all[count++] = it->steps;
    it->all[count++] = (char *)options.folder;
    it->all[count++] = options.fatal ? "fatal" : "return";
    it->all[count++] = "spawns";
    it->all[count++] = (char *)options.alarms;
    it->all[count++] = high ? "high" : "low";
    it->all[count] = NULL;
    return preloaded != NULL ? "env" : options.program;
}

static void spawn_step(void)
{
    int children = 1 + below(MOST_CHILDREN), root = below(size), steps = 1 + below(4), high = below(2), in_parts = below(2);
    int codes[MOST_CHILDREN];
    uint64_t number = fresh();
    struct words words;
    MPI_Comm inter;
    char *name = (char *)command(&words, number, steps, !high);
    if (in_parts && children > 1) {
        char *names[] = {name, name}, **arguments[] = {words.all, words.all};
        int counts[] = {1, children - 1};
        MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
        DO(MPI_Comm_spawn_multiple(2, names, arguments, counts, infos, root, world, &inter, codes));
    } else {
        DO(MPI_Comm_spawn(name, words.all, children, MPI_INFO_NULL, root, world, &inter, codes));
    }
    for (int i = 0; i < children; i++)
        equal("the code of a start", (uint64_t)codes[i], MPI_SUCCESS);
    together(inter, high, number, steps);
}

#endif
