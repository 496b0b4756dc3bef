// A client of a language server that speaks LSP over stdio: requests, notifications, and the
// diagnostics of each document.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export class Server {
  #next = 1;
  #waiting = new Map(); // of requests, by id
  #diagnosed = new Map(); // what waits for diagnostics, by document
  #buffer = Buffer.alloc(0);

  // start runs the server, and tells it to check documents by the schemas that they name.
  static async start() {
    const s = new Server();
    s.process = spawn(process.execPath,
      [require.resolve("yaml-language-server/bin/yaml-language-server"), "--stdio"],
      { stdio: ["pipe", "pipe", "inherit"] });
    s.process.stdout.on("data", (chunk) => s.#read(chunk));
    await s.request("initialize", {
      processId: process.pid, rootUri: null,
      capabilities: { textDocument: { completion: { completionItem: {
        documentationFormat: ["markdown"] } } }, workspace: { configuration: true } },
    });
    s.notify("initialized", {});
    return s;
  }

  request(method, params) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#write({ id, method, params });
    });
  }

  notify(method, params) { this.#write({ method, params }); }

  // open opens a document and returns its diagnostics.
  open(uri, text) {
    return new Promise((resolve) => {
      this.#diagnosed.set(uri, resolve);
      this.notify("textDocument/didOpen",
        { textDocument: { uri, languageId: "yaml", version: 1, text } });
    });
  }

  async stop() {
    await this.request("shutdown", null);
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.notify("exit", null);
    await ended;
  }

  #write(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #read(chunk) {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const head = this.#buffer.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#buffer.subarray(0, head))[1]);
      const end = head + 4 + length;
      if (this.#buffer.length < end) return;
      const message = JSON.parse(this.#buffer.subarray(head + 4, end));
      this.#buffer = this.#buffer.subarray(end);
      this.#take(message);
    }
  }

  #take(m) {
    if (m.method && m.id !== undefined) { // the server asks for its settings, or registers
      this.#write({ id: m.id, result: m.method === "workspace/configuration"
        ? m.params.items.map((i) => i.section === "yaml"
          ? { validate: true, completion: true, schemaStore: { enable: false } } : {}) : null });
      return;
    }
    if (m.method === "textDocument/publishDiagnostics") {
      this.#diagnosed.get(m.params.uri)?.(m.params.diagnostics);
      return;
    }
    const waits = this.#waiting.get(m.id);
    if (!waits) return;
    this.#waiting.delete(m.id);
    if (m.error) waits.reject(new Error(m.error.message));
    else waits.resolve(m.result);
  }
}
