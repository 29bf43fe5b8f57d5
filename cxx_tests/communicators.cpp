// Groups, communicators of one group and of two, attributes, names.
#include "check.hpp"

#include <cstring>
#include <vector>

static void groups(int rank, int size)
{
    MPI::Group world = MPI::COMM_WORLD.Get_group();
    CHECK(world.Get_size() == size && world.Get_rank() == rank);
    const int first[] = {0}, range[1][3] = {{0, size - 1, 1}};
    MPI::Group one = world.Incl(1, first), rest = world.Excl(1, first);
    CHECK(one.Get_size() == 1 && rest.Get_size() == size - 1);
    MPI::Group all = MPI::Group::Union(one, rest), none = MPI::Group::Intersect(one, rest);
    CHECK(MPI::Group::Compare(all, world) == MPI::IDENT);
    CHECK(none == MPI::GROUP_EMPTY && MPI::Group::Difference(world, one).Get_size() == size - 1);
    MPI::Group by_range = world.Range_incl(1, range), without = world.Range_excl(1, range);
    CHECK(MPI::Group::Compare(by_range, world) == MPI::IDENT && without == MPI::GROUP_EMPTY);
    int mine[] = {0}, theirs[] = {-5};
    MPI::Group::Translate_ranks(world, 1, mine, rest, theirs);
    CHECK(theirs[0] == MPI::UNDEFINED);
    one.Free();
    CHECK(one == MPI::GROUP_NULL);
    rest.Free();
    all.Free();
    by_range.Free();
    world.Free();
}

static void intra(int rank, int size)
{
    MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, -rank);
    CHECK(half.Get_size() == (size + 1 - rank % 2) / 2);
    CHECK(MPI::Comm::Compare(half, MPI::COMM_WORLD) == (size == 1 ? MPI::CONGRUENT : MPI::UNEQUAL));
    MPI::Intracomm copy = MPI::COMM_WORLD.Dup();
    CHECK(MPI::Comm::Compare(copy, MPI::COMM_WORLD) == MPI::CONGRUENT && copy != MPI::COMM_WORLD && !copy.Is_inter());
    CHECK(MPI::Comm::Compare(MPI::COMM_WORLD, MPI::COMM_WORLD) == MPI::IDENT);
    MPI::Comm& clone = copy.Clone();
    CHECK(clone.Get_size() == size && MPI::Comm::Compare(clone, copy) == MPI::CONGRUENT);
    CHECK(dynamic_cast<MPI::Intracomm*>(&clone) != 0);
    clone.Free();
    delete &clone;

    MPI::Group world = MPI::COMM_WORLD.Get_group();
    const int first[] = {0};
    MPI::Group one = world.Incl(1, first);
    MPI::Intracomm alone = MPI::COMM_WORLD.Create(one);
    CHECK((alone == MPI::COMM_NULL) == (rank != 0));
    if (alone != MPI::COMM_NULL) {
        CHECK(alone.Get_size() == 1);
        alone.Free();
        CHECK(alone == MPI::COMM_NULL);
    }
    one.Free();
    world.Free();
    half.Free();
    copy.Disconnect();
    CHECK(copy == MPI::COMM_NULL);
    CHECK(MPI::COMM_WORLD.Get_topology() == MPI::UNDEFINED);
}

static void inter(int rank, int size)
{
    if (size < 2)
        return;
    MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, rank);
    MPI::Intercomm between = half.Create_intercomm(0, MPI::COMM_WORLD, 1 - rank % 2, 3);
    const int others = size - half.Get_size();
    CHECK(between.Is_inter() && between.Get_remote_size() == others && between.Get_size() == half.Get_size());
    MPI::Group remote = between.Get_remote_group();
    CHECK(remote.Get_size() == others && remote.Get_rank() == MPI::UNDEFINED);
    remote.Free();
    int sum = 0;
    between.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
    int expected = 0;
    for (int i = 1 - rank % 2; i < size; i += 2)
        expected += i;
    CHECK(sum == expected);
    std::vector<int> all(others, -1);
    between.Allgather(&rank, 1, MPI::INT, &all[0], 1, MPI::INT);
    CHECK(all[0] == 1 - rank % 2);
    int value = rank == 0 ? 99 : 0;
    if (rank % 2 == 0)
        between.Bcast(&value, 1, MPI::INT, rank == 0 ? MPI::ROOT : MPI::PROC_NULL);
    else {
        between.Bcast(&value, 1, MPI::INT, 0);
        CHECK(value == 99);
    }
    MPI::Intracomm merged = between.Merge(rank % 2 == 1);
    CHECK(merged.Get_size() == size && merged.Get_rank() < size && (merged.Get_rank() >= half.Get_size()) == (rank % 2 == 1 && size > 1));
    MPI::Intercomm copy = between.Dup(), split = between.Split(0, rank);
    CHECK(copy.Get_remote_size() == others && split.Get_remote_size() == others);
    MPI::Intercomm& clone = between.Clone();
    CHECK(clone.Is_inter());
    clone.Free();
    delete &clone;
    copy.Free();
    split.Free();
    merged.Free();
    between.Free();
    half.Free();
}

static int copies = 0, deletions = 0, last_class = 0;

static int copy_attr(const MPI::Comm& comm, int, void* extra_state, void* value, void* copied, bool& flag)
{
    copies++;
    last_class = dynamic_cast<const MPI::Cartcomm*>(&comm) ? 2 : dynamic_cast<const MPI::Intracomm*>(&comm) ? 1 : 0;
    CHECK(extra_state == &copies);
    *static_cast<void**>(copied) = static_cast<int*>(value) + 1;
    flag = comm.Get_size() > 0;
    return MPI::SUCCESS;
}

static int delete_attr(MPI::Comm& comm, int, void*, void* extra_state)
{
    deletions++;
    CHECK(extra_state == &copies && comm != MPI::COMM_NULL);
    return MPI::SUCCESS;
}

static void attributes()
{
    static int values[4];
    void* found = 0;
    int keyval = MPI::Comm::Create_keyval(copy_attr, delete_attr, &copies);
    int plain = MPI::Comm::Create_keyval(MPI::Comm::DUP_FN, MPI::Comm::NULL_DELETE_FN, 0);
    int never = MPI::Comm::Create_keyval(MPI::Comm::NULL_COPY_FN, MPI::Comm::NULL_DELETE_FN, 0);
    const int dims[] = {MPI::COMM_WORLD.Get_size()};
    const bool periods[] = {false};
    MPI::Cartcomm grid = MPI::COMM_WORLD.Create_cart(1, dims, periods, false);
    CHECK(!grid.Get_attr(keyval, &found));
    grid.Set_attr(keyval, &values[0]);
    grid.Set_attr(plain, &values[2]);
    grid.Set_attr(never, &values[3]);
    MPI::Cartcomm copy = grid.Dup();
    CHECK(copies == 1 && last_class == 2);
    CHECK(copy.Get_attr(keyval, &found) && found == &values[1]);
    CHECK(copy.Get_attr(plain, &found) && found == &values[2]);
    CHECK(grid.Get_attr(keyval, &found) && found == &values[0] && grid.Get_attr(never, &found));
    CHECK(!copy.Get_attr(never, &found));
    grid.Delete_attr(keyval);
    CHECK(deletions == 1 && !grid.Get_attr(keyval, &found));
    copy.Free();
    CHECK(deletions == 2);
    grid.Free();
    MPI::Comm::Free_keyval(keyval);
    MPI::Comm::Free_keyval(plain);
    MPI::Comm::Free_keyval(never);
    CHECK(keyval == MPI::KEYVAL_INVALID && plain == MPI::KEYVAL_INVALID);

    int* bound = 0;
    CHECK(MPI::COMM_WORLD.Get_attr(MPI::TAG_UB, &bound) && *bound >= 32767);
    CHECK(MPI::COMM_WORLD.Get_attr(MPI::WTIME_IS_GLOBAL, &bound) && (*bound == 0 || *bound == 1));
}

static void names()
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI::COMM_WORLD.Get_name(name, length);
    CHECK(std::strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
    MPI::Intracomm copy = MPI::COMM_SELF.Dup();
    copy.Set_name("mine");
    copy.Get_name(name, length);
    CHECK(std::strcmp(name, "mine") == 0 && length == 4);
    copy.Free();
}

int main(int argc, char** argv)
{
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    groups(rank, size);
    intra(rank, size);
    inter(rank, size);
    attributes();
    names();
    return conclude();
}
