/* What is known of a message that was received, or of another operation that is complete (MPI-2.2 3.2.5, 12.3). */

namespace MPI {

class Status {
protected:
    MPI_Status status;

public:
    Status() : status() {}
    Status(MPI_Status other) : status(other) {}
    Status(const Status& other) : status(other.status) {}
    virtual ~Status() {}
    Status& operator=(const Status& other) { return *this = other.status; }
    Status& operator=(const MPI_Status& other)
    {
        status = other;
        return *this;
    }
    operator MPI_Status*() { return &status; }
    operator MPI_Status() const { return status; }

    virtual bool Is_cancelled() const
    {
        int flag = 0;
        internal::check(MPI_Test_cancelled(&status, &flag));
        return flag != 0;
    }
    virtual int Get_elements(const Datatype& datatype) const
    {
        int count = MPI_UNDEFINED;
        internal::check(MPI_Get_elements(&status, datatype, &count));
        return count;
    }
    virtual int Get_count(const Datatype& datatype) const
    {
        int count = MPI_UNDEFINED;
        internal::check(MPI_Get_count(&status, datatype, &count));
        return count;
    }
    virtual void Set_cancelled(bool flag) { internal::check(MPI_Status_set_cancelled(&status, flag)); }
    virtual void Set_elements(const Datatype& datatype, int count)
    {
        internal::check(MPI_Status_set_elements(&status, datatype, count));
    }
    int Get_source() const { return status.MPI_SOURCE; }
    int Get_tag() const { return status.MPI_TAG; }
    int Get_error() const { return status.MPI_ERROR; }
    void Set_source(int source) { status.MPI_SOURCE = source; }
    void Set_tag(int tag) { status.MPI_TAG = tag; }
    void Set_error(int error) { status.MPI_ERROR = error; }
};

}
