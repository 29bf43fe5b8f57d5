// How std::exception_ptr counts its references. g++ 11 and newer call two functions for it that no older libstdc++ exports. Here
// they are, hidden in the library, by the constructor and the destructor that all have exported since GCC 4.4: by their version, as
// the compiler has made functions of the same names, which call those below.

__asm__(".symver copy_construct, _ZNSt15__exception_ptr13exception_ptrC1ERKS0_@CXXABI_1.3.3");
__asm__(".symver destroy, _ZNSt15__exception_ptr13exception_ptrD1Ev@CXXABI_1.3.3");

extern "C" {

void copy_construct(void* made, const void* other);
void destroy(void* pointer);

void add_reference(void* pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
void release(void* pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");

void add_reference(void* pointer)
{
    // The copy is one more reference, and is never destroyed.
    void* copy;
    copy_construct(&copy, pointer);
}

void release(void* pointer) { destroy(pointer); }

}
