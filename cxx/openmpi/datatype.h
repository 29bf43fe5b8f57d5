// Datatypes.

namespace MPI {

class Datatype {
    MPI_Datatype handle;

    // What a function of C makes, which has the old datatype among its arguments and the place of the new one last.
    template <class Function, class... Arguments> static Datatype made(Function make, Arguments... arguments)
    {
        MPI_Datatype made = OMPI_OBJECT(MPI_Datatype, ompi_mpi_datatype_null);
        make(arguments..., &made);
        return made;
    }

public:
    typedef int Copy_attr_function(
        const Datatype& oldtype, int keyval, void* extra_state, const void* value, void* copied, bool& flag);
    typedef int Delete_attr_function(Datatype& datatype, int keyval, void* value, void* extra_state);

    Datatype(MPI_Datatype made) : handle(made) {}
    Datatype(const Datatype& other) : handle(other.handle) {}
    Datatype& operator=(const Datatype& other)
    {
        handle = other.handle;
        return *this;
    }
    virtual ~Datatype() {}
    operator MPI_Datatype() const { return handle; }

    virtual Datatype Create_contiguous(int count) const { return made(MPI_Type_contiguous, count, handle); }
    virtual Datatype Create_vector(int count, int blocklength, int stride) const
    {
        return made(MPI_Type_vector, count, blocklength, stride, handle);
    }
    virtual Datatype Create_indexed(int count, const int blocklengths[], const int displacements[]) const
    {
        return made(MPI_Type_indexed, count, blocklengths, displacements, handle);
    }
    virtual Datatype Create_hindexed(int count, const int blocklengths[], const Aint displacements[]) const
    {
        return made(MPI_Type_create_hindexed, count, blocklengths, displacements, handle);
    }
    virtual Datatype Create_hvector(int count, int blocklength, Aint stride) const
    {
        return made(MPI_Type_create_hvector, count, blocklength, stride, handle);
    }
    virtual Datatype Create_indexed_block(int count, int blocklength, const int displacements[]) const
    {
        return made(MPI_Type_create_indexed_block, count, blocklength, displacements, handle);
    }
    virtual Datatype Create_resized(const Aint lb, const Aint extent) const
    {
        return made(MPI_Type_create_resized, handle, lb, extent);
    }
    virtual int Get_size() const
    {
        int size = 0;
        MPI_Type_size(handle, &size);
        return size;
    }
    virtual void Get_extent(Aint& lb, Aint& extent) const { MPI_Type_get_extent(handle, &lb, &extent); }
    virtual void Get_true_extent(Aint& lb, Aint& extent) const { MPI_Type_get_true_extent(handle, &lb, &extent); }
    virtual void Commit() { MPI_Type_commit(&handle); }
    virtual void Free();
    virtual void Pack(const void* inbuf, int incount, void* outbuf, int outsize, int& position, const Comm& comm) const
    {
        MPI_Pack(inbuf, incount, handle, outbuf, outsize, &position, comm);
    }
    virtual void Unpack(const void* inbuf, int insize, void* outbuf, int outcount, int& position, const Comm& comm) const
    {
        MPI_Unpack(inbuf, insize, &position, outbuf, outcount, handle, comm);
    }
    virtual int Pack_size(int incount, const Comm& comm) const
    {
        int size = 0;
        MPI_Pack_size(incount, handle, comm, &size);
        return size;
    }
    virtual void Pack_external(
        const char* datarep, const void* inbuf, int incount, void* outbuf, Aint outsize, Aint& position) const
    {
        MPI_Pack_external(datarep, inbuf, incount, handle, outbuf, outsize, &position);
    }
    virtual Aint Pack_external_size(const char* datarep, int incount) const
    {
        Aint size = 0;
        MPI_Pack_external_size(datarep, incount, handle, &size);
        return size;
    }
    virtual void Unpack_external(
        const char* datarep, const void* inbuf, Aint insize, Aint& position, void* outbuf, int outcount) const
    {
        MPI_Unpack_external(datarep, inbuf, insize, &position, outbuf, outcount, handle);
    }
    virtual Datatype Create_subarray(
        int ndims, const int sizes[], const int subsizes[], const int starts[], int order) const
    {
        return made(MPI_Type_create_subarray, ndims, sizes, subsizes, starts, order, handle);
    }
    virtual Datatype Create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
        const int psizes[], int order) const
    {
        return made(MPI_Type_create_darray, size, rank, ndims, gsizes, distribs, dargs, psizes, order, handle);
    }
    virtual Datatype Dup() const { return made(MPI_Type_dup, handle); }

protected:
    static int do_create_keyval(MPI_Type_copy_attr_function* c_copy, MPI_Type_delete_attr_function* c_remove,
        Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state, int& keyval);

public:
    virtual void Delete_attr(int keyval) { MPI_Type_delete_attr(handle, keyval); }
    virtual bool Get_attr(int keyval, void* value) const
    {
        int flag = 0;
        MPI_Type_get_attr(handle, keyval, value, &flag);
        return flag != 0;
    }
    virtual void Get_contents(int max_integers, int max_addresses, int max_datatypes, int integers[], Aint addresses[],
        Datatype datatypes[]) const;
    virtual void Get_envelope(int& num_integers, int& num_addresses, int& num_datatypes, int& combiner) const
    {
        MPI_Type_get_envelope(handle, &num_integers, &num_addresses, &num_datatypes, &combiner);
    }
    virtual void Get_name(char* name, int& resultlen) const { MPI_Type_get_name(handle, name, &resultlen); }
    virtual void Set_attr(int keyval, const void* value) { MPI_Type_set_attr(handle, keyval, const_cast<void*>(value)); }
    virtual void Set_name(const char* name) { MPI_Type_set_name(handle, name); }
};

inline void Datatype::Get_contents(int max_integers, int max_addresses, int max_datatypes, int integers[], Aint addresses[],
    Datatype datatypes[]) const
{
    MPI_Datatype* handles = new MPI_Datatype[max_datatypes > 0 ? max_datatypes : 0];
    for (int i = 0; i < max_datatypes; i++)
        handles[i] = datatypes[i];
    MPI_Type_get_contents(handle, max_integers, max_addresses, max_datatypes, integers, addresses, handles);
    for (int i = 0; i < max_datatypes; i++)
        datatypes[i] = handles[i];
    delete[] handles;
}

inline void Op::Reduce_local(const void* inbuf, void* inoutbuf, int count, const Datatype& datatype) const
{
    MPI_Reduce_local(inbuf, inoutbuf, count, datatype, handle);
}

inline int Status::Get_count(const Datatype& datatype) const
{
    int count = 0;
    MPI_Get_count(&status, datatype, &count);
    return count;
}

inline int Status::Get_elements(const Datatype& datatype) const
{
    int count = 0;
    MPI_Get_elements(&status, datatype, &count);
    return count;
}

inline void Status::Set_elements(const Datatype& datatype, int count) { MPI_Status_set_elements(&status, datatype, count); }

}
