//! Constants: numbers, handles and addresses.

use super::types::Scope;
use super::{documentation, is_public, refuse};
use crate::model::{Constant, Type, Value};
use syn::{Expr, ExprLit, ExprPath, Ident, Item, Lit, LitInt, UnOp};

/// Adds `item` to `constants`, if it is a public one.
pub fn read(item: &Item, scope: Scope, constants: &mut Vec<Constant>) -> syn::Result<()> {
    let Item::Const(item) = item else {
        return Ok(());
    };
    if is_public(&item.vis) {
        let kind = scope.meaning(&item.ty)?;
        let value = value(&item.expr, &kind, constants)?;
        constants.push(Constant {
            name: item.ident.to_string(),
            documentation: documentation(&item.attrs),
            kind,
            value,
        });
    }
    Ok(())
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
