//! A fake host, to test a handler natively: a small model of the real one, without limits and deadlines. A test runs its
//! guest on its own thread, so tests may run in parallel.
//!
//! ```ignore
//! let mut guest = fake::start::<MyHandler>(r#"{"threshold": 2}"#);
//! let result = guest.add(r#"{"metadata": {"name": "web"}}"#);
//! // result.verdict, result.emitted, result.message, result.log
//! ```

use std::cell::RefCell;

use crate::handler::{exports, Handler};
use crate::result::Verdict;
use crate::value::Value;

/// Guest is a handler that is configured.
pub struct Guest<H> {
    handler: Option<H>,
}

/// Emission is an event or, if event_type is empty, the data that replace those of the object's event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emission {
    pub event_type: String,
    /// JSON; empty if there are none.
    pub data: String,
}

/// Outcome is what the handler made of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// Empty unless the verdict is Done.
    pub emitted: Vec<Emission>,
    /// The reason of a retry or failure.
    pub message: String,
    pub log: Vec<String>,
}

/// Configures the handler. The error is why it refuses.
pub fn load<H: Handler>(config: &str) -> Result<Guest<H>, String> {
    let mut handler = None;
    let config = if config.is_empty() { "{}" } else { config }.to_string();
    with(|s| *s = State { config, configuring: true, ..State::default() });
    let status = exports::configure::<H>(&mut handler);
    with(|s| s.configuring = false);
    if status == 0 {
        Ok(Guest { handler })
    } else {
        Err(with(|s| s.message.clone()))
    }
}

/// Is load for a configuration that must be taken.
pub fn start<H: Handler>(config: &str) -> Guest<H> {
    match load(config) {
        Ok(guest) => guest,
        Err(reason) => panic!("configure: {}", reason),
    }
}

/// The events, with objects as JSON.
impl<H: Handler> Guest<H> {
    pub fn add(&mut self, object: &str) -> Outcome {
        self.event(1, 0, object, "")
    }

    pub fn update(&mut self, old: &str, object: &str) -> Outcome {
        self.event(2, 0, object, old)
    }

    pub fn delete(&mut self, object: &str) -> Outcome {
        self.event(3, 0, object, "")
    }

    pub fn resync(&mut self, object: &str) -> Outcome {
        self.event(4, 0, object, "")
    }

    /// An event with flags as well: 1 initial, 2 final state unknown, 4 missed. An old object of "" is none.
    pub fn event(&mut self, op: u32, flags: u32, object: &str, old: &str) -> Outcome {
        with(|s| {
            s.op = op;
            s.objects = [object.to_string(), old.to_string()];
            s.emitted.clear();
            s.message.clear();
            s.log.clear();
        });
        let verdict = exports::on_event(&mut self.handler, op, flags, object.len() as u32, old.len() as u32);
        let verdict = [Verdict::Done, Verdict::Drop, Verdict::Retry, Verdict::Fail][verdict as usize];
        with(|s| Outcome {
            verdict,
            emitted: if verdict == Verdict::Done { s.emitted.clone() } else { Vec::new() },
            message: s.message.clone(),
            log: s.log.clone(),
        })
    }
}

#[derive(Default)]
struct State {
    config: String,
    configuring: bool,
    paths: Vec<Vec<Step>>,
    op: u32,
    objects: [String; 2],
    emitted: Vec<Emission>,
    message: String,
    log: Vec<String>,
}

enum Step {
    Member(String),
    Item(usize),
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::default());
}

fn with<T>(f: impl FnOnce(&mut State) -> T) -> T {
    STATE.with(|s| f(&mut s.borrow_mut()))
}

impl State {
    fn lookup(&self, which: u32, handle: u32) -> Value {
        let mut at = Value::of(&self.objects[which as usize]);
        for step in &self.paths[handle as usize] {
            at = match step {
                Step::Member(name) => at.member(name),
                Step::Item(n) if at.kind == crate::Kind::Array => at.items().get(*n).cloned().unwrap_or_else(Value::missing),
                Step::Item(_) => Value::missing(),
            };
        }
        at
    }
}

/// Cuts metadata.labels["app"] or a\[0\].b into steps.
fn parse_path(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let (name, behind) = quoted.split_once("\"]")?;
            steps.push(Step::Member(name.to_string()));
            rest = behind;
        } else if let Some(index) = rest.strip_prefix('[') {
            let (n, behind) = index.split_once(']')?;
            steps.push(Step::Item(n.parse().ok()?));
            rest = behind;
        } else {
            rest = rest.strip_prefix('.').unwrap_or(rest);
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let name = &rest[..end];
            if name.is_empty() || name.contains([' ', '\t', '"', ']']) {
                return None;
            }
            steps.push(Step::Member(name.to_string()));
            rest = &rest[end..];
        }
    }
    if steps.is_empty() {
        None
    } else {
        Some(steps)
    }
}

/// The functions of the host, as the SDK calls them.
pub(crate) mod host {
    use super::{parse_path, with, Emission};
    use crate::value::Value;

    const NOT_FOUND: i32 = -1;
    const BAD_ARGUMENT: i32 = -2;
    const QUOTA: i32 = -4;
    const WRONG_PHASE: i32 = -6;
    const MAX_PATHS: usize = 256;

    fn answer(text: &str, buf: &mut [u8]) -> i32 {
        if let Some(to) = buf.get_mut(..text.len()) {
            to.copy_from_slice(text.as_bytes());
        }
        text.len() as i32
    }

    pub fn event_object(which: u32, off: u32, buf: &mut [u8]) -> i32 {
        with(|s| {
            let text = s.objects[which as usize].as_bytes();
            if text.is_empty() {
                return NOT_FOUND;
            }
            let window = &text[text.len().min(off as usize)..];
            let window = &window[..window.len().min(buf.len())];
            buf[..window.len()].copy_from_slice(window);
            window.len() as i32
        })
    }

    pub fn event_path(text: &str) -> i32 {
        with(|s| match parse_path(text) {
            _ if !s.configuring => WRONG_PHASE,
            None => BAD_ARGUMENT,
            _ if s.paths.len() == MAX_PATHS => QUOTA,
            Some(steps) => {
                s.paths.push(steps);
                s.paths.len() as i32 - 1
            }
        })
    }

    pub fn event_field(which: u32, handle: u32, buf: &mut [u8]) -> i64 {
        with(|s| {
            let value = s.lookup(which, handle);
            (value.kind as i64) << 32 | i64::from(answer(&value.text, buf))
        })
    }

    pub fn event_changed(handle: u32) -> i32 {
        with(|s| {
            let now = s.lookup(0, handle);
            match s.op {
                2 => i32::from(now != s.lookup(1, handle)),
                4 => 0,
                _ => i32::from(now.exists()),
            }
        })
    }

    pub fn result_emit(kind: i32, text: &str) -> i32 {
        with(|s| {
            if s.configuring {
                return WRONG_PHASE;
            }
            let mut emission = Emission { event_type: String::new(), data: text.to_string() };
            if kind == 1 {
                let event = Value::of(text);
                let data = event.member("data");
                emission.event_type = event.member("type").string().to_string();
                emission.data = if data.kind == crate::Kind::String { crate::quote(&data.text) } else { data.text };
                if emission.event_type.is_empty() {
                    return BAD_ARGUMENT;
                }
            }
            s.emitted.push(emission);
            0
        })
    }

    pub fn result_error(text: &str) {
        with(|s| s.message = text.to_string());
    }

    pub fn config_get(buf: &mut [u8]) -> i32 {
        with(|s| answer(&s.config, buf))
    }

    pub fn log(_level: i32, line: &str) {
        with(|s| s.log.push(line.to_string()));
    }

    pub fn log_enabled(_level: i32) -> i32 {
        1
    }
}
