import { eventPath, utf8 } from "./host";
import { Status } from "./status";

/** FieldPath is the way to a field, such as metadata.labels["app"] or spec.containers[0].image. */
export class FieldPath {
  /** @internal */
  handle: i32 = -1;
  /** slot is where the host gives the field ahead of each event, -1 if it does not. @internal */
  slot: i32 = -1;
  /** error is empty, or says why the path did not compile. */
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
    assert(this.handle >= 0, "a path is used before configure, or was declared too late");
    return this.handle;
  }
}

const declared = new Array<FieldPath>();
const compiled = new Array<FieldPath>();
let configuring = false;

/**
 * path declares a path, for a variable of a module. It is compiled when the guest is configured, and a mistake in it
 * refuses the handler at load.
 */
export function path(text: string): FieldPath {
  const p = new FieldPath(text);
  declared.push(p);
  return p;
}

/** compile compiles a path that is known only from the configuration. Only configure may call it; look at its error. */
export function compile(text: string): FieldPath {
  const p = new FieldPath(text);
  if (configuring) p.compile();
  else p.error = "path " + text + ": paths can be compiled in configure only";
  return p;
}

/** compileDeclared gives why a declared path is none, or null. @internal */
export function compileDeclared(): string | null {
  for (let i = 0; i < declared.length; i++) {
    declared[i].compile();
    if (declared[i].error != "") return declared[i].error;
  }
  return null;
}

/** compiledPaths are all that were. @internal */
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
