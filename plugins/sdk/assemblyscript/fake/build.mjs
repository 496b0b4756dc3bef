import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

let folder = "", builds = 0;

/**
 * build builds a handler for a test, from a file next to the test, and returns the module's file,
 * which is removed after the test.
 */
export function build(source, test) {
  if (folder === "") {
    folder = mkdtempSync(join(tmpdir(), "informerd-guest-"));
    process.on("exit", () => rmSync(folder, { recursive: true }));
  }
  const wasm = join(folder, `guest${builds++}.wasm`);
  const at = (path, of) => fileURLToPath(new URL(path, of));
  execFileSync(at("../build", import.meta.url), [at(source, test), wasm], { stdio: "inherit" });
  return wasm;
}
