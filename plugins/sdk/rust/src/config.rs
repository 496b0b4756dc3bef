use crate::host;
use crate::json::quote;
use crate::value::Value;

/// Returns the handler's configuration, always a map.
pub fn config() -> Value {
    host::read(|buf| (host::config_get(buf), ()), |text, ()| Value::of(&host::text(text)))
        .unwrap_or_else(|_| Value::of("{}"))
}

/// Rejects a configuration with a field that is not among the names.
pub fn config_only(names: &[&str]) -> Result<(), String> {
    match config().names().iter().find(|field| !names.contains(&field.as_str())) {
        Some(field) => Err(format!("config: unknown field {}", quote(field))),
        None => Ok(()),
    }
}
