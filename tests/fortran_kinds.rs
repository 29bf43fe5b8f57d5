//! The procedures of Fortran, as `generator` makes them of C's functions, are those of the standard: names, order, types, shapes,
//! intents. The standard's own description of them is in PyPI's `pympistandard`, whose `apis.json` is found by
//! `RMASHM_MPI_APIS`, or in the environment of the `python3` on the path.

use generator::fortran::{Intent, Kind, Outcome, Parameter, Procedure, procedures};
use generator::model::Face;
use harness::needs::{find_program, missing};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the description does not have: what was removed before MPI 4.1, and the large form of a constant.
const BEYOND: [&str; 11] = [
    "MPI_Address",
    "MPI_Errhandler_create",
    "MPI_Errhandler_get",
    "MPI_Errhandler_set",
    "MPI_Type_extent",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_lb",
    "MPI_Type_struct",
    "MPI_Type_ub",
    "MPI_CONVERSION_FN_NULL_C",
];

fn ours() -> Vec<Procedure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let interface =
        generator::read::interface(&root.join("src/mpi"), &root.join("src/abi"), Face::Mpich);
    procedures(&interface.expect("the sources can be read"))
}

/// The standard's description, a map from names in small letters.
fn description() -> Option<Value> {
    let path = std::env::var_os("RMASHM_MPI_APIS")
        .map(PathBuf::from)
        .or_else(|| {
            let environment = find_program("python3")?.parent()?.parent()?.join("lib");
            let pythons = std::fs::read_dir(environment).ok()?;
            let mut files = pythons.flatten().map(|python| {
                python
                    .path()
                    .join("site-packages/pympistandard/data/apis.json")
            });
            files.find(|file| file.is_file())
        });
    let Some(text) = path.and_then(|path| std::fs::read_to_string(path).ok()) else {
        missing("there is no apis.json (PyPI: pip install pympistandard, or RMASHM_MPI_APIS)");
        return None;
    };
    Some(serde_json::from_str(&text).expect("apis.json is JSON"))
}

fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or("")
}

fn is(of: &Value, key: &str) -> bool {
    of[key].as_bool().expect(key)
}

/// The parameters that Fortran has, without `ierror`.
fn parameters(of: &Value) -> impl Iterator<Item = &Value> {
    let all = of["parameters"].as_array().expect("parameters").iter();
    all.filter(|p| {
        !text(p, "suppress").contains("f08_parameter")
            && !is_ierror(p)
            && text(p, "kind") != "VARARGS"
    })
}

fn is_ierror(parameter: &Value) -> bool {
    matches!(text(parameter, "name"), "ierror" | "ierr")
}

/// Whether there is a form with large counts.
fn has_large(of: &Value) -> bool {
    parameters(of).any(|p| text(p, "kind").starts_with("POLY"))
}

/// Parameters of which the description says what the text of the standard cannot mean.
const SLIPS: [(&str, &str); 4] = [
    // Its callers take it out of the call.
    ("*", "attribute_val_out"),
    // In use until the operation is freed, as with all others of their kind.
    ("MPI_Neighbor_allgatherv_init", "displs"),
    ("MPI_Psend_init", "buf"),
    ("MPI_Precv_init", "buf"),
];

fn is_slip(function: &str, parameter: &str) -> bool {
    let mut slips = SLIPS.iter();
    slips.any(|slip| (slip.0 == "*" || slip.0 == function) && slip.1 == parameter)
}

/// Our kind of what the standard calls so.
fn kind(parameter: &Value, large: bool) -> Kind {
    let poly = |small: Kind, big: Kind| if large { big } else { small };
    let handle = |name: &str| Kind::Handle(name.into());
    match text(parameter, "kind") {
        "BUFFER" => Kind::Choice,
        "C_BUFFER" | "C_BUFFER3" => Kind::Pointer,
        "C_BUFFER2" => Kind::Detached,
        "LOGICAL" | "LOGICAL_VOID" | "LOGICAL_OPTIONAL" | "LOGICAL_BOOLEAN" => Kind::Logical,
        "STATUS" => Kind::Status,
        "F90_STATUS" => Kind::IntegerStatus,
        "F08_STATUS" => Kind::TypeStatus,
        "STRING" | "STRING_ARRAY" | "STRING_2DARRAY" => {
            Kind::Text(match text(parameter, "length") {
                "" | "count" => "*".into(),
                length => length.into(),
            })
        }
        "EXTRA_STATE" => Kind::ExtraState,
        "EXTRA_STATE2" => Kind::OldExtraState,
        "ATTRIBUTE_VAL" => Kind::Attribute,
        "ATTRIBUTE_VAL_10" => Kind::OldAttribute,
        "FUNCTION" => Kind::Callback(text(parameter, "func_type").into()),
        "POLYFUNCTION" => {
            let of = text(parameter, "func_type");
            Kind::Callback(if large { format!("{of}_c") } else { of.into() })
        }
        "COMMUNICATOR" => handle("MPI_Comm"),
        "DATATYPE" => handle("MPI_Datatype"),
        "ERRHANDLER" => handle("MPI_Errhandler"),
        "FILE" => handle("MPI_File"),
        "GROUP" => handle("MPI_Group"),
        "INFO" => handle("MPI_Info"),
        "MESSAGE" => handle("MPI_Message"),
        "OPERATION" => handle("MPI_Op"),
        "REQUEST" => handle("MPI_Request"),
        "SESSION" => handle("MPI_Session"),
        "WINDOW" => handle("MPI_Win"),
        "OFFSET" => Kind::Offset,
        "ALLOC_MEM_NUM_BYTES"
        | "DISPLACEMENT"
        | "DISPLACEMENT_NNI"
        | "DISPOFFSET_SMALL"
        | "LOCATION_SMALL"
        | "RMA_DISPLACEMENT"
        | "RMA_DISPLACEMENT_NNI"
        | "STRIDE_BYTES"
        | "WINDOW_SIZE"
        | "WIN_ATTACH_SIZE" => Kind::Address,
        "DTYPE_NUM_ELEM"
        | "GENERIC_DTYPE_COUNT"
        | "LOCATION"
        | "NUM_BYTES"
        | "NUM_BYTES_NNI"
        | "XFER_NUM_ELEM"
        | "XFER_NUM_ELEM_NNI" => Kind::Count,
        "POLYDISPLACEMENT" | "POLYRMA_DISPLACEMENT" | "POLYRMA_DISPLACEMENT_NNI" => {
            poly(Kind::Integer, Kind::Address)
        }
        "POLYDISPLACEMENT_AINT_COUNT"
        | "POLYDISPOFFSET"
        | "POLYDTYPE_PACK_SIZE"
        | "POLYDTYPE_STRIDE_BYTES"
        | "POLYLOCATION" => poly(Kind::Address, Kind::Count),
        poly_integer if poly_integer.starts_with("POLY") => poly(Kind::Integer, Kind::Count),
        _ => Kind::Integer,
    }
}

fn shape(parameter: &Value) -> Vec<String> {
    if text(parameter, "kind") == "F90_STATUS" {
        return vec!["MPI_STATUS_SIZE".into()];
    }
    match (&parameter["length"], text(parameter, "kind")) {
        (Value::Null, "STRING") => vec![],
        (Value::Null, "STRING_ARRAY") => vec!["*".into()],
        (_, "STRING") => vec![],
        (_, "STRING_2DARRAY") => vec!["count".into(), "*".into()],
        (Value::String(length), _)
            if length.is_empty() || text(parameter, "array_type") == "hidden" =>
        {
            vec!["*".into()]
        }
        (Value::String(length), _) => vec![length.clone()],
        (Value::Array(lengths), _) => lengths
            .iter()
            .rev()
            .map(|length| length.as_str().expect("a length").into())
            .collect(),
        _ => vec![],
    }
}

fn intent(parameter: &Value) -> Intent {
    let direction = text(parameter, "param_direction");
    let kind = text(parameter, "kind");
    if kind != "ERROR_CODE_SHOW_INTENT" {
        let unsaid = text(parameter, "suppress").contains("f08_intent")
            || (kind == "STATUS" && direction == "out")
            || (kind == "BUFFER" && direction != "in")
            || (matches!(kind, "FUNCTION" | "POLYFUNCTION") && direction == "in");
        if unsaid {
            return Intent::Unsaid;
        }
    }
    match direction {
        "in" => Intent::In,
        "out" => Intent::Out,
        _ => Intent::InOut,
    }
}

/// What is wrong with one of our parameters.
fn compare(ours: &Parameter, standards: &Value, large: bool) -> Option<String> {
    let counts_from_one = text(standards, "kind") == "INDEX";
    let same_kind = match (&ours.kind, kind(standards, large)) {
        (Kind::Index, Kind::Integer) => counts_from_one,
        (ours, standards) => *ours == standards,
    };
    let expected = (
        text(standards, "name"),
        kind(standards, large),
        shape(standards),
        intent(standards),
        is(standards, "asynchronous"),
    );
    let same = ours.name == expected.0
        && same_kind
        && ours.shape == expected.2
        && ours.intent == expected.3
        && ours.asynchronous == expected.4;
    (!same).then(|| format!("{ours:?}\n        instead of {expected:?}"))
}

#[test]
fn procedures_are_those_of_the_standard() {
    let Some(description) = description() else {
        return;
    };
    let ours = ours();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for standards in description.as_object().expect("a map").values() {
        let (name, attributes) = (text(standards, "name"), &standards["attributes"]);
        if is(attributes, "callback")
            || !(is(attributes, "f90_expressible") || is(attributes, "f08_expressible"))
        {
            continue;
        }
        let forms = if has_large(standards)
            && attributes["predefined_function"].is_null()
            && is(attributes, "f08_expressible")
        {
            vec![false, true]
        } else {
            vec![false]
        };
        for large in forms {
            let Some(procedure) = ours.iter().find(|p| p.name == name && p.large == large) else {
                wrong.push(format!("{name} (large: {large}) is missing"));
                continue;
            };
            compared += 1;
            let expected: Vec<&Value> = parameters(standards)
                .filter(|p| large || !is(p, "large_only"))
                .collect();
            if procedure.parameters.len() != expected.len() {
                wrong.push(format!(
                    "{name} (large: {large}) has {} parameters, not {}",
                    procedure.parameters.len(),
                    expected.len()
                ));
            }
            for (ours, standards) in procedure.parameters.iter().zip(expected) {
                if is_slip(name, &ours.name) {
                    continue;
                }
                let complaint = compare(ours, standards, large);
                wrong.extend(
                    complaint.map(|complaint| format!("{name} (large: {large}): {complaint}")),
                );
            }
            let all = standards["parameters"].as_array().expect("parameters");
            let ierror = all
                .iter()
                .any(|p| is_ierror(p) && !text(p, "suppress").contains("f08_parameter"));
            let outcome = match text(standards, "return_kind") {
                "WALL_TIME" | "TICK_RESOLUTION" => Outcome::Double,
                "LOCATION_SMALL" | "DISPLACEMENT" => Outcome::Address,
                _ if ierror => Outcome::Code,
                _ => Outcome::Nothing,
            };
            if procedure.outcome != outcome {
                wrong.push(format!(
                    "{name} gives {:?}, not {outcome:?}",
                    procedure.outcome
                ));
            }
            let header = is(attributes, "f90_expressible")
                && !is(attributes, "not_with_mpif")
                && !large
                && name != "MPI_Sizeof";
            let mpi = is(attributes, "f90_expressible") && !large;
            let places = &procedure.places;
            if (places.header, places.mpi, places.f08)
                != (header, mpi, is(attributes, "f08_expressible"))
            {
                wrong.push(format!("{name} (large: {large}) is declared in {places:?}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(compared > 500, "only {compared} procedures were compared");
}

/// What the standard does not know is known to us, so that a name that is spelt wrong is found.
#[test]
fn no_procedure_is_unknown() {
    let Some(description) = description() else {
        return;
    };
    let known = description.as_object().expect("a map");
    let unknown: Vec<String> = ours()
        .into_iter()
        .map(|p| p.name)
        .filter(|name| {
            let here = known
                .values()
                .any(|standards| text(standards, "name") == name);
            !here && !name.starts_with("MPIX_") && !BEYOND.contains(&name.as_str())
        })
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
