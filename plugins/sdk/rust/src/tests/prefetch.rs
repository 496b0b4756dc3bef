//! Prefetched fields.

use std::cell::Cell;

use crate::fake::{load, start, start_batch, Input};
use crate::*;

thread_local! {
    static LATE: Cell<Option<String>> = Cell::new(None);
}

/// Fields compiles the paths a0, a1 … of its configuration, and prefetches those that it names.
struct Fields {
    paths: Vec<Path>,
}

impl Handler for Fields {
    fn configure() -> Result<Self, String> {
        let config = config();
        let compile = |n: i64| (0..n).map(|n| Path::compile(&format!("a{}", n))).collect::<Result<Vec<_>, _>>();
        let mut paths = compile(config.member("paths").int().unwrap_or(0))?;
        for choice in config.member("choices").items() {
            let chosen: Vec<&Path> = choice.items().iter().map(|n| &paths[n.int().unwrap_or(0) as usize]).collect();
            prefetch(&chosen)?;
        }
        paths.extend(compile(config.member("later").int().unwrap_or(0))?);
        Ok(Fields { paths })
    }

    fn on_event(&mut self, event: &Event) -> Verdict {
        let all = |o: &Object| {
            self.paths.iter().map(|p| o.get(p)).map(|v| format!("{}:{}", v.kind as u32, v.text)).collect::<Vec<_>>().join(" ")
        };
        LATE.with(|late| late.set(prefetch(&[]).err()));
        event.fail(format!("{} | {}", all(&event.object), all(&event.old)))
    }
}

const OBJECT: &str = r#"{"a0":"x","a1":"\u00e4\n","a2":-1.5,"a3":true,"a4":null,"a5":[1, 2],"a6":{},"a7":""}"#;
const VALUES: &str = "4:x 4:ä\n 3:-1.5 2:true 1:null 5:[1, 2] 6:{} 4: 0:";

#[test]
fn fields_are_given_ahead() {
    let nine = r#"{"paths":9}"#;
    for (config, object, calls, want) in [
        (nine, OBJECT, 9, VALUES), // the calls are for the old object
        (r#"{"paths":16}"#, "{}", 16, "0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0:"),
        (r#"{"paths":17}"#, "{}", 34, "0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0: 0:"), // one too many
        (r#"{"paths":9,"choices":[[8,0]]}"#, OBJECT, 16, VALUES),
        (r#"{"paths":9,"choices":[[8,0],[0,1,2]]}"#, OBJECT, 15, VALUES), // the last call counts
        (r#"{"paths":9,"choices":[[0,0,0]]}"#, OBJECT, 17, VALUES),
        (r#"{"paths":9,"choices":[[]]}"#, OBJECT, 18, VALUES),
        (r#"{"paths":9,"choices":[[0],[]]}"#, OBJECT, 18, VALUES),
        (r#"{"paths":1,"choices":[[0]],"later":2}"#, r#"{"a0":1,"a1":2}"#, 5, "3:1 3:1 3:2"),
    ] {
        let mut guest = start::<Fields>(config);
        for event in 1..3 {
            let message = guest.add(object).message;
            assert_eq!(message.split_once(" | ").map(|(new, _)| new), Some(want), "{}", config);
            assert_eq!(guest.field_calls(), event * calls, "{}", config);
        }
    }
}

/// What does not fit the SDK's buffer of 4 KB takes a host call, and so do the fields of the old
/// object.
#[test]
fn a_field_that_does_not_fit_is_read() {
    let mut guest = start::<Fields>(r#"{"paths":3}"#);
    let room = 4096 - 4 - 3 * 12;
    for (length, calls) in [(room - 2, 0), (room - 1, 1), (room, 1), (room + 1, 1)] {
        let long = "x".repeat(length);
        let before = guest.field_calls();
        let outcome = guest.update(r#"{"a0":"old"}"#, &format!(r#"{{"a0":"y","a1":"{}","a2":"z"}}"#, long));
        assert_eq!(outcome.message, format!("4:y 4:{} 4:z | 4:old 0: 0:", long));
        assert_eq!(guest.field_calls() - before, 3 + calls, "{}", length);
    }
}

/// Getters other than get read the same buffer.
#[test]
fn getters_read_what_is_given() {
    struct Getters(Vec<Path>);

    impl Handler for Getters {
        fn configure() -> Result<Self, String> {
            Ok(Getters(["s", "n", "b", "null", "none", "long"].into_iter().map(Path::compile).collect::<Result<_, _>>()?))
        }

        fn on_event(&mut self, event: &Event) -> Verdict {
            let o = &event.object;
            let strings: Vec<String> = self.0[..5].iter().map(|p| o.string(p)).collect();
            assert_eq!(strings, ["text", "", "", "", ""]);
            assert_eq!(self.0[..5].iter().map(|p| o.int(p)).collect::<Vec<_>>(), [0, 7, 0, 0, 0]);
            assert_eq!(self.0[..5].iter().map(|p| o.bool(p)).collect::<Vec<_>>(), [false, false, true, false, false]);
            assert_eq!(self.0.iter().map(|p| o.has(p)).collect::<Vec<_>>(), [true, true, true, true, false, true]);
            Verdict::Done
        }
    }

    let mut guest = start::<Getters>("");
    let object = format!(r#"{{"s":"text","n":7,"b":true,"null":null,"long":"{}"}}"#, "x".repeat(5000));
    assert_eq!(guest.add(&object).verdict, Verdict::Done);
    assert_eq!(guest.field_calls(), 1);
}

/// Instances that take turns on one thread have their own fields.
#[test]
fn instances_do_not_mix() {
    let mut one = start::<Fields>(r#"{"paths":2}"#);
    let mut other = start::<Fields>(r#"{"paths":2,"choices":[[1]]}"#);
    for n in 1..4 {
        let object = format!(r#"{{"a0":{},"a1":"x"}}"#, n);
        assert_eq!(one.add(&object).message, format!("3:{} 4:x | 0: 0:", n));
        assert_eq!(other.add(&object).message, format!("3:{} 4:x | 0: 0:", n));
    }
    assert_eq!((one.field_calls(), other.field_calls()), (6, 9));
}

#[test]
fn refusals() {
    start::<Fields>("").add("{}");
    assert_eq!(LATE.with(|late| late.take()).as_deref(), Some("prefetch: fields can be chosen in configure only"));
    let many = vec!["0"; 341].join(",");
    assert!(load::<Fields>(&format!(r#"{{"paths":1,"choices":[[{}]]}}"#, many)).is_ok());
    let refused = load::<Fields>(&format!(r#"{{"paths":1,"choices":[[{},0]]}}"#, many));
    assert_eq!(refused.err().as_deref(), Some("prefetch of 342 fields: bad argument"));
}

/// Each event of a batch has its own fields.
#[test]
fn batches() {
    struct Names(Path);

    impl BatchHandler for Names {
        fn configure() -> Result<Self, String> {
            Ok(Names(Path::compile("name")?))
        }

        fn on_batch(&mut self, batch: &mut Batch) -> Verdict {
            while let Some(event) = batch.next() {
                event.fail(event.object.string(&self.0));
            }
            Verdict::Fail
        }
    }

    let events = [r#"{"name":"a"}"#, "{}", r#"{"name":"b"}"#].map(Input::add);
    let outcomes = start_batch::<Names>("").batch(&events);
    assert_eq!(outcomes.into_iter().map(|o| o.message).collect::<Vec<_>>(), ["a", "", "b"]);
}
