#include "host.h"

#ifdef __wasm__
EXPORT("informerd_abi_v1") void informerd_marker(void) {}
#endif

bool informerd_refuse(informerd_text reason) {
  informerd_host_result_error(reason.data, reason.length);
  return false;
}

EXPORT("configure") int32_t informerd_configure(void) {
  bool ready = !informerd_handler.configure || informerd_handler.configure();
  if (informerd_path_error.length) ready = informerd_refuse(informerd_path_error);
  informerd_keep_all();
  return ready ? 0 : 1;
}

EXPORT("on_event") int32_t informerd_on_event(uint32_t op, uint32_t flags, uint32_t object_len, uint32_t old_len) {
  informerd_free_unkept();
  informerd_event e = {
      .op = (informerd_op)op,
      .initial = flags & 1,
      .final_state_unknown = flags & 2,
      .missed = flags & 4,
      .object = {0, object_len},
      .old = {1, old_len},
  };
  return (int32_t)informerd_handler.on_event(&e);
}
