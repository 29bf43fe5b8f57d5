/* Windows (MPI-2.2 chapter 11). */

namespace MPI {

class Win {
protected:
    MPI_Win handle;

    void check(int errorcode) const { internal::check(errorcode, *this); }

public:
    typedef int Copy_attr_function(const Win& oldwin, int win_keyval, void* extra_state, void* attribute_val_in,
        void* attribute_val_out, bool& flag);
    typedef int Delete_attr_function(Win& win, int win_keyval, void* attribute_val, void* extra_state);
    typedef void Errhandler_function(Win&, int*, ...);
    typedef Errhandler_function Errhandler_fn;

    Win() : handle(MPI_WIN_NULL) {}
    Win(MPI_Win win) : handle(win) {}
    Win(const Win& other) : handle(other.handle) {}
    virtual ~Win() {}
    Win& operator=(const Win& other) { return *this = other.handle; }
    Win& operator=(const MPI_Win& win)
    {
        handle = win;
        return *this;
    }
    bool operator==(const Win& other) const { return handle == other.handle; }
    bool operator!=(const Win& other) const { return handle != other.handle; }
    operator MPI_Win*() { return &handle; }
    operator MPI_Win() const { return handle; }

    virtual Group Get_group() const
    {
        Group group;
        check(MPI_Win_get_group(handle, group));
        return group;
    }
    virtual void Fence(int assert) const { check(MPI_Win_fence(assert, handle)); }
    virtual void Start(const Group& group, int assert) const { check(MPI_Win_start(group, assert, handle)); }
    virtual void Free() { check(MPI_Win_free(&handle)); }
    virtual void Put(const void* origin_addr, int origin_count, const Datatype& origin_datatype, int target_rank, Aint target_disp,
        int target_count, const Datatype& target_datatype) const
    {
        check(MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, handle));
    }
    virtual void Wait() const { check(MPI_Win_wait(handle)); }
    virtual bool Test() const
    {
        int flag = 0;
        check(MPI_Win_test(handle, &flag));
        return flag != 0;
    }
    virtual void Get(void* origin_addr, int origin_count, const Datatype& origin_datatype, int target_rank, Aint target_disp,
        int target_count, const Datatype& target_datatype) const
    {
        check(MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, handle));
    }
    virtual bool Get_attr(int win_keyval, void* attribute_val) const
    {
        int flag = 0;
        check(MPI_Win_get_attr(handle, win_keyval, attribute_val, &flag));
        return flag != 0;
    }
    virtual void Set_attr(int win_keyval, const void* attribute_val)
    {
        check(MPI_Win_set_attr(handle, win_keyval, const_cast<void*>(attribute_val)));
    }
    virtual void Complete() const { check(MPI_Win_complete(handle)); }
    virtual void Set_errhandler(const Errhandler& errhandler) { check(MPI_Win_set_errhandler(handle, errhandler)); }
    virtual void Set_name(const char* win_name) { check(MPI_Win_set_name(handle, win_name)); }
    virtual void Accumulate(const void* origin_addr, int origin_count, const Datatype& origin_datatype, int target_rank,
        Aint target_disp, int target_count, const Datatype& target_datatype, const Op& op) const
    {
        check(MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op,
            handle));
    }
    static Win Create(const void* base, Aint size, int disp_unit, const Info& info, const Intracomm& comm)
    {
        Win made;
        internal::check(MPI_Win_create(const_cast<void*>(base), size, disp_unit, info, comm, &made.handle), comm);
        return made;
    }
    static void Free_keyval(int& win_keyval) { internal::check(MPI_Win_free_keyval(&win_keyval)); }
    virtual void Post(const Group& group, int assert) const { check(MPI_Win_post(group, assert, handle)); }
    virtual void Unlock(int rank) const { check(MPI_Win_unlock(rank, handle)); }
    virtual void Delete_attr(int win_keyval) { check(MPI_Win_delete_attr(handle, win_keyval)); }
    virtual void Lock(int lock_type, int rank, int assert) const { check(MPI_Win_lock(lock_type, rank, assert, handle)); }
    virtual Errhandler Get_errhandler() const
    {
        Errhandler errhandler;
        check(MPI_Win_get_errhandler(handle, errhandler));
        return errhandler;
    }
    virtual void Get_name(char* win_name, int& resultlen) const { check(MPI_Win_get_name(handle, win_name, &resultlen)); }
    virtual void Call_errhandler(int errorcode) const;

    static Errhandler Create_errhandler(Errhandler_function* function);
    static int Create_keyval(Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state);
    static int NULL_COPY_FN(const Win&, int, void*, void*, void*, bool& flag)
    {
        flag = false;
        return MPI_SUCCESS;
    }
    static int NULL_DELETE_FN(Win&, int, void*, void*) { return MPI_SUCCESS; }
    static int DUP_FN(const Win&, int, void*, void* attribute_val_in, void* attribute_val_out, bool& flag)
    {
        *static_cast<void**>(attribute_val_out) = attribute_val_in;
        flag = true;
        return MPI_SUCCESS;
    }
};

}
