use crate::field::Path;
use crate::host;
use crate::object::{Object, Source};
use crate::prefetch;
use crate::result::Verdict;
use crate::value::Kind;

// Which object the host is to read.
const OBJECT: u32 = 0;
const OLD: u32 = 1;

/// Op is what happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add = 1,
    Update = 2,
    Delete = 3,
    Resync = 4,
}

/// Event is one change of an object, as a handler receives it.
pub struct Event {
    pub op: Op,
    /// The event is part of the first list.
    pub initial: bool,
    /// The delete itself was missed: object is the last known state.
    pub final_state_unknown: bool,
    /// Earlier events of this object were coalesced away.
    pub missed: bool,
    /// It happened while informerd was away or could not watch: states of the object may have been passed over.
    pub resumed: bool,
    pub object: Object,
    /// Exists for updates only.
    pub old: Object,
}

impl Event {
    pub(crate) fn new(op: u32, flags: u32, object_len: u32, old_len: u32) -> Event {
        Event {
            op: match op {
                1 => Op::Add,
                2 => Op::Update,
                3 => Op::Delete,
                _ => Op::Resync,
            },
            initial: flags & 1 != 0,
            final_state_unknown: flags & 2 != 0,
            missed: flags & 4 != 0,
            resumed: flags & 8 != 0,
            object: InEvent::object(OBJECT, object_len),
            old: InEvent::object(OLD, old_len),
        }
    }

    /// Reports whether a field differs between old and object. For an add or a delete every
    /// existing field has changed, for a resync none.
    pub fn changed(&self, path: &Path) -> bool {
        host::event_changed(path.handle) == 1
    }

    /// Returns the verdict to try this event again later, and records the reason.
    pub fn retry(&self, reason: impl AsRef<str>) -> Verdict {
        host::result_error(reason.as_ref());
        Verdict::Retry
    }

    /// Returns the verdict not to try this event again, and records the reason.
    pub fn fail(&self, reason: impl AsRef<str>) -> Verdict {
        host::result_error(reason.as_ref());
        Verdict::Fail
    }
}

/// InEvent is the source of an event's object.
pub struct InEvent {
    which: u32,
    size: u32,
}

impl InEvent {
    fn object(which: u32, size: u32) -> Object {
        Object { source: InEvent { which, size } }
    }
}

impl Source for InEvent {
    fn field(&self, handle: u32, buf: &mut [u8]) -> i64 {
        host::event_field(self.which, handle, buf)
    }

    fn size(&self) -> usize {
        self.size as usize
    }

    fn json(&self, buf: &mut [u8]) -> i32 {
        host::event_object(self.which, 0, buf)
    }

    fn prefetched(&self, handle: u32) -> Option<(Kind, &[u8])> {
        if self.which != OBJECT {
            return None;
        }
        prefetch::prefetched(handle)
    }
}
