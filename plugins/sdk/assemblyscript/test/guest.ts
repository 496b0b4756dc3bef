// A handler that does what its configuration says, for sdk.test.mjs.
import {
  Event, FieldPath, Kind, Level, ListWriter, MapWriter, Op, Value, Verdict, compile, config, configOnly, emit, log,
  logEnabled, path, quote, reason, register, setData,
} from "informerd";
export { configure, informerd_abi_v1, on_event } from "informerd";

const name = path("metadata.name");
const paths: Array<FieldPath> = [
  name, path('metadata.labels["app.kubernetes.io/name"]'), path("items[1].n"), path("object"), path("truth"), path("null"),
  path("none.at.all"),
];
let what = "";
const kept = new Map<string, string>();

function configure_(): string | null {
  const unknown = configOnly(["do", "path", "values", "limit"]);
  if (unknown) return unknown;
  const c = config();
  what = c.member("do").string();
  if (c.member("path").exists()) {
    const p = compile(c.member("path").string());
    if (p.error != "") return p.error;
  }
  if (what == "values") {
    const list = new ListWriter();
    const values = c.member("values").items();
    for (let i = 0; i < values.length; i++) list.string(values[i].string());
    const limit = c.member("limit");
    return list.toString() + (limit.isInt() ? " " + limit.int().toString() : " no integer");
  }
  return null;
}

function describe(v: Value): string {
  return v.kind.toString() + " " + v.text;
}

function onEvent(event: Event): Verdict {
  if (what == "fields") {
    const list = new ListWriter();
    for (let i = 0; i < paths.length; i++) {
      assert(event.object.has(paths[i]) == event.object.get(paths[i]).exists() && !event.old.has(paths[i]));
      list.string(describe(event.object.get(paths[i])));
    }
    list.string(event.object.string(name)).string(event.object.string(paths[2])).int(event.object.int(paths[2]));
    list.int(event.object.int(name)).bool(event.object.bool(paths[4])).bool(event.object.bool(paths[5]));
    list.string(event.object.json()).int(event.object.size).string(event.old.json()).bool(event.old.exists());
    list.bool(event.op == Op.Add).bool(event.initial).bool(event.finalStateUnknown).bool(event.missed).bool(event.resumed);
    setData(list.toString());
    return Verdict.Done;
  }
  if (what == "changed") return event.changed(name) ? Verdict.Done : Verdict.Drop;
  if (what == "length") return event.object.string(name).length == 1 << 20 ? Verdict.Done : Verdict.Drop;
  if (what == "retry") return event.retry("later");
  if (what == "fail") return event.fail("never");
  if (what == "compile late") return event.fail(compile("a").error);
  if (what == "crash") {
    assert(false, "on purpose");
    return Verdict.Done;
  }
  if (what == "remember") {
    kept.set(event.object.string(name), event.object.json());
    return Verdict.Drop;
  }
  const nested = new ListWriter().string("x").int(i64.MIN_VALUE).bool(true).json("{}");
  emit("com.example.a", new MapWriter().string('a"\\\n\x01', "ä\t").json("list", nested.toString()).bool("no", false).toString());
  setData("[1]");
  emit("com.example.b");
  if (logEnabled(Level.Info)) log(Level.Info, reason(emit("")) + quote("ü"));
  return Verdict.Done;
}

register(onEvent, configure_);
