// Webhook-enricher is a handler that adds what a service knows of an object's owner to the object's
// events. See README.md.
import {
  Event, EventObject, FieldPath, MapWriter, Status, Verdict, compile, config, configOnly, http, isOneValue, kv, path, quote,
  register, setData, statusText,
} from "informerd";
export { configure, informerd_abi_v1, on_event } from "informerd";

const apiVersion = path("apiVersion");
const kind = path("kind");
const namespace = path("metadata.namespace");
const name = path("metadata.name");
const uid = path("metadata.uid");

const year: i64 = 365 * 24 * 3600;

let url = "";
let ttlMs: i64 = 0;
/** The fields that may hold the owner; the first one found counts. */
const places = new Array<FieldPath>();

function readConfig(): string | null {
  const unknown = configOnly(["url", "keys", "ttlSeconds"]);
  if (unknown) return unknown;
  const c = config();
  url = c.member("url").string();
  if (!isPrefix(url)) return "url must begin with https:// or http:// and a host and end with /, as in https://cmdb.example.com/owners/";
  if (url.length > 190) return "url must have at most 190 characters, has " + url.length.toString();
  const ttl = c.member("ttlSeconds");
  const seconds = ttl.exists() ? ttl.int() : 600;
  if (seconds < 1 || seconds > year) return "ttlSeconds must be a whole number from 1 to " + year.toString() + ", is " + ttl.text;
  ttlMs = seconds * 1000;
  return readKeys(c.member("keys").exists() ? c.member("keys").items().map<string>((key) => key.string()) : ["owner", "team"]);
}

function isPrefix(url: string): bool {
  if (!url.startsWith("https://") && !url.startsWith("http://")) return false;
  const parts = url.split("/"); // "https:", "", the host, the path; "" after the last /
  return parts.length > 3 && parts[2] != "" && parts[parts.length - 1] == "" && !url.includes("?") && !url.includes("#");
}

function readKeys(keys: Array<string>): string | null {
  if (keys.length == 0) return "keys must be a list of at least one label or annotation";
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (key == "" || key.includes('"') || key.includes("\\")) return "keys[" + i.toString() + "] must be the key of a label or annotation";
    const maps = ["labels", "annotations"];
    for (let m = 0; m < maps.length; m++) {
      const p = compile("metadata." + maps[m] + "[" + quote(key) + "]");
      if (p.error != "") return p.error;
      places.push(p);
    }
  }
  return null;
}

/** isName reports whether a text is a valid label value, which needs no escaping in a URL. */
function isName(text: string): bool {
  if (text.length == 0 || text.length > 63 || !isAlphanumeric(text, 0) || !isAlphanumeric(text, text.length - 1)) return false;
  for (let i = 0; i < text.length; i++) {
    if (!isAlphanumeric(text, i) && !"-_.".includes(text.charAt(i))) return false;
  }
  return true;
}

function isAlphanumeric(text: string, at: i32): bool {
  const c = text.charCodeAt(at), letter = c | 0x20;
  return c >= 0x30 && c <= 0x39 || letter >= 0x61 && letter <= 0x7a;
}

/** ownerOf returns an object's owner, "" if there is none or it is not valid. */
function ownerOf(object: EventObject): string {
  for (let i = 0; i < places.length; i++) {
    const owner = object.string(places[i]);
    if (isName(owner)) return owner;
  }
  return "";
}

/**
 * Found is the service's knowledge: details as JSON, "" for nothing. If the verdict is not Done,
 * the request failed.
 */
class Found {
  constructor(public verdict: Verdict, public details: string = "") {}
}

function ask(event: Event, owner: string): Found {
  const at = "owner " + quote(owner) + ": ";
  const answer = http.request(new http.Request("GET", url + owner).header("Accept", "application/json"));
  switch (answer.status) {
    case Status.OK: break;
    case Status.Unavailable: return new Found(event.retry(at + "the service does not respond"));
    case Status.Denied: return new Found(event.fail(at + "the grant http does not allow GET " + url));
    case Status.Quota: return new Found(event.fail(at + "the response is larger than the grant http allows, or this event has used up its requests"));
    default: return new Found(event.fail(at + "the request was rejected: " + answer.error));
  }
  const code = answer.code;
  if (code == 404 || code == 410 || code == 204) return new Found(Verdict.Done);
  const reason = at + "the service responds " + code.toString();
  if (code == 408 || code == 429 || code >= 500) return new Found(event.retry(reason));
  if (code != 200) return new Found(event.fail(reason));
  const details = answer.text();
  return isOneValue(details) ? new Found(Verdict.Done, details) : new Found(event.fail(at + "the response is not JSON"));
}

/** enrich replaces the event's data. */
function enrich(object: EventObject, owner: string, details: string): Status {
  const reference = new MapWriter()
    .string("apiVersion", object.string(apiVersion))
    .string("kind", object.string(kind))
    .string("namespace", object.string(namespace))
    .string("name", object.string(name))
    .string("uid", object.string(uid));
  return setData(new MapWriter().json("object", reference.toString()).string("owner", owner).json("details", details).toString());
}

function onEvent(event: Event): Verdict {
  const owner = ownerOf(event.object);
  if (owner == "") return Verdict.Done;
  const key = url + owner; // includes the URL, since another service has other responses
  const kept = kv.get(key);
  const found = kept.ok ? new Found(Verdict.Done, kept.text) : ask(event, owner);
  if (found.verdict != Verdict.Done) return found.verdict;
  if (found.details != "") {
    const status = enrich(event.object, owner, found.details);
    if (status == Status.BadArgument) return event.fail("owner " + quote(owner) + ": the response is not JSON");
    if (status != Status.OK) return event.fail("the event's data cannot be replaced: " + statusText(status));
  }
  if (!kept.ok) kv.set(key, found.details, ttlMs); // if this fails, the service is asked again
  return Verdict.Done;
}

register(onEvent, readConfig);
