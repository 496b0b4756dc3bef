import { HTTP } from "./http.mjs";
import { KV } from "./kv.mjs";

/**
 * World is the environment of guests. Guests in the same one share it, as those of a listener do.
 */
export class World {
  /** time is that of the clock, by which values in kv expire. Only the test changes it. */
  time = new Date("2026-01-01T00:00:00Z");
  /** seed is that of the random bytes. Each guest gets the same ones in the same order. */
  seed = 1;
  /** caches are those of other informers, by name: { objects, indexes }. */
  caches = {};
  kv = new KV(() => this.time);
  http = new HTTP();

  /** wait advances the time by some milliseconds. */
  wait(ms) { this.time = new Date(this.time.getTime() + ms); }
}

/** randomBytes returns a generator of bytes, the same ones for the same seed. */
export function randomBytes(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let n = Math.imul(state ^ (state >>> 15), 1 | state);
    n ^= n + Math.imul(n ^ (n >>> 7), 61 | n);
    return (n ^ (n >>> 14)) & 0xff;
  };
}
