// @ts-ignore: decorator
@external("informerd/result.v1", "error")
declare function informerdResultError(ptr: usize, len: u32): void;

/** informerdAbort ends a guest after a failed assertion, and reports the place to the host. */
export function informerdAbort(message: string | null = null, fileName: string | null = null, line: u32 = 0, column: u32 = 0): void {
  const text = String.UTF8.encode(
    (message ? message : "abort") + " (" + (fileName ? fileName : "") + ":" + line.toString() + ":" + column.toString() + ")",
  );
  informerdResultError(changetype<usize>(text), text.byteLength);
  unreachable();
}
