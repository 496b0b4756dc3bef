// A guest that calls every host function, for a test in the real host; it is the same in each
// language. It makes the calls that need more grants than log if its configuration has a URL.
import {
  Batch, BatchEvent, Event, Level, ListWriter, MapWriter, Op, Verdict, cache, config, configOnly, emit, http, kv, log,
  logEnabled, now, path, prefetch, random, reason, register, registerBatch, setData, statusText,
} from "informerd";
export { configure, informerd_abi_v1, on_batch, on_event } from "informerd";

const name = path("metadata.name");
const app = path('metadata.labels["app"]');
const priority = path("spec.priority");
const network = path("spec.hostNetwork");
const empty = path("spec.x");
const statuses = path("status.containerStatuses");
const none = path("none.at.all");
let greeting = "", url = "";

function onEvent(event: Event): Verdict {
  const object = event.object, who = object.string(name);
  if (event.op == Op.Delete) return event.fail("gone: " + who);
  if (event.op == Op.Resync) return event.retry("later");
  if (url != "") return words();
  const containers = object.get(statuses).items();
  let restarts: i64 = 0;
  for (let i = 0; i < containers.length; i++) restarts = containers[i].member("restartCount").int();

  const data = new MapWriter()
    .string("name", who)
    .string("app", object.string(app))
    .int("priority", object.int(priority))
    .bool("network", object.bool(network))
    .int("null", object.get(empty).kind)
    .int("restarts", restarts)
    .bool("none", object.has(none))
    .bool("changed", event.changed(priority))
    .bool("initial", event.initial)
    .int("size", object.size)
    .int("old", event.old.size)
    .json("object", object.json())
    .toString();
  emit("com.example.everything", data);

  log(Level.Warn, reason(emit("dev.informerd.object.x", data)));
  setData("1");
  log(Level.Error, reason(setData("1")));
  if (logEnabled(Level.Info)) log(Level.Info, greeting + " " + who);
  if (logEnabled(Level.Debug)) log(Level.Debug, "not granted");
  return Verdict.Done;
}

function words(): Verdict {
  const data = new MapWriter().json("kv", store()).json("http", ask()).json("cache", lookUp()).int("now", now());
  const bytes = new Uint8Array(4);
  random(bytes);
  setData(data.string("random", bytes.toString()).toString());
  return Verdict.Done;
}

function store(): string {
  const list = new ListWriter().string(kv.get("k").error).string(statusText(kv.remove("k")));
  list.string(statusText(kv.set("k", "ä", 60_000))).string(kv.get("k").text);
  list.bool(kv.cas("k", null, "b").swapped).bool(kv.cas("k", "ä", "b").swapped).string(kv.get("k").text);
  return list.string(statusText(kv.remove("k"))).string(statusText(kv.set("", ""))).toString();
}

function ask(): string {
  const answer = http.request(new http.Request("POST", url + "a").header("X-Own", "mine").text("a body"));
  const list = new ListWriter().int(answer.code).string(answer.header("x-seen")!).bool(answer.header("none") == null);
  list.int(answer.text().length);
  return list.string(http.request(new http.Request("GET", "https://example.com/")).error).toString();
}

function lookUp(): string {
  const owners = cache.open("owners"), one = owners.get("shop", "web");
  const list = new ListWriter().string(cache.open("others").error).string(owners.get("shop", "none").error);
  list.string(one.string(name)).int(one.get(statuses).kind).bool(one.has(none)).int(one.json().length);
  one.close();
  for (const found = owners.byIndex("app", "web"); found.next(); ) list.string(found.string(name));
  return list.string(owners.byIndex("none", "web").error).toString();
}

function onBatch(batch: Batch): Verdict {
  for (let e: BatchEvent | null = batch.next(); e; e = batch.next()) {
    const who = e.object.string(name);
    if (e.op == Op.Delete) e.setVerdict(e.fail("gone: " + who));
    else if (e.op == Op.Resync) e.setVerdict(Verdict.Drop);
    else emit("com.example.everything", new MapWriter().string("name", who).int("of", batch.length).toString());
  }
  return Verdict.Done;
}

register(onEvent, () => {
  greeting = config().member("greeting").string();
  url = config().member("url").string();
  prefetch([name, app, priority, none]);
  return configOnly(["greeting", "url"]);
});
registerBatch(onBatch);
