//! The Rust SDK for informerd's WebAssembly handlers. A handler is a type that is registered:
//!
//! ```
//! use informerd::{Event, Handler, Path, Verdict};
//!
//! struct Failed {
//!     phase: Path,
//! }
//!
//! impl Handler for Failed {
//!     fn configure() -> Result<Self, String> {
//!         Ok(Failed { phase: Path::compile("status.phase")? })
//!     }
//!
//!     fn on_event(&mut self, event: &Event) -> Verdict {
//!         if event.object.string(&self.phase) == "Failed" { Verdict::Done } else { Verdict::Drop }
//!     }
//! }
//!
//! informerd::register!(Failed);
//! ```
//!
//! It is built for wasm32-unknown-unknown by the script `build` next to the folder src, or with
//! cargo as a cdylib.
//!
//! A handler reads the fields it needs through the host, which finds them in the object's text.
//! Everything runs on one thread, one event after the other, and each worker of a listener has its
//! own instance with its own handler. An instance that panics or is too slow is replaced by a new
//! one, so what a handler keeps is only a cache.
//!
//! The functions that need grants are in the modules `kv`, `http` and `cache`, and `log`, `now` and
//! `random`. A handler that takes many events at once is a `BatchHandler`, registered with
//! `register_batch!`.
//!
//! Built for another platform, as for `rustc --test`, the crate runs against the fake host of
//! module `fake`.

mod batch;
pub mod cache;
mod clock;
mod config;
mod error;
mod event;
mod field;
mod handler;
mod host;
pub mod http;
mod json;
pub mod kv;
mod log;
mod object;
#[cfg(any(target_arch = "wasm32", test))]
mod panic;
mod prefetch;
mod result;
mod value;

#[cfg(not(target_arch = "wasm32"))]
pub mod fake;

pub use batch::{Batch, BatchEvent, BatchHandler};
pub use clock::{now, random};
pub use config::{config, config_only};
pub use error::Error;
pub use event::{Event, Op};
pub use field::Path;
pub use handler::Handler;
pub use json::{quote, ListWriter, MapWriter};
pub use log::{log, log_enabled, Level};
pub use object::{Object, Source};
pub use prefetch::prefetch;
pub use result::{emit, set_data, EmitError, Verdict};
pub use value::{Kind, Value};

#[doc(hidden)]
pub use handler::exports;

#[cfg(test)]
mod tests;
