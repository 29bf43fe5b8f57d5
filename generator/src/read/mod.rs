//! Reads the sources: types and constants from one folder, the functions from another.

mod constants;
mod definitions;
mod functions;
mod types;

use crate::model::{Face, Interface};
use quote::ToTokens;
use std::fmt;
use std::path::{Path, PathBuf};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Item, Lit, Meta, Token, Visibility};
use types::Scope;

/// What the sources export: the types and constants that are public in `values`, and the functions in `functions` that one of
/// the attributes of `src/abi/boundary/exports.rs` exports; with the values of `face`.
pub fn interface(values: &Path, functions: &Path, face: Face) -> Result<Interface, Error> {
    understand(&sources(values)?, &sources(functions)?, face)
}

fn understand(values: &[Source], functions: &[Source], face: Face) -> Result<Interface, Error> {
    let (mut types, mut constants, mut exported) = (Vec::new(), Vec::new(), Vec::new());
    for source in values {
        source.each(face, |item| definitions::read(item, &mut types))?;
    }
    let scope = Scope {
        definitions: &types,
        kind: None,
    };
    for source in values {
        source.each(face, |item| {
            constants::read(item, scope, face, &mut constants)
        })?;
    }
    for source in functions {
        source.each(face, |item| functions::read(item, &types, &mut exported))?;
    }
    Ok(Interface {
        definitions: types,
        constants,
        functions: exported,
    })
}

/// Why the sources cannot be understood, and where.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// A file of Rust.
struct Source {
    path: PathBuf,
    /// What all of it is compiled under.
    conditions: Vec<Meta>,
    items: Vec<Item>,
}

impl Source {
    fn parse(path: &Path, text: &str) -> Result<Source, Error> {
        let file = syn::parse_file(text).map_err(|error| located(path, &error))?;
        Ok(Source {
            path: path.to_path_buf(),
            conditions: conditions_in(&file.attrs),
            items: file.items,
        })
    }

    /// Gives the items to `read`, one after the other.
    fn each(
        &self,
        face: Face,
        mut read: impl FnMut(&Item) -> syn::Result<()>,
    ) -> Result<(), Error> {
        if !self
            .conditions
            .iter()
            .all(|condition| holds(condition, face))
        {
            return Ok(());
        }
        visit(&self.items, face, &mut read).map_err(|error| located(&self.path, &error))
    }
}

fn located(path: &Path, error: &syn::Error) -> Error {
    let line = error.span().start().line;
    Error(format!("{}:{line}: {error}", path.display()))
}

/// Gives `items` to `read`, and those in modules, but none that is compiled for tests or another interface only.
fn visit(
    items: &[Item],
    face: Face,
    read: &mut impl FnMut(&Item) -> syn::Result<()>,
) -> syn::Result<()> {
    for item in items {
        match item {
            item if !conditions(item)
                .iter()
                .all(|condition| holds(condition, face)) => {}
            Item::Mod(module) => {
                let inside = module.content.as_ref();
                visit(inside.map_or(&[], |(_, items)| items), face, read)?;
            }
            _ => read(item)?,
        }
    }
    Ok(())
}

/// What an item is compiled under.
fn conditions(item: &Item) -> Vec<Meta> {
    let attributes = match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        _ => return Vec::new(),
    };
    conditions_in(attributes)
}

fn conditions_in(attributes: &[Attribute]) -> Vec<Meta> {
    let conditions = attributes.iter().filter(|a| a.path().is_ident("cfg"));
    conditions.filter_map(|a| a.parse_args().ok()).collect()
}

/// Whether a condition of `#[cfg(…)]` holds where an interface is compiled. A name does, unless it is that of tests.
fn holds(condition: &Meta, face: Face) -> bool {
    match condition {
        Meta::Path(path) => !path.is_ident("test"),
        Meta::NameValue(pair) => {
            let feature = match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => text.value(),
                    _ => return false,
                },
                _ => return false,
            };
            pair.path.is_ident("feature") && face.feature() == Some(&*feature)
        }
        Meta::List(list) => {
            let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
            let Ok(inside) = list.parse_args_with(parse) else {
                return false;
            };
            let mut inside = inside.iter().map(|condition| holds(condition, face));
            match list.path.get_ident().map(Ident::to_string).as_deref() {
                Some("not") => !inside.any(|holds| holds),
                Some("any") => inside.any(|holds| holds),
                Some("all") => inside.all(|holds| holds),
                _ => false,
            }
        }
    }
}

/// The Rust sources below `folder`, in a fixed order.
fn sources(folder: &Path) -> Result<Vec<Source>, Error> {
    let unreadable = |error| Error(format!("{}: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).map_err(unreadable)?;
            found.push(Source::parse(&path, &text)?);
        }
    }
    Ok(found)
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The text of the documentation comments.
fn documentation(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let Expr::Lit(literal) = &pair.value
            && let Lit::Str(text) = &literal.lit
        {
            let text = text.value();
            lines.push(text.strip_prefix(' ').unwrap_or(&text).to_string());
        }
    }
    lines.join("\n")
}

/// The error that says `sentence` of `place`.
fn refuse<T>(place: impl ToTokens, sentence: impl fmt::Display) -> syn::Result<T> {
    Err(syn::Error::new_spanned(place, sentence))
}

#[cfg(test)]
mod tests;
