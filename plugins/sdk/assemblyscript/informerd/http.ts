// HTTP requests, one at a time, to where the grant leads. A guest that calls it needs the grant "http".
import { address, httpBody, httpHeader, httpRequest, room, utf8, written } from "./host";
import { MapWriter } from "./json";
import { Answer, Status, statusOf } from "./status";

/** Request is what is asked for. */
export class Request {
  /** body is sent with the request; none if it is empty. */
  body: ArrayBuffer = new ArrayBuffer(0);
  private headers: MapWriter | null = null;

  constructor(public readonly method: string, public readonly url: string) {}

  /** header adds one. Those of the grant take the place of the guest's own. */
  header(name: string, value: string): this {
    let headers = this.headers;
    if (headers == null) headers = new MapWriter();
    this.headers = headers.string(name, value);
    return this;
  }

  /** text makes a text the body. */
  text(body: string): this {
    this.body = utf8(body);
    return this;
  }

  /** head is the request without its body, as the host reads it. @internal */
  head(): string {
    const head = new MapWriter().string("method", this.method).string("url", this.url);
    const headers = this.headers;
    if (headers != null) head.json("headers", headers.toString());
    return head.toString();
  }
}

let requests: u64 = 0;

/**
 * Response is the answer, or why there is none. Header and body are there until the next request, or until the handler
 * returns.
 */
export class Response extends Answer {
  private number: u64 = requests;

  /** code is that of HTTP, such as 200; 0 if there is no answer. */
  constructor(status: Status, public readonly code: i32) {
    super(status);
  }

  /** header gives a header's value, null if there is none. Values of several of that name are joined by ", ". */
  header(name: string): string | null {
    this.check();
    const n = utf8(name);
    let cap = room();
    let length = httpHeader(changetype<usize>(n), n.byteLength, address(), cap);
    if (length > <i32>cap) {
      cap = room(length);
      length = httpHeader(changetype<usize>(n), n.byteLength, address(), cap);
    }
    return length < 0 ? null : written(length);
  }

  /** text gives the body as UTF-8, "" if there is no answer. */
  text(): string {
    return String.UTF8.decode(this.bytes());
  }

  /** bytes gives the body, none if there is no answer. */
  bytes(): ArrayBuffer {
    this.check();
    let all = new ArrayBuffer(4096), got = 0;
    while (true) {
      const n = httpBody(got, changetype<usize>(all) + got, all.byteLength - got);
      if (n <= 0) return all.slice(0, got);
      got += n;
      if (got < all.byteLength) continue;
      const longer = new ArrayBuffer(2 * got);
      memory.copy(changetype<usize>(longer), changetype<usize>(all), got);
      all = longer;
    }
  }

  private check(): void {
    assert(this.number == requests, "an answer is read after the next request");
  }
}

/** request makes a request and waits for the answer. Any answer is one, whatever its code. */
export function request(r: Request): Response {
  const head = utf8(r.head());
  requests++;
  const code = httpRequest(changetype<usize>(head), head.byteLength, changetype<usize>(r.body), r.body.byteLength);
  return new Response(statusOf(code), max(code, 0));
}
