// A writer of JSON, and a reader of JSON that the host has validated. Text that is not valid yields
// wrong values, but is never read beyond its end.

const quotes: i32 = 0x22, backslash: i32 = 0x5c;

export function skipSpace(json: string, at: i32): i32 {
  while (at < json.length && isSpace(json.charCodeAt(at))) at++;
  return at;
}

function isSpace(c: i32): bool {
  return c == 0x20 || c == 0x09 || c == 0x0a || c == 0x0d;
}

/** end reports whether an array or a map ends here. */
export function end(json: string, at: i32): bool {
  const c = json.charCodeAt(at);
  return c == 0x5d || c == 0x7d;
}

function skipString(json: string, at: i32): i32 {
  for (at++; at < json.length; at++) {
    const c = json.charCodeAt(at);
    if (c == backslash) at++;
    else if (c == quotes) return at + 1;
  }
  return json.length;
}

/** skipValue returns the end of the value that begins here. */
export function skipValue(json: string, at: i32): i32 {
  let depth = 0;
  while (at < json.length) {
    const c = json.charCodeAt(at);
    if (c == quotes) {
      at = skipString(json, at);
      if (depth == 0) return at;
      continue;
    }
    if (c == 0x7b || c == 0x5b) {
      depth++;
    } else if (end(json, at)) {
      if (depth == 0) return at;
      if (--depth == 0) return at + 1;
    } else if (depth == 0 && (c == 0x2c || isSpace(c))) {
      return at;
    }
    at++;
  }
  return at;
}

/**
 * isOneValue reports whether a text from outside is a single value when it is put into other JSON:
 * it does not end early and continue as something else. Whether the value itself is valid is
 * checked by the host, with the whole text.
 */
export function isOneValue(text: string): bool {
  const from = skipSpace(text, 0), to = skipValue(text, from);
  return to > from && skipSpace(text, to) == text.length;
}

/** decode decodes a JSON string, given with its quotes. */
export function decode(quoted: string): string {
  if (quoted.indexOf("\\") < 0) return quoted.substring(1, quoted.length - 1);
  let text = "", from = 1;
  const last = quoted.length - 1;
  for (let i = 1; i < last; i++) {
    if (quoted.charCodeAt(i) != backslash) continue;
    text += quoted.substring(from, i);
    const c = quoted.charCodeAt(++i);
    from = i + 1;
    switch (c) {
      case 0x6e: text += "\n"; break;
      case 0x74: text += "\t"; break;
      case 0x72: text += "\r"; break;
      case 0x62: text += "\b"; break;
      case 0x66: text += "\f"; break;
      case 0x75: // u; strings are UTF-16, so surrogate pairs need no care
        text += String.fromCharCode(<i32>U32.parseInt(quoted.substring(i + 1, i + 5), 16));
        i += 4;
        from = i + 1;
        break;
      default: text += String.fromCharCode(c);
    }
  }
  return from < last ? text + quoted.substring(from, last) : text;
}

/** quote returns a text as a JSON string, for output and for messages. */
export function quote(text: string): string {
  let quoted = "\"", from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x20 && c != quotes && c != backslash) continue;
    quoted += text.substring(from, i);
    from = i + 1;
    switch (c) {
      case quotes: quoted += "\\\""; break;
      case backslash: quoted += "\\\\"; break;
      case 0x0a: quoted += "\\n"; break;
      case 0x0d: quoted += "\\r"; break;
      case 0x09: quoted += "\\t"; break;
      default: quoted += "\\u00" + (c < 0x10 ? "0" : "") + c.toString(16);
    }
  }
  return quoted + text.substring(from) + "\"";
}

/** MapWriter writes a JSON object; toString returns it. */
export class MapWriter {
  private members: Array<string> = new Array<string>();

  string(name: string, text: string): this {
    return this.json(name, quote(text));
  }

  int(name: string, n: i64): this {
    return this.json(name, n.toString());
  }

  bool(name: string, b: bool): this {
    return this.json(name, b ? "true" : "false");
  }

  /** json adds a value that is already JSON. */
  json(name: string, json: string): this {
    this.members.push(quote(name) + ":" + json);
    return this;
  }

  toString(): string {
    return "{" + this.members.join(",") + "}";
  }
}

/** ListWriter writes a JSON array; toString returns it. */
export class ListWriter {
  private items: Array<string> = new Array<string>();

  get length(): i32 {
    return this.items.length;
  }

  string(text: string): this {
    return this.json(quote(text));
  }

  int(n: i64): this {
    return this.json(n.toString());
  }

  bool(b: bool): this {
    return this.json(b ? "true" : "false");
  }

  /** json adds a value that is already JSON. */
  json(json: string): this {
    this.items.push(json);
    return this;
  }

  toString(): string {
    return "[" + this.items.join(",") + "]";
  }
}
