// Classes of one handle each, and the status.

namespace MPI {

// A function as one of another type: both are only an address here.
typedef void Any(void);
template <class To, class From> To* as(From* function)
{
    return reinterpret_cast<To*>(reinterpret_cast<Any*>(function));
}

class Exception {
    int error_code;
    char* error_string;
    int error_class;

public:
    explicit Exception(int code);
    Exception(const Exception& other);
    ~Exception() { delete[] error_string; }
};

class Errhandler {
    MPI_Errhandler handle;

public:
    Errhandler(MPI_Errhandler made) : handle(made) {}
    Errhandler(const Errhandler& other) : handle(other.handle) {}
    virtual ~Errhandler() {}
    operator MPI_Errhandler() const { return handle; }
    virtual void Free() { MPI_Errhandler_free(&handle); }
};

class Info {
    MPI_Info handle;

public:
    Info(MPI_Info made) : handle(made) {}
    Info(const Info& other) : handle(other.handle) {}
    virtual ~Info() {}
    operator MPI_Info() const { return handle; }
    virtual void Delete(const char* key) { MPI_Info_delete(handle, key); }
    virtual Info Dup() const
    {
        MPI_Info made = OMPI_OBJECT(MPI_Info, ompi_mpi_info_null);
        MPI_Info_dup(handle, &made);
        return made;
    }
    virtual void Free() { MPI_Info_free(&handle); }
    virtual bool Get(const char* key, int valuelen, char* value) const
    {
        int flag = 0;
        MPI_Info_get(handle, key, valuelen, value, &flag);
        return flag != 0;
    }
    virtual int Get_nkeys() const
    {
        int nkeys = 0;
        MPI_Info_get_nkeys(handle, &nkeys);
        return nkeys;
    }
    virtual void Get_nthkey(int n, char* key) const { MPI_Info_get_nthkey(handle, n, key); }
    virtual bool Get_valuelen(const char* key, int& valuelen) const
    {
        int flag = 0;
        MPI_Info_get_valuelen(handle, key, &valuelen, &flag);
        return flag != 0;
    }
    virtual void Set(const char* key, const char* value) { MPI_Info_set(handle, key, value); }
};

class Group {
    MPI_Group handle;

    typedef int (*Ranges)[3];

public:
    Group(MPI_Group made) : handle(made) {}
    Group(const Group& other) : handle(other.handle) {}
    virtual ~Group() {}
    operator MPI_Group() const { return handle; }
    virtual int Get_size() const
    {
        int size = 0;
        MPI_Group_size(handle, &size);
        return size;
    }
    virtual int Get_rank() const
    {
        int rank = 0;
        MPI_Group_rank(handle, &rank);
        return rank;
    }

private:
    // What a function of C makes.
    template <class Function, class Ranks> Group made(Function make, int n, Ranks ranks) const
    {
        MPI_Group made = OMPI_OBJECT(MPI_Group, ompi_mpi_group_null);
        make(handle, n, ranks, &made);
        return made;
    }

public:
    virtual Group Incl(int n, const int ranks[]) const { return made(MPI_Group_incl, n, ranks); }
    virtual Group Excl(int n, const int ranks[]) const { return made(MPI_Group_excl, n, ranks); }
    virtual Group Range_incl(int n, const int ranges[][3]) const
    {
        return made(MPI_Group_range_incl, n, const_cast<Ranges>(ranges));
    }
    virtual Group Range_excl(int n, const int ranges[][3]) const
    {
        return made(MPI_Group_range_excl, n, const_cast<Ranges>(ranges));
    }
    virtual void Free() { MPI_Group_free(&handle); }
};

// The function of an operation of the program's stands beside it, not in it.
extern "C" void ompi_op_set_cxx_callback(MPI_Op op, MPI_User_function* function);
extern "C" void ompi_mpi_cxx_op_intercept(
    void* invec, void* inoutvec, int* len, MPI_Datatype* datatype, MPI_User_function* function);

class Op {
    MPI_Op handle;

public:
    Op(MPI_Op made) : handle(made) {}
    Op(const Op& other) : handle(other.handle) {}
    virtual ~Op() {}
    operator MPI_Op() const { return handle; }
    virtual void Init(User_function* function, bool commute)
    {
        if (MPI_Op_create(as<MPI_User_function>(ompi_mpi_cxx_op_intercept), commute, &handle) == MPI_SUCCESS)
            ompi_op_set_cxx_callback(handle, as<MPI_User_function>(function));
    }
    virtual void Free() { MPI_Op_free(&handle); }
    virtual void Reduce_local(const void* inbuf, void* inoutbuf, int count, const Datatype& datatype) const;
    virtual bool Is_commutative() const
    {
        int commute = 0;
        MPI_Op_commutative(handle, &commute);
        return commute != 0;
    }
};

class Status {
    MPI_Status status;

public:
    Status() : status() {}
    Status(const MPI_Status& given) : status(given) {}
    Status(const Status& other) : status(other.status) {}
    virtual ~Status() {}
    operator MPI_Status() const { return status; }
    MPI_Status* place() { return &status; }
    virtual int Get_count(const Datatype& datatype) const;
    virtual bool Is_cancelled() const
    {
        int flag = 0;
        MPI_Test_cancelled(&status, &flag);
        return flag != 0;
    }
    virtual int Get_elements(const Datatype& datatype) const;
    virtual int Get_source() const { return status.MPI_SOURCE; }
    virtual void Set_source(int source) { status.MPI_SOURCE = source; }
    virtual int Get_tag() const { return status.MPI_TAG; }
    virtual void Set_tag(int tag) { status.MPI_TAG = tag; }
    virtual int Get_error() const { return status.MPI_ERROR; }
    virtual void Set_error(int error) { status.MPI_ERROR = error; }
    virtual void Set_elements(const Datatype& datatype, int count);
    virtual void Set_cancelled(bool flag) { MPI_Status_set_cancelled(&status, flag); }
};

class Request {
protected:
    MPI_Request handle;

public:
    Request(MPI_Request made) : handle(made) {}
    Request(const Request& other) : handle(other.handle) {}
    virtual ~Request() {}
    virtual void Wait(Status& status) { MPI_Wait(&handle, status.place()); }
    virtual void Wait() { MPI_Wait(&handle, MPI_STATUS_IGNORE); }
    virtual bool Test(Status& status)
    {
        int flag = 0;
        MPI_Test(&handle, &flag, status.place());
        return flag != 0;
    }
    virtual bool Test()
    {
        int flag = 0;
        MPI_Test(&handle, &flag, MPI_STATUS_IGNORE);
        return flag != 0;
    }
    virtual void Free() { MPI_Request_free(&handle); }
    virtual void Cancel() const { MPI_Cancel(const_cast<MPI_Request*>(&handle)); }
    virtual bool Get_status(Status& status) const
    {
        int flag = 0;
        MPI_Request_get_status(handle, &flag, status.place());
        return flag != 0;
    }
    virtual bool Get_status() const
    {
        int flag = 0;
        MPI_Request_get_status(handle, &flag, MPI_STATUS_IGNORE);
        return flag != 0;
    }
};

class Prequest : public Request {
public:
    Prequest(MPI_Request made) : Request(made) {}
    virtual ~Prequest() {}
    virtual void Start() { MPI_Start(&handle); }
};

class Grequest : public Request {
public:
    typedef int Query_function(void*, Status&);
    typedef int Free_function(void*);
    typedef int Cancel_function(void*, bool);

    // What the program gave, as its inline Start leaves it for the functions of the request.
    struct Intercept_data_t {
        void* extra_state;
        Query_function* query;
        Free_function* free;
        Cancel_function* cancel;
    };
    virtual ~Grequest() {}
    virtual void Complete() { MPI_Grequest_complete(handle); }
};

}
