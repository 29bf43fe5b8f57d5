/*
 * A linked list over all ranks: each rank adds nodes that lie in its own memory, and any rank can walk along all of them.
 *
 * A dynamic window has no memory in the beginning. Each rank attaches a node when it makes it. A displacement in such a window is an
 * address (MPI_Get_address), so a pointer to a node is the rank that has it and the address there. Whoever changes the list holds
 * the exclusive lock of rank 0, which has the pointer to the first node.
 *
 *     mpicc -O2 linked_list.c -o linked_list && mpiexec -n 4 ./linked_list
 *
 * Every rank then walks along the list, and has to meet each node once, those of one rank in the order in which they were added.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 100 /* of each rank */ };

/* All members are of one type, and so are moved as an array of it. */
typedef struct {
    MPI_Aint rank; /* -1 behind the last node */
    MPI_Aint address;
} Pointer;

typedef struct {
    Pointer next;
    MPI_Aint value;
} Node;

/* Makes a node and puts it at the head of the list; `head` is the address of the first pointer in rank 0. */
static Node *add(MPI_Aint value, int me, MPI_Aint head, MPI_Win win)
{
    Node *node;
    Pointer to_node = { .rank = me };
    MPI_Alloc_mem(sizeof(Node), MPI_INFO_NULL, &node);
    MPI_Win_attach(win, node, sizeof(Node));
    MPI_Get_address(node, &to_node.address);
    node->value = value;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&node->next, 2, MPI_AINT, 0, head, 2, MPI_AINT, win);
    MPI_Win_flush(0, win);
    MPI_Win_sync(win); /* the node is whole before anybody can find it */
    MPI_Put(&to_node, 2, MPI_AINT, 0, head, 2, MPI_AINT, win);
    MPI_Win_unlock(0, win);
    return node;
}

int main(int argc, char **argv)
{
    MPI_Win win;
    Node *nodes[NODES];
    Pointer *first;
    MPI_Aint head;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);

    /* The list is empty. All ranks learn where it begins. */
    MPI_Alloc_mem(sizeof(Pointer), MPI_INFO_NULL, &first);
    MPI_Win_attach(win, first, sizeof(Pointer));
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    *first = (Pointer){ .rank = -1 };
    MPI_Win_unlock(rank, win);
    MPI_Get_address(first, &head);
    MPI_Bcast(&head, 1, MPI_AINT, 0, MPI_COMM_WORLD);

    for (int i = 0; i < NODES; i++)
        nodes[i] = add((MPI_Aint)rank * NODES + i, rank, head, win);
    MPI_Barrier(MPI_COMM_WORLD);

    /* From now on nobody changes the list, and all walk along it at once. */
    int met = 0, wrong = 0, *left = malloc(size * sizeof *left);
    if (!left)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0; r < size; r++)
        left[r] = NODES;
    Pointer at;
    Node node;
    MPI_Win_lock_all(0, win);
    MPI_Get(&at, 2, MPI_AINT, 0, head, 2, MPI_AINT, win);
    MPI_Win_flush(0, win);
    for (; at.rank >= 0; at = node.next) {
        MPI_Get(&node, 3, MPI_AINT, (int)at.rank, at.address, 3, MPI_AINT, win);
        MPI_Win_flush((int)at.rank, win);
        met++;
        /* The one added last is met first. */
        wrong += node.value != at.rank * NODES + --left[at.rank];
    }
    MPI_Win_unlock_all(win);
    free(left);
    wrong += met != size * NODES;

    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("linked_list: %d nodes of %d ranks: %d wrong\n", met, size, wrong);
    /* All have ended their walks: memory may be detached and freed. */
    for (int i = 0; i < NODES; i++) {
        MPI_Win_detach(win, nodes[i]);
        MPI_Free_mem(nodes[i]);
    }
    MPI_Win_detach(win, first);
    MPI_Free_mem(first);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong != 0;
}
