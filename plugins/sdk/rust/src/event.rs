use crate::field::Path;
use crate::host;
use crate::result::Verdict;
use crate::value::{Kind, Value};

/// Op says what happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add = 1,
    Update = 2,
    Delete = 3,
    Resync = 4,
}

/// Event is what a handler gets.
pub struct Event {
    pub op: Op,
    /// The event is part of the first list.
    pub initial: bool,
    /// The delete itself was missed: object is the last known state.
    pub final_state_unknown: bool,
    /// Earlier events of this object were coalesced away.
    pub missed: bool,
    pub object: Object,
    /// Exists for an update only.
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
            object: Object { which: 0, size: object_len },
            old: Object { which: 1, size: old_len },
        }
    }

    /// Tells whether a field differs between old and object. For an add or a delete every field that exists has
    /// changed, for a resync none.
    pub fn changed(&self, path: &Path) -> bool {
        host::event_changed(path.handle) == 1
    }

    /// The verdict to try again later, with the reason why.
    pub fn retry(&self, reason: impl AsRef<str>) -> Verdict {
        host::result_error(reason.as_ref());
        Verdict::Retry
    }

    /// The verdict not to try again, with the reason why.
    pub fn fail(&self, reason: impl AsRef<str>) -> Verdict {
        host::result_error(reason.as_ref());
        Verdict::Fail
    }
}

/// Object is the state of an object, read through the host. It is valid until on_event returns.
pub struct Object {
    which: u32,
    size: u32,
}

impl Object {
    /// False for the old object of an event that has none.
    pub fn exists(&self) -> bool {
        self.size > 0
    }

    /// The length of the object's JSON text.
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// Copies the whole text, "" if there is no object. Prefer reading single fields.
    pub fn json(&self) -> String {
        let mut text = vec![0; self.size()];
        if text.is_empty() {
            return String::new();
        }
        let length = host::event_object(self.which, 0, &mut text);
        text.truncate(length.max(0) as usize);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Reads a field.
    pub fn get(&self, path: &Path) -> Value {
        let (text, kind) = host::read(|buf| {
            let packed = host::event_field(self.which, path.handle, buf).max(0);
            (packed as u32 as usize, Kind::of_tag((packed >> 32) as u32))
        });
        Value { kind, text }
    }

    /// Reads a string, "" if the field is none.
    pub fn string(&self, path: &Path) -> String {
        let value = self.get(path);
        if value.kind == Kind::String {
            value.text
        } else {
            String::new()
        }
    }

    /// Reads an integer, 0 if the field is none.
    pub fn int(&self, path: &Path) -> i64 {
        self.get(path).int().unwrap_or(0)
    }

    /// Reads a boolean, false if the field is none.
    pub fn bool(&self, path: &Path) -> bool {
        self.get(path).bool()
    }

    /// Tells whether the field is there, be it null.
    pub fn has(&self, path: &Path) -> bool {
        host::event_field(self.which, path.handle, &mut []) > 0
    }
}
