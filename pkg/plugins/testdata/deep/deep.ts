// A guest that fails three calls deep.
import { Event, Verdict, register } from "informerd";
export { configure, informerd_abi_v1, on_event } from "informerd";

function innermost(list: i32[], at: i32): i32 {
  if (at > 1) throw new Error("nothing at " + at.toString());
  return list[at] + innermost(list, at + 1);
}

function middle(list: i32[], at: i32): i32 {
  return at > 5 ? middle(list, at - 1) : innermost(list, at + 1) * 3;
}

function outermost(list: i32[], at: i32): i32 {
  return at > 7 ? outermost(list, at - 1) : middle(list, at) - 2;
}

function onEvent(event: Event): Verdict {
  return outermost([1, 2, 3], <i32>event.op) == 0 ? Verdict.Drop : Verdict.Done;
}

register(onEvent, () => null);
