//! Constants: numbers, handles and addresses; rows of numbers with one for each interface.

use super::types::Scope;
use super::{documentation, is_public, refuse};
use crate::model::{Constant, Face, Type, Value};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, ExprPath, Ident, Item, ItemMacro, Lit, LitInt, Token, UnOp};

/// Adds `item` to `constants`, if it is a public one, or those of its rows that `face` has.
pub fn read(
    item: &Item,
    scope: Scope,
    face: Face,
    constants: &mut Vec<Constant>,
) -> syn::Result<()> {
    match item {
        Item::Const(item) if is_public(&item.vis) => {
            let kind = scope.meaning(&item.ty)?;
            let value = value(&item.expr, &kind, constants)?;
            constants.push(Constant {
                name: item.ident.to_string(),
                documentation: documentation(&item.attrs),
                kind,
                value,
            });
            Ok(())
        }
        Item::Macro(call)
            if call.ident.is_none()
                && ["values", "addresses"]
                    .iter()
                    .any(|list| call.mac.path.is_ident(list)) =>
        {
            rows(call, scope, face, constants)
        }
        Item::Macro(call) if call.ident.is_none() && call.mac.path.is_ident("objects") => {
            objects(call, scope, face, constants)
        }
        _ => Ok(()),
    }
}

/// Adds the rows of a list `values! { … }` or `addresses! { … }`.
fn rows(
    call: &ItemMacro,
    scope: Scope,
    face: Face,
    constants: &mut Vec<Constant>,
) -> syn::Result<()> {
    let Rows(rows) = call.mac.parse_body()?;
    for row in rows {
        if row.values.len() != Face::ALL.len() {
            return refuse(&row.name, "a row must have a value for each interface");
        }
        let own = &row.values[face as usize];
        if is_absent(own) {
            continue;
        }
        let kind = scope.meaning(&row.kind)?;
        let value = value(own, &kind, constants)?;
        constants.push(Constant {
            name: row.name.to_string(),
            documentation: documentation(&row.attributes),
            kind,
            value,
        });
    }
    Ok(())
}

/// Adds the rows of a list `objects! { KIND: … }`. Open MPI's are variables.
fn objects(
    call: &ItemMacro,
    scope: Scope,
    face: Face,
    constants: &mut Vec<Constant>,
) -> syn::Result<()> {
    let Listed { kind, rows } = call.mac.parse_body()?;
    let kind = scope.meaning(&kind)?;
    for row in rows {
        let value = match face {
            Face::Openmpi if row.openmpi == "NONE" => continue,
            Face::Openmpi => Value::Address(row.openmpi.to_string()),
            Face::Mpich if is_absent(&row.handle) => continue,
            Face::Mpich => value(&row.handle, &kind, constants)?,
            Face::Standard if is_absent(&row.standard) => continue,
            Face::Standard => value(&row.standard, &kind, constants)?,
        };
        constants.push(Constant {
            name: row.name.to_string(),
            documentation: documentation(&row.attributes),
            kind: kind.clone(),
            value,
        });
    }
    Ok(())
}

/// Whether an interface has no such name: `NONE`, or a handle that is the library's `own(…)`.
fn is_absent(value: &Expr) -> bool {
    match value {
        Expr::Path(path) => path.path.is_ident("NONE"),
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Path(path) if path.path.is_ident("own"))
        }
        _ => false,
    }
}

struct Listed {
    kind: syn::Type,
    rows: Vec<ObjectRow>,
}

/// `NAME = handle, symbol, number;`, with its documentation before.
struct ObjectRow {
    attributes: Vec<Attribute>,
    name: Ident,
    handle: Expr,
    openmpi: Ident,
    standard: Expr,
}

impl Parse for Listed {
    fn parse(input: ParseStream) -> syn::Result<Listed> {
        let kind = input.parse()?;
        input.parse::<Token![:]>()?;
        let mut rows = Vec::new();
        while !input.is_empty() {
            let attributes = input.call(Attribute::parse_outer)?;
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            let handle = input.parse()?;
            input.parse::<Token![,]>()?;
            let openmpi = input.parse()?;
            input.parse::<Token![,]>()?;
            let standard = input.parse()?;
            input.parse::<Token![;]>()?;
            rows.push(ObjectRow {
                attributes,
                name,
                handle,
                openmpi,
                standard,
            });
        }
        Ok(Listed { kind, rows })
    }
}

struct Rows(Vec<Row>);

/// `NAME: type = value, value, value;`, with its documentation before.
struct Row {
    attributes: Vec<Attribute>,
    name: Ident,
    kind: syn::Type,
    values: Punctuated<Expr, Token![,]>,
}

impl Parse for Rows {
    fn parse(input: ParseStream) -> syn::Result<Rows> {
        let mut rows = Vec::new();
        while !input.is_empty() {
            let attributes = input.call(Attribute::parse_outer)?;
            let name = input.parse()?;
            input.parse::<Token![:]>()?;
            let kind = input.parse()?;
            input.parse::<Token![=]>()?;
            let values = Punctuated::parse_separated_nonempty(input)?;
            input.parse::<Token![;]>()?;
            rows.push(Row {
                attributes,
                name,
                kind,
                values,
            });
        }
        Ok(Rows(rows))
    }
}

/// The value of a constant of the type `kind`. `known` are the constants before it.
fn value(expression: &Expr, kind: &Type, known: &[Constant]) -> syn::Result<Value> {
    let inner = |expression| value(expression, kind, known);
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => of_literal(number),
        // The number may be too large for the type that it is cast to, whose bits it is.
        Expr::Cast(cast) => inner(&cast.expr),
        Expr::Unary(minus) if matches!(minus.op, UnOp::Neg(_)) => match inner(&minus.expr)? {
            Value::Decimal(number) => Ok(Value::Decimal(-number)),
            _ => refuse(expression, "only a decimal number may stand after a minus"),
        },
        Expr::Path(path) => match name(path) {
            Some(name) if name == "None" => Ok(Value::Decimal(0)),
            Some(name) if known.iter().any(|c| c.name == name) => Ok(Value::Same(name)),
            _ => refuse(expression, "this is no constant, or one that comes later"),
        },
        Expr::Call(call) => {
            let arguments: Vec<&Expr> = call.args.iter().collect();
            let called = match &*call.func {
                Expr::Path(path) => name(path),
                _ => None,
            };
            match (called.as_deref(), arguments.as_slice(), kind) {
                (Some("null_mut"), [], _) => Ok(Value::Decimal(0)),
                (Some("without_provenance_mut"), [address], _) => inner(address),
                (Some(name), [bits], Type::Named(kind)) if name == kind => inner(bits),
                _ => refuse(expression, "this call is not known in a constant"),
            }
        }
        _ => refuse(
            expression,
            "a constant must be a number, a handle or an address",
        ),
    }
}

fn name(path: &ExprPath) -> Option<String> {
    path.path.get_ident().map(Ident::to_string)
}

fn of_literal(number: &LitInt) -> syn::Result<Value> {
    let notation = match number.to_string().starts_with("0x") {
        true => Value::Hexadecimal,
        false => Value::Decimal,
    };
    Ok(notation(number.base10_parse()?))
}
