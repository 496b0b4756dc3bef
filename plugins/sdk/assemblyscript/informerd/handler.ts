import { Event, EventObject, Op } from "./event";
import { compileDeclared, setConfiguring } from "./field";
import { giveReason } from "./host";
import { Verdict } from "./result";

let handle: ((event: Event) => Verdict) | null = null;
let prepare: (() => string | null) | null = null;

/**
 * register makes onEvent the handler of this guest. Configure runs once, before the first event: it reads the
 * configuration, and gives why it refuses it, or null.
 */
export function register(onEvent: (event: Event) => Verdict, configure: (() => string | null) | null = null): void {
  assert(handle == null, "register was called twice");
  handle = onEvent;
  prepare = configure;
}

function refusal(): string | null {
  if (handle == null) return "the guest registers no handler: call register";
  const mistake = compileDeclared();
  if (mistake != null) return mistake;
  const f = prepare;
  if (f == null) return null;
  setConfiguring(true);
  const why = f();
  setConfiguring(false);
  return why;
}

/** configure is what the host calls. */
export function configure(): i32 {
  const why = refusal();
  if (why == null) return 0;
  giveReason(why);
  return 1;
}

/** on_event is what the host calls. */
export function on_event(op: u32, flags: u32, objectLen: u32, oldLen: u32): i32 {
  return handle!(new Event(<Op>op, flags, new EventObject(0, objectLen), new EventObject(1, oldLen)));
}

/** informerd_abi_v1 marks the interface and is never called. */
export function informerd_abi_v1(): void {}
