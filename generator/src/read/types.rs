//! Types where they are used, in parameters, fields and constants.

use super::refuse;
use crate::model::{Definition, Kind, Shape, Signature, Type, Variable};
use syn::ext::IdentExt;
use syn::{
    Expr, FnArg, GenericArgument, Lit, Pat, PathArguments, PathSegment, PointerMutability,
    ReturnType, TypeFnPtr,
};

/// What the names of types mean at a place.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The types that are defined before.
    pub definitions: &'a [Definition],
    /// The kind of the function that the place belongs to, if it is one.
    pub kind: Option<Kind>,
}

impl Scope<'_> {
    pub fn meaning(self, rust: &syn::Type) -> syn::Result<Type> {
        match rust {
            syn::Type::Path(path) => match path.path.segments.last() {
                Some(last) => self.of_name(last),
                None => refuse(rust, "a type without a name"),
            },
            syn::Type::Ptr(pointer) => {
                let to = self.meaning(&pointer.elem)?;
                Ok(match pointer.mutability {
                    PointerMutability::Const(_) => Type::pointer_to_constant(to),
                    PointerMutability::Mut(_) => Type::pointer_to(to),
                })
            }
            syn::Type::Array(array) => Ok(Type::Array {
                of: Box::new(self.meaning(&array.elem)?),
                length: length(&array.len)?,
            }),
            _ => refuse(rust, "this kind of type has no place in MPI's interface"),
        }
    }

    fn of_name(self, place: &PathSegment) -> syn::Result<Type> {
        let name = place.ident.to_string();
        Ok(match (name.as_str(), argument(&place.arguments)) {
            ("In", Some(to)) => Type::pointer_to_constant(self.meaning(to)?),
            ("Mut", Some(to)) => Type::pointer_to(self.meaning(to)?),
            ("C", Some(inside)) => self.meaning(inside)?,
            ("Option", Some(function)) => match self.meaning(function)? {
                Type::Named(function) if self.is_function(&function) => Type::Callback(function),
                _ => return refuse(place, "only a user's function may be an Option"),
            },
            ("c_void", None) => Type::Void,
            ("c_char", None) => Type::Char,
            ("c_int", None) => Type::Int,
            ("c_double", None) => Type::Double,
            ("isize" | "usize", None) => Type::AddressSized,
            ("i64", None) => Type::Wide,
            (name, None) if self.find(name).is_some() => Type::named(name),
            (name, _) => match self.of_count(name) {
                Some(count) => count,
                None => {
                    let what = "is no type of MPI's interface, or is defined later";
                    return refuse(place, format!("{name} {what}"));
                }
            },
        })
    }

    /// The types of `src/abi/boundary/counts.rs`.
    fn of_count(self, name: &str) -> Option<Type> {
        match (name, self.kind?) {
            ("Count" | "Displ", Kind::SmallCounts) => Some(Type::Int),
            ("Extent", Kind::SmallCounts) => Some(Type::named("MPI_Aint")),
            ("Displ", Kind::LargeCounts) => Some(Type::named("MPI_Aint")),
            ("Count" | "Extent", Kind::LargeCounts) => Some(Type::named("MPI_Count")),
            _ => None,
        }
    }

    fn find(&self, name: &str) -> Option<&Shape> {
        let known = self.definitions.iter().find(|known| known.name == name);
        known.map(|known| &known.shape)
    }

    fn is_function(&self, name: &str) -> bool {
        match self.find(name) {
            Some(Shape::Function(_)) => true,
            Some(Shape::Alias(Type::Named(other))) => self.is_function(other),
            _ => false,
        }
    }

    /// The signature of a user's function.
    pub fn callback(self, function: &TypeFnPtr) -> syn::Result<Signature> {
        let mut parameters = Vec::new();
        for input in &function.inputs {
            let Some((name, _)) = &input.name else {
                return refuse(input, "the parameters of a user's function need names");
            };
            parameters.push(Variable::new(name.unraw(), self.meaning(&input.ty)?));
        }
        Ok(Signature {
            parameters,
            variadic: function.variadic.is_some(),
            result: self.result(&function.output)?,
        })
    }

    /// The parameters of an exported function.
    pub fn parameters(self, function: &syn::Signature) -> syn::Result<Vec<Variable>> {
        let parameter = |input: &FnArg| {
            if let FnArg::Typed(typed) = input
                && let Pat::Ident(pattern) = &*typed.pat
            {
                let kind = self.meaning(&typed.ty)?;
                return Ok(Variable::new(pattern.ident.unraw(), kind));
            }
            refuse(input, "a parameter must be a name and a type")
        };
        function.inputs.iter().map(parameter).collect()
    }

    pub fn result(self, output: &ReturnType) -> syn::Result<Type> {
        match output {
            ReturnType::Default => Ok(Type::Void),
            ReturnType::Type(_, result) => self.meaning(result),
        }
    }
}

fn length(expression: &Expr) -> syn::Result<u64> {
    if let Expr::Lit(literal) = expression
        && let Lit::Int(length) = &literal.lit
    {
        return length.base10_parse();
    }
    refuse(expression, "the length of an array must be a number")
}

/// The one type among the arguments. Lifetimes do not count.
fn argument(arguments: &PathArguments) -> Option<&syn::Type> {
    let PathArguments::AngleBracketed(list) = arguments else {
        return None;
    };
    list.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(argument) => Some(argument),
        _ => None,
    })
}
