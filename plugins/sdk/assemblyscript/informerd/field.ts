import { eventPath, utf8 } from "./host";
import { Status } from "./status";

/**
 * FieldPath is the compiled path of a field, such as metadata.labels["app"] or
 * spec.containers[0].image.
 */
export class FieldPath {
  /** @internal */
  handle: i32 = -1;
  /** slot is the field's number among the prefetched ones, -1 if it is not. @internal */
  slot: i32 = -1;
  /** error is why the path did not compile, empty if it did. */
  error: string = "";

  constructor(public readonly text: string) {}

  /** @internal */
  compile(): void {
    const bytes = utf8(this.text);
    this.handle = eventPath(changetype<usize>(bytes), bytes.byteLength);
    if (this.handle == Status.Quota) this.error = "path " + this.text + ": there are too many paths";
    else if (this.handle < 0) this.error = "path " + this.text + ": this is not the path of a field";
    else compiled.push(this);
  }

  /** @internal */
  use(): u32 {
    assert(this.handle >= 0, "the path was used before configure, or was declared too late");
    return this.handle;
  }
}

const declared = new Array<FieldPath>();
const compiled = new Array<FieldPath>();
let configuring = false;

/**
 * path declares a path, for a module-level variable. It is compiled when the guest is configured; a
 * malformed path makes the host reject the handler at load.
 */
export function path(text: string): FieldPath {
  const p = new FieldPath(text);
  declared.push(p);
  return p;
}

/**
 * compile compiles a path known only from the configuration. Only configure may call it; check its
 * error.
 */
export function compile(text: string): FieldPath {
  const p = new FieldPath(text);
  if (configuring) p.compile();
  else p.error = "path " + text + ": paths can be compiled in configure only";
  return p;
}

/** compileDeclared returns the error of the first malformed declared path, or null. @internal */
export function compileDeclared(): string | null {
  for (let i = 0; i < declared.length; i++) {
    declared[i].compile();
    if (declared[i].error != "") return declared[i].error;
  }
  return null;
}

/** compiledPaths returns all compiled paths. @internal */
export function compiledPaths(): Array<FieldPath> {
  return compiled;
}

/** @internal */
export function isConfiguring(): bool {
  return configuring;
}

/** @internal */
export function setConfiguring(now: bool): void {
  configuring = now;
}
