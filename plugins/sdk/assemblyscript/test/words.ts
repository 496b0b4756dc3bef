// A handler that does what its configuration says, for words.test.mjs. It takes single events and
// batches.
import {
  Batch, Event, Fields, ListWriter, Op, Status, Verdict, cache, compile, config, emit, http, isOneValue, kv, now, path,
  prefetch, random, register, registerBatch, setData, statusText,
} from "informerd";
export { configure, informerd_abi_v1, on_batch, on_event } from "informerd";

const name = path("metadata.name");
const app = path('metadata.labels["app"]');
const count = path("count");
const truth = path("truth");
let what = "";

function configure_(): string | null {
  what = config().member("do").string();
  if (what == "compile") {
    for (let i: i64 = 0; i < config().member("n").int(); i++) compile("more" + i.toString());
  }
  if (what == "prefetch none") prefetch([]);
  if (what == "prefetch twice") {
    prefetch([app, name]);
    prefetch([count]);
  }
  if (what == "prefetch no path") {
    const wrong = compile("a b[");
    return statusText(prefetch([count])) + " " + statusText(prefetch([wrong]));
  }
  if (what == "configure") {
    return [kv.set("a", "b") == Status.OK ? kv.get("a").text : "", statusText(emit("a.b")), http.request(new http.Request("GET", "http://a")).error,
      cache.open("pods").error, cache.open("pods").get("", "a").error, now().toString()].join(", ");
  }
  return null;
}

function fields(list: ListWriter, object: Fields): void {
  list.string(object.string(name)).string(object.string(app)).int(object.int(count)).bool(object.bool(truth));
  list.bool(object.has(name)).bool(object.has(app)).string(object.get(truth).text);
}

function useKV(list: ListWriter): void {
  list.string(kv.get("none").error).string(kv.get("none").text).string(statusText(kv.remove("none")));
  list.string(statusText(kv.set("ä", "ö€")));
  list.string(kv.get("ä").text).bool(kv.get("ä").ok);
  list.bool(kv.cas("ä", null, "x").swapped).bool(kv.cas("ä", "other", "x").swapped).bool(kv.cas("ä", "ö€", "new").swapped);
  list.string(kv.get("ä").text).string(statusText(kv.remove("ä"))).bool(kv.cas("ä", null, "first").swapped);
  const bytes = Uint8Array.wrap(new ArrayBuffer(3));
  bytes[1] = 0xff;
  kv.setBytes("bytes", bytes.buffer, 1000);
  const got = Uint8Array.wrap(kv.get("bytes").bytes);
  list.int(got.length).int(got[1]);
  list.bool(kv.casBytes("bytes", bytes.buffer, new ArrayBuffer(0)).swapped).int(kv.get("bytes").bytes.byteLength);
  kv.set("long", "y".repeat(50000), 1000);
  list.int(kv.get("long").text.length);
  list.string(statusText(kv.set("", "x"))).string(statusText(kv.set("x", "y", -1))).string(kv.cas("", null, "").error);
  list.string(statusText(kv.set("x", "y".repeat(70000))));
}

function useHTTP(list: ListWriter): void {
  const get = http.request(new http.Request("GET", "http://a/1"));
  list.int(get.code).string(get.text()).bool(get.ok).bool(get.header("x") == null).int(get.header("X-LONG")!.length);
  const post = http.request(new http.Request("POST", "http://a/2").header("A", "ä\"").header("B", "2").text("sent"));
  list.int(post.code).int(post.text().length).int(post.bytes().byteLength).string(post.error);
  const none = http.request(new http.Request("GET", "http://a/none"));
  list.int(none.code).string(none.error).string(none.text()).bool(none.header("x") == null);
  list.string(http.request(new http.Request("GET", "http://a/late")).error);
  if (config().member("stale").bool()) get.text();
}

function useCache(list: ListWriter): void {
  const pods = cache.open("pods");
  list.bool(pods.ok).string(cache.open("others").error).string(cache.open("others").get("", "x").error);
  const web = pods.get("shop", "web");
  list.bool(web.exists());
  fields(list, web);
  list.string(web.json());
  web.close();
  web.close();
  list.bool(web.exists()).bool(web.has(name)).string(web.json());
  const none = pods.get("shop", "none");
  list.bool(none.exists()).string(none.error).string(none.string(name));
  none.close();
  const found = pods.byIndex("app", "web");
  list.bool(found.exists()).string(found.string(name)).bool(found.ok);
  while (found.next()) list.string(found.string(name));
  list.bool(found.exists()).bool(found.ok).bool(found.next());
  list.bool(pods.byIndex("none", "web").next()).bool(cache.open("others").byIndex("app", "web").next());
  let last = pods.get("", "node");
  for (let i = 0; i < 20; i++) last = pods.get("", "node");
  list.string(last.error);
}

function onEvent(event: Event): Verdict {
  const list = new ListWriter();
  if (what == "kv") useKV(list);
  else if (what == "http") useHTTP(list);
  else if (what == "cache") useCache(list);
  else if (what == "one value") list.bool(isOneValue(config().member("text").string()));
  else if (what == "now") list.int(now());
  else if (what == "random") {
    const bytes = new Uint8Array(8), many = new Uint8Array(65537);
    list.string(statusText(random(bytes))).string(bytes.toString()).string(statusText(random(many)));
  } else {
    list.string(statusText(prefetch([])));
    fields(list, event.object);
    fields(list, event.old);
  }
  setData(list.toString());
  return Verdict.Done;
}

function onBatch(batch: Batch): Verdict {
  let seen: u32 = 0;
  let last = batch.next();
  for (let e = last; e; e = batch.next()) {
    seen++;
    if (e.op == Op.Delete) e.setVerdict(e.fail("no " + e.object.string(name)));
    else if (e.op == Op.Resync) e.setVerdict(Verdict.Drop);
    else emit("com.example." + e.object.string(name), e.changed(name).toString());
    if (e.object.string(name) == "stop") return e.retry("stopped");
    if (what == "stale" && last != e) last!.setVerdict(Verdict.Done);
    last = e;
  }
  assert(seen == batch.length && batch.next() == null);
  return Verdict.Done;
}

register(onEvent, configure_);
registerBatch(onBatch);
