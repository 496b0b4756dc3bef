// The SDK in a guest, on the fake host.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "../fake/build.mjs";
import { load, start } from "../fake/host.mjs";

const wasm = build("guest.ts", import.meta.url);

const object = {
  metadata: { name: "web", labels: { "app.kubernetes.io/name": "ä😀" } }, items: [{ n: 1 }, { n: -20 }], object: { a: 1 },
  truth: true, null: null,
};

test("fields", () => {
  const text = JSON.stringify(object);
  assert.deepEqual(start(wasm, { do: "fields" }).add(object, 1 | 4 | 8), {
    verdict: "done", message: "", log: [], emitted: [{ data: [
      "4 web", "4 ä😀", "3 -20", '6 {"a":1}', "2 true", "1 null", "0 ",
      "web", "", -20, 0, true, false, text, Buffer.byteLength(text), "", false, true, true, false, true, true,
    ] }],
  });
});

test("changed", () => {
  const guest = start(wasm, { do: "changed" });
  const a = { metadata: { name: "a" } }, b = { metadata: { name: "b" } };
  assert.equal(guest.add(a).verdict, "done");
  assert.equal(guest.add({}).verdict, "drop");
  assert.equal(guest.update(a, b).verdict, "done");
  assert.equal(guest.update(a, a).verdict, "drop");
  assert.equal(guest.delete(a).verdict, "done");
  assert.equal(guest.resync(a).verdict, "drop");
});

test("output", () => {
  assert.deepEqual(start(wasm).add({}), {
    verdict: "done", message: "",
    emitted: [
      // The number is beyond what JavaScript represents exactly.
      { type: "com.example.a", data: { 'a"\\\n\x01': "ä\t", list: ["x", -9223372036854775808, true, {}], no: false } },
      { data: [1] },
      { type: "com.example.b" },
    ],
    log: ['invalid event type: it must be 1 to 256 printable ASCII characters"ü"'],
  });
});

test("reasons", () => {
  const result = (what) => { const r = start(wasm, { do: what }).add({}); return [r.verdict, r.message]; };
  assert.deepEqual(result("retry"), ["retry", "later"]);
  assert.deepEqual(result("fail"), ["fail", "never"]);
  assert.deepEqual(result("compile late"), ["fail", "path a: paths can be compiled in configure only"]);
});

test("configure", () => {
  const refusal = (config) => load(wasm, config).refusal;
  assert.equal(refusal('{"d\\"o":1}'), 'config: unknown field "d\\"o"');
  assert.equal(refusal({ path: "a b[" }), "path a b[: this is not the path of a field");
  assert.equal(refusal({ path: 'a["b"].c[0]' }), undefined);
  assert.equal(refusal(' { "do" : "values" , "values" : [ ] , "limit" : -7 } '), "[] -7");
  assert.equal(refusal('{"do":"values","values":["a","\\ud83d\\ude00\\n\\u00e4\\/",{"x":[1,"]"]},"b"],"limit":1,"limit":2}'),
    '["a","😀\\nä/","","b"] 2');
  for (const [limit, want] of [
    ["9223372036854775807", " 9223372036854775807"], ["-9223372036854775808", " -9223372036854775808"],
    ["9223372036854775808", " no integer"], ["1.5", " no integer"], ["1e3", " no integer"], ['"1"', " no integer"],
  ]) {
    assert.equal(refusal(`{"do":"values","limit":${limit}}`), "[]" + want);
  }
});

test("a field of any length is returned whole, and memory is reused", () => {
  const guest = start(wasm, { do: "length" });
  const long = { metadata: { name: "x".repeat(1 << 20) } };
  for (let n = 0; n < 20; n++) assert.equal(guest.add(long).verdict, "done");
  const early = guest.memory;
  for (let n = 0; n < 100; n++) assert.equal(guest.add(long).verdict, "done");
  assert.ok(guest.memory <= early, `the memory grew from ${early} to ${guest.memory}`);
});

test("objects that a guest keeps survive while others are collected", () => {
  const guest = start(wasm, { do: "remember" });
  for (let n = 0; n < 5000; n++) guest.add({ metadata: { name: "n" + (n % 10) }, text: "x".repeat(n % 1000) });
  assert.ok(guest.memory < 8 << 20, `the memory grew to ${guest.memory}`);
});

test("an assertion traps, and reports where", () => {
  const guest = start(wasm, { do: "crash" });
  assert.throws(() => guest.add({}), { name: "RuntimeError", message: /: on purpose \(guest\.ts:\d+:\d+\)$/ });
});
