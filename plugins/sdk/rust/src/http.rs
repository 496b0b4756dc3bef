//! HTTP requests. A guest that makes them needs the grant "http", which lists the allowed URLs.

use std::cell::Cell;

use crate::error::Error;
use crate::host;
use crate::json::MapWriter;

/// Request is an HTTP request to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// "" means GET.
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn get(url: impl Into<String>) -> Request {
        Request { method: "GET".to_string(), url: url.into(), ..Request::default() }
    }

    pub fn post(url: impl Into<String>, body: impl Into<Vec<u8>>) -> Request {
        Request { method: "POST".to_string(), url: url.into(), body: body.into(), ..Request::default() }
    }

    /// Adds a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// Response is the response to the last request. It is read through the host, so it is valid until
/// the next request or the end of the event; an older one has no headers and no body.
#[derive(Debug)]
pub struct Response {
    /// The status code, such as 200.
    pub status: u16,
    number: u32,
}

thread_local! {
    static REQUESTS: Cell<u32> = const { Cell::new(0) };
}

/// Sends a request and waits for the response, whatever its status code. Denied means that the
/// grant does not allow the request, quota that there were too many or one is too large,
/// unavailable that no response came in time. In the last case, or if the response is too large,
/// the request may have been sent.
pub fn request(request: &Request) -> Result<Response, Error> {
    let mut head = MapWriter::new();
    if !request.method.is_empty() {
        head.string("method", &request.method);
    }
    head.string("url", &request.url);
    if !request.headers.is_empty() {
        let mut headers = MapWriter::new();
        for (name, value) in &request.headers {
            headers.string(name, value);
        }
        head.json("headers", headers);
    }
    let number = REQUESTS.with(|n| {
        n.set(n.get().wrapping_add(1));
        n.get()
    });
    let status = Error::check(host::http_request(&head.to_string(), &request.body))?;
    Ok(Response { status: status as u16, number })
}

impl Response {
    /// Returns a header, whose name's case does not matter; several values are joined by a comma
    /// and a space.
    pub fn header(&self, name: &str) -> Option<String> {
        if !self.is_last() {
            return None;
        }
        host::read(|buf| (host::http_header(name, buf), ()), |value, ()| host::text(value)).ok()
    }

    /// Returns the body. Not found means that another request has been made since.
    pub fn body(&self) -> Result<Vec<u8>, Error> {
        if !self.is_last() {
            return Err(Error::NotFound);
        }
        let mut body = Vec::new();
        let mut room = 4096;
        loop {
            let at = body.len();
            body.resize(at + room, 0);
            let copied = Error::check(host::http_body(at as u32, &mut body[at..]))? as usize;
            body.truncate(at + copied);
            if copied < room {
                return Ok(body);
            }
            room = body.len(); // double the room
        }
    }

    /// Returns the body as text, as for Value::of.
    pub fn text(&self) -> Result<String, Error> {
        self.body().map(|body| host::text(&body))
    }

    fn is_last(&self) -> bool {
        REQUESTS.with(|n| n.get() == self.number)
    }
}
