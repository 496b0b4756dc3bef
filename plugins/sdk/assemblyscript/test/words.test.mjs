// Host calls, their order, and batches, on the fake host.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "../fake/build.mjs";
import { World, load, start } from "../fake/host.mjs";

const wasm = build("words.ts", import.meta.url);
const batching = build("batch.ts", import.meta.url);

/** listOf returns the list that the guest emits for an event. */
function listOf(guest, result = guest.add({})) {
  assert.equal(result.verdict, "done");
  assert.equal(result.emitted.length, 1);
  return result.emitted[0].data;
}

const web = { metadata: { namespace: "shop", name: "web", labels: { app: "ä" } }, count: -7, truth: true };
const webFields = ["web", "ä", -7, true, true, true, "true"];
const noFields = ["", "", 0, false, false, false, ""];

test("prefetched fields take no call", () => {
  const guest = start(wasm);
  guest.calls = {};
  assert.deepEqual(listOf(guest, guest.add(web)), ["wrong phase", ...webFields, ...noFields]);
  // The calls are for the old object, which is not prefetched.
  assert.deepEqual(guest.calls, { "event.v1 field": 7, "result.v1 emit": 1 });
  assert.deepEqual(listOf(guest, guest.update(web, {})), ["wrong phase", ...noFields, ...webFields]);
});

test("a field that does not fit is read with a call, and those after it are prefetched", () => {
  const guest = start(wasm);
  for (const [length, calls] of [
    [4038, 7], // all fit to the last byte; the 7 calls are those for the old object
    [4039, 9], // the last one does not fit, and is read twice
    [10_000, 9], // it is longer than the buffer for single fields as well, so it takes two calls to read
  ]) {
    guest.calls = {};
    const long = { metadata: { name: "x".repeat(length) }, count: 12, truth: true };
    assert.deepEqual(listOf(guest, guest.add(long)).slice(1, 8), [long.metadata.name, "", 12, true, true, false, "true"]);
    assert.equal(guest.calls["event.v1 field"], calls, `${length} bytes`);
  }
});

test("a handler chooses the fields to prefetch", () => {
  for (const [config, want] of [
    [{ do: "prefetch none" }, 14],
    [{ do: "prefetch twice" }, 13], // the last call counts
    [{ do: "compile", n: 12 }, 7], // 16 paths
    [{ do: "compile", n: 13 }, 14],
    [{ do: "compile", n: 300 }, 14],
  ]) {
    const guest = start(wasm, config);
    guest.calls = {};
    assert.deepEqual(listOf(guest, guest.add(web)), ["wrong phase", ...webFields, ...noFields]);
    assert.equal(guest.calls["event.v1 field"], want, JSON.stringify(config));
  }
  assert.equal(load(wasm, { do: "prefetch no path" }).refusal, " bad argument");
});

test("batches", () => {
  const guest = start(wasm);
  const named = (name) => ({ metadata: { name } });
  const events = [
    { op: "add", object: named("a"), flags: 1 }, { op: "delete", object: named("b") }, { op: "resync", object: named("c") },
    { op: "update", object: named("d"), old: named("d") },
  ];
  const emitted = (name, data) => [{ type: "com.example." + name, data }];
  const result = (verdict, emitted = [], message = "") => ({ verdict, emitted, message, log: [] });
  guest.calls = {};
  assert.deepEqual(guest.batch(events), [
    result("done", emitted("a", true)), result("fail", [], "no b"), result("drop"), result("done", emitted("d", false)),
  ]);
  assert.deepEqual(guest.calls, { "event.v1 next": 6, "event.v1 changed": 2, "result.v1 emit": 2, "result.v1 error": 1 });
  // The verdict of the batch also applies to those that were not pulled.
  assert.deepEqual(guest.batch([events[1], { object: named("stop") }, events[0], events[2]]), [
    result("fail", [], "no b"), result("retry", [], "stopped"), result("retry"), result("retry"),
  ]);
  assert.deepEqual(guest.batch([]), []);
  assert.deepEqual(listOf(guest), ["wrong phase", ...noFields, ...noFields]); // a single event is not part of a batch
  assert.throws(() => start(wasm, { do: "stale" }).batch(events),
    /the verdict of an event was set after the next one was pulled \(.*batch\.ts:\d+:\d+\)/);
});

test("a batch handler alone", () => {
  const guest = start(batching);
  const event = (name) => ({ object: { metadata: { name } } });
  assert.deepEqual(guest.batch(["a", "b", "a", "c", "b"].map(event)).map((r) => r.verdict), ["done", "done", "drop", "done", "drop"]);
  assert.equal(guest.add(event("a").object).verdict, "done");
});

test("memory is reused in batches, too", () => {
  const guest = start(batching);
  const events = Array.from({ length: 500 }, (_, n) => ({ object: { metadata: { name: "n" + n, text: "x".repeat(n) } } }));
  for (let n = 0; n < 20; n++) guest.batch(events);
  const early = guest.memory;
  for (let n = 0; n < 100; n++) guest.batch(events);
  assert.ok(guest.memory <= early, `the memory grew from ${early} to ${guest.memory}`);
});

test("kv", () => {
  const world = new World();
  assert.deepEqual(listOf(start(wasm, { do: "kv" }, world)), [
    "not found", "", "not found", "", "ö€", true, false, false, true, "new", "", true, 3, 255, true, 0, 50000,
    "bad argument", "bad argument", "bad argument", "quota",
  ]);
  assert.equal(world.kv.get("ä"), "first");
  assert.deepEqual(world.kv.keys, ["ä", "bytes", "long"]);
  world.wait(1000);
  assert.deepEqual(world.kv.keys, ["ä", "bytes"]); // cas removed the time limit of bytes
});

test("http", () => {
  const world = new World(), { http } = world;
  const long = "ä".repeat(5000);
  http.answer("GET", "http://a/1", { status: 203, headers: { "x-Long": "x".repeat(5000) }, body: "one" });
  http.answer("POST", "http://a/2", { status: 500, body: long });
  http.answer("GET", "http://a/late", "unavailable");
  const guest = start(wasm, { do: "http" }, world);
  assert.deepEqual(listOf(guest), [
    203, "one", true, true, 5000, 500, 5000, 10_000, "", 0, "denied", "", true, "unavailable",
  ]);
  assert.deepEqual(http.requests, [
    { method: "GET", url: "http://a/1", headers: {}, body: "" },
    { method: "POST", url: "http://a/2", headers: { A: 'ä"', B: "2" }, body: "sent" },
    { method: "GET", url: "http://a/none", headers: {}, body: "" },
    { method: "GET", url: "http://a/late", headers: {}, body: "" },
  ]);
  assert.throws(() => start(wasm, { do: "http", stale: true }, world).add({}), /a response was read after the next request/);
});

test("cache", () => {
  const world = new World();
  const two = { metadata: { namespace: "pay", name: "two" } };
  world.caches.pods = { objects: [two, web, { metadata: { name: "node" } }], indexes: { app: { web: [web, two] } } };
  const guest = start(wasm, { do: "cache" }, world);
  const want = [
    true, "denied", "denied", true, ...webFields, JSON.stringify(web), false, false, "", false, "not found", "",
    false, "", true, "web", "two", false, true, false, false, false, "quota",
  ];
  assert.deepEqual(listOf(guest), want);
  assert.deepEqual(listOf(guest), want); // the end of the event has closed the open ones
});

test("the time and random bytes", () => {
  const world = new World();
  const clock = start(wasm, { do: "now" }, world);
  assert.deepEqual(listOf(clock), [Date.parse("2026-01-01T00:00:00Z") * 1e6]);
  world.time = new Date(5);
  assert.deepEqual(listOf(clock), [5_000_000]);
  const random = () => start(wasm, { do: "random" }, world);
  const guest = random(), [status, first, tooMany] = listOf(guest);
  assert.deepEqual([status, tooMany], ["", "bad argument"]);
  assert.notEqual(listOf(guest)[1], first);
  assert.equal(listOf(random())[1], first);
  world.seed = 2;
  assert.notEqual(listOf(random())[1], first);
});

test("what works in configure", () => {
  const world = new World();
  world.caches.pods = {};
  assert.equal(load(wasm, { do: "configure" }, world).refusal, "b, wrong phase, wrong phase, , wrong phase, 1767225600000000000");
});

test("JSON from outside is one value or rejected", () => {
  for (const [text, want] of [
    ["{}", true], [' {"a":[1,"]}"]} \n', true], ["null", true], ["-1.5e3", true], ['"a\\"b"', true],
    ["", false], [" ", false], ["1,2", false], ["{},{}", false], ["[]]", false], ['1,"a":2', false], ["}", false], ["1 2", false],
  ]) {
    assert.deepEqual(listOf(start(wasm, { do: "one value", text })), [want], text);
  }
});

/** temporary returns a folder for sources. */
function temporary(t) {
  const folder = mkdtempSync(join(tmpdir(), "informerd-words-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("the README's examples", async (t) => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const blocks = (language) => [...readme.matchAll(new RegExp("```" + language + "\n([^]*?)```", "g"))].map((m) => m[1]);
  const folder = temporary(t), [words, batch] = blocks("ts"), [script] = blocks("js");
  writeFileSync(join(folder, "batch.ts"), batch);
  const guest = start(build("batch.ts", pathToFileURL(join(folder, "words.ts"))));
  assert.deepEqual(guest.batch([{ object: { status: { phase: "x" } } }, { object: {} }]).map((r) => r.verdict + r.message), ["done", "failno phase"]);
  writeFileSync(join(folder, "words.ts"), `import { Event, Status, Verdict, cache, http, kv, path, register } from "informerd";
export { configure, informerd_abi_v1, on_event } from "informerd";
const name = path("metadata.name"), nodeName = path("spec.nodeName"), zone = path("zone"), url = "http://a";
register((event: Event) => {
const names = new Array<string>();
${words}
return event.fail(names.join());
});`);
  const world = new World();
  world.http.answer("POST", "http://a", { body: "b" });
  world.caches = { nodes: {}, pods: { indexes: { app: { web: [web] } } } };
  assert.equal(start(build("words.ts", pathToFileURL(join(folder, "words.ts"))), {}, world).add({}).message, "web");
  assert.equal(world.kv.get("answer"), "b");
  const at = (file) => JSON.stringify(file);
  writeFileSync(join(folder, "script.mjs"), `const pod = { metadata: { name: "a", namespace: "b" } };
${script.replace('".../fake/host.mjs"', at(new URL("../fake/host.mjs", import.meta.url).href)).replace('"handler.wasm"', at(batching))}
export const got = [results.map((r) => r.verdict), world.kv.get("key"), guest.calls["event.v1 next"]];`);
  const { got } = await import(pathToFileURL(join(folder, "script.mjs")).href);
  assert.deepEqual(got, [["done", "drop"], undefined, 3]);
});

test("mistakes in registration", (t) => {
  const folder = temporary(t);
  const guest = (entries, body) => {
    writeFileSync(join(folder, "guest.ts"), `import { Batch, Event, Verdict, register, registerBatch } from "informerd";
export { configure, informerd_abi_v1, ${entries} } from "informerd";
${body}`);
    return build("guest.ts", pathToFileURL(join(folder, "guest.ts")));
  };
  const single = "register((e: Event) => Verdict.Done, () => null);", many = "registerBatch((b: Batch) => Verdict.Done, () => null);";
  assert.throws(() => start(guest("on_event", many)).add({}),
    /the guest exports on_event but registers no handler of single events: call register, or remove the export \(/);
  assert.throws(() => start(guest("on_batch", single)).batch([{ object: {} }]),
    /the guest exports on_batch but registers no batch handler: call registerBatch, or remove the export \(/);
  assert.throws(() => start(guest("on_event, on_batch", single + many)),
    /two configure functions: pass one to either register or registerBatch \(/);
});

test("a guest imports and exports only what it uses", (t) => {
  const folder = temporary(t);
  const always = ["event.v1 path", "event.v1 prefetch", "result.v1 error"];
  for (const [name, body, imports, entry = "on_event"] of [
    ["rights", `register((e: Event) => kv.get("a").ok && http.request(new http.Request("GET", "http://a")).ok && now() > 0 &&
        random(new Uint8Array(1)) == 0 ? Verdict.Done : Verdict.Drop);`,
      ["clock.v1 now_ns", "http.v1 request", "kv.v1 get", "random.v1 fill"]],
    // A guest that reads one kind of object contains the code for the other, but not the import.
    ["field", 'const p = path("a"); register((e: Event) => e.object.has(p) ? Verdict.Done : Verdict.Drop);', ["event.v1 field"]],
    ["cache", 'const p = path("a"); register((e: Event) => cache.open("a").get("", "b").has(p) ? Verdict.Done : Verdict.Drop);',
      ["cache.v1 get", "cache.v1 iter_field", "cache.v1 resource", "event.v1 field"]],
    ["batch", "registerBatch((b: Batch) => b.next() ? Verdict.Done : Verdict.Drop);", ["event.v1 next"], "on_batch"],
  ]) {
    const source = join(folder, name + ".ts");
    writeFileSync(source, `import { Batch, Event, Verdict, cache, http, kv, now, path, random, register, registerBatch } from "informerd";
export { configure, informerd_abi_v1, ${entry} } from "informerd";
${body}
`);
    const module = new WebAssembly.Module(readFileSync(build(name + ".ts", pathToFileURL(source))));
    const imported = WebAssembly.Module.imports(module).map((i) => `${i.module.slice("informerd/".length)} ${i.name}`);
    assert.deepEqual(imported.sort(), [...always, ...imports].sort(), name);
    const exported = WebAssembly.Module.exports(module).map((e) => e.name);
    assert.deepEqual(exported.sort(), ["_initialize", "configure", "informerd_abi_v1", "memory", entry].sort(), name);
  }
});
