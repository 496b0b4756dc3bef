//! Node-pressure is a handler that reports nodes that come under pressure, and out of it. See README.md.

use informerd::{config, config_only, emit, quote, Event, Handler, Kind, MapWriter, Op, Path, Value, Verdict};

const EVENT_TYPE: &str = "dev.informerd.examples.node-pressure";

struct NodePressure {
    name: Path,
    conditions: Path,
    watched: Vec<String>,
    initial: bool,
}

informerd::register!(NodePressure);

impl Handler for NodePressure {
    fn configure() -> Result<Self, String> {
        config_only(&["conditions", "initial"])?;
        let initial = config().member("initial");
        if initial.exists() && initial.kind != Kind::Boolean {
            return Err("initial must be true or false".to_string());
        }
        Ok(NodePressure {
            name: Path::compile("metadata.name")?,
            conditions: Path::compile("status.conditions")?,
            watched: watched(config().member("conditions"))?,
            initial: !initial.exists() || initial.bool(),
        })
    }

    fn on_event(&mut self, event: &Event) -> Verdict {
        match event.op {
            Op::Delete | Op::Resync => return Verdict::Drop,
            Op::Add if event.initial && !self.initial => return Verdict::Drop,
            // Most updates of a node are of its heartbeats, which are conditions, too: so this spares few.
            _ if !event.changed(&self.conditions) => return Verdict::Drop,
            _ => {}
        }
        let now = event.object.get(&self.conditions).items();
        let before = event.old.get(&self.conditions).items();
        let mut verdict = Verdict::Drop;
        for condition in &self.watched {
            let now = match find(&now, condition) {
                Some(now) => now,
                None => continue,
            };
            // A node begins without pressure.
            let was = find(&before, condition).map_or("False".to_string(), |c| text(c, "status"));
            if text(now, "status") == was {
                continue;
            }
            let mut data = MapWriter::new();
            data.string("node", event.object.string(&self.name)).string("condition", condition).string("was", was);
            for (name, field) in [("is", "status"), ("since", "lastTransitionTime"), ("reason", "reason"), ("message", "message")] {
                data.string(name, text(now, field));
            }
            if let Err(status) = emit(EVENT_TYPE, data) {
                return event.fail(status.to_string());
            }
            verdict = Verdict::Done;
        }
        verdict
    }
}

/// watched reads the conditions to look at.
fn watched(list: Value) -> Result<Vec<String>, String> {
    if !list.exists() {
        return Ok(["MemoryPressure", "DiskPressure", "PIDPressure"].map(String::from).to_vec());
    }
    let types: Vec<String> = list.items().iter().map(|v| v.string().to_string()).collect();
    if types.is_empty() {
        return Err("conditions must be a list of at least one condition's type".to_string());
    }
    match types.iter().position(|t| t.is_empty() || t.contains(' ')) {
        Some(n) => Err(format!("conditions[{}]: {} is not a condition's type", n, quote(&types[n]))),
        None => Ok(types),
    }
}

fn find<'a>(conditions: &'a [Value], of_type: &str) -> Option<&'a Value> {
    conditions.iter().find(|c| c.member("type").string() == of_type)
}

fn text(condition: &Value, field: &str) -> String {
    condition.member(field).string().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use informerd::fake::{load, start, Outcome};

    /// node makes a node with conditions, given as type=status.
    fn node(conditions: &str) -> String {
        let conditions: Vec<String> = conditions
            .split_whitespace()
            .map(|c| c.split_once('=').expect("type=status"))
            .map(|(t, s)| format!(r#"{{"type":"{t}","status":"{s}","reason":"Because","lastTransitionTime":"2026-01-02T03:04:05Z"}}"#))
            .collect();
        format!(r#"{{"kind":"Node","metadata":{{"name":"n1"}},"status":{{"conditions":[{}]}}}}"#, conditions.join(","))
    }

    /// found gives the changes that were reported, as in "DiskPressure False>True".
    fn found(outcome: Outcome) -> String {
        let one = |e: &informerd::fake::Emission| {
            assert_eq!(e.event_type, EVENT_TYPE);
            let data = Value::of(&e.data);
            let [condition, was, is] = ["condition", "was", "is"].map(|field| text(&data, field));
            format!("{condition} {was}>{is}")
        };
        let found: Vec<String> = outcome.emitted.iter().map(one).collect();
        assert_eq!(outcome.verdict, if found.is_empty() { Verdict::Drop } else { Verdict::Done });
        found.join(", ")
    }

    #[test]
    fn changes() {
        let mut guest = start::<NodePressure>("");
        let (fine, disk) = (node("Ready=True DiskPressure=False"), node("Ready=True DiskPressure=True"));
        let both = node("PIDPressure=True DiskPressure=True MemoryPressure=False");
        assert_eq!(found(guest.add(&fine)), "");
        assert_eq!(found(guest.add(&both)), "DiskPressure False>True, PIDPressure False>True");
        assert_eq!(found(guest.update(&fine, &disk)), "DiskPressure False>True");
        assert_eq!(found(guest.update(&disk, &disk)), "");
        assert_eq!(found(guest.update(&disk, &both)), "PIDPressure False>True");
        assert_eq!(found(guest.update(&both, &fine)), "DiskPressure True>False");
        assert_eq!(found(guest.update(&fine, &node("DiskPressure=Unknown"))), "DiskPressure False>Unknown");
        assert_eq!(found(guest.update(&fine, &node("Ready=Unknown DiskPressure=False"))), "");
        assert_eq!(found(guest.resync(&both)), "");
        assert_eq!(found(guest.delete(&both)), "");
    }

    #[test]
    fn data() {
        let outcome = start::<NodePressure>("").update(&node("DiskPressure=True"), &node("DiskPressure=False"));
        assert_eq!(
            outcome.emitted[0].data,
            r#"{"node":"n1","condition":"DiskPressure","was":"True","is":"False","since":"2026-01-02T03:04:05Z","reason":"Because","message":""}"#
        );
    }

    #[test]
    fn configuration() {
        let mut guest = start::<NodePressure>(r#"{"conditions":["Ready"],"initial":false}"#);
        assert_eq!(found(guest.add(&node("Ready=True DiskPressure=True"))), "Ready False>True");
        assert_eq!(found(guest.event(1, 1, &node("Ready=True"), "")), "");
        for (config, want) in [
            (r#"{"condition":[]}"#, r#"config: unknown field "condition""#),
            (r#"{"conditions":[]}"#, "conditions must be a list of at least one condition's type"),
            (r#"{"conditions":"Ready"}"#, "conditions must be a list of at least one condition's type"),
            (r#"{"conditions":["Ready",""]}"#, r#"conditions[1]: "" is not a condition's type"#),
            (r#"{"initial":"no"}"#, "initial must be true or false"),
        ] {
            assert_eq!(load::<NodePressure>(config).err().as_deref(), Some(want));
        }
    }
}
