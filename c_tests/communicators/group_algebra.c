/* ranks: 1 2 4 8 */
/* Groups: set operations, choosing by ranks and ranges, translating, comparing. */
#include "check.h"

static MPI_Group world;

/* group has exactly these ranks of MPI_COMM_WORLD, in this order; it is freed. */
static void is(int line, MPI_Group *group, int n, const int *ranks)
{
    int s = -1, r = -1, i, mine = MPI_UNDEFINED;
    int translated[64], all[64];
    OK(MPI_Group_size(*group, &s));
    if (s != n)
        check_failed(__FILE__, line, "the group has %d processes, not %d", s, n);
    for (i = 0; i < n; i++)
        all[i] = i;
    OK(MPI_Group_translate_ranks(*group, n, all, world, translated));
    for (i = 0; i < n; i++) {
        if (translated[i] != ranks[i])
            check_failed(__FILE__, line, "member %d is %d, not %d", i, translated[i], ranks[i]);
        if (ranks[i] == rank)
            mine = i;
    }
    OK(MPI_Group_rank(*group, &r));
    CHECK_EQ(r, mine);
    if (n == 0)
        CHECK(*group == MPI_GROUP_EMPTY);
    else
        OK(MPI_Group_free(group));
    CHECK(n == 0 || *group == MPI_GROUP_NULL);
}

static void sets(void)
{
    MPI_Group even, low, result;
    int expected[64], n, i, half = (size + 1) / 2;
    int evens[1][3] = {{0, size - 1, 2}}, lows[1][3] = {{half - 1, 0, -1}};
    OK(MPI_Group_range_incl(world, 1, evens, &even));
    OK(MPI_Group_range_incl(world, 1, lows, &low));

    for (n = 0, i = 0; i < size; i += 2)
        expected[n++] = i;
    for (i = half - 1; i >= 0; i--)
        if (i % 2)
            expected[n++] = i;
    OK(MPI_Group_union(even, low, &result));
    is(__LINE__, &result, n, expected);

    for (n = 0, i = 0; i < half; i += 2)
        expected[n++] = i;
    OK(MPI_Group_intersection(even, low, &result));
    is(__LINE__, &result, n, expected);

    for (n = 0, i = half - 1; i >= 0; i--)
        if (i % 2)
            expected[n++] = i;
    OK(MPI_Group_difference(low, even, &result));
    is(__LINE__, &result, n, expected);

    OK(MPI_Group_difference(low, low, &result));
    CHECK(result == MPI_GROUP_EMPTY);
    OK(MPI_Group_intersection(low, MPI_GROUP_EMPTY, &result));
    CHECK(result == MPI_GROUP_EMPTY);
    OK(MPI_Group_union(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &result));
    CHECK(result == MPI_GROUP_EMPTY);
    OK(MPI_Group_free(&even));
    OK(MPI_Group_free(&low));
}

static void choices(void)
{
    MPI_Group result;
    int ranks[64], expected[64], n, i;
    int ranges[2][3] = {{size - 1, size / 2, -1}, {0, size / 2 - 1, 1}};

    for (i = 0; i < size; i++)
        ranks[i] = size - 1 - i;
    OK(MPI_Group_incl(world, size, ranks, &result));
    is(__LINE__, &result, size, ranks);
    OK(MPI_Group_incl(world, 0, NULL, &result));
    is(__LINE__, &result, 0, NULL);
    OK(MPI_Group_excl(world, size, ranks, &result));
    is(__LINE__, &result, 0, NULL);
    for (i = 0; i < size; i++)
        expected[i] = i;
    OK(MPI_Group_excl(world, 0, NULL, &result));
    is(__LINE__, &result, size, expected);
    OK(MPI_Group_excl(world, 1, &ranks[size - 1], &result));
    is(__LINE__, &result, size - 1, expected + 1);

    for (n = 0, i = size - 1; i >= size / 2; i--)
        expected[n++] = i;
    for (i = 0; i < size / 2; i++)
        expected[n++] = i;
    OK(MPI_Group_range_incl(world, size > 1 ? 2 : 1, ranges, &result));
    is(__LINE__, &result, n, expected);
    OK(MPI_Group_range_excl(world, size > 1 ? 2 : 1, ranges, &result));
    is(__LINE__, &result, 0, NULL);
    if (size >= 4) {
        int odd[1][3] = {{1, size - 1, 2}};
        for (n = 0, i = 0; i < size; i += 2)
            expected[n++] = i;
        OK(MPI_Group_range_excl(world, 1, odd, &result));
        is(__LINE__, &result, n, expected);
    }
}

static void comparing_and_translating(void)
{
    MPI_Group reverse, alone, self;
    int result = -1, ranks[3] = {0, MPI_PROC_NULL, 0}, translated[3] = {-9, -9, -9}, all[1][3];
    all[0][0] = size - 1;
    all[0][1] = 0;
    all[0][2] = -1;
    OK(MPI_Group_range_incl(world, 1, all, &reverse));
    OK(MPI_Comm_group(MPI_COMM_SELF, &self));
    OK(MPI_Group_incl(world, 1, &rank, &alone));
    OK(MPI_Group_compare(world, world, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Group_compare(world, reverse, &result));
    CHECK_EQ(result, size == 1 ? MPI_IDENT : MPI_SIMILAR);
    OK(MPI_Group_compare(self, alone, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Group_compare(world, alone, &result));
    CHECK_EQ(result, size == 1 ? MPI_IDENT : MPI_UNEQUAL);
    OK(MPI_Group_compare(MPI_GROUP_EMPTY, alone, &result));
    CHECK_EQ(result, MPI_UNEQUAL);
    OK(MPI_Group_compare(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &result));
    CHECK_EQ(result, MPI_IDENT);

    ranks[2] = size - 1;
    OK(MPI_Group_translate_ranks(world, 3, ranks, reverse, translated));
    CHECK(translated[0] == size - 1 && translated[1] == MPI_PROC_NULL && translated[2] == 0);
    OK(MPI_Group_translate_ranks(world, 3, ranks, alone, translated));
    CHECK_EQ(translated[0], rank == 0 ? 0 : MPI_UNDEFINED);
    CHECK_EQ(translated[1], MPI_PROC_NULL);
    CHECK_EQ(translated[2], rank == size - 1 ? 0 : MPI_UNDEFINED);
    OK(MPI_Group_translate_ranks(world, 0, NULL, alone, NULL));
    OK(MPI_Group_free(&reverse));
    OK(MPI_Group_free(&alone));
    OK(MPI_Group_free(&self));
}

static void errors(void)
{
    MPI_Group result = MPI_GROUP_NULL, null = MPI_GROUP_NULL;
    int number = -1, twice[2] = {0, 0}, outside = size, negative = -1;
    int still[1][3] = {{0, 0, 0}}, far[1][3] = {{0, size, 1}};
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &number), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_rank(MPI_GROUP_NULL, &number), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_compare(world, MPI_GROUP_NULL, &number), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_union(world, MPI_GROUP_NULL, &result), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_intersection(MPI_GROUP_NULL, world, &result), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_difference(MPI_GROUP_NULL, world, &result), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_incl(MPI_GROUP_NULL, 1, twice, &result), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_incl(world, 1, &outside, &result), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_incl(world, 1, &negative, &result), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_excl(world, 1, &outside, &result), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_range_incl(world, 1, still, &result), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_incl(world, -1, twice, &result), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_free(&null), MPI_ERR_GROUP);
#ifdef RMASHM
    MPI_Group freed, copy;
    int two[2][3] = {{0, 0, 1}, {0, 0, 1}}, away[1][3] = {{0, size - 1, -1}};
    CHECK_SENTENCE(MPI_Group_incl(world, 1, &outside, &result), MPI_ERR_RANK, "ranks[0] is");
    CHECK_CLASS(MPI_Group_incl(world, 2, twice, &result), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_excl(world, 2, twice, &result), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_range_incl(world, 1, far, &result), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_range_excl(world, 1, far, &result), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_range_incl(world, 2, two, &result), MPI_ERR_RANK);
    if (size > 1)
        CHECK_CLASS(MPI_Group_range_incl(world, 1, away, &result), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_range_incl(world, -1, two, &result), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_range_incl(world, 1, NULL, &result), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_incl(world, 1, NULL, &result), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_incl(world, 1, twice, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_size(world, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_rank(world, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_compare(world, world, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_translate_ranks(world, 1, &outside, world, &number), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_translate_ranks(world, -1, twice, world, &number), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_translate_ranks(world, 1, NULL, world, &number), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_group(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_free(NULL), MPI_ERR_ARG);
    /* (One of MPI_COMM_WORLD's would be the same as `world`.) */
    OK(MPI_Group_incl(world, 1, twice, &copy));
    freed = copy;
    OK(MPI_Group_free(&copy));
    CHECK_CLASS(MPI_Group_free(&freed), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_size(freed, &number), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_size((MPI_Group)MPI_COMM_WORLD, &number), MPI_ERR_GROUP);
#else
    (void)far;
#endif
    CHECK(result == MPI_GROUP_NULL);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    sets();
    choices();
    comparing_and_translating();
    errors();
    OK(MPI_Group_free(&world));
    return check_end();
}
