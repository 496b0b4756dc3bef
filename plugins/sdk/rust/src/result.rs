use std::fmt;

use crate::error::Error;
use crate::host;
use crate::json::MapWriter;

/// Verdict is a handler's decision about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The event, or what was emitted in its place, goes to the outputs.
    Done = 0,
    /// Nothing goes to the outputs.
    Drop = 1,
    /// Try this event again later.
    Retry = 2,
    /// Do not try again; the event becomes a dead letter.
    Fail = 3,
}

/// EmitError is why the host rejected an emission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmitError(pub Error);

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self.0 {
            Error::BadArgument => {
                "invalid event type: it must be 1 to 256 printable ASCII characters"
            }
            Error::Denied => "this event type is reserved for informerd itself, or the grant emit does not allow what was emitted",
            Error::Quota => "too much was emitted for this event",
            _ => "events can be emitted in on_event only",
        })
    }
}

impl std::error::Error for EmitError {}

/// Sends an event of the handler's own, with data as JSON text, such as that of a MapWriter; ""
/// means no data. If the verdict is Done, the emitted events go to the outputs in place of the
/// object's event. The type is a reverse domain name, such as com.example.backup.missed.
pub fn emit(event_type: &str, data: impl ToString) -> Result<(), EmitError> {
    let mut event = MapWriter::new();
    event.string("type", event_type);
    let data = data.to_string();
    if !data.is_empty() {
        event.json("data", data);
    }
    send(1, &event.to_string())
}

/// Replaces the data of the object's event. It may be called once for each event.
pub fn set_data(data: impl ToString) -> Result<(), EmitError> {
    send(2, &data.to_string())
}

fn send(kind: i32, json: &str) -> Result<(), EmitError> {
    Error::check(host::result_emit(kind, json)).map(|_| ()).map_err(EmitError)
}
