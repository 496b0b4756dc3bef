//! Node-pressure is a handler that reports nodes that come under pressure, and out of it. See
//! README.md.

mod memory;
mod time;

use std::time::{Duration, SystemTime};

use informerd::{config, config_only, emit, now, quote, EmitError, Event, Handler, Kind, MapWriter, Op, Path, Value, Verdict};

use memory::{Memory, Seen};

const EVENT_TYPE: &str = "dev.informerd.examples.node-pressure";
/// The state of a condition of which nothing is known.
const FINE: &str = "False";
/// The state of a condition whose node is gone.
const GONE: &str = "Gone";

struct NodePressure {
    name: Path,
    conditions: Path,
    watched: Vec<String>,
    initial: bool,
    repeat: Option<u64>, // seconds
    remember: Duration,
}

informerd::register!(NodePressure);

impl Handler for NodePressure {
    fn configure() -> Result<Self, String> {
        config_only(&["conditions", "initial", "repeatMinutes", "rememberHours"])?;
        let initial = config().member("initial");
        if initial.exists() && initial.kind != Kind::Boolean {
            return Err("initial must be true or false".to_string());
        }
        let minutes = number("repeatMinutes", 0, 0)?;
        Ok(NodePressure {
            name: Path::compile("metadata.name")?,
            conditions: Path::compile("status.conditions")?,
            watched: watched(config().member("conditions"))?,
            initial: !initial.exists() || initial.bool(),
            repeat: if minutes == 0 { None } else { Some(minutes * 60) },
            remember: Duration::from_secs(number("rememberHours", 168, 1)? * 3600),
        })
    }

    /// Emitted events take effect only with the verdict, so the state is stored last. If the
    /// handler ends before that, because of a crash or a faster worker, nothing is reported, and
    /// the next attempt starts from the stored state.
    fn on_event(&mut self, event: &Event) -> Verdict {
        // Most updates of a node are heartbeats, which are conditions, too, so this check skips
        // few.
        if event.op == Op::Update && !event.changed(&self.conditions) {
            return Verdict::Drop;
        }
        let memory = match Memory::of(event.object.string(&self.name)) {
            Ok(memory) => memory,
            Err(reason) => return event.retry(reason),
        };
        let (seen, reported) = match self.look(event, &memory) {
            Ok(found) => found,
            Err(error) => return event.fail(error.to_string()),
        };
        match memory.change(&seen, self.remember, event.op == Op::Resync) {
            Err(reason) => event.retry(reason),
            Ok(()) if reported => Verdict::Done,
            Ok(()) => Verdict::Drop,
        }
    }
}

impl NodePressure {
    /// look compares the conditions with the stored ones, reports the changes, and returns the new
    /// state.
    fn look(&self, event: &Event, memory: &Memory) -> Result<(Vec<(&str, Seen)>, bool), EmitError> {
        let now = now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs());
        let conditions = if event.op == Op::Delete { Vec::new() } else { event.object.get(&self.conditions).items() };
        let (mut known, mut reported) = (Vec::new(), false);
        for of_type in &self.watched {
            let before = memory.seen(of_type);
            let found = conditions.iter().find(|c| c.member("type").string() == of_type);
            let was = before.as_ref().map_or(FINE, |b| b.is.as_str());
            let is = match found {
                Some(condition) => text(condition, "status"),
                None if event.op == Op::Delete && before.is_some() => GONE.to_string(),
                None => was.to_string(),
            };
            let mut after = Seen { is, since: now, reported: now };
            let is_new = after.is != was;
            match &before {
                Some(before) if !is_new => after.since = before.since,
                _ => after.since = found.and_then(|c| time::parse(&text(c, "lastTransitionTime"))).unwrap_or(now),
            }
            if is_new && (before.is_some() || self.initial || !event.initial) || self.is_due(&before, now) {
                report(Change { node: memory.node(), of_type, before: before.as_ref(), is: &after.is, found }, now)?;
                reported = true;
            } else if let Some(before) = &before {
                after.reported = before.reported;
            }
            if after.is != FINE && after.is != GONE {
                known.push((of_type.as_str(), after));
            }
        }
        Ok((known, reported))
    }

    /// is_due reports whether it is time to repeat the report of an unchanged condition.
    fn is_due(&self, before: &Option<Seen>, now: u64) -> bool {
        match (before, self.repeat) {
            (Some(before), Some(repeat)) => now.saturating_sub(before.reported) >= repeat,
            _ => false,
        }
    }
}

/// Change is a condition to report.
struct Change<'a> {
    node: &'a str,
    of_type: &'a str,
    before: Option<&'a Seen>,
    is: &'a str,
    found: Option<&'a Value>,
}

fn report(change: Change, now: u64) -> Result<(), EmitError> {
    let Change { node, of_type, before, is, found } = change;
    let mut data = MapWriter::new();
    data.string("node", node).string("condition", of_type);
    data.string("was", before.map_or(FINE, |b| b.is.as_str())).string("is", is);
    for (name, field) in [("since", "lastTransitionTime"), ("reason", "reason"), ("message", "message")] {
        if let Some(condition) = found {
            data.string(name, text(condition, field));
        }
    }
    if let Some(before) = before {
        data.int("lasted", now.saturating_sub(before.since) as i64);
    }
    emit(EVENT_TYPE, data)
}

/// watched returns the condition types to watch.
fn watched(list: Value) -> Result<Vec<String>, String> {
    if !list.exists() {
        return Ok(["MemoryPressure", "DiskPressure", "PIDPressure"].map(String::from).to_vec());
    }
    let types: Vec<String> = list.items().iter().map(|v| v.string().to_string()).collect();
    if types.is_empty() {
        return Err("conditions must be a list of at least one condition type".to_string());
    }
    match types.iter().position(|t| t.is_empty() || t.contains(' ')) {
        Some(n) => Err(format!("conditions[{}]: {} is not a condition type", n, quote(&types[n]))),
        None => Ok(types),
    }
}

/// number returns a number of the configuration.
fn number(name: &str, default: u64, least: i64) -> Result<u64, String> {
    let value = config().member(name);
    match value.int() {
        _ if !value.exists() => Ok(default),
        Some(n) if n >= least && n <= 1_000_000 => Ok(n as u64),
        _ => Err(format!("{} must be a number from {} to 1000000", name, least)),
    }
}

fn text(condition: &Value, field: &str) -> String {
    condition.member(field).string().to_string()
}

#[cfg(test)]
mod tests;
