#include <string.h>

#include "world.h"

static informerd_text rest_of(informerd_text t, uint32_t n) { return informerd_slice(t, n, t.length); }

// step splits the first step off a path: a member's name, or an index.
static bool step(informerd_text *path, informerd_text *name, int64_t *index) {
  informerd_text p = *path;
  *index = -1;
  if (informerd_begins(p, T("[\""))) {
    p = rest_of(p, 2);
    int32_t end = informerd_find(p, '"');
    if (end < 0 || !informerd_begins(rest_of(p, (uint32_t)end), T("\"]"))) return false;
    *name = informerd_slice(p, 0, (uint32_t)end);
    *path = rest_of(p, (uint32_t)end + 2);
    return true;
  }
  if (p.data[0] == '[') {
    int32_t end = informerd_find(p, ']');
    informerd_value number = {INFORMERD_NUMBER, informerd_slice(p, 1, end < 0 ? 0 : (uint32_t)end)};
    *path = rest_of(p, (uint32_t)end + 1);
    return end > 0 && informerd_int(number, index) && *index >= 0;
  }
  if (p.data[0] == '.') p = rest_of(p, 1);
  uint32_t end = 0;
  while (end < p.length && !strchr(".[]\" \t", p.data[end])) end++;
  *name = informerd_slice(p, 0, end);
  *path = rest_of(p, end);
  return end > 0 && (end == p.length || p.data[end] == '.' || p.data[end] == '[');
}

static bool is_path(informerd_text path) {
  informerd_text name;
  int64_t index;
  if (!path.length) return false;
  while (path.length) {
    if (!step(&path, &name, &index)) return false;
  }
  return true;
}

// child returns the JSON text of a member or an item, empty if there is none.
informerd_text fake_child(informerd_text json, informerd_text name, int64_t index) {
  informerd_text found = {0};
  informerd_kind kind = informerd_kind_of(json);
  if (kind != (index < 0 ? INFORMERD_MAP : INFORMERD_ARRAY)) return found;
  informerd_text at = informerd_skip_space(rest_of(json, 1));
  for (int64_t n = 0; at.length && at.data[0] != ']' && at.data[0] != '}'; n++) {
    bool this = n == index;
    if (kind == INFORMERD_MAP) {
      informerd_text after = informerd_skip_value(at);
      informerd_text key = fake_keep(at.data, at.length - after.length);
      char *decoded = fake_take(key.length + 1);
      this = informerd_equal((informerd_text){decoded, informerd_decode(key, decoded)}, name);
      at = informerd_skip_space(rest_of(informerd_skip_space(after), 1));
    }
    informerd_text after = informerd_skip_value(at);
    if (this) found = informerd_slice(at, 0, at.length - after.length);
    at = informerd_skip_space(after);
    if (at.length && at.data[0] == ',') at = informerd_skip_space(rest_of(at, 1));
  }
  return found;
}

informerd_text fake_lookup(informerd_text json, uint32_t handle) {
  informerd_text at = informerd_skip_space(json), path = fake.paths[handle], name;
  int64_t index;
  at = informerd_slice(at, 0, at.length - informerd_skip_value(at).length);
  while (path.length && step(&path, &name, &index)) at = fake_child(at, name, index);
  return at;
}

int32_t informerd_host_event_object(uint32_t which, uint32_t off, void *ptr, uint32_t cap) {
  if (!fake.op) return INFORMERD_WRONG_PHASE;
  if (!fake.objects[which].length) return INFORMERD_NOT_FOUND;
  informerd_text window = informerd_slice(rest_of(fake.objects[which], off), 0, cap);
  if (window.length) memcpy(ptr, window.data, window.length);
  return (int32_t)window.length;
}

int32_t informerd_host_event_path(const void *ptr, uint32_t len) {
  informerd_text path = fake_keep(ptr, len);
  if (!fake.configuring) return INFORMERD_WRONG_PHASE;
  if (!is_path(path)) return INFORMERD_BAD_ARGUMENT;
  if (fake.path_count == fake_paths) return INFORMERD_QUOTA;
  fake.paths[fake.path_count] = path;
  return (int32_t)fake.path_count++;
}

informerd_text fake_member_text(informerd_text json, informerd_text name) {
  informerd_text quoted = fake_child(json, name, -1);
  if (informerd_kind_of(quoted) != INFORMERD_STRING) return T("");
  char *decoded = fake_take(quoted.length);
  return (informerd_text){decoded, informerd_decode(quoted, decoded)};
}

int64_t fake_field(informerd_text raw, void *ptr, uint32_t cap) {
  informerd_kind kind = informerd_kind_of(raw);
  if (kind == INFORMERD_STRING) {
    char *decoded = fake_take(raw.length);
    raw = (informerd_text){decoded, informerd_decode(raw, decoded)};
  }
  if (raw.length && raw.length <= cap) memcpy(ptr, raw.data, raw.length);
  return (int64_t)kind << 32 | raw.length;
}

int64_t informerd_host_event_field(uint32_t which, uint32_t handle, void *ptr, uint32_t cap) {
  if (handle >= fake.path_count) return INFORMERD_BAD_ARGUMENT;
  if (!fake.op) return INFORMERD_WRONG_PHASE;
  fake.fields_asked++;
  return fake_field(fake_lookup(fake.objects[which], handle), ptr, cap);
}

int32_t informerd_host_event_changed(uint32_t handle) {
  if (!fake.op) return INFORMERD_WRONG_PHASE;
  informerd_text now = fake_lookup(fake.objects[0], handle);
  switch (fake.op) {
  case INFORMERD_UPDATE: return !informerd_equal(now, fake_lookup(fake.objects[1], handle));
  case INFORMERD_RESYNC: return 0;
  default: return now.length > 0;
  }
}

int32_t informerd_host_event_prefetch(void *ptr, uint32_t cap, const uint32_t *handles, uint32_t n) {
  if (!fake.configuring) return INFORMERD_WRONG_PHASE;
  if (n > fake_fields || (n && cap < 4 + 12 * n)) return INFORMERD_BAD_ARGUMENT;
  for (uint32_t i = 0; i < n; i++) {
    if ((handles[i] & 0xffff) >= fake.path_count || handles[i] >> 17) return INFORMERD_BAD_ARGUMENT;
  }
  fake.prefetch.ptr = ptr;
  fake.prefetch.cap = cap;
  fake.prefetch.count = n;
  if (n) memcpy(fake.prefetch.handles, handles, n * sizeof *handles);
  return 0;
}

static void put_number(uint32_t at, uint32_t n) { memcpy((char *)fake.prefetch.ptr + at, &n, sizeof n); }

// write_prefetched writes the prefetched fields, in the layout of the real host.
static void write_prefetched(void) {
  uint32_t free = 4 + 12 * fake.prefetch.count;
  if (!fake.prefetch.count) return;
  put_number(0, fake.prefetch.count);
  for (uint32_t i = 0; i < fake.prefetch.count; i++) {
    uint32_t handle = fake.prefetch.handles[i];
    informerd_text raw = fake_lookup(fake.objects[handle >> 16], handle & 0xffff);
    int64_t packed = fake_field(raw, (char *)fake.prefetch.ptr + free, fake.prefetch.cap - free);
    bool fits = (uint32_t)packed <= fake.prefetch.cap - free;
    put_number(4 + 12 * i, (uint32_t)(packed >> 32));
    put_number(8 + 12 * i, (uint32_t)packed);
    put_number(12 + 12 * i, fits ? free : 0);
    if (fits) free += (uint32_t)packed;
  }
}

void fake_begin(informerd_op op, const char *object, const char *old) {
  memset(&fake.result, 0, sizeof fake.result);
  fake.op = op;
  fake.objects[0] = fake_keep_string(object);
  fake.objects[1] = fake_keep_string(old);
  write_prefetched();
}

void fake_end(void) {
  fake.op = 0;
  fake_http_end();
  fake_cache_end();
}

// settle records the result of the current event.
static void settle(void) {
  fake.result.verdict = (informerd_verdict)fake.batch.record[4];
  fake.batch.results[fake.batch.pulled - 1] = fake.result;
}

int32_t informerd_host_event_next(void *ptr, uint32_t cap) {
  if (!fake.batch.events) return INFORMERD_WRONG_PHASE;
  if (cap < 20) return INFORMERD_BAD_ARGUMENT;
  if (fake.op) settle();
  fake_end();
  if (fake.batch.pulled == fake.batch.count) return INFORMERD_NOT_FOUND;
  const fake_input *e = &fake.batch.events[fake.batch.pulled++];
  fake_begin(e->op, e->object, e->old);
  fake.batch.record = ptr;
  memcpy(ptr, (uint32_t[]){(uint32_t)e->op, e->flags, fake.objects[0].length, fake.objects[1].length, UINT32_MAX}, 20);
  return 20;
}

void fake_batch(const fake_input *events, uint32_t count, fake_result *results) {
  if (!informerd_on_batch) {
    for (uint32_t i = 0; i < count; i++) results[i] = fake_event(events[i].op, events[i].flags, events[i].object, events[i].old);
    return;
  }
  memset(results, 0, count * sizeof *results);
  for (uint32_t i = 0; i < count; i++) results[i].verdict = (informerd_verdict)-1;
  fake.batch.events = events;
  fake.batch.results = results;
  fake.batch.count = count;
  fake.batch.pulled = 0;
  int32_t verdict = informerd_on_batch(count);
  if (fake.op) settle();
  fake_end();
  fake.batch.events = NULL;
  for (uint32_t i = 0; i < count; i++) {
    if ((int32_t)results[i].verdict == -1) results[i].verdict = (informerd_verdict)verdict;
    if (results[i].verdict != INFORMERD_DONE) results[i].count = 0;
  }
}
