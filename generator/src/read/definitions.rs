//! Definitions of types: `pub type`, `pub struct`, and the lists `handles! { … }` and `opaque! { … }`.

use super::types::Scope;
use super::{documentation, is_public, refuse};
use crate::model::{Definition, Shape, Variable};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Field, Fields, Ident, Item, ItemMacro, ItemStruct, ItemType, Token, Type};

/// Adds what `item` defines to `definitions`.
pub fn read(item: &Item, definitions: &mut Vec<Definition>) -> syn::Result<()> {
    let scope = Scope {
        definitions,
        kind: None,
    };
    let new = match item {
        Item::Type(alias) if is_public(&alias.vis) => {
            vec![named(&alias.attrs, &alias.ident, of_alias(alias, scope)?)]
        }
        Item::Struct(plain) if is_public(&plain.vis) => {
            vec![named(&plain.attrs, &plain.ident, of_struct(plain, scope)?)]
        }
        // One with a name is the macro's own definition.
        Item::Macro(call) if call.ident.is_none() => of_list(call)?,
        _ => return Ok(()),
    };
    definitions.extend(new);
    Ok(())
}

fn named(attributes: &[Attribute], name: &Ident, shape: Shape) -> Definition {
    Definition {
        name: name.to_string(),
        documentation: documentation(attributes),
        shape,
    }
}

fn of_alias(alias: &ItemType, scope: Scope) -> syn::Result<Shape> {
    match &*alias.ty {
        Type::FnPtr(function) => scope.callback(function).map(Shape::Function),
        other => scope.meaning(other).map(Shape::Alias),
    }
}

/// A struct of one field without a name is that field.
fn of_struct(plain: &ItemStruct, scope: Scope) -> syn::Result<Shape> {
    match &plain.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            scope.meaning(&fields.unnamed[0].ty).map(Shape::Alias)
        }
        Fields::Named(fields) => {
            let variable = |field: &Field| {
                let name = field.ident.as_ref().expect("all fields have names here");
                Ok(Variable::new(name, scope.meaning(&field.ty)?))
            };
            let fields: syn::Result<_> = fields.named.iter().map(variable).collect();
            fields.map(Shape::Struct)
        }
        _ => refuse(plain, "a struct must have named fields, or one field"),
    }
}

fn of_list(call: &ItemMacro) -> syn::Result<Vec<Definition>> {
    let shape = match call.mac.path.get_ident() {
        Some(list) if list == "handles" => || Shape::Handle,
        Some(list) if list == "opaque" => || Shape::Opaque,
        _ => return refuse(&call.mac.path, "only handles! and opaque! are known here"),
    };
    let List(entries) = call.mac.parse_body()?;
    let entries = entries.iter();
    Ok(entries
        .map(|(docs, name)| named(docs, name, shape()))
        .collect())
}

/// Names, each with its documentation before and a semicolon after it.
struct List(Vec<(Vec<Attribute>, Ident)>);

impl Parse for List {
    fn parse(input: ParseStream) -> syn::Result<List> {
        let mut entries = Vec::new();
        while !input.is_empty() {
            let attributes = input.call(Attribute::parse_outer)?;
            entries.push((attributes, input.parse()?));
            input.parse::<Token![;]>()?;
        }
        Ok(List(entries))
    }
}
