// HTTP requests, one at a time. A guest that calls it needs the grant "http", which lists the
// allowed URLs.
import { address, httpBody, httpHeader, httpRequest, room, utf8, written } from "./host";
import { MapWriter } from "./json";
import { Answer, Status, statusOf } from "./status";

/** Request is an HTTP request to send. */
export class Request {
  /** body is sent with the request; none if it is empty. */
  body: ArrayBuffer = new ArrayBuffer(0);
  private headers: MapWriter | null = null;

  constructor(public readonly method: string, public readonly url: string) {}

  /** header adds a header. Headers of the grant replace the guest's. */
  header(name: string, value: string): this {
    let headers = this.headers;
    if (headers == null) headers = new MapWriter();
    this.headers = headers.string(name, value);
    return this;
  }

  /** text sets the body to a text. */
  text(body: string): this {
    this.body = utf8(body);
    return this;
  }

  /** head returns the request without its body, as the host reads it. @internal */
  head(): string {
    const head = new MapWriter().string("method", this.method).string("url", this.url);
    const headers = this.headers;
    if (headers != null) head.json("headers", headers.toString());
    return head.toString();
  }
}

let requests: u64 = 0;

/**
 * Response is the response to a request, or why there is none. Header and body are valid until the
 * next request, or until the handler returns.
 */
export class Response extends Answer {
  private number: u64 = requests;

  /** code is the HTTP status code, such as 200; 0 if there is no response. */
  constructor(status: Status, public readonly code: i32) {
    super(status);
  }

  /** header returns a header's value, null if there is none. Several values are joined by ", ". */
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

  /** text returns the body as UTF-8 text, "" if there is no response. */
  text(): string {
    return String.UTF8.decode(this.bytes());
  }

  /** bytes returns the body, empty if there is no response. */
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
    assert(this.number == requests, "a response was read after the next request");
  }
}

/** request sends a request and waits for the response, whatever its code. */
export function request(r: Request): Response {
  const head = utf8(r.head());
  requests++;
  const code = httpRequest(changetype<usize>(head), head.byteLength, changetype<usize>(r.body), r.body.byteLength);
  return new Response(statusOf(code), max(code, 0));
}
