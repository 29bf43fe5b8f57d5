/* Files (MPI-2.2 chapter 13). */

namespace MPI {

class File {
protected:
    MPI_File handle;

    void check(int errorcode) const { internal::check(errorcode, *this); }

public:
    typedef void Errhandler_function(File&, int*, ...);
    typedef Errhandler_function Errhandler_fn;

    File() : handle(MPI_FILE_NULL) {}
    File(MPI_File file) : handle(file) {}
    File(const File& other) : handle(other.handle) {}
    virtual ~File() {}
    File& operator=(const File& other) { return *this = other.handle; }
    File& operator=(const MPI_File& file)
    {
        handle = file;
        return *this;
    }
    bool operator==(const File& other) const { return handle == other.handle; }
    bool operator!=(const File& other) const { return handle != other.handle; }
    operator MPI_File*() { return &handle; }
    operator MPI_File() const { return handle; }

    virtual Aint Get_type_extent(const Datatype& datatype) const
    {
        MPI_Aint extent = 0;
        check(MPI_File_get_type_extent(handle, datatype, &extent));
        return extent;
    }
    virtual void Read_ordered_end(void* buf, Status& status) { check(MPI_File_read_ordered_end(handle, buf, status)); }
    virtual void Read_ordered_end(void* buf) { check(MPI_File_read_ordered_end(handle, buf, MPI_STATUS_IGNORE)); }
    virtual void Seek_shared(Offset offset, int whence) { check(MPI_File_seek_shared(handle, offset, whence)); }
    virtual void Read_ordered(void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_read_ordered(handle, buf, count, datatype, status));
    }
    virtual void Read_ordered(void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_read_ordered(handle, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual Request Iread_shared(void* buf, int count, const Datatype& datatype)
    {
        Request request;
        check(MPI_File_iread_shared(handle, buf, count, datatype, request));
        return request;
    }
    virtual Info Get_info() const
    {
        Info info;
        check(MPI_File_get_info(handle, info));
        return info;
    }
    virtual void Write_ordered_begin(const void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_write_ordered_begin(handle, buf, count, datatype));
    }
    virtual void Set_info(const Info& info) { check(MPI_File_set_info(handle, info)); }
    virtual void Write_ordered(const void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_write_ordered(handle, buf, count, datatype, status));
    }
    virtual void Write_ordered(const void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_write_ordered(handle, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual void Sync() { check(MPI_File_sync(handle)); }
    virtual void Read(void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_read(handle, buf, count, datatype, status));
    }
    virtual void Read(void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_read(handle, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual void Write_all(const void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_write_all(handle, buf, count, datatype, status));
    }
    virtual void Write_all(const void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_write_all(handle, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual Offset Get_size() const
    {
        MPI_Offset size = 0;
        check(MPI_File_get_size(handle, &size));
        return size;
    }
    virtual void Write_all_end(const void* buf, Status& status) { check(MPI_File_write_all_end(handle, buf, status)); }
    virtual void Write_all_end(const void* buf) { check(MPI_File_write_all_end(handle, buf, MPI_STATUS_IGNORE)); }
    /* Errors of calls that have no file yet, or none any more, are those of MPI::FILE_NULL. */
    static void Delete(const char* filename, const Info& info) { File().check(MPI_File_delete(filename, info)); }
    virtual void Read_ordered_begin(void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_read_ordered_begin(handle, buf, count, datatype));
    }
    virtual Request Iread_at(Offset offset, void* buf, int count, const Datatype& datatype)
    {
        Request request;
        check(MPI_File_iread_at(handle, offset, buf, count, datatype, request));
        return request;
    }
    virtual void Write_at_all_end(const void* buf, Status& status) { check(MPI_File_write_at_all_end(handle, buf, status)); }
    virtual void Write_at_all_end(const void* buf) { check(MPI_File_write_at_all_end(handle, buf, MPI_STATUS_IGNORE)); }
    virtual Offset Get_position_shared() const
    {
        MPI_Offset offset = 0;
        check(MPI_File_get_position_shared(handle, &offset));
        return offset;
    }
    virtual void Write_shared(const void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_write_shared(handle, buf, count, datatype, status));
    }
    virtual void Write_shared(const void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_write_shared(handle, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual Request Iwrite_at(Offset offset, const void* buf, int count, const Datatype& datatype)
    {
        Request request;
        check(MPI_File_iwrite_at(handle, offset, buf, count, datatype, request));
        return request;
    }
    virtual void Get_view(Offset& disp, Datatype& etype, Datatype& filetype, char* datarep) const
    {
        check(MPI_File_get_view(handle, &disp, etype, filetype, datarep));
    }
    virtual void Write_all_begin(const void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_write_all_begin(handle, buf, count, datatype));
    }
    virtual void Read_all_end(void* buf, Status& status) { check(MPI_File_read_all_end(handle, buf, status)); }
    virtual void Read_all_end(void* buf) { check(MPI_File_read_all_end(handle, buf, MPI_STATUS_IGNORE)); }
    virtual Offset Get_byte_offset(const Offset offset) const
    {
        MPI_Offset disp = 0;
        check(MPI_File_get_byte_offset(handle, offset, &disp));
        return disp;
    }
    virtual Request Iread(void* buf, int count, const Datatype& datatype)
    {
        Request request;
        check(MPI_File_iread(handle, buf, count, datatype, request));
        return request;
    }
    virtual void Read_at_all_end(void* buf, Status& status) { check(MPI_File_read_at_all_end(handle, buf, status)); }
    virtual void Read_at_all_end(void* buf) { check(MPI_File_read_at_all_end(handle, buf, MPI_STATUS_IGNORE)); }
    virtual void Write_at(Offset offset, const void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_write_at(handle, offset, buf, count, datatype, status));
    }
    virtual void Write_at(Offset offset, const void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_write_at(handle, offset, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual void Write_at_all_begin(Offset offset, const void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_write_at_all_begin(handle, offset, buf, count, datatype));
    }
    virtual Errhandler Get_errhandler() const
    {
        Errhandler errhandler;
        check(MPI_File_get_errhandler(handle, errhandler));
        return errhandler;
    }
    virtual int Get_amode() const
    {
        int amode = 0;
        check(MPI_File_get_amode(handle, &amode));
        return amode;
    }
    virtual void Set_atomicity(bool flag) { check(MPI_File_set_atomicity(handle, flag)); }
    virtual Group Get_group() const
    {
        Group group;
        check(MPI_File_get_group(handle, group));
        return group;
    }
    virtual Offset Get_position() const
    {
        MPI_Offset offset = 0;
        check(MPI_File_get_position(handle, &offset));
        return offset;
    }
    static File Open(const Intracomm& comm, const char* filename, int amode, const Info& info);
    virtual void Seek(Offset offset, int whence) { check(MPI_File_seek(handle, offset, whence)); }
    virtual void Read_all_begin(void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_read_all_begin(handle, buf, count, datatype));
    }
    virtual void Read_at_all_begin(Offset offset, void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_read_at_all_begin(handle, offset, buf, count, datatype));
    }
    virtual void Read_all(void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_read_all(handle, buf, count, datatype, status));
    }
    virtual void Read_all(void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_read_all(handle, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual void Preallocate(Offset size) { check(MPI_File_preallocate(handle, size)); }
    virtual void Read_at_all(Offset offset, void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_read_at_all(handle, offset, buf, count, datatype, status));
    }
    virtual void Read_at_all(Offset offset, void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_read_at_all(handle, offset, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual void Read_shared(void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_read_shared(handle, buf, count, datatype, status));
    }
    virtual void Read_shared(void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_read_shared(handle, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual Request Iwrite(const void* buf, int count, const Datatype& datatype)
    {
        Request request;
        check(MPI_File_iwrite(handle, buf, count, datatype, request));
        return request;
    }
    virtual Request Iwrite_shared(const void* buf, int count, const Datatype& datatype)
    {
        Request request;
        check(MPI_File_iwrite_shared(handle, buf, count, datatype, request));
        return request;
    }
    virtual void Set_errhandler(const Errhandler& errhandler) { check(MPI_File_set_errhandler(handle, errhandler)); }
    virtual void Write_at_all(Offset offset, const void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_write_at_all(handle, offset, buf, count, datatype, status));
    }
    virtual void Write_at_all(Offset offset, const void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_write_at_all(handle, offset, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual void Set_size(Offset size) { check(MPI_File_set_size(handle, size)); }
    virtual void Set_view(Offset disp, const Datatype& etype, const Datatype filetype, const char* datarep, const Info& info)
    {
        check(MPI_File_set_view(handle, disp, etype, filetype, datarep, info));
    }
    virtual void Read_at(Offset offset, void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_read_at(handle, offset, buf, count, datatype, status));
    }
    virtual void Read_at(Offset offset, void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_read_at(handle, offset, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual void Close()
    {
        const File closed(*this);
        const int code = MPI_File_close(&handle);
        closed.check(code);
    }
    virtual void Write_ordered_end(const void* buf, Status& status) { check(MPI_File_write_ordered_end(handle, buf, status)); }
    virtual void Write_ordered_end(const void* buf) { check(MPI_File_write_ordered_end(handle, buf, MPI_STATUS_IGNORE)); }
    virtual void Write(const void* buf, int count, const Datatype& datatype, Status& status)
    {
        check(MPI_File_write(handle, buf, count, datatype, status));
    }
    virtual void Write(const void* buf, int count, const Datatype& datatype)
    {
        check(MPI_File_write(handle, buf, count, datatype, MPI_STATUS_IGNORE));
    }
    virtual bool Get_atomicity() const
    {
        int flag = 0;
        check(MPI_File_get_atomicity(handle, &flag));
        return flag != 0;
    }
    virtual void Call_errhandler(int errorcode) const;

    static Errhandler Create_errhandler(Errhandler_function* function);
};

inline File File::Open(const Intracomm& comm, const char* filename, int amode, const Info& info)
{
    File made;
    File().check(MPI_File_open(comm, filename, amode, info, &made.handle));
    return made;
}

typedef int Datarep_extent_function(const Datatype& datatype, Aint& extent, void* extra_state);
typedef int Datarep_conversion_function(void* userbuf, Datatype& datatype, int count, void* filebuf, Offset position,
    void* extra_state);

void Register_datarep(const char* datarep, Datarep_conversion_function* read, Datarep_conversion_function* write,
    Datarep_extent_function* extent, void* extra_state);

}
