//! `libpmix.so.2`: where it is, and what is called of it. PMIx is an interface of C; what goes over the wire is its own affair,
//! and differs from release to release.
//!
//! It is looked for where the launcher has it from, so that both are of one build: a launcher may have it in a folder of its
//! own, as that of Open MPI's wheel. In this order:
//!
//! 1. In this process: the program may use PMIx itself.
//! 2. Where an ancestor of this process has it from: the launcher is one, if it lets this user look.
//! 3. In the folders of an installation that the launcher names: `PMIX_PREFIX`, `OPAL_PREFIX`.
//! 4. Where the loader looks.
//!
//! It stays loaded: it has a thread.

use super::super::access;
use super::super::launcher::variable;
use crate::err;
use crate::error::Result;
use crate::shm::maps;
use libc::{c_char, c_int, c_void, size_t};
use std::ffi::{CStr, CString};
use std::mem::{offset_of, transmute_copy};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

/// The name since PMIx 2.
const NAME: &str = "libpmix.so.2";

/// A process, by the name of its job and its rank there.
#[repr(C)]
#[derive(Clone)]
pub struct Proc {
    pub nspace: [c_char; 256],
    pub rank: u32,
}

/// A value of one of many types.
#[repr(C)]
pub struct Value {
    pub kind: u16,
    pub data: Data,
}

/// Of the types those that are used here, and the size of the largest.
#[repr(C)]
pub union Data {
    pub flag: bool,
    pub string: *mut c_char,
    pub size: u64,
    pub integer: i32,
    pub uint16: u16,
    pub uint32: u32,
    words: [u64; 3],
}

/// A value with a name.
#[repr(C)]
pub struct Info {
    pub key: [c_char; 512],
    pub flags: u32,
    pub value: Value,
}

// As a C compiler lays them out.
const _: () = assert!(size_of::<Proc>() == 260);
const _: () = assert!(size_of::<Value>() == 32 && offset_of!(Value, data) == 8);
const _: () = assert!(size_of::<Info>() == 552 && offset_of!(Info, value) == 520);

/// What is called when something happens: number of the handler, what happened, where, and what else is known of it; then the
/// function and its argument by which the library is told that it has been handled.
pub type Handler = extern "C" fn(
    size_t,
    c_int,
    *const Proc,
    *mut Info,
    size_t,
    *mut Info,
    size_t,
    Option<Handled>,
    *mut c_void,
);
pub type Handled = extern "C" fn(c_int, *mut Info, size_t, *mut c_void, *mut c_void, *mut c_void);

/// The functions. Those that give a status give 0 where all is well.
pub struct Library {
    pub path: PathBuf,
    pub init: unsafe extern "C" fn(*mut Proc, *mut Info, size_t) -> c_int,
    pub finalize: unsafe extern "C" fn(*const Info, size_t) -> c_int,
    pub abort: unsafe extern "C" fn(c_int, *const c_char, *mut Proc, size_t) -> c_int,
    pub put: unsafe extern "C" fn(u8, *const c_char, *mut Value) -> c_int,
    pub commit: unsafe extern "C" fn() -> c_int,
    pub fence: unsafe extern "C" fn(*const Proc, size_t, *const Info, size_t) -> c_int,
    pub get: unsafe extern "C" fn(
        *const Proc,
        *const c_char,
        *const Info,
        size_t,
        *mut *mut Value,
    ) -> c_int,
    pub register: unsafe extern "C" fn(
        *mut c_int,
        size_t,
        *mut Info,
        size_t,
        Handler,
        *mut c_void,
        *mut c_void,
    ) -> c_int,
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
}

impl Library {
    /// Loads it. Error: why the loader could not, of the place that was looked at last.
    pub fn load() -> Result<Library> {
        let mut reason = String::new();
        for path in places() {
            match open(&path, libc::RTLD_NOW | libc::RTLD_LOCAL).and_then(Library::of) {
                Ok(library) => return Ok(library),
                Err(why) => reason = why,
            }
        }
        Err(err!(Other, "{reason}"))
    }

    fn of(handle: NonNull<c_void>) -> std::result::Result<Library, String> {
        // SAFETY: these names are functions of these types in all releases of PMIx from 2 on.
        unsafe {
            Ok(Library {
                path: file_of(symbol(handle, c"PMIx_Init")?),
                init: function(handle, c"PMIx_Init")?,
                finalize: function(handle, c"PMIx_Finalize")?,
                abort: function(handle, c"PMIx_Abort")?,
                put: function(handle, c"PMIx_Put")?,
                commit: function(handle, c"PMIx_Commit")?,
                fence: function(handle, c"PMIx_Fence")?,
                get: function(handle, c"PMIx_Get")?,
                register: function(handle, c"PMIx_Register_event_handler")?,
                error_string: function(handle, c"PMIx_Error_string")?,
            })
        }
    }

    /// What a status says.
    pub fn words(&self, status: c_int) -> String {
        // SAFETY: the function takes any number, and what it gives is a constant.
        let name = unsafe { (self.error_string)(status) };
        match name.is_null() {
            true => format!("status {status}"),
            // SAFETY: a string of C.
            false => unsafe { CStr::from_ptr(name) }
                .to_string_lossy()
                .into_owned(),
        }
    }
}

fn symbol(handle: NonNull<c_void>, name: &CStr) -> std::result::Result<NonNull<c_void>, String> {
    // SAFETY: the handle is one of dlopen's, the name a string of C.
    let address = unsafe { libc::dlsym(handle.as_ptr(), name.as_ptr()) };
    NonNull::new(address).ok_or_else(last_error)
}

/// A function of the library.
///
/// # Safety
/// `F` is a pointer to a function of the type that the named one has.
unsafe fn function<F>(handle: NonNull<c_void>, name: &CStr) -> std::result::Result<F, String> {
    const { assert!(size_of::<F>() == size_of::<NonNull<c_void>>()) };
    let address = symbol(handle, name)?;
    // SAFETY: the caller's promise.
    Ok(unsafe { transmute_copy(&address) })
}

/// Where the library may be, in the order of the module's head.
fn places() -> impl Iterator<Item = PathBuf> {
    let loaded = open(Path::new(NAME), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
    let here = loaded.ok().map(|_| PathBuf::from(NAME));
    let parent = std::os::unix::process::parent_id();
    let prefixes = ["PMIX_PREFIX", "OPAL_PREFIX"]
        .into_iter()
        .filter_map(variable);
    let folders = |prefix: String| {
        let folders = ["lib", "lib64", "lib/openmpi"];
        folders.map(|folder| Path::new(&prefix).join(folder).join(NAME))
    };
    let named = prefixes.flat_map(folders).filter(|path| path.exists());
    here.into_iter()
        .chain(access::lineage(parent).find_map(loaded_by))
        .chain(named)
        .chain([PathBuf::from(NAME)])
}

/// The file of the library that a process has loaded.
fn loaded_by(pid: u32) -> Option<PathBuf> {
    let maps = maps::read(&format!("/proc/{pid}/maps"))?;
    maps.lines().find_map(file_in)
}

/// The library's file, if that is what a line of /proc/PID/maps tells of.
fn file_in(line: &str) -> Option<PathBuf> {
    let path = Path::new(&line[line.find('/')?..]);
    let name = path.file_name()?.to_str()?;
    (name.starts_with("libpmix.so") && path.exists()).then(|| path.to_path_buf())
}

fn open(path: &Path, flags: c_int) -> std::result::Result<NonNull<c_void>, String> {
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
    // SAFETY: what runs when a library is loaded is the library's; this one is made for it.
    NonNull::new(unsafe { libc::dlopen(name.as_ptr(), flags) }).ok_or_else(last_error)
}

/// Why the loader could not.
fn last_error() -> String {
    // SAFETY: a string of C, or null.
    let error = unsafe { libc::dlerror() };
    match error.is_null() {
        true => "the loader gives no reason".to_string(),
        // SAFETY: as above; it is copied before the next call.
        false => unsafe { CStr::from_ptr(error) }
            .to_string_lossy()
            .into_owned(),
    }
}

/// The file that a function was loaded from.
fn file_of(function: NonNull<c_void>) -> PathBuf {
    let mut place = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: the answer is written whole where the call succeeds, and its name is a string of the loader's.
    unsafe {
        match libc::dladdr(function.as_ptr(), place.as_mut_ptr()) {
            0 => PathBuf::from(NAME),
            _ => {
                let name = CStr::from_ptr(place.assume_init().dli_fname);
                PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_the_library_tells_its_file() {
        let folder = std::env::temp_dir().join(format!("rmashm-libpmix-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("libpmix.so.2.6.2");
        std::fs::write(&file, "").unwrap();
        let line = |path: &Path| format!("7f00-7f01 r--p 0 fe:00 123   {}", path.display());
        assert_eq!(file_in(&line(&file)), Some(file.clone()));
        assert_eq!(file_in(&line(&folder.join("libc.so.6"))), None);
        assert_eq!(file_in(&(line(&file) + " (deleted)")), None);
        assert_eq!(file_in("7f00-7f01 rw-p 0 00:00 0  [heap]"), None);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(file_in(&line(&file)), None);
    }
}
