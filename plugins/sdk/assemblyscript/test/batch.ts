// A batch handler, for words.test.mjs. It keeps the last event of each name.
import { Batch, BatchEvent, Verdict, path, registerBatch } from "informerd";
export { configure, informerd_abi_v1, on_batch } from "informerd";

const name = path("metadata.name");

registerBatch((batch: Batch) => {
  const names = new Map<string, bool>();
  for (let e: BatchEvent | null = batch.next(); e; e = batch.next()) {
    const who = e.object.string(name);
    if (names.has(who)) e.setVerdict(Verdict.Drop);
    names.set(who, true);
  }
  return Verdict.Done;
});
