//! The arguments of a call, in C and in Fortran, and what prepares them. A sentinel may take the place of some.

use crate::calls::Form;
use generator::fortran::{Intent, Kind, Parameter, Procedure};
use generator::model::{Type, Variable};
use std::fmt::Write;

/// What is at the end of pointers.
fn value(kind: &Type) -> &Type {
    match kind {
        Type::Pointer { to, .. } => value(to),
        kind => kind,
    }
}

/// The function that turns a kind of handle into Fortran's.
pub fn in_integer(handle: &str) -> String {
    format!("{}_c2f", handle.replace("Datatype", "Type"))
}

fn truths(at: usize) -> String {
    format!("    for (int i = 0; i < ELEMENTS; i++) ints[{at}][i] = 1;\n")
}

/// An argument of a call.
pub struct Argument<'a> {
    pub procedure: &'a Procedure,
    /// Which parameter of C's function it is for.
    pub at: usize,
    pub parameter: &'a Parameter,
    pub variable: &'a Variable,
}

impl Argument<'_> {
    /// Whether C is given a value, and not an address.
    pub fn is_by_value(&self) -> bool {
        !matches!(self.variable.kind, Type::Pointer { .. } | Type::Callback(_))
    }

    /// Whether C is given the address of what it only reads.
    pub fn is_constant(&self) -> bool {
        matches!(self.variable.kind, Type::Pointer { constant: true, .. })
    }

    /// What an integer is: another number for each argument, so that sentences tell them apart. An epoch begins as it does without
    /// assertions; a truth is as gfortran has it.
    fn number(&self) -> String {
        match (&self.parameter.kind, self.parameter.name.as_str()) {
            (Kind::Logical, _) => "1".into(),
            (_, "assert") => "0".into(),
            (_, "root") => "root".into(),
            _ => (11 + self.at).to_string(),
        }
    }

    /// The sentinel that may take its place; those of choice buffers are others.
    fn sentinel(&self) -> Option<&'static str> {
        let Parameter {
            kind, name, shape, ..
        } = self.parameter;
        Some(match (kind, name.as_str()) {
            (Kind::Status, _) if shape.is_empty() => "in_place_of_status",
            (Kind::Status, _) => "in_place_of_statuses",
            (Kind::Integer, "array_of_errcodes") => "in_place_of_errcodes",
            (Kind::Integer, name) if name.ends_with("weights") => "in_place_of_weights",
            (Kind::Text(_), "argv") => "in_place_of_argv",
            (Kind::Text(_), "array_of_argv") => "in_place_of_argvs",
            _ => return None,
        })
    }

    /// How many choice buffers come before it.
    fn buffers_before(&self) -> usize {
        let before = self.procedure.parameters.iter();
        let before = before.take_while(|p| p.name != self.parameter.name);
        before.filter(|p| p.kind == Kind::Choice).count()
    }

    /// The objects that it is: those that may change are none.
    fn objects(&self, handle: &str) -> String {
        match self.is_by_value() || self.is_constant() {
            true => format!("object.{handle}"),
            false => format!("no_object.{handle}"),
        }
    }

    fn is_array_of_texts(&self) -> bool {
        matches!(&self.variable.kind, Type::Pointer { to, .. } if matches!(**to, Type::Pointer { .. }))
    }

    /// What C is given; what prepares it is added to `prepared`.
    pub fn in_c(&self, prepared: &mut String) -> String {
        let argument = self.plain_in_c(prepared);
        match self.sentinel() {
            Some(sentinel) => format!("in_c({sentinel}, {argument})"),
            None => argument,
        }
    }

    fn plain_in_c(&self, prepared: &mut String) -> String {
        let Argument { at, parameter, .. } = *self;
        match &parameter.kind {
            Kind::Callback(interface) => format!("({interface} *)nothing"),
            Kind::Choice => {
                let which = self.buffers_before();
                format!("in_c(of_buffer({which}), buffers[{which}])")
            }
            Kind::Status => "statuses".into(),
            Kind::Handle(handle) if self.is_by_value() => self.objects(handle),
            Kind::Handle(handle) => {
                let _ = writeln!(
                    prepared,
                    "    for (int i = 0; i < ELEMENTS; i++) (({handle} *)handles[{at}])[i] = {};",
                    self.objects(handle)
                );
                format!("({handle} *)handles[{at}]")
            }
            Kind::Text(_) if self.is_array_of_texts() => {
                let _ = writeln!(
                    prepared,
                    "    for (int i = 0; i < ELEMENTS; i++) handles[{at}][i] = text;"
                );
                format!("(void *)handles[{at}]")
            }
            Kind::Text(_) if parameter.intent == Intent::In => "text".into(),
            Kind::Text(_) => "given_text".into(),
            _ if self.is_by_value() => match self.variable.kind {
                Type::Int => self.number(),
                _ => format!("(long){}", self.number()),
            },
            Kind::Logical => {
                if parameter.intent == Intent::In {
                    *prepared += &truths(at);
                }
                format!("(void *)ints[{at}]")
            }
            _ => match value(&self.variable.kind) {
                Type::Int => format!("(void *)ints[{at}]"),
                _ => format!("(void *)longs[{at}]"),
            },
        }
    }

    /// What Fortran is given; what prepares it is added to `prepared`.
    pub fn in_fortran(&self, form: Form, prepared: &mut String) -> String {
        let argument = self.plain_in_fortran(form, prepared);
        match (self.sentinel(), form) {
            (Some(sentinel), Form::Address) => format!("in_header({sentinel}, {argument})"),
            (Some(sentinel), _) => format!("in_f08({sentinel}, {argument})"),
            (None, _) => argument,
        }
    }

    fn plain_in_fortran(&self, form: Form, prepared: &mut String) -> String {
        let Argument { at, parameter, .. } = *self;
        let integer = |array: &str, prepared: &mut String| {
            if self.is_by_value() {
                let _ = writeln!(prepared, "    {array}[{at}][0] = {};", self.number());
            }
            format!("{array}[{at}]")
        };
        match &parameter.kind {
            Kind::Choice => {
                let which = self.buffers_before();
                match form {
                    Form::Address => format!("in_header(of_buffer({which}), buffers[{which}])"),
                    Form::Gfortran => format!("&gfortran[{which}]"),
                    Form::Cfi => format!("&cfi[{which}]"),
                }
            }
            Kind::Callback(_) => "(void *)nothing".into(),
            Kind::Status => "statuses".into(),
            Kind::Text(_) => match (parameter.intent == Intent::In, form) {
                (true, Form::Cfi) => "&cfi_words".into(),
                (true, _) => "words".into(),
                (false, Form::Cfi) => "&cfi_given".into(),
                (false, _) => "given_text".into(),
            },
            Kind::Handle(handle) => {
                let _ = writeln!(
                    prepared,
                    "    for (int i = 0; i < ELEMENTS; i++) ints[{at}][i] = {}({});",
                    in_integer(handle),
                    self.objects(handle)
                );
                format!("ints[{at}]")
            }
            Kind::Logical if parameter.intent == Intent::In && !self.is_by_value() => {
                *prepared += &truths(at);
                format!("ints[{at}]")
            }
            Kind::Address | Kind::Count | Kind::Offset | Kind::Attribute | Kind::ExtraState => {
                integer("longs", prepared)
            }
            Kind::Integer
            | Kind::Index
            | Kind::Logical
            | Kind::OldAddress
            | Kind::OldAttribute
            | Kind::OldExtraState => integer("ints", prepared),
            _ => "(void *)longs[63]".into(),
        }
    }
}
