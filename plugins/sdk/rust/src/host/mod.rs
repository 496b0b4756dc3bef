//! The host functions of the interface informerd/v1, with slices in place of pointers.

#[cfg(target_arch = "wasm32")]
mod wasm;

#[cfg(target_arch = "wasm32")]
pub use wasm::*;

#[cfg(not(target_arch = "wasm32"))]
pub use crate::fake::host::*;

use std::cell::RefCell;

use crate::error::Error;
use crate::value::Kind;

thread_local! {
    // Receives what the host writes. It grows to the longest text.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; 4096]);
}

/// read passes a text that the host writes whole or not at all to `take`. `get` returns the text's
/// length or a status, and an extra value. Another worker may store a longer text in the meantime,
/// so read repeats `get` until there is enough room.
pub fn read<A, T>(mut get: impl FnMut(&mut [u8]) -> (i32, A), take: impl FnOnce(&[u8], A) -> T) -> Result<T, Error> {
    BUFFER.with(|buffer| {
        let mut buffer = buffer.borrow_mut();
        loop {
            let (length, other) = get(&mut buffer);
            if length < 0 {
                return Err(Error::of(length));
            }
            let length = length as usize;
            if length <= buffer.len() {
                return Ok(take(&buffer[..length], other));
            }
            buffer.resize(length, 0);
        }
    })
}

/// field splits the result of a function that reads a field.
pub fn field(packed: i64) -> (i32, Kind) {
    if packed < 0 {
        return (packed as i32, Kind::Missing);
    }
    (packed as i32, Kind::of_tag((packed >> 32) as u32))
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
