/* Arrays of C's handles, for functions that take arrays of objects. */

namespace MPI {
namespace internal {

/* An array of `Plain` for `count` objects. */
template <class Plain>
class Array {
    enum { FEW = 16 };
    Plain few[FEW];
    Plain* all;

    Array(const Array&);
    Array& operator=(const Array&);

public:
    explicit Array(int count) : all(count <= FEW ? few : new Plain[static_cast<unsigned>(count)]) {}
    template <class Object>
    Array(int count, const Object* objects) : all(count <= FEW ? few : new Plain[static_cast<unsigned>(count)])
    {
        for (int i = 0; i < count; i++)
            all[i] = static_cast<Plain>(objects[i]);
    }
    ~Array()
    {
        if (all != few)
            delete[] all;
    }
    operator Plain*() { return all; }

    /* Gives the objects what is in the array. */
    template <class Object>
    void store(int count, Object* objects) const
    {
        for (int i = 0; i < count; i++)
            objects[i] = all[i];
    }
};

}
}
