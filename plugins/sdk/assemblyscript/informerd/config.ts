import { address, configGet, room, written } from "./host";
import { quote } from "./json";
import { Value } from "./value";

/** config gives the handler's configuration, always a map. */
export function config(): Value {
  let cap = room();
  let n = configGet(address(), cap);
  if (n > <i32>cap) {
    cap = room(n);
    n = configGet(address(), cap);
  }
  return Value.of(n > 0 ? written(n).trim() : "{}");
}

/** configOnly says what is wrong with a configuration that has a field not among the names, and gives null if it has none. */
export function configOnly(names: Array<string>): string | null {
  const fields = config().names();
  for (let i = 0; i < fields.length; i++) {
    if (!names.includes(fields[i])) return "config: unknown field " + quote(fields[i]);
  }
  return null;
}
