import { Event } from "./event";
import { compileDeclared, setConfiguring } from "./field";
import { giveReason } from "./host";
import { prefetchCompiled } from "./prefetch";
import { Verdict } from "./result";

let handle: ((event: Event) => Verdict) | null = null;
let prepare: (() => string | null) | null = null;
let registered = false;
const event = new Event(); // the current event

/**
 * register makes onEvent the handler of this guest. Configure runs once, before the first event: it
 * reads the configuration, and returns why it rejects it, or null.
 */
export function register(onEvent: (event: Event) => Verdict, configure: (() => string | null) | null = null): void {
  assert(handle == null, "register was called twice");
  handle = onEvent;
  setConfigure(configure);
}

/** setConfigure records that there is a handler, and its configure function. @internal */
export function setConfigure(configure: (() => string | null) | null): void {
  registered = true;
  if (configure == null) return;
  assert(prepare == null, "two configure functions: pass one to either register or registerBatch");
  prepare = configure;
}

function refusal(): string | null {
  if (!registered) return "the guest registers no handler: call register";
  const mistake = compileDeclared();
  if (mistake != null) return mistake;
  const f = prepare;
  if (f == null) return null;
  setConfiguring(true);
  const why = f();
  setConfiguring(false);
  return why;
}

/** configure is called by the host. */
export function configure(): i32 {
  const why = refusal();
  if (why == null) {
    prefetchCompiled();
    return 0;
  }
  giveReason(why);
  return 1;
}

/** on_event is called by the host. */
export function on_event(op: u32, flags: u32, objectLen: u32, oldLen: u32): i32 {
  const f = handle;
  if (f == null) {
    assert(false, "the guest exports on_event but registers no handler of single events: call register, or remove the export");
    return Verdict.Fail;
  }
  return f(event.become(op, flags, objectLen, oldLen));
}

/** informerd_abi_v1 marks the interface and is never called. */
export function informerd_abi_v1(): void {}
