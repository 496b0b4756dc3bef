#include "host.h"

// The host writes the fields to ahead: their number, then tag, length and offset of each, then their texts. An offset of 0 is
// one that does not fit.

enum { size = 4096, head = 1, entry = 3, most = 16, paths = 256 }; // head and entry in words

static uint32_t ahead[size / sizeof(uint32_t)];
static uint16_t place[paths]; // by a path's handle: the number of its entry, from 1

static uint32_t compiled[most], compiled_count;
static bool named; // by the handler

static informerd_status declare(const uint32_t *handles, uint32_t count) {
  int32_t s = informerd_host_event_prefetch(ahead, size, handles, count);
  if (s != INFORMERD_OK) return (informerd_status)s;
  for (uint32_t i = 0; i < paths; i++) place[i] = 0;
  for (uint32_t i = 0; i < count; i++) place[handles[i]] = (uint16_t)(i + 1);
  informerd_no_event_ahead();
  return INFORMERD_OK;
}

void informerd_prefetch_compiled(uint32_t handle) {
  if (named || compiled_count > most) return;
  if (compiled_count < most) compiled[compiled_count] = handle;
  compiled_count++;
  declare(compiled, compiled_count > most ? 0 : compiled_count);
}

informerd_status informerd_prefetch_paths(const informerd_path *const *list, uint32_t count) {
  uint32_t handles[paths], n = 0;
  for (uint32_t i = 1; i < count; i++) {
    uint32_t handle = list[i]->id - 1;
    if (handle >= paths) return INFORMERD_BAD_ARGUMENT;
    bool twice = false;
    for (uint32_t j = 0; j < n; j++) twice |= handles[j] == handle;
    if (!twice) handles[n++] = handle;
  }
  informerd_status s = declare(handles, n);
  if (s == INFORMERD_OK) named = true;
  return s;
}

bool informerd_ahead(informerd_object o, uint32_t handle, informerd_value *v) {
  if (o.which || o.field || handle >= paths || !place[handle] || place[handle] > ahead[0]) return false;
  const uint32_t *e = ahead + head + entry * (place[handle] - 1u);
  if (!e[2]) return false;
  *v = (informerd_value){(informerd_kind)e[0], {(const char *)ahead + e[2], e[1]}};
  return true;
}

void informerd_no_event_ahead(void) { ahead[0] = 0; }

void informerd_prefetch_reset(void) {
  compiled_count = 0;
  named = false;
  for (uint32_t i = 0; i < paths; i++) place[i] = 0;
}
