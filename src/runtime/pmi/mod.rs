//! A process manager that is not ours: what a rank hears from it, and what it tells it.
//!
//! | protocol | known by                        | spoken                                          | managers                          |
//! |----------|---------------------------------|-------------------------------------------------|-----------------------------------|
//! | PMI-1    | `PMI_FD`                        | lines over that descriptor ([`lines`])          | Hydra, Intel's, `srun --mpi=pmi2` |
//! | PMI-2    | `PMI_FD`, and the manager's word | packets over that descriptor ([`packets`])     | one that refuses PMI-1            |
//! | PMIx     | `PMIX_NAMESPACE`                | by calls of `libpmix.so.2` ([`pmix`])           | `prterun`, Open MPI's `mpirun`, `srun --mpi=pmix` |
//!
//! Nothing in the environment tells PMI-1 from PMI-2: the first line of both is the same, and names the version. Hydra and
//! Slurm's plugin speak both, Intel's goes away without an answer when it is asked for the second. So the first is asked for
//! first, unless `RMASHM_PMI` is 2, and the other one where the manager refuses.
//!
//! Where both kinds of variables are there, one launcher was started by a rank of the other. PMIx launchers close what they
//! inherit, so a `PMI_FD` that is no socket is the outer one's.
//!
//! Of a manager this library needs little: rank and size, two strings from rank 0 to the others, one fence, the end.

mod connection;
mod library;
mod lines;
mod packets;
mod pmix;

use super::launcher::variable;
use super::manager;
use crate::bail;
use crate::error::Result;
use connection::Connection;
use lines::Lines;
use packets::Packets;
use pmix::Client;

/// The process manager, as a rank sees it.
pub struct Pmi {
    protocol: Protocol,
    pub rank: u32,
    pub ranks: u32,
    /// The process manager was told that this rank is done, and listens no more.
    over: bool,
}

enum Protocol {
    One(Lines),
    Two(Packets),
    X(Box<Client>),
}

impl Pmi {
    /// Connects as the environment says; `None` if it names no process manager. Blocks until that has answered.
    pub fn from_env() -> Result<Option<Pmi>> {
        let within_pmix = variable("PMIX_NAMESPACE").is_some() && variable("PMIX_RANK").is_some();
        let Some(fd) = variable("PMI_FD") else {
            return Ok(within_pmix.then(Pmi::by_pmix).transpose()?.flatten());
        };
        match Connection::open(&fd) {
            Ok(connection) => Pmi::over(connection).map(Some),
            Err(_) if within_pmix => Pmi::by_pmix(),
            Err(error) => Err(error),
        }
    }

    /// Agrees with the manager on a version.
    fn over(mut connection: Connection) -> Result<Pmi> {
        let order = match variable("RMASHM_PMI").as_deref() {
            Some("2") => [Version::Two, Version::One],
            _ => [Version::One, Version::Two],
        };
        for version in order {
            if lines::greet(&mut connection, version)? {
                let (protocol, rank, ranks) = match version {
                    Version::One => Lines::begin(connection).map(wrapped(Protocol::One))?,
                    Version::Two => Packets::begin(connection).map(wrapped(Protocol::Two))?,
                };
                return Ok(Pmi::new(protocol, rank, ranks));
            }
        }
        bail!(
            Other,
            "the process manager at PMI_FD refuses both PMI-1 and PMI-2"
        );
    }

    fn by_pmix() -> Result<Option<Pmi>> {
        let client = Client::connect()?;
        Ok(
            client
                .map(|(client, rank, ranks)| Pmi::new(Protocol::X(Box::new(client)), rank, ranks)),
        )
    }

    fn new(protocol: Protocol, rank: u32, ranks: u32) -> Pmi {
        Pmi {
            protocol,
            rank,
            ranks,
            over: false,
        }
    }

    /// Makes this process one that ends when the manager does. Once, when the job is known.
    pub fn live_under(&self) {
        match &self.protocol {
            Protocol::One(lines) => manager::live_under(lines.connection.manager),
            Protocol::Two(packets) => manager::live_under(packets.connection.manager),
            Protocol::X(client) => client.end_with_server(),
        }
    }

    /// The process id of the manager; `None` if that is not known.
    pub fn manager(&self) -> Option<u32> {
        let pid = match &self.protocol {
            Protocol::One(lines) => lines.connection.manager,
            Protocol::Two(packets) => packets.connection.manager,
            Protocol::X(_) => 0,
        };
        u32::try_from(pid).ok().filter(|pid| *pid != 0)
    }

    /// Publishes a value of rank 0's, to be seen after the next [`Pmi::fence`].
    pub fn put(&mut self, key: &str, value: &str) -> Result<()> {
        match &mut self.protocol {
            Protocol::One(lines) => lines.put(key, value),
            Protocol::Two(packets) => packets.put(key, value),
            Protocol::X(client) => client.put(key, value),
        }
    }

    /// What rank 0 has published.
    pub fn get(&mut self, key: &str) -> Result<String> {
        match &mut self.protocol {
            Protocol::One(lines) => lines.get(key),
            Protocol::Two(packets) => packets.get(key),
            Protocol::X(client) => client.get(key),
        }
    }

    /// Waits until all ranks are here.
    pub fn fence(&mut self) -> Result<()> {
        match &mut self.protocol {
            Protocol::One(lines) => lines.fence(),
            Protocol::Two(packets) => packets.fence(),
            Protocol::X(client) => client.fence(),
        }
    }

    /// Which of the programs of an MPMD start this is; `None` if the manager does not know (Slurm says -1).
    pub fn appnum(&mut self) -> Option<i32> {
        let told = match &mut self.protocol {
            Protocol::One(lines) => lines.appnum(),
            Protocol::Two(packets) => packets.appnum,
            Protocol::X(client) => client.appnum(),
        };
        told.filter(|number| *number >= 0)
    }

    /// Tells the process manager that this rank is done with it.
    pub fn finalize(&mut self) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        // The job is over: a manager that has gone away already changes nothing.
        match &mut self.protocol {
            Protocol::One(lines) => lines.finalize(),
            Protocol::Two(packets) => packets.finalize(),
            Protocol::X(client) => client.finalize(),
        }
    }

    /// Asks the process manager to end the job. This process is to end by itself.
    pub fn abort(&mut self, status: i32) {
        if self.over {
            return;
        }
        match &mut self.protocol {
            Protocol::One(lines) => lines.abort(status),
            Protocol::Two(packets) => packets.abort(status),
            Protocol::X(client) => client.abort(status),
        }
    }
}

/// The two that are spoken over `PMI_FD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

fn wrapped<T>(protocol: fn(T) -> Protocol) -> impl Fn((T, u32, u32)) -> (Protocol, u32, u32) {
    move |(spoken, rank, ranks)| (protocol(spoken), rank, ranks)
}
