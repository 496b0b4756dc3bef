// The SDK against the fake host. Each test sets the handler's functions.
#include <stdlib.h>
#include <string.h>

#include "check.h"

static informerd_path name, app, second, object, truth, null, none;

static bool (*configuring)(void);
static informerd_verdict (*handle)(const informerd_event *e);

static bool configure(void) {
  informerd_compile(&name, T("metadata.name"));
  informerd_compile(&app, T("metadata.labels[\"app.kubernetes.io/name\"]"));
  informerd_compile(&second, T("items[1].n"));
  informerd_compile(&object, T("object"));
  informerd_compile(&truth, T("truth"));
  informerd_compile(&null, T("null"));
  informerd_compile(&none, T("none.at.all"));
  return !configuring || configuring();
}

static informerd_verdict on_event(const informerd_event *e) { return handle(e); }

const informerd_registration informerd_handler = {configure, on_event};

static const char text[] = "{\"metadata\":{\"name\":\"we\\u0062\",\"labels\":{\"app.kubernetes.io/name\":\"a\"}},"
                           "\"items\":[{\"n\":1},{\"n\":-20}],\"object\":{\"a\": 1},\"truth\":true,\"null\":null}";

static bool ran;

static informerd_verdict read_fields(const informerd_event *e) {
  struct {
    informerd_path *path;
    informerd_kind kind;
    const char *text;
  } tests[] = {
      {&name, INFORMERD_STRING, "web"},      {&app, INFORMERD_STRING, "a"},     {&second, INFORMERD_NUMBER, "-20"},
      {&object, INFORMERD_MAP, "{\"a\": 1}"}, {&truth, INFORMERD_BOOLEAN, "true"}, {&null, INFORMERD_NULL, "null"},
      {&none, INFORMERD_MISSING, ""},
  };
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    informerd_value v = informerd_get(e->object, tests[i].path);
    check(v.kind == tests[i].kind);
    check_text(v.text, tests[i].text);
    check(informerd_has(e->object, tests[i].path) == (v.kind != INFORMERD_MISSING));
    check(!informerd_has(e->old, tests[i].path));
  }
  check_text(informerd_get_string(e->object, &name), "web");
  check_text(informerd_get_string(e->object, &second), "");
  check(informerd_get_int(e->object, &second) == -20 && informerd_get_int(e->object, &name) == 0);
  check(informerd_get_bool(e->object, &truth) && !informerd_get_bool(e->object, &null));
  check_text(informerd_json(e->object).text, text);
  check(e->object.size == strlen(text) && e->old.size == 0 && !informerd_exists(informerd_json(e->old)));
  check(e->op == INFORMERD_ADD && e->initial && !e->final_state_unknown && e->missed && e->resumed);
  ran = true;
  return INFORMERD_DONE;
}

static void test_fields(void) {
  handle = read_fields;
  check(fake_load(""));
  fake_result r = fake_event(INFORMERD_ADD, 1 | 4 | 8, text, NULL);
  check(ran && r.verdict == INFORMERD_DONE && r.count == 0 && !r.message.length && !r.log.length);
}

static bool changed;

static informerd_verdict see_change(const informerd_event *e) {
  changed = informerd_changed(e, &name);
  return INFORMERD_DROP;
}

static void test_changed(void) {
  handle = see_change;
  check(fake_load(""));
  const char *a = "{\"metadata\":{\"name\":\"a\"}}", *b = "{\"metadata\":{\"name\":\"b\"}}";
  check(fake_add(a).verdict == INFORMERD_DROP && changed);
  check((fake_add("{}"), !changed));
  check((fake_update(a, b), changed));
  check((fake_update(a, a), !changed));
  check((fake_delete(a), changed));
  check((fake_resync(a), !changed));
}

// A field of any length is returned whole, and memory used by one event is free for the next.
static informerd_verdict read_long(const informerd_event *e) {
  return informerd_get_string(e->object, &name).length == 1 << 20 ? INFORMERD_DONE : INFORMERD_DROP;
}

static void test_long_fields(void) {
  handle = read_long;
  check(fake_load(""));
  static char long_text[(1 << 20) + 100];
  strcpy(long_text, "{\"metadata\":{\"name\":\"");
  memset(long_text + strlen(long_text), 'x', 1 << 20);
  strcat(long_text, "\"}}");
  for (int i = 0; i < 100; i++) check(fake_add(long_text).verdict == INFORMERD_DONE);
}

static informerd_verdict emit(const informerd_event *e) {
  (void)e;
  informerd_writer w = {0}, data = {0}, no = {0};
  informerd_open(&w, '{');
  informerd_put_string(informerd_name(&w, T("a\"\\\n\x01")), T("\xc3\xa4\t"));
  informerd_open(informerd_name(&w, T("list")), '[');
  informerd_put_int(&w, INT64_MIN);
  informerd_put_bool(&w, true);
  informerd_put_null(&w);
  informerd_put_json(&w, T("{}"));
  informerd_close(&w, ']');
  informerd_close(&w, '}');
  check(informerd_emit(T("com.example.a"), &w) == INFORMERD_OK);
  informerd_put_bool(&data, false);
  check(informerd_set_data(&data) == INFORMERD_OK);
  check(informerd_emit(T("com.example.b"), &no) == INFORMERD_OK);
  informerd_status s = informerd_emit(T(""), &w);
  check_text(informerd_reason(s), "invalid event type: it must be 1 to 256 printable ASCII characters");
  if (informerd_log_enabled(INFORMERD_INFO)) informerd_log(INFORMERD_INFO, T("hello"));
  return INFORMERD_DONE;
}

static void test_output(void) {
  handle = emit;
  check(fake_load(""));
  fake_result r = fake_add("{}");
  check(r.count == 3);
  check_text(r.emitted[0].type, "com.example.a");
  check_text(r.emitted[0].data, "{\"a\\\"\\\\\\n\\u0001\":\"\xc3\xa4\\t\",\"list\":[-9223372036854775808,true,null,{}]}");
  check_text(r.emitted[1].type, "");
  check_text(r.emitted[1].data, "false");
  check_text(r.emitted[2].type, "com.example.b");
  check_text(r.emitted[2].data, "");
  check_text(r.log, "hello\n");
}

static informerd_verdict later(const informerd_event *e) { return (void)e, informerd_retry(T("later")); }
static informerd_verdict never(const informerd_event *e) { return (void)e, informerd_fail(T("never")); }

static void test_reasons(void) {
  check(fake_load(""));
  handle = later;
  fake_result r = fake_add("{}");
  check(r.verdict == INFORMERD_RETRY);
  check_text(r.message, "later");
  handle = never;
  r = fake_add("{}");
  check(r.verdict == INFORMERD_FAIL);
  check_text(r.message, "never");
}

static informerd_path other;
static bool bad_path(void) { return informerd_compile(&other, T("a b[")), true; }

static bool read_config(void) {
  if (!informerd_config_only(T("names"), T("limit"))) return false;
  informerd_value config = informerd_config();
  int64_t limit = 5;
  informerd_value v = informerd_member(config, T("limit"));
  if (informerd_exists(v) && !informerd_int(v, &limit)) {
    return informerd_refuse(informerd_join(T("limit is "), v.text, T(", it must be an integer")));
  }
  informerd_writer w = {0};
  informerd_put_int(&w, limit);
  informerd_items i = informerd_items_of(informerd_member(config, T("names")));
  while (informerd_next(&i)) {
    informerd_put_int(&w, i.index);
    informerd_put_string(&w, informerd_string(i.value));
  }
  return informerd_refuse(informerd_written(&w));
}

// A handler without an informerd_batch_handler gets the events of a batch one by one.
static void test_no_batches(void) {
  check(fake_load(""));
  handle = see_change;
  fake_result r[2] = {0};
  fake_batch((fake_input[]){{INFORMERD_RESYNC, 0, "{}"}, {INFORMERD_ADD, 0, "{\"metadata\":{\"name\":\"a\"}}"}}, 2, r);
  check(r[0].verdict == INFORMERD_DROP && r[1].verdict == INFORMERD_DROP && changed);
}

static void test_configure(void) {
  configuring = bad_path;
  check(!fake_load(""));
  check_text(fake_message(), "path a b[: this is not the path of a field");
  configuring = read_config;
  struct {
    const char *config, *want;
  } tests[] = {
      {"", "5"},
      {" { \"limit\" : -7 , \"names\" : [ ] } ", "-7"},
      {"{\"names\":[\"a\",\"\\ud83d\\ude00\\n\\ud800\",{\"x\":[1,2]},\"b\"]}",
       "5,0,\"a\",1,\"\xf0\x9f\x98\x80\\n\xef\xbf\xbd\",2,\"\",3,\"b\""},
      {"{\"limit\":9223372036854775807}", "9223372036854775807"},
      {"{\"limit\":9223372036854775808}", "limit is 9223372036854775808, it must be an integer"},
      {"{\"limit\":1.5}", "limit is 1.5, it must be an integer"},
      {"{\"limit\":{\"}\":\"]\"},\"limit\":8}", "8"},
      {"{\"lim\\\"it\":1}", "config: unknown field \"lim\\\"it\""},
  };
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    check(!fake_load(tests[i].config));
    check_text(fake_message(), tests[i].want);
  }
  configuring = NULL;
}

// Text that is not valid JSON is read without running beyond its end: here every prefix of a text.
static void test_broken_json(void) {
  static const char whole[] = "{\"a\":[1,\"\\u00e4\\ud83d\\ude00\",{\"b\":null}],\"c\\n\":true}";
  for (size_t n = 0; n <= strlen(whole); n++) {
    char *part = malloc(n + 1); // so that the sanitizer sees reads beyond it
    memcpy(part, whole, n);
    informerd_value v = {INFORMERD_MAP, {part, (uint32_t)n}};
    informerd_items i = informerd_items_of(v);
    for (int items = 0; informerd_next(&i); items++) {
      check(items < 3);
      informerd_items j = informerd_items_of(i.value);
      while (informerd_next(&j)) informerd_member(j.value, T("b"));
    }
    free(part);
  }
}

static void test_texts(void) {
  informerd_text t = T("a:b:c");
  check(informerd_find(t, ':') == 1 && informerd_find_last(t, ':') == 3 && informerd_find(t, '/') == -1);
  check_text(informerd_slice(t, 2, 3), "b");
  check_text(informerd_slice(t, 4, 99), "c");
  check_text(informerd_slice(t, 9, 2), "");
  check(informerd_begins(t, T("a:")) && !informerd_begins(t, T(":")) && !informerd_equal(t, T("a:b")));
  check_text(informerd_join(t, T("="), informerd_decimal(0), informerd_quote(T("x"))), "a:b:c=0\"x\"");
}

int main(void) {
  test_fields();
  test_changed();
  test_long_fields();
  test_output();
  test_reasons();
  test_no_batches();
  test_configure();
  test_broken_json();
  test_texts();
  return failed;
}
