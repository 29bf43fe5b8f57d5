/* Messages of 0 bytes to 1 MiB, sent and received in all the ways there are. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "worker.h"

enum { MOST_MESSAGES = 24, LARGEST = 1 << 20 };

struct message {
    int from, to, tag, bytes;
    int how; /* the way it is sent */
    uint64_t number;
    int is_matched;
};

/* That for buffered sends, while one is attached. */
static void *buffer;

/* How a receiver asks in this step: all its receives alike, so that it is known which message each of them meets. */
enum asking { BY_BOTH, BY_SOURCE, BY_TAG, BY_NONE, ASKINGS };

/* The message that a receive has met: the oldest of its source that fits what was asked. */
static struct message *matched(struct message *messages, int count, const MPI_Status *status, int tag)
{
    for (int i = 0; i < count; i++) {
        struct message *it = &messages[i];
        if (it->to == rank && it->from == status->MPI_SOURCE && !it->is_matched && (tag == MPI_ANY_TAG || tag == it->tag)) {
            it->is_matched = 1;
            return it;
        }
    }
    check_failed(__FILE__, __LINE__, "step %d: a message from %d with tag %d that nobody sent", step, status->MPI_SOURCE,
                 status->MPI_TAG);
}

static void check_message(struct message *messages, int count, const MPI_Status *status, int asked_tag, const void *data)
{
    struct message *it = matched(messages, count, status, asked_tag);
    int bytes = -1;
    equal("the tag of a message", (uint64_t)status->MPI_TAG, (uint64_t)it->tag);
    DO(MPI_Get_count(status, MPI_BYTE, &bytes));
    equal("the length of a message", (uint64_t)bytes, (uint64_t)it->bytes);
    compare("a message", data, (size_t)it->bytes, it->number);
}

static void send_one(struct message *it, void *data, int may_block, MPI_Request *request)
{
    int how = may_block ? it->how : it->how % 3;
    *request = MPI_REQUEST_NULL;
    switch (how) {
    case 0:
    case 1:
        DO(MPI_Isend(data, it->bytes, MPI_BYTE, it->to, it->tag, world, request));
        break;
    case 2:
        DO(MPI_Issend(data, it->bytes, MPI_BYTE, it->to, it->tag, world, request));
        break;
    case 3:
        DO(MPI_Ssend(data, it->bytes, MPI_BYTE, it->to, it->tag, world));
        break;
    case 4:
        DO(MPI_Ibsend(data, it->bytes, MPI_BYTE, it->to, it->tag, world, request));
        break;
    default:
        DO(MPI_Send(data, it->bytes, MPI_BYTE, it->to, it->tag, world));
    }
}

static void receive_one(struct message *messages, int count, int source, int tag, int how)
{
    MPI_Status status;
    MPI_Message message;
    int bytes = LARGEST, found = 0;
    void *data;
    switch (how) {
    case 0:
        DO(MPI_Mprobe(source, tag, world, &message, &status));
        DO(MPI_Get_count(&status, MPI_BYTE, &bytes));
        data = own((size_t)bytes);
        DO(MPI_Mrecv(data, bytes, MPI_BYTE, &message, &status));
        break;
    case 1:
        while (!found)
            DO(MPI_Improbe(source, tag, world, &found, &message, &status));
        DO(MPI_Get_count(&status, MPI_BYTE, &bytes));
        data = own((size_t)bytes);
        DO(MPI_Mrecv(data, bytes, MPI_BYTE, &message, &status));
        break;
    case 2:
        DO(MPI_Probe(source, tag, world, &status));
        DO(MPI_Get_count(&status, MPI_BYTE, &bytes));
        data = own((size_t)bytes);
        DO(MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, world, &status));
        break;
    default:
        data = own((size_t)bytes);
        DO(MPI_Recv(data, bytes, MPI_BYTE, source, tag, world, &status));
    }
    check_message(messages, count, &status, tag, data);
    free(data);
}

static void plan_messages(struct message *messages, int count, int longest)
{
    for (int i = 0; i < count; i++) {
        struct message *it = &messages[i];
        it->from = below(size);
        it->to = below(size);
        it->tag = below(3);
        it->bytes = below(6) == 0 ? 0 : length_below(longest + 1);
        it->how = below(6);
        it->number = fresh();
        it->is_matched = 0;
        /* A process that waits in a send to itself waits for ever. */
        if (it->from == it->to)
            it->how %= 3;
        /* A process has one buffer, which its threads would have to share. */
        if (it->how == 4 && options.work == THREADS)
            it->how = 5;
    }
}

/* Any sources, any tags, probes: what arrives is told by its source, and by the order of its sender. */
static void messages_step(void)
{
    struct message messages[MOST_MESSAGES];
    void *sent[MOST_MESSAGES] = {0}, *got[MOST_MESSAGES] = {0};
    MPI_Request requests[2 * MOST_MESSAGES];
    MPI_Status statuses[2 * MOST_MESSAGES];
    int tags[MOST_MESSAGES], receives = 0, sends = 0, length;
    int count = 1 + below(MOST_MESSAGES), posted_first = below(2), longest = below(8) ? 1 << 16 : LARGEST, by_probe = below(4);
    enum asking asking = (enum asking)below(ASKINGS);
    size_t buffered = 0;
    plan_messages(messages, count, longest);
    for (int i = 0; i < count; i++)
        buffered += messages[i].from == rank && messages[i].how == 4 ? (size_t)messages[i].bytes + MPI_BSEND_OVERHEAD : 0;
    if (posted_first && buffered) {
        buffer = own(buffered);
        DO(MPI_Buffer_attach(buffer, (int)buffered));
    }
    for (int i = 0; i < count && posted_first; i++) {
        struct message *it = &messages[i];
        if (it->to != rank)
            continue;
        int source = asking == BY_BOTH || asking == BY_SOURCE ? it->from : MPI_ANY_SOURCE;
        tags[receives] = asking == BY_BOTH || asking == BY_TAG ? it->tag : MPI_ANY_TAG;
        /* What this receive meets may be longer than what was planned in its place. */
        got[receives] = own((size_t)longest);
        DO(MPI_Irecv(got[receives], longest, MPI_BYTE, source, tags[receives], world, &requests[receives]));
        receives++;
    }
    for (int i = 0; i < count; i++) {
        struct message *it = &messages[i];
        if (it->from != rank)
            continue;
        sent[sends] = own((size_t)it->bytes);
        fill(sent[sends], (size_t)it->bytes, it->number);
        send_one(it, sent[sends], posted_first, &requests[receives + sends]);
        sends++;
    }
    for (int i = 0; i < count && !posted_first; i++) {
        struct message *it = &messages[i];
        if (it->to != rank)
            continue;
        int source = asking == BY_BOTH || asking == BY_SOURCE ? it->from : MPI_ANY_SOURCE;
        int tag = asking == BY_BOTH || asking == BY_TAG ? it->tag : MPI_ANY_TAG;
        receive_one(messages, count, source, tag, by_probe);
    }
    wait_all(receives + sends, requests, statuses);
    for (int i = 0; i < receives; i++) {
        check_message(messages, count, &statuses[i], tags[i], got[i]);
        free(got[i]);
    }
    for (int i = 0; i < sends; i++)
        free(sent[i]);
    if (buffer != NULL) {
        DO(MPI_Buffer_detach(&buffer, &length));
        free(buffer);
        buffer = NULL;
    }
    /* The next step's messages are not for this step's wildcards. */
    DO(MPI_Barrier(world));
}

/* Persistent requests around the ring, started several times. */
static void persistent_step(void)
{
    int bytes = length_below(1 << 16), shift = below(size), rounds = 1 + below(5);
    int to = (rank + shift) % size, from = (rank + size - shift) % size;
    void *out = own((size_t)bytes), *in = own((size_t)bytes);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    uint64_t number = fresh();
    DO(MPI_Recv_init(in, bytes, MPI_BYTE, from, 7, world, &requests[0]));
    DO(MPI_Send_init(out, bytes, MPI_BYTE, to, 7, world, &requests[1]));
    for (int i = 0; i < rounds; i++) {
        fill(out, (size_t)bytes, mix(number + (uint64_t)i, (uint64_t)rank));
        DO(MPI_Startall(2, requests));
        wait_all(2, requests, statuses);
        compare("a persistent receive", in, (size_t)bytes, mix(number + (uint64_t)i, (uint64_t)from));
    }
    DO(MPI_Request_free(&requests[0]));
    DO(MPI_Request_free(&requests[1]));
    free(out);
    free(in);
}

static void sendrecv_step(void)
{
    int bytes = length_below(LARGEST), shift = below(size), in_place = below(2);
    int to = (rank + shift) % size, from = (rank + size - shift) % size;
    void *out = own((size_t)bytes), *in = own((size_t)bytes);
    uint64_t number = fresh();
    fill(out, (size_t)bytes, number + (uint64_t)rank);
    if (in_place) {
        memcpy(in, out, (size_t)bytes);
        DO(MPI_Sendrecv_replace(in, bytes, MPI_BYTE, to, 9, from, 9, world, MPI_STATUS_IGNORE));
    } else {
        DO(MPI_Sendrecv(out, bytes, MPI_BYTE, to, 9, in, bytes, MPI_BYTE, from, 9, world, MPI_STATUS_IGNORE));
    }
    compare("what was sent around", in, (size_t)bytes, number + (uint64_t)from);
    free(out);
    free(in);
}

#endif
