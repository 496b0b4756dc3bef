import { FieldPath } from "./field";
import { address, room, written } from "./host";
import { Kind, Value } from "./value";

/** Fields is the getters of an object, be it an event's or one of a cache. */
export abstract class Fields {
  /** field calls the host, as in the reference. @internal */
  protected abstract field(handle: i32, ptr: usize, cap: u32): i64;

  /** value reads a whole field from the host. @internal */
  protected value(handle: i32): Value {
    const cap = room();
    const packed = this.field(handle, address(), cap);
    if (packed <= 0) return Value.missing();
    const length = <u32>packed;
    if (length > cap) {
      const enough = room(length); // may move the buffer
      this.field(handle, address(), enough);
    }
    return new Value(<Kind>(packed >> 32), written(length));
  }

  /** get returns a field's value. */
  get(p: FieldPath): Value {
    return this.value(p.use());
  }

  /** string returns a field that is a string, otherwise "". */
  string(p: FieldPath): string {
    return this.get(p).string();
  }

  /** int returns a field that is an integer, otherwise 0. */
  int(p: FieldPath): i64 {
    return this.get(p).int();
  }

  /** bool reports whether a field is true. */
  bool(p: FieldPath): bool {
    return this.get(p).bool();
  }

  /** has reports whether the field is present, null included. */
  has(p: FieldPath): bool {
    return this.field(p.use(), 0, 0) > 0;
  }
}
