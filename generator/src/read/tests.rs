use super::*;
use crate::model::*;

/// Types and constants that the functions of the tests use.
const VALUES: &str = r#"
use std::ffi::c_int;

/// An address.
pub type MPI_Aint = isize;
pub type MPI_Count = i64;

macro_rules! handles { ($($name:ident;)*) => {}; }
handles! {
    /// A communicator.
    MPI_Comm;
    MPI_Info;
    MPI_Request;
}
opaque! { ADIOI_FileD; }

#[repr(transparent)]
pub struct MPI_File(pub c_int);
impl Foreign for MPI_File { type C = *mut ADIOI_FileD; const SAME: bool = false; }
impl Other for MPI_File { type C = c_int; }
pub struct MPI_Status { pub MPI_SOURCE: c_int, hidden: MPI_Aint }

pub type MPI_Handler = unsafe extern "C" fn(comm: *mut C<MPI_Comm>, code: *mut c_int, ...);
pub type MPI_Old_handler = MPI_Handler;
"#;

fn read(values: &str, functions: &str) -> Result<Interface, String> {
    read_for(Face::Mpich, values, functions)
}

fn read_for(face: Face, values: &str, functions: &str) -> Result<Interface, String> {
    let parse = |name: &str, text: &str| Source::parse(Path::new(name), text);
    let values = [parse("types.rs", VALUES), parse("more.rs", values)];
    let values: Vec<Source> = values
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|e| e.0)?;
    let functions = parse("functions.rs", functions).map_err(|e| e.0)?;
    understand(&values, &[functions], face).map_err(|e| e.0)
}

fn functions(source: &str) -> Vec<Function> {
    read("", source).unwrap().functions
}

fn constants(source: &str) -> Vec<Constant> {
    read(source, "").unwrap().constants
}

fn named(name: &str) -> Type {
    Type::named(name)
}

fn pointer(to: Type) -> Type {
    Type::pointer_to(to)
}

fn pointer_to_constant(to: Type) -> Type {
    Type::pointer_to_constant(to)
}

fn variable(name: &str, kind: Type) -> Variable {
    Variable::new(name, kind)
}

#[test]
fn definitions_have_every_shape_in_the_order_of_the_source() {
    let definitions = read("", "").unwrap().definitions;
    let shapes: Vec<(&str, &Shape)> = definitions
        .iter()
        .map(|definition| (definition.name.as_str(), &definition.shape))
        .collect();
    let handler = Signature {
        parameters: vec![
            variable("comm", pointer(named("MPI_Comm"))),
            variable("code", pointer(Type::Int)),
        ],
        variadic: true,
        result: Type::Void,
    };
    let fields = vec![
        variable("MPI_SOURCE", Type::Int),
        variable("hidden", named("MPI_Aint")),
    ];
    let expected = [
        ("MPI_Aint", &Shape::Alias(Type::AddressSized)),
        ("MPI_Count", &Shape::Alias(Type::Wide)),
        ("MPI_Comm", &Shape::Handle),
        ("MPI_Info", &Shape::Handle),
        ("MPI_Request", &Shape::Handle),
        ("ADIOI_FileD", &Shape::Opaque),
        ("MPI_File", &Shape::Alias(pointer(named("ADIOI_FileD")))),
        ("MPI_Status", &Shape::Struct(fields)),
        ("MPI_Handler", &Shape::Function(handler)),
        ("MPI_Old_handler", &Shape::Alias(named("MPI_Handler"))),
    ];
    assert_eq!(shapes, expected);
    assert_eq!(definitions[0].documentation, "An address.");
    assert_eq!(definitions[2].documentation, "A communicator.");
    assert_eq!(definitions[3].documentation, "");
}

#[test]
fn a_form_makes_a_handle_of_a_type_where_it_is_compiled() {
    let file = |face| {
        let form = "#[cfg(feature = \"standard\")] form!(MPI_File);";
        let definitions = read_for(face, form, "").unwrap().definitions;
        let mut definitions = definitions.into_iter();
        definitions.find(|known| known.name == "MPI_File").unwrap()
    };
    assert_eq!(file(Face::Standard).shape, Shape::Handle);
    let pointer = pointer(named("ADIOI_FileD"));
    assert_eq!(file(Face::Mpich).shape, Shape::Alias(pointer));
}

#[test]
fn a_row_has_a_value_for_each_interface_or_none() {
    let rows = "values! {
        /// Nobody.
        MPI_PROC_NULL: c_int = -1, -2, -3;
        MPIX_X: c_int = 5, NONE, 0x10;
    }";
    let of = |face| {
        let constants = read_for(face, rows, "").unwrap().constants;
        let values = constants.into_iter().map(|c| (c.name, c.value));
        values.collect::<Vec<_>>()
    };
    let (nobody, x) = ("MPI_PROC_NULL".to_string(), "MPIX_X".to_string());
    let mpich = [
        (nobody.clone(), Value::Decimal(-1)),
        (x.clone(), Value::Decimal(5)),
    ];
    assert_eq!(of(Face::Mpich), mpich);
    assert_eq!(of(Face::Openmpi), [(nobody.clone(), Value::Decimal(-2))]);
    let standard = [(nobody, Value::Decimal(-3)), (x, Value::Hexadecimal(16))];
    assert_eq!(of(Face::Standard), standard);
    assert_eq!(constants(rows)[0].documentation, "Nobody.");
}

#[test]
fn an_object_has_a_handle_for_each_interface_or_none() {
    let rows = "objects! { MPI_Comm:
        /// All.
        MPI_COMM_WORLD = 0x44000000, ompi_mpi_comm_world, 0x101;
        MPIX_COMM_X = 0x44000001, NONE, NONE;
        MPI_COMM_Y = own(0x44000002), ompi_mpi_comm_y, NONE;
    }";
    let of = |face| {
        let constants = read_for(face, rows, "").unwrap().constants;
        let all = constants.into_iter().map(|c| (c.name, c.kind, c.value));
        all.collect::<Vec<_>>()
    };
    let row = |name: &str, value| {
        let value = Value::Hexadecimal(value);
        (name.to_string(), named("MPI_Comm"), value)
    };
    let mpich = [
        row("MPI_COMM_WORLD", 0x44000000),
        row("MPIX_COMM_X", 0x44000001),
    ];
    assert_eq!(of(Face::Mpich), mpich);
    assert_eq!(of(Face::Standard), [row("MPI_COMM_WORLD", 0x101)]);
    let variable = |name: &str, variable: &str| {
        let value = Value::Address(variable.to_string());
        (name.to_string(), named("MPI_Comm"), value)
    };
    let openmpi = [
        variable("MPI_COMM_WORLD", "ompi_mpi_comm_world"),
        variable("MPI_COMM_Y", "ompi_mpi_comm_y"),
    ];
    assert_eq!(of(Face::Openmpi), openmpi);
    assert_eq!(constants(rows)[0].documentation, "All.");
}

#[test]
fn parameters_have_every_type() {
    let all = functions(
        "#[apply(mpi_api)]
        pub unsafe extern \"C\" fn MPI_X(
            text: *const c_char, old: *mut *mut c_char, input: In<MPI_Status>, output: Mut<*mut c_char>,
            short: In<'_, c_void>, ranges: *mut [c_int; 3], call: Option<MPI_Handler>,
            older: Option<MPI_Old_handler>, far: crate::mpi::types::MPI_Comm, r#type: isize, wide: i64,
        ) -> c_int { Ok(()) }",
    );
    let ranges = Type::Array {
        of: Box::new(Type::Int),
        length: 3,
    };
    let expected = [
        variable("text", pointer_to_constant(Type::Char)),
        variable("old", pointer(pointer(Type::Char))),
        variable("input", pointer_to_constant(named("MPI_Status"))),
        variable("output", pointer(pointer(Type::Char))),
        variable("short", pointer_to_constant(Type::Void)),
        variable("ranges", pointer(ranges)),
        variable("call", Type::Callback("MPI_Handler".into())),
        variable("older", Type::Callback("MPI_Old_handler".into())),
        variable("far", named("MPI_Comm")),
        variable("type", Type::AddressSized),
        variable("wide", Type::Wide),
    ];
    assert_eq!(all[0].signature.parameters, expected);
}

#[test]
fn a_function_is_its_own_or_gives_a_value() {
    let all = functions(
        "/// Starts.
        ///
        ///     code
        #[apply(mpi_api)]
        #[quick({ fn inner() {} true })]
        pub unsafe extern \"C\" fn MPI_Start() -> c_int { Ok(()) }
        #[apply(mpi_plain)]
        pub extern \"C\" fn MPI_Wtime() -> c_double { 0.0 }
        #[apply(mpi_plain)]
        pub extern \"C\" fn MPI_File_c2f(file: MPI_File) -> MPI_Comm {}
        pub extern \"C\" fn helper(anything: String) {}",
    );
    let [start, time, convert] = all.as_slice() else {
        panic!("{all:?}");
    };
    assert_eq!((start.name.as_str(), start.kind), ("MPI_Start", Kind::Code));
    assert_eq!(start.documentation, "Starts.\n\n    code");
    assert_eq!(start.signature.parameters, []);
    assert_eq!(start.signature.result, Type::Int);
    assert_eq!(
        (time.kind, &time.signature.result),
        (Kind::Value, &Type::Double)
    );
    assert_eq!(convert.signature.result, named("MPI_Comm"));
}

#[test]
fn counts_are_small_and_large() {
    let all = functions(
        "#[apply(mpi_counts)]
        unsafe extern \"C\" fn MPI_X(n: Count, at: In<Displ>, far: *mut Extent, i: c_int) -> c_int {}",
    );
    let [small, large] = all.as_slice() else {
        panic!("{all:?}");
    };
    assert_eq!(
        (small.name.as_str(), small.kind),
        ("MPI_X", Kind::SmallCounts)
    );
    let expected = [
        variable("n", Type::Int),
        variable("at", pointer_to_constant(Type::Int)),
        variable("far", pointer(named("MPI_Aint"))),
        variable("i", Type::Int),
    ];
    assert_eq!(small.signature.parameters, expected);
    assert_eq!(
        (large.name.as_str(), large.kind),
        ("MPI_X_c", Kind::LargeCounts)
    );
    let expected = [
        variable("n", named("MPI_Count")),
        variable("at", pointer_to_constant(named("MPI_Aint"))),
        variable("far", pointer(named("MPI_Count"))),
        variable("i", Type::Int),
    ];
    assert_eq!(large.signature.parameters, expected);
}

#[test]
fn an_operation_has_the_forms_that_its_result_says() {
    let forms = |names: &str, gives: &str| {
        let all = functions(&format!(
            "#[apply(mpi_forms)] #[names({names})] fn any(n: Count, comm: MPI_Comm) -> {gives} {{}}"
        ));
        assert!(all.iter().all(|f| f.signature.result == Type::Int));
        let parameters = |function: &Function| {
            let parameters = function.signature.parameters.iter();
            let names: Vec<&str> = parameters.map(|p| p.name.as_str()).collect();
            format!("{}({})", function.name, names.join(" "))
        };
        let large = all.iter().filter(|f| f.kind == Kind::LargeCounts);
        assert_eq!(large.clone().count() * 2, all.len());
        assert!(large.clone().all(|f| f.name.ends_with("_c")));
        let last = |f: &Function| f.signature.parameters[0].kind == named("MPI_Count");
        assert!(large.clone().all(last));
        let small = all.iter().filter(|f| f.kind == Kind::SmallCounts);
        small.map(parameters).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(
        forms("MPI_A, MPI_IA, MPI_A_init", "Call"),
        "MPI_A(n comm), MPI_IA(n comm request), MPI_A_init(n comm info request)"
    );
    assert_eq!(
        forms("MPI_A, MPI_IA, MPI_A_init", "SendCall"),
        "MPI_A(n comm), MPI_IA(n comm request), MPI_A_init(n comm request)"
    );
    assert_eq!(
        forms("MPI_A, MPI_A_all, MPI_IA, MPI_IA_all", "FileCall"),
        "MPI_A(n comm status), MPI_A_all(n comm status), MPI_IA(n comm request), MPI_IA_all(n comm request)"
    );
    assert_eq!(
        forms("MPI_A, MPI_IA", "FileCall"),
        "MPI_A(n comm status), MPI_IA(n comm request)"
    );
    assert_eq!(forms("MPI_A", "FileCall"), "MPI_A(n comm status)");
}

#[test]
fn constants_have_every_kind_of_value() {
    let all = constants(
        "pub const A: c_int = 7;
        pub const B: c_int = -32766;
        pub const C: c_int = 0x3fff_ffff;
        pub const D: MPI_Comm = MPI_Comm(0x04000000);
        pub const E: MPI_Comm = MPI_Comm(0x8c000000_u32 as c_int);
        pub const F: MPI_Comm = E;
        pub const G: *mut c_void = null_mut();
        pub const H: *mut c_void = without_provenance_mut(-1_isize as usize);
        pub const I: MPI_File = MPI_File(null_mut());
        /// Nothing.
        pub const J: Option<MPI_Handler> = None;
        const PRIVATE: usize = size_of::<u8>();",
    );
    let found: Vec<(&str, &Value)> = all.iter().map(|c| (c.name.as_str(), &c.value)).collect();
    let expected = [
        ("A", &Value::Decimal(7)),
        ("B", &Value::Decimal(-32766)),
        ("C", &Value::Hexadecimal(0x3fff_ffff)),
        ("D", &Value::Hexadecimal(0x0400_0000)),
        ("E", &Value::Hexadecimal(0x8c00_0000)),
        ("F", &Value::Same("E".into())),
        ("G", &Value::Decimal(0)),
        ("H", &Value::Decimal(-1)),
        ("I", &Value::Decimal(0)),
        ("J", &Value::Decimal(0)),
    ];
    assert_eq!(found, expected);
    assert_eq!(all[3].kind, named("MPI_Comm"));
    assert_eq!(all[6].kind, pointer(Type::Void));
    assert_eq!(all[9].kind, Type::Callback("MPI_Handler".into()));
    assert_eq!(all[9].documentation, "Nothing.");
}

#[test]
fn modules_of_tests_are_passed_over_and_others_read() {
    let source = "
        mod inner { pub const A: c_int = 1; }
        #[cfg(test)] mod tests { pub const B: c_int = 2; }
        #[cfg(unix)] mod other { pub const C: c_int = 3; }
        mod elsewhere;";
    let all = constants(source);
    let names: Vec<&str> = all.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["A", "C"]);
}

#[test]
fn the_layout_of_a_source_does_not_count() {
    let tidy = "
        #[apply(mpi_counts)]
        pub unsafe extern \"C\" fn MPI_X(
            n: Count, // a comment
            to: *mut c_void,
        ) -> c_int {
            Ok(())
        }";
    let flat = "#[apply(mpi_counts)] pub unsafe extern \"C\" fn MPI_X(n:Count,to:*mut c_void)->c_int{Ok(())}";
    assert_eq!(functions(tidy), functions(flat));
}

/// Fails unless the complaint about `values` and `functions` begins with `expected`.
fn complains(values: &str, functions: &str, expected: &str) {
    let complaint = read(values, functions).unwrap_err();
    assert!(complaint.starts_with(expected), "{complaint}");
}

#[test]
fn mistakes_in_functions_are_told_with_their_place() {
    let one = |attributes: &str, parameter: &str, expected: &str| {
        let function = "unsafe extern \"C\" fn MPI_X";
        let source = format!("\n{attributes}\n{function}({parameter}) -> c_int {{}}");
        complains("", &source, &format!("functions.rs:{expected}"));
    };
    let api = "#[apply(mpi_api)]";
    one(
        api,
        "a: In<Foo>",
        "3: Foo is no type of MPI's interface, or is defined later",
    );
    one(api, "n: Count", "3: Count is no type of MPI's interface");
    one(api, "a: &c_int", "3: this kind of type has no place");
    one(api, "a: [c_int; N]", "3: the length of an array");
    one(api, "a: Option<MPI_Comm>", "3: only a user's function");
    one(api, "(a, b): c_int", "3: a parameter must be");
    one(
        "#[apply(mpi_new)]",
        "",
        "2: the attribute mpi_new is not known",
    );
    let forms = "#[apply(mpi_forms)]";
    one(forms, "", "3: an operation in several forms needs");
    let two = format!("{forms} #[names(MPI_A, MPI_B)]");
    one(&two, "", "3: what gives a c_int has no 2 forms");
    complains("", "\n\nfn 7() {}", "functions.rs:3: expected identifier");
}

#[test]
fn mistakes_in_values_are_told_with_their_place() {
    let one = |source: &str, expected: &str| complains(source, "", &format!("more.rs:{expected}"));
    let later = "pub type MPI_A = MPI_B;\npub type MPI_B = c_int;";
    one(
        later,
        "1: MPI_B is no type of MPI's interface, or is defined later",
    );
    one(
        "\nlists! { A; }",
        "2: only handles!, enumerations!, opaque!, plain!, values! and objects! are known",
    );
    one("opaque! {\nA;\nB C; }", "3: expected `;`");
    one("pub struct MPI_A(c_int, c_int);", "1: a struct must have");
    let nameless = "pub type MPI_F = unsafe extern \"C\" fn(c_int);";
    one(
        nameless,
        "1: the parameters of a user's function need names",
    );
    let constant = |value: &str, expected: &str| {
        let source = format!("pub const A: MPI_Comm =\n{value};");
        one(&source, &format!("2: {expected}"));
    };
    constant("B", "this is no constant, or one that comes later");
    constant("MPI_Info(1)", "this call is not known in a constant");
    constant("-0x1", "only a decimal number");
    constant("1 + 1", "a constant must be");
    let short = "values! {\nMPI_X: c_int = 1, 2; }";
    one(short, "2: a row must have a value for each interface");
}
