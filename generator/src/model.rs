//! The interface of MPI as the sources declare it: types, constants and functions, free of any language that prints them.

/// The C interfaces that the sources have, in the order in which their rows have the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Face {
    Mpich,
    Openmpi,
    Standard,
}

impl Face {
    pub const ALL: [Face; 3] = [Face::Mpich, Face::Openmpi, Face::Standard];

    /// The feature of cargo that chooses it.
    pub fn feature(self) -> Option<&'static str> {
        match self {
            Face::Mpich => None,
            Face::Openmpi => Some("openmpi"),
            Face::Standard => Some("standard"),
        }
    }
}

/// All that the library exports, in the order of the sources.
#[derive(Debug, Default, PartialEq)]
pub struct Interface {
    /// A definition uses only those before it.
    pub definitions: Vec<Definition>,
    pub constants: Vec<Constant>,
    pub functions: Vec<Function>,
}

/// A type with a name.
#[derive(Debug, PartialEq)]
pub struct Definition {
    pub name: String,
    pub documentation: String,
    pub shape: Shape,
}

#[derive(Debug, PartialEq)]
pub enum Shape {
    /// An integer that names an object, or one of a few choices.
    Handle,
    /// What is only pointed to.
    Opaque,
    /// Another name for a type.
    Alias(Type),
    Struct(Vec<Variable>),
    /// The type of a user's function.
    Function(Signature),
}

/// A type where it is used.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Void,
    Char,
    Int,
    Double,
    /// An integer as large as an address.
    AddressSized,
    /// An integer of 64 bits.
    Wide,
    /// One of the definitions.
    Named(String),
    /// A user's function, of a type that is among the definitions. May be absent.
    Callback(String),
    Pointer {
        constant: bool,
        to: Box<Type>,
    },
    Array {
        of: Box<Type>,
        length: u64,
    },
}

impl Type {
    pub fn named(name: &str) -> Type {
        Type::Named(name.into())
    }

    pub fn pointer_to(to: Type) -> Type {
        Type::Pointer {
            constant: false,
            to: Box::new(to),
        }
    }

    pub fn pointer_to_constant(to: Type) -> Type {
        Type::Pointer {
            constant: true,
            to: Box::new(to),
        }
    }
}

/// A parameter of a function, or a field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub kind: Type,
}

impl Variable {
    pub fn new(name: impl ToString, kind: Type) -> Variable {
        let name = name.to_string();
        Variable { name, kind }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    pub parameters: Vec<Variable>,
    /// Whether further arguments of any type may follow.
    pub variadic: bool,
    pub result: Type,
}

#[derive(Debug, PartialEq)]
pub struct Constant {
    pub name: String,
    pub documentation: String,
    pub kind: Type,
    pub value: Value,
}

/// A number, of a handle all its bits, of a pointer the address; in the notation of the source.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Decimal(i64),
    Hexadecimal(i64),
    /// The value of another constant.
    Same(String),
    /// The address of a variable.
    Address(String),
}

/// An exported function. Its name in the profiling interface has a `P` in front.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    pub documentation: String,
    pub kind: Kind,
    pub signature: Signature,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Gives an error code.
    Code,
    /// Gives an error code, and has another form with large counts.
    SmallCounts,
    /// That other form.
    LargeCounts,
    /// Gives a value of its own.
    Value,
}
