import { logEnabled as enabled, logLog, utf8 } from "./host";

/** Level is the severity of a log line. */
export enum Level {
  Debug = 0,
  Info = 1,
  Warn = 2,
  Error = 3,
}

/** log writes a line to informerd's log. A guest that calls it needs the grant "log". */
export function log(level: Level, line: string): void {
  const bytes = utf8(line);
  logLog(level, changetype<usize>(bytes), bytes.byteLength);
}

/**
 * logEnabled reports whether a line of that level would be written. A guest that calls it needs the
 * grant "log".
 */
export function logEnabled(level: Level): bool {
  return enabled(level) == 1;
}
