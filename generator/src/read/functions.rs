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
        "mpi_collective" => exports.collective()?,
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

    /// The blocking, the nonblocking and the persistent form of a collective operation, each a pair.
    fn collective(&self) -> syn::Result<Vec<Function>> {
        let place = &self.function.sig.ident;
        let Some(names) = find(&self.function.attrs, "names") else {
            return refuse(place, "a collective operation needs #[names(…)]");
        };
        let names = names.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated)?;
        let names: Vec<String> = names.iter().map(Ident::to_string).collect();
        let [blocking, nonblocking, persistent] = names.as_slice() else {
            return refuse(place, "a collective operation has three names");
        };
        let info = Variable::new("info", Type::named("MPI_Info"));
        let request = Type::pointer_to(Type::named("MPI_Request"));
        let request = Variable::new("request", request);
        Ok([
            self.pair(blocking, &[])?,
            self.pair(nonblocking, std::slice::from_ref(&request))?,
            self.pair(persistent, &[info, request])?,
        ]
        .concat())
    }
}
