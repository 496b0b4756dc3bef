import { randomFill } from "./host";
import { Status, statusOf } from "./status";

/**
 * random fills an array of at most 64 KiB with random bytes. A guest that calls it needs the grant
 * "random".
 */
export function random(bytes: Uint8Array): Status {
  return statusOf(randomFill(bytes.dataStart, bytes.byteLength));
}
