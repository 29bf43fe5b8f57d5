//! Exported functions: those with one of the attributes of `src/abi/boundary/exports.rs`, which make one or more of each.

use super::types::Scope;
use super::{documentation, refuse};
use crate::model::{Definition, Function, Kind, Signature, Type, Variable};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Item, ItemFn, Token};

/// Adds what `item` exports to `functions`.
pub fn read(
    item: &Item,
    definitions: &[Definition],
    functions: &mut Vec<Function>,
) -> syn::Result<()> {
    let Item::Fn(function) = item else {
        return Ok(());
    };
    let Some(attribute) = find(&function.attrs, "apply") else {
        return Ok(());
    };
    let export: Ident = attribute.parse_args()?;
    let exports = Exports {
        function,
        definitions,
    };
    let name = function.sig.ident.to_string();
    functions.extend(match export.to_string().as_str() {
        "mpi_api" => vec![exports.one(name, Kind::Code, &[])?],
        "mpi_plain" => vec![exports.one(name, Kind::Value, &[])?],
        "mpi_counts" => exports.pair(&name, &[])?,
        "mpi_forms" => exports.forms()?,
        other => return refuse(&export, format!("the attribute {other} is not known")),
    });
    Ok(())
}

fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|a| a.path().is_ident(name))
}

/// What one function of Rust exports.
struct Exports<'a> {
    function: &'a ItemFn,
    definitions: &'a [Definition],
}

impl Exports<'_> {
    /// The function `name`; `more` are parameters after those that are written.
    fn one(&self, name: String, kind: Kind, more: &[Variable]) -> syn::Result<Function> {
        let scope = Scope {
            definitions: self.definitions,
            kind: Some(kind),
        };
        let written = &self.function.sig;
        Ok(Function {
            name,
            documentation: documentation(&self.function.attrs),
            kind,
            signature: Signature {
                parameters: [&scope.parameters(written)?, more].concat(),
                variadic: false,
                result: match kind {
                    Kind::Value => scope.result(&written.output)?,
                    _ => Type::Int,
                },
            },
        })
    }

    /// The function `name`, and its form with large counts.
    fn pair(&self, name: &str, more: &[Variable]) -> syn::Result<Vec<Function>> {
        Ok(vec![
            self.one(name.into(), Kind::SmallCounts, more)?,
            self.one(format!("{name}_c"), Kind::LargeCounts, more)?,
        ])
    }

    /// The forms of an operation, a pair each: which there are is said by what the function gives.
    fn forms(&self) -> syn::Result<Vec<Function>> {
        let place = &self.function.sig.ident;
        let Some(names) = find(&self.function.attrs, "names") else {
            return refuse(place, "an operation in several forms needs #[names(…)]");
        };
        let names = names.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated)?;
        let info = Variable::new("info", Type::named("MPI_Info"));
        let pointer = |name: &str, to| Variable::new(name, Type::pointer_to(Type::named(to)));
        let request = pointer("request", "MPI_Request");
        let status = pointer("status", "MPI_Status");
        let gives = self.gives();
        let forms = match (gives.as_str(), names.len()) {
            ("Call", 3) => vec![vec![], vec![request.clone()], vec![info, request]],
            ("SendCall", 3) => vec![vec![], vec![request.clone()], vec![request]],
            ("FileCall", 1) => vec![vec![status]],
            ("FileCall", 2) => vec![vec![status], vec![request]],
            ("FileCall", 4) => {
                let (status, request) = (vec![status], vec![request]);
                vec![status.clone(), status, request.clone(), request]
            }
            (gives, names) => {
                return refuse(place, format!("what gives a {gives} has no {names} forms"));
            }
        };
        let mut functions = Vec::new();
        for (name, more) in names.iter().zip(forms) {
            functions.extend(self.pair(&name.to_string(), &more)?);
        }
        Ok(functions)
    }

    /// The last name of the type that the function of Rust gives.
    fn gives(&self) -> String {
        match &self.function.sig.output {
            syn::ReturnType::Type(_, gives) => match &**gives {
                syn::Type::Path(path) => {
                    path.path.segments.last().map(|last| last.ident.to_string())
                }
                _ => None,
            },
            syn::ReturnType::Default => None,
        }
        .unwrap_or_default()
    }
}
