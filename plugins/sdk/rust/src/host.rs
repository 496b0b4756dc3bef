//! The functions of the host, as in the reference of informerd/v1, with slices in place of pointers.

#[cfg(target_arch = "wasm32")]
mod imports {
    #[link(wasm_import_module = "informerd/event.v1")]
    extern "C" {
        pub fn object(which: u32, off: u32, ptr: *mut u8, cap: u32) -> i32;
        pub fn path(ptr: *const u8, len: u32) -> i32;
        pub fn field(which: u32, handle: u32, ptr: *mut u8, cap: u32) -> i64;
        pub fn changed(handle: u32) -> i32;
    }

    #[link(wasm_import_module = "informerd/result.v1")]
    extern "C" {
        pub fn emit(kind: i32, ptr: *const u8, len: u32) -> i32;
        pub fn error(ptr: *const u8, len: u32);
    }

    #[link(wasm_import_module = "informerd/config.v1")]
    extern "C" {
        pub fn get(ptr: *mut u8, cap: u32) -> i32;
    }

    #[link(wasm_import_module = "informerd/log.v1")]
    extern "C" {
        pub fn log(level: i32, ptr: *const u8, len: u32);
        pub fn enabled(level: i32) -> i32;
    }
}

// The host reads and writes within the slices only, so each call is sound.
#[cfg(target_arch = "wasm32")]
mod wasm {
    use super::imports;

    pub fn event_object(which: u32, off: u32, buf: &mut [u8]) -> i32 {
        unsafe { imports::object(which, off, buf.as_mut_ptr(), buf.len() as u32) }
    }

    pub fn event_path(text: &str) -> i32 {
        unsafe { imports::path(text.as_ptr(), text.len() as u32) }
    }

    pub fn event_field(which: u32, handle: u32, buf: &mut [u8]) -> i64 {
        unsafe { imports::field(which, handle, buf.as_mut_ptr(), buf.len() as u32) }
    }

    pub fn event_changed(handle: u32) -> i32 {
        unsafe { imports::changed(handle) }
    }

    pub fn result_emit(kind: i32, text: &str) -> i32 {
        unsafe { imports::emit(kind, text.as_ptr(), text.len() as u32) }
    }

    pub fn result_error(text: &str) {
        unsafe { imports::error(text.as_ptr(), text.len() as u32) }
    }

    pub fn config_get(buf: &mut [u8]) -> i32 {
        unsafe { imports::get(buf.as_mut_ptr(), buf.len() as u32) }
    }

    pub fn log(level: i32, line: &str) {
        unsafe { imports::log(level, line.as_ptr(), line.len() as u32) }
    }

    pub fn log_enabled(level: i32) -> i32 {
        unsafe { imports::enabled(level) }
    }
}

#[cfg(target_arch = "wasm32")]
pub use wasm::*;

#[cfg(not(target_arch = "wasm32"))]
pub use crate::fake::host::*;

use std::cell::RefCell;

thread_local! {
    // Where the host writes. It grows to the longest text.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; 4096]);
}

/// read gives a text that get writes whole or not at all; get gives its length and something else.
pub fn read<T>(mut get: impl FnMut(&mut [u8]) -> (usize, T)) -> (String, T) {
    BUFFER.with(|buffer| {
        let mut buffer = buffer.borrow_mut();
        let (mut length, mut other) = get(&mut buffer);
        if length > buffer.len() {
            buffer.resize(length, 0);
            let again = get(&mut buffer);
            length = again.0.min(buffer.len());
            other = again.1;
        }
        (String::from_utf8_lossy(&buffer[..length]).into_owned(), other)
    })
}
