use crate::host;

/// Level is the severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Debug = 0,
    Info = 1,
    Warn = 2,
    Error = 3,
}

/// Writes a line to informerd's log. A guest that calls it needs the grant "log".
pub fn log(level: Level, line: impl AsRef<str>) {
    host::log(level as i32, line.as_ref());
}

/// Reports whether a line of that level would be written. A guest that calls it needs the grant
/// "log".
pub fn log_enabled(level: Level) -> bool {
    host::log_enabled(level as i32) == 1
}
