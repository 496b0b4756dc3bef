// A guest that calls every function of the host, for a test in the real one; it does the same in each language.
import {
  Event, Level, MapWriter, Op, Verdict, config, configOnly, emit, log, logEnabled, path, reason, register, setData,
} from "informerd";
export { configure, informerd_abi_v1, on_event } from "informerd";

const name = path("metadata.name");
const app = path('metadata.labels["app"]');
const priority = path("spec.priority");
const network = path("spec.hostNetwork");
const empty = path("spec.x");
const statuses = path("status.containerStatuses");
const none = path("none.at.all");
let greeting = "";

function onEvent(event: Event): Verdict {
  const object = event.object, who = object.string(name);
  if (event.op == Op.Delete) return event.fail("gone: " + who);
  if (event.op == Op.Resync) return event.retry("later");
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

register(onEvent, () => {
  greeting = config().member("greeting").string();
  return configOnly(["greeting"]);
});
