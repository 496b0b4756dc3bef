#include <string.h>

#include "world.h"

typedef struct answer {
  informerd_text method, url, headers, body;
  int32_t code;
  struct answer *next;
} answer;

static answer *answers;    // newest first
static const answer *last; // to this event's last request

void fake_http_reset(void) { answers = NULL; }
void fake_http_end(void) { last = NULL; }

void fake_answer(const char *method, const char *url, int32_t code, const char *headers, const char *body) {
  answer *a = (answer *)fake_take(sizeof *a);
  *a = (answer){fake_keep_string(method), fake_keep_string(url), fake_keep_string(headers ? headers : "{}"), fake_keep_string(body),
                code,                     answers};
  answers = a;
}

int32_t informerd_host_http_request(const void *head, uint32_t head_len, const void *body, uint32_t body_len) {
  last = NULL;
  if (!fake.op) return INFORMERD_WRONG_PHASE;
  if (fake.result.request_count == FAKE_REQUESTS) return INFORMERD_QUOTA;
  informerd_text json = fake_keep(head, head_len);
  fake_request *r = &fake.result.requests[fake.result.request_count++];
  *r = (fake_request){fake_member_text(json, T("method")), fake_member_text(json, T("url")), fake_keep(body, body_len),
                      fake_child(json, T("headers"), -1)};
  if (!r->method.length) r->method = T("GET");
  for (const answer *a = answers; a; a = a->next) {
    if (!informerd_equal(a->method, r->method) || !informerd_equal(a->url, r->url)) continue;
    if (a->code >= 0) last = a;
    return a->code;
  }
  return INFORMERD_DENIED;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c; }

static bool same_name(informerd_text a, informerd_text b) {
  for (uint32_t i = 0; i < a.length && a.length == b.length; i++) {
    if (lower(a.data[i]) != lower(b.data[i])) return false;
  }
  return a.length == b.length;
}

int32_t informerd_host_http_header(const void *name, uint32_t name_len, void *ptr, uint32_t cap) {
  if (!last) return INFORMERD_NOT_FOUND;
  informerd_items i = informerd_items_of((informerd_value){INFORMERD_MAP, last->headers});
  while (informerd_next(&i)) {
    if (same_name(i.name, (informerd_text){name, name_len})) return fake_answer_text(i.value.text, ptr, cap);
  }
  return INFORMERD_NOT_FOUND;
}

int32_t informerd_host_http_body(uint32_t off, void *ptr, uint32_t cap) {
  if (!last) return INFORMERD_NOT_FOUND;
  uint32_t length = last->body.length;
  off = off < length ? off : length;
  uint32_t end = length - off < cap ? length : off + cap;
  return fake_answer_text(informerd_slice(last->body, off, end), ptr, cap);
}
