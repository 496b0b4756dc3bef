use std::cell::RefCell;
use std::rc::Rc;

use super::instance::{verdict, Batch, Output, Paused, Phase};
use super::world::World;
use super::{Input, Outcome};
use crate::batch::BatchHandler;
use crate::handler::{exports, Handler};

/// Guest is a configured instance of a handler.
pub struct Guest<H> {
    handler: Option<H>,
    paused: Paused,
}

/// BatchGuest is a configured instance of a batch handler.
pub struct BatchGuest<H> {
    handler: Option<H>,
    paused: Paused,
}

/// configure runs the handler's configure. The error is the reason for a rejection.
fn configure<H>(world: Rc<RefCell<World>>, config: &str, run: fn() -> Result<H, String>) -> Result<(H, Paused), String> {
    let mut handler = None;
    let mut paused = Paused::new(world, config);
    paused.run(Phase::Configure, || exports::configure(&mut handler, run));
    let Output { message, .. } = std::mem::take(&mut paused.instance.output);
    match handler {
        Some(handler) => Ok((handler, paused)),
        None => Err(message),
    }
}

/// The events, with objects as JSON.
impl<H: Handler> Guest<H> {
    pub(super) fn load(world: Rc<RefCell<World>>, config: &str) -> Result<Guest<H>, String> {
        configure(world, config, H::configure).map(|(handler, paused)| Guest { handler: Some(handler), paused })
    }

    /// Returns how many fields took a host call; prefetched ones take none.
    pub fn field_calls(&self) -> usize {
        self.paused.instance.field_calls
    }

    pub fn add(&mut self, object: &str) -> Outcome {
        self.event(Input::add(object))
    }

    pub fn update(&mut self, old: &str, object: &str) -> Outcome {
        self.event(Input::update(old, object))
    }

    pub fn delete(&mut self, object: &str) -> Outcome {
        self.event(Input::delete(object))
    }

    pub fn resync(&mut self, object: &str) -> Outcome {
        self.event(Input::resync(object))
    }

    /// Passes an event with all its flags; the other four are shorthands for it.
    pub fn event(&mut self, event: Input) -> Outcome {
        let (op, flags) = (event.op as u32, event.flags());
        let (object_len, old_len) = (event.object.len() as u32, event.old.len() as u32);
        self.paused.instance.event = event;
        self.paused.instance.write_prefetch();
        let handler = &mut self.handler;
        let number = self.paused.run(Phase::Event, || exports::on_event(handler, op, flags, object_len, old_len));
        std::mem::take(&mut self.paused.instance.output).outcome(verdict(number))
    }
}

impl<H: BatchHandler> BatchGuest<H> {
    pub(super) fn load(world: Rc<RefCell<World>>, config: &str) -> Result<BatchGuest<H>, String> {
        configure(world, config, H::configure).map(|(handler, paused)| BatchGuest { handler: Some(handler), paused })
    }

    /// Passes several events at once, and returns an outcome for each.
    pub fn batch(&mut self, events: &[Input]) -> Vec<Outcome> {
        self.paused.instance.batch = Batch { events: events.to_vec(), ..Batch::default() };
        let handler = &mut self.handler;
        let number = self.paused.run(Phase::Batch, || {
            let number = exports::on_batch(handler, events.len() as u32);
            super::instance::with(|s| s.settle());
            number
        });
        let mut results = std::mem::take(&mut self.paused.instance.batch.results);
        results.resize_with(events.len(), Default::default); // for those not pulled
        results.into_iter().map(|(own, output)| output.outcome(own.unwrap_or_else(|| verdict(number)))).collect()
    }
}
