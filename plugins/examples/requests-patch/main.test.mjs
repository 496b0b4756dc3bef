import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "../../sdk/assemblyscript/fake/build.mjs";
import { load, start } from "../../sdk/assemblyscript/fake/host.mjs";

const wasm = build("main.ts", import.meta.url);
const config = { requests: { cpu: "100m", "example.com/a~b": "1" } };

/** deployment makes a Deployment with containers that have these resources. */
const deployment = (...resources) => ({
  apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "shop", name: "web" },
  spec: { template: { spec: { containers: resources.map((r, n) => ({ name: "c" + n, image: "x", resources: r })) } } },
});

/** proposed returns the patch, undefined if there is none. */
function proposed(result) {
  if (result.verdict == "drop") return undefined;
  assert.equal(result.verdict, "done");
  assert.equal(result.emitted.length, 1);
  assert.equal(result.emitted[0].type, "dev.informerd.examples.requests-patch");
  assert.deepEqual(result.emitted[0].data.target, { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" });
  return result.emitted[0].data.patch;
}

/** apply applies a patch with the operations of proposals. */
function apply(object, patch) {
  const copy = structuredClone(object);
  for (const { op, path, value } of patch) {
    const steps = path.slice(1).split("/").map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = steps.pop();
    const at = steps.reduce((o, step) => o[step], copy);
    if (op == "test") assert.deepEqual(at[last], value);
    else at[last] = value;
  }
  return copy;
}

const all = { cpu: "100m", "example.com/a~b": "1" };

test("a patch adds what is missing", () => {
  const guest = start(wasm, config);
  for (const [name, before, after] of [
    ["no resources", undefined, { requests: all }],
    ["resources are null", null, { requests: all }],
    ["no requests", { claims: [] }, { claims: [], requests: all }],
    ["requests are null", { requests: null }, { requests: all }],
    ["one request", { requests: { cpu: "2", memory: "1Gi" } }, { requests: { cpu: "2", memory: "1Gi", "example.com/a~b": "1" } }],
    ["a limit", { limits: { cpu: "2" } }, { limits: { cpu: "2" }, requests: { "example.com/a~b": "1" } }],
  ]) {
    const object = deployment(before);
    const patched = apply(object, proposed(guest.add(object)));
    assert.deepEqual(patched, deployment(after), name);
    assert.equal(proposed(guest.update(object, patched)), undefined, name);
  }
  assert.equal(proposed(guest.add(deployment({ requests: { ...all, memory: "1Gi" } }))), undefined);
});

test("containers are addressed by position, and their name is checked", () => {
  const object = deployment({ requests: all }, undefined);
  object.spec.template.spec.initContainers = [{ name: "init" }];
  assert.deepEqual(proposed(start(wasm, config).add(object)), [
    { op: "test", path: "/spec/template/spec/initContainers/0/name", value: "init" },
    { op: "add", path: "/spec/template/spec/initContainers/0/resources", value: { requests: all } },
    { op: "test", path: "/spec/template/spec/containers/1/name", value: "c1" },
    { op: "add", path: "/spec/template/spec/containers/1/resources", value: { requests: all } },
  ]);
});

test("the same patch is proposed once", () => {
  const guest = start(wasm, config);
  const one = deployment(undefined), two = deployment(undefined, undefined);
  const image = structuredClone(one);
  image.spec.template.spec.containers[0].image = "y";
  assert.equal(proposed(guest.update(one, one)), undefined);
  assert.equal(proposed(guest.update(one, image)), undefined);
  assert.equal(proposed(guest.update(one, two)).length, 4);
  assert.equal(proposed(guest.resync(one)), undefined);
  assert.equal(proposed(guest.delete(one)), undefined);
  assert.equal(proposed(guest.add({ kind: "Service" })), undefined);
});

test("configuration", () => {
  for (const [config, want] of [
    [{}, "requests is empty: name at least one resource, as in cpu: 100m"],
    [{ requests: { cpu: 1 } }, 'requests["cpu"] must be a quantity in quotes, as in "1"'],
    [{ requests: { cpu: "1" }, limits: {} }, 'config: unknown field "limits"'],
  ]) {
    assert.equal(load(wasm, config).refusal, want);
  }
});
