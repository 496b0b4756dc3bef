// A guest that calls every host function, for a test in the real host; it is the same in each
// language. It makes the calls that need more grants than log if its configuration has a URL.
#include "informerd.h"

static informerd_path name, app, priority, network, null, statuses, none;
static informerd_text greeting, url;

static bool configure(void) {
  informerd_compile(&name, T("metadata.name"));
  informerd_compile(&app, T("metadata.labels[\"app\"]"));
  informerd_compile(&priority, T("spec.priority"));
  informerd_compile(&network, T("spec.hostNetwork"));
  informerd_compile(&null, T("spec.x"));
  informerd_compile(&statuses, T("status.containerStatuses"));
  informerd_compile(&none, T("none.at.all"));
  greeting = informerd_string(informerd_member(informerd_config(), T("greeting")));
  url = informerd_string(informerd_member(informerd_config(), T("url")));
  informerd_prefetch(&name, &app, &priority, &none);
  return informerd_config_only(T("greeting"), T("url"));
}

static void put_status(informerd_writer *w, informerd_status s) { informerd_put_string(w, informerd_status_text(s)); }

static void put_value(informerd_writer *w) {
  informerd_text value;
  informerd_status s = informerd_kv_get(T("k"), &value);
  informerd_put_string(w, s == INFORMERD_OK ? value : informerd_status_text(s));
}

static void store(informerd_writer *w) {
  bool stored;
  informerd_open(w, '[');
  put_value(w);
  put_status(w, informerd_kv_delete(T("k")));
  put_status(w, informerd_kv_set(T("k"), T("\xc3\xa4"), 60000));
  put_value(w);
  informerd_kv_cas(T("k"), 0, T("b"), 0, &stored);
  informerd_put_bool(w, stored);
  informerd_kv_cas(T("k"), &T("\xc3\xa4"), T("b"), 0, &stored);
  informerd_put_bool(w, stored);
  put_value(w);
  put_status(w, informerd_kv_delete(T("k")));
  put_status(w, informerd_kv_set(T(""), T(""), 0));
  informerd_close(w, ']');
}

static void ask(informerd_writer *w) {
  informerd_response r = informerd_http(&(informerd_request){
      .method = T("POST"),
      .url = informerd_join(url, T("a")),
      .body = T("a body"),
      .headers = (informerd_header[]){{T("X-Own"), T("mine")}},
      .header_count = 1,
  });
  informerd_open(w, '[');
  informerd_put_int(w, r.code);
  informerd_put_string(w, informerd_http_header(T("x-seen")));
  informerd_put_bool(w, !informerd_http_header(T("none")).length);
  informerd_put_int(w, informerd_http_body().length);
  put_status(w, informerd_http(&(informerd_request){.url = T("https://example.com/")}).status);
  informerd_close(w, ']');
}

static void look_up(informerd_writer *w) {
  informerd_informer owners = informerd_cache(T("owners"));
  informerd_found one = informerd_cache_get(owners, T("shop"), T("web"));
  informerd_open(w, '[');
  put_status(w, informerd_cache(T("others")).status);
  put_status(w, informerd_cache_get(owners, T("shop"), T("none")).status);
  informerd_put_string(w, informerd_get_string(one.object, &name));
  informerd_put_int(w, informerd_get(one.object, &statuses).kind);
  informerd_put_bool(w, informerd_has(one.object, &none));
  informerd_put_int(w, informerd_json(one.object).text.length);
  informerd_cache_close(&one);
  informerd_found f = informerd_cache_by_index(owners, T("app"), T("web"));
  while (informerd_cache_next(&f)) informerd_put_string(w, informerd_get_string(f.object, &name));
  f = informerd_cache_by_index(owners, T("none"), T("web"));
  informerd_cache_next(&f);
  put_status(w, f.status);
  informerd_close(w, ']');
}

static informerd_verdict words(void) {
  informerd_writer w = {0};
  unsigned char bytes[4];
  informerd_open(&w, '{');
  store(informerd_name(&w, T("kv")));
  ask(informerd_name(&w, T("http")));
  look_up(informerd_name(&w, T("cache")));
  informerd_put_int(informerd_name(&w, T("now")), informerd_now());
  informerd_random(bytes, sizeof bytes);
  informerd_open(informerd_name(&w, T("random")), '[');
  for (uint32_t i = 0; i < sizeof bytes; i++) informerd_put_int(&w, bytes[i]);
  informerd_close(&w, ']');
  informerd_close(&w, '}');
  informerd_set_data(&w);
  return INFORMERD_DONE;
}

static informerd_verdict on_event(const informerd_event *e) {
  informerd_text who = informerd_get_string(e->object, &name);
  if (e->op == INFORMERD_DELETE) return informerd_fail(informerd_join(T("gone: "), who));
  if (e->op == INFORMERD_RESYNC) return informerd_retry(T("later"));
  if (url.length) return words();
  int64_t restarts = 0;
  informerd_items i = informerd_items_of(informerd_get(e->object, &statuses));
  while (informerd_next(&i)) informerd_int(informerd_member(i.value, T("restartCount")), &restarts);

  informerd_writer w = {0}, one = {0};
  informerd_open(&w, '{');
  informerd_put_string(informerd_name(&w, T("name")), who);
  informerd_put_string(informerd_name(&w, T("app")), informerd_get_string(e->object, &app));
  informerd_put_int(informerd_name(&w, T("priority")), informerd_get_int(e->object, &priority));
  informerd_put_bool(informerd_name(&w, T("network")), informerd_get_bool(e->object, &network));
  informerd_put_int(informerd_name(&w, T("null")), informerd_get(e->object, &null).kind);
  informerd_put_int(informerd_name(&w, T("restarts")), restarts);
  informerd_put_bool(informerd_name(&w, T("none")), informerd_has(e->object, &none));
  informerd_put_bool(informerd_name(&w, T("changed")), informerd_changed(e, &priority));
  informerd_put_bool(informerd_name(&w, T("initial")), e->initial);
  informerd_put_int(informerd_name(&w, T("size")), e->object.size);
  informerd_put_int(informerd_name(&w, T("old")), e->old.size);
  informerd_put_json(informerd_name(&w, T("object")), informerd_json(e->object).text);
  informerd_close(&w, '}');
  informerd_emit(T("com.example.everything"), &w);

  informerd_log(INFORMERD_WARN, informerd_reason(informerd_emit(T("dev.informerd.object.x"), &w)));
  informerd_put_int(&one, 1);
  informerd_set_data(&one);
  informerd_log(INFORMERD_ERROR, informerd_reason(informerd_set_data(&one)));
  if (informerd_log_enabled(INFORMERD_INFO)) informerd_log(INFORMERD_INFO, informerd_join(greeting, T(" "), who));
  if (informerd_log_enabled(INFORMERD_DEBUG)) informerd_log(INFORMERD_DEBUG, T("not granted"));
  return INFORMERD_DONE;
}

static informerd_verdict on_batch(informerd_batch *b) {
  while (informerd_next(b)) {
    informerd_text who = informerd_get_string(b->event.object, &name);
    if (b->event.op == INFORMERD_DELETE) {
      informerd_set_verdict(b, informerd_fail(informerd_join(T("gone: "), who)));
    } else if (b->event.op == INFORMERD_RESYNC) {
      informerd_set_verdict(b, INFORMERD_DROP);
    } else {
      informerd_writer w = {0};
      informerd_open(&w, '{');
      informerd_put_string(informerd_name(&w, T("name")), who);
      informerd_put_int(informerd_name(&w, T("of")), b->count);
      informerd_close(&w, '}');
      informerd_emit(T("com.example.everything"), &w);
    }
  }
  return INFORMERD_DONE;
}

const informerd_registration informerd_handler = {configure, on_event};
informerd_batch_handler(on_batch);
