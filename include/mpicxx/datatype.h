/* Datatypes and packing (MPI-2.2 chapter 4), their attributes and names (6.7, 6.8). */

namespace MPI {

/* Gives the datatypes that only C++ has their names in C++, once. (Named as in MPICH's library.) */
void MPIR_CXX_InitDatatypeNames();

class Datatype {
protected:
    MPI_Datatype handle;

public:
    typedef int Copy_attr_function(const Datatype& oldtype, int type_keyval, void* extra_state, void* attribute_val_in,
        void* attribute_val_out, bool& flag);
    typedef int Delete_attr_function(Datatype& type, int type_keyval, void* attribute_val, void* extra_state);

    Datatype() : handle(MPI_DATATYPE_NULL) {}
    Datatype(MPI_Datatype datatype) : handle(datatype) {}
    Datatype(const Datatype& other) : handle(other.handle) {}
    virtual ~Datatype() {}
    Datatype& operator=(const Datatype& other) { return *this = other.handle; }
    Datatype& operator=(const MPI_Datatype& datatype)
    {
        handle = datatype;
        return *this;
    }
    bool operator==(const Datatype& other) const { return handle == other.handle; }
    bool operator!=(const Datatype& other) const { return handle != other.handle; }
    operator MPI_Datatype*() { return &handle; }
    operator MPI_Datatype() const { return handle; }

    virtual void Commit() { internal::check(MPI_Type_commit(&handle)); }
    virtual void Free() { internal::check(MPI_Type_free(&handle)); }
    virtual Datatype Create_indexed(int count, const int blocklengths[], const int displacements[]) const
    {
        Datatype made;
        internal::check(MPI_Type_indexed(count, blocklengths, displacements, handle, &made.handle));
        return made;
    }
    virtual Datatype Create_contiguous(int count) const
    {
        Datatype made;
        internal::check(MPI_Type_contiguous(count, handle, &made.handle));
        return made;
    }
    virtual Datatype Create_vector(int count, int blocklength, int stride) const
    {
        Datatype made;
        internal::check(MPI_Type_vector(count, blocklength, stride, handle, &made.handle));
        return made;
    }
    static Datatype Create_struct(int count, const int blocklengths[], const Aint displacements[], const Datatype types[])
    {
        Datatype made;
        internal::Array<MPI_Datatype> handles(count, types);
        internal::check(MPI_Type_create_struct(count, blocklengths, displacements, handles, &made.handle));
        return made;
    }
    virtual int Pack_size(int incount, const Comm& comm) const;
    virtual void Pack(const void* inbuf, int incount, void* outbuf, int outsize, int& position, const Comm& comm) const;
    virtual int Get_size() const
    {
        int size = MPI_UNDEFINED;
        internal::check(MPI_Type_size(handle, &size));
        return size;
    }
    virtual void Get_envelope(int& num_integers, int& num_addresses, int& num_datatypes, int& combiner) const
    {
        internal::check(MPI_Type_get_envelope(handle, &num_integers, &num_addresses, &num_datatypes, &combiner));
    }
    virtual Datatype Create_hvector(int count, int blocklength, Aint stride) const
    {
        Datatype made;
        internal::check(MPI_Type_create_hvector(count, blocklength, stride, handle, &made.handle));
        return made;
    }
    static Datatype Match_size(int typeclass, int size)
    {
        Datatype found;
        internal::check(MPI_Type_match_size(typeclass, size, &found.handle));
        return found;
    }
    virtual Datatype Create_resized(const Aint lb, const Aint extent) const
    {
        Datatype made;
        internal::check(MPI_Type_create_resized(handle, lb, extent, &made.handle));
        return made;
    }
    virtual Datatype Create_indexed_block(int count, int blocklength, const int displacements[]) const
    {
        Datatype made;
        internal::check(MPI_Type_create_indexed_block(count, blocklength, displacements, handle, &made.handle));
        return made;
    }
    virtual Aint Pack_external_size(const char* datarep, int incount) const
    {
        MPI_Aint size = 0;
        internal::check(MPI_Pack_external_size(datarep, incount, handle, &size));
        return size;
    }
    Datatype Dup() const
    {
        Datatype made;
        internal::check(MPI_Type_dup(handle, &made.handle));
        return made;
    }
    virtual Datatype Create_hindexed(int count, const int blocklengths[], const Aint displacements[]) const
    {
        Datatype made;
        internal::check(MPI_Type_create_hindexed(count, blocklengths, displacements, handle, &made.handle));
        return made;
    }
    virtual bool Get_attr(int type_keyval, void* attribute_val) const
    {
        int flag = 0;
        internal::check(MPI_Type_get_attr(handle, type_keyval, attribute_val, &flag));
        return flag != 0;
    }
    virtual void Get_true_extent(Aint& true_lb, Aint& true_extent) const
    {
        internal::check(MPI_Type_get_true_extent(handle, &true_lb, &true_extent));
    }
    virtual Datatype Create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
        const int psizes[], int order) const
    {
        Datatype made;
        internal::check(
            MPI_Type_create_darray(size, rank, ndims, gsizes, distribs, dargs, psizes, order, handle, &made.handle));
        return made;
    }
    static Datatype Create_f90_real(int p, int r)
    {
        Datatype found;
        internal::check(MPI_Type_create_f90_real(p, r, &found.handle));
        return found;
    }
    virtual void Get_contents(int max_integers, int max_addresses, int max_datatypes, int integers[], Aint addresses[],
        Datatype datatypes[]) const
    {
        internal::Array<MPI_Datatype> handles(max_datatypes, datatypes);
        int code = MPI_Type_get_contents(handle, max_integers, max_addresses, max_datatypes, integers, addresses, handles);
        handles.store(max_datatypes, datatypes);
        internal::check(code);
    }
    virtual void Set_attr(int type_keyval, const void* attribute_val)
    {
        internal::check(MPI_Type_set_attr(handle, type_keyval, const_cast<void*>(attribute_val)));
    }
    virtual void Set_name(const char* type_name) { internal::check(MPI_Type_set_name(handle, type_name)); }
    static Datatype Create_f90_complex(int p, int r)
    {
        Datatype found;
        internal::check(MPI_Type_create_f90_complex(p, r, &found.handle));
        return found;
    }
    virtual Datatype Create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[], const int order) const
    {
        Datatype made;
        internal::check(MPI_Type_create_subarray(ndims, sizes, subsizes, starts, order, handle, &made.handle));
        return made;
    }
    virtual void Unpack_external(const char datarep[], const void* inbuf, const Aint insize, Aint& position, void* outbuf,
        int outcount) const
    {
        internal::check(MPI_Unpack_external(datarep, inbuf, insize, &position, outbuf, outcount, handle));
    }
    static void Free_keyval(int& type_keyval) { internal::check(MPI_Type_free_keyval(&type_keyval)); }
    static Datatype Create_f90_integer(int r)
    {
        Datatype found;
        internal::check(MPI_Type_create_f90_integer(r, &found.handle));
        return found;
    }
    virtual void Pack_external(const char* datarep, const void* inbuf, const int incount, void* outbuf, Aint outsize,
        Aint& position) const
    {
        internal::check(MPI_Pack_external(datarep, inbuf, incount, handle, outbuf, outsize, &position));
    }
    virtual void Get_extent(Aint& lb, Aint& extent) const { internal::check(MPI_Type_get_extent(handle, &lb, &extent)); }
    virtual void Delete_attr(int type_keyval) { internal::check(MPI_Type_delete_attr(handle, type_keyval)); }
    virtual void Get_name(char* type_name, int& resultlen) const
    {
        MPIR_CXX_InitDatatypeNames();
        internal::check(MPI_Type_get_name(handle, type_name, &resultlen));
    }
    void Unpack(const void* inbuf, int insize, void* outbuf, int outcount, int& position, const Comm& comm) const;

    static int Create_keyval(Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state);
    static int NULL_COPY_FN(const Datatype&, int, void*, void*, void*, bool& flag)
    {
        flag = false;
        return MPI_SUCCESS;
    }
    static int NULL_DELETE_FN(Datatype&, int, void*, void*) { return MPI_SUCCESS; }
    static int DUP_FN(const Datatype&, int, void*, void* attribute_val_in, void* attribute_val_out, bool& flag)
    {
        *static_cast<void**>(attribute_val_out) = attribute_val_in;
        flag = true;
        return MPI_SUCCESS;
    }
};

}
