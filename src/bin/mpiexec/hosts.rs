//! Host names: accepted if they mean this machine, refused with the way out if they do not.

use std::net::IpAddr;
use std::path::Path;

/// Checks a comma-separated list of hosts, each perhaps with `:slots`.
pub fn check_list(list: &str) -> Result<(), String> {
    list.split(',')
        .map(str::trim)
        .filter(|host| !host.is_empty())
        .try_for_each(check)
}

/// Checks a file of hosts: one a line, `#` begins a comment, what follows the name (slots) means nothing here.
pub fn check_file(path: &Path) -> Result<(), String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read the host file {shown}: {error}"))?;
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    lines
        .filter_map(|line| line.split_whitespace().next())
        .try_for_each(check)
}

fn check(host: &str) -> Result<(), String> {
    if is_here(host) || without_slots(host).is_some_and(is_here) {
        return Ok(());
    }
    Err(format!(
        "host '{host}' is not this machine, and rmashm runs all ranks on one machine. \
         To use several, run the same binary on MPICH (its own mpiexec and libmpi.so.12): the ABI is the same"
    ))
}

fn without_slots(host: &str) -> Option<&str> {
    let (name, slots) = host.rsplit_once(':')?;
    slots.parse::<u32>().ok().map(|_| name)
}

fn is_here(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = host.parse::<IpAddr>() {
        return address.is_loopback() || address.is_unspecified() || is_own(address);
    }
    let own = nix::unistd::gethostname().unwrap_or_default();
    let own = own.to_string_lossy();
    let first = |name: &str| {
        name.split('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    // One of the two may be the short form of the other.
    let same = host.eq_ignore_ascii_case(&own)
        || (first(host) == first(&own) && host.contains('.') != own.contains('.'));
    same || ["localhost", "localhost.localdomain", "ip6-localhost"]
        .contains(&host.to_ascii_lowercase().as_str())
}

/// Is `address` one of this machine's? A socket can be bound to those only.
fn is_own(address: IpAddr) -> bool {
    std::net::UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine() {
        let own = nix::unistd::gethostname().unwrap().into_string().unwrap();
        for host in [
            "localhost",
            "localhost:4",
            "127.0.0.1",
            "127.0.0.1:2",
            "LOCALHOST",
            "::1",
            &own,
        ] {
            assert!(check_list(host).is_ok(), "{host}");
        }
        assert!(check_list(&format!("localhost:1,{own}:7")).is_ok());
    }

    #[test]
    fn other_machines_are_refused_with_the_way_out() {
        for host in ["node7", "localhost,node7:3", "192.0.2.7"] {
            assert!(check_list(host).unwrap_err().contains("MPICH"), "{host}");
        }
    }
}
