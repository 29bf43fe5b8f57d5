//! Error classes and codes that the program makes (MPI 4.1 §9.5). Their numbers lie above `MPI_ERR_LASTCODE`; one that was
//! removed is given again only when all others were.

use super::{Class, Result};
use crate::bail;
use crate::mpi::constants::MPI_ERR_LASTCODE;
use parking_lot::Mutex;
use std::collections::BTreeMap;

struct Made {
    /// The class of a code; of a class, itself.
    class: i32,
    /// As the program gave it.
    text: Option<Box<[u8]>>,
}

struct All {
    last: i32,
    made: BTreeMap<i32, Made>,
}

static ALL: Mutex<All> = Mutex::new(All {
    last: MPI_ERR_LASTCODE,
    made: BTreeMap::new(),
});

impl All {
    /// Each number takes memory: there is always one that is free.
    fn add(&mut self, class: impl FnOnce(i32) -> i32) -> i32 {
        let after = |last: i32| last.checked_add(1).unwrap_or(MPI_ERR_LASTCODE + 1);
        let mut number = after(self.last);
        while self.made.contains_key(&number) {
            number = after(number);
        }
        self.last = number;
        let class = class(number);
        self.made.insert(number, Made { class, text: None });
        number
    }

    fn find(&mut self, code: i32, name: &str) -> Result<&mut Made> {
        match self.made.get_mut(&code) {
            Some(made) => Ok(made),
            None => bail!(Arg, "{name} is {code}, which the program has not added"),
        }
    }

    /// What is built on it goes first (MPI 4.1 §9.5).
    fn forget(&mut self, code: i32, name: &str) -> Result<()> {
        if self.find(code, name)?.text.is_some() {
            bail!(Other, "{name} is {code}, which still has a text");
        }
        self.made.remove(&code);
        Ok(())
    }
}

/// Makes a class.
pub fn add_class() -> i32 {
    ALL.lock().add(|number| number)
}

/// Makes a code of a class, which may be one of MPI's. Error: `MPI_ERR_ARG` if it is no class.
pub fn add_code(class: i32) -> Result<i32> {
    let mut all = ALL.lock();
    let is_class =
        Class::of_number(class).is_some() || all.made.get(&class).is_some_and(|m| m.class == class);
    if !is_class {
        bail!(Arg, "errorclass is {class}, which is no error class");
    }
    Ok(all.add(|_| class))
}

/// Gives a class or code its text, instead of one it may have. Error: `MPI_ERR_ARG` if the program has not added it.
pub fn set_text(code: i32, text: &[u8]) -> Result<()> {
    ALL.lock().find(code, "errorcode")?.text = Some(text.into());
    Ok(())
}

/// Takes the text of a class or code away. Error: `MPI_ERR_ARG` if the program has not added it, or it has none.
pub fn remove_text(code: i32) -> Result<()> {
    let mut all = ALL.lock();
    if all.find(code, "errorcode")?.text.take().is_none() {
        bail!(Arg, "errorcode is {code}, which has no text");
    }
    Ok(())
}

/// Forgets a class. Errors: `MPI_ERR_ARG` if the program has added no such class, `MPI_ERR_OTHER` if there are codes of it,
/// or it has a text.
pub fn remove_class(class: i32) -> Result<()> {
    let mut all = ALL.lock();
    if all.find(class, "errorclass")?.class != class {
        bail!(Arg, "errorclass is {class}, which is an error code");
    }
    if let Some((code, _)) = all
        .made
        .iter()
        .find(|(code, made)| made.class == class && **code != class)
    {
        bail!(
            Other,
            "errorclass is {class}, which still has the code {code}"
        );
    }
    all.forget(class, "errorclass")
}

/// Forgets a code. Errors: `MPI_ERR_ARG` if the program has added no such code, `MPI_ERR_OTHER` if it has a text.
pub fn remove_code(code: i32) -> Result<()> {
    let mut all = ALL.lock();
    if all.find(code, "errorcode")?.class == code {
        bail!(Arg, "errorcode is {code}, which is an error class");
    }
    all.forget(code, "errorcode")
}

/// The class of a class or code of the program's.
pub fn class_of(code: i32) -> Option<i32> {
    ALL.lock().made.get(&code).map(|made| made.class)
}

/// The text of a class or code of the program's; empty if it was given none.
pub fn text_of(code: i32) -> Option<Box<[u8]>> {
    let all = ALL.lock();
    let made = all.made.get(&code)?;
    Some(made.text.clone().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_codes_come_and_go() {
        let class = add_class();
        let code = add_code(class).unwrap();
        assert!(MPI_ERR_LASTCODE < class && class < code);
        assert_eq!(class_of(code), Some(class));
        assert_eq!(text_of(code).as_deref(), Some(&b""[..]));
        set_text(code, b"too h\xf6t").unwrap();
        assert_eq!(text_of(code).as_deref(), Some(&b"too h\xf6t"[..]));
        assert_eq!(remove_class(class).unwrap_err().class, Class::Other);
        assert_eq!(remove_code(class).unwrap_err().class, Class::Arg);
        assert_eq!(add_code(code).unwrap_err().class, Class::Arg);
        assert_eq!(remove_code(code).unwrap_err().class, Class::Other);
        remove_text(code).unwrap();
        remove_code(code).unwrap();
        assert_eq!(class_of(code), None);
        remove_class(class).unwrap();
        assert_eq!(remove_class(class).unwrap_err().class, Class::Arg);
        ALL.lock().last = i32::MAX - 1;
        assert_eq!(add_class(), i32::MAX);
        ALL.lock().made.insert(
            MPI_ERR_LASTCODE + 1,
            Made {
                class: 0,
                text: None,
            },
        );
        assert_eq!(add_class(), MPI_ERR_LASTCODE + 2);
        let of_mpi = add_code(Class::Rank.number()).unwrap();
        assert_eq!(class_of(of_mpi), Some(Class::Rank.number()));
        remove_code(of_mpi).unwrap();
    }
}
