// Requests-patch is a handler that proposes patches for workloads without resource requests. See
// README.md.
import {
  Event, EventObject, Kind, ListWriter, MapWriter, Op, Value, Verdict, config, configOnly, emit, path, prefetch, quote,
  reason, register,
} from "informerd";
export { configure, informerd_abi_v1, on_event } from "informerd";

const eventType = "dev.informerd.examples.requests-patch";

const apiVersion = path("apiVersion");
const kind = path("kind");
const namespace = path("metadata.namespace");
const name = path("metadata.name");
const template = path("spec.template.spec");

/** Request is a resource that a container should request. */
class Request {
  constructor(public resource: string, public quantity: string) {}
}

const requests = new Array<Request>();

function readConfig(): string | null {
  const unknown = configOnly(["requests"]);
  if (unknown) return unknown;
  const map = config().member("requests");
  const names = map.names(), values = map.items();
  if (names.length == 0) return "requests is empty: name at least one resource, as in cpu: 100m";
  for (let i = 0; i < names.length; i++) {
    const quantity = values[i].string();
    if (names[i] == "" || quantity == "") return "requests[" + quote(names[i]) + "] must be a quantity in quotes, as in \"1\"";
    requests.push(new Request(names[i], quantity));
  }
  prefetch([]); // most events are dropped without reading a field
  return null;
}

/** escape escapes a member's name for a JSON pointer. */
function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function add(patch: ListWriter, path: string, json: string): void {
  patch.json(new MapWriter().string("op", "add").string("path", path).json("value", json).toString());
}

/** propose adds the requests that a container lacks. A limit without a request counts as one. */
function propose(patch: ListWriter, at: string, container: Value): void {
  const resources = container.member("resources");
  const asked = resources.member("requests"), limits = resources.member("limits");
  const lacking = new MapWriter();
  const missing = new Array<Request>();
  for (let i = 0; i < requests.length; i++) {
    const r = requests[i];
    if (asked.member(r.resource).exists() || limits.member(r.resource).exists()) continue;
    lacking.string(r.resource, r.quantity);
    missing.push(r);
  }
  if (missing.length == 0) return;
  // The patch is valid only while the container is at this position.
  const name = quote(container.member("name").string());
  patch.json(new MapWriter().string("op", "test").string("path", at + "/name").json("value", name).toString());
  if (resources.kind != Kind.Map) {
    add(patch, at + "/resources", new MapWriter().json("requests", lacking.toString()).toString());
  } else if (asked.kind != Kind.Map) {
    add(patch, at + "/resources/requests", lacking.toString());
  } else {
    for (let i = 0; i < missing.length; i++) {
      add(patch, at + "/resources/requests/" + escape(missing[i].resource), quote(missing[i].quantity));
    }
  }
}

/** patchOf returns the patch for an object, [] if it lacks nothing. */
function patchOf(object: EventObject): ListWriter {
  const patch = new ListWriter();
  const spec = object.get(template);
  const lists = ["initContainers", "containers"];
  for (let l = 0; l < lists.length; l++) {
    const containers = spec.member(lists[l]).items();
    for (let i = 0; i < containers.length; i++) {
      propose(patch, "/spec/template/spec/" + lists[l] + "/" + i.toString(), containers[i]);
    }
  }
  return patch;
}

function onEvent(event: Event): Verdict {
  if (event.op == Op.Delete || event.op == Op.Resync || !event.changed(template)) return Verdict.Drop;
  const patch = patchOf(event.object);
  if (patch.length == 0 || patch.toString() == patchOf(event.old).toString()) return Verdict.Drop;
  const target = new MapWriter()
    .string("apiVersion", event.object.string(apiVersion))
    .string("kind", event.object.string(kind))
    .string("namespace", event.object.string(namespace))
    .string("name", event.object.string(name));
  const status = emit(eventType, new MapWriter().json("target", target.toString()).json("patch", patch.toString()).toString());
  return status == 0 ? Verdict.Done : event.fail(reason(status));
}

register(onEvent, readConfig);
