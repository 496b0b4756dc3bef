// Cost-labels is a handler that audits the labels by which costs are split. See README.md.
import {
  Event, EventObject, FieldPath, Kind, ListWriter, MapWriter, Op, Verdict, compile, config, configOnly, path, prefetch, quote,
  reason, register, setData,
} from "informerd";
export { configure, informerd_abi_v1, on_event } from "informerd";

/** Label is a label an object must have. */
class Label {
  constructor(public key: string, public path: FieldPath, public allowed: Array<string>) {}
}

const kind = path("kind");
const namespace = path("metadata.namespace");
const name = path("metadata.name");
const all = path("metadata.labels");

const labels = new Array<Label>();

function readConfig(): string | null {
  const unknown = configOnly(["labels"]);
  if (unknown) return unknown;
  const map = config().member("labels");
  const keys = map.names(), values = map.items();
  if (keys.length == 0) return "labels is empty: name at least one label";
  for (let i = 0; i < keys.length; i++) {
    const at = "labels[" + quote(keys[i]) + "]";
    if (keys[i] == "" || keys[i].includes('"') || keys[i].includes("\\")) return at + ": this is not a label key";
    if (values[i].kind != Kind.Array) return at + " must be the list of its values, [] for any";
    const allowed = values[i].items().map<string>((value) => value.string());
    if (allowed.includes("")) return at + ": a value must be a string that is not empty";
    const p = compile('metadata.labels["' + keys[i] + '"]');
    if (p.error != "") return p.error;
    labels.push(new Label(keys[i], p, allowed));
  }
  prefetch(labels.map<FieldPath>((label) => label.path)); // not the fields that only a report needs
  return null;
}

/** Finding is what is wrong with an object. */
class Finding {
  missing: ListWriter = new ListWriter();
  wrong: ListWriter = new ListWriter();

  constructor(object: EventObject) {
    for (let i = 0; i < labels.length; i++) {
      const label = labels[i], value = object.string(label.path);
      if (value == "") {
        this.missing.string(label.key);
      } else if (label.allowed.length > 0 && !label.allowed.includes(value)) {
        this.wrong.json(new MapWriter().string("label", label.key).string("value", value).toString());
      }
    }
  }

  get none(): bool {
    return this.missing.length + this.wrong.length == 0;
  }

  equals(other: Finding): bool {
    return this.missing.toString() == other.missing.toString() && this.wrong.toString() == other.wrong.toString();
  }
}

function onEvent(event: Event): Verdict {
  if (event.op == Op.Delete || event.op == Op.Resync) return Verdict.Drop;
  if (event.op == Op.Update && !event.changed(all)) return Verdict.Drop;
  const finding = new Finding(event.object);
  if (event.op == Op.Update ? finding.equals(new Finding(event.old)) : finding.none) return Verdict.Drop;
  const status = setData(
    new MapWriter()
      .string("kind", event.object.string(kind))
      .string("namespace", event.object.string(namespace))
      .string("name", event.object.string(name))
      .json("missing", finding.missing.toString())
      .json("wrong", finding.wrong.toString())
      .toString(),
  );
  return status == 0 ? Verdict.Done : event.fail(reason(status));
}

register(onEvent, readConfig);
