import { HTTP } from "./http.mjs";
import { KV } from "./kv.mjs";

/** World is what a guest has around it. Guests that are given the same one share it, as those of a listener do. */
export class World {
  /** time is that of the clock, and of what is kept in kv. It stands still unless the test sets it. */
  time = new Date("2026-01-01T00:00:00Z");
  /** seed makes the random bytes. A guest gets the same ones in the same order. */
  seed = 1;
  /** caches are those of other informers, by their names: { objects, indexes }. */
  caches = {};
  kv = new KV(() => this.time);
  http = new HTTP();

  /** wait lets some milliseconds pass. */
  wait(ms) { this.time = new Date(this.time.getTime() + ms); }
}

/** randomBytes gives a function that makes bytes of a seed, the same ones each time. */
export function randomBytes(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let n = Math.imul(state ^ (state >>> 15), 1 | state);
    n ^= n + Math.imul(n ^ (n >>> 7), 61 | n);
    return (n ^ (n >>> 14)) & 0xff;
  };
}
