use std::fmt;

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

/// Status is why the host did not do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    NotFound,
    BadArgument,
    Denied,
    Quota,
    Unavailable,
    WrongPhase,
}

impl Status {
    pub(crate) fn of(number: i32) -> Status {
        match number {
            -1 => Status::NotFound,
            -2 => Status::BadArgument,
            -3 => Status::Denied,
            -4 => Status::Quota,
            -6 => Status::WrongPhase,
            _ => Status::Unavailable,
        }
    }
}

/// Says why the host did not take an emission.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Status::BadArgument => {
                "the host does not take this: the type must be 1 to 256 printable ASCII characters"
            }
            Status::Denied => "this event type is reserved for informerd itself",
            Status::Quota => "too much was emitted for this event",
            _ => "events can be emitted in on_event only",
        })
    }
}

/// Sends an event of the handler's own, with data as JSON text, as of a MapWriter; "" is no data. If the verdict is Done,
/// the emitted events go to the outputs in place of the object's event. The type is a reverse domain name, as in
/// com.example.backup.missed.
pub fn emit(event_type: &str, data: impl ToString) -> Result<(), Status> {
    let mut event = MapWriter::new();
    event.string("type", event_type);
    let data = data.to_string();
    if !data.is_empty() {
        event.json("data", data);
    }
    send(1, &event.to_string())
}

/// Replaces the data of the object's event, once for each event.
pub fn set_data(data: impl ToString) -> Result<(), Status> {
    send(2, &data.to_string())
}

fn send(kind: i32, json: &str) -> Result<(), Status> {
    match host::result_emit(kind, json) {
        0 => Ok(()),
        status => Err(Status::of(status)),
    }
}
