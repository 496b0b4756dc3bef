//! The host functions that need grants.

use std::time::{Duration, SystemTime};

use super::host::{answer, packed, window, BAD_ARGUMENT, DENIED, NOT_FOUND, QUOTA, UNAVAILABLE, WRONG_PHASE};
use super::instance::{with, Iterator, Phase};
use super::world::World;
use crate::http::Request;
use crate::value::{Kind, Value};

const MAX_KEY: usize = 256;
const MAX_VALUE: usize = 64 << 10;
const MAX_ITERATORS: usize = 16;

fn world<T>(f: impl FnOnce(&mut World) -> T) -> T {
    with(|s| f(&mut s.world.borrow_mut()))
}

fn bad_key(key: &[u8]) -> bool {
    key.is_empty() || key.len() > MAX_KEY
}

pub fn kv_get(key: &[u8], buf: &mut [u8]) -> i32 {
    world(|w| match w.stored(key) {
        _ if bad_key(key) => BAD_ARGUMENT,
        None => NOT_FOUND,
        Some(value) => answer(value, buf),
    })
}

pub fn kv_set(key: &[u8], value: &[u8], ttl_ms: i64) -> i32 {
    world(|w| {
        let is_new = w.stored(key).is_none();
        if bad_key(key) {
            return BAD_ARGUMENT;
        }
        if value.len() > MAX_VALUE || is_new && w.kv.len() >= w.max_keys {
            return QUOTA;
        }
        let until = match ttl_ms {
            0 => None,
            ms => w.now.checked_add(Duration::from_millis(ms as u64)),
        };
        w.store(key, value, until);
        0
    })
}

pub fn kv_delete(key: &[u8]) -> i32 {
    world(|w| {
        let found = w.stored(key).is_some();
        w.kv.remove(key);
        match found {
            _ if bad_key(key) => BAD_ARGUMENT,
            true => 0,
            false => NOT_FOUND,
        }
    })
}

pub fn kv_cas(key: &[u8], old: Option<&[u8]>, value: &[u8], ttl_ms: i64) -> i32 {
    let is_old = world(|w| {
        if let Some((key, value)) = w.race.take() {
            w.store(&key, &value, None);
        }
        w.stored(key).map(|v| v.as_slice()) == old
    });
    if !is_old {
        return 0;
    }
    match kv_set(key, value, ttl_ms) {
        0 => 1,
        status => status,
    }
}

pub fn clock_now_ns() -> i64 {
    world(|w| w.now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_nanos() as i64))
}

/// random_fill is SplitMix64.
pub fn random_fill(buf: &mut [u8]) -> i32 {
    world(|w| {
        for part in buf.chunks_mut(8) {
            w.random = w.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = w.random;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            part.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes()[..part.len()]);
        }
        0
    })
}

/// text returns a member that is a string.
fn text(value: &Value, name: &str) -> String {
    value.member(name).string().to_string()
}

pub fn http_request(head: &str, body: &[u8]) -> i32 {
    with(|s| {
        if s.phase != Phase::Event {
            return WRONG_PHASE;
        }
        s.response = None;
        let head = Value::of(head);
        let headers = head.member("headers");
        let mut request = Request {
            method: text(&head, "method"),
            url: text(&head, "url"),
            headers: headers.names().into_iter().map(|name| (name.clone(), text(&headers, &name))).collect(),
            body: body.to_vec(),
        };
        if request.method.is_empty() {
            request.method = "GET".to_string();
        }
        let mut world = s.world.borrow_mut();
        let found = world.answers.get(&(request.method.clone(), request.url.clone())).cloned();
        world.requests.push(request);
        match found {
            None => UNAVAILABLE,
            Some(Err(error)) => error.status(),
            Some(Ok(answer)) => {
                let status = answer.status;
                s.response = Some(answer);
                i32::from(status)
            }
        }
    })
}

pub fn http_header(name: &str, buf: &mut [u8]) -> i32 {
    with(|s| {
        let headers = s.response.iter().flat_map(|r| &r.headers);
        let values: Vec<&str> = headers.filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str()).collect();
        match values.len() {
            _ if s.phase != Phase::Event => WRONG_PHASE,
            0 => NOT_FOUND,
            _ => answer(values.join(", ").as_bytes(), buf),
        }
    })
}

pub fn http_body(off: u32, buf: &mut [u8]) -> i32 {
    with(|s| match &s.response {
        _ if s.phase != Phase::Event => WRONG_PHASE,
        None => NOT_FOUND,
        Some(answer) => window(&answer.body, off, buf),
    })
}

pub fn cache_resource(informer: &str) -> i32 {
    world(|w| w.informers.iter().position(|i| i.name == informer).map_or(DENIED, |at| at as i32))
}

/// open returns the number of a new iterator.
fn open(iterator: Iterator) -> i32 {
    with(|s| {
        let number = s.iterators.iter().position(Option::is_none).unwrap_or_else(|| {
            s.iterators.push(None);
            s.iterators.len() - 1
        });
        if number == MAX_ITERATORS {
            s.iterators.pop();
            return QUOTA;
        }
        s.iterators[number] = Some(iterator);
        number as i32
    })
}

pub fn cache_get(resource: u32, namespace: &str, name: &str) -> i32 {
    if with(|s| s.phase) != Phase::Event {
        return WRONG_PHASE;
    }
    let found = world(|w| {
        let is_it = |object: &&String| {
            let metadata = Value::of(object).member("metadata");
            text(&metadata, "namespace") == namespace && text(&metadata, "name") == name
        };
        w.informers[resource as usize].objects.iter().find(is_it).cloned()
    });
    match found {
        None => NOT_FOUND,
        Some(object) => open(Iterator { objects: Vec::new(), current: Some(object) }),
    }
}

pub fn cache_by_index(resource: u32, index: &str, value: &str) -> i32 {
    if with(|s| s.phase) != Phase::Event {
        return WRONG_PHASE;
    }
    let key = (index.to_string(), value.to_string());
    let mut objects = world(|w| w.informers[resource as usize].indexes.get(&key).cloned().unwrap_or_default());
    objects.reverse();
    open(Iterator { objects, current: None })
}

pub fn cache_iter_next(iter: u32) -> i32 {
    with(|s| match s.iterators.get_mut(iter as usize) {
        Some(Some(iterator)) => {
            iterator.current = iterator.objects.pop();
            i32::from(iterator.current.is_some())
        }
        _ => BAD_ARGUMENT,
    })
}

/// cache_iter_field reads the whole object if there is no path.
pub fn cache_iter_field(iter: u32, handle: Option<u32>, buf: &mut [u8]) -> i64 {
    with(|s| match s.iterators.get(iter as usize) {
        Some(Some(Iterator { current: Some(object), .. })) => match handle {
            None => packed(&Value { kind: Kind::Map, text: object.clone() }, buf),
            Some(handle) => packed(&s.paths[handle as usize].lookup(object), buf),
        },
        Some(Some(_)) => i64::from(NOT_FOUND),
        _ => i64::from(BAD_ARGUMENT),
    })
}

pub fn cache_iter_close(iter: u32) {
    with(|s| {
        if let Some(open) = s.iterators.get_mut(iter as usize) {
            *open = None;
        }
    })
}
