#include "host.h"

// The host writes the fields to buffer: their number, then tag, length and offset of each, then
// their texts. An offset of 0 means that the field did not fit.

enum { size = 4096, head = 1, entry = 3, automatic = 16, paths = 256 }; // head and entry in words

static uint32_t buffer[size / sizeof(uint32_t)];
static uint16_t entry_number[paths]; // by a path's handle: the number of its entry, from 1

static uint32_t compiled[automatic], compiled_count;
static bool chosen; // the handler called informerd_prefetch

static informerd_status declare(const uint32_t *handles, uint32_t count) {
  int32_t s = informerd_host_event_prefetch(buffer, size, handles, count);
  if (s != INFORMERD_OK) return (informerd_status)s;
  for (uint32_t i = 0; i < paths; i++) entry_number[i] = 0;
  for (uint32_t i = 0; i < count; i++) entry_number[handles[i]] = (uint16_t)(i + 1);
  informerd_prefetch_clear();
  return INFORMERD_OK;
}

void informerd_prefetch_compiled(uint32_t handle) {
  if (chosen || compiled_count > automatic) return;
  if (compiled_count < automatic) compiled[compiled_count] = handle;
  compiled_count++;
  declare(compiled, compiled_count > automatic ? 0 : compiled_count);
}

informerd_status informerd_prefetch_paths(const informerd_path *const *list, uint32_t count) {
  uint32_t handles[paths], n = 0;
  for (uint32_t i = 1; i < count; i++) {
    uint32_t handle = list[i]->id - 1;
    if (handle >= paths) return INFORMERD_BAD_ARGUMENT;
    bool duplicate = false;
    for (uint32_t j = 0; j < n; j++) duplicate |= handles[j] == handle;
    if (!duplicate) handles[n++] = handle;
  }
  informerd_status s = declare(handles, n);
  if (s == INFORMERD_OK) chosen = true;
  return s;
}

bool informerd_prefetched(informerd_object o, uint32_t handle, informerd_value *v) {
  if (o.which || o.field || handle >= paths || !entry_number[handle] || entry_number[handle] > buffer[0]) return false;
  const uint32_t *e = buffer + head + entry * (entry_number[handle] - 1u);
  if (!e[2]) return false;
  *v = (informerd_value){(informerd_kind)e[0], {(const char *)buffer + e[2], e[1]}};
  return true;
}

void informerd_prefetch_clear(void) { buffer[0] = 0; }

void informerd_prefetch_reset(void) {
  compiled_count = 0;
  chosen = false;
  for (uint32_t i = 0; i < paths; i++) entry_number[i] = 0;
}
