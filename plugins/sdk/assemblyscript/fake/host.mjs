// A fake host, to test a built handler under node: a small model of the real one, without grants,
// limits and deadlines. It runs a guest in any language that imports nothing but informerd's
// modules.
//
//     import { World, load, start } from ".../fake/host.mjs";
//     const world = new World();
//     world.http.answer("GET", "http://cmdb/web", { status: 200, body: "{}" });
//     const guest = start("handler.wasm", { threshold: 2 }, world);
//     const result = guest.add({ metadata: { name: "web" } });
//     // result.verdict, result.emitted, result.message, result.log
import { readFileSync } from "node:fs";
import { cacheImports } from "./cache.mjs";
import { Event, Events } from "./event.mjs";
import { Memory } from "./memory.mjs";
import { badArgument, denied, quota, wrongPhase } from "./status.mjs";
import { World, randomBytes } from "./world.mjs";

export { World };

const verdicts = ["done", "drop", "retry", "fail"];
const reserved = ["dev.informerd.object.", "dev.informerd.rule."];
const maxRandom = 64 << 10;

/** load returns a guest, or { refusal } with the reason if it rejects its configuration. */
export function load(file, config = {}, world = new World()) {
  const guest = new Guest(file, typeof config == "string" ? config : JSON.stringify(config), world);
  return guest.refusal === undefined ? guest : { refusal: guest.refusal };
}

/** start is load for a configuration that must be accepted. */
export function start(file, config = {}, world = new World()) {
  const guest = load(file, config, world);
  if (guest.refusal !== undefined) throw new Error("configure: " + guest.refusal);
  return guest;
}

class Guest {
  /** calls counts host calls since the test emptied it, by name, such as "event.v1 field". */
  calls = {};
  #exports;
  #memory = new Memory(() => this.#exports);
  // The state that the host functions work on, besides the memory.
  #state = { configuring: false, running: false, events: new Events(this.#memory), iterators: [], answer: undefined };
  #result = noResult();

  constructor(file, config, world) {
    const module = new WebAssembly.Module(readFileSync(file));
    this.#exports = new WebAssembly.Instance(module, this.#counted(this.#imports(config, world))).exports;
    this.#guard(() => this.#exports._initialize?.());
    this.#state.configuring = true;
    const status = this.#guard(() => this.#exports.configure?.() ?? 0);
    this.#state.configuring = false;
    if (status !== 0) this.refusal = this.#result.message;
  }

  // The events. Objects are values, or their JSON text.
  add(object, flags = 0) { return this.#one({ op: "add", object, flags }); }
  update(old, object, flags = 0) { return this.#one({ op: "update", object, old, flags }); }
  delete(object, flags = 0) { return this.#one({ op: "delete", object, flags }); }
  resync(object, flags = 0) { return this.#one({ op: "resync", object, flags }); }

  /** batch passes several events { op, object, old, flags } at once, and returns their results. */
  batch(events) {
    const state = this.#state, results = [];
    this.#result = noResult();
    state.events.batch(events.map((e) => new Event(e)), (_event, verdict) => {
      results.push(this.#end(verdict));
    });
    state.running = true;
    const verdict = this.#guard(() => this.#exports.on_batch(events.length));
    state.events.settle();
    state.running = false;
    state.events.end();
    while (results.length < events.length) results.push({ ...noResult(), verdict: -1 });
    for (const r of results) {
      r.verdict = verdicts[r.verdict == -1 ? verdict : r.verdict] ?? "unknown";
      if (r.verdict != "done") r.emitted = [];
    }
    return results;
  }

  /** memory returns the size of the guest's memory in bytes. */
  get memory() { return this.#memory.size; }

  #one(e) {
    if (!this.#exports.on_event) return this.batch([e])[0];
    const state = this.#state, event = new Event(e);
    this.#result = noResult();
    state.running = true;
    state.events.take(event);
    const verdict = this.#guard(() => this.#exports.on_event(...event.args));
    state.running = false;
    state.events.end();
    const result = this.#end(verdicts[verdict] ?? "unknown");
    if (result.verdict != "done") result.emitted = [];
    return result;
  }

  // end returns the result of an event, and starts the next one with an empty result.
  #end(verdict) {
    const result = { ...this.#result, verdict };
    this.#result = noResult();
    this.#state.iterators = [];
    this.#state.answer = undefined;
    return result;
  }

  // guard adds the guest's last message to a trap.
  #guard(f) {
    try {
      return f();
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError && this.#result.message) error.message += ": " + this.#result.message;
      throw error;
    }
  }

  #emit(kind, text) {
    if (!this.#state.events.at) return wrongPhase;
    const emitted = this.#result.emitted, value = parse(text);
    if (value === undefined) return badArgument;
    if (kind == 1) {
      if (!/^[!-~]{1,256}$/.test(value.type)) return badArgument;
      if (reserved.some((r) => value.type.startsWith(r))) return denied;
    } else if (emitted.some((e) => e.type === undefined)) {
      return quota;
    }
    emitted.push(kind == 1 ? value : { data: value });
    return 0;
  }

  #imports(config, world) {
    const memory = this.#memory, state = this.#state, random = randomBytes(world.seed);
    return {
      "informerd/event.v1": state.events.imports(state),
      "informerd/result.v1": {
        emit: (kind, ptr, length) => this.#emit(kind, memory.read(ptr, length)),
        error: (ptr, length) => { this.#result.message = memory.read(ptr, length); },
      },
      "informerd/config.v1": { get: (ptr, cap) => memory.answer(config, ptr, cap) },
      "informerd/log.v1": {
        log: (_level, ptr, length) => { this.#result.log.push(memory.read(ptr, length)); },
        enabled: () => 1,
      },
      "informerd/kv.v1": world.kv.imports(state, memory),
      "informerd/http.v1": world.http.imports(state, memory),
      "informerd/cache.v1": cacheImports(state, memory, world.caches),
      "informerd/clock.v1": { now_ns: () => BigInt(world.time.getTime()) * 1_000_000n },
      "informerd/random.v1": {
        fill: (ptr, length) => {
          if (length >>> 0 > maxRandom) return badArgument;
          memory.bytes(ptr, length).forEach((_, i, bytes) => { bytes[i] = random(); });
          return 0;
        },
      },
    };
  }

  #counted(modules) {
    const count = (name, f) => (...args) => {
      this.calls[name] = (this.calls[name] ?? 0) + 1;
      return f(...args);
    };
    const counted = {};
    for (const [module, functions] of Object.entries(modules)) {
      const short = module.slice("informerd/".length);
      counted[module] = Object.fromEntries(Object.entries(functions).map(([name, f]) => [name, count(`${short} ${name}`, f)]));
    }
    return counted;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noResult() {
  return { verdict: "", emitted: [], message: "", log: [] };
}
