/** Memory is that of the guest, which is found anew for each access, since it may have grown. */
export class Memory {
  #exports;

  constructor(exports) { this.#exports = exports; }

  get size() { return this.#exports().memory.buffer.byteLength; }

  /** bytes gives a view. Like the real host, it traps a range that is outside of the memory. */
  bytes(ptr, length) {
    if ((ptr >>> 0) + (length >>> 0) > this.size) throw new WebAssembly.RuntimeError("a bad pointer was given to the host");
    return Buffer.from(this.#exports().memory.buffer, ptr >>> 0, length >>> 0);
  }

  read(ptr, length) { return this.bytes(ptr, length).toString(); }

  /** answer writes a text or bytes if there is room for all of it, and gives its length. */
  answer(value, ptr, cap) {
    const bytes = Buffer.from(value);
    if (bytes.length <= cap >>> 0) bytes.copy(this.bytes(ptr, bytes.length));
    return bytes.length;
  }

  /** window writes what a window into a text or bytes shows, and gives how much that is. */
  window(value, off, ptr, cap) {
    const part = Buffer.from(value).subarray(off >>> 0, (off >>> 0) + (cap >>> 0));
    part.copy(this.bytes(ptr, part.length));
    return part.length;
  }
}
