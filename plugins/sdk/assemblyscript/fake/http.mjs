import { badArgument, denied, notFound, statuses, wrongPhase } from "./status.mjs";

/** HTTP answers a guest's requests with the test's responses, and records the requests. */
export class HTTP {
  /** requests are those made so far: method, url, headers, and body as text. */
  requests = [];
  #answers = new Map();

  /**
   * answer sets the response to later requests with a method and URL: { status, headers, body }, or
   * the text of a status, such as "unavailable". Other requests are denied.
   */
  answer(method, url, answer) { this.#answers.set(`${method} ${url}`, answer); }

  #request(text, body) {
    let head;
    try {
      head = JSON.parse(text);
    } catch {
      return badArgument;
    }
    const { method = "GET", url, headers = {}, ...others } = head;
    if (typeof url != "string" || Object.keys(others).length > 0) return badArgument;
    this.requests.push({ method, url, headers, body });
    const answer = this.#answers.get(`${method} ${url}`) ?? "denied";
    return typeof answer == "string" ? statuses[answer] ?? denied : answer;
  }

  /** imports are the functions of http.v1. */
  imports(guest, memory) {
    return {
      request: (head, headLength, body, bodyLength) => {
        if (!guest.events.at) return wrongPhase;
        const answer = this.#request(memory.read(head, headLength), memory.read(body, bodyLength));
        guest.answer = typeof answer == "number" ? undefined : answer;
        return guest.answer ? answer.status ?? 200 : answer;
      },
      header: (name, nameLength, ptr, cap) => {
        if (!guest.events.at) return wrongPhase;
        const asked = memory.read(name, nameLength).toLowerCase();
        const found = Object.entries(guest.answer?.headers ?? {}).find(([name]) => name.toLowerCase() == asked);
        return found ? memory.answer(String(found[1]), ptr, cap) : notFound;
      },
      body: (off, ptr, cap) => {
        if (!guest.events.at) return wrongPhase;
        return guest.answer ? memory.window(guest.answer.body ?? "", off, ptr, cap) : notFound;
      },
    };
  }
}
