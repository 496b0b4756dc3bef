import { resultEmit, utf8 } from "./host";
import { MapWriter } from "./json";
import { Status } from "./status";

/** Verdict is a handler's decision about an event. */
export enum Verdict {
  /** The event, or what was emitted in its place, goes to the outputs. */
  Done = 0,
  /** Nothing goes to the outputs. */
  Drop = 1,
  /** Try this event again later. */
  Retry = 2,
  /** Do not try again; the event becomes a dead letter. */
  Fail = 3,
}

/** reason returns why the host rejected an emission. */
export function reason(status: Status): string {
  switch (status) {
    case Status.OK: return "";
    case Status.BadArgument: return "invalid event type: it must be 1 to 256 printable ASCII characters";
    case Status.Denied: return "this event type is reserved for informerd itself, or the grant emit does not allow what was emitted";
    case Status.Quota: return "too much was emitted for this event";
  }
  return "events can be emitted in on_event only";
}

/**
 * emit sends an event of the handler's own, with data as JSON text, such as that of a MapWriter; ""
 * means no data. If the verdict is Done, the emitted events go to the outputs in place of the
 * object's event. The type is a reverse domain name, such as com.example.backup.missed.
 */
export function emit(type: string, data: string = ""): Status {
  const event = new MapWriter().string("type", type);
  if (data != "") event.json("data", data);
  return send(1, event.toString());
}

/** setData replaces the data of the object's event. It may be called once for each event. */
export function setData(data: string): Status {
  return send(2, data);
}

function send(kind: i32, json: string): Status {
  const bytes = utf8(json);
  return <Status>resultEmit(kind, changetype<usize>(bytes), bytes.byteLength);
}
