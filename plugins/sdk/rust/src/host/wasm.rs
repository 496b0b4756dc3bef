//! The imports of a guest. The linker drops imports that are not called, so a guest asks only for
//! the grants that it uses.

mod event {
    #[link(wasm_import_module = "informerd/event.v1")]
    extern "C" {
        pub fn object(which: u32, off: u32, ptr: *mut u8, cap: u32) -> i32;
        pub fn path(ptr: *const u8, len: u32) -> i32;
        pub fn field(which: u32, handle: u32, ptr: *mut u8, cap: u32) -> i64;
        pub fn changed(handle: u32) -> i32;
        pub fn prefetch(ptr: *mut u8, cap: u32, handles: *const u32, n: u32) -> i32;
        pub fn next(ptr: *mut i32, cap: u32) -> i32;
    }
}

mod result {
    #[link(wasm_import_module = "informerd/result.v1")]
    extern "C" {
        pub fn emit(kind: i32, ptr: *const u8, len: u32) -> i32;
        pub fn error(ptr: *const u8, len: u32);
    }
}

mod config {
    #[link(wasm_import_module = "informerd/config.v1")]
    extern "C" {
        pub fn get(ptr: *mut u8, cap: u32) -> i32;
    }
}

mod logs {
    #[link(wasm_import_module = "informerd/log.v1")]
    extern "C" {
        pub fn log(level: i32, ptr: *const u8, len: u32);
        pub fn enabled(level: i32) -> i32;
    }
}

mod kv {
    #[link(wasm_import_module = "informerd/kv.v1")]
    extern "C" {
        pub fn get(key: *const u8, key_len: u32, ptr: *mut u8, cap: u32) -> i32;
        pub fn set(key: *const u8, key_len: u32, ptr: *const u8, len: u32, ttl_ms: i64) -> i32;
        pub fn delete(key: *const u8, key_len: u32) -> i32;
        pub fn cas(key: *const u8, key_len: u32, old: *const u8, old_len: i32, ptr: *const u8, len: u32, ttl_ms: i64) -> i32;
    }
}

mod clock {
    #[link(wasm_import_module = "informerd/clock.v1")]
    extern "C" {
        pub fn now_ns() -> i64;
    }
}

mod random {
    #[link(wasm_import_module = "informerd/random.v1")]
    extern "C" {
        pub fn fill(ptr: *mut u8, len: u32) -> i32;
    }
}

mod http {
    #[link(wasm_import_module = "informerd/http.v1")]
    extern "C" {
        pub fn request(head: *const u8, head_len: u32, body: *const u8, body_len: u32) -> i32;
        pub fn header(name: *const u8, name_len: u32, ptr: *mut u8, cap: u32) -> i32;
        pub fn body(off: u32, ptr: *mut u8, cap: u32) -> i32;
    }
}

mod cache {
    #[link(wasm_import_module = "informerd/cache.v1")]
    extern "C" {
        pub fn resource(ptr: *const u8, len: u32) -> i32;
        pub fn get(resource: u32, ns: *const u8, ns_len: u32, name: *const u8, name_len: u32) -> i32;
        pub fn by_index(resource: u32, index: *const u8, index_len: u32, value: *const u8, value_len: u32) -> i32;
        pub fn iter_next(iter: u32) -> i32;
        pub fn iter_field(iter: u32, path: i32, ptr: *mut u8, cap: u32) -> i64;
        pub fn iter_close(iter: u32) -> i32;
    }
}

// Each call is sound because the host reads and writes within the slices only.

pub fn event_object(which: u32, off: u32, buf: &mut [u8]) -> i32 {
    unsafe { event::object(which, off, buf.as_mut_ptr(), buf.len() as u32) }
}

pub fn event_path(text: &str) -> i32 {
    unsafe { event::path(text.as_ptr(), text.len() as u32) }
}

pub fn event_field(which: u32, handle: u32, buf: &mut [u8]) -> i64 {
    unsafe { event::field(which, handle, buf.as_mut_ptr(), buf.len() as u32) }
}

pub fn event_changed(handle: u32) -> i32 {
    unsafe { event::changed(handle) }
}

/// event_prefetch hands the cap bytes at ptr to the host permanently.
///
/// # Safety
///
/// The bytes live as long as the guest, and are not referenced while the guest is not running.
pub unsafe fn event_prefetch(ptr: *mut u8, cap: usize, handles: &[u32]) -> i32 {
    event::prefetch(ptr, cap as u32, handles.as_ptr(), handles.len() as u32)
}

/// event_next hands the record to the host until the next call or the end of on_batch.
///
/// # Safety
///
/// The record lives until then.
pub unsafe fn event_next(record: *mut [i32; 5]) -> i32 {
    event::next(record.cast(), 20)
}

pub fn result_emit(kind: i32, text: &str) -> i32 {
    unsafe { result::emit(kind, text.as_ptr(), text.len() as u32) }
}

pub fn result_error(text: &str) {
    unsafe { result::error(text.as_ptr(), text.len() as u32) }
}

pub fn config_get(buf: &mut [u8]) -> i32 {
    unsafe { config::get(buf.as_mut_ptr(), buf.len() as u32) }
}

pub fn log(level: i32, line: &str) {
    unsafe { logs::log(level, line.as_ptr(), line.len() as u32) }
}

pub fn log_enabled(level: i32) -> i32 {
    unsafe { logs::enabled(level) }
}

pub fn kv_get(key: &[u8], buf: &mut [u8]) -> i32 {
    unsafe { kv::get(key.as_ptr(), key.len() as u32, buf.as_mut_ptr(), buf.len() as u32) }
}

pub fn kv_set(key: &[u8], value: &[u8], ttl_ms: i64) -> i32 {
    unsafe { kv::set(key.as_ptr(), key.len() as u32, value.as_ptr(), value.len() as u32, ttl_ms) }
}

pub fn kv_delete(key: &[u8]) -> i32 {
    unsafe { kv::delete(key.as_ptr(), key.len() as u32) }
}

pub fn kv_cas(key: &[u8], old: Option<&[u8]>, value: &[u8], ttl_ms: i64) -> i32 {
    let old_len = old.map_or(-1, |old| old.len() as i32);
    let old = old.unwrap_or(&[]);
    unsafe { kv::cas(key.as_ptr(), key.len() as u32, old.as_ptr(), old_len, value.as_ptr(), value.len() as u32, ttl_ms) }
}

pub fn clock_now_ns() -> i64 {
    unsafe { clock::now_ns() }
}

pub fn random_fill(buf: &mut [u8]) -> i32 {
    unsafe { random::fill(buf.as_mut_ptr(), buf.len() as u32) }
}

pub fn http_request(head: &str, body: &[u8]) -> i32 {
    unsafe { http::request(head.as_ptr(), head.len() as u32, body.as_ptr(), body.len() as u32) }
}

pub fn http_header(name: &str, buf: &mut [u8]) -> i32 {
    unsafe { http::header(name.as_ptr(), name.len() as u32, buf.as_mut_ptr(), buf.len() as u32) }
}

pub fn http_body(off: u32, buf: &mut [u8]) -> i32 {
    unsafe { http::body(off, buf.as_mut_ptr(), buf.len() as u32) }
}

pub fn cache_resource(informer: &str) -> i32 {
    unsafe { cache::resource(informer.as_ptr(), informer.len() as u32) }
}

pub fn cache_get(resource: u32, namespace: &str, name: &str) -> i32 {
    unsafe { cache::get(resource, namespace.as_ptr(), namespace.len() as u32, name.as_ptr(), name.len() as u32) }
}

pub fn cache_by_index(resource: u32, index: &str, value: &str) -> i32 {
    unsafe { cache::by_index(resource, index.as_ptr(), index.len() as u32, value.as_ptr(), value.len() as u32) }
}

pub fn cache_iter_next(iter: u32) -> i32 {
    unsafe { cache::iter_next(iter) }
}

/// cache_iter_field reads the whole object if there is no path.
pub fn cache_iter_field(iter: u32, handle: Option<u32>, buf: &mut [u8]) -> i64 {
    unsafe { cache::iter_field(iter, handle.map_or(-1, |h| h as i32), buf.as_mut_ptr(), buf.len() as u32) }
}

pub fn cache_iter_close(iter: u32) {
    unsafe { cache::iter_close(iter) };
}
