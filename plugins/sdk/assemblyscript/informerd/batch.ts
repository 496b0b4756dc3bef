import { Event } from "./event";
import { setConfigure } from "./handler";
import { eventNext } from "./host";
import { Verdict } from "./result";

/** Record is the host's description of an event. */
@unmanaged
class Record {
  op!: u32;
  flags!: u32;
  objectLen!: u32;
  oldLen!: u32;
  verdict!: i32;
}

// The host reads the record once the next event is pulled or the handler returns, so it must not
// move.
const record = new ArrayBuffer(offsetof<Record>());
let handleBatch: ((batch: Batch) => Verdict) | null = null;
let taken: u64 = 0;

/** Batch is one or more events in order. It is valid until the handler returns. */
export class Batch {
  /** length is the number of events. */
  constructor(public readonly length: u32) {}

  /** next pulls the next event, or null after the last one. The one before is no longer valid. */
  next(): BatchEvent | null {
    taken++;
    if (eventNext(changetype<usize>(record), record.byteLength) < 0) return null;
    return new BatchEvent(changetype<Record>(record), taken);
  }
}

/** BatchEvent is an event of a batch. Emissions and reasons belong to the current one. */
export class BatchEvent extends Event {
  /** @internal */
  constructor(private record: Record, private number: u64) {
    super();
    this.become(record.op, record.flags, record.objectLen, record.oldLen);
  }

  /** setVerdict sets the verdict of this event, which replaces that of the batch. */
  setVerdict(v: Verdict): void {
    assert(this.number == taken, "the verdict of an event was set after the next one was pulled");
    this.record.verdict = v;
  }
}

/**
 * registerBatch makes onBatch the batch handler of this guest; its verdict applies to all events
 * without one of their own. The guest exports on_batch instead of on_event, or both if it also
 * registers a handler of single events. Configure is that of register, and is passed to only one of
 * them.
 */
export function registerBatch(onBatch: (batch: Batch) => Verdict, configure: (() => string | null) | null = null): void {
  assert(handleBatch == null, "registerBatch was called twice");
  handleBatch = onBatch;
  setConfigure(configure);
}

/** on_batch is called by the host. */
export function on_batch(n: u32): i32 {
  const f = handleBatch;
  if (f == null) {
    assert(false, "the guest exports on_batch but registers no batch handler: call registerBatch, or remove the export");
    return Verdict.Fail;
  }
  return f(new Batch(n));
}
