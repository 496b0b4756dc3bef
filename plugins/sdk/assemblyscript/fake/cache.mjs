import { field } from "./fields.mjs";
import { badArgument, denied, notFound, quota, wrongPhase } from "./status.mjs";

const maxIterators = 16;

/**
 * cacheImports returns the functions of cache.v1. A cache is { objects, indexes }: a list of
 * objects, and lists of the objects found under each value, by index name and value. A missing
 * cache is denied.
 */
export function cacheImports(guest, memory, caches) {
  const names = [];
  const iterator = (n, f, wrap = (status) => status) => {
    if (!guest.events.at) return wrap(wrongPhase);
    return guest.iterators[n] ? f(guest.iterators[n]) : wrap(badArgument);
  };
  // open returns an iterator over some objects, positioned on the first or before it.
  const open = (resource, find) => {
    if (!guest.events.at) return wrongPhase;
    if (!names[resource]) return badArgument;
    const found = find(caches[names[resource]]);
    if (!found) return notFound;
    const free = guest.iterators.findIndex((it) => !it);
    const n = free < 0 ? guest.iterators.length : free;
    if (n == maxIterators) return quota;
    guest.iterators[n] = found;
    return n;
  };
  return {
    resource: (ptr, length) => {
      const name = memory.read(ptr, length);
      if (!Object.hasOwn(caches, name)) return denied;
      return names.includes(name) ? names.indexOf(name) : names.push(name) - 1;
    },
    get: (resource, ns, nsLength, name, nameLength) => open(resource, ({ objects = [] }) => {
      const asked = [memory.read(ns, nsLength), memory.read(name, nameLength)];
      const current = objects.find(({ metadata: m }) => (m.namespace ?? "") == asked[0] && m.name == asked[1]);
      return current && { current, left: [] };
    }),
    by_index: (resource, index, indexLength, value, valueLength) => open(resource, ({ indexes = {} }) => {
      const left = indexes[memory.read(index, indexLength)]?.[memory.read(value, valueLength)] ?? [];
      return { current: undefined, left: [...left] };
    }),
    iter_next: (n) => iterator(n, (it) => {
      it.current = it.left.shift();
      return Number(it.current !== undefined);
    }),
    iter_field: (n, path, ptr, cap) => iterator(n, (it) => {
      if (it.current === undefined) return BigInt(notFound);
      return field(memory, it.current, path == -1 ? [] : guest.events.paths[path], ptr, cap);
    }, BigInt),
    iter_close: (n) => iterator(n, () => {
      guest.iterators[n] = undefined;
      return 0;
    }),
  };
}
