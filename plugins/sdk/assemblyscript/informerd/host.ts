// The host functions of the interface informerd/v1, and the conversion of texts.

// @ts-ignore: decorator
@external("informerd/event.v1", "object")
export declare function eventObject(which: u32, off: u32, ptr: usize, cap: u32): i32;

// @ts-ignore: decorator
@external("informerd/event.v1", "path")
export declare function eventPath(ptr: usize, len: u32): i32;

// @ts-ignore: decorator
@external("informerd/event.v1", "field")
export declare function eventField(which: u32, handle: u32, ptr: usize, cap: u32): i64;

// @ts-ignore: decorator
@external("informerd/event.v1", "changed")
export declare function eventChanged(handle: u32): i32;

// @ts-ignore: decorator
@external("informerd/event.v1", "prefetch")
export declare function eventPrefetch(ptr: usize, cap: u32, handles: usize, n: u32): i32;

// @ts-ignore: decorator
@external("informerd/event.v1", "next")
export declare function eventNext(ptr: usize, cap: u32): i32;

// @ts-ignore: decorator
@external("informerd/result.v1", "emit")
export declare function resultEmit(kind: i32, ptr: usize, len: u32): i32;

// @ts-ignore: decorator
@external("informerd/result.v1", "error")
export declare function resultError(ptr: usize, len: u32): void;

// @ts-ignore: decorator
@external("informerd/config.v1", "get")
export declare function configGet(ptr: usize, cap: u32): i32;

// @ts-ignore: decorator
@external("informerd/log.v1", "log")
export declare function logLog(level: i32, ptr: usize, len: u32): void;

// @ts-ignore: decorator
@external("informerd/log.v1", "enabled")
export declare function logEnabled(level: i32): i32;

// @ts-ignore: decorator
@external("informerd/kv.v1", "get")
export declare function kvGet(key: usize, keyLen: u32, ptr: usize, cap: u32): i32;

// @ts-ignore: decorator
@external("informerd/kv.v1", "set")
export declare function kvSet(key: usize, keyLen: u32, ptr: usize, len: u32, ttlMs: i64): i32;

// @ts-ignore: decorator
@external("informerd/kv.v1", "delete")
export declare function kvDelete(key: usize, keyLen: u32): i32;

// @ts-ignore: decorator
@external("informerd/kv.v1", "cas")
export declare function kvCas(key: usize, keyLen: u32, old: usize, oldLen: i32, ptr: usize, len: u32, ttlMs: i64): i32;

// @ts-ignore: decorator
@external("informerd/clock.v1", "now_ns")
export declare function clockNow(): i64;

// @ts-ignore: decorator
@external("informerd/random.v1", "fill")
export declare function randomFill(ptr: usize, len: u32): i32;

// @ts-ignore: decorator
@external("informerd/http.v1", "request")
export declare function httpRequest(head: usize, headLen: u32, body: usize, bodyLen: u32): i32;

// @ts-ignore: decorator
@external("informerd/http.v1", "header")
export declare function httpHeader(name: usize, nameLen: u32, ptr: usize, cap: u32): i32;

// @ts-ignore: decorator
@external("informerd/http.v1", "body")
export declare function httpBody(off: u32, ptr: usize, cap: u32): i32;

// @ts-ignore: decorator
@external("informerd/cache.v1", "resource")
export declare function cacheResource(ptr: usize, len: u32): i32;

// @ts-ignore: decorator
@external("informerd/cache.v1", "get")
export declare function cacheGet(resource: u32, ns: usize, nsLen: u32, name: usize, nameLen: u32): i32;

// @ts-ignore: decorator
@external("informerd/cache.v1", "by_index")
export declare function cacheByIndex(resource: u32, index: usize, indexLen: u32, value: usize, valueLen: u32): i32;

// @ts-ignore: decorator
@external("informerd/cache.v1", "iter_next")
export declare function cacheNext(iter: u32): i32;

// @ts-ignore: decorator
@external("informerd/cache.v1", "iter_field")
export declare function cacheField(iter: u32, path: i32, ptr: usize, cap: u32): i64;

// @ts-ignore: decorator
@external("informerd/cache.v1", "iter_close")
export declare function cacheClose(iter: u32): i32;

/** buffer receives what the host writes. It grows to the longest text. */
let buffer = new ArrayBuffer(4096);

export function room(atLeast: u32 = 0): u32 {
  if (atLeast > <u32>buffer.byteLength) buffer = new ArrayBuffer(atLeast);
  return buffer.byteLength;
}

export function address(): usize {
  return changetype<usize>(buffer);
}

/** written returns the first bytes of the buffer as a string. */
export function written(length: u32): string {
  return String.UTF8.decodeUnsafe(address(), length);
}

/** utf8 encodes a text for the host. An unpaired surrogate becomes U+FFFD. */
export function utf8(text: string): ArrayBuffer {
  return String.UTF8.encode(text, false, String.UTF8.ErrorMode.REPLACE);
}

export function giveReason(text: string): void {
  const bytes = utf8(text);
  resultError(changetype<usize>(bytes), bytes.byteLength);
}
