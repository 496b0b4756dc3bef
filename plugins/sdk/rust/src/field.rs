use crate::error::Error;
use crate::host;
use crate::prefetch;

/// Path is the compiled path of a field, such as metadata.labels["app"] or
/// spec.containers\[0\].image.
pub struct Path {
    pub(crate) handle: u32,
}

impl Path {
    /// Compiles a path. Only Handler::configure may call it; `?` there rejects the handler with the
    /// reason.
    pub fn compile(text: &str) -> Result<Path, String> {
        let handle = host::event_path(text);
        if handle >= 0 {
            prefetch::compiled(handle as u32);
            return Ok(Path { handle: handle as u32 });
        }
        Err(format!(
            "path {}: {}",
            text,
            match Error::of(handle) {
                Error::Quota => "there are too many paths",
                Error::WrongPhase => "paths can be compiled in configure only",
                _ => "this is not the path of a field",
            }
        ))
    }
}
