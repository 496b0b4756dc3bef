//! A fake host, to test a handler natively: a small model of the real one, with few limits and no
//! deadlines. A test runs its guests on its own thread, so tests may run in parallel.
//!
//! ```ignore
//! let mut guest = fake::start::<MyHandler>(r#"{"threshold": 2}"#);
//! let result = guest.add(r#"{"metadata": {"name": "web"}}"#);
//! // result.verdict, result.emitted, result.message, result.log
//! ```
//!
//! A `Host` is what handlers reach with grants. All guests that one host starts are instances of
//! one handler and share its kv.
//!
//! ```ignore
//! let host = Host::new();
//! host.answer("POST", "https://hooks.example.com/x", 202, &[], "");
//! let (mut one, mut another) = (host.start::<MyHandler>("{}"), host.start::<MyHandler>("{}"));
//! one.add(OBJECT);
//! host.advance(Duration::from_secs(60));
//! another.resync(OBJECT);
//! // host.requests(), host.kv("key")
//! ```

mod grants;
mod guest;
pub(crate) mod host;
mod instance;
mod path;
mod world;

pub use guest::{BatchGuest, Guest};
pub use world::Host;

use crate::batch::BatchHandler;
use crate::event::Op;
use crate::handler::Handler;
use crate::result::Verdict;

/// Emission is an emitted event or, if event_type is empty, the data that replaces the data of the
/// object's event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emission {
    pub event_type: String,
    /// JSON; empty if there is none.
    pub data: String,
}

/// Outcome is a handler's result for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// Empty unless the verdict is Done.
    pub emitted: Vec<Emission>,
    /// The reason for a retry or failure.
    pub message: String,
    pub log: Vec<String>,
}

/// Input is an event for a handler, with objects as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub op: Op,
    pub initial: bool,
    pub final_state_unknown: bool,
    pub missed: bool,
    pub resumed: bool,
    pub object: String,
    /// "" means none.
    pub old: String,
}

impl Input {
    pub fn add(object: &str) -> Input {
        Input::new(Op::Add, object)
    }

    pub fn update(old: &str, object: &str) -> Input {
        Input { old: old.to_string(), ..Input::new(Op::Update, object) }
    }

    pub fn delete(object: &str) -> Input {
        Input::new(Op::Delete, object)
    }

    pub fn resync(object: &str) -> Input {
        Input::new(Op::Resync, object)
    }

    fn new(op: Op, object: &str) -> Input {
        Input {
            op,
            initial: false,
            final_state_unknown: false,
            missed: false,
            resumed: false,
            object: object.to_string(),
            old: String::new(),
        }
    }

    fn flags(&self) -> u32 {
        u32::from(self.initial)
            | u32::from(self.final_state_unknown) << 1
            | u32::from(self.missed) << 2
            | u32::from(self.resumed) << 3
    }
}

/// Configures the handler on a host of its own. The error is the reason for a rejection.
pub fn load<H: Handler>(config: &str) -> Result<Guest<H>, String> {
    Host::new().load(config)
}

/// Is load for a configuration that must be accepted.
pub fn start<H: Handler>(config: &str) -> Guest<H> {
    Host::new().start(config)
}

/// Is load for a batch handler.
pub fn load_batch<H: BatchHandler>(config: &str) -> Result<BatchGuest<H>, String> {
    Host::new().load_batch(config)
}

/// Is start for a batch handler.
pub fn start_batch<H: BatchHandler>(config: &str) -> BatchGuest<H> {
    Host::new().start_batch(config)
}
