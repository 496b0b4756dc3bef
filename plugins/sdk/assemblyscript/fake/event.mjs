import { field, lookup, parsePath, tag, text } from "./fields.mjs";
import { badArgument, notFound, quota, wrongPhase } from "./status.mjs";

const maxPaths = 256, ofOld = 1 << 16, recordSize = 20, verdictAt = 16;
const ops = { add: 1, update: 2, delete: 3, resync: 4 };

/** Event is one change of an object. Objects are values, or their JSON text. */
export class Event {
  constructor({ op = "add", object, old, flags = 0 }) {
    const textOf = (o) => (o === undefined ? "" : typeof o == "string" ? o : JSON.stringify(o));
    this.op = op;
    this.flags = flags;
    this.texts = [textOf(object), textOf(old)];
    this.objects = this.texts.map((t) => (t === "" ? undefined : JSON.parse(t)));
  }

  /** args are the arguments of on_event, and the beginning of a batch's record. */
  get args() { return [ops[this.op], this.flags, ...this.texts.map((t) => Buffer.byteLength(t))]; }

  changed(steps) {
    const [now, before] = this.objects.map((o) => JSON.stringify(lookup(o, steps)));
    if (this.op == "update") return now !== before;
    return this.op != "resync" && now !== undefined;
  }
}

/** Prefetch is the fields that the host writes to the guest before each event. */
class Prefetch {
  fields = [];

  declare(memory, paths, ptr, cap, handles, n) {
    if (n >>> 0 > 2 * maxPaths || n > 0 && cap >>> 0 < 4 + 12 * n) return badArgument;
    const list = memory.bytes(handles, 4 * n), fields = [];
    for (let i = 0; i < n; i++) {
      const handle = list.readUInt32LE(4 * i);
      const steps = paths[handle & ~ofOld];
      if (!steps) return badArgument;
      fields.push({ steps, which: handle & ofOld ? 1 : 0 });
    }
    Object.assign(this, { fields, ptr, cap });
    return 0;
  }

  write(memory, event) {
    if (this.fields.length == 0) return;
    const buffer = memory.bytes(this.ptr, this.cap);
    let at = buffer.writeUInt32LE(this.fields.length), free = 4 + 12 * this.fields.length;
    for (const { steps, which } of this.fields) {
      const value = lookup(event.objects[which], steps);
      const bytes = Buffer.from(value === undefined ? "" : text(value));
      const fits = free + bytes.length <= buffer.length;
      at = buffer.writeUInt32LE(tag(value), at);
      at = buffer.writeUInt32LE(bytes.length, at);
      at = buffer.writeUInt32LE(fits ? free : 0, at);
      if (fits) free += bytes.copy(buffer, free);
    }
  }
}

/** Events is the current event, if there is one, and the following ones of its batch. */
export class Events {
  /** paths are the compiled ones, split into steps. */
  paths = [];
  at;
  #prefetch = new Prefetch();
  #queue;
  #record;
  #memory;
  #settled;

  constructor(memory) { this.#memory = memory; }

  /** take makes an event the current one. */
  take(event) {
    this.at = event;
    this.#prefetch.write(this.#memory, event);
  }

  end() { this.at = this.#queue = undefined; }

  /** batch sets the events of next; settled is called with each event before the next one. */
  batch(events, settled) {
    this.#queue = [...events];
    this.#settled = settled;
  }

  /**
   * settle returns the verdict that the guest wrote for the current event, -1 for that of the
   * batch.
   */
  settle() {
    if (this.at) this.#settled(this.at, this.#memory.bytes(this.#record, recordSize).readInt32LE(verdictAt));
    this.at = undefined;
  }

  #next(ptr, cap) {
    if (!this.#queue) return wrongPhase;
    if (cap >>> 0 < recordSize) return badArgument;
    this.settle();
    if (this.#queue.length == 0) return notFound;
    this.#record = ptr;
    this.take(this.#queue.shift());
    const record = this.#memory.bytes(ptr, recordSize);
    [...this.at.args, -1].forEach((n, i) => record.writeInt32LE(n, 4 * i));
    return recordSize;
  }

  /** imports are the functions of event.v1. */
  imports(guest) {
    const memory = this.#memory;
    return {
      object: (which, off, ptr, cap) => {
        if (!this.at) return wrongPhase;
        return this.at.objects[which] === undefined ? notFound : memory.window(this.at.texts[which], off, ptr, cap);
      },
      path: (ptr, length) => {
        if (!guest.configuring) return wrongPhase;
        const steps = parsePath(memory.read(ptr, length));
        if (!steps) return badArgument;
        return this.paths.length == maxPaths ? quota : this.paths.push(steps) - 1;
      },
      field: (which, handle, ptr, cap) =>
        this.at ? field(memory, this.at.objects[which], this.paths[handle], ptr, cap) : BigInt(wrongPhase),
      changed: (handle) => {
        if (!this.at) return wrongPhase;
        return this.paths[handle] ? Number(this.at.changed(this.paths[handle])) : badArgument;
      },
      prefetch: (ptr, cap, handles, n) =>
        guest.configuring ? this.#prefetch.declare(memory, this.paths, ptr, cap, handles, n) : wrongPhase,
      next: (ptr, cap) => this.#next(ptr, cap),
    };
  }
}
