// Host calls beyond an event's fields, and batches, against the fake host. Each test sets the
// handler's functions; the handler takes batches only, so single events are batches of one.
#include <string.h>

#include "../fake/world.h"
#include "check.h"

static informerd_path name, note, more[16];
static informerd_informer pods, secrets;

static bool (*configuring)(void);
static informerd_verdict (*handle)(informerd_batch *b);
static uint32_t sizes[8], size_count; // of the batches received

static bool configure(void) {
  informerd_compile(&name, T("metadata.name"));
  informerd_compile(&note, T("note"));
  return !configuring || configuring();
}

static informerd_verdict on_batch(informerd_batch *b) {
  sizes[size_count++ % 8] = b->count;
  return handle(b);
}

const informerd_registration informerd_handler = {configure};
informerd_batch_handler(on_batch);

// each calls a function for each event of a batch and sets the verdict that it returns.
static informerd_verdict (*with)(const informerd_event *e);
static informerd_verdict each(informerd_batch *b) {
  while (informerd_next(b)) informerd_set_verdict(b, with(&b->event));
  return INFORMERD_FAIL; // for events without a verdict, of which there are none
}

static void start(bool (*configuring_too)(void), informerd_verdict (*for_each)(const informerd_event *e)) {
  fake_reset();
  configuring = configuring_too;
  handle = each;
  with = for_each;
  check(fake_load(""));
}

#define POD(name, note) "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"" name "\"},\"note\":" note "}"

// Prefetched fields.

static informerd_text got;

static informerd_verdict read_both(const informerd_event *e) {
  informerd_value v = informerd_get(e->object, &note);
  got = informerd_join(informerd_get_string(e->object, &name), T(" "), informerd_decimal(v.kind), T(" "),
                       v.text.length > 100 ? T("long") : v.text, informerd_has(e->object, &note) ? T(" has") : T(""));
  got = fake_keep(got.data, got.length);
  return INFORMERD_DONE;
}

// reads passes an event and checks what was read, with how many host calls.
static void reads(const char *object, const char *want, uint32_t calls) {
  uint32_t before = fake.fields_asked;
  check(fake_add(object).verdict == INFORMERD_DONE);
  check_text(got, want);
  check(fake.fields_asked - before == calls);
}

static char long_pod[5000];

static void test_automatic_prefetch(void) {
  start(NULL, read_both);
  reads(POD("a", "\"b\\n\""), "a 4 b\n has", 0);
  reads(POD("a", "null"), "a 1 null has", 0);
  reads("{\"note\":[1, 2]}", " 5 [1, 2] has", 0);
  reads("{}", " 0 ", 0);
  // If not all fields fit into the buffer, those that do not are read with host calls, and the
  // others are not.
  strcpy(long_pod, "{\"metadata\":{\"name\":\"a\"},\"note\":\"");
  memset(long_pod + strlen(long_pod), 'x', 4096);
  strcat(long_pod, "\"}");
  reads(long_pod, "a 4 long has", 2);
}

static informerd_verdict read_old(const informerd_event *e) {
  check_text(informerd_get_string(e->object, &name), "new");
  check_text(informerd_get_string(e->old, &name), "old");
  return INFORMERD_DONE;
}

static void test_prefetch_of_updates(void) {
  start(NULL, read_old);
  check(fake_update(POD("old", "1"), POD("new", "1")).verdict == INFORMERD_DONE);
  check(fake.fields_asked == 1);
}

static bool compile_more(uint32_t count) {
  const informerd_text letters = T("abcdefghijklmnop");
  for (uint32_t i = 0; i < count; i++) informerd_compile(&more[i], informerd_slice(letters, i, i + 1));
  return true;
}
static bool sixteen(void) { return compile_more(14); }
static bool seventeen(void) { return compile_more(15); }
static bool only_note(void) { return informerd_prefetch(&note, &note) == INFORMERD_OK && compile_more(3); }
static bool nothing(void) { return informerd_prefetch() == INFORMERD_OK && compile_more(3); }
static bool twice(void) { return informerd_prefetch(&name) == INFORMERD_OK && informerd_prefetch(&note) == INFORMERD_OK; }
static bool not_compiled(void) {
  more[0] = (informerd_path){0};
  return informerd_prefetch(&name, &more[0]) == INFORMERD_BAD_ARGUMENT;
}

static void test_what_is_prefetched(void) {
  struct {
    bool (*configuring)(void);
    uint32_t calls; // of name, and two of note
  } tests[] = {{sixteen, 0}, {seventeen, 3}, {only_note, 1}, {nothing, 3}, {twice, 1}, {not_compiled, 0}};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    start(tests[i].configuring, read_both);
    reads(POD("a", "1"), "a 3 1 has", tests[i].calls);
    reads(POD("b", "2"), "b 3 2 has", tests[i].calls);
  }
}

static informerd_verdict prefetch_too_late(const informerd_event *e) {
  check(informerd_prefetch(&name) == INFORMERD_WRONG_PHASE);
  return read_both(e);
}

static bool read_in_configure(void) { return !informerd_has((informerd_object){0}, &name); }

static void test_prefetch_is_for_configure(void) {
  start(read_in_configure, prefetch_too_late);
  reads(POD("a", "1"), "a 3 1 has", 0);
}

// Batches.

static informerd_verdict sort(informerd_batch *b) {
  informerd_object none = {0};
  check(b->count == 1 || !informerd_has(none, &name)); // there is no current event yet
  char *kept = informerd_alloc(8), *given = NULL;
  memcpy(kept, "kept", 5);
  uint32_t count = 0;
  while (informerd_next(b)) {
    char *room = informerd_alloc(64);
    check(room > kept && (!given || room == given)); // the previous event's memory is free again
    given = room;
    count++;
    informerd_text is = informerd_get_string(b->event.object, &name);
    if (informerd_equal(is, T("drop"))) informerd_set_verdict(b, INFORMERD_DROP);
    if (informerd_equal(is, T("later"))) informerd_set_verdict(b, informerd_retry(T("not now")));
    if (informerd_equal(is, T("stop"))) return INFORMERD_RETRY;
    informerd_writer w = {0};
    informerd_put_int(&w, b->event.initial + 2 * (b->event.op == INFORMERD_UPDATE) + 4 * informerd_changed(&b->event, &name));
    informerd_emit(T("com.example.seen"), &w);
  }
  check(!informerd_next(b) && count == b->count && (b->count == 1 || !informerd_has(none, &name)));
  check_text(informerd_text_of(kept), "kept");
  return INFORMERD_DONE;
}

static void test_batches(void) {
  start(NULL, NULL);
  handle = sort;
  size_count = 0;
  fake_result r[4];
  fake_batch((fake_input[]){{INFORMERD_ADD, 1, POD("a", "1")},
                            {INFORMERD_UPDATE, 0, POD("drop", "1"), POD("a", "1")},
                            {INFORMERD_UPDATE, 0, POD("a", "2"), POD("a", "1")},
                            {INFORMERD_DELETE, 0, POD("later", "1")}},
             4, r);
  check(size_count == 1 && sizes[0] == 4);
  check(r[0].verdict == INFORMERD_DONE && r[0].count == 1 && r[1].verdict == INFORMERD_DROP && r[1].count == 0);
  check_text(r[0].emitted[0].data, "5");
  check(r[2].verdict == INFORMERD_DONE);
  check_text(r[2].emitted[0].data, "2");
  check(r[3].verdict == INFORMERD_RETRY);
  check_text(r[3].message, "not now");
  check_text(r[2].message, "");
}

// The verdict of the batch applies to events that were not pulled.
static void test_half_a_batch(void) {
  start(NULL, NULL);
  handle = sort;
  fake_result r[3];
  fake_batch((fake_input[]){{INFORMERD_ADD, 0, POD("drop", "1")}, {INFORMERD_ADD, 0, POD("stop", "1")}, {INFORMERD_ADD, 0, POD("a", "1")}}, 3, r);
  check(r[0].verdict == INFORMERD_DROP && r[1].verdict == INFORMERD_RETRY && r[2].verdict == INFORMERD_RETRY);
}

static void test_batch_of_one(void) {
  start(NULL, NULL);
  handle = sort;
  size_count = 0;
  check(fake_add(POD("drop", "1")).verdict == INFORMERD_DROP);
  check(fake_add(POD("a", "1")).count == 1);
  check(fake_add(POD("stop", "1")).verdict == INFORMERD_RETRY);
  fake_result r = fake_add(POD("later", "1"));
  check(r.verdict == INFORMERD_RETRY);
  check_text(r.message, "not now");
  check(size_count == 4 && sizes[0] == 1);
}

// Values.

static bool keep_in_configure(void) { return informerd_kv_set(T("from configure"), T("1"), 0) == INFORMERD_OK; }

static informerd_verdict keep(const informerd_event *e) {
  (void)e;
  informerd_text v;
  bool stored;
  static char long_value[1000];
  memset(long_value, 'x', sizeof long_value);
  check(informerd_kv_get(T("a"), &v) == INFORMERD_NOT_FOUND && !v.length);
  check(informerd_kv_delete(T("a")) == INFORMERD_NOT_FOUND);
  check(informerd_kv_set(T(""), T("1"), 0) == INFORMERD_BAD_ARGUMENT && informerd_kv_set(T("a"), T("1"), -1) == INFORMERD_BAD_ARGUMENT);
  check(informerd_kv_set(T("a"), (informerd_text){long_value, 70000}, 0) == INFORMERD_QUOTA);
  check(informerd_kv_set(T("a"), (informerd_text){long_value, sizeof long_value}, 0) == INFORMERD_OK);
  check(informerd_kv_get(T("a"), &v) == INFORMERD_OK && v.length == sizeof long_value && v.data[999] == 'x');
  check(informerd_kv_set(T("a"), T(""), 0) == INFORMERD_OK);
  check(informerd_kv_get(T("a"), &v) == INFORMERD_OK && !v.length);
  check(informerd_kv_cas(T("a"), NULL, T("1"), 0, &stored) == INFORMERD_OK && !stored);
  check(informerd_kv_cas(T("a"), &T("b"), T("1"), 0, &stored) == INFORMERD_OK && !stored);
  check(informerd_kv_cas(T("a"), &T(""), T("1"), 1000, &stored) == INFORMERD_OK && stored);
  check(informerd_kv_cas(T("b"), &T(""), T("1"), 0, &stored) == INFORMERD_OK && !stored);
  check(informerd_kv_cas(T("b"), NULL, T("2"), 0, &stored) == INFORMERD_OK && stored);
  check(informerd_kv_cas(T(""), NULL, T("2"), 0, &stored) == INFORMERD_BAD_ARGUMENT && !stored);
  check(informerd_kv_get(T("given"), &v) == INFORMERD_OK && informerd_equal(v, T("by the test")));
  check(informerd_kv_delete(T("given")) == INFORMERD_OK && informerd_kv_get(T("given"), &v) == INFORMERD_NOT_FOUND);
  return INFORMERD_DONE;
}

static void test_kv(void) {
  start(keep_in_configure, keep);
  fake_kv_set("given", "by the test");
  check(fake_add("{}").verdict == INFORMERD_DONE);
  informerd_text v;
  check(fake_kv("a", &v) && fake_is(v, "1") && fake_kv("b", &v) && fake_is(v, "2") && !fake_kv("given", &v));
  check(fake_load("") && fake_kv("from configure", &v) && fake_is(v, "1"));
  fake_time(999999999);
  check(fake_kv("a", &v));
  fake_time(1000000000);
  check(!fake_kv("a", &v) && fake_kv("b", &v));
  fake_reset();
  check(!fake_kv("b", &v));
}

// Time and randomness.

static int64_t seen;
static unsigned char bytes[2][70000];

static informerd_verdict look_at_the_clock(const informerd_event *e) {
  seen = informerd_now();
  informerd_random(bytes[e->op == INFORMERD_DELETE], sizeof bytes[0]);
  return INFORMERD_DONE;
}

static void test_clock_and_random(void) {
  start(NULL, look_at_the_clock);
  fake_time(1767323045000000000);
  fake_seed(7);
  fake_add("{}");
  check(seen == 1767323045000000000);
  fake_delete("{}");
  check(memcmp(bytes[0], bytes[1], 100) != 0 && memcmp(bytes[0], bytes[0] + 65536, 1000) != 0);
  fake_seed(7);
  fake_delete("{}");
  check(memcmp(bytes[0], bytes[1], sizeof bytes[0]) == 0);
}

// HTTP.

static bool ask_in_configure(void) {
  return informerd_http(&(informerd_request){.url = T("https://a.example.com/")}).status == INFORMERD_WRONG_PHASE;
}

static informerd_verdict ask(const informerd_event *e) {
  (void)e;
  check(!informerd_http_header(T("etag")).length && !informerd_http_body().length); // there is no response yet
  informerd_response r = informerd_http(&(informerd_request){
      .method = T("POST"),
      .url = T("https://a.example.com/\"x\""),
      .body = T("a body"),
      .headers = (informerd_header[]){{T("Content-Type"), T("text/plain")}, {T("X-A"), T("\"")}},
      .header_count = 2,
  });
  check(r.status == INFORMERD_OK && r.code == 201);
  check_text(informerd_http_header(T("ETAG")), "v1");
  check_text(informerd_http_header(T("none")), "");
  check(informerd_http_body().length == 40000);
  check_text(informerd_slice(informerd_http_body(), 39998, 50000), "xx");
  r = informerd_http(&(informerd_request){.url = T("https://a.example.com/")});
  check(r.status == INFORMERD_UNAVAILABLE && !r.code && !informerd_http_body().length);
  check(informerd_http(&(informerd_request){.url = T("https://b.example.com/")}).status == INFORMERD_DENIED);
  check(informerd_http(&(informerd_request){.url = T("https://empty.example.com/")}).code == 204 && !informerd_http_body().length);
  return INFORMERD_DONE;
}

static void test_http(void) {
  static char body[40001];
  memset(body, 'x', 40000);
  start(ask_in_configure, ask);
  fake_answer("POST", "https://a.example.com/\"x\"", 200, NULL, "an answer that another takes the place of");
  fake_answer("POST", "https://a.example.com/\"x\"", 201, "{\"Etag\":\"v1\"}", body);
  fake_answer("GET", "https://a.example.com/", INFORMERD_UNAVAILABLE, NULL, "");
  fake_answer("GET", "https://empty.example.com/", 204, NULL, "");
  fake_result r = fake_add("{}");
  check(r.request_count == 4);
  check_text(r.requests[0].method, "POST");
  check_text(r.requests[0].url, "https://a.example.com/\"x\"");
  check_text(r.requests[0].headers, "{\"Content-Type\":\"text/plain\",\"X-A\":\"\\\"\"}");
  check_text(r.requests[0].body, "a body");
  check_text(r.requests[1].method, "GET");
  check(fake_add("{}").request_count == 4); // the previous event's response is gone
}

// Caches.

static bool open_caches(void) {
  pods = informerd_cache(T("pods"));
  secrets = informerd_cache(T("secrets"));
  return informerd_cache_get(pods, T("shop"), T("a")).status == INFORMERD_WRONG_PHASE;
}

static informerd_verdict look_up(const informerd_event *e) {
  check(pods.status == INFORMERD_OK && secrets.status == INFORMERD_DENIED);
  informerd_found f = informerd_cache_get(pods, T("shop"), T("b"));
  check(f.status == INFORMERD_OK);
  check_text(informerd_get_string(f.object, &name), "b");
  check_text(informerd_get_string(e->object, &name), "of the event");
  check(informerd_get_int(f.object, &note) == 7 && informerd_has(f.object, &note));
  check_text(informerd_json(f.object).text, POD("b", "7"));
  informerd_cache_close(&f);
  informerd_cache_close(&f); // has no further effect
  check(!informerd_has(f.object, &name) && !informerd_exists(informerd_json(f.object)));

  check(informerd_cache_get(pods, T(""), T("b")).status == INFORMERD_NOT_FOUND);
  check(informerd_cache_get(secrets, T("shop"), T("b")).status == INFORMERD_DENIED);
  check(informerd_cache_get((informerd_informer){0}, T("shop"), T("b")).status == INFORMERD_BAD_ARGUMENT);
  f = informerd_cache_by_index(secrets, T("node"), T("n1"));
  check(!informerd_cache_next(&f) && f.status == INFORMERD_DENIED && !informerd_has(f.object, &name));

  informerd_text all = T("");
  f = informerd_cache_by_index(pods, T("node"), T("n1"));
  check(!informerd_has(f.object, &name)); // before the first object
  while (informerd_cache_next(&f)) all = informerd_join(all, informerd_get_string(f.object, &name), T(","));
  check(f.status == INFORMERD_OK && !informerd_has(f.object, &name) && !informerd_cache_next(&f));
  check_text(all, "b,a,");
  for (int i = 0; i < 16; i++) f = informerd_cache_by_index(pods, T("other"), T("n1"));
  check(f.status == INFORMERD_OK && informerd_cache_by_index(pods, T("node"), T("n1")).status == INFORMERD_QUOTA);
  check(informerd_cache_get(pods, T("shop"), T("a")).status == INFORMERD_QUOTA);
  check(!informerd_cache_next(&f) && informerd_cache_get(pods, T("shop"), T("a")).status == INFORMERD_OK);
  return INFORMERD_DONE;
}

static void test_caches(void) {
  fake_reset();
  configuring = open_caches;
  handle = each;
  with = look_up;
  fake_cache("pods", POD("a", "1"));
  fake_cache("pods", POD("b", "1"));
  fake_cache("pods", POD("b", "7"));
  fake_index("pods", "node", "n1", "shop", "b");
  fake_index("pods", "node", "n1", "shop", "gone");
  fake_index("pods", "node", "n2", "shop", "b");
  fake_index("pods", "node", "n1", "shop", "a");
  check(fake_load(""));
  for (int i = 0; i < 2; i++) check(fake_add(POD("of the event", "1")).verdict == INFORMERD_DONE);
}

static void test_status_texts(void) {
  const char *want[] = {"", "not found", "bad argument", "denied", "quota", "unavailable", "wrong phase", "unknown status"};
  for (int i = 0; i < 8; i++) check_text(informerd_status_text((informerd_status)-i), want[i]);
}

int main(void) {
  test_automatic_prefetch();
  test_prefetch_of_updates();
  test_what_is_prefetched();
  test_prefetch_is_for_configure();
  test_batches();
  test_half_a_batch();
  test_batch_of_one();
  test_kv();
  test_clock_and_random();
  test_http();
  test_caches();
  test_status_texts();
  return failed;
}
