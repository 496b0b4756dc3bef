#include "informerd_fake.h"

#include <stdlib.h>
#include <string.h>

#include "world.h"

fake_state fake;

// All memory is on a list, so that no leak is reported.
char *fake_take(uint32_t size) {
  static void *all;
  void **p = malloc(sizeof(void *) + size);
  if (!p) abort();
  *p = all;
  all = p;
  return (char *)(p + 1);
}

informerd_text fake_keep(const void *data, uint32_t length) {
  char *to = fake_take(length + 1);
  if (length) memcpy(to, data, length);
  to[length] = 0;
  return (informerd_text){to, length};
}

informerd_text fake_keep_string(const char *s) { return fake_keep(s, s ? (uint32_t)strlen(s) : 0); }

int32_t fake_answer_text(informerd_text t, void *ptr, uint32_t cap) {
  if (t.length && t.length <= cap) memcpy(ptr, t.data, t.length);
  return (int32_t)t.length;
}

int32_t informerd_host_result_emit(int32_t kind, const void *ptr, uint32_t len) {
  informerd_text json = fake_keep(ptr, len);
  if (!fake.op) return INFORMERD_WRONG_PHASE;
  if (fake.result.count == FAKE_EMISSIONS) return INFORMERD_QUOTA;
  fake_emission e = {.data = json};
  if (kind == 1) {
    e.data = fake_child(json, T("data"), -1);
    e.type = fake_member_text(json, T("type"));
    if (!e.type.length) return INFORMERD_BAD_ARGUMENT;
  }
  fake.result.emitted[fake.result.count++] = e;
  return 0;
}

void informerd_host_result_error(const void *ptr, uint32_t len) { fake.result.message = fake_keep(ptr, len); }

int32_t informerd_host_config_get(void *ptr, uint32_t cap) {
  return fake_answer_text(fake.config, ptr, cap);
}

void informerd_host_log_log(int32_t level, const void *ptr, uint32_t len) {
  (void)level;
  informerd_text before = fake.result.log, line = {ptr, len};
  char *to = fake_take(before.length + len + 2);
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
  fake.config = fake_keep_string(config);
  if (!fake.config.length) fake.config = T("{}");
  informerd_path_error = T("");
  informerd_prefetch_reset();
  fake.configuring = true;
  int32_t status = informerd_configure();
  fake.configuring = false;
  return status == 0;
}

informerd_text fake_message(void) { return fake.result.message; }

void fake_reset(void) {
  fake_kv_reset();
  fake_http_reset();
  fake_cache_reset();
}

fake_result fake_event(informerd_op op, uint32_t flags, const char *object, const char *old) {
  fake_begin(op, object, old);
  fake.result.verdict = (informerd_verdict)informerd_on_event((uint32_t)op, flags, fake.objects[0].length, fake.objects[1].length);
  fake_end();
  if (fake.result.verdict != INFORMERD_DONE) fake.result.count = 0;
  return fake.result;
}

fake_result fake_add(const char *object) { return fake_event(INFORMERD_ADD, 0, object, NULL); }
fake_result fake_update(const char *old, const char *object) { return fake_event(INFORMERD_UPDATE, 0, object, old); }
fake_result fake_delete(const char *object) { return fake_event(INFORMERD_DELETE, 0, object, NULL); }
fake_result fake_resync(const char *object) { return fake_event(INFORMERD_RESYNC, 0, object, NULL); }

bool fake_is(informerd_text t, const char *want) { return informerd_equal(t, informerd_text_of(want)); }
