//! Objects of other informers, from their caches. A guest that reads them needs the grant "cache",
//! which lists the informers. Objects can be read in on_event and on_batch only, and are released
//! when these return.

use std::marker::PhantomData;

use crate::error::Error;
use crate::host;
use crate::object::{Object, Source};

/// Cache is the cache of an informer.
pub struct Cache {
    resource: u32,
}

/// Opens the cache of the informer with that name in the configuration. Call it in configure: `?`
/// there rejects the handler with the reason.
pub fn open(informer: &str) -> Result<Cache, String> {
    match Error::check(host::cache_resource(informer)) {
        Ok(resource) => Ok(Cache { resource }),
        Err(Error::Denied) => Err(format!("cache {}: denied: name the informer in the grant cache", informer)),
        Err(error) => Err(format!("cache {}: {}", informer, error)),
    }
}

impl Cache {
    /// Returns an object, or None if there is none. The namespace is "" for cluster-scoped objects.
    pub fn get(&self, namespace: &str, name: &str) -> Result<Option<Object<InCache<'_>>>, Error> {
        match Error::check(host::cache_get(self.resource, namespace, name)) {
            Ok(iter) => Ok(Some(Object { source: InCache::new(iter) })),
            Err(Error::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the objects that have a value in one of the informer's indexes, in any order. An
    /// index that the informer does not have yields no objects.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Objects<'_>, Error> {
        let iter = Error::check(host::cache_by_index(self.resource, index, value))?;
        Ok(Objects { at: Object { source: InCache::new(iter) } })
    }
}

/// Objects iterates over the objects that by_index found.
///
/// ```ignore
/// let mut pods = self.pods.by_index("node", &node)?;
/// while let Some(pod) = pods.next()? {
///     names.string(pod.string(&self.name));
/// }
/// ```
pub struct Objects<'a> {
    at: Object<InCache<'a>>,
}

impl<'a> Objects<'a> {
    /// Moves to the next object; None after the last. Quota means that more objects or bytes were
    /// read during this event than the grant allows.
    #[allow(clippy::should_implement_trait)] // an Iterator cannot lend
    pub fn next(&mut self) -> Result<Option<&Object<InCache<'a>>>, Error> {
        match Error::check(host::cache_iter_next(self.at.source.iter))? {
            0 => Ok(None),
            _ => Ok(Some(&self.at)),
        }
    }
}

/// InCache is the source of an object in a cache. Dropping it closes the host's iterator, of which
/// there are few.
pub struct InCache<'a> {
    iter: u32,
    cache: PhantomData<&'a Cache>, // so that a handler cannot keep it beyond its event
}

impl InCache<'_> {
    fn new(iter: u32) -> Self {
        InCache { iter, cache: PhantomData }
    }
}

impl Drop for InCache<'_> {
    fn drop(&mut self) {
        host::cache_iter_close(self.iter);
    }
}

impl Source for InCache<'_> {
    fn field(&self, handle: u32, buf: &mut [u8]) -> i64 {
        host::cache_iter_field(self.iter, Some(handle), buf)
    }

    fn size(&self) -> usize {
        host::field(host::cache_iter_field(self.iter, None, &mut [])).0.max(0) as usize
    }

    fn json(&self, buf: &mut [u8]) -> i32 {
        host::field(host::cache_iter_field(self.iter, None, buf)).0
    }
}
