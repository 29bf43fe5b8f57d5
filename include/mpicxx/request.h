/* Requests (MPI-2.2 3.7): their completion, persistent ones (3.9), and those of the program's own (12.2). */

namespace MPI {

class Request {
protected:
    MPI_Request handle;

    typedef internal::Array<MPI_Request> Handles;
    typedef internal::Array<MPI_Status> Statuses;

public:
    Request() : handle(MPI_REQUEST_NULL) {}
    Request(MPI_Request request) : handle(request) {}
    Request(const Request& other) : handle(other.handle) {}
    virtual ~Request() {}
    Request& operator=(const Request& other) { return *this = other.handle; }
    Request& operator=(const MPI_Request& request)
    {
        handle = request;
        return *this;
    }
    bool operator==(const Request& other) const { return handle == other.handle; }
    bool operator!=(const Request& other) const { return handle != other.handle; }
    operator MPI_Request*() { return &handle; }
    operator MPI_Request() const { return handle; }

    static bool Testany(int count, Request requests[], int& index, Status& status)
    {
        int flag = 0;
        Handles handles(count, requests);
        int code = MPI_Testany(count, handles, &index, &flag, status);
        handles.store(count, requests);
        internal::check(code);
        return flag != 0;
    }
    static bool Testany(int count, Request requests[], int& index)
    {
        Status ignored;
        return Testany(count, requests, index, ignored);
    }
    static int Waitsome(int incount, Request requests[], int indices[], Status statuses[])
    {
        return some(MPI_Waitsome, incount, requests, indices, statuses);
    }
    static int Waitsome(int incount, Request requests[], int indices[])
    {
        return some(MPI_Waitsome, incount, requests, indices);
    }
    virtual void Free() { internal::check(MPI_Request_free(&handle)); }
    static bool Testall(int count, Request requests[], Status statuses[])
    {
        int flag = 0;
        Handles handles(count, requests);
        Statuses plain(count, statuses);
        int code = MPI_Testall(count, handles, &flag, plain);
        handles.store(count, requests);
        if (flag || code != MPI_SUCCESS)
            plain.store(count, statuses);
        internal::check(code);
        return flag != 0;
    }
    static bool Testall(int count, Request requests[])
    {
        int flag = 0;
        Handles handles(count, requests);
        int code = MPI_Testall(count, handles, &flag, MPI_STATUSES_IGNORE);
        handles.store(count, requests);
        internal::check(code);
        return flag != 0;
    }
    virtual void Wait(Status& status) { internal::check(MPI_Wait(&handle, status)); }
    virtual void Wait() { internal::check(MPI_Wait(&handle, MPI_STATUS_IGNORE)); }
    static int Testsome(int incount, Request requests[], int indices[], Status statuses[])
    {
        return some(MPI_Testsome, incount, requests, indices, statuses);
    }
    static int Testsome(int incount, Request requests[], int indices[])
    {
        return some(MPI_Testsome, incount, requests, indices);
    }
    static void Waitall(int count, Request requests[], Status statuses[])
    {
        Handles handles(count, requests);
        Statuses plain(count, statuses);
        int code = MPI_Waitall(count, handles, plain);
        handles.store(count, requests);
        plain.store(count, statuses);
        internal::check(code);
    }
    static void Waitall(int count, Request requests[])
    {
        Handles handles(count, requests);
        int code = MPI_Waitall(count, handles, MPI_STATUSES_IGNORE);
        handles.store(count, requests);
        internal::check(code);
    }
    static int Waitany(int count, Request requests[], Status& status)
    {
        int index = MPI_UNDEFINED;
        Handles handles(count, requests);
        int code = MPI_Waitany(count, handles, &index, status);
        handles.store(count, requests);
        internal::check(code);
        return index;
    }
    static int Waitany(int count, Request requests[])
    {
        Status ignored;
        return Waitany(count, requests, ignored);
    }
    virtual bool Test(Status& status)
    {
        int flag = 0;
        internal::check(MPI_Test(&handle, &flag, status));
        return flag != 0;
    }
    virtual bool Test()
    {
        int flag = 0;
        internal::check(MPI_Test(&handle, &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    }
    virtual void Cancel() const
    {
        MPI_Request request = handle;
        internal::check(MPI_Cancel(&request));
    }
    virtual bool Get_status(Status& status) const
    {
        int flag = 0;
        internal::check(MPI_Request_get_status(handle, &flag, status));
        return flag != 0;
    }
    virtual bool Get_status() const
    {
        int flag = 0;
        internal::check(MPI_Request_get_status(handle, &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    }

private:
    typedef int Some(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]);

    static int some(Some* call, int incount, Request requests[], int indices[])
    {
        int outcount = MPI_UNDEFINED;
        Handles handles(incount, requests);
        int code = call(incount, handles, &outcount, indices, MPI_STATUSES_IGNORE);
        handles.store(incount, requests);
        internal::check(code);
        return outcount;
    }
    static int some(Some* call, int incount, Request requests[], int indices[], Status statuses[])
    {
        int outcount = MPI_UNDEFINED;
        Handles handles(incount, requests);
        Statuses plain(incount, statuses);
        int code = call(incount, handles, &outcount, indices, plain);
        handles.store(incount, requests);
        if (outcount != MPI_UNDEFINED)
            plain.store(outcount, statuses);
        internal::check(code);
        return outcount;
    }
};

class Prequest : public Request {
public:
    Prequest() {}
    Prequest(MPI_Request request) : Request(request) {}
    Prequest(const Request& other) : Request(other) {}
    Prequest(const Prequest& other) : Request(other) {}
    virtual ~Prequest() {}
    Prequest& operator=(const Request& other) { return *this = static_cast<MPI_Request>(other); }
    Prequest& operator=(const Prequest& other) { return *this = other.handle; }
    Prequest& operator=(const MPI_Request& request)
    {
        handle = request;
        return *this;
    }

    virtual void Start() { internal::check(MPI_Start(&handle)); }
    static void Startall(int count, Prequest requests[])
    {
        Handles handles(count, requests);
        int code = MPI_Startall(count, handles);
        handles.store(count, requests);
        internal::check(code);
    }
};

class Grequest : public Request {
public:
    typedef int Query_function(void* extra_state, Status& status);
    typedef int Free_function(void* extra_state);
    typedef int Cancel_function(void* extra_state, bool complete);

    Grequest() {}
    Grequest(MPI_Request request) : Request(request) {}
    Grequest(const Request& other) : Request(other) {}
    Grequest(const Grequest& other) : Request(other) {}
    virtual ~Grequest() {}
    Grequest& operator=(const Request& other) { return *this = static_cast<MPI_Request>(other); }
    Grequest& operator=(const Grequest& other) { return *this = other.handle; }
    Grequest& operator=(const MPI_Request& request)
    {
        handle = request;
        return *this;
    }

    virtual void Complete() { internal::check(MPI_Grequest_complete(handle)); }
    /* Static, as in the standard. MPICH's library has one with these four arguments that is not. */
    static Grequest Start(Query_function* query, Free_function* free, Cancel_function* cancel, void* extra_state, int = 0)
    {
        Grequest made;
        Functions* functions = new Functions(query, free, cancel, extra_state);
        int code = MPI_Grequest_start(Functions::call_query, Functions::call_free, Functions::call_cancel, functions, &made.handle);
        if (code != MPI_SUCCESS)
            delete functions;
        internal::check(code);
        return made;
    }

private:
    /* The program's functions, which C gets as the state of its own. */
    struct Functions {
        Query_function* query;
        Free_function* free;
        Cancel_function* cancel;
        void* extra_state;

        Functions(Query_function* q, Free_function* f, Cancel_function* c, void* extra)
            : query(q), free(f), cancel(c), extra_state(extra)
        {
        }
        static int call_query(void* functions, MPI_Status* status)
        {
            Functions* self = static_cast<Functions*>(functions);
            Status given(*status);
            int code = self->query(self->extra_state, given);
            *status = given;
            return code;
        }
        static int call_free(void* functions)
        {
            Functions* self = static_cast<Functions*>(functions);
            int code = self->free(self->extra_state);
            delete self;
            return code;
        }
        static int call_cancel(void* functions, int complete)
        {
            Functions* self = static_cast<Functions*>(functions);
            return self->cancel(self->extra_state, complete != 0);
        }
    };
};

}
