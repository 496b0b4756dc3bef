import { badArgument, notFound, quota, wrongPhase } from "./status.mjs";

const maxKey = 256, maxValue = 64 << 10;

/** KV is a store of small values that expire by its clock. Tests read and write texts. */
export class KV {
  #values = new Map();
  #clock;

  constructor(clock) { this.#clock = clock; }

  /** get returns the text of a key, undefined if there is none. */
  get(key) { return this.#bytes(Buffer.from(key).toString("latin1"))?.toString(); }

  /** set stores a text for some milliseconds; 0 means no limit. */
  set(key, value, ttlMs = 0) { this.#store(Buffer.from(key).toString("latin1"), Buffer.from(value), ttlMs); }

  /** keys returns the keys that have a value. */
  get keys() {
    return [...this.#values.keys()].filter((k) => this.#bytes(k)).map((k) => Buffer.from(k, "latin1").toString());
  }

  #bytes(key) {
    const { bytes, until } = this.#values.get(key) ?? {};
    return bytes && this.#clock().getTime() < until ? bytes : undefined;
  }

  #store(key, bytes, ttlMs) {
    this.#values.set(key, { bytes, until: ttlMs == 0 ? Infinity : this.#clock().getTime() + ttlMs });
  }

  /** imports are the functions of kv.v1. */
  imports(guest, memory) {
    const withKey = (ptr, length, f) => {
      if (!guest.configuring && !guest.running) return wrongPhase;
      if (length < 1 || length > maxKey) return badArgument;
      return f(memory.bytes(ptr, length).toString("latin1"));
    };
    const store = (key, ptr, length, ttlMs) => {
      if (ttlMs < 0n) return badArgument;
      if (length >>> 0 > maxValue) return quota;
      this.#store(key, Buffer.from(memory.bytes(ptr, length)), Number(ttlMs));
      return 0;
    };
    return {
      get: (key, keyLength, ptr, cap) => withKey(key, keyLength, (k) => {
        const bytes = this.#bytes(k);
        return bytes ? memory.answer(bytes, ptr, cap) : notFound;
      }),
      set: (key, keyLength, ptr, length, ttlMs) => withKey(key, keyLength, (k) => store(k, ptr, length, ttlMs)),
      delete: (key, keyLength) => withKey(key, keyLength, (k) => {
        const there = this.#bytes(k) !== undefined;
        this.#values.delete(k);
        return there ? 0 : notFound;
      }),
      cas: (key, keyLength, old, oldLength, ptr, length, ttlMs) => withKey(key, keyLength, (k) => {
        const bytes = this.#bytes(k);
        const same = oldLength == -1 ? !bytes : bytes?.equals(memory.bytes(old, oldLength)) ?? false;
        return same ? store(k, ptr, length, ttlMs) || 1 : 0;
      }),
    };
  }
}
