//! A guest that calls every host function, for a test in the real host; it is the same in each
//! language. With "do" in its configuration, it makes the calls that need more grants.

use std::time::{Duration, SystemTime};

use informerd::*;

struct Everything {
    name: Path,
    app: Path,
    priority: Path,
    network: Path,
    null: Path,
    statuses: Path,
    none: Path,
    greeting: String,
    does: String,
    url: String,
}

informerd::register_batch!(Everything);

impl BatchHandler for Everything {
    fn configure() -> Result<Self, String> {
        config_only(&["greeting", "do", "url"])?;
        let config = config();
        let text = |name: &str| config.member(name).string().to_string();
        let made = Everything {
            name: Path::compile("metadata.name")?,
            app: Path::compile("metadata.labels[\"app\"]")?,
            priority: Path::compile("spec.priority")?,
            network: Path::compile("spec.hostNetwork")?,
            null: Path::compile("spec.x")?,
            statuses: Path::compile("status.containerStatuses")?,
            none: Path::compile("none.at.all")?,
            greeting: text("greeting"),
            does: text("do"),
            url: text("url"),
        };
        match made.does.as_str() {
            "choose" => prefetch(&[&made.none, &made.name])?,
            "call" => prefetch(&[])?,
            "ask" => {
                cache::open("none")?;
            }
            _ => {}
        }
        Ok(made)
    }

    fn on_batch(&mut self, batch: &mut Batch) -> Verdict {
        while let Some(event) = batch.next() {
            let verdict = match self.does.as_str() {
                "words" => match self.granted_calls(event) {
                    Ok(data) => done(emit("com.example.words", data)),
                    Err(error) => event.fail(error.to_string()),
                },
                "panic" => panics(event.object.size()),
                "skip" => return Verdict::Drop,
                _ => self.on_event(event),
            };
            event.set_verdict(verdict);
        }
        Verdict::Fail
    }
}

fn done(result: Result<(), EmitError>) -> Verdict {
    match result {
        Ok(()) => Verdict::Done,
        Err(_) => Verdict::Retry,
    }
}

fn panics(n: usize) -> Verdict {
    [Verdict::Done; 3][n]
}

impl Everything {
    fn on_event(&self, event: &Event) -> Verdict {
        let object = &event.object;
        let who = object.string(&self.name);
        match event.op {
            Op::Delete => return event.fail(format!("gone: {}", who)),
            Op::Resync => return event.retry("later"),
            Op::Add | Op::Update => {}
        }
        let restarts = object.get(&self.statuses).items().iter().filter_map(|s| s.member("restartCount").int()).last();
        let mut data = MapWriter::new();
        data.string("name", &who)
            .string("app", object.string(&self.app))
            .int("priority", object.int(&self.priority))
            .bool("network", object.bool(&self.network))
            .int("null", object.get(&self.null).kind as i64)
            .int("restarts", restarts.unwrap_or(0))
            .bool("none", object.has(&self.none))
            .bool("changed", event.changed(&self.priority))
            .bool("initial", event.initial)
            .int("size", object.size() as i64)
            .int("old", event.old.size() as i64)
            .json("object", object.json());
        let said = |result: Result<(), EmitError>| result.err().map_or(String::new(), |error| error.to_string());
        said(emit("com.example.everything", &data));
        log(Level::Warn, said(emit("dev.informerd.object.x", &data)));
        said(set_data(1));
        log(Level::Error, said(set_data(1)));
        if log_enabled(Level::Info) {
            log(Level::Info, format!("{} {}", self.greeting, who));
        }
        if log_enabled(Level::Debug) {
            log(Level::Debug, "not granted");
        }
        Verdict::Done
    }

    /// granted_calls makes the calls that need grants.
    fn granted_calls(&self, event: &Event) -> Result<MapWriter, Error> {
        let app = event.object.string(&self.app);
        let mut data = MapWriter::new();
        data.string("name", event.object.string(&self.name)).int("app", app.len() as i64);
        data.int("old", event.old.int(&self.priority));

        // Counts, as several instances may do at once.
        let count = loop {
            let old = kv::get("count")?;
            let count = old.as_ref().map_or(0, |c| c.len()) + 1;
            if kv::cas("count", old.as_deref(), "x".repeat(count), Duration::from_secs(60))? {
                break count;
            }
        };
        kv::set("gone", "soon", Duration::ZERO)?;
        data.int("count", count as i64).bool("deleted", kv::delete("gone")? && !kv::delete("gone")?);
        data.string("quota", kv::set("long", "x".repeat(70_000), Duration::ZERO).unwrap_err().to_string());

        let mut bytes = [0; 70_000];
        random(&mut bytes)?;
        data.bool("random", bytes[69_990..] != [0; 10]);
        data.int("now", now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64));

        let request = http::Request::post(&self.url, "a body").header("X-Own", "mine");
        let answer = http::request(&request)?;
        data.int("status", i64::from(answer.status)).string("seen", answer.header("x-seen").unwrap_or_default());
        data.int("body", answer.body()?.len() as i64).bool("none", answer.header("none").is_none());
        let denied = http::request(&http::Request::get("http://denied.example.com/")).unwrap_err();
        data.string("denied", denied.to_string()).bool("left", answer.body().is_ok());

        let owners = cache::open("owners").map_err(|_| Error::Denied)?;
        let owner = owners.get("shop", "web")?;
        data.string("owner", owner.as_ref().map_or(String::new(), |o| o.string(&self.name)));
        data.bool("whole", owner.map_or(false, |o| o.json().len() == o.size() && o.json().ends_with("}}")));
        data.bool("missing", owners.get("", "web")?.is_none());
        let mut names = ListWriter::new();
        for _ in 0..20 {
            // more than may be open at once
            names = ListWriter::new();
            let mut found = owners.by_index("app", "web")?;
            while let Some(o) = found.next()? {
                names.string(o.string(&self.name));
            }
        }
        data.json("found", names);
        Ok(data)
    }
}
