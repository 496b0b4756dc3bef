import { FieldPath } from "./field";
import { address, eventChanged, eventField, eventObject, giveReason, room, written } from "./host";
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
  constructor(
    public readonly op: Op,
    private flags: u32,
    public readonly object: EventObject,
    /** old exists for an update only. */
    public readonly old: EventObject,
  ) {}

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
export class EventObject {
  /** size is the length of the object's JSON text. */
  constructor(private which: u32, public readonly size: u32) {}

  /** exists is false for the old object of an event that has none. */
  exists(): bool {
    return this.size > 0;
  }

  /** json copies the whole text, "" if there is no object. Prefer reading single fields. */
  json(): string {
    if (this.size == 0) return "";
    const cap = room(this.size); // which may move the buffer
    const n = eventObject(this.which, 0, address(), cap);
    return n > 0 ? written(n) : "";
  }

  /** get reads a field. */
  get(p: FieldPath): Value {
    const cap = room();
    const packed = eventField(this.which, p.use(), address(), cap);
    if (packed <= 0) return Value.missing();
    const length = <u32>packed;
    if (length > cap) {
      const enough = room(length);
      eventField(this.which, p.use(), address(), enough);
    }
    return new Value(<Kind>(packed >> 32), written(length));
  }

  /** string reads a string, "" if the field is none. */
  string(p: FieldPath): string {
    return this.get(p).string();
  }

  /** int reads an integer, 0 if the field is none. */
  int(p: FieldPath): i64 {
    return this.get(p).int();
  }

  /** bool reads a boolean, false if the field is none. */
  bool(p: FieldPath): bool {
    return this.get(p).bool();
  }

  /** has tells whether the field is there, be it null. */
  has(p: FieldPath): bool {
    return eventField(this.which, p.use(), 0, 0) > 0;
  }
}
