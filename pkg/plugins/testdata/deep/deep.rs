//! A guest that panics three calls deep.

use informerd::*;

struct Deep {
    list: Vec<u32>,
}

informerd::register!(Deep);

#[inline(never)]
fn innermost(list: &[u32], at: usize) -> u32 {
    list[at]
}

#[inline(never)]
fn middle(list: &[u32], at: usize) -> u32 {
    innermost(list, at) * 3
}

impl Deep {
    #[inline(never)]
    fn outermost(&self, at: usize) -> u32 {
        middle(&self.list, at + 6) - 2
    }
}

impl Handler for Deep {
    fn configure() -> Result<Self, String> {
        Ok(Deep { list: vec![1, 2, 3] })
    }

    fn on_event(&mut self, event: &Event) -> Verdict {
        if self.outermost(event.op as usize) == 0 {
            return Verdict::Drop;
        }
        Verdict::Done
    }
}
