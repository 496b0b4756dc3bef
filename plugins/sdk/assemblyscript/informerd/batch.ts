import { Event } from "./event";
import { setConfigure } from "./handler";
import { eventNext } from "./host";
import { Verdict } from "./result";

/** Record is what the host writes about an event. */
@unmanaged
class Record {
  op!: u32;
  flags!: u32;
  objectLen!: u32;
  oldLen!: u32;
  verdict!: i32;
}

// The host looks into the record once the next event is taken or the handler returns, so it stays where it is.
const record = new ArrayBuffer(offsetof<Record>());
let handleBatch: ((batch: Batch) => Verdict) | null = null;
let taken: u64 = 0;

/** Batch is what a handler of many events gets. It is valid until the handler returns. */
export class Batch {
  /** length is how many events there are in it. */
  constructor(public readonly length: u32) {}

  /** next goes on to the next event, in their order; null: there is none left. The one before is not valid any more. */
  next(): BatchEvent | null {
    taken++;
    if (eventNext(changetype<usize>(record), record.byteLength) < 0) return null;
    return new BatchEvent(changetype<Record>(record), taken);
  }
}

/** BatchEvent is an event of a batch. What is emitted while it is at hand is its own, and so is a reason. */
export class BatchEvent extends Event {
  /** @internal */
  constructor(private record: Record, private number: u64) {
    super();
    this.become(record.op, record.flags, record.objectLen, record.oldLen);
  }

  /** setVerdict gives this event another verdict than that of the batch. */
  setVerdict(v: Verdict): void {
    assert(this.number == taken, "a verdict is set for an event after the next one was taken");
    this.record.verdict = v;
  }
}

/**
 * registerBatch makes onBatch the handler of many events at once; its verdict is for all that have none of their own. The
 * guest exports on_batch in place of on_event, or besides if it registers a handler of single events, too. Configure is
 * as that of register, and is given once.
 */
export function registerBatch(onBatch: (batch: Batch) => Verdict, configure: (() => string | null) | null = null): void {
  assert(handleBatch == null, "registerBatch was called twice");
  handleBatch = onBatch;
  setConfigure(configure);
}

/** on_batch is what the host calls. */
export function on_batch(n: u32): i32 {
  const f = handleBatch;
  if (f == null) {
    assert(false, "the guest exports on_batch and registers no handler of batches: call registerBatch, or remove the export");
    return Verdict.Fail;
  }
  return f(new Batch(n));
}
