//! The host functions, as the SDK calls them.

pub use super::grants::*;

use super::instance::{verdict, with, Phase, ENTRIES, ENTRY};
use super::path::Path;
use super::Emission;
use crate::event::Op;
use crate::json::quote;
use crate::value::{Kind, Value};

pub(super) const NOT_FOUND: i32 = -1;
pub(super) const BAD_ARGUMENT: i32 = -2;
pub(super) const DENIED: i32 = -3;
pub(super) const QUOTA: i32 = -4;
pub(super) const UNAVAILABLE: i32 = -5;
pub(super) const WRONG_PHASE: i32 = -6;
const MAX_PATHS: usize = 256;
const MAX_FIELDS: usize = 512;

/// answer writes a text whole or not at all.
pub(super) fn answer(text: &[u8], buf: &mut [u8]) -> i32 {
    if let Some(to) = buf.get_mut(..text.len()) {
        to.copy_from_slice(text);
    }
    text.len() as i32
}

/// window writes as much of a text as there is room for.
pub(super) fn window(text: &[u8], off: u32, buf: &mut [u8]) -> i32 {
    let text = &text[text.len().min(off as usize)..];
    let text = &text[..text.len().min(buf.len())];
    buf[..text.len()].copy_from_slice(text);
    text.len() as i32
}

/// packed returns the result of a function that reads a field.
pub(super) fn packed(value: &Value, buf: &mut [u8]) -> i64 {
    (value.kind as i64) << 32 | i64::from(answer(value.text.as_bytes(), buf))
}

pub fn event_object(which: u32, off: u32, buf: &mut [u8]) -> i32 {
    with(|s| match (s.phase, which) {
        (Phase::Event, 0) => window(s.event.object.as_bytes(), off, buf),
        (Phase::Event, _) if s.event.old.is_empty() => NOT_FOUND,
        (Phase::Event, _) => window(s.event.old.as_bytes(), off, buf),
        _ => WRONG_PHASE,
    })
}

pub fn event_path(text: &str) -> i32 {
    with(|s| match Path::parse(text) {
        _ if s.phase != Phase::Configure => WRONG_PHASE,
        None => BAD_ARGUMENT,
        _ if s.paths.len() == MAX_PATHS => QUOTA,
        Some(path) => {
            s.paths.push(path);
            s.paths.len() as i32 - 1
        }
    })
}

pub fn event_field(which: u32, handle: u32, buf: &mut [u8]) -> i64 {
    with(|s| {
        if s.phase != Phase::Event {
            return i64::from(WRONG_PHASE);
        }
        s.field_calls += 1;
        packed(&s.lookup(which, handle), buf)
    })
}

pub fn event_changed(handle: u32) -> i32 {
    with(|s| {
        if s.phase != Phase::Event {
            return WRONG_PHASE;
        }
        let now = s.lookup(0, handle);
        match s.event.op {
            Op::Update => i32::from(now != s.lookup(1, handle)),
            Op::Resync => 0,
            _ => i32::from(now.exists()),
        }
    })
}

/// # Safety
///
/// The cap bytes at ptr live as long as the guest.
pub unsafe fn event_prefetch(ptr: *mut u8, cap: usize, handles: &[u32]) -> i32 {
    with(|s| {
        if s.phase != Phase::Configure {
            return WRONG_PHASE;
        }
        if handles.len() > MAX_FIELDS || cap < ENTRIES + handles.len() * ENTRY {
            return BAD_ARGUMENT;
        }
        s.prefetch.ptr = ptr;
        s.prefetch.cap = cap;
        s.prefetch.handles = handles.to_vec();
        0
    })
}

/// # Safety
///
/// The record lives until the next call or the end of on_batch.
pub unsafe fn event_next(record: *mut [i32; 5]) -> i32 {
    with(|s| {
        if s.batch.events.is_empty() {
            return WRONG_PHASE;
        }
        s.settle();
        let event = match s.batch.events.get(s.batch.results.len()) {
            None => {
                s.phase = Phase::Batch;
                return NOT_FOUND;
            }
            Some(event) => event.clone(),
        };
        let (object_len, old_len) = (event.object.len() as i32, event.old.len() as i32);
        *record = [event.op as i32, event.flags() as i32, object_len, old_len, -1];
        s.batch.record = Some(record);
        s.event = event;
        s.phase = Phase::Event;
        s.write_prefetch();
        20
    })
}

impl super::instance::Instance {
    /// settle records the result of a batch's current event.
    pub fn settle(&mut self) {
        if let Some(record) = self.batch.record.take() {
            // The SDK keeps the record until the next event.
            let own = match unsafe { (*record)[4] } {
                -1 => None,
                number => Some(verdict(number)),
            };
            let output = std::mem::take(&mut self.output);
            self.batch.results.push((own, output));
            self.end_event();
        }
    }
}

pub fn result_emit(kind: i32, text: &str) -> i32 {
    with(|s| {
        if s.phase != Phase::Event {
            return WRONG_PHASE;
        }
        let mut emission = Emission { event_type: String::new(), data: text.to_string() };
        if kind == 1 {
            let event = Value::of(text);
            let data = event.member("data");
            emission.event_type = event.member("type").string().to_string();
            emission.data = if data.kind == Kind::String { quote(&data.text) } else { data.text };
            if emission.event_type.is_empty() {
                return BAD_ARGUMENT;
            }
        }
        s.output.emitted.push(emission);
        0
    })
}

pub fn result_error(text: &str) {
    with(|s| s.output.message = text.to_string());
}

pub fn config_get(buf: &mut [u8]) -> i32 {
    with(|s| answer(s.config.as_bytes(), buf))
}

pub fn log(_level: i32, line: &str) {
    with(|s| s.output.log.push(line.to_string()));
}

pub fn log_enabled(_level: i32) -> i32 {
    1
}

/// last_message returns the reason that the running or crashed guest reported.
#[cfg(test)]
pub fn last_message() -> String {
    with(|s| s.output.message.clone())
}
