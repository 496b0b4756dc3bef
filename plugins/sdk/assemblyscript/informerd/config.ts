import { address, configGet, room, written } from "./host";
import { quote } from "./json";
import { Value } from "./value";

/** config returns the handler's configuration, always a map. */
export function config(): Value {
  let cap = room();
  let n = configGet(address(), cap);
  if (n > <i32>cap) {
    cap = room(n);
    n = configGet(address(), cap);
  }
  return Value.of(n > 0 ? written(n).trim() : "{}");
}

/**
 * configOnly returns an error if the configuration has a field that is not among the names,
 * otherwise null.
 */
export function configOnly(names: Array<string>): string | null {
  const fields = config().names();
  for (let i = 0; i < fields.length; i++) {
    if (!names.includes(fields[i])) return "config: unknown field " + quote(fields[i]);
  }
  return null;
}
