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

informerd_event informerd_event_of(uint32_t op, uint32_t flags, uint32_t object_len, uint32_t old_len) {
  return (informerd_event){
      .op = (informerd_op)op,
      .initial = flags & 1,
      .final_state_unknown = flags & 2,
      .missed = flags & 4,
      .resumed = flags & 8,
      .object = {.which = 0, .size = object_len},
      .old = {.which = 1, .size = old_len},
  };
}

EXPORT("on_event") int32_t informerd_on_event(uint32_t op, uint32_t flags, uint32_t object_len, uint32_t old_len) {
  informerd_free_unkept();
  informerd_event e = informerd_event_of(op, flags, object_len, old_len);
  // Only a batch handler defines the other function, so only its module has code for batches.
  return informerd_handler.on_event ? (int32_t)informerd_handler.on_event(&e) : informerd_batch_of_one(&e);
}
