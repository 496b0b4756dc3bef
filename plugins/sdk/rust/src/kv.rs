//! A store of small values, which all instances of the handler share: it outlives a crash and an exchange of the module, and,
//! if the grant says so, a restart of informerd. A guest that calls it needs the grant "kv".
//!
//! A value is kept for a time to live, `Duration::ZERO` for as long as the grant allows. To change a value that other workers
//! change as well, read it with `get`, and do so again until `cas` gives true.

use std::time::Duration;

use crate::error::Error;
use crate::host;

/// Gives the value of a key, None if there is none.
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

/// Removes a key. False says that there was none.
pub fn delete(key: impl AsRef<[u8]>) -> Result<bool, Error> {
    match Error::check(host::kv_delete(key.as_ref())) {
        Err(Error::NotFound) => Ok(false),
        removed => removed.map(|_| true),
    }
}

/// Stores a value if that of the key is still the old one, or, without an old one, if there still is no such key. False says
/// that it is another.
pub fn cas(key: impl AsRef<[u8]>, old: Option<&[u8]>, value: impl AsRef<[u8]>, ttl: Duration) -> Result<bool, Error> {
    Error::check(host::kv_cas(key.as_ref(), old, value.as_ref(), milliseconds(ttl))).map(|stored| stored == 1)
}

/// milliseconds rounds up, since 0 would be for ever.
fn milliseconds(ttl: Duration) -> i64 {
    let round_up = u128::from(ttl.subsec_nanos() % 1_000_000 > 0);
    (ttl.as_millis() + round_up).min(i64::MAX as u128) as i64
}
