import { FieldPath, compiledPaths, isConfiguring } from "./field";
import { eventPrefetch } from "./host";
import { Status, statusOf } from "./status";

// The host writes fields before each event, so that reading them takes no call: a head of 4 bytes,
// an entry for each field, and the texts.
const bufferSize: i32 = 4096;
const headSize: i32 = 4;
const entrySize: i32 = 12;

/**
 * The SDK prefetches up to so many fields by default; a handler with more paths reads few of them
 * for each event.
 */
const automatic: i32 = 16;

/** Entry is the host's description of a field. @internal */
@unmanaged
export class Entry {
  kind!: u32;
  length!: u32;
  offset!: u32;
}

let buffer: ArrayBuffer | null = null;
let ahead: Array<FieldPath> = [];
let chosen = false;

/**
 * prefetch chooses the fields of the object that the host writes before each event, so that reading
 * them takes no call. Without it these are all paths compiled when the guest is configured, if
 * there are at most 16; prefetch([]) chooses none. Only configure may call it. The last call
 * counts.
 */
export function prefetch(paths: Array<FieldPath>): Status {
  if (!isConfiguring()) return Status.WrongPhase;
  const status = declare(paths);
  if (status == Status.OK) chosen = true;
  return status;
}

/** prefetchCompiled chooses the fields for a handler that did not. @internal */
export function prefetchCompiled(): void {
  const paths = compiledPaths();
  if (!chosen && paths.length > 0 && paths.length <= automatic) declare(paths);
}

function declare(paths: Array<FieldPath>): Status {
  const handles = new StaticArray<i32>(paths.length);
  for (let i = 0; i < paths.length; i++) handles[i] = paths[i].handle;
  const room = buffer ? buffer! : new ArrayBuffer(bufferSize);
  const status = statusOf(eventPrefetch(changetype<usize>(room), bufferSize, changetype<usize>(handles), paths.length));
  if (status != Status.OK) return status;
  buffer = room;
  for (let i = 0; i < ahead.length; i++) ahead[i].slot = -1;
  for (let i = 0; i < paths.length; i++) paths[i].slot = i;
  ahead = paths.slice(0);
  return Status.OK;
}

/**
 * entryOf returns the entry of a field of the current object, null if it is not prefetched.
 * @internal
 */
export function entryOf(p: FieldPath): Entry | null {
  if (p.slot < 0) return null;
  return changetype<Entry>(changetype<usize>(buffer) + headSize + entrySize * p.slot);
}

/** textOf returns a field's text, null if it did not fit. @internal */
export function textOf(entry: Entry): string | null {
  if (entry.length == 0) return "";
  if (entry.offset == 0) return null;
  return String.UTF8.decodeUnsafe(changetype<usize>(buffer) + entry.offset, entry.length);
}
