//! Strings: Fortran's have a length and are filled up with blanks, C's end with a zero.

use std::ffi::{c_char, c_int, c_void};

/// A string for C.
pub struct Text(Vec<u8>);

impl Text {
    /// The string of `length` characters without the blanks at its end, and, if they do not count either, at its beginning.
    ///
    /// # Safety
    /// So many characters are there.
    pub unsafe fn of(text: *const c_char, length: usize, strip: bool) -> Text {
        // SAFETY: the caller's contract.
        let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
        let is_blank = |byte: &u8| *byte == b' ';
        let end = text
            .iter()
            .rposition(|byte| !is_blank(byte))
            .map_or(0, |last| last + 1);
        let text = &text[..end];
        let begin = match strip {
            true => text.iter().position(|byte| !is_blank(byte)).unwrap_or(0),
            false => 0,
        };
        Text([&text[begin..], b"\0"].concat())
    }

    pub fn is_empty(&self) -> bool {
        self.0.len() == 1
    }

    pub fn pointer(&self) -> *mut c_void {
        self.0.as_ptr().cast_mut().cast()
    }
}

/// Gives the string that C has put into `room` to Fortran, if the call has succeeded. What does not fit is cut off.
///
/// # Safety
/// `text` has `length` characters.
pub unsafe fn give_text(code: c_int, room: &[u8], text: *mut c_char, length: usize) {
    if code != 0 {
        return;
    }
    let end = room
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(room.len())
        .min(length);
    // SAFETY: the caller's contract.
    let text = unsafe { std::slice::from_raw_parts_mut(text.cast::<u8>(), length) };
    text[..end].copy_from_slice(&room[..end]);
    text[end..].fill(b' ');
}
