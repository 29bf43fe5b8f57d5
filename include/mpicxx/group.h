/* Groups of processes (MPI-2.2 6.3). */

namespace MPI {

class Group {
protected:
    MPI_Group handle;

public:
    Group() : handle(MPI_GROUP_NULL) {}
    Group(MPI_Group group) : handle(group) {}
    Group(const Group& other) : handle(other.handle) {}
    virtual ~Group() {}
    Group& operator=(const Group& other) { return *this = other.handle; }
    Group& operator=(const MPI_Group& group)
    {
        handle = group;
        return *this;
    }
    bool operator==(const Group& other) const { return handle == other.handle; }
    bool operator!=(const Group& other) const { return handle != other.handle; }
    operator MPI_Group*() { return &handle; }
    operator MPI_Group() const { return handle; }

    virtual Group Excl(int n, const int ranks[]) const
    {
        Group made;
        internal::check(MPI_Group_excl(handle, n, ranks, &made.handle));
        return made;
    }
    virtual int Get_rank() const
    {
        int rank = MPI_UNDEFINED;
        internal::check(MPI_Group_rank(handle, &rank));
        return rank;
    }
    virtual void Free() { internal::check(MPI_Group_free(&handle)); }
    static Group Union(const Group& group1, const Group& group2)
    {
        Group made;
        internal::check(MPI_Group_union(group1, group2, &made.handle));
        return made;
    }
    static Group Intersect(const Group& group1, const Group& group2)
    {
        Group made;
        internal::check(MPI_Group_intersection(group1, group2, &made.handle));
        return made;
    }
    virtual Group Range_excl(int n, const int ranges[][3]) const
    {
        Group made;
        internal::check(MPI_Group_range_excl(handle, n, const_cast<int(*)[3]>(ranges), &made.handle));
        return made;
    }
    virtual Group Range_incl(int n, const int ranges[][3]) const
    {
        Group made;
        internal::check(MPI_Group_range_incl(handle, n, const_cast<int(*)[3]>(ranges), &made.handle));
        return made;
    }
    static Group Difference(const Group& group1, const Group& group2)
    {
        Group made;
        internal::check(MPI_Group_difference(group1, group2, &made.handle));
        return made;
    }
    static void Translate_ranks(const Group& group1, int n, const int ranks1[], const Group& group2, int ranks2[])
    {
        internal::check(MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2));
    }
    virtual Group Incl(int n, const int ranks[]) const
    {
        Group made;
        internal::check(MPI_Group_incl(handle, n, ranks, &made.handle));
        return made;
    }
    virtual int Get_size() const
    {
        int size = MPI_UNDEFINED;
        internal::check(MPI_Group_size(handle, &size));
        return size;
    }
    static int Compare(const Group& group1, const Group& group2)
    {
        int result = MPI_UNEQUAL;
        internal::check(MPI_Group_compare(group1, group2, &result));
        return result;
    }
};

}
