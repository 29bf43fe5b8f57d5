//! Data representations (MPI 4.1 §14.5): how big elements are in a file, and what turns them into those of memory and back.

use super::access::Direction;
use crate::check::threads;
use crate::datatype::{self, Datatype, Named, external};
use crate::error::Result;
use crate::mpi::constants::MPI_MAX_DATAREP_STRING;
use crate::mpi::types::*;
use crate::{bail, err};
use parking_lot::Mutex;
use std::ffi::{CStr, c_int};
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;

/// A data representation.
#[derive(Clone)]
pub enum Representation {
    /// The bytes of memory.
    Native,
    /// The implementation's own, which is the same here.
    Internal,
    External32,
    /// One that the program has registered.
    Own(Arc<Own>),
}

/// What a program has registered.
pub struct Own {
    name: Box<CStr>,
    read: Option<Conversion>,
    write: Option<Conversion>,
    extent: MPI_Datarep_extent_function,
    /// The program's own argument, as a number.
    extra: usize,
    /// What the extent function said of elements.
    sizes: Mutex<Vec<(Named, usize)>>,
}

/// A conversion function, with the count as an `int` or as an `MPI_Count`.
#[derive(Clone, Copy)]
pub enum Conversion {
    Small(MPI_Datarep_conversion_function),
    Large(MPI_Datarep_conversion_function_c),
}

/// A name, and what was registered by it; `None`: its functions cannot be called.
type Registered = (Box<CStr>, Option<Arc<Own>>);

/// What programs have registered. It stays until the process ends.
static REGISTERED: Mutex<Vec<Registered>> = Mutex::new(Vec::new());

const PREDEFINED: [(&str, Representation); 3] = [
    ("native", Representation::Native),
    ("internal", Representation::Internal),
    ("external32", Representation::External32),
];

/// The predefined representation of a name, in any case of letters, as ROMIO takes them.
fn predefined(name: &CStr) -> Option<Representation> {
    let is = |known: &str| known.as_bytes().eq_ignore_ascii_case(name.to_bytes());
    let found = PREDEFINED.into_iter().find(|(known, _)| is(known))?;
    Some(found.1)
}

/// Defines a representation. Without `extent` its functions are such as cannot be called from C, and no file can have it. Errors: `MPI_ERR_ARG` (the name is too long), `MPI_ERR_DUP_DATAREP`.
pub fn register(
    name: &CStr,
    (read, write): (Option<Conversion>, Option<Conversion>),
    extent: Option<MPI_Datarep_extent_function>,
    extra: *mut std::ffi::c_void,
) -> Result<()> {
    if name.count_bytes() >= MPI_MAX_DATAREP_STRING as usize {
        bail!(
            Arg,
            "datarep has {} bytes, and must have fewer than MPI_MAX_DATAREP_STRING",
            name.count_bytes()
        );
    }
    let mut registered = REGISTERED.lock();
    if predefined(name).is_some() || registered.iter().any(|(known, _)| **known == *name) {
        bail!(DupDatarep, "datarep is {name:?}, which is defined already");
    }
    let own = extent.map(|extent| Own {
        name: name.into(),
        read,
        write,
        extent,
        extra: extra.expose_provenance(),
        sizes: Mutex::new(Vec::new()),
    });
    registered.push((name.into(), own.map(Arc::new)));
    Ok(())
}

impl Representation {
    /// The one of a name. Error: `MPI_ERR_UNSUPPORTED_DATAREP`.
    pub fn of(name: &CStr) -> Result<Representation> {
        if let Some(known) = predefined(name) {
            return Ok(known);
        }
        let registered = REGISTERED.lock();
        match registered.iter().find(|(known, _)| **known == *name) {
            Some((_, Some(own))) => Ok(Representation::Own(own.clone())),
            Some((_, None)) => bail!(
                UnsupportedDatarep,
                "datarep is {name:?}, whose functions are procedures of Fortran that MPICH's or Open MPI's own library gave as functions of \
                 C: only with this library's mpifort can they be called"
            ),
            None => bail!(
                UnsupportedDatarep,
                "datarep is {name:?}, which is not \"native\", \"internal\", \"external32\" or one that was registered"
            ),
        }
    }

    pub fn name(&self) -> String {
        match self {
            Representation::Own(own) => own.name.to_string_lossy().into_owned(),
            Representation::Native => PREDEFINED[0].0.into(),
            Representation::Internal => PREDEFINED[1].0.into(),
            Representation::External32 => PREDEFINED[2].0.into(),
        }
    }

    /// Whether elements in the file are others than in memory.
    pub fn is_native(&self) -> bool {
        matches!(self, Representation::Native | Representation::Internal)
    }

    /// Whether an access converts. One for which the program has given no function is native.
    pub fn converts(&self, direction: Direction) -> bool {
        match self {
            Representation::Native | Representation::Internal => false,
            Representation::External32 => true,
            Representation::Own(own) => own.conversion(direction).is_some(),
        }
    }

    /// Bytes of an element in the file. Error: `MPI_ERR_CONVERSION` if the program's function fails, or says what cannot be.
    pub fn size_of(&self, named: Named) -> Result<usize> {
        match self {
            Representation::Native | Representation::Internal => Ok(external::native_size(named)),
            Representation::External32 => Ok(external::size_of(named)),
            Representation::Own(own) => own.size_of(named),
        }
    }

    /// A datatype as it lies in the file. Errors: as [`Representation::size_of`].
    pub fn in_file(&self, datatype: &Arc<Datatype>) -> Result<Arc<Datatype>> {
        match self.is_native() {
            true => Ok(datatype.clone()),
            false => datatype::scaled(datatype, &mut |named| self.size_of(named)),
        }
    }

    /// Bytes in the file of `count` elements of a datatype. Errors: as [`Representation::size_of`], `MPI_ERR_COUNT`.
    pub fn bytes(&self, datatype: &Datatype, count: usize) -> Result<usize> {
        let mut failed = None;
        let mut sizes = |named: Named| match self.size_of(named) {
            Ok(size) => size,
            Err(error) => {
                failed = Some(error);
                0
            }
        };
        // Each kind of elements is asked for once: `sum` has no place for errors.
        let mut known: Vec<(Named, usize)> = Vec::new();
        datatype.signature().for_each_kind(&mut |named| {
            if !known.iter().any(|(other, _)| *other == named) {
                known.push((named, sizes(named)));
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let size = |named: Named| known.iter().find(|k| k.0 == named).map_or(0, |k| k.1);
        datatype
            .signature()
            .sum(&size)
            .and_then(|bytes| bytes.checked_mul(count))
            .filter(|&bytes| bytes <= isize::MAX as usize)
            .ok_or_else(|| {
                err!(
                    Count,
                    "count is {count}, and that many elements do not fit in a file"
                )
            })
    }
}

impl Own {
    fn conversion(&self, direction: Direction) -> Option<Conversion> {
        match direction {
            Direction::Read => self.read,
            Direction::Write => self.write,
        }
    }

    fn size_of(&self, named: Named) -> Result<usize> {
        let known = |sizes: &Vec<(Named, usize)>| {
            let found = sizes.iter().find(|(other, _)| *other == named);
            found.map(|&(_, size)| size)
        };
        if let Some(size) = known(&self.sizes.lock()) {
            return Ok(size);
        }
        let (extra, mut extent) = (with_exposed_provenance_mut(self.extra), 0);
        // SAFETY: the program's function, which it registered for this.
        let code = threads::calling("the extent function of a data representation", || unsafe {
            (self.extent)(named.handle().foreign(), &mut extent, extra)
        });
        if code != 0 || extent <= 0 {
            bail!(
                Conversion,
                "dtype_file_extent_fn of {:?} returned {code} and an extent of {extent} for {}",
                self.name,
                named.name()
            );
        }
        let mut sizes = self.sizes.lock();
        if known(&sizes).is_none() {
            sizes.push((named, extent as usize));
        }
        Ok(extent as usize)
    }

    /// Calls a conversion function for so many elements, from number `position` of the program's buffer on. Error:
    /// `MPI_ERR_CONVERSION`.
    ///
    /// # Safety
    /// The elements are at `userbuf` as the datatype says, and `filebuf` has room for them in this representation.
    pub unsafe fn convert(
        &self,
        direction: Direction,
        (userbuf, datatype, position): (usize, MPI_Datatype, usize),
        count: usize,
        filebuf: *mut u8,
    ) -> Result<()> {
        let (userbuf, filebuf) = (with_exposed_provenance_mut(userbuf), filebuf.cast());
        let (position, extra) = (
            position as MPI_Offset,
            with_exposed_provenance_mut(self.extra),
        );
        let datatype = datatype.foreign();
        let what = "a conversion function of a data representation";
        let code = match self.conversion(direction) {
            None => return Ok(()),
            Some(Conversion::Small(convert)) => threads::calling(what, || {
                let count = count as c_int;
                // SAFETY: the caller's promise; a piece has no more elements than an `int` can tell.
                unsafe { convert(userbuf, datatype, count, filebuf, position, extra) }
            }),
            Some(Conversion::Large(convert)) => threads::calling(what, || {
                let count = count as MPI_Count;
                // SAFETY: the caller's promise.
                unsafe { convert(userbuf, datatype, count, filebuf, position, extra) }
            }),
        };
        match code {
            0 => Ok(()),
            _ => bail!(
                Conversion,
                "the conversion function of {:?} for {} returned {code}",
                self.name,
                match direction {
                    Direction::Read => "reading",
                    Direction::Write => "writing",
                }
            ),
        }
    }
}
