use crate::event::InEvent;
use crate::field::Path;
use crate::host;
use crate::value::{Kind, Value};

/// Object is the state of an object, read through the host: that of an event or one in a cache. It
/// is valid until on_event returns.
pub struct Object<S = InEvent> {
    pub(crate) source: S,
}

/// Source is where an object comes from: an event or a cache. A function that reads either takes an
/// `&Object<impl Source>`.
pub trait Source {
    #[doc(hidden)]
    /// field reads a field as the host does, writing it whole or not at all.
    fn field(&self, handle: u32, buf: &mut [u8]) -> i64;

    #[doc(hidden)]
    fn size(&self) -> usize;

    #[doc(hidden)]
    /// json writes the whole text to a slice of its size.
    fn json(&self, buf: &mut [u8]) -> i32;

    #[doc(hidden)]
    /// prefetched returns a field that the host has prefetched.
    fn prefetched(&self, _handle: u32) -> Option<(Kind, &[u8])> {
        None
    }
}

impl<S: Source> Object<S> {
    /// Reports whether there is an object; only updates have an old one.
    pub fn exists(&self) -> bool {
        self.size() > 0
    }

    /// Returns the length of the object's JSON text.
    pub fn size(&self) -> usize {
        self.source.size()
    }

    /// Returns a copy of the whole text, "" if there is no object. Prefer reading single fields.
    pub fn json(&self) -> String {
        let mut text = vec![0; self.size()];
        if text.is_empty() {
            return String::new();
        }
        let length = self.source.json(&mut text);
        text.truncate(length.max(0) as usize);
        host::text(&text)
    }

    /// Returns a field's value.
    pub fn get(&self, path: &Path) -> Value {
        self.read(path, |kind, text| Value { kind, text: host::text(text) })
    }

    /// Returns a field that is a string, otherwise "".
    pub fn string(&self, path: &Path) -> String {
        self.read(path, |kind, text| if kind == Kind::String { host::text(text) } else { String::new() })
    }

    /// Returns a field that is an integer, otherwise 0.
    pub fn int(&self, path: &Path) -> i64 {
        self.get(path).int().unwrap_or(0)
    }

    /// Reports whether a field is true.
    pub fn bool(&self, path: &Path) -> bool {
        self.read(path, |kind, text| kind == Kind::Boolean && text == b"true")
    }

    /// Reports whether the field is present, null included.
    pub fn has(&self, path: &Path) -> bool {
        match self.source.prefetched(path.handle) {
            Some((kind, _)) => kind != Kind::Missing,
            None => self.source.field(path.handle, &mut []) > 0,
        }
    }

    fn read<T>(&self, path: &Path, take: impl Fn(Kind, &[u8]) -> T) -> T {
        if let Some((kind, text)) = self.source.prefetched(path.handle) {
            return take(kind, text);
        }
        let got = host::read(
            |buf| host::field(self.source.field(path.handle, buf)),
            |text, kind| take(kind, text),
        );
        got.unwrap_or_else(|_| take(Kind::Missing, &[]))
    }
}
