//! What kv holds about a node: one value for all of its conditions, so that they change at once.

use std::time::Duration;

use informerd::{kv, Error, MapWriter, Value};

/// How long an empty value stays. It is there for workers that have read the previous one.
const LEAVING: Duration = Duration::from_secs(60);

/// Memory is the stored state of a node before an event.
pub struct Memory {
    node: String,
    text: Option<Vec<u8>>,
    value: Value,
}

/// Seen is the state of a condition that is not as it should be. The times are seconds since 1970.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub is: String,
    pub since: u64,
    pub reported: u64,
}

impl Memory {
    pub fn of(node: String) -> Result<Memory, String> {
        let text = kv::get(&node).map_err(reason)?;
        let value = Value::of(&String::from_utf8_lossy(text.as_deref().unwrap_or(b"{}")));
        Ok(Memory { node, text, value })
    }

    pub fn node(&self) -> &str {
        &self.node
    }

    /// seen returns the stored state of a condition, None if it was as it should be.
    pub fn seen(&self, condition: &str) -> Option<Seen> {
        let seen = self.value.member(condition);
        let time = |name: &str| seen.member(name).int().unwrap_or(0).max(0) as u64;
        if !seen.exists() {
            return None;
        }
        Some(Seen { is: seen.member("is").string().to_string(), since: time("since"), reported: time("told") })
    }

    /// change replaces the stored state, if no other worker was faster. Without a change it only
    /// restarts the time to live, if renew is set.
    pub fn change(&self, seen: &[(&str, Seen)], ttl: Duration, renew: bool) -> Result<(), String> {
        let mut map = MapWriter::new();
        for (condition, seen) in seen {
            let mut one = MapWriter::new();
            one.string("is", &seen.is).int("since", seen.since as i64).int("told", seen.reported as i64);
            map.json(condition, one);
        }
        let text = map.to_string();
        let is_same = self.text.as_deref().unwrap_or(b"{}") == text.as_bytes();
        if is_same && (!renew || seen.is_empty()) {
            return Ok(());
        }
        let ttl = if seen.is_empty() { LEAVING } else { ttl };
        match kv::cas(&self.node, self.text.as_deref(), text, ttl).map_err(reason)? {
            true => Ok(()),
            false => Err("another worker was faster with this node".to_string()),
        }
    }
}

fn reason(error: Error) -> String {
    match error {
        Error::Quota => "kv: quota: raise the keys or bytes of the grant kv".to_string(),
        error => format!("kv: {}", error),
    }
}
