//! Batches.

use crate::fake::{load_batch, start_batch, Input};
use crate::*;

/// Sums pulls as many events as its configuration says and handles each as its object says.
struct Sums {
    take: i64,
    does: Path,
    batches: usize,
}

impl BatchHandler for Sums {
    fn configure() -> Result<Self, String> {
        config_only(&["take"])?;
        Ok(Sums { take: config().member("take").int().unwrap_or(100), does: Path::compile("do")?, batches: 0 })
    }

    fn on_batch(&mut self, batch: &mut Batch) -> Verdict {
        self.batches += 1;
        assert_eq!(emit("com.example.early", ""), Err(EmitError(Error::WrongPhase)));
        let len = batch.len();
        for _ in 0..self.take {
            let event = match batch.next() {
                None => break,
                Some(event) => event,
            };
            let does = event.object.string(&self.does);
            let data = format!(r#"[{},{},"{:?}",{}]"#, self.batches, len, event.op, event.old.size());
            assert_eq!(emit("com.example.sum", data), Ok(()));
            match does.as_str() {
                "drop" => event.set_verdict(Verdict::Drop),
                "retry" => {
                    let verdict = event.retry("later");
                    event.set_verdict(verdict);
                }
                "done" => event.set_verdict(Verdict::Done),
                "change" => {
                    event.set_verdict(Verdict::Done);
                    event.set_verdict(Verdict::Drop);
                }
                _ => assert_eq!(event.initial, does == "initial"),
            }
        }
        Verdict::Fail
    }
}

fn doing(what: &str) -> String {
    format!(r#"{{"do":"{}"}}"#, what)
}

#[test]
fn each_event_has_its_own_verdict_reason_and_emissions() {
    let mut guest = start_batch::<Sums>("{}");
    let events = [
        Input::add(&doing("done")),
        Input::update("{}", &doing("drop")),
        Input::delete(&doing("retry")),
        Input { initial: true, ..Input::resync(&doing("initial")) },
        Input::add(&doing("change")),
        Input::add(&doing("done")),
    ];
    let outcomes: Vec<_> = guest.batch(&events).into_iter().map(|o| (o.verdict, o.message, o.emitted)).collect();
    let verdicts = [Verdict::Done, Verdict::Drop, Verdict::Retry, Verdict::Fail, Verdict::Drop, Verdict::Done];
    assert_eq!(outcomes.iter().map(|o| o.0).collect::<Vec<_>>(), verdicts);
    assert_eq!(outcomes.iter().map(|o| o.1.as_str()).collect::<Vec<_>>(), ["", "", "later", "", "", ""]);
    let data: Vec<_> = outcomes.iter().map(|o| o.2.iter().map(|e| e.data.as_str()).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(data, [r#"[1,6,"Add",0]"#, "", "", "", "", r#"[1,6,"Add",0]"#]);
    let update = guest.batch(&[Input::update("{}", &doing("done"))]).remove(0);
    assert_eq!(update.emitted[0].data, r#"[2,1,"Update",2]"#);
}

#[test]
fn events_that_are_not_taken_get_the_verdict_of_the_batch() {
    let outcomes = start_batch::<Sums>(r#"{"take":1}"#).batch(&[Input::add(&doing("done")), Input::add(&doing("done"))]);
    assert_eq!(outcomes.iter().map(|o| o.verdict).collect::<Vec<_>>(), [Verdict::Done, Verdict::Fail]);
}

#[test]
fn configure() {
    assert_eq!(load_batch::<Sums>(r#"{"x":1}"#).err().as_deref(), Some(r#"config: unknown field "x""#));
}
