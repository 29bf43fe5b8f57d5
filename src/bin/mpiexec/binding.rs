//! Binding ranks to cores.

use std::collections::BTreeMap;

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

/// The cores this process may use, each as the set of its hardware threads that it may use.
pub fn cores() -> Vec<CpuSet> {
    let Ok(usable) = sched_getaffinity(Pid::from_raw(0)) else {
        return Vec::new();
    };
    let mut cores: BTreeMap<(u32, u32), CpuSet> = BTreeMap::new();
    for cpu in (0..CpuSet::count()).filter(|cpu| usable.is_set(*cpu).unwrap_or(false)) {
        let _ = cores.entry(place(cpu)).or_default().set(cpu);
    }
    cores.into_values().collect()
}

/// The package and core of a hardware thread; where the kernel does not say, each thread counts as a core.
fn place(cpu: usize) -> (u32, u32) {
    let read = |what: &str| {
        let text =
            std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/{what}"))
                .ok()?;
        text.trim().parse::<u32>().ok()
    };
    match (read("physical_package_id"), read("core_id")) {
        (Some(package), Some(core)) => (package, core),
        _ => (u32::MAX, cpu as u32),
    }
}
