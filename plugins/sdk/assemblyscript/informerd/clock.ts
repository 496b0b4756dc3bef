import { clockNow } from "./host";

/**
 * now gives the time in nanoseconds since 1970 in UTC. It may stand still or go back. A guest that
 * calls it needs the grant "clock".
 */
export function now(): i64 {
  return clockNow();
}
