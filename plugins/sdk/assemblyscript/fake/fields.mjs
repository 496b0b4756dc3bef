import { badArgument } from "./status.mjs";

/** text returns a field's value as text: a string itself, any other value as JSON. */
export function text(value) {
  return typeof value == "string" ? value : JSON.stringify(value);
}

/** tag returns the type of a value, 0 if there is none. */
export function tag(value) {
  if (value === undefined) return 0;
  if (value === null) return 1;
  if (Array.isArray(value)) return 5;
  return { boolean: 2, number: 3, string: 4, object: 6 }[typeof value];
}

/** lookup returns the value at the steps of a path, undefined if it is missing. */
export function lookup(object, steps) {
  let at = object;
  for (const step of steps) {
    const inside = typeof step == "number" ? Array.isArray(at) : at !== null && typeof at == "object" && !Array.isArray(at);
    if (!inside || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return at;
}

/** field writes a field of an object, as event.v1 field and cache.v1 iter_field do. */
export function field(memory, object, steps, ptr, cap) {
  if (!steps) return BigInt(badArgument);
  const value = lookup(object, steps);
  if (value === undefined) return 0n;
  return (BigInt(tag(value)) << 32n) | BigInt(memory.answer(text(value), ptr, cap));
}

/** parsePath splits metadata.labels["app"] or a[0].b into steps; undefined if it is malformed. */
export function parsePath(path) {
  const steps = [];
  let rest = path;
  while (rest !== "") {
    const step = /^(?:\["([^"]*)"\]|\[(\d+)\]|\.?([^.[\]" \t]+)(?=[.[]|$))/.exec(rest);
    if (!step) return undefined;
    steps.push(step[1] ?? (step[2] === undefined ? step[3] : Number(step[2])));
    rest = rest.slice(step[0].length);
  }
  return steps.length > 0 ? steps : undefined;
}
