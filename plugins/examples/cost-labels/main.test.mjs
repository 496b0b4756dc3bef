import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "../../sdk/assemblyscript/fake/build.mjs";
import { load, start } from "../../sdk/assemblyscript/fake/host.mjs";

const wasm = build("main.ts", import.meta.url);
const labels = { team: [], "example.com/env": ["prod", "dev"] };
const object = (labels) => ({ kind: "Deployment", metadata: { namespace: "shop", name: "web", labels } });

/** found returns what was reported, "" for nothing. */
function found(result) {
  if (result.verdict == "drop") return "";
  assert.equal(result.verdict, "done");
  assert.equal(result.emitted.length, 1);
  const { kind, namespace, name, missing, wrong } = result.emitted[0].data;
  assert.deepEqual([kind, namespace, name], ["Deployment", "shop", "web"]);
  return `missing ${missing.join(" ")}, wrong ${wrong.map((w) => w.label + "=" + w.value).join(" ")}`;
}

test("labels", () => {
  const guest = start(wasm, { labels });
  const none = object(undefined), team = object({ team: "red" }), typo = object({ team: "red", "example.com/env": "prd" });
  const good = object({ team: "red", "example.com/env": "prod" }), other = object({ team: "red", "example.com/env": "dev" });
  assert.equal(found(guest.add(none)), "missing team example.com/env, wrong ");
  assert.equal(found(guest.add(good)), "");
  assert.equal(found(guest.update(none, team)), "missing example.com/env, wrong ");
  assert.equal(found(guest.update(team, typo)), "missing , wrong example.com/env=prd");
  assert.equal(found(guest.update(typo, good)), "missing , wrong ");
  assert.equal(found(guest.update(good, other)), "");
  assert.equal(found(guest.update(other, none)), "missing team example.com/env, wrong ");
  assert.equal(found(guest.update(none, none)), "");
  assert.equal(found(guest.add(object({ team: "", "example.com/env": "dev" }))), "missing team, wrong ");
  assert.equal(found(guest.resync(none)), "");
  assert.equal(found(guest.delete(none)), "");
});

test("configuration", () => {
  for (const [config, want] of [
    [{}, "labels is empty: name at least one label"],
    [{ labels: {} }, "labels is empty: name at least one label"],
    [{ labels: { team: "red" } }, 'labels["team"] must be the list of its values, [] for any'],
    [{ labels: { team: ["red", 1] } }, 'labels["team"]: a value must be a string that is not empty'],
    [{ labels: { 'a"b': [] } }, 'labels["a\\"b"]: this is not a label key'],
    [{ lables: {} }, 'config: unknown field "lables"'],
  ]) {
    assert.equal(load(wasm, config).refusal, want);
  }
});
