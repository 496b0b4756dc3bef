use crate::event::Event;
use crate::result::Verdict;

/// Handler is a guest's implementation.
pub trait Handler: Sized + 'static {
    /// Runs once, before the first event. It compiles paths, reads the configuration and rejects
    /// invalid settings.
    fn configure() -> Result<Self, String>;

    /// Runs for each event. The event is valid until it returns.
    fn on_event(&mut self, event: &Event) -> Verdict;
}

/// Makes a type the handler of this guest. Call it once, outside of functions.
#[macro_export]
macro_rules! register {
    ($handler:ty) => {
        $crate::informerd_exports!($handler, <$handler as $crate::Handler>::configure, {
            #[no_mangle]
            pub extern "C" fn on_event(op: u32, flags: u32, object_len: u32, old_len: u32) -> i32 {
                HANDLER.with(|h| $crate::exports::on_event(&mut h.borrow_mut(), op, flags, object_len, old_len))
            }
        });
    };
}

/// Makes a type the batch handler of this guest, which takes many events at once. Call it once,
/// outside of functions, instead of `register!`.
#[macro_export]
macro_rules! register_batch {
    ($handler:ty) => {
        $crate::informerd_exports!($handler, <$handler as $crate::BatchHandler>::configure, {
            #[no_mangle]
            pub extern "C" fn on_batch(n: u32) -> i32 {
                HANDLER.with(|h| $crate::exports::on_batch(&mut h.borrow_mut(), n))
            }
        });
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! informerd_exports {
    ($handler:ty, $configure:expr, { $($entry:item)* }) => {
        #[cfg(target_arch = "wasm32")]
        mod informerd_exports {
            use super::*;

            std::thread_local! {
                static HANDLER: std::cell::RefCell<Option<$handler>> = std::cell::RefCell::new(None);
            }

            #[no_mangle]
            pub extern "C" fn informerd_abi_v1() {}

            #[no_mangle]
            pub extern "C" fn configure() -> i32 {
                HANDLER.with(|h| $crate::exports::configure(&mut h.borrow_mut(), $configure))
            }

            $($entry)*
        }
    };
}

/// The functions that the exports run.
#[doc(hidden)]
pub mod exports {
    use super::Handler;
    use crate::batch::{Batch, BatchHandler};
    use crate::event::Event;
    use crate::{host, prefetch};

    pub fn configure<H>(handler: &mut Option<H>, configure: fn() -> Result<H, String>) -> i32 {
        #[cfg(target_arch = "wasm32")]
        crate::panic::report();
        match configure() {
            Ok(ready) => {
                prefetch::configured();
                *handler = Some(ready);
                0
            }
            Err(reason) => {
                host::result_error(&reason);
                1
            }
        }
    }

    pub fn on_event<H: Handler>(handler: &mut Option<H>, op: u32, flags: u32, object_len: u32, old_len: u32) -> i32 {
        configured(handler).on_event(&Event::new(op, flags, object_len, old_len)) as i32
    }

    pub fn on_batch<H: BatchHandler>(handler: &mut Option<H>, n: u32) -> i32 {
        configured(handler).on_batch(&mut Batch::new(n)) as i32
    }

    fn configured<H>(handler: &mut Option<H>) -> &mut H {
        handler.as_mut().expect("informerd: event before configure")
    }
}
