/* Reduction operations (MPI-2.2 5.9). */

namespace MPI {

typedef void User_function(const void* invec, void* inoutvec, int len, const Datatype& datatype);

class Op {
protected:
    MPI_Op handle;

public:
    Op() : handle(MPI_OP_NULL) {}
    Op(MPI_Op op) : handle(op) {}
    Op(const Op& other) : handle(other.handle) {}
    virtual ~Op() {}
    Op& operator=(const Op& other) { return *this = other.handle; }
    Op& operator=(const MPI_Op& op)
    {
        handle = op;
        return *this;
    }
    bool operator==(const Op& other) const { return handle == other.handle; }
    bool operator!=(const Op& other) const { return handle != other.handle; }
    operator MPI_Op*() { return &handle; }
    operator MPI_Op() const { return handle; }

    virtual void Free() { internal::check(MPI_Op_free(&handle)); }
    virtual bool Is_commutative() const
    {
        int commute = 0;
        internal::check(MPI_Op_commutative(handle, &commute));
        return commute != 0;
    }
    virtual void Reduce_local(const void* inbuf, void* inoutbuf, int count, const Datatype& datatype) const
    {
        internal::check(MPI_Reduce_local(inbuf, inoutbuf, count, datatype, handle));
    }
    void Init(User_function* function, bool commute);
};

}
