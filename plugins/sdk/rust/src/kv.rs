//! A store of small values that all instances of the handler share. It outlives a crash and a
//! replacement of the module and, if the grant says so, a restart of informerd. A guest that calls
//! it needs the grant "kv".
//!
//! A value has a time to live; `Duration::ZERO` is as long as the grant allows. To change a value
//! that other workers change as well, read it with `get`, call `cas`, and start again until `cas`
//! returns true.

use std::time::Duration;

use crate::error::Error;
use crate::host;

/// Returns the value of a key, or None if there is none.
pub fn get(key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>, Error> {
    let key = key.as_ref();
    match host::read(|buf| (host::kv_get(key, buf), ()), |value, ()| value.to_vec()) {
        Err(Error::NotFound) => Ok(None),
        found => found.map(Some),
    }
}

/// Stores a value.
pub fn set(key: impl AsRef<[u8]>, value: impl AsRef<[u8]>, ttl: Duration) -> Result<(), Error> {
    Error::check(host::kv_set(key.as_ref(), value.as_ref(), milliseconds(ttl))).map(|_| ())
}

/// Removes a key. False means that there was none.
pub fn delete(key: impl AsRef<[u8]>) -> Result<bool, Error> {
    match Error::check(host::kv_delete(key.as_ref())) {
        Err(Error::NotFound) => Ok(false),
        removed => removed.map(|_| true),
    }
}

/// Stores a value if the key still has the old one, or, without an old one, if the key still does
/// not exist. False means that the value has changed.
pub fn cas(key: impl AsRef<[u8]>, old: Option<&[u8]>, value: impl AsRef<[u8]>, ttl: Duration) -> Result<bool, Error> {
    Error::check(host::kv_cas(key.as_ref(), old, value.as_ref(), milliseconds(ttl))).map(|stored| stored == 1)
}

/// milliseconds rounds up, since 0 would mean no limit.
fn milliseconds(ttl: Duration) -> i64 {
    let round_up = u128::from(ttl.subsec_nanos() % 1_000_000 > 0);
    (ttl.as_millis() + round_up).min(i64::MAX as u128) as i64
}
