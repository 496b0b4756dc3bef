//! A guest that calls every function of the host, for a test in the real one; it does the same in each language.

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
}

informerd::register!(Everything);

impl Handler for Everything {
    fn configure() -> Result<Self, String> {
        config_only(&["greeting"])?;
        Ok(Everything {
            name: Path::compile("metadata.name")?,
            app: Path::compile("metadata.labels[\"app\"]")?,
            priority: Path::compile("spec.priority")?,
            network: Path::compile("spec.hostNetwork")?,
            null: Path::compile("spec.x")?,
            statuses: Path::compile("status.containerStatuses")?,
            none: Path::compile("none.at.all")?,
            greeting: config().member("greeting").string().to_string(),
        })
    }

    fn on_event(&mut self, event: &Event) -> Verdict {
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
        let said = |result: Result<(), Status>| result.err().map_or(String::new(), |status| status.to_string());
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
}
