//! Control variables: settings of this process.

use super::{About, BASIC, MEMORY, MESSAGES, TUNER, WAITING};
use crate::error::Result;
use crate::runtime::{overlong, wait};
use crate::shm::segment::try_segment;
use crate::{err, transport};

/// A setting.
pub struct Control {
    pub about: About,
    pub read: fn() -> u64,
    /// `None`: it cannot be set.
    pub write: Option<fn(u64)>,
}

/// All settings. Their number and order do not change while a program runs.
pub fn controls() -> &'static [Control] {
    &CONTROLS
}

impl Control {
    /// Sets it. Error: `MPI_T_ERR_CVAR_SET_NEVER`.
    pub fn set(&self, value: u64) -> Result<()> {
        let write = self
            .write
            .ok_or_else(|| err!(TCvarSetNever, "{} cannot be set", self.about.name))?;
        write(value);
        Ok(())
    }
}

static CONTROLS: [Control; 4] = [
    Control {
        about: About {
            name: "rmashm_spin_ns",
            text: "Nanoseconds that a waiting process spins before it yields its core, unless another one is on it; chosen \
                   when MPI is initialized, 0 if there are more processes than cores whose time they may use",
            category: WAITING,
            verbosity: TUNER,
        },
        read: wait::spin,
        write: Some(wait::set_spin),
    },
    Control {
        about: About {
            name: "rmashm_long_wait_ns",
            text: "Nanoseconds after which a wait is long, of which the event rmashm_long_wait tells",
            category: WAITING,
            verbosity: BASIC,
        },
        read: overlong::long,
        write: Some(overlong::set_long),
    },
    Control {
        about: About {
            name: "rmashm_eager_limit",
            text: "Bytes up to which every message is sent before its receive is known; larger ones are as their memory \
                   and their sender are",
            category: MESSAGES,
            verbosity: BASIC,
        },
        read: transport::eager_limit,
        write: None,
    },
    Control {
        about: About {
            name: "rmashm_segment_size",
            text: "Bytes of address range that the processes of the job share; 0 before MPI is initialized",
            category: MEMORY,
            verbosity: BASIC,
        },
        read: || try_segment().map_or(0, |segment| segment.len() as u64),
        write: None,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// `docs/hints.md`, of which `rmashm(7)` is made, has a row for each.
    #[test]
    fn every_control_variable_is_documented() {
        let paper = include_str!("../../docs/hints.md");
        for control in &CONTROLS {
            let name = control.about.name;
            assert!(paper.contains(&format!("\n| `{name}` |")), "{name}");
        }
    }
}
