//! Functions that need grants.

use std::cell::Cell;
use std::time::{Duration, SystemTime};

use crate::fake::{Host, Outcome};
use crate::http::Request;
use crate::*;

type Script = fn(&Scripted, &Event) -> Verdict;

thread_local! {
    static SCRIPT: Cell<Option<Script>> = Cell::new(None);
}

/// Scripted runs the script of each test.
struct Scripted {
    script: Script,
    name: Path,
    replicas: Path,
    paused: Path,
    pods: Result<cache::Cache, String>,
    others: Result<cache::Cache, String>,
}

impl Handler for Scripted {
    fn configure() -> Result<Self, String> {
        let script = SCRIPT.with(Cell::get).ok_or("no script")?;
        Ok(Scripted {
            script,
            name: Path::compile("metadata.name")?,
            replicas: Path::compile("spec.replicas")?,
            paused: Path::compile("spec.paused")?,
            pods: cache::open("pods"),
            others: cache::open("others"),
        })
    }

    fn on_event(&mut self, event: &Event) -> Verdict {
        (self.script)(self, event)
    }
}

/// run passes one event to a new instance.
fn run(host: &Host, script: Script) -> Outcome {
    SCRIPT.with(|s| s.set(Some(script)));
    host.start::<Scripted>("").add("{}")
}

const NO_TTL: Duration = Duration::ZERO;

#[test]
fn kv() {
    let host = Host::new();
    run(&host, |_, _| {
        assert_eq!(kv::get("a"), Ok(None));
        assert_eq!(kv::delete("a"), Ok(false));
        assert_eq!(kv::set("a", "one", NO_TTL), Ok(()));
        assert_eq!(kv::cas("a", None, "two", NO_TTL), Ok(false));
        assert_eq!(kv::cas("a", Some(b""), "two", NO_TTL), Ok(false));
        assert_eq!(kv::cas("a", Some(b"one"), [0xff, 0], NO_TTL), Ok(true));
        assert_eq!(kv::cas([0xfe], None, "", NO_TTL), Ok(true));
        assert_eq!(kv::delete("a"), Ok(true));
        assert_eq!(kv::set("long", "x".repeat(65536), NO_TTL), Ok(()));
        for key in ["".to_string(), "x".repeat(257)] {
            assert_eq!(kv::get(&key), Err(Error::BadArgument));
            assert_eq!(kv::set(&key, "", NO_TTL), Err(Error::BadArgument));
            assert_eq!(kv::delete(&key), Err(Error::BadArgument));
            assert_eq!(kv::cas(&key, None, "", NO_TTL), Err(Error::BadArgument));
        }
        assert_eq!(kv::set("a", "x".repeat(65537), NO_TTL), Err(Error::Quota));
        Verdict::Done
    });
    assert_eq!((host.kv("a"), host.kv([0xfe])), (None, Some(vec![])));
    // Another instance has the same values, including those longer than its buffer.
    run(&host, |_, _| {
        assert_eq!(kv::get("long").map(|v| v.map(|v| v.len())), Ok(Some(65536)));
        assert_eq!(kv::get("b"), Ok(None));
        Verdict::Done
    });
    host.limit_kv(2);
    host.set_kv("long", "short");
    run(&host, |_, _| {
        assert_eq!(kv::get("long"), Ok(Some(b"short".to_vec())));
        assert_eq!(kv::set("b", "", NO_TTL), Err(Error::Quota));
        assert_eq!(kv::cas("b", None, "", NO_TTL), Err(Error::Quota));
        assert_eq!(kv::set("long", "", NO_TTL), Ok(()));
        Verdict::Done
    });
}

/// A worker that loses a race retries with the value that the other one stored.
#[test]
fn workers_that_race() {
    let host = Host::new();
    host.race_kv("count", "5");
    run(&host, |_, _| {
        for want in [false, true] {
            let old = kv::get("count").unwrap();
            let count: i64 = old.as_ref().map_or(0, |c| String::from_utf8_lossy(c).parse().unwrap());
            assert_eq!(kv::cas("count", old.as_deref(), (count + 1).to_string(), NO_TTL), Ok(want));
        }
        Verdict::Done
    });
    assert_eq!(host.kv("count").as_deref(), Some(&b"6"[..]));
}

#[test]
fn values_have_their_time() {
    let host = Host::new();
    run(&host, |_, _| {
        // 0 would mean no limit, so less than a millisecond is rounded up to one.
        kv::set("short", "", Duration::from_nanos(1)).unwrap();
        kv::set("minute", "", Duration::from_secs(60)).unwrap();
        kv::set("ever", "", NO_TTL).unwrap();
        kv::cas("ages", None, "", Duration::MAX).unwrap();
        Verdict::Done
    });
    let there = || ["short", "minute", "ages", "ever"].map(|key| host.kv(key).is_some());
    assert_eq!(there(), [true; 4]);
    host.advance(Duration::from_millis(1));
    assert_eq!(there(), [false, true, true, true]);
    host.advance(Duration::from_millis(59_998));
    assert_eq!(there(), [false, true, true, true]);
    host.advance(Duration::from_millis(1));
    assert_eq!(there(), [false, false, true, true]);
}

/// A value that another worker replaces while the SDK makes room is read whole.
#[test]
fn texts_that_grow_meanwhile() {
    let mut rooms = Vec::new();
    let read = crate::host::read(
        |buf| {
            rooms.push(buf.len());
            let length = match rooms.len() {
                3 => buf.len(),
                _ => buf.len() + 1000,
            };
            (length as i32, rooms.len())
        },
        |text, calls| (text.len(), calls),
    );
    assert_eq!(read, Ok((rooms[0] + 2000, 3)));
}

#[test]
fn the_time() {
    let host = Host::new();
    let script: Script = |_, _| {
        emit("com.example.now", now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos()).unwrap();
        Verdict::Done
    };
    assert_eq!(run(&host, script).emitted[0].data, "1767225600000000000");
    host.advance(Duration::from_nanos(1));
    assert_eq!(run(&host, script).emitted[0].data, "1767225600000000001");
    host.set_now(SystemTime::UNIX_EPOCH);
    assert_eq!((run(&host, script).emitted[0].data.as_str(), host.now()), ("0", SystemTime::UNIX_EPOCH));
}

#[test]
fn random_bytes() {
    let script: Script = |_, _| {
        let mut bytes = [0; 100_001]; // more than one call fills
        random(&mut bytes).unwrap();
        assert!(bytes.chunks(100).all(|part| part != &[0; 100][..part.len()] || part.len() < 5));
        assert_eq!(random(&mut []), Ok(()));
        emit("com.example.random", u64::from_le_bytes(bytes[99_992..100_000].try_into().unwrap())).unwrap();
        Verdict::Done
    };
    let seeded = |seed| {
        let host = Host::new();
        host.seed(seed);
        run(&host, script).emitted
    };
    assert_eq!(seeded(7), seeded(7));
    assert_ne!(seeded(7), seeded(8));
}

#[test]
fn http() {
    let host = Host::new();
    let long = "ä".repeat(50_000);
    host.answer("POST", "https://h/x", 202, &[("X-A", "1"), ("x-a", "2"), ("Other", "")], &long);
    host.answer("GET", "https://h/x", 404, &[], [0xff, b'x']);
    host.refuse("GET", "https://h/denied", Error::Denied);
    run(&host, |_, _| {
        let request = Request::post("https://h/x", "bo\"dy").header("Content-Type", "text/\"plain").header("X", "ä");
        let posted = http::request(&request).unwrap();
        assert_eq!((posted.status, posted.text().map(|b| b.len())), (202, Ok(100_000)));
        assert_eq!((posted.header("x-A").as_deref(), posted.header("other").as_deref()), (Some("1, 2"), Some("")));
        assert_eq!(posted.header("none"), None);

        let got = http::request(&Request { url: "https://h/x".to_string(), ..Request::default() }).unwrap();
        assert_eq!((got.status, got.body(), got.text()), (404, Ok(vec![0xff, b'x']), Ok("\u{fffd}x".to_string())));
        // A response is valid until the next request.
        assert_eq!((posted.body(), posted.header("x-a")), (Err(Error::NotFound), None));
        assert_eq!(http::request(&Request::get("https://h/denied")).err(), Some(Error::Denied));
        assert_eq!(got.body(), Err(Error::NotFound));
        assert_eq!(http::request(&Request::get("https://h/y")).err(), Some(Error::Unavailable));
        Verdict::Done
    });
    let asked: Vec<_> = host.requests().into_iter().map(|r| (r.method + " " + &r.url, r.headers.len(), r.body)).collect();
    let want = [
        ("POST https://h/x", 2, "bo\"dy"),
        ("GET https://h/x", 0, ""),
        ("GET https://h/denied", 0, ""),
        ("GET https://h/y", 0, ""),
    ];
    assert_eq!(asked, want.map(|(what, headers, body)| (what.to_string(), headers, body.as_bytes().to_vec())));
    assert_eq!(host.requests()[0].headers[0], ("Content-Type".to_string(), "text/\"plain".to_string()));
}

/// Bodies of exactly the room's length, at each step of its growth.
#[test]
fn bodies_of_any_length() {
    for length in [0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 16384] {
        let host = Host::new();
        host.answer("GET", "u", 200, &[], "x".repeat(length));
        let outcome = run(&host, |_, _| {
            emit("com.example.length", http::request(&Request::get("u")).unwrap().body().unwrap().len()).unwrap();
            Verdict::Done
        });
        assert_eq!(outcome.emitted[0].data, length.to_string());
    }
}

const WEB: &str = r#"{"metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":3,"paused":true}}"#;
const NODE: &str = r#"{"metadata":{"name":"n1"},"spec":{}}"#;

#[test]
fn caches() {
    let host = Host::new();
    host.cache("pods", &[WEB, NODE]);
    host.index("pods", "app", "web", &[WEB, NODE]);
    host.index("pods", "app", "db", &[]);
    /// name reads an object of either source.
    fn name(s: &Scripted, object: &Object<impl Source>) -> String {
        object.string(&s.name)
    }
    run(&host, |s, event| {
        let pods = s.pods.as_ref().unwrap();
        assert_eq!(s.others.as_ref().err().map(String::as_str), Some("cache others: denied: name the informer in the grant cache"));
        // The getters are those of the event's object.
        let web = pods.get("shop", "web").unwrap().unwrap();
        assert_eq!((name(s, &web), web.int(&s.replicas), web.bool(&s.paused)), ("web".to_string(), 3, true));
        assert_eq!((web.json().as_str(), web.size(), web.exists()), (WEB, WEB.len(), true));
        assert_eq!(name(s, &event.object), "");
        let node = pods.get("", "n1").unwrap().unwrap();
        assert_eq!((node.has(&s.replicas), web.has(&s.replicas), node.get(&s.paused)), (false, true, Value::missing()));
        assert!(pods.get("", "web").unwrap().is_none() && pods.get("shop", "n1").unwrap().is_none());

        let mut names = Vec::new();
        let mut found = pods.by_index("app", "web").unwrap();
        while let Some(object) = found.next().unwrap() {
            names.push(object.string(&s.name));
        }
        assert!(found.next().unwrap().is_none());
        assert_eq!(names, ["web", "n1"]);
        for (index, value) in [("app", "db"), ("app", "x"), ("x", "web")] {
            assert!(pods.by_index(index, value).unwrap().next().unwrap().is_none());
        }
        Verdict::Done
    });
    // Later changes are visible.
    host.cache("pods", &[]);
    run(&host, |s, _| {
        assert!(s.pods.as_ref().unwrap().get("shop", "web").unwrap().is_none());
        Verdict::Done
    });
}

/// The host has few iterators: those of found objects are closed.
#[test]
fn what_is_found_is_closed() {
    let host = Host::new();
    host.cache("pods", &[WEB]);
    run(&host, |s, _| {
        let pods = s.pods.as_ref().unwrap();
        for _ in 0..100 {
            assert!(pods.get("shop", "web").unwrap().is_some());
            assert!(pods.by_index("app", "web").unwrap().next().unwrap().is_none());
        }
        let kept: Vec<_> = (0..16).map(|_| pods.get("shop", "web").unwrap().unwrap()).collect();
        assert_eq!(pods.get("shop", "web").err(), Some(Error::Quota));
        assert_eq!(pods.by_index("app", "web").err(), Some(Error::Quota));
        assert_eq!(kept[15].string(&s.name), "web");
        drop(kept);
        assert!(pods.by_index("app", "web").is_ok());
        Verdict::Done
    });
}

/// None of these calls are allowed while the handler is configured.
#[test]
fn phases() {
    struct Early;

    impl Handler for Early {
        fn configure() -> Result<Self, String> {
            let pods = cache::open("pods")?;
            kv::set("a", "", NO_TTL).map_err(|error| format!("kv: {}", error))?;
            let errors = [
                http::request(&Request::get("u")).err(),
                pods.get("", "n1").err(),
                pods.by_index("app", "web").err(),
                emit("com.example.a", "").err().map(|error| error.0),
            ];
            assert_eq!(errors, [Some(Error::WrongPhase); 4]);
            Err(format!("{}", now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()))
        }

        fn on_event(&mut self, _: &Event) -> Verdict {
            Verdict::Done
        }
    }

    let host = Host::new();
    host.cache("pods", &[NODE]);
    assert_eq!(host.load::<Early>("").err().as_deref(), Some("1767225600"));
}

#[test]
fn errors_have_the_words_of_the_reference() {
    let words = [-1, -2, -3, -4, -5, -6].map(|status| Error::of(status).to_string());
    assert_eq!(words, ["not found", "bad argument", "denied", "quota", "unavailable", "wrong phase"]);
    assert_eq!([-1, -2, -3, -4, -5, -6].map(|status| Error::of(status).status()), [-1, -2, -3, -4, -5, -6]);
}
