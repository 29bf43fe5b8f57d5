//! How operations ended, as C sees it: statuses, and errors in statuses (MPI 4.1 §3.2.5, §3.7.5).

use crate::abi::boundary::arguments::Out;
use crate::abi::boundary::pointers::Mut;
use crate::err;
use crate::error::{Error, Result, register};
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::p2p::completion::Found;
use crate::transport::Outcome;
use std::ffi::c_int;

/// The status of a function that completes one operation. Its `MPI_ERROR` is written with the empty status only (MPI 4.1
/// §3.2.5).
pub struct Single<'a>(Option<Out<'a, MPI_Status>>);

impl<'a> Mut<'a, MPI_Status> {
    /// The place for one status, or `MPI_STATUS_IGNORE`. Errors: `MPI_ERR_ARG` for a null or misaligned pointer.
    #[inline(always)]
    pub fn single(self) -> Result<Single<'a>> {
        self.status().map(Single)
    }
}

impl Single<'_> {
    pub fn set(&self, status: &MPI_Status) {
        if let Some(place) = &self.0 {
            place.set_but_error(status);
        }
    }

    /// Writes the empty status, all of it (MPI 4.1 §3.7.3).
    pub fn set_empty(&self) {
        if let Some(place) = &self.0 {
            place.set(MPI_Status::EMPTY);
        }
    }

    /// Writes the status that an outcome has.
    pub fn tell(&self, outcome: &Outcome) {
        match outcome.is_empty {
            true => self.set_empty(),
            false => self.set(&outcome.status),
        }
    }

    /// The same; the result is the operation's.
    pub fn report(self, outcome: Outcome) -> Result<()> {
        self.tell(&outcome);
        outcome.error.map_or(Ok(()), Err)
    }
}

/// The statuses of a function that completes several operations. `MPI_ERROR` is written only with empty statuses, or if an
/// operation failed.
pub struct Several<'a> {
    places: Option<&'a mut [MPI_Status]>,
    /// The index and the outcome of the operations until one has failed.
    put: usize,
    failed: Option<Error>,
}

impl Several<'_> {
    /// The places for `count` statuses, or `MPI_STATUSES_IGNORE`. Errors: `MPI_ERR_ARG` for a null or misaligned pointer.
    pub fn new<'a>(pointer: Mut<'a, MPI_Status>, count: usize) -> Result<Several<'a>> {
        let places = match pointer.pointer() {
            MPI_STATUSES_IGNORE => None,
            _ => Some(pointer.slice_mut(count, "array_of_statuses")?),
        };
        Ok(Several {
            places,
            put: 0,
            failed: None,
        })
    }

    /// Writes the status with index `i`. Indices come in order.
    #[inline]
    pub fn put(&mut self, i: usize, outcome: &Outcome) {
        self.put = i + 1;
        let Some(places) = &mut self.places else {
            if let (None, Some(error)) = (&self.failed, &outcome.error) {
                self.failed = Some(error.clone());
            }
            return;
        };
        let before = places[i].MPI_ERROR;
        places[i] = outcome.status;
        if !outcome.is_empty {
            places[i].MPI_ERROR = before;
        }
        if let Some(error) = &outcome.error {
            if self.failed.is_none() {
                for earlier in &mut places[..i] {
                    earlier.MPI_ERROR = MPI_SUCCESS;
                }
            }
            places[i].MPI_ERROR = register(error);
            self.failed.get_or_insert_with(|| error.clone());
        } else if self.failed.is_some() {
            places[i].MPI_ERROR = MPI_SUCCESS;
        }
    }

    /// The result of the whole: `MPI_ERR_IN_STATUS` if one has failed.
    pub fn result(self) -> Result<()> {
        let Some(error) = self.failed else {
            return Ok(());
        };
        let mut in_status = err!(
            InStatus,
            "one of {} operations failed: {}",
            self.put,
            error.text
        );
        in_status.object = error.object;
        Err(in_status)
    }
}

/// Where a function of several operations says which of them are complete, and how they ended.
pub struct Chosen<'a> {
    outcount: Out<'a, c_int>,
    indices: &'a mut [c_int],
    statuses: Several<'a>,
}

impl Chosen<'_> {
    /// The places for up to `count` operations. Errors: `MPI_ERR_ARG` for a null or misaligned pointer.
    pub fn new<'a>(
        outcount: Mut<'a, c_int>,
        indices: Mut<'a, c_int>,
        statuses: Mut<'a, MPI_Status>,
        count: usize,
    ) -> Result<Chosen<'a>> {
        Ok(Chosen {
            statuses: Several::new(statuses, count)?,
            indices: indices.slice_mut(count, "array_of_indices")?,
            outcount: outcount.out("outcount")?,
        })
    }

    /// Writes what was found: `MPI_UNDEFINED` operations if none is active. The result is that of [`Several::result`].
    pub fn report(mut self, found: Found<Vec<(usize, Outcome)>>) -> Result<()> {
        match found {
            Found::NoneActive => self.outcount.set(MPI_UNDEFINED),
            Found::NoneComplete => self.outcount.set(0),
            Found::Some(over) => {
                self.outcount.set(over.len() as c_int);
                for (n, (i, outcome)) in over.into_iter().enumerate() {
                    self.indices[n] = i as c_int;
                    self.statuses.put(n, &outcome);
                }
            }
        }
        self.statuses.result()
    }
}
