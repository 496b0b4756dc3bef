#include "host.h"

#define copy __builtin_memcpy

informerd_text informerd_text_of(const char *s) { return (informerd_text){s, (uint32_t)__builtin_strlen(s)}; }

bool informerd_equal(informerd_text a, informerd_text b) {
  return a.length == b.length && informerd_begins(a, b);
}

bool informerd_begins(informerd_text t, informerd_text with) {
  if (t.length < with.length) return false;
  for (uint32_t i = 0; i < with.length; i++) {
    if (t.data[i] != with.data[i]) return false;
  }
  return true;
}

int32_t informerd_find(informerd_text t, char c) {
  for (uint32_t i = 0; i < t.length; i++) {
    if (t.data[i] == c) return (int32_t)i;
  }
  return -1;
}

int32_t informerd_find_last(informerd_text t, char c) {
  for (uint32_t i = t.length; i > 0; i--) {
    if (t.data[i - 1] == c) return (int32_t)(i - 1);
  }
  return -1;
}

informerd_text informerd_slice(informerd_text t, uint32_t from, uint32_t up_to) {
  if (up_to > t.length) up_to = t.length;
  if (from > up_to) from = up_to;
  return (informerd_text){t.data + from, up_to - from};
}

informerd_text informerd_join_texts(const informerd_text *texts, uint32_t count) {
  uint32_t length = 0;
  for (uint32_t i = 0; i < count; i++) length += texts[i].length;
  char *to = informerd_alloc(length), *at = to;
  for (uint32_t i = 0; i < count; i++) {
    if (texts[i].length) copy(at, texts[i].data, texts[i].length);
    at += texts[i].length;
  }
  return (informerd_text){to, length};
}

informerd_text informerd_decimal(int64_t n) {
  char digits[20];
  uint32_t at = sizeof digits;
  uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  if (n < 0) digits[--at] = '-';
  return informerd_join(((informerd_text){digits + at, (uint32_t)sizeof digits - at}));
}

informerd_text informerd_quote(informerd_text t) {
  informerd_writer w = {0};
  informerd_put_string(&w, t);
  return informerd_written(&w);
}
