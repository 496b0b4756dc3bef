use crate::event::Event;
use crate::result::Verdict;

/// Handler is what a guest does.
pub trait Handler: Sized + 'static {
    /// Runs once, before the first event. It compiles paths, reads the configuration and refuses bad settings.
    fn configure() -> Result<Self, String>;

    /// Runs for each event. The event is valid until it returns.
    fn on_event(&mut self, event: &Event) -> Verdict;
}

/// Makes a type the handler of this guest. Call it once, outside of functions.
#[macro_export]
macro_rules! register {
    ($handler:ty) => {
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
                HANDLER.with(|h| $crate::exports::configure(&mut h.borrow_mut()))
            }

            #[no_mangle]
            pub extern "C" fn on_event(op: u32, flags: u32, object_len: u32, old_len: u32) -> i32 {
                HANDLER.with(|h| $crate::exports::on_event(&mut h.borrow_mut(), op, flags, object_len, old_len))
            }
        }
    };
}

/// What the exports run.
#[doc(hidden)]
pub mod exports {
    use super::Handler;
    use crate::event::Event;
    use crate::host;

    pub fn configure<H: Handler>(handler: &mut Option<H>) -> i32 {
        // Nothing else would say why a panic ended the guest.
        #[cfg(target_arch = "wasm32")]
        std::panic::set_hook(Box::new(|panic| host::result_error(&panic.to_string())));
        match H::configure() {
            Ok(ready) => {
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
        let handler = handler.as_mut().expect("informerd: on_event before configure");
        handler.on_event(&Event::new(op, flags, object_len, old_len)) as i32
    }
}
