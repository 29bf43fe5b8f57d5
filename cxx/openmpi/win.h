// Windows and files. A file's functions are no virtual ones: the program has those that are inline.

namespace MPI {

class Win {
    MPI_Win handle;

public:
    typedef int Copy_attr_function(const Win& oldwin, int keyval, void* extra_state, void* value, void* copied, bool& flag);
    typedef int Delete_attr_function(Win& win, int keyval, void* value, void* extra_state);
    typedef void Errhandler_function(Win& win, int* errorcode, ...);

    Win(MPI_Win made) : handle(made) {}
    Win(const Win& other) : handle(other.handle) {}
    virtual ~Win() {}
    operator MPI_Win() const { return handle; }

    static Errhandler Create_errhandler(Errhandler_function* function);
    virtual void Set_errhandler(const Errhandler& errhandler) const { MPI_Win_set_errhandler(handle, errhandler); }
    virtual Errhandler Get_errhandler() const
    {
        MPI_Errhandler errhandler = OMPI_OBJECT(MPI_Errhandler, ompi_mpi_errhandler_null);
        MPI_Win_get_errhandler(handle, &errhandler);
        return errhandler;
    }
    virtual void Accumulate(const void* origin, int origin_count, const Datatype& origin_datatype, int target_rank,
        Aint target_disp, int target_count, const Datatype& target_datatype, const Op& op) const
    {
        MPI_Accumulate(origin, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, handle);
    }
    virtual void Complete() const { MPI_Win_complete(handle); }
    virtual void Fence(int assert) const { MPI_Win_fence(assert, handle); }
    virtual void Free();
    virtual void Get(const void* origin, int origin_count, const Datatype& origin_datatype, int target_rank, Aint target_disp,
        int target_count, const Datatype& target_datatype) const
    {
        MPI_Get(const_cast<void*>(origin), origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype,
            handle);
    }
    virtual Group Get_group() const
    {
        MPI_Group group = OMPI_OBJECT(MPI_Group, ompi_mpi_group_null);
        MPI_Win_get_group(handle, &group);
        return group;
    }
    virtual void Lock(int lock_type, int rank, int assert) const { MPI_Win_lock(lock_type, rank, assert, handle); }
    virtual void Post(const Group& group, int assert) const { MPI_Win_post(group, assert, handle); }
    virtual void Put(const void* origin, int origin_count, const Datatype& origin_datatype, int target_rank, Aint target_disp,
        int target_count, const Datatype& target_datatype) const
    {
        MPI_Put(origin, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, handle);
    }
    virtual void Start(const Group& group, int assert) const { MPI_Win_start(group, assert, handle); }
    virtual bool Test() const
    {
        int flag = 0;
        MPI_Win_test(handle, &flag);
        return flag != 0;
    }
    virtual void Unlock(int rank) const { MPI_Win_unlock(rank, handle); }
    virtual void Wait() const { MPI_Win_wait(handle); }
    virtual void Call_errhandler(int errorcode) const { MPI_Win_call_errhandler(handle, errorcode); }

protected:
    static int do_create_keyval(MPI_Win_copy_attr_function* c_copy, MPI_Win_delete_attr_function* c_remove,
        Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state, int& keyval);

public:
    virtual void Delete_attr(int keyval) { MPI_Win_delete_attr(handle, keyval); }
    virtual void Get_name(char* name, int& resultlen) const { MPI_Win_get_name(handle, name, &resultlen); }
    virtual void Set_attr(int keyval, const void* value) { MPI_Win_set_attr(handle, keyval, const_cast<void*>(value)); }
    virtual void Set_name(const char* name) { MPI_Win_set_name(handle, name); }
};

class File {
    MPI_File handle;

public:
    typedef void Errhandler_function(File& file, int* errorcode, ...);

    File(MPI_File made) : handle(made) {}
    virtual ~File() {}
    void Close();
    static Errhandler Create_errhandler(Errhandler_function* function);
};

typedef void Datarep_extent_function(const Datatype& datatype, Aint& extent, void* extra_state);
typedef void Datarep_conversion_function(
    void* userbuf, Datatype& datatype, int count, void* filebuf, Offset position, void* extra_state);

}
