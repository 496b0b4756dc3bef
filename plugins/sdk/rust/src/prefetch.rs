//! Fields that the host writes to the guest before each event, so that reading them takes no call.

use std::cell::{RefCell, UnsafeCell};

use crate::error::Error;
use crate::field::Path;
use crate::host;
use crate::value::Kind;

/// The number of compiled paths up to which all fields are prefetched if the handler does not
/// choose.
const AUTOMATIC: usize = 16;

const WORDS: usize = 1024;

/// The handler's choice.
#[derive(Default)]
pub(crate) struct Fields {
    /// The compiled handles, at most one more than AUTOMATIC.
    compiled: Vec<u32>,
    /// The handler has chosen itself.
    chosen: bool,
    /// The handles of the fields in the buffer, in order.
    given: Vec<u32>,
}

thread_local! {
    static FIELDS: RefCell<Fields> = const { RefCell::new(Fields { compiled: Vec::new(), chosen: false, given: Vec::new() }) };

    // The host writes here while the guest is not running: the number of fields; for each its tag,
    // length and offset; then their texts.
    static BUFFER: UnsafeCell<[u32; WORDS]> = const { UnsafeCell::new([0; WORDS]) };
}

/// Chooses the fields of each event's object that are prefetched, so that reading them takes no
/// call. The last call counts; with no paths nothing is prefetched. Without any call, all fields
/// that configure compiles are prefetched, if there are at most 16. Only Handler::configure may
/// call it; `?` there rejects the handler with the reason.
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
    // The buffer lives as long as the guest, and references to it do not outlive an event.
    let status = BUFFER.with(|b| unsafe { host::event_prefetch(b.get().cast(), WORDS * 4, &handles) });
    Error::check(status)?;
    FIELDS.with(|f| f.borrow_mut().given = handles);
    Ok(())
}

/// compiled records a path.
pub(crate) fn compiled(handle: u32) {
    FIELDS.with(|f| {
        let mut f = f.borrow_mut();
        if f.compiled.len() <= AUTOMATIC {
            f.compiled.push(handle);
        }
    })
}

/// configured chooses the fields at the end of configure, unless the handler did.
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
        let _ = declare(handles); // if it fails, each field takes a call
    }
}

/// swap exchanges the SDK's state of a guest, for the fake host.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn swap(fields: &mut Fields) {
    FIELDS.with(|f| std::mem::swap(&mut *f.borrow_mut(), fields))
}

/// prefetched returns a field of the current event. The caller must not use the text after the
/// event.
pub(crate) fn prefetched<'a>(handle: u32) -> Option<(Kind, &'a [u8])> {
    let n = FIELDS.with(|f| f.borrow().given.iter().position(|&h| h == handle))?;
    // The host writes only while the guest is not running, or when it pulls the next event of a
    // batch.
    let words: &'a [u32; WORDS] = BUFFER.with(|b| unsafe { &*b.get() });
    let bytes: &'a [u8] = unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), WORDS * 4) };
    let entry = words.get(1 + 3 * n..4 + 3 * n)?;
    let (tag, length, offset) = (entry[0], entry[1] as usize, entry[2] as usize);
    if offset == 0 {
        return None; // it did not fit
    }
    Some((Kind::of_tag(tag), bytes.get(offset..offset + length)?))
}
