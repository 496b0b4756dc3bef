import { resultEmit, utf8 } from "./host";
import { MapWriter } from "./json";
import { Status } from "./status";

/** Verdict is what a handler decides about an event. */
export enum Verdict {
  /** The event goes on to the outputs, or what was emitted does. */
  Done = 0,
  /** Nothing goes to the outputs. */
  Drop = 1,
  /** Try this event again later. */
  Retry = 2,
  /** Do not try again: to the dead letters. */
  Fail = 3,
}

/** reason says why the host did not take an emission. */
export function reason(status: Status): string {
  switch (status) {
    case Status.OK: return "";
    case Status.BadArgument: return "the host does not take this: the type must be 1 to 256 printable ASCII characters";
    case Status.Denied: return "this event type is reserved for informerd itself, or the grant emit does not allow what was emitted";
    case Status.Quota: return "too much was emitted for this event";
  }
  return "events can be emitted in on_event only";
}

/**
 * emit sends an event of the handler's own, with data as JSON text, as of a MapWriter; "" is no data. If the verdict is
 * Done, the emitted events go to the outputs in place of the object's event. The type is a reverse domain name, as in
 * com.example.backup.missed.
 */
export function emit(type: string, data: string = ""): Status {
  const event = new MapWriter().string("type", type);
  if (data != "") event.json("data", data);
  return send(1, event.toString());
}

/** setData replaces the data of the object's event, once for each event. */
export function setData(data: string): Status {
  return send(2, data);
}

function send(kind: i32, json: string): Status {
  const bytes = utf8(json);
  return <Status>resultEmit(kind, changetype<usize>(bytes), bytes.byteLength);
}
