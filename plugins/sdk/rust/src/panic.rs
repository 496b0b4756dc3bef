//! What a panic says to the host before it ends the guest.

use std::any::Any;
use std::panic::Location;

use crate::host;

/// report gives the host the message of every panic from now on, and where it was: nothing else would say why the guest
/// ended. Natively, tests have their own way to say it.
#[cfg(target_arch = "wasm32")]
pub(crate) fn report() {
    std::panic::set_hook(Box::new(|panic| say(panic.payload(), panic.location())));
}

/// say is what the hook does.
pub(crate) fn say(payload: &dyn Any, at: Option<&Location>) {
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "something that is no text",
    };
    let mut text = format!("panicked at '{}'", message);
    if let Some(at) = at {
        text.push_str(&format!(", {}", at));
    }
    host::result_error(&text);
}
