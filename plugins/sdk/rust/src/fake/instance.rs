use std::cell::RefCell;
use std::rc::Rc;

use super::path::Path;
use super::world::{Answer, Host, World};
use super::{Emission, Input, Outcome};
use crate::prefetch;
use crate::result::Verdict;
use crate::value::Value;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Configure,
    Batch, // without a current event
    Event,
    Idle,
}

/// Instance is the state of the running guest, on which the host functions work.
pub struct Instance {
    pub world: Rc<RefCell<World>>,
    pub config: String,
    pub phase: Phase,
    pub paths: Vec<Path>,
    pub prefetch: Prefetch,
    pub event: Input,
    pub output: Output,
    /// The number of fields read with a host call.
    pub field_calls: usize,
    pub batch: Batch,
    pub response: Option<Answer>,
    pub iterators: Vec<Option<Iterator>>, // by number; None is closed
}

// The layout of prefetched fields, in bytes.
pub const ENTRIES: usize = 4; // the entries follow the number of fields
pub const ENTRY: usize = 12;

fn put(buffer: &mut [u8], at: usize, n: usize) {
    buffer[at..at + 4].copy_from_slice(&(n as u32).to_le_bytes());
}

/// Prefetch is which fields the guest wants, and where.
pub struct Prefetch {
    pub ptr: *mut u8,
    pub cap: usize,
    pub handles: Vec<u32>,
}

/// Output is what the current event produced.
#[derive(Default)]
pub struct Output {
    pub emitted: Vec<Emission>,
    pub message: String,
    pub log: Vec<String>,
}

/// Batch is the events of a batch and their results.
#[derive(Default)]
pub struct Batch {
    pub events: Vec<Input>,
    pub record: Option<*mut [i32; 5]>, // of the current event
    pub results: Vec<(Option<Verdict>, Output)>,
}

/// Iterator is a position in some objects.
pub struct Iterator {
    pub objects: Vec<String>, // the remaining ones, the next one last
    pub current: Option<String>,
}

thread_local! {
    static RUNNING: RefCell<Instance> = RefCell::new(Instance::new(Host::new().world, ""));
}

/// with passes the state of the running guest to f.
pub fn with<T>(f: impl FnOnce(&mut Instance) -> T) -> T {
    RUNNING.with(|r| f(&mut r.borrow_mut()))
}

/// verdict converts the guest's number to a verdict.
pub fn verdict(number: i32) -> Verdict {
    [Verdict::Done, Verdict::Drop, Verdict::Retry, Verdict::Fail][number as usize]
}

impl Output {
    pub fn outcome(self, verdict: Verdict) -> Outcome {
        let emitted = if verdict == Verdict::Done { self.emitted } else { Vec::new() };
        Outcome { verdict, emitted, message: self.message, log: self.log }
    }
}

impl Instance {
    pub fn new(world: Rc<RefCell<World>>, config: &str) -> Instance {
        Instance {
            world,
            config: if config.is_empty() { "{}" } else { config }.to_string(),
            phase: Phase::Idle,
            paths: Vec::new(),
            prefetch: Prefetch { ptr: std::ptr::null_mut(), cap: 0, handles: Vec::new() },
            event: Input::add(""),
            output: Output::default(),
            field_calls: 0,
            batch: Batch::default(),
            response: None,
            iterators: Vec::new(),
        }
    }

    /// end_event releases what is valid during an event only.
    pub fn end_event(&mut self) {
        self.response = None;
        self.iterators.clear();
    }

    /// lookup returns a field of the current event; which is 0 for the object and 1 for the old
    /// one.
    pub fn lookup(&self, which: u32, handle: u32) -> Value {
        let object = if which == 0 { &self.event.object } else { &self.event.old };
        self.paths[handle as usize].lookup(object)
    }

    /// write_prefetch writes the fields that the guest prefetches, in the layout of the reference.
    pub fn write_prefetch(&mut self) {
        let n = self.prefetch.handles.len();
        if n == 0 {
            return;
        }
        // The guest is not running, or has asked for it; its buffer lives as long as its thread.
        let buffer = unsafe { std::slice::from_raw_parts_mut(self.prefetch.ptr, self.prefetch.cap) };
        let mut free = ENTRIES + n * ENTRY;
        put(buffer, 0, n);
        for (i, &handle) in self.prefetch.handles.iter().enumerate() {
            let value = self.lookup(0, handle);
            let (text, mut offset) = (value.text.as_bytes(), free);
            match buffer.get_mut(free..free + text.len()) {
                Some(to) => {
                    to.copy_from_slice(text);
                    free += text.len();
                }
                None => offset = 0,
            }
            let entry = ENTRIES + i * ENTRY;
            put(buffer, entry, value.kind as usize);
            put(buffer, entry + 4, text.len());
            put(buffer, entry + 8, offset);
        }
    }
}

/// Paused is a guest that is not running: its instance, and the SDK's state for it.
pub struct Paused {
    pub instance: Instance,
    sdk: prefetch::Fields,
}

impl Paused {
    pub fn new(world: Rc<RefCell<World>>, config: &str) -> Paused {
        Paused { instance: Instance::new(world, config), sdk: prefetch::Fields::default() }
    }

    /// run runs the guest in a phase.
    pub fn run<T>(&mut self, phase: Phase, guest: impl FnOnce() -> T) -> T {
        self.instance.phase = phase;
        self.swap();
        let result = guest();
        self.swap();
        self.instance.phase = Phase::Idle;
        self.instance.end_event();
        result
    }

    fn swap(&mut self) {
        with(|running| std::mem::swap(running, &mut self.instance));
        prefetch::swap(&mut self.sdk);
    }
}
