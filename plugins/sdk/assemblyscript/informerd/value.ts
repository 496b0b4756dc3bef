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

/** kindOf tells what begins a JSON text. */
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
  /** text is a string decoded, and any other value as its JSON text. */
  constructor(public readonly kind: Kind, public readonly text: string) {}

  /** of makes a value of JSON text. */
  static of(json: string): Value {
    const kind = kindOf(json);
    return new Value(kind, kind == Kind.String ? decode(json) : json);
  }

  static missing(): Value {
    return new Value(Kind.Missing, "");
  }

  /** exists is true if the value is there, be it null. */
  exists(): bool {
    return this.kind != Kind.Missing;
  }

  /** string gives a string, "" for any other value. */
  string(): string {
    return this.kind == Kind.String ? this.text : "";
  }

  /** bool is true only for the value true. */
  bool(): bool {
    return this.kind == Kind.Boolean && this.text == "true";
  }

  /** isInt tells whether the value is a number that is an integer of 64 bits. */
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

  /** int gives a number that is an integer, 0 for any other value. */
  int(): i64 {
    return this.isInt() ? I64.parseInt(this.text) : 0;
  }

  /** member reads a member of a map. It is missing if the value is no map. */
  member(name: string): Value {
    const names = this.names();
    const at = names.lastIndexOf(name);
    return at < 0 ? Value.missing() : this.items()[at];
  }

  /** items gives what is in an array or a map; any other value has no items. */
  items(): Array<Value> {
    const values = new Array<Value>();
    this.walk(null, values);
    return values;
  }

  /** names gives the names of a map's members, in the order of items. */
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
      if (valueEnd == at) return; // nothing was there
      at = skipSpace(json, valueEnd);
      if (at < json.length && json.charCodeAt(at) == 0x2c) at = skipSpace(json, at + 1);
    }
  }
}
