#include <string.h>

#include "world.h"

// Values in a list, the time by which they expire, and random bytes.

typedef struct pair {
  informerd_text key, value;
  int64_t end; // 0 means never
  struct pair *next;
} pair;

static pair *pairs;
static int64_t now;
static uint64_t seed;

void fake_time(int64_t ns) { now = ns; }
void fake_seed(uint64_t s) { seed = s; }

void fake_kv_reset(void) {
  pairs = NULL;
  now = 0;
  seed = 0;
}

int64_t informerd_host_clock_now_ns(void) { return now; }

int32_t informerd_host_random_fill(void *ptr, uint32_t len) {
  if (len > 65536) return INFORMERD_BAD_ARGUMENT;
  for (uint32_t i = 0; i < len; i++) { // splitmix64
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    ((unsigned char *)ptr)[i] = (unsigned char)(z ^ z >> 31);
  }
  return 0;
}

// find returns the position of a key in the list, or the list's end.
static pair **find(informerd_text key) {
  pair **p = &pairs;
  while (*p) {
    if ((*p)->end && (*p)->end <= now) {
      *p = (*p)->next;
      continue;
    }
    if (informerd_equal((*p)->key, key)) break;
    p = &(*p)->next;
  }
  return p;
}

static bool good_key(uint32_t length) { return length > 0 && length <= 256; }

int32_t informerd_host_kv_get(const void *key, uint32_t key_len, void *ptr, uint32_t cap) {
  if (!good_key(key_len)) return INFORMERD_BAD_ARGUMENT;
  pair *p = *find((informerd_text){key, key_len});
  return p ? fake_answer_text(p->value, ptr, cap) : INFORMERD_NOT_FOUND;
}

int32_t informerd_host_kv_set(const void *key, uint32_t key_len, const void *ptr, uint32_t len, int64_t ttl_ms) {
  if (!good_key(key_len) || ttl_ms < 0) return INFORMERD_BAD_ARGUMENT;
  if (len > 65536) return INFORMERD_QUOTA;
  pair **p = find((informerd_text){key, key_len});
  if (!*p) {
    *p = (pair *)fake_take(sizeof **p);
    **p = (pair){.key = fake_keep(key, key_len)};
  }
  (*p)->value = fake_keep(ptr, len);
  (*p)->end = ttl_ms ? now + ttl_ms * 1000000 : 0;
  return 0;
}

int32_t informerd_host_kv_delete(const void *key, uint32_t key_len) {
  if (!good_key(key_len)) return INFORMERD_BAD_ARGUMENT;
  pair **p = find((informerd_text){key, key_len});
  if (!*p) return INFORMERD_NOT_FOUND;
  *p = (*p)->next;
  return 0;
}

int32_t informerd_host_kv_cas(const void *key, uint32_t key_len, const void *old, uint32_t old_len, const void *ptr, uint32_t len,
                              int64_t ttl_ms) {
  if (!good_key(key_len) || ttl_ms < 0) return INFORMERD_BAD_ARGUMENT;
  pair *p = *find((informerd_text){key, key_len});
  bool same = p ? old_len != UINT32_MAX && informerd_equal(p->value, (informerd_text){old, old_len}) : old_len == UINT32_MAX;
  if (!same) return 0;
  int32_t s = informerd_host_kv_set(key, key_len, ptr, len, ttl_ms);
  return s ? s : 1;
}

bool fake_kv(const char *key, informerd_text *value) {
  pair *p = *find(informerd_text_of(key));
  if (p) *value = p->value;
  return p != NULL;
}

void fake_kv_set(const char *key, const char *value) {
  informerd_host_kv_set(key, (uint32_t)strlen(key), value, (uint32_t)strlen(value), 0);
}
