//! The SDK against the fake host. The handler does what its configuration says.

mod batch;
mod grants;
mod panics;
mod prefetch;

use crate::fake::{load, start, Emission, Input, Outcome};
use crate::*;

struct Guest {
    what: String,
    name: Path,
    paths: Vec<Path>,
}

const TEXT: &str = r#"{"metadata":{"name":"we\u0062","labels":{"app.kubernetes.io/name":"ä😀"}},"items":[{"n":1},{"n":-20}],
    "object":{"a": 1},"truth":true,"null":null}"#;

impl Handler for Guest {
    fn configure() -> Result<Self, String> {
        config_only(&["do", "path", "values", "limit"])?;
        let config = config();
        let path = config.member("path");
        if path.exists() {
            Path::compile(path.string())?;
        }
        let what = config.member("do").string().to_string();
        if what == "values" {
            let values: Vec<String> = config.member("values").items().iter().map(|v| v.string().to_string()).collect();
            return Err(format!("{:?} {:?}", values, config.member("limit").int()));
        }
        let paths = [
            "metadata.name",
            "metadata.labels[\"app.kubernetes.io/name\"]",
            "items[1].n",
            "object",
            "truth",
            "null",
            "none.at.all",
        ];
        Ok(Guest {
            what,
            name: Path::compile("metadata.name")?,
            paths: paths.into_iter().map(Path::compile).collect::<Result<_, _>>()?,
        })
    }

    fn on_event(&mut self, event: &Event) -> Verdict {
        match self.what.as_str() {
            "fields" => self.fields(event),
            "changed" if event.changed(&self.name) => Verdict::Done,
            "changed" => Verdict::Drop,
            "length" if event.object.string(&self.name).len() == 1 << 20 => Verdict::Done,
            "length" => Verdict::Drop,
            "retry" => event.retry("later"),
            "fail" => event.fail("never"),
            "compile late" => event.fail(Path::compile("a").err().unwrap_or_default()),
            _ => self.output(),
        }
    }
}

impl Guest {
    fn fields(&self, event: &Event) -> Verdict {
        let got: Vec<(Kind, String)> = self.paths.iter().map(|p| event.object.get(p)).map(|v| (v.kind, v.text)).collect();
        let want = [
            (Kind::String, "web"),
            (Kind::String, "ä😀"),
            (Kind::Number, "-20"),
            (Kind::Map, r#"{"a": 1}"#),
            (Kind::Boolean, "true"),
            (Kind::Null, "null"),
            (Kind::Missing, ""),
        ];
        assert_eq!(got, want.map(|(kind, text)| (kind, text.to_string())));
        for p in &self.paths {
            assert_eq!(event.object.has(p), event.object.get(p).exists());
            assert!(!event.old.has(p));
        }
        let (name, second, truth, null) = (&self.paths[0], &self.paths[2], &self.paths[4], &self.paths[5]);
        assert_eq!((event.object.string(name), event.object.string(second)), ("web".to_string(), String::new()));
        assert_eq!((event.object.int(second), event.object.int(name)), (-20, 0));
        assert_eq!((event.object.bool(truth), event.object.bool(null)), (true, false));
        assert_eq!((event.object.json().as_str(), event.object.size()), (TEXT, TEXT.len()));
        assert_eq!((event.old.json().as_str(), event.old.exists()), ("", false));
        assert_eq!(event.op, Op::Add);
        assert_eq!((event.initial, event.final_state_unknown, event.missed, event.resumed), (true, false, true, true));
        Verdict::Done
    }

    fn output(&self) -> Verdict {
        let mut list = ListWriter::new();
        list.string("x").int(i64::MIN).bool(true).json("{}");
        let mut map = MapWriter::new();
        map.string("a\"\\\n\u{1}", "ä\t").json("list", list).bool("no", false).int("n", 1);
        assert_eq!(emit("com.example.a", map), Ok(()));
        assert_eq!(set_data("[1]"), Ok(()));
        assert_eq!(emit("com.example.b", ""), Ok(()));
        let status = emit("", "").unwrap_err();
        assert_eq!(status, EmitError(Error::BadArgument));
        if log_enabled(Level::Info) {
            log(Level::Info, status.to_string());
        }
        Verdict::Done
    }
}

#[test]
fn fields() {
    let outcome = start::<Guest>(r#"{"do":"fields"}"#).event(Input { initial: true, missed: true, resumed: true, ..Input::add(TEXT) });
    assert_eq!(outcome, Outcome { verdict: Verdict::Done, emitted: vec![], message: String::new(), log: vec![] });
}

#[test]
fn changed() {
    let mut guest = start::<Guest>(r#"{"do":"changed"}"#);
    let (a, b) = (r#"{"metadata":{"name":"a"}}"#, r#"{"metadata":{"name":"b"}}"#);
    assert_eq!(guest.add(a).verdict, Verdict::Done);
    assert_eq!(guest.add("{}").verdict, Verdict::Drop);
    assert_eq!(guest.update(a, b).verdict, Verdict::Done);
    assert_eq!(guest.update(a, a).verdict, Verdict::Drop);
    assert_eq!(guest.delete(a).verdict, Verdict::Done);
    assert_eq!(guest.resync(a).verdict, Verdict::Drop);
}

#[test]
fn a_field_of_any_length_comes_whole() {
    let long = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "x".repeat(1 << 20));
    assert_eq!(start::<Guest>(r#"{"do":"length"}"#).add(&long).verdict, Verdict::Done);
}

#[test]
fn output() {
    let outcome = start::<Guest>("").add("{}");
    let emission = |event_type: &str, data: &str| Emission { event_type: event_type.to_string(), data: data.to_string() };
    let map = r#"{"a\"\\\n\u0001":"ä\t","list":["x",-9223372036854775808,true,{}],"no":false,"n":1}"#;
    let want = vec![emission("com.example.a", map), emission("", "[1]"), emission("com.example.b", "")];
    assert_eq!(outcome.emitted, want);
    assert_eq!(outcome.log, ["invalid event type: it must be 1 to 256 printable ASCII characters"]);
}

#[test]
fn reasons() {
    for (what, verdict, message) in [
        ("retry", Verdict::Retry, "later"),
        ("fail", Verdict::Fail, "never"),
        ("compile late", Verdict::Fail, "path a: paths can be compiled in configure only"),
    ] {
        let outcome = start::<Guest>(&format!(r#"{{"do":"{}"}}"#, what)).add("{}");
        assert_eq!((outcome.verdict, outcome.message.as_str()), (verdict, message));
    }
}

#[test]
fn configure() {
    for (config, want) in [
        (r#"{"d\"o":1}"#, r#"config: unknown field "d\"o""#),
        (r#"{"path":"a b["}"#, "path a b[: this is not the path of a field"),
        (r#"{"path":""}"#, "path : this is not the path of a field"),
        (r#" { "do" : "values" , "values" : [ ] , "limit" : -7 } "#, "[] Some(-7)"),
        (
            r#"{"do":"values","values":["a","\ud83d\ude00\n\ud800\u00e4\/",{"x":[1,"]"]},"b"],"limit":1,"limit":2}"#,
            r#"["a", "😀\n�ä/", "", "b"] Some(2)"#,
        ),
        (r#"{"do":"values","limit":9223372036854775807}"#, "[] Some(9223372036854775807)"),
        (r#"{"do":"values","limit":9223372036854775808}"#, "[] None"),
        (r#"{"do":"values","limit":1.5}"#, "[] None"),
        (r#"{"do":"values","limit":"1"}"#, "[] None"),
    ] {
        assert_eq!(load::<Guest>(config).err().as_deref(), Some(want), "{}", config);
    }
    assert!(load::<Guest>(r#"{"path":"a[\"b\"].c[0]"}"#).is_ok());
}

/// Text that is not valid JSON is read without running beyond its end: here every prefix of a text.
#[test]
fn broken_json() {
    let whole = r#"{"a":[1,"\u00e4\ud83d\ude00é",{"b":null}],"c\n":true}"#;
    for (n, _) in whole.char_indices() {
        for kind in [Kind::Map, Kind::Array] {
            let value = Value { kind, text: whole[..n].to_string() };
            assert!(value.items().len() < 5 && value.names().len() < 5);
            value.items().iter().for_each(|v| assert!(v.items().len() < 5));
        }
        Value::of(&whole[n..]).items();
    }
}
