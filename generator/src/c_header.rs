//! Prints an interface as a header of C's.

use crate::model::{
    Constant, Definition, Face, Function, Interface, Shape, Signature, Type, Value,
};
use std::fmt::Write;

/// Handles that are enumerations in C: the constants of these types become enumerators.
const ENUMERATIONS: [&str; 2] = ["MPI_T_cb_safety", "MPI_T_source_order"];
/// Takes further arguments, which it ignores (MPI 4.1 §15.2.4). Rust can only define the others.
const VARIADIC: &str = "MPI_Pcontrol";
/// Longest line of the header.
const WIDTH: usize = 110;

/// The header of `face`: `frame` with the lines `@types@`, `@constants@` and `@prototypes@` filled in, and the word `@version@`.
/// Lines `@without NAME…@` name types and functions that the header does not have. A `*` in a name stands for any letters.
pub fn print(interface: &Interface, face: Face, frame: &str, version: &str) -> String {
    let mut out = String::new();
    let absent: Vec<&str> = frame.lines().filter_map(without).flatten().collect();
    let has = |name: &str| !absent.iter().any(|pattern| covers(pattern, name));
    for line in frame.lines().filter(|line| without(line).is_none()) {
        match line.trim() {
            "@types@" => types(&mut out, interface, face, has),
            "@constants@" => constants(&mut out, &interface.constants),
            "@prototypes@" => prototypes(&mut out, &interface.functions, has),
            _ => out += &(line.replace("@version@", version) + "\n"),
        }
    }
    out
}

/// The names in a line `@without …@`.
fn without(line: &str) -> Option<impl Iterator<Item = &str>> {
    let names = line.trim().strip_prefix("@without ")?.strip_suffix('@')?;
    Some(names.split_whitespace())
}

fn covers(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| match tail {
            "" => true,
            tail => {
                (0..=rest.len()).any(|at| rest.is_char_boundary(at) && covers(tail, &rest[at..]))
            }
        }),
    }
}

fn types(out: &mut String, interface: &Interface, face: Face, has: impl Fn(&str) -> bool) {
    let definitions = interface.definitions.iter();
    for Definition { name, shape, .. } in definitions.filter(|known| has(&known.name)) {
        match shape {
            Shape::Handle if ENUMERATIONS.contains(&name.as_str()) => {
                let members = interface.constants.iter().filter(|c| is_of(c, name));
                let members = members.map(|c| format!("    {} = {}", c.name, value(&c.value)));
                let members = members.collect::<Vec<_>>().join(",\n");
                *out += &format!("typedef enum {name} {{\n{members}\n}} {name};\n");
            }
            Shape::Handle if face == Face::Standard => {
                let kind = name.strip_prefix("MPI_").unwrap_or(name);
                *out += &format!("typedef struct MPI_ABI_{kind} *{name};\n");
            }
            Shape::Handle => *out += &format!("typedef int {name};\n"),
            Shape::Opaque if face == Face::Standard => {}
            Shape::Opaque => *out += &format!("typedef struct {name} {name};\n"),
            Shape::Alias(kind) if face == Face::Standard => {
                *out += &format!("typedef {};\n", declare(&standards(kind), name));
            }
            Shape::Alias(kind) => *out += &format!("typedef {};\n", declare(kind, name)),
            Shape::Struct(fields) => {
                let fields = fields.iter().map(|f| declare(&f.kind, &f.name));
                let fields: String = fields.map(|field| format!("    {field};\n")).collect();
                *out += &format!("typedef struct {name} {{\n{fields}}} {name};\n");
            }
            Shape::Function(signature) => {
                let declaration = function(&format!("({name})"), signature);
                *out += &wrap(&format!("typedef {declaration};"));
            }
        }
    }
}

/// The standard has other names of incomplete types than MPICH, `MPIR_T_enum_s` say, and no definitions of them. C++ counts them in.
fn standards(kind: &Type) -> Type {
    match kind {
        Type::Named(name) => match name
            .strip_prefix("MPIR_")
            .and_then(|name| name.strip_suffix("_s"))
        {
            Some(name) => Type::Named(format!("struct MPI_{name}_t")),
            None => kind.clone(),
        },
        Type::Pointer { constant, to } => Type::Pointer {
            constant: *constant,
            to: Box::new(standards(to)),
        },
        _ => kind.clone(),
    }
}

fn is_of(constant: &Constant, name: &str) -> bool {
    matches!(&constant.kind, Type::Named(kind) if kind == name)
}

fn constants(out: &mut String, constants: &[Constant]) {
    let is_enumerator = |c: &&Constant| ENUMERATIONS.iter().any(|name| is_of(c, name));
    for constant in constants.iter().filter(|c| !is_enumerator(c)) {
        let number = value(&constant.value);
        let value = match (&constant.value, &constant.kind) {
            (Value::Same(_), _) => number,
            (_, Type::Int) if number.starts_with('-') => format!("({number})"),
            (_, Type::Int) => number,
            (_, kind) => format!("(({}){number})", declare(kind, "").trim_end()),
        };
        let _ = writeln!(out, "#define {:<29} {value}", constant.name);
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Decimal(number) => number.to_string(),
        Value::Hexadecimal(number) => format!("{number:#010x}"),
        Value::Same(name) => name.clone(),
        Value::Address(variable) => format!("&{variable}"),
    }
}

/// Both names of every function, one after the other.
fn prototypes(out: &mut String, functions: &[Function], has: impl Fn(&str) -> bool) {
    let functions = functions.iter().filter(|function| has(&function.name));
    let mut functions: Vec<&Function> = functions.collect();
    functions.sort_by_key(|function| &function.name);
    for prefix in ["", "P"] {
        for Function {
            name, signature, ..
        } in &functions
        {
            let mut signature = signature.clone();
            signature.variadic |= name == VARIADIC;
            let declaration = function(&format!("{prefix}{name}"), &signature);
            *out += &wrap(&format!("{declaration};"));
        }
        if prefix.is_empty() {
            out.push('\n');
        }
    }
}

/// The declaration of the function `name`.
fn function(name: &str, signature: &Signature) -> String {
    let parameters = signature.parameters.iter();
    let mut parameters: Vec<String> = parameters.map(|p| declare(&p.kind, &p.name)).collect();
    if signature.variadic {
        parameters.push("...".into());
    }
    if parameters.is_empty() {
        parameters.push("void".into());
    }
    let parameters = parameters.join(", ");
    declare(&signature.result, &format!("{name}({parameters})"))
}

/// The declaration of `name`, which is of the type `kind`.
fn declare(kind: &Type, name: &str) -> String {
    declare_either(kind, false, name)
}

/// In C a declaration looks like its use, so that it grows from the name outwards. `constant` belongs to `kind`.
fn declare_either(kind: &Type, constant: bool, name: &str) -> String {
    let pointer = format!("{}{name}", if constant { "*const " } else { "*" });
    let word = match kind {
        Type::Pointer { constant, to } => return declare_either(to, *constant, &pointer),
        Type::Callback(function) => return format!("{function} {pointer}"),
        Type::Array { of, length } => {
            let name = match name.starts_with('*') {
                true => format!("({name})"),
                false => name.into(),
            };
            return declare_either(of, constant, &format!("{name}[{length}]"));
        }
        Type::Void => "void",
        Type::Char => "char",
        Type::Int => "int",
        Type::Double => "double",
        Type::AddressSized | Type::Wide => "long",
        Type::Named(other) => other,
    };
    format!("{}{word} {name}", if constant { "const " } else { "" })
}

/// Breaks a declaration at commas.
fn wrap(declaration: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for part in declaration.split_inclusive(", ") {
        if column + part.trim_end().len() > WIDTH {
            out.truncate(out.trim_end().len());
            out += "\n    ";
            column = 4;
        }
        out += part;
        column += part.len();
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, Variable};

    fn pointer(to: Type) -> Type {
        Type::pointer_to(to)
    }

    fn pointer_to_constant(to: Type) -> Type {
        Type::pointer_to_constant(to)
    }

    fn array(of: Type) -> Type {
        let of = Box::new(of);
        Type::Array { of, length: 3 }
    }

    fn code(name: &str, parameters: &[(&str, Type)]) -> Function {
        let variable = |(name, kind): &(&str, Type)| Variable::new(name, kind.clone());
        Function {
            name: name.into(),
            documentation: String::new(),
            kind: Kind::Code,
            signature: Signature {
                parameters: parameters.iter().map(variable).collect(),
                variadic: false,
                result: Type::Int,
            },
        }
    }

    fn definition(name: &str, shape: Shape) -> Definition {
        Definition {
            name: name.into(),
            documentation: String::new(),
            shape,
        }
    }

    fn constant(name: &str, kind: Type, value: Value) -> Constant {
        Constant {
            name: name.into(),
            documentation: String::new(),
            kind,
            value,
        }
    }

    #[test]
    fn declarations_are_those_of_c() {
        let cases = [
            (Type::Double, "double x"),
            (Type::AddressSized, "long x"),
            (Type::named("MPI_Comm"), "MPI_Comm x"),
            (Type::Callback("MPI_F".into()), "MPI_F *x"),
            (pointer_to_constant(Type::Char), "const char *x"),
            (pointer(pointer(Type::Char)), "char **x"),
            (pointer(pointer_to_constant(Type::Char)), "const char **x"),
            (
                pointer_to_constant(pointer_to_constant(Type::Void)),
                "const void *const *x",
            ),
            (pointer(array(Type::Int)), "int (*x)[3]"),
            (array(pointer(Type::Int)), "int *x[3]"),
            (pointer_to_constant(array(Type::Int)), "const int (*x)[3]"),
        ];
        for (kind, expected) in cases {
            assert_eq!(declare(&kind, "x"), expected);
        }
    }

    #[test]
    fn prototypes_are_sorted_and_have_two_names() {
        let functions = [
            code("MPI_Pcontrol", &[("level", Type::Int)]),
            code("MPI_Barrier", &[("comm", Type::named("MPI_Comm"))]),
            code("MPI_Finalize", &[]),
        ];
        let mut out = String::new();
        prototypes(&mut out, &functions, |_| true);
        let expected = "int MPI_Barrier(MPI_Comm comm);\n\
                        int MPI_Finalize(void);\n\
                        int MPI_Pcontrol(int level, ...);\n\
                        \n\
                        int PMPI_Barrier(MPI_Comm comm);\n\
                        int PMPI_Finalize(void);\n\
                        int PMPI_Pcontrol(int level, ...);\n";
        assert_eq!(out, expected);
    }

    #[test]
    fn long_declarations_are_broken_at_commas() {
        let parameter = ("a_parameter_with_a_long_name", Type::Int);
        let function = code("MPI_X", &vec![parameter; 4]);
        let mut out = String::new();
        prototypes(&mut out, &[function], |_| true);
        assert!(out.lines().all(|line| line.len() <= WIDTH), "{out}");
        let parameter = "int a_parameter_with_a_long_name";
        let two = format!("{parameter}, {parameter}");
        let first = format!("int MPI_X({two},\n    {two});\n");
        assert!(out.starts_with(&first), "{out}");
    }

    #[test]
    fn the_frame_is_filled_in() {
        let safety = || Type::named("MPI_T_cb_safety");
        let comm = || Type::named("MPI_Comm");
        let field = Variable::new("MPI_TAG", Type::Int);
        let callback = Signature {
            parameters: vec![field.clone()],
            variadic: true,
            result: Type::Void,
        };
        let interface = Interface {
            definitions: vec![
                definition("MPI_Aint", Shape::Alias(Type::AddressSized)),
                definition("MPI_Comm", Shape::Handle),
                definition("MPI_T_cb_safety", Shape::Handle),
                definition("T", Shape::Opaque),
                definition("MPI_Status", Shape::Struct(vec![field])),
                definition("MPI_F", Shape::Function(callback)),
            ],
            constants: vec![
                constant("MPI_A", Type::Int, Value::Decimal(-1)),
                constant("MPI_B", Type::Int, Value::Hexadecimal(0x2400)),
                constant("MPI_C", comm(), Value::Hexadecimal(0x0400_0000)),
                constant("MPI_D", comm(), Value::Same("MPI_C".into())),
                constant("MPI_E", pointer(Type::Void), Value::Decimal(-1)),
                constant("MPI_F1", safety(), Value::Decimal(0)),
                constant("MPI_F2", safety(), Value::Decimal(1)),
            ],
            functions: vec![],
        };
        let frame = "v@version@\n@types@\n@constants@\nend";
        let out = print(&interface, Face::Mpich, frame, "1.2");
        let expected = "v1.2\n\
            typedef long MPI_Aint;\n\
            typedef int MPI_Comm;\n\
            typedef enum MPI_T_cb_safety {\n    MPI_F1 = 0,\n    MPI_F2 = 1\n} MPI_T_cb_safety;\n\
            typedef struct T T;\n\
            typedef struct MPI_Status {\n    int MPI_TAG;\n} MPI_Status;\n\
            typedef void (MPI_F)(int MPI_TAG, ...);\n\
            #define MPI_A                         (-1)\n\
            #define MPI_B                         0x00002400\n\
            #define MPI_C                         ((MPI_Comm)0x04000000)\n\
            #define MPI_D                         MPI_C\n\
            #define MPI_E                         ((void *)-1)\n\
            end\n";
        assert_eq!(out, expected);
    }

    #[test]
    fn the_standards_handles_are_pointers() {
        let tools = pointer(Type::named("MPIR_T_enum_s"));
        let interface = Interface {
            definitions: vec![
                definition("MPI_Comm", Shape::Handle),
                definition("MPI_Fint", Shape::Alias(Type::Int)),
                definition("MPIR_T_enum_s", Shape::Opaque),
                definition("MPI_T_enum", Shape::Alias(tools)),
            ],
            constants: vec![],
            functions: vec![code("MPI_Finalize", &[]), code("MPI_Comm_c2f", &[])],
        };
        let frame = "@without MPI_Fint MPI_*_c2f@\n@types@\n@prototypes@";
        let out = print(&interface, Face::Standard, frame, "1.2");
        let expected = "typedef struct MPI_ABI_Comm *MPI_Comm;\n\
            typedef struct MPI_T_enum_t *MPI_T_enum;\n\
            int MPI_Finalize(void);\n\
            \n\
            int PMPI_Finalize(void);\n";
        assert_eq!(out, expected);
    }

    #[test]
    fn patterns_cover_names() {
        assert!(covers("MPI_Address", "MPI_Address"));
        assert!(!covers("MPI_Address", "MPI_Address_c"));
        assert!(covers("MPIX_*", "MPIX_Comm_agree"));
        assert!(covers("MPI_*_c2f", "MPI_Comm_c2f"));
        assert!(!covers("MPI_*_c2f", "MPI_Status_c2f08"));
        assert!(covers("MPI_*_c2f*", "MPI_Status_c2f08"));
    }
}
