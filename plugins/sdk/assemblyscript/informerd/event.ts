import { FieldPath } from "./field";
import { Fields } from "./object";
import { address, eventChanged, eventField, eventObject, giveReason, room, written } from "./host";
import { Entry, entryOf, textOf } from "./prefetch";
import { Verdict } from "./result";
import { Kind, Value } from "./value";

/** Op says what happened to an object. */
export enum Op {
  Add = 1,
  Update = 2,
  Delete = 3,
  Resync = 4,
}

/** Event is what a handler gets. It is valid until the handler returns. */
export class Event {
  private what: Op = Op.Add;
  private flags: u32 = 0;

  /** op says what happened. */
  get op(): Op {
    return this.what;
  }

  /** object is the state of the object; for a delete its last one. */
  get object(): EventObject {
    return current;
  }

  /** old exists for an update only. */
  get old(): EventObject {
    return previous;
  }

  /** become makes it the event at hand. @internal */
  become(op: u32, flags: u32, objectLen: u32, oldLen: u32): this {
    this.what = <Op>op;
    this.flags = flags;
    current.become(objectLen);
    previous.become(oldLen);
    return this;
  }

  /** initial says that the event is part of the first list. */
  get initial(): bool {
    return (this.flags & 1) != 0;
  }

  /** finalStateUnknown says that the delete itself was missed: object is the last known state. */
  get finalStateUnknown(): bool {
    return (this.flags & 2) != 0;
  }

  /** missed says that earlier events of this object were coalesced away. */
  get missed(): bool {
    return (this.flags & 4) != 0;
  }

  /**
   * changed tells whether a field differs between old and object. For an add or a delete every field that exists has
   * changed, for a resync none.
   */
  changed(p: FieldPath): bool {
    return eventChanged(p.use()) == 1;
  }

  /** retry is the verdict to try again later, with the reason why. */
  retry(reason: string): Verdict {
    giveReason(reason);
    return Verdict.Retry;
  }

  /** fail is the verdict not to try again, with the reason why. */
  fail(reason: string): Verdict {
    giveReason(reason);
    return Verdict.Fail;
  }
}

/** EventObject is the state of an object, read through the host. It is valid until the handler returns. */
export class EventObject extends Fields {
  private length: u32 = 0;

  /** @internal */
  constructor(private which: u32) {
    super();
  }

  /** become makes it an object of the event at hand. @internal */
  become(length: u32): void {
    this.length = length;
  }

  /** size is the length of the object's JSON text. */
  get size(): u32 {
    return this.length;
  }

  /** exists is false for the old object of an event that has none. */
  exists(): bool {
    return this.length > 0;
  }

  /** json copies the whole text, "" if there is no object. Prefer reading single fields. */
  json(): string {
    if (this.length == 0) return "";
    const cap = room(this.length); // which may move the buffer
    const n = eventObject(this.which, 0, address(), cap);
    return n > 0 ? written(n) : "";
  }

  /** get reads a field. */
  get(p: FieldPath): Value {
    const entry = this.ahead(p);
    if (entry == null) return super.get(p);
    const text = textOf(entry);
    return text == null ? super.get(p) : new Value(<Kind>entry.kind, text);
  }

  /** has tells whether the field is there, be it null. */
  has(p: FieldPath): bool {
    const entry = this.ahead(p);
    return entry == null ? super.has(p) : entry.kind != Kind.Missing;
  }

  private ahead(p: FieldPath): Entry | null {
    return this.which == 0 ? entryOf(p) : null;
  }

  protected field(handle: i32, ptr: usize, cap: u32): i64 {
    return eventField(this.which, handle, ptr, cap);
  }
}

// There is one event at a time, so these are the same for all: making them anew would take longer than most of what is
// done with them.
const current = new EventObject(0);
const previous = new EventObject(1);
