import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Server } from "./server.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const schema = pathToFileURL(`${root}docs/config.schema.json`).href;
const modeline = `# yaml-language-server: $schema=${schema}\n`;

const shipped = ["configs", "configs/policies", "configs/recipes"].flatMap((folder) =>
  readdirSync(root + folder).filter((name) => name.endsWith(".yaml"))
    .map((name) => `${folder}/${name}`));

let server;
before(async () => { server = await Server.start(); });
after(() => server.stop());

const wrong = modeline + `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  pods:
    informer: {resource: pods}
    fliter: 'true'
    outputs: [stdout]
outputs:
  stdout: {stdout: {}}
`;

test("nothing is underlined in the configurations that we ship", async () => {
  assert.ok(shipped.length > 40, `only ${shipped.length} files`);
  for (const name of shipped) {
    let text = readFileSync(root + name, "utf8");
    // What has the line names the schema by a relative path; what docs quote has no line.
    if (!text.startsWith("# yaml-language-server:")) text = modeline + text;
    const found = await server.open(pathToFileURL(root + name).href, text);
    assert.deepEqual(found, [], name);
  }
});

test("the line of each file leads to the schema", async () => {
  const name = "configs/policies/crash-loop.yaml";
  const text = readFileSync(root + name, "utf8").replace("deny:", "denny:");
  const found = await server.open(pathToFileURL(`${root}configs/policies/other.yaml`).href, text);
  assert.ok(found.some((d) => d.message.includes("denny")), JSON.stringify(found));
});

test("a misspelt field is underlined at its place", async () => {
  const found = await server.open("file:///wrong.yaml", wrong);
  assert.equal(found.length, 1, JSON.stringify(found));
  assert.deepEqual(found[0].range, { start: { line: 6, character: 4 },
    end: { line: 6, character: 10 } });
  assert.match(found[0].message, /fliter/);
});

test("completion offers fields with what they mean", async () => {
  const text = wrong.replace("    fliter: 'true'\n", "    \n");
  await server.open("file:///complete.yaml", text);
  const list = await server.request("textDocument/completion", {
    textDocument: { uri: "file:///complete.yaml" }, position: { line: 6, character: 4 } });
  const filter = (list.items ?? list).find((item) => item.label === "filter");
  assert.ok(filter, "filter is not offered");
  const text2 = JSON.stringify(filter.documentation);
  assert.match(text2, /expression/i);
});
