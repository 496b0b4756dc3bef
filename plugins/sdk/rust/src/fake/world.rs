use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use super::guest::{BatchGuest, Guest};
use crate::batch::BatchHandler;
use crate::error::Error;
use crate::handler::Handler;
use crate::http::Request;

/// Host is the environment that a handler's instances share: the clock, kv, and stand-ins for the
/// network and the caches.
#[derive(Clone)]
pub struct Host {
    pub(super) world: Rc<RefCell<World>>,
}

pub struct World {
    pub now: SystemTime,
    pub random: u64,
    pub kv: HashMap<Vec<u8>, Stored>,
    pub max_keys: usize,
    pub race: Option<(Vec<u8>, Vec<u8>)>,
    pub answers: HashMap<(String, String), Result<Answer, Error>>, // by method and URL
    pub requests: Vec<Request>,
    pub informers: Vec<Informer>,
}

pub struct Stored {
    pub value: Vec<u8>,
    pub until: Option<SystemTime>,
}

#[derive(Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

#[derive(Default)]
pub struct Informer {
    pub name: String,
    pub objects: Vec<String>,
    pub indexes: HashMap<(String, String), Vec<String>>, // by index and value
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|t| t.to_string()).collect()
}

impl Default for Host {
    fn default() -> Host {
        Host::new()
    }
}

impl Host {
    /// Makes an empty host whose clock stands at the beginning of 2026.
    pub fn new() -> Host {
        Host {
            world: Rc::new(RefCell::new(World {
                now: SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600),
                random: 0,
                kv: HashMap::new(),
                max_keys: 1000,
                race: None,
                answers: HashMap::new(),
                requests: Vec::new(),
                informers: Vec::new(),
            })),
        }
    }

    /// Configures an instance of the handler. The error is the reason for a rejection.
    pub fn load<H: Handler>(&self, config: &str) -> Result<Guest<H>, String> {
        Guest::load(self.world.clone(), config)
    }

    /// Is load for a configuration that must be accepted.
    pub fn start<H: Handler>(&self, config: &str) -> Guest<H> {
        self.load(config).unwrap_or_else(|reason| panic!("configure: {}", reason))
    }

    /// Is load for a batch handler.
    pub fn load_batch<H: BatchHandler>(&self, config: &str) -> Result<BatchGuest<H>, String> {
        BatchGuest::load(self.world.clone(), config)
    }

    /// Is start for a batch handler.
    pub fn start_batch<H: BatchHandler>(&self, config: &str) -> BatchGuest<H> {
        self.load_batch(config).unwrap_or_else(|reason| panic!("configure: {}", reason))
    }

    /// Returns the time. Only advance and set_now change it.
    pub fn now(&self) -> SystemTime {
        self.world.borrow().now
    }

    pub fn set_now(&self, now: SystemTime) {
        self.world.borrow_mut().now = now;
    }

    pub fn advance(&self, by: Duration) {
        self.world.borrow_mut().now += by;
    }

    /// Restarts the random bytes with a seed; the first seed is 0.
    pub fn seed(&self, seed: u64) {
        self.world.borrow_mut().random = seed;
    }

    /// Returns a value of kv.
    pub fn kv(&self, key: impl AsRef<[u8]>) -> Option<Vec<u8>> {
        self.world.borrow_mut().stored(key.as_ref()).cloned()
    }

    /// Sets a value of kv, as another instance would.
    pub fn set_kv(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) {
        self.world.borrow_mut().store(key.as_ref(), value.as_ref(), None);
    }

    /// Sets a value of kv right before the next cas of a guest, as a faster worker would.
    pub fn race_kv(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) {
        self.world.borrow_mut().race = Some((key.as_ref().to_vec(), value.as_ref().to_vec()));
    }

    /// Sets the maximum number of keys, 1000 by default.
    pub fn limit_kv(&self, keys: usize) {
        self.world.borrow_mut().max_keys = keys;
    }

    /// Sets the response to later requests with this method and URL. Other requests are
    /// unavailable.
    pub fn answer(&self, method: &str, url: &str, status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        self.set_answer(method, url, Ok(Answer { status, headers, body: body.as_ref().to_vec() }));
    }

    /// Makes later requests with this method and URL fail.
    pub fn refuse(&self, method: &str, url: &str, error: Error) {
        self.set_answer(method, url, Err(error));
    }

    fn set_answer(&self, method: &str, url: &str, answer: Result<Answer, Error>) {
        self.world.borrow_mut().answers.insert((method.to_string(), url.to_string()), answer);
    }

    /// Returns the requests made so far, including those without a response.
    pub fn requests(&self) -> Vec<Request> {
        self.world.borrow().requests.clone()
    }

    /// Grants an informer's cache, with these objects.
    pub fn cache(&self, informer: &str, objects: &[&str]) {
        self.informer(informer, |i| i.objects = strings(objects));
    }

    /// Grants an informer's cache, with an index that has these objects under a value.
    pub fn index(&self, informer: &str, index: &str, value: &str, objects: &[&str]) {
        self.informer(informer, |i| {
            i.indexes.insert((index.to_string(), value.to_string()), strings(objects));
        });
    }

    fn informer(&self, name: &str, change: impl FnOnce(&mut Informer)) {
        let informers = &mut self.world.borrow_mut().informers;
        let at = informers.iter().position(|i| i.name == name).unwrap_or_else(|| {
            informers.push(Informer { name: name.to_string(), ..Informer::default() });
            informers.len() - 1
        });
        change(&mut informers[at]);
    }
}

impl World {
    /// stored returns a value that has not expired.
    pub fn stored(&mut self, key: &[u8]) -> Option<&Vec<u8>> {
        let now = self.now;
        self.kv.retain(|_, kept| kept.until.map_or(true, |until| now < until));
        self.kv.get(key).map(|kept| &kept.value)
    }

    pub fn store(&mut self, key: &[u8], value: &[u8], until: Option<SystemTime>) {
        self.kv.insert(key.to_vec(), Stored { value: value.to_vec(), until });
    }
}
