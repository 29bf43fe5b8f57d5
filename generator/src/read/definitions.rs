//! Definitions of types: `pub type`, `pub struct`, and the lists `handles! { … }`, `enumerations! { … }` and
//! `opaque! { … }`.

use super::types::Scope;
use super::{documentation, is_public, refuse};
use crate::model::{Definition, Shape, Variable};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Field, Fields, Ident, ImplItem, Item, ItemImpl, ItemMacro, ItemStruct, ItemType,
    Token, Type,
};

/// Adds what `item` defines to `definitions`.
pub fn read(item: &Item, definitions: &mut Vec<Definition>) -> syn::Result<()> {
    let scope = Scope {
        definitions,
        kind: None,
    };
    let new = match item {
        Item::Type(alias) if is_public(&alias.vis) && alias.generics.params.is_empty() => {
            vec![named(&alias.attrs, &alias.ident, of_alias(alias, scope)?)]
        }
        // C has no types with parameters.
        Item::Struct(plain) if is_public(&plain.vis) && plain.generics.params.is_empty() => {
            vec![named(&plain.attrs, &plain.ident, of_struct(plain, scope)?)]
        }
        Item::Impl(form) => return of_form(form, definitions),
        Item::Macro(call) if call.mac.path.is_ident("form") => return of_handle(call, definitions),
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

/// `impl Foreign for` a type says which form of it C has.
fn of_form(form: &ItemImpl, definitions: &mut [Definition]) -> syn::Result<()> {
    let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.to_string());
    let is_foreign = |path: &syn::Path| last(path).is_some_and(|name| name == "Foreign");
    let (Some(of), syn::Type::Path(this)) = (&form.trait_, &*form.self_ty) else {
        return Ok(());
    };
    let named = last(&this.path);
    let known = definitions
        .iter()
        .position(|known| Some(&known.name) == named.as_ref());
    let (true, Some(known)) = (is_foreign(&of.0), known) else {
        return Ok(());
    };
    let scope = Scope {
        definitions,
        kind: None,
    };
    for item in &form.items {
        if let ImplItem::Type(c) = item {
            definitions[known].shape = Shape::Alias(scope.meaning(&c.ty)?);
            return Ok(());
        }
    }
    Ok(())
}

/// `form!(…)` says that C has a handle.
fn of_handle(call: &ItemMacro, definitions: &mut [Definition]) -> syn::Result<()> {
    let name: Ident = call.mac.parse_body()?;
    match definitions.iter_mut().find(|known| name == known.name) {
        Some(known) => known.shape = Shape::Handle,
        None => return refuse(name, "form! is for a type that is defined before"),
    }
    Ok(())
}

fn of_list(call: &ItemMacro) -> syn::Result<Vec<Definition>> {
    let shape = match call.mac.path.get_ident() {
        Some(list) if list == "handles" || list == "enumerations" => || Shape::Handle,
        // What types are to Rust, and constants.
        Some(list)
            if ["plain", "values", "addresses", "objects"]
                .iter()
                .any(|known| list == known) =>
        {
            return Ok(Vec::new());
        }
        Some(list) if list == "opaque" => || Shape::Opaque,
        _ => {
            return refuse(
                &call.mac.path,
                "only handles!, enumerations!, opaque!, plain!, values! and objects! are known here",
            );
        }
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
