//! Prints what calls a procedure of Fortran beside its function of C, with the same arguments.

use crate::arguments::{Argument, in_integer};
use generator::fortran::{Intent, Kind, Outcome, Procedure};
use generator::model::Function;
use std::fmt::Write;

/// The form in which a procedure takes choice buffers, and with the last of them strings.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    Address,
    Gfortran,
    Cfi,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Form::Address => "by_address",
            Form::Gfortran => "by_gfortran",
            Form::Cfi => "by_cfi",
        }
    }
}

/// What must be done before a function or procedure is called, and after it if it has succeeded, so that the next call finds the
/// same.
fn around(name: &str) -> (String, String) {
    if let Some(split) = name.strip_suffix("_begin") {
        return (
            String::new(),
            format!("{split}_end(object.MPI_File, buffers[0], statuses);"),
        );
    }
    if let Some(split) = name.strip_suffix("_end") {
        let offset = if split.contains("_at_") { "0, " } else { "" };
        let begin = format!("{split}_begin(object.MPI_File, {offset}buffers[0], 1, MPI_INT);");
        return (begin, String::new());
    }
    let (before, after) = match name {
        "MPI_Buffer_attach" => ("", "MPI_Buffer_detach(handles[63], ints[63]);"),
        "MPI_Buffer_detach" => ("MPI_Buffer_attach(buffers[2], ROOM);", ""),
        "MPI_Comm_attach_buffer" => (
            "",
            "MPI_Comm_detach_buffer(object.MPI_Comm, handles[63], ints[63]);",
        ),
        "MPI_Comm_detach_buffer" => (
            "MPI_Comm_attach_buffer(object.MPI_Comm, buffers[2], ROOM);",
            "",
        ),
        "MPI_Info_delete" => ("MPI_Info_set(object.MPI_Info, text, text);", ""),
        "MPI_Publish_name" => (
            "MPI_Unpublish_name(text, MPI_INFO_NULL, text);",
            "MPI_Unpublish_name(text, MPI_INFO_NULL, text);",
        ),
        "MPI_Unpublish_name" => ("MPI_Publish_name(text, MPI_INFO_NULL, text);", ""),
        "MPI_Register_datarep" => (
            "MPI_Register_datarep(text, NULL, NULL, (MPI_Datarep_extent_function *)nothing, NULL);",
            "",
        ),
        "MPI_Win_fence" => ("", "MPI_Win_fence(MPI_MODE_NOSUCCEED, object.MPI_Win);"),
        "MPI_Win_lock_all" => ("", "MPI_Win_unlock_all(object.MPI_Win);"),
        "MPI_Win_post" => (
            "",
            "MPI_Win_start(object.MPI_Group, 0, object.MPI_Win);
        MPI_Win_complete(object.MPI_Win);
        MPI_Win_wait(object.MPI_Win);",
        ),
        "MPI_Win_start" => (
            "MPI_Win_post(object.MPI_Group, 0, object.MPI_Win);",
            "MPI_Win_complete(object.MPI_Win);
        MPI_Win_wait(object.MPI_Win);",
        ),
        _ => ("", ""),
    };
    (before.into(), after.into())
}

/// Results that no two calls have alike.
fn is_new_each_time(name: &str) -> bool {
    name.ends_with("keyval") || matches!(name, "errorclass" | "errorcode" | "port_name")
}

/// What tells a result, in C and in Fortran; nothing of what cannot be compared.
fn results(argument: &Argument) -> Option<[String; 2]> {
    let Argument { at, parameter, .. } = *argument;
    if argument.is_by_value() || parameter.intent == Intent::In || argument.is_constant() {
        return None;
    }
    let name = &parameter.name;
    let number = |who: &str, value: String| format!("tell_number({who}, \"{name}\", {value});");
    let alike = |value: String| Some([number("C", value.clone()), number("FORTRAN", value)]);
    match &parameter.kind {
        Kind::Integer if name.ends_with("weights") || is_new_each_time(name) => None,
        Kind::Integer | Kind::Logical => alike(format!("ints[{at}][0]")),
        Kind::Address | Kind::Count | Kind::Offset => alike(format!("longs[{at}][0]")),
        // Counted from 0 and from 1. Of an array no element may be given.
        Kind::Index if parameter.shape.is_empty() => Some([
            number("C", format!("ints[{at}][0] + (ints[{at}][0] >= 0)")),
            number("FORTRAN", format!("ints[{at}][0]")),
        ]),
        Kind::OldAddress => Some([
            number("C", format!("(int)longs[{at}][0]")),
            number("FORTRAN", format!("ints[{at}][0]")),
        ]),
        // Weights are seen by what the communicator says of them.
        Kind::Handle(_) if name == "comm_dist_graph" => Some([
            format!("tell_weighted(C, *(MPI_Comm *)handles[{at}]);"),
            format!("tell_weighted(FORTRAN, MPI_Comm_f2c(ints[{at}][0]));"),
        ]),
        // One that is left open keeps MPI from being finalized.
        Kind::Handle(handle) if handle == "MPI_Session" && parameter.intent == Intent::Out => {
            Some([
                format!("end_session(C, *(MPI_Session *)handles[{at}]);"),
                format!("end_session(FORTRAN, MPI_Session_f2c(ints[{at}][0]));"),
            ])
        }
        // Each has made its own object.
        Kind::Handle(handle) => Some([
            number(
                "C",
                format!("*({handle} *)handles[{at}] == no_object.{handle}"),
            ),
            number(
                "FORTRAN",
                format!(
                    "ints[{at}][0] == {}(no_object.{handle})",
                    in_integer(handle)
                ),
            ),
        ]),
        Kind::Status => Some(["C", "FORTRAN"].map(|who| format!("tell_status({who});"))),
        Kind::Text(_) if !is_new_each_time(name) => {
            Some(["C", "FORTRAN"].map(|who| format!("tell_text({who}, \"{name}\");")))
        }
        _ => None,
    }
}

/// The name of what [`print`] prints.
pub fn caller(function: &str, form: Form) -> String {
    format!("{function}_{}", form.name())
}

/// A function of C: it calls the function named `called`, and the procedure by a name of its own.
pub fn print(procedure: &Procedure, function: &Function, called: &str, form: Form) -> String {
    assert!(procedure.outcome == Outcome::Code);
    let variables = &function.signature.parameters;
    let (mut for_c, mut for_fortran) = (String::new(), String::new());
    let arguments_of_c = variables.iter().enumerate().map(|(at, variable)| {
        let mut parameters = procedure.parameters.iter();
        let parameter = parameters.find(|parameter| parameter.name == variable.name);
        let argument = parameter.map(|parameter| Argument {
            procedure,
            at,
            parameter,
            variable,
        });
        // Fortran has no command line.
        argument.map_or("0".into(), |argument| argument.in_c(&mut for_c))
    });
    let arguments_of_c: Vec<String> = arguments_of_c.collect();
    let (mut arguments, mut lengths) = (Vec::new(), Vec::new());
    let (mut results_of_c, mut results_of_fortran) = (String::new(), String::new());
    for parameter in &procedure.parameters {
        let at = variables.iter().position(|v| v.name == parameter.name);
        let at = at.expect("a parameter of C's");
        let argument = Argument {
            procedure,
            at,
            parameter,
            variable: &variables[at],
        };
        arguments.push(argument.in_fortran(form, &mut for_fortran));
        if matches!(parameter.kind, Kind::Text(_)) && form != Form::Cfi {
            lengths.push(match parameter.intent {
                Intent::In => "(size_t)LENGTH_IN".to_string(),
                _ => "(size_t)LENGTH_OUT".into(),
            });
        }
        if let Some([of_c, of_fortran]) = results(&argument) {
            let _ = writeln!(results_of_c, "        {of_c}");
            let _ = writeln!(results_of_fortran, "        {of_fortran}");
        }
    }
    arguments.push("&ierror".into());
    arguments.extend(lengths);
    let (before, after) = around(&procedure.name);
    // Open MPI's header has macros for what was removed, and no declarations.
    format!(
        "static void {caller}(const char *name, procedure *fortran)
{{
    int code, ierror = -1;
    clean();
{for_c}    {before}
    extern int ({called})();
    code = ({called})({of_c});
    tell_code(C, code);
    if (code == MPI_SUCCESS) {{
{results_of_c}        {after}
    }}
    clean();
{for_fortran}    {before}
    fortran({of_fortran});
    tell_code(FORTRAN, ierror);
    if (ierror == MPI_SUCCESS) {{
{results_of_fortran}        {after}
    }}
    line(name);
}}
",
        caller = caller(called, form),
        of_c = arguments_of_c.join(", "),
        of_fortran = arguments.join(", "),
    )
}
