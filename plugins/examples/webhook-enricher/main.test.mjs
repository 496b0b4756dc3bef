import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "../../sdk/assemblyscript/fake/build.mjs";
import { World, load, start } from "../../sdk/assemblyscript/fake/host.mjs";

const wasm = build("main.ts", import.meta.url);
const url = "https://cmdb.example.com/owners/";

const pod = (labels, annotations) =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "web", uid: "u", labels, annotations } });
const reference = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "web", uid: "u" };
const payments = { slack: "#payments", onCall: ["ada"] };

/** world returns a world whose service knows payments. */
function world() {
  const w = new World();
  w.http.answer("GET", url + "payments", { status: 200, body: ` ${JSON.stringify(payments)}\n` });
  return w;
}

/** asked returns the owners that the service was asked for. */
const asked = (w) => w.http.requests.map((r) => r.url.slice(url.length));

/** unchanged is the result of an event that is delivered unchanged. */
const unchanged = { verdict: "done", emitted: [], message: "", log: [] };

test("the response replaces the object, and is remembered", () => {
  const w = world(), guest = start(wasm, { url, ttlSeconds: 60 }, w);
  const want = { ...unchanged, emitted: [{ data: { object: reference, owner: "payments", details: payments } }] };
  const object = pod({ owner: "payments" });
  for (const result of [guest.add(object), guest.update(object, object), guest.resync(object), guest.delete(object)]) {
    assert.deepEqual(result, want);
  }
  // Another worker's guest shares the store.
  assert.deepEqual(start(wasm, { url, ttlSeconds: 60 }, w).add(object), want);
  assert.deepEqual(w.http.requests, [{ method: "GET", url: url + "payments", headers: { Accept: "application/json" }, body: "" }]);
  w.wait(59_999);
  guest.add(object);
  assert.equal(asked(w).length, 1);
  w.wait(1);
  assert.deepEqual(guest.add(object), want);
  assert.equal(asked(w).length, 2);
});

test("the owners it asks for", () => {
  for (const [labels, annotations, want, keys] of [
    [{ owner: "a" }, { owner: "b" }, ["a"]],
    [{ team: "a" }, { owner: "b" }, ["b"]],
    [{}, { team: "b.C-1_2" }, ["b.C-1_2"]],
    [{ owner: "a/b", team: "c" }, {}, ["c"]],
    [{ "example.com/owner": "x", owner: "a" }, {}, ["x"], ["example.com/owner"]],
    [undefined, undefined, []],
    [{ owner: "" }, { owner: 7 }, []],
    [{ owner: ".." }, { owner: "../x" }, []],
    [{ owner: "a?b" }, { owner: "ä" }, []],
    [{ owner: "x".repeat(64) }, { owner: "x".repeat(63) }, ["x".repeat(63)]],
  ]) {
    const w = new World(), guest = start(wasm, keys ? { url, keys } : { url }, w);
    const result = guest.add(pod(labels, annotations));
    assert.deepEqual(asked(w), want, JSON.stringify([labels, annotations]));
    if (want.length == 0) assert.deepEqual(result, unchanged);
  }
});

test("other responses of the service", () => {
  for (const [answer, verdict, message, requests] of [
    [{ status: 404, body: "no such owner" }, "done", "", 1],
    [{ status: 410 }, "done", "", 1],
    [{ status: 204 }, "done", "", 1],
    ["unavailable", "retry", "the service does not respond", 2],
    [{ status: 503 }, "retry", "the service responds 503", 2],
    [{ status: 429 }, "retry", "the service responds 429", 2],
    [{ status: 401 }, "fail", "the service responds 401", 2],
    [{ status: 302 }, "fail", "the service responds 302", 2],
    ["denied", "fail", "the grant http does not allow GET " + url, 2],
    ["quota", "fail", "the response is larger than the grant http allows, or this event has used up its requests", 2],
    ["bad argument", "fail", "the request was rejected: bad argument", 2],
    [{ body: "<html>" }, "fail", "the response is not JSON", 2],
    [{ body: "" }, "fail", "the response is not JSON", 2],
    [{ body: '{"a":1' }, "fail", "the response is not JSON", 2],
    [{ body: '1,"owner":"other"' }, "fail", "the response is not JSON", 2],
    [{ body: '{}},{"x":{}' }, "fail", "the response is not JSON", 2],
  ]) {
    const w = new World(), guest = start(wasm, { url }, w);
    w.http.answer("GET", url + "x", answer);
    const want = { verdict, emitted: [], message: message && `owner "x": ${message}`, log: [] };
    assert.deepEqual(guest.add(pod({ owner: "x" })), want, JSON.stringify(answer));
    // That an owner is unknown is remembered; a failure is not.
    assert.deepEqual(guest.add(pod({ owner: "x" })), want, JSON.stringify(answer));
    assert.equal(asked(w).length, requests, JSON.stringify(answer));
  }
});

test("any JSON is accepted", () => {
  for (const body of ["null", "1.50", '"a \\" } b"', "[]", '{"a":[{"b":"]"}]}']) {
    const w = new World(), guest = start(wasm, { url }, w);
    w.http.answer("GET", url + "x", { body });
    assert.deepEqual(guest.add(pod({ owner: "x" })).emitted[0].data.details, JSON.parse(body));
  }
});

test("a response that is too large to remember is requested again", () => {
  const w = new World(), guest = start(wasm, { url }, w);
  w.http.answer("GET", url + "x", { body: JSON.stringify("y".repeat(70_000)) });
  for (const requests of [1, 2]) {
    assert.equal(guest.add(pod({ owner: "x" })).emitted[0].data.details.length, 70_000);
    assert.equal(asked(w).length, requests);
  }
});

test("configuration", () => {
  const badURL = "url must begin with https:// or http:// and a host and end with /, as in https://cmdb.example.com/owners/";
  for (const [config, want] of [
    [{}, badURL],
    [{ url: "cmdb.example.com/" }, badURL],
    [{ url: "https://" }, badURL],
    [{ url: "https://cmdb.example.com/owners" }, badURL],
    [{ url: "https://cmdb.example.com/?owner=/" }, badURL],
    [{ url: url + "x".repeat(200) + "/" }, "url must have at most 190 characters, has 233"],
    [{ url, keys: [] }, "keys must be a list of at least one label or annotation"],
    [{ url, keys: "owner" }, "keys must be a list of at least one label or annotation"],
    [{ url, keys: ["owner", 'a"b'] }, "keys[1] must be the key of a label or annotation"],
    [{ url, keys: [1] }, "keys[0] must be the key of a label or annotation"],
    [{ url, ttlSeconds: 0 }, "ttlSeconds must be a whole number from 1 to 31536000, is 0"],
    [{ url, ttlSeconds: 1.5 }, "ttlSeconds must be a whole number from 1 to 31536000, is 1.5"],
    [{ url, ttlSeconds: "10m" }, "ttlSeconds must be a whole number from 1 to 31536000, is 10m"],
    [{ url, ttl: 1 }, 'config: unknown field "ttl"'],
  ]) {
    assert.equal(load(wasm, config).refusal, want, JSON.stringify(config));
  }
});
