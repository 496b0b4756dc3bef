//! Reports a panic to the host before it ends the guest.

use std::any::Any;
use std::panic::Location;

use crate::host;

/// report passes the message and place of every later panic to the host, which would not learn
/// otherwise why the guest ended. Natively, tests report panics in their own way.
#[cfg(target_arch = "wasm32")]
pub(crate) fn report() {
    std::panic::set_hook(Box::new(|panic| report_panic(panic.payload(), panic.location())));
}

/// report_panic is the body of the panic hook.
pub(crate) fn report_panic(payload: &dyn Any, at: Option<&Location>) {
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "a value that is not text",
    };
    let mut text = format!("panicked at '{}'", message);
    if let Some(at) = at {
        text.push_str(&format!(", {}", at));
    }
    host::result_error(&text);
}
