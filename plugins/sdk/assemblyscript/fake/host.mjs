// A fake host, to test a built handler under node: a small model of the real one, without limits and deadlines. It takes
// a guest of any language that imports nothing but informerd's modules.
//
//     import { load, start } from ".../fake/host.mjs";
//     const guest = start("handler.wasm", { threshold: 2 });
//     const result = guest.add({ metadata: { name: "web" } });
//     // result.verdict, result.emitted, result.message, result.log
import { readFileSync } from "node:fs";

const notFound = -1, badArgument = -2, quota = -4, wrongPhase = -6;
const maxPaths = 256;
const verdicts = ["done", "drop", "retry", "fail"];
const ops = { add: 1, update: 2, delete: 3, resync: 4 };

/** load gives a guest, or why it refuses its configuration as { refusal }. */
export function load(file, config = {}) {
  const guest = new Guest(file, typeof config == "string" ? config : JSON.stringify(config));
  return guest.refusal === undefined ? guest : { refusal: guest.refusal };
}

/** start is load for a configuration that must be taken. */
export function start(file, config = {}) {
  const guest = load(file, config);
  if (guest.refusal !== undefined) throw new Error("configure: " + guest.refusal);
  return guest;
}

class Guest {
  #config;
  #configuring = false;
  #paths = [];
  #op = 0;
  #objects = ["", ""];
  #result;
  #exports;

  constructor(file, config) {
    this.#config = config;
    this.#result = { emitted: [], message: "", log: [] };
    const module = new WebAssembly.Module(readFileSync(file));
    this.#exports = new WebAssembly.Instance(module, this.#imports()).exports;
    this.#exports._initialize?.();
    this.#configuring = true;
    const status = this.#exports.configure?.() ?? 0;
    this.#configuring = false;
    if (status !== 0) this.refusal = this.#result.message;
  }

  // The events. Objects are values, or their JSON text.
  add(object, flags = 0) { return this.#event("add", object, undefined, flags); }
  update(old, object, flags = 0) { return this.#event("update", object, old, flags); }
  delete(object, flags = 0) { return this.#event("delete", object, undefined, flags); }
  resync(object, flags = 0) { return this.#event("resync", object, undefined, flags); }

  /** memory is how many bytes the guest has. */
  get memory() { return this.#exports.memory.buffer.byteLength; }

  #event(op, object, old, flags) {
    const text = (o) => (o === undefined ? "" : typeof o == "string" ? o : JSON.stringify(o));
    this.#op = ops[op];
    this.#objects = [text(object), text(old)];
    this.#result = { verdict: "", emitted: [], message: "", log: [] };
    const [size, oldSize] = this.#objects.map((o) => Buffer.byteLength(o));
    this.#result.verdict = verdicts[this.#exports.on_event(this.#op, flags, size, oldSize)] ?? "unknown";
    if (this.#result.verdict != "done") this.#result.emitted = [];
    return this.#result;
  }

  #read(ptr, length) {
    return Buffer.from(this.#exports.memory.buffer, ptr >>> 0, length >>> 0).toString();
  }

  // answer writes a text if there is room for all of it, and gives its length.
  #answer(text, ptr, cap) {
    const bytes = Buffer.from(text);
    if (bytes.length <= cap >>> 0) Buffer.from(this.#exports.memory.buffer).set(bytes, ptr >>> 0);
    return bytes.length;
  }

  #lookup(which, handle) {
    if (this.#objects[which] === "") return undefined;
    let at = JSON.parse(this.#objects[which]);
    for (const step of this.#paths[handle]) {
      const inside = typeof step == "number" ? Array.isArray(at) : at !== null && typeof at == "object" && !Array.isArray(at);
      if (!inside || !Object.hasOwn(at, step)) return undefined;
      at = at[step];
    }
    return at;
  }

  #imports() {
    return {
      "informerd/event.v1": {
        object: (which, off, ptr, cap) => {
          if (this.#objects[which] === "") return notFound;
          const window = Buffer.from(this.#objects[which]).subarray(off >>> 0, (off >>> 0) + (cap >>> 0));
          Buffer.from(this.#exports.memory.buffer).set(window, ptr >>> 0);
          return window.length;
        },
        path: (ptr, length) => {
          if (!this.#configuring) return wrongPhase;
          const steps = parsePath(this.#read(ptr, length));
          if (!steps) return badArgument;
          return this.#paths.length == maxPaths ? quota : this.#paths.push(steps) - 1;
        },
        field: (which, handle, ptr, cap) => {
          if (!this.#paths[handle]) return BigInt(badArgument);
          const value = this.#lookup(which, handle);
          if (value === undefined) return 0n;
          const text = typeof value == "string" ? value : JSON.stringify(value);
          return (BigInt(tagOf(value)) << 32n) | BigInt(this.#answer(text, ptr, cap));
        },
        changed: (handle) => {
          const now = JSON.stringify(this.#lookup(0, handle));
          if (this.#op == ops.update) return Number(now !== JSON.stringify(this.#lookup(1, handle)));
          return Number(this.#op != ops.resync && now !== undefined);
        },
      },
      "informerd/result.v1": {
        emit: (kind, ptr, length) => {
          if (this.#configuring) return wrongPhase;
          const value = JSON.parse(this.#read(ptr, length));
          if (kind == 1 && !/^[!-~]{1,256}$/.test(value.type)) return badArgument;
          this.#result.emitted.push(kind == 1 ? value : { data: value });
          return 0;
        },
        error: (ptr, length) => { this.#result.message = this.#read(ptr, length); },
      },
      "informerd/config.v1": { get: (ptr, cap) => this.#answer(this.#config, ptr, cap) },
      "informerd/log.v1": {
        log: (_level, ptr, length) => { this.#result.log.push(this.#read(ptr, length)); },
        enabled: () => 1,
      },
    };
  }
}

function tagOf(value) {
  if (value === null) return 1;
  if (Array.isArray(value)) return 5;
  return { boolean: 2, number: 3, string: 4, object: 6 }[typeof value];
}

// parsePath cuts metadata.labels["app"] or a[0].b into steps.
function parsePath(text) {
  const steps = [];
  let rest = text;
  while (rest !== "") {
    const step = /^(?:\["([^"]*)"\]|\[(\d+)\]|\.?([^.[\]" \t]+)(?=[.[]|$))/.exec(rest);
    if (!step) return undefined;
    steps.push(step[1] ?? (step[2] === undefined ? step[3] : Number(step[2])));
    rest = rest.slice(step[0].length);
  }
  return steps.length > 0 ? steps : undefined;
}
