//! What valgrind is told, for which another process's writes are none.

use std::arch::asm;

/// Memcheck's request to take memory as written.
const MAKE_MEM_DEFINED: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16 | 2;

/// Another process has written `len` bytes of memory of this one's own, at `address`. To the processor this is nothing.
pub fn others_wrote(address: usize, len: usize) {
    let request = [MAKE_MEM_DEFINED, address as u64, len as u64, 0, 0, 0];
    // SAFETY: rotations by 128 bits in all and an exchange of a register with itself change nothing but flags; valgrind, which knows them by that,
    // reads the request and puts an answer into rdx.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") request.as_ptr(),
            inlateout("rdx") 0_u64 => _,
            options(nostack)
        );
    }
}
