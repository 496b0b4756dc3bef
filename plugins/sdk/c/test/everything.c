// A guest that calls every function of the host, for a test in the real one; it does the same in each language.
#include "informerd.h"

static informerd_path name, app, priority, network, null, statuses, none;
static informerd_text greeting;

static bool configure(void) {
  informerd_compile(&name, T("metadata.name"));
  informerd_compile(&app, T("metadata.labels[\"app\"]"));
  informerd_compile(&priority, T("spec.priority"));
  informerd_compile(&network, T("spec.hostNetwork"));
  informerd_compile(&null, T("spec.x"));
  informerd_compile(&statuses, T("status.containerStatuses"));
  informerd_compile(&none, T("none.at.all"));
  greeting = informerd_string(informerd_member(informerd_config(), T("greeting")));
  return informerd_config_only(T("greeting"));
}

static informerd_verdict on_event(const informerd_event *e) {
  informerd_text who = informerd_get_string(e->object, &name);
  if (e->op == INFORMERD_DELETE) return informerd_fail(informerd_join(T("gone: "), who));
  if (e->op == INFORMERD_RESYNC) return informerd_retry(T("later"));
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

const informerd_registration informerd_handler = {configure, on_event};
