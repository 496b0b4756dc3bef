//! What a panic reports to the host.

use std::cell::Cell;
use std::panic::{catch_unwind, set_hook, take_hook, AssertUnwindSafe};

use crate::fake::host::last_message;
use crate::fake::start;
use crate::panic::report_panic;
use crate::*;

struct Panics;

const HERE: u32 = line!();

impl Handler for Panics {
    fn configure() -> Result<Self, String> {
        Ok(Panics)
    }

    fn on_event(&mut self, event: &Event) -> Verdict {
        match event.object.size() {
            0 => panic!("a text"),
            2 => panic!("made of {} words", 3),
            n if [1, 2, 3][n] > 0 => Verdict::Done,
            _ => Verdict::Drop,
        }
    }
}

thread_local! {
    static TOLD: Cell<bool> = const { Cell::new(false) };
}

/// The hook works like the one that register! installs, but only while a guest of this thread is
/// running: tests have their own way to fail.
#[test]
fn a_panic_tells_the_host_what_and_where() {
    let before = take_hook();
    set_hook(Box::new(move |panic| match TOLD.with(Cell::get) {
        true => report_panic(panic.payload(), panic.location()),
        false => before(panic),
    }));
    for (n, (object, want)) in [
        ("", "a text"),
        ("{}", "made of 3 words"),
        ("{ }", "index out of bounds: the len is 3 but the index is 3"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut guest = start::<Panics>("");
        TOLD.with(|t| t.set(true));
        let crashed = catch_unwind(AssertUnwindSafe(|| guest.add(object)));
        TOLD.with(|t| t.set(false));
        assert!(crashed.is_err());
        assert_eq!(last_message(), format!("panicked at '{}', {}:{}:18", want, file!(), HERE as usize + 9 + n));
    }
}

#[test]
fn what_is_no_text_is_said_to_be_none() {
    report_panic(&1, None);
    assert_eq!(last_message(), "panicked at 'a value that is not text'");
}
