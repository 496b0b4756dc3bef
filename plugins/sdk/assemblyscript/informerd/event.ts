import { FieldPath } from "./field";
import { Fields } from "./object";
import { address, eventChanged, eventField, eventObject, giveReason, room, written } from "./host";
import { Entry, entryOf, textOf } from "./prefetch";
import { Verdict } from "./result";
import { Kind, Value } from "./value";

/** Op is what happened to an object. */
export enum Op {
  Add = 1,
  Update = 2,
  Delete = 3,
  Resync = 4,
}

/**
 * Event is one change of an object, as a handler receives it. It is valid until the handler
 * returns.
 */
export class Event {
  private what: Op = Op.Add;
  private flags: u32 = 0;

  /** op is what happened. */
  get op(): Op {
    return this.what;
  }

  /** object is the state of the object; for a delete the last known one. */
  get object(): EventObject {
    return current;
  }

  /** old is the previous state; it exists for updates only. */
  get old(): EventObject {
    return previous;
  }

  /** become makes it the current event. @internal */
  become(op: u32, flags: u32, objectLen: u32, oldLen: u32): this {
    this.what = <Op>op;
    this.flags = flags;
    current.become(objectLen);
    previous.become(oldLen);
    return this;
  }

  /** initial reports whether the event is part of the first list. */
  get initial(): bool {
    return (this.flags & 1) != 0;
  }

  /**
   * finalStateUnknown reports whether the delete itself was missed; object is the last known state.
   */
  get finalStateUnknown(): bool {
    return (this.flags & 2) != 0;
  }

  /** missed reports whether earlier events of this object were coalesced away. */
  get missed(): bool {
    return (this.flags & 4) != 0;
  }

  /** resumed reports whether it happened while informerd was away or could not watch, so that states may have been passed over. */
  get resumed(): bool {
    return (this.flags & 8) != 0;
  }

  /**
   * changed reports whether a field differs between old and object. For an add or a delete every
   * existing field has changed, for a resync none.
   */
  changed(p: FieldPath): bool {
    return eventChanged(p.use()) == 1;
  }

  /** retry returns the verdict to try this event again later, and records the reason. */
  retry(reason: string): Verdict {
    giveReason(reason);
    return Verdict.Retry;
  }

  /** fail returns the verdict not to try this event again, and records the reason. */
  fail(reason: string): Verdict {
    giveReason(reason);
    return Verdict.Fail;
  }
}

/**
 * EventObject is the state of an object, read through the host. It is valid until the handler
 * returns.
 */
export class EventObject extends Fields {
  private length: u32 = 0;

  /** @internal */
  constructor(private which: u32) {
    super();
  }

  /** become makes it an object of the current event. @internal */
  become(length: u32): void {
    this.length = length;
  }

  /** size returns the length of the object's JSON text. */
  get size(): u32 {
    return this.length;
  }

  /** exists reports whether there is an object; only updates have an old one. */
  exists(): bool {
    return this.length > 0;
  }

  /**
   * json returns a copy of the whole text, "" if there is no object. Prefer reading single fields.
   */
  json(): string {
    if (this.length == 0) return "";
    const cap = room(this.length); // may move the buffer
    const n = eventObject(this.which, 0, address(), cap);
    return n > 0 ? written(n) : "";
  }

  /** get returns a field's value. */
  get(p: FieldPath): Value {
    const entry = this.ahead(p);
    if (entry == null) return super.get(p);
    const text = textOf(entry);
    return text == null ? super.get(p) : new Value(<Kind>entry.kind, text);
  }

  /** has reports whether the field is present, null included. */
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

// There is one event at a time, so these objects are shared: allocating them for each event would
// cost more than most reads.
const current = new EventObject(0);
const previous = new EventObject(1);
