/**
 * The AssemblyScript SDK for informerd's WebAssembly handlers. A handler registers itself, and
 * exports the functions that the host calls:
 *
 *     import { Event, Verdict, path, register } from "informerd";
 *     export { configure, informerd_abi_v1, on_event } from "informerd";
 *
 *     const phase = path("status.phase");
 *
 *     register((event: Event) => event.object.string(phase) == "Failed" ? Verdict.Done : Verdict.Drop);
 *
 * It is built by the script build in the parent folder.
 *
 * A handler that takes many events at once calls registerBatch, and exports on_batch instead of
 * on_event.
 *
 * A handler reads the fields it needs through the host, which finds them in the object's text.
 * Everything runs on one thread, one event after the other, and each worker of a listener has an
 * instance with its own variables. An instance that traps or is too slow is replaced by a new one,
 * so variables are only a cache; use kv for data that must be kept.
 */
import * as cache from "./cache";
import * as http from "./http";
import * as kv from "./kv";

export { Batch, BatchEvent, on_batch, registerBatch } from "./batch";
export { now } from "./clock";
export { config, configOnly } from "./config";
export { Event, EventObject, Op } from "./event";
export { FieldPath, compile, path } from "./field";
export { configure, informerd_abi_v1, on_event, register } from "./handler";
export { ListWriter, MapWriter, isOneValue, quote } from "./json";
export { Level, log, logEnabled } from "./log";
export { Fields } from "./object";
export { prefetch } from "./prefetch";
export { random } from "./random";
export { Verdict, emit, reason, setData } from "./result";
export { Answer, Status, statusText } from "./status";
export { Kind, Value } from "./value";
export { cache, http, kv };
