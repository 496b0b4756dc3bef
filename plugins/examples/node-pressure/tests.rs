//! The handler against the fake host.

use std::time::Duration;

use super::*;
use informerd::fake::{load, start, Emission, Guest, Host, Input, Outcome};
use informerd::Error;

const MINUTE: u64 = 60;

/// node makes a node with conditions, as type=status. They have lasted since a day before the
/// host's clock starts.
fn node(conditions: &str) -> String {
    let conditions: Vec<String> = conditions
        .split_whitespace()
        .map(|c| c.split_once('=').expect("type=status"))
        .map(|(t, s)| format!(r#"{{"type":"{t}","status":"{s}","reason":"Because","lastTransitionTime":"2025-12-31T00:00:00Z"}}"#))
        .collect();
    format!(r#"{{"kind":"Node","metadata":{{"name":"n1"}},"status":{{"conditions":[{}]}}}}"#, conditions.join(","))
}

/// found returns what was reported, such as "DiskPressure False>True", with how long it had lasted,
/// if reported.
fn found(outcome: Outcome) -> String {
    let one = |e: &Emission| {
        assert_eq!(e.event_type, EVENT_TYPE);
        let data = Value::of(&e.data);
        let [condition, was, is] = ["condition", "was", "is"].map(|field| text(&data, field));
        let lasted = data.member("lasted").int().map_or(String::new(), |seconds| format!(" after {seconds} s"));
        format!("{condition} {was}>{is}{lasted}")
    };
    let found: Vec<String> = outcome.emitted.iter().map(one).collect();
    assert_eq!(outcome.verdict, if found.is_empty() { Verdict::Drop } else { Verdict::Done });
    found.join(", ")
}

fn started(host: &Host, config: &str) -> Guest<NodePressure> {
    host.start(config)
}

#[test]
fn changes() {
    let mut guest = start::<NodePressure>("");
    let (fine, disk) = (node("Ready=True DiskPressure=False"), node("Ready=True DiskPressure=True"));
    let both = node("PIDPressure=True DiskPressure=True MemoryPressure=False");
    assert_eq!(found(guest.add(&fine)), "");
    assert_eq!(found(guest.update(&fine, &disk)), "DiskPressure False>True");
    assert_eq!(found(guest.update(&disk, &disk)), "");
    assert_eq!(found(guest.update(&disk, &both)), "PIDPressure False>True");
    assert_eq!(found(guest.resync(&both)), "");
    assert_eq!(found(guest.update(&both, &fine)), "DiskPressure True>False after 86400 s");
    // A condition that is no longer listed counts as unchanged.
    assert_eq!(found(guest.update(&fine, &node("PIDPressure=False"))), "PIDPressure True>False after 86400 s");
    assert_eq!(found(guest.update(&fine, &node("DiskPressure=Unknown"))), "DiskPressure False>Unknown");
    assert_eq!(found(guest.update(&fine, &node("Ready=Unknown DiskPressure=True"))), "DiskPressure Unknown>True after 86400 s");
    assert_eq!(found(guest.update(&disk, &fine)), "DiskPressure True>False after 86400 s");
    assert_eq!(found(guest.delete(&fine)), "");
}

#[test]
fn data() {
    let mut guest = start::<NodePressure>("");
    assert_eq!(
        guest.add(&node("DiskPressure=True")).emitted[0].data,
        concat!(
            r#"{"node":"n1","condition":"DiskPressure","was":"False","is":"True","since":"2025-12-31T00:00:00Z","#,
            r#""reason":"Because","message":""}"#
        )
    );
    assert_eq!(
        guest.update(&node("DiskPressure=True"), &node("DiskPressure=False")).emitted[0].data,
        concat!(
            r#"{"node":"n1","condition":"DiskPressure","was":"True","is":"False","since":"2025-12-31T00:00:00Z","#,
            r#""reason":"Because","message":"","lasted":86400}"#
        )
    );
}

/// A node that disappears under pressure is out of it.
#[test]
fn a_node_that_goes_away() {
    let mut guest = start::<NodePressure>("");
    let both = node("PIDPressure=True DiskPressure=True");
    guest.add(&both);
    let outcome = guest.delete(&both);
    assert_eq!(outcome.emitted[1].data, r#"{"node":"n1","condition":"PIDPressure","was":"True","is":"Gone","lasted":86400}"#);
    assert_eq!(found(outcome), "DiskPressure True>Gone after 86400 s, PIDPressure True>Gone after 86400 s");
    assert_eq!(found(guest.delete(&both)), "");
    assert_eq!(found(guest.add(&both)), "DiskPressure False>True, PIDPressure False>True");
}

/// A restart, or another worker, neither repeats a report nor loses one.
#[test]
fn restarts() {
    let host = Host::new();
    let (fine, disk) = (node("DiskPressure=False"), node("DiskPressure=True"));
    let first = |object: &str| Input { initial: true, ..Input::add(object) };
    assert_eq!(found(started(&host, "").add(&disk)), "DiskPressure False>True");
    assert_eq!(found(started(&host, "").event(first(&disk))), "");
    assert_eq!(found(started(&host, "").update(&fine, &disk)), "");
    host.advance(Duration::from_secs(MINUTE));
    assert_eq!(found(started(&host, "").event(first(&fine))), "DiskPressure True>False after 86460 s");
    assert_eq!(found(started(&host, "").event(first(&fine))), "");
    assert_eq!(found(started(&host, "").update(&disk, &fine)), "");
}

/// If two workers have the same news, one reports it; the other retries and finds that it is known.
#[test]
fn two_workers_at_once() {
    let host = Host::new();
    let (fine, disk) = (node("DiskPressure=False"), node("DiskPressure=True"));
    let mut guest = started(&host, "");
    host.race_kv("n1", r#"{"DiskPressure":{"is":"True","since":1767225600,"told":1767225600}}"#);
    let outcome = guest.add(&disk);
    assert_eq!((outcome.verdict, outcome.message.as_str()), (Verdict::Retry, "another worker was faster with this node"));
    assert!(outcome.emitted.is_empty());
    assert_eq!(found(guest.add(&disk)), "");
    host.race_kv("n1", "{}");
    assert_eq!(guest.update(&disk, &fine).verdict, Verdict::Retry);
    assert_eq!(found(guest.update(&disk, &fine)), "");
}

#[test]
fn repeats() {
    let host = Host::new();
    let mut guest = started(&host, r#"{"repeatMinutes":60}"#);
    let (disk, later) = (node("DiskPressure=True"), node("DiskPressure=True PIDPressure=True"));
    assert_eq!(found(guest.add(&disk)), "DiskPressure False>True");
    host.advance(Duration::from_secs(59 * MINUTE));
    assert_eq!(found(guest.resync(&disk)), "");
    assert_eq!(found(guest.update(&disk, &later)), "PIDPressure False>True");
    host.advance(Duration::from_secs(MINUTE));
    // Each has its own time, also in another instance.
    assert_eq!(found(started(&host, r#"{"repeatMinutes":60}"#).resync(&later)), "DiskPressure True>True after 90000 s");
    assert_eq!(found(guest.resync(&later)), "");
    host.advance(Duration::from_secs(59 * MINUTE));
    assert_eq!(found(guest.resync(&later)), "PIDPressure True>True after 93540 s");
    // Without the setting nothing is repeated.
    host.advance(Duration::from_secs(9 * 60 * MINUTE));
    assert_eq!(found(started(&host, "").resync(&later)), "");
}

/// Stored state has a time to live that restarts with each change and resync, and is removed when a
/// node is out of pressure.
#[test]
fn what_is_remembered() {
    let host = Host::new();
    let mut guest = started(&host, r#"{"rememberHours":2}"#);
    let (fine, disk) = (node("DiskPressure=False"), node("DiskPressure=True"));
    guest.add(&fine);
    guest.resync(&fine);
    assert_eq!(host.kv("n1"), None);
    guest.add(&disk);
    assert_eq!(host.kv("n1").as_deref(), Some(&br#"{"DiskPressure":{"is":"True","since":1767139200,"told":1767225600}}"#[..]));
    for _ in 0..3 {
        host.advance(Duration::from_secs(119 * MINUTE));
        assert_eq!(found(guest.resync(&disk)), "");
    }
    guest.add(&disk); // changes nothing
    host.advance(Duration::from_secs(120 * MINUTE));
    assert_eq!(host.kv("n1"), None);
    assert_eq!(found(guest.resync(&disk)), "DiskPressure False>True");
    assert_eq!(found(guest.update(&disk, &fine)), "DiskPressure True>False after 115020 s");
    host.advance(Duration::from_secs(MINUTE));
    assert_eq!(host.kv("n1"), None);
}

/// A report that could not be stored would be repeated endlessly.
#[test]
fn no_room() {
    let host = Host::new();
    host.limit_kv(0);
    let outcome = started(&host, "").add(&node("DiskPressure=True"));
    assert_eq!((outcome.verdict, outcome.emitted.len()), (Verdict::Retry, 0));
    assert_eq!(outcome.message, "kv: quota: raise the keys or bytes of the grant kv");
    let outcome = started(&host, "").add(r#"{"metadata":{"name":""}}"#);
    assert_eq!((outcome.verdict, outcome.message), (Verdict::Retry, format!("kv: {}", Error::BadArgument)));
}

/// Without a time of the last change, the time of the first event counts; and the clock may go
/// back.
#[test]
fn times() {
    let host = Host::new();
    let mut guest = started(&host, r#"{"repeatMinutes":1}"#);
    let at = |status: &str| node(&format!("DiskPressure={status}")).replace("2025-12-31T00:00:00Z", "");
    assert_eq!(found(guest.add(&at("True"))), "DiskPressure False>True");
    host.advance(Duration::from_secs(30));
    assert_eq!(found(guest.update(&at("True"), &at("Unknown"))), "DiskPressure True>Unknown after 30 s");
    host.set_now(host.now() - Duration::from_secs(600));
    assert_eq!(found(guest.resync(&at("Unknown"))), "");
    assert_eq!(found(guest.update(&at("Unknown"), &at("False"))), "DiskPressure Unknown>False after 0 s");
}

#[test]
fn configuration() {
    let host = Host::new();
    let mut guest = started(&host, r#"{"conditions":["Ready"],"initial":false}"#);
    assert_eq!(found(guest.add(&node("Ready=True DiskPressure=True"))), "Ready False>True");
    let initial = |object: &str| Input { initial: true, ..Input::add(object) };
    // A condition that is not reported is stored all the same, so that its end can be reported.
    let mut quiet = start::<NodePressure>(r#"{"initial":false}"#);
    assert_eq!(found(quiet.event(initial(&node("DiskPressure=True")))), "");
    assert_eq!(found(quiet.resync(&node("DiskPressure=True"))), "");
    assert_eq!(found(quiet.event(initial(&node("DiskPressure=False")))), "DiskPressure True>False after 86400 s");
    for (config, want) in [
        (r#"{"condition":[]}"#, r#"config: unknown field "condition""#),
        (r#"{"conditions":[]}"#, "conditions must be a list of at least one condition type"),
        (r#"{"conditions":"Ready"}"#, "conditions must be a list of at least one condition type"),
        (r#"{"conditions":["Ready",""]}"#, r#"conditions[1]: "" is not a condition type"#),
        (r#"{"initial":"no"}"#, "initial must be true or false"),
        (r#"{"repeatMinutes":-1}"#, "repeatMinutes must be a number from 0 to 1000000"),
        (r#"{"repeatMinutes":"1h"}"#, "repeatMinutes must be a number from 0 to 1000000"),
        (r#"{"rememberHours":0}"#, "rememberHours must be a number from 1 to 1000000"),
        (r#"{"rememberHours":1000001}"#, "rememberHours must be a number from 1 to 1000000"),
    ] {
        assert_eq!(load::<NodePressure>(config).err().as_deref(), Some(want));
    }
}
