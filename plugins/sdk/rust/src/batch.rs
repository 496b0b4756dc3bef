use std::cell::Cell;
use std::ops::Deref;

use crate::event::Event;
use crate::host;
use crate::result::Verdict;

/// BatchHandler is a guest that takes many events at once. A single event arrives as a batch of
/// one.
pub trait BatchHandler: Sized + 'static {
    /// Runs once, like that of Handler.
    fn configure() -> Result<Self, String>;

    /// Runs for each batch. Its verdict applies to every event without a verdict of its own,
    /// including those not pulled.
    fn on_batch(&mut self, batch: &mut Batch) -> Verdict;
}

/// Batch is one or more events in order.
pub struct Batch {
    len: usize,
    event: BatchEvent,
}

thread_local! {
    // The current event as the host describes it; the host reads its verdict from it.
    static RECORD: Cell<[i32; 5]> = const { Cell::new([0; 5]) };
}

const VERDICT: usize = 4; // its index in the record

impl Batch {
    pub(crate) fn new(len: u32) -> Batch {
        Batch { len: len as usize, event: BatchEvent { event: Event::new(0, 0, 0, 0) } }
    }

    /// Returns the number of events, including those already pulled.
    #[allow(clippy::len_without_is_empty)] // no batch is empty
    pub fn len(&self) -> usize {
        self.len
    }

    /// Pulls the next event. It is valid until the one after it; emissions and reasons from now on
    /// belong to this event.
    #[allow(clippy::should_implement_trait)] // an Iterator cannot lend
    pub fn next(&mut self) -> Option<&mut BatchEvent> {
        // The record lives as long as the guest.
        if RECORD.with(|r| unsafe { host::event_next(r.as_ptr()) }) < 0 {
            return None;
        }
        let [op, flags, object_len, old_len, _] = RECORD.with(Cell::get).map(|n| n as u32);
        self.event.event = Event::new(op, flags, object_len, old_len);
        Some(&mut self.event)
    }
}

/// BatchEvent is an event of a batch.
pub struct BatchEvent {
    event: Event,
}

impl BatchEvent {
    /// Sets the verdict of this event, which replaces that of the batch.
    pub fn set_verdict(&mut self, verdict: Verdict) {
        RECORD.with(|r| {
            let mut record = r.get();
            record[VERDICT] = verdict as i32;
            r.set(record);
        })
    }
}

impl Deref for BatchEvent {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.event
    }
}
