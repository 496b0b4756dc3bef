/** Memory is the guest's memory. It is looked up for each access, since it may have grown. */
export class Memory {
  #exports;

  constructor(exports) { this.#exports = exports; }

  get size() { return this.#exports().memory.buffer.byteLength; }

  /** bytes returns a view. Like the real host, it traps if the range is outside of the memory. */
  bytes(ptr, length) {
    if ((ptr >>> 0) + (length >>> 0) > this.size) throw new WebAssembly.RuntimeError("a range outside of the memory was passed to the host");
    return Buffer.from(this.#exports().memory.buffer, ptr >>> 0, length >>> 0);
  }

  read(ptr, length) { return this.bytes(ptr, length).toString(); }

  /** answer writes a text or bytes whole or not at all, and returns its length. */
  answer(value, ptr, cap) {
    const bytes = Buffer.from(value);
    if (bytes.length <= cap >>> 0) bytes.copy(this.bytes(ptr, bytes.length));
    return bytes.length;
  }

  /** window writes as much of a text or bytes as there is room for, and returns how much. */
  window(value, off, ptr, cap) {
    const part = Buffer.from(value).subarray(off >>> 0, (off >>> 0) + (cap >>> 0));
    part.copy(this.bytes(ptr, part.length));
    return part.length;
  }
}
