import { decode, end, skipSpace, skipValue } from "./json";

/** Kind is the JSON type of a value. */
export enum Kind {
  Missing = 0,
  Null = 1,
  Boolean = 2,
  Number = 3,
  String = 4,
  Array = 5,
  Map = 6,
}

/** kindOf returns the kind of the value at the start of a JSON text. */
function kindOf(json: string): Kind {
  if (json.length == 0) return Kind.Missing;
  switch (json.charCodeAt(0)) {
    case 0x6e: return Kind.Null; // n
    case 0x74: // t
    case 0x66: return Kind.Boolean; // f
    case 0x22: return Kind.String; // "
    case 0x5b: return Kind.Array; // [
    case 0x7b: return Kind.Map; // {
  }
  return Kind.Number;
}

/** Value is a field of an object, or a part of the configuration. */
export class Value {
  /** text is the decoded string, or the JSON text of any other value. */
  constructor(public readonly kind: Kind, public readonly text: string) {}

  /** of returns the value of a JSON text. */
  static of(json: string): Value {
    const kind = kindOf(json);
    return new Value(kind, kind == Kind.String ? decode(json) : json);
  }

  static missing(): Value {
    return new Value(Kind.Missing, "");
  }

  /** exists reports whether the value is present, null included. */
  exists(): bool {
    return this.kind != Kind.Missing;
  }

  /** string returns the string, "" for any other value. */
  string(): string {
    return this.kind == Kind.String ? this.text : "";
  }

  /** bool reports whether the value is true. */
  bool(): bool {
    return this.kind == Kind.Boolean && this.text == "true";
  }

  /** isInt reports whether the value is a 64-bit integer. */
  isInt(): bool {
    const negative = this.text.startsWith("-");
    const most = negative ? <u64>i64.MAX_VALUE + 1 : <u64>i64.MAX_VALUE;
    let sum: u64 = 0;
    if (this.kind != Kind.Number || this.text.length <= i32(negative)) return false;
    for (let i = i32(negative); i < this.text.length; i++) {
      const digit = <u64>(this.text.charCodeAt(i) - 0x30);
      if (digit > 9 || sum > (most - digit) / 10) return false;
      sum = sum * 10 + digit;
    }
    return true;
  }

  /** int returns the integer, 0 for any other value. */
  int(): i64 {
    return this.isInt() ? I64.parseInt(this.text) : 0;
  }

  /** member returns a member of a map. It is missing if the value is not a map. */
  member(name: string): Value {
    const names = this.names();
    const at = names.lastIndexOf(name);
    return at < 0 ? Value.missing() : this.items()[at];
  }

  /** items returns the values in an array or a map; any other value has no items. */
  items(): Array<Value> {
    const values = new Array<Value>();
    this.walk(null, values);
    return values;
  }

  /** names returns the names of a map's members, in the order of items. */
  names(): Array<string> {
    const names = new Array<string>();
    if (this.kind == Kind.Map) this.walk(names, null);
    return names;
  }

  private walk(names: Array<string> | null, values: Array<Value> | null): void {
    if (this.kind != Kind.Array && this.kind != Kind.Map) return;
    const json = this.text;
    let at = skipSpace(json, 1);
    while (at < json.length && !end(json, at)) {
      if (this.kind == Kind.Map) {
        const nameEnd = skipValue(json, at);
        if (names) names.push(decode(json.substring(at, nameEnd)));
        at = skipSpace(json, skipSpace(json, nameEnd) + 1); // over the colon
      }
      const valueEnd = skipValue(json, at);
      if (values) values.push(Value.of(json.substring(at, valueEnd)));
      if (valueEnd == at) return; // there was no value
      at = skipSpace(json, valueEnd);
      if (at < json.length && json.charCodeAt(at) == 0x2c) at = skipSpace(json, at + 1);
    }
  }
}
