import { FieldPath } from "./field";
import { address, room, written } from "./host";
import { Kind, Value } from "./value";

/** Fields are what can be read of an object, be it an event's or one of a cache. */
export abstract class Fields {
  /** field asks the host, as in the reference. @internal */
  protected abstract field(handle: i32, ptr: usize, cap: u32): i64;

  /** value asks the host for all of a field. @internal */
  protected value(handle: i32): Value {
    const cap = room();
    const packed = this.field(handle, address(), cap);
    if (packed <= 0) return Value.missing();
    const length = <u32>packed;
    if (length > cap) {
      const enough = room(length); // which moves the buffer
      this.field(handle, address(), enough);
    }
    return new Value(<Kind>(packed >> 32), written(length));
  }

  /** get reads a field. */
  get(p: FieldPath): Value {
    return this.value(p.use());
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
    return this.field(p.use(), 0, 0) > 0;
  }
}
