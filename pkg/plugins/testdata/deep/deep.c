// A guest that traps three calls deep.
#include "informerd.h"

static informerd_path name;

__attribute__((noinline)) static int innermost(int op) {
  if (op == INFORMERD_ADD) __builtin_trap();
  return op + 1;
}
__attribute__((noinline)) static int middle(int op) { return innermost(op) * 3; }
__attribute__((noinline)) static int outermost(int op) { return middle(op) - 2; }

static bool configure(void) { return informerd_compile(&name, T("metadata.name")); }

static informerd_verdict on_event(const informerd_event *e) {
  informerd_fail(T("about to trap"));
  return outermost(e->op) == 0 ? INFORMERD_DROP : INFORMERD_DONE;
}

const informerd_registration informerd_handler = {configure, on_event};
