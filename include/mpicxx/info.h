/* Info objects (MPI-2.2 chapter 9). */

namespace MPI {

class Info {
protected:
    MPI_Info handle;

public:
    Info() : handle(MPI_INFO_NULL) {}
    Info(MPI_Info info) : handle(info) {}
    Info(const Info& other) : handle(other.handle) {}
    virtual ~Info() {}
    Info& operator=(const Info& other) { return *this = other.handle; }
    Info& operator=(const MPI_Info& info)
    {
        handle = info;
        return *this;
    }
    bool operator==(const Info& other) const { return handle == other.handle; }
    bool operator!=(const Info& other) const { return handle != other.handle; }
    operator MPI_Info*() { return &handle; }
    operator MPI_Info() const { return handle; }

    virtual void Delete(const char* key) { internal::check(MPI_Info_delete(handle, key)); }
    virtual void Get_nthkey(int n, char* key) const { internal::check(MPI_Info_get_nthkey(handle, n, key)); }
    virtual void Free() { internal::check(MPI_Info_free(&handle)); }
    static Info Create()
    {
        Info made;
        internal::check(MPI_Info_create(&made.handle));
        return made;
    }
    virtual void Set(const char* key, const char* value) { internal::check(MPI_Info_set(handle, key, value)); }
    Info Dup() const
    {
        Info made;
        internal::check(MPI_Info_dup(handle, &made.handle));
        return made;
    }
    virtual bool Get_valuelen(const char* key, int& valuelen) const
    {
        int flag = 0;
        internal::check(MPI_Info_get_valuelen(handle, key, &valuelen, &flag));
        return flag != 0;
    }
    virtual bool Get(const char* key, int valuelen, char* value) const
    {
        int flag = 0;
        internal::check(MPI_Info_get(handle, key, valuelen, value, &flag));
        return flag != 0;
    }
    virtual int Get_nkeys() const
    {
        int nkeys = 0;
        internal::check(MPI_Info_get_nkeys(handle, &nkeys));
        return nkeys;
    }
};

}
