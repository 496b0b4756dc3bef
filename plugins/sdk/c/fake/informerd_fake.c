#include "informerd_fake.h"

#include <stdlib.h>
#include <string.h>

#include "../src/host.h"

enum { max_paths = 256 };

static struct {
  informerd_text config;
  bool configuring;
  informerd_text paths[max_paths];
  uint32_t path_count;
  informerd_op op;
  informerd_text objects[2];
  fake_result result;
} fake;

// take gives memory for good: a test is short. All of it hangs on a list, so that no leak is found.
static char *take(uint32_t size) {
  static void *all;
  void **p = malloc(sizeof(void *) + size);
  if (!p) abort();
  *p = all;
  all = p;
  return (char *)(p + 1);
}

// keep copies a text.
static informerd_text keep(const void *data, uint32_t length) {
  char *to = take(length + 1);
  if (length) memcpy(to, data, length);
  to[length] = 0;
  return (informerd_text){to, length};
}

static informerd_text rest_of(informerd_text t, uint32_t n) { return informerd_slice(t, n, t.length); }

// step cuts the first step off a path: a member's name, or an index.
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

// child finds the JSON text of a member or an item, empty if there is none.
static informerd_text child(informerd_text json, informerd_text name, int64_t index) {
  informerd_text found = {0};
  informerd_kind kind = informerd_kind_of(json);
  if (kind != (index < 0 ? INFORMERD_MAP : INFORMERD_ARRAY)) return found;
  informerd_text at = informerd_skip_space(rest_of(json, 1));
  for (int64_t n = 0; at.length && at.data[0] != ']' && at.data[0] != '}'; n++) {
    bool this = n == index;
    if (kind == INFORMERD_MAP) {
      informerd_text after = informerd_skip_value(at);
      informerd_text key = keep(at.data, at.length - after.length);
      char *decoded = take(key.length + 1);
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

static informerd_text lookup(uint32_t which, uint32_t handle) {
  informerd_text at = informerd_skip_space(fake.objects[which]), path = fake.paths[handle], name;
  int64_t index;
  at = informerd_slice(at, 0, at.length - informerd_skip_value(at).length);
  while (path.length && step(&path, &name, &index)) at = child(at, name, index);
  return at;
}

int32_t informerd_host_event_object(uint32_t which, uint32_t off, void *ptr, uint32_t cap) {
  if (!fake.objects[which].length) return INFORMERD_NOT_FOUND;
  informerd_text window = informerd_slice(rest_of(fake.objects[which], off), 0, cap);
  if (window.length) memcpy(ptr, window.data, window.length);
  return (int32_t)window.length;
}

int32_t informerd_host_event_path(const void *ptr, uint32_t len) {
  informerd_text path = keep(ptr, len);
  if (!fake.configuring) return INFORMERD_WRONG_PHASE;
  if (!is_path(path)) return INFORMERD_BAD_ARGUMENT;
  if (fake.path_count == max_paths) return INFORMERD_QUOTA;
  fake.paths[fake.path_count] = path;
  return (int32_t)fake.path_count++;
}

int64_t informerd_host_event_field(uint32_t which, uint32_t handle, void *ptr, uint32_t cap) {
  if (handle >= fake.path_count) return INFORMERD_BAD_ARGUMENT;
  informerd_text raw = lookup(which, handle);
  informerd_kind kind = informerd_kind_of(raw);
  if (kind == INFORMERD_STRING) {
    char *decoded = take(raw.length);
    raw = (informerd_text){decoded, informerd_decode(raw, decoded)};
  }
  if (raw.length && raw.length <= cap) memcpy(ptr, raw.data, raw.length);
  return (int64_t)kind << 32 | raw.length;
}

int32_t informerd_host_event_changed(uint32_t handle) {
  informerd_text now = lookup(0, handle);
  switch (fake.op) {
  case INFORMERD_UPDATE: return !informerd_equal(now, lookup(1, handle));
  case INFORMERD_RESYNC: return 0;
  default: return now.length > 0;
  }
}

int32_t informerd_host_result_emit(int32_t kind, const void *ptr, uint32_t len) {
  informerd_text json = keep(ptr, len);
  if (fake.configuring) return INFORMERD_WRONG_PHASE;
  if (fake.result.count == FAKE_EMISSIONS) return INFORMERD_QUOTA;
  fake_emission e = {.data = json};
  if (kind == 1) {
    e.data = child(json, T("data"), -1);
    informerd_text quoted = child(json, T("type"), -1);
    char *decoded = take(quoted.length + 1);
    e.type = (informerd_text){decoded, informerd_decode(quoted, decoded)};
    if (!e.type.length) return INFORMERD_BAD_ARGUMENT;
  }
  fake.result.emitted[fake.result.count++] = e;
  return 0;
}

void informerd_host_result_error(const void *ptr, uint32_t len) { fake.result.message = keep(ptr, len); }

int32_t informerd_host_config_get(void *ptr, uint32_t cap) {
  if (fake.config.length <= cap) memcpy(ptr, fake.config.data, fake.config.length);
  return (int32_t)fake.config.length;
}

void informerd_host_log_log(int32_t level, const void *ptr, uint32_t len) {
  (void)level;
  informerd_text before = fake.result.log, line = {ptr, len};
  char *to = take(before.length + len + 2);
  if (before.length) memcpy(to, before.data, before.length);
  if (len) memcpy(to + before.length, line.data, len);
  memcpy(to + before.length + len, "\n", 2);
  fake.result.log = (informerd_text){to, before.length + len + 1};
}

int32_t informerd_host_log_enabled(int32_t level) {
  (void)level;
  return 1;
}

bool fake_load(const char *config) {
  memset(&fake, 0, sizeof fake);
  fake.config = keep(config, (uint32_t)strlen(config));
  if (!fake.config.length) fake.config = T("{}");
  informerd_path_error = T("");
  fake.configuring = true;
  int32_t status = informerd_configure();
  fake.configuring = false;
  return status == 0;
}

informerd_text fake_message(void) { return fake.result.message; }

fake_result fake_event(informerd_op op, uint32_t flags, const char *object, const char *old) {
  memset(&fake.result, 0, sizeof fake.result);
  fake.op = op;
  fake.objects[0] = keep(object, (uint32_t)strlen(object));
  fake.objects[1] = keep(old, old ? (uint32_t)strlen(old) : 0);
  fake.result.verdict = (informerd_verdict)informerd_on_event((uint32_t)op, flags, fake.objects[0].length, fake.objects[1].length);
  if (fake.result.verdict != INFORMERD_DONE) fake.result.count = 0;
  return fake.result;
}

fake_result fake_add(const char *object) { return fake_event(INFORMERD_ADD, 0, object, NULL); }
fake_result fake_update(const char *old, const char *object) { return fake_event(INFORMERD_UPDATE, 0, object, old); }
fake_result fake_delete(const char *object) { return fake_event(INFORMERD_DELETE, 0, object, NULL); }
fake_result fake_resync(const char *object) { return fake_event(INFORMERD_RESYNC, 0, object, NULL); }

bool fake_is(informerd_text t, const char *want) { return informerd_equal(t, informerd_text_of(want)); }
