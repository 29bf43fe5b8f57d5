//! Prints `mpif.h`: what is in it is right in fixed and in free form.

use super::constants::{Kind, constants};
use super::fill;
use crate::model::Interface;

/// The header: `frame` filled in.
pub fn print(interface: &Interface, frame: &str) -> String {
    fill(frame, |name| match name {
        "constants" => parameters(interface),
        name => panic!("nothing in mpif.h is called {name}"),
    })
}

/// The constants. Each statement is on a line of its own, from the seventh column to the 72nd: so neither form needs a mark that
/// the other has not.
fn parameters(interface: &Interface) -> String {
    let mut out = String::new();
    for constant in constants(interface) {
        let kind = match constant.kind {
            Kind::Offset => "INTEGER*8",
            Kind::Integer | Kind::Handle(_) => "INTEGER",
        };
        let (name, value) = (constant.name, constant.value);
        out += &format!("      {kind} {name}\n      PARAMETER ({name}={value})\n");
    }
    out
}
