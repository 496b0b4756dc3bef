//! The fields that the host gives ahead of each event, so that reading them takes no call.

use std::cell::{RefCell, UnsafeCell};

use crate::error::Error;
use crate::field::Path;
use crate::host;
use crate::value::Kind;

/// How many fields are given ahead if the handler does not say which.
const AUTOMATIC: usize = 16;

const WORDS: usize = 1024;

/// What a handler has said about it.
#[derive(Default)]
pub(crate) struct Fields {
    /// The handles that were compiled, of which one more than AUTOMATIC is as good as any more.
    compiled: Vec<u32>,
    /// The handler has said itself which.
    chosen: bool,
    /// The handles of the fields in the buffer, in their order.
    given: Vec<u32>,
}

thread_local! {
    static FIELDS: RefCell<Fields> = const { RefCell::new(Fields { compiled: Vec::new(), chosen: false, given: Vec::new() }) };

    // What the host writes to while the guest does not run: the number of fields, for each its tag, length and offset, and
    // then their texts.
    static BUFFER: UnsafeCell<[u32; WORDS]> = const { UnsafeCell::new([0; WORDS]) };
}

/// Chooses the fields of each event's object that the host gives ahead, so that reading them takes no call. The last call
/// counts, and with no paths nothing is given ahead. Without any call these are all that configure compiles, if they are at
/// most 16. Only Handler::configure may call it; `?` there refuses the handler with the reason.
pub fn prefetch(paths: &[&Path]) -> Result<(), String> {
    let handles: Vec<u32> = paths.iter().map(|p| p.handle).collect();
    match declare(handles) {
        Ok(()) => {
            FIELDS.with(|f| f.borrow_mut().chosen = true);
            Ok(())
        }
        Err(Error::WrongPhase) => Err("prefetch: fields can be chosen in configure only".to_string()),
        Err(error) => Err(format!("prefetch of {} fields: {}", paths.len(), error)),
    }
}

fn declare(handles: Vec<u32>) -> Result<(), Error> {
    // The buffer is there as long as the guest, and references to it do not outlive an event.
    let status = BUFFER.with(|b| unsafe { host::event_prefetch(b.get().cast(), WORDS * 4, &handles) });
    Error::check(status)?;
    FIELDS.with(|f| f.borrow_mut().given = handles);
    Ok(())
}

/// compiled notes a path.
pub(crate) fn compiled(handle: u32) {
    FIELDS.with(|f| {
        let mut f = f.borrow_mut();
        if f.compiled.len() <= AUTOMATIC {
            f.compiled.push(handle);
        }
    })
}

/// configured chooses the fields at the end of configure, if the handler did not.
pub(crate) fn configured() {
    let handles = FIELDS.with(|f| {
        let mut f = f.borrow_mut();
        let chosen = f.chosen;
        let handles = std::mem::take(&mut f.compiled);
        if chosen || handles.len() > AUTOMATIC {
            Vec::new()
        } else {
            handles
        }
    });
    if !handles.is_empty() {
        let _ = declare(handles); // without it, each field takes a call
    }
}

/// swap exchanges what is known here of a guest, for the fake host.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn swap(fields: &mut Fields) {
    FIELDS.with(|f| std::mem::swap(&mut *f.borrow_mut(), fields))
}

/// given finds a field of the event at hand. The text is valid until the event's end: the caller sees to it.
pub(crate) fn given<'a>(handle: u32) -> Option<(Kind, &'a [u8])> {
    let n = FIELDS.with(|f| f.borrow().given.iter().position(|&h| h == handle))?;
    // The host writes only while the guest does not run, or asks for the next event of a batch.
    let words: &'a [u32; WORDS] = BUFFER.with(|b| unsafe { &*b.get() });
    let bytes: &'a [u8] = unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), WORDS * 4) };
    let entry = words.get(1 + 3 * n..4 + 3 * n)?;
    let (tag, length, offset) = (entry[0], entry[1] as usize, entry[2] as usize);
    if offset == 0 {
        return None; // it did not fit
    }
    Some((Kind::of_tag(tag), bytes.get(offset..offset + length)?))
}
