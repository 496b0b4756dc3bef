use std::fmt;

use crate::error::Error;
use crate::host;
use crate::json::MapWriter;

/// Verdict is what a handler decides about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The event goes on to the outputs, or what was emitted does.
    Done = 0,
    /// Nothing goes to the outputs.
    Drop = 1,
    /// Try this event again later.
    Retry = 2,
    /// Do not try again: to the dead letters.
    Fail = 3,
}

/// EmitError is why the host did not take an emission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmitError(pub Error);

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self.0 {
            Error::BadArgument => {
                "the host does not take this: the type must be 1 to 256 printable ASCII characters"
            }
            Error::Denied => "this event type is reserved for informerd itself, or the grant emit does not allow what was emitted",
            Error::Quota => "too much was emitted for this event",
            _ => "events can be emitted in on_event only",
        })
    }
}

impl std::error::Error for EmitError {}

/// Sends an event of the handler's own, with data as JSON text, as of a MapWriter; "" is no data. If the verdict is Done,
/// the emitted events go to the outputs in place of the object's event. The type is a reverse domain name, as in
/// com.example.backup.missed.
pub fn emit(event_type: &str, data: impl ToString) -> Result<(), EmitError> {
    let mut event = MapWriter::new();
    event.string("type", event_type);
    let data = data.to_string();
    if !data.is_empty() {
        event.json("data", data);
    }
    send(1, &event.to_string())
}

/// Replaces the data of the object's event, once for each event.
pub fn set_data(data: impl ToString) -> Result<(), EmitError> {
    send(2, &data.to_string())
}

fn send(kind: i32, json: &str) -> Result<(), EmitError> {
    Error::check(host::result_emit(kind, json)).map(|_| ()).map_err(EmitError)
}
