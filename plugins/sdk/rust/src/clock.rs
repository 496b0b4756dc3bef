use std::time::{Duration, SystemTime};

use crate::error::Error;
use crate::host;

/// Gives the time, which may stand still or go back. A guest that calls it needs the grant "clock".
pub fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(host::clock_now_ns().max(0) as u64)
}

/// Fills a slice with random bytes. A guest that calls it needs the grant "random".
pub fn random(bytes: &mut [u8]) -> Result<(), Error> {
    const MOST: usize = 64 << 10; // for one call
    for part in bytes.chunks_mut(MOST) {
        Error::check(host::random_fill(part))?;
    }
    Ok(())
}
