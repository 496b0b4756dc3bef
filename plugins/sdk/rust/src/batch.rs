use std::cell::Cell;
use std::ops::Deref;

use crate::event::Event;
use crate::host;
use crate::result::Verdict;

/// BatchHandler is what a guest does that takes many events at once. One event on its own comes as a batch of one.
pub trait BatchHandler: Sized + 'static {
    /// Runs once, as that of Handler.
    fn configure() -> Result<Self, String>;

    /// Runs for each batch. Its verdict is that of all events that were given none of their own, those that were not taken
    /// included.
    fn on_batch(&mut self, batch: &mut Batch) -> Verdict;
}

/// Batch is some events, in their order.
pub struct Batch {
    len: usize,
    event: BatchEvent,
}

thread_local! {
    // What the host tells of the event at hand, and reads its verdict from.
    static RECORD: Cell<[i32; 5]> = const { Cell::new([0; 5]) };
}

const VERDICT: usize = 4; // where it is in the record

impl Batch {
    pub(crate) fn new(len: u32) -> Batch {
        Batch { len: len as usize, event: BatchEvent { event: Event::new(0, 0, 0, 0) } }
    }

    /// The number of events, those that were taken included.
    #[allow(clippy::len_without_is_empty)] // no batch is empty
    pub fn len(&self) -> usize {
        self.len
    }

    /// Goes on to the next event. It is valid until the one after it, and what is emitted, or given as a reason, from now on is
    /// for this one.
    #[allow(clippy::should_implement_trait)] // an Iterator cannot lend
    pub fn next(&mut self) -> Option<&mut BatchEvent> {
        // The record is there as long as the guest.
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
    /// Gives this event a verdict other than that of the batch.
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
