// @ts-ignore: decorator
@external("informerd/result.v1", "error")
declare function informerdResultError(ptr: usize, len: u32): void;

/** informerdAbort ends a guest whose assertion fails. */
export function informerdAbort(message: string | null = null, fileName: string | null = null, line: u32 = 0, column: u32 = 0): void {
  const text = String.UTF8.encode(
    (message ? message : "abort") + " (" + (fileName ? fileName : "") + ":" + line.toString() + ":" + column.toString() + ")",
  );
  informerdResultError(changetype<usize>(text), text.byteLength);
  unreachable();
}
