// Objects of other informers, as they stand in their caches. A guest that calls it needs the grant "cache".
import { Fields } from "./object";
import { cacheByIndex, cacheClose, cacheField, cacheGet, cacheNext, cacheResource, utf8 } from "./host";
import { Answer, Status, statusOf, statusText } from "./status";

const wholeObject: i32 = -1;

/** Cache is that of one informer. It may be kept for all events. */
export class Cache extends Answer {
  /** @internal */
  constructor(private handle: i32) {
    super(statusOf(handle));
  }

  /** get finds an object; the namespace is "" for cluster-scoped ones. Its status is NotFound if there is none. */
  get(namespace: string, name: string): CacheObject {
    if (!this.ok) return new CacheObject(this.status);
    const a = utf8(namespace), b = utf8(name);
    return new CacheObject(cacheGet(this.handle, changetype<usize>(a), a.byteLength, changetype<usize>(b), b.byteLength));
  }

  /** byIndex finds the objects that have a value in one of the informer's indexes, in any order. */
  byIndex(index: string, value: string): CacheIterator {
    if (!this.ok) return new CacheIterator(this.status);
    const a = utf8(index), b = utf8(value);
    return new CacheIterator(cacheByIndex(this.handle, changetype<usize>(a), a.byteLength, changetype<usize>(b), b.byteLength));
  }
}

/**
 * CacheObject is an object of a cache, valid until it is closed or the handler returns. No more than 16 of them, and of
 * iterators, can be open at once.
 */
export class CacheObject extends Fields {
  /** status says why there is no object to read. */
  status: Status;
  protected stands: bool;

  /** @internal */
  constructor(protected iterator: i32) {
    super();
    this.status = statusOf(iterator);
    this.stands = iterator >= 0;
  }

  /** ok is true if the host did what it was asked to. */
  get ok(): bool {
    return this.status == Status.OK;
  }

  /** error is empty, or the word for the status. */
  get error(): string {
    return statusText(this.status);
  }

  /** exists tells whether there is an object to read. */
  exists(): bool {
    return this.stands;
  }

  /** json copies the whole text, "" if there is no object. Prefer reading single fields. */
  json(): string {
    return this.value(wholeObject).text;
  }

  /** close gives the place of one that is open back. The end of the event closes it, too. */
  close(): void {
    this.stands = false;
    if (this.iterator >= 0) cacheClose(this.iterator);
    this.iterator = Status.BadArgument;
  }

  protected field(handle: i32, ptr: usize, cap: u32): i64 {
    return this.stands ? cacheField(this.iterator, handle, ptr, cap) : Status.NotFound;
  }
}

/** CacheIterator stands before the first object that was found, and, after next, on one. */
export class CacheIterator extends CacheObject {
  /** @internal */
  constructor(iterator: i32) {
    super(iterator);
    this.stands = false;
  }

  /** next goes on to the next object. If there is none it closes the iterator; if it may not be read, status says so. */
  next(): bool {
    if (this.iterator < 0) return false;
    const n = cacheNext(this.iterator);
    this.status = statusOf(n);
    this.stands = n == 1;
    if (!this.stands) this.close();
    return this.stands;
  }
}

/** open gives the cache of an informer by its name in the configuration. Its status is Denied if it is not granted. */
export function open(informer: string): Cache {
  const name = utf8(informer);
  return new Cache(cacheResource(changetype<usize>(name), name.byteLength));
}
