// Objects of other informers, from their caches. A guest that calls it needs the grant "cache".
import { Fields } from "./object";
import { cacheByIndex, cacheClose, cacheField, cacheGet, cacheNext, cacheResource, utf8 } from "./host";
import { Answer, Status, statusOf, statusText } from "./status";

const wholeObject: i32 = -1;

/** Cache is the cache of one informer. It may be kept for all events. */
export class Cache extends Answer {
  /** @internal */
  constructor(private handle: i32) {
    super(statusOf(handle));
  }

  /**
   * get returns an object, with status NotFound if there is none. The namespace is "" for
   * cluster-scoped objects.
   */
  get(namespace: string, name: string): CacheObject {
    if (!this.ok) return new CacheObject(this.status);
    const a = utf8(namespace), b = utf8(name);
    return new CacheObject(cacheGet(this.handle, changetype<usize>(a), a.byteLength, changetype<usize>(b), b.byteLength));
  }

  /**
   * byIndex returns the objects that have a value in one of the informer's indexes, in any order.
   */
  byIndex(index: string, value: string): CacheIterator {
    if (!this.ok) return new CacheIterator(this.status);
    const a = utf8(index), b = utf8(value);
    return new CacheIterator(cacheByIndex(this.handle, changetype<usize>(a), a.byteLength, changetype<usize>(b), b.byteLength));
  }
}

/**
 * CacheObject is an object of a cache, valid until it is closed or the handler returns. At most 16
 * of them, and of iterators, can be open at once.
 */
export class CacheObject extends Fields {
  /** status is why there is no object to read. */
  status: Status;
  protected stands: bool;

  /** @internal */
  constructor(protected iterator: i32) {
    super();
    this.status = statusOf(iterator);
    this.stands = iterator >= 0;
  }

  /** ok reports whether the call succeeded. */
  get ok(): bool {
    return this.status == Status.OK;
  }

  /** error is the text of the status, empty if the call succeeded. */
  get error(): string {
    return statusText(this.status);
  }

  /** exists reports whether there is an object to read. */
  exists(): bool {
    return this.stands;
  }

  /**
   * json returns a copy of the whole text, "" if there is no object. Prefer reading single fields.
   */
  json(): string {
    return this.value(wholeObject).text;
  }

  /** close releases the object before the event ends, which closes it, too. */
  close(): void {
    this.stands = false;
    if (this.iterator >= 0) cacheClose(this.iterator);
    this.iterator = Status.BadArgument;
  }

  protected field(handle: i32, ptr: usize, cap: u32): i64 {
    return this.stands ? cacheField(this.iterator, handle, ptr, cap) : Status.NotFound;
  }
}

/** CacheIterator is positioned before the first object found and, after next, on one. */
export class CacheIterator extends CacheObject {
  /** @internal */
  constructor(iterator: i32) {
    super(iterator);
    this.stands = false;
  }

  /**
   * next moves to the next object. It closes the iterator after the last; status is the error, if
   * any.
   */
  next(): bool {
    if (this.iterator < 0) return false;
    const n = cacheNext(this.iterator);
    this.status = statusOf(n);
    this.stands = n == 1;
    if (!this.stands) this.close();
    return this.stands;
  }
}

/**
 * open returns the cache of the informer with that name in the configuration, with status Denied if
 * it is not granted.
 */
export function open(informer: string): Cache {
  const name = utf8(informer);
  return new Cache(cacheResource(changetype<usize>(name), name.byteLength));
}
