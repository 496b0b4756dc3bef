// A store of small values that all workers of a listener share. A guest that calls it needs the
// grant "kv".
import { address, kvCas, kvDelete, kvGet, kvSet, room, utf8 } from "./host";
import { Answer, Status, statusOf } from "./status";

/** Stored is the value of a key, with status NotFound if there is none. */
export class Stored extends Answer {
  constructor(status: Status, public readonly bytes: ArrayBuffer) {
    super(status);
  }

  /** text is the value as UTF-8. */
  get text(): string {
    return String.UTF8.decode(this.bytes);
  }
}

/** Swap is the result of cas. */
export class Swap extends Answer {
  /** swapped is false if the value is not the old one: get it and try again. */
  constructor(status: Status, public readonly swapped: bool) {
    super(status);
  }
}

/** get returns the value of a key. */
export function get(key: string): Stored {
  const k = utf8(key);
  let cap = room();
  let n = kvGet(changetype<usize>(k), k.byteLength, address(), cap);
  while (n > <i32>cap) { // another worker may store a longer one in between
    cap = room(n);
    n = kvGet(changetype<usize>(k), k.byteLength, address(), cap);
  }
  const bytes = new ArrayBuffer(max(n, 0));
  memory.copy(changetype<usize>(bytes), address(), bytes.byteLength);
  return new Stored(statusOf(n), bytes);
}

/** set stores a text for ttlMs milliseconds; 0 means as long as the grant allows. */
export function set(key: string, text: string, ttlMs: i64 = 0): Status {
  return setBytes(key, utf8(text), ttlMs);
}

/** setBytes is set for any bytes. */
export function setBytes(key: string, value: ArrayBuffer, ttlMs: i64 = 0): Status {
  const k = utf8(key);
  return statusOf(kvSet(changetype<usize>(k), k.byteLength, changetype<usize>(value), value.byteLength, ttlMs));
}

/** remove deletes a key. It returns NotFound if there is none. */
export function remove(key: string): Status {
  const k = utf8(key);
  return statusOf(kvDelete(changetype<usize>(k), k.byteLength));
}

/** cas is set if the value is still the old text, or, with null, if there still is none. */
export function cas(key: string, old: string | null, text: string, ttlMs: i64 = 0): Swap {
  return casBytes(key, old == null ? null : utf8(old), utf8(text), ttlMs);
}

/** casBytes is cas for any bytes. */
export function casBytes(key: string, old: ArrayBuffer | null, value: ArrayBuffer, ttlMs: i64 = 0): Swap {
  const k = utf8(key);
  const oldLength = old == null ? -1 : old.byteLength;
  const n = kvCas(
    changetype<usize>(k), k.byteLength, changetype<usize>(old), oldLength, changetype<usize>(value), value.byteLength, ttlMs,
  );
  return new Swap(statusOf(n), n == 1);
}
