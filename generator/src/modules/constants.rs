//! The constants that Fortran has of C's, with the values that they have there.

use crate::model::{Constant, Interface, Shape, Type, Value};

/// A constant of Fortran's.
pub struct Named<'a> {
    pub name: &'a str,
    pub kind: Kind<'a>,
    pub value: i64,
}

#[derive(PartialEq)]
pub enum Kind<'a> {
    Integer,
    /// `INTEGER(KIND=MPI_OFFSET_KIND)`.
    Offset,
    /// A handle of this type.
    Handle(&'a str),
}

/// C has these alone: the tool information interface, statuses of Fortran in C, what the classes of C++ stand on.
const OF_C_ALONE: [&str; 3] = ["MPI_T_", "MPI_F_", "MPIR_"];
/// What tells how long strings are: one more in C, for the character that ends them (MPI 4.1 §2.6.2).
const LENGTHS: &str = "MPI_MAX_";
/// Keys of the attributes that MPI sets. In C they give a pointer to the value, in Fortran the value; so MPICH has a key for
/// either, of which Fortran's is one more.
const KEYS: [&str; 12] = [
    "MPI_APPNUM",
    "MPI_HOST",
    "MPI_IO",
    "MPI_LASTUSEDCODE",
    "MPI_TAG_UB",
    "MPI_UNIVERSE_SIZE",
    "MPI_WIN_BASE",
    "MPI_WIN_CREATE_FLAVOR",
    "MPI_WIN_DISP_UNIT",
    "MPI_WIN_MODEL",
    "MPI_WIN_SIZE",
    "MPI_WTIME_IS_GLOBAL",
];

/// The constants, in the order of the sources.
pub fn constants(interface: &Interface) -> Vec<Named<'_>> {
    let constants = interface.constants.iter();
    let constants = constants.filter(|c| !OF_C_ALONE.iter().any(|start| c.name.starts_with(start)));
    let named = constants.filter_map(|constant| {
        let name = constant.name.as_str();
        let kind = kind(interface, &constant.kind)?;
        let value = number(interface, constant)?;
        let value = match &kind {
            Kind::Integer if name.starts_with(LENGTHS) => value - 1,
            Kind::Integer if KEYS.contains(&name) => value + 1,
            Kind::Offset => value,
            // All bits of C's are those of an INTEGER.
            _ => i64::from(value as i32),
        };
        Some(Named { name, kind, value })
    });
    named.collect()
}

/// What Fortran has for a constant of this type of C, if it has one.
fn kind<'a>(interface: &'a Interface, kind: &'a Type) -> Option<Kind<'a>> {
    match kind {
        Type::Int => Some(Kind::Integer),
        Type::Named(name) if name == "MPI_Offset" => Some(Kind::Offset),
        Type::Named(name) if handles(interface).contains(&name.as_str()) => {
            Some(Kind::Handle(name))
        }
        _ => None,
    }
}

fn number(interface: &Interface, constant: &Constant) -> Option<i64> {
    match &constant.value {
        Value::Decimal(number) | Value::Hexadecimal(number) => Some(*number),
        Value::Same(other) => {
            let other = interface.constants.iter().find(|c| c.name == *other)?;
            number(interface, other)
        }
        Value::Address(_) => None,
    }
}

/// The types of handles that Fortran has. (That of files is a pointer in C, as it is in MPICH.)
pub fn handles(interface: &Interface) -> Vec<&str> {
    let definitions = interface.definitions.iter();
    let handles = definitions.filter(|d| d.shape == Shape::Handle || d.name == "MPI_File");
    let names = handles.map(|definition| definition.name.as_str());
    names.filter(|name| !name.starts_with("MPI_T_")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Definition;

    #[test]
    fn values_are_fortrans() {
        let constant = |name: &str, kind, value| Constant {
            name: name.into(),
            documentation: String::new(),
            kind,
            value,
        };
        let comm = || Type::named("MPI_Comm");
        let interface = Interface {
            definitions: vec![Definition {
                name: "MPI_Comm".into(),
                documentation: String::new(),
                shape: Shape::Handle,
            }],
            constants: vec![
                constant("MPI_ROOT", Type::Int, Value::Decimal(-3)),
                constant("MPI_MAX_PORT_NAME", Type::Int, Value::Decimal(256)),
                constant("MPI_TAG_UB", Type::Int, Value::Hexadecimal(0x6440_0001)),
                constant("MPI_COMM_X", comm(), Value::Hexadecimal(0x8c00_0000)),
                constant("MPI_COMM_Y", comm(), Value::Same("MPI_COMM_X".into())),
                constant("MPI_T_X", Type::Int, Value::Decimal(1)),
                constant(
                    "MPI_BOTTOM",
                    Type::pointer_to(Type::Void),
                    Value::Decimal(0),
                ),
            ],
            functions: vec![],
        };
        let found: Vec<(&str, i64)> = constants(&interface)
            .iter()
            .map(|constant| (constant.name, constant.value))
            .collect();
        let expected = [
            ("MPI_ROOT", -3),
            ("MPI_MAX_PORT_NAME", 255),
            ("MPI_TAG_UB", 1681915906),
            ("MPI_COMM_X", -1946157056),
            ("MPI_COMM_Y", -1946157056),
        ];
        assert_eq!(found, expected);
    }
}
