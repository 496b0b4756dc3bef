#include "host.h"

enum { whole_object = UINT32_MAX }; // of a cache

informerd_text informerd_path_error;

bool informerd_compile(informerd_path *p, informerd_text text) {
  p->text = text;
  int32_t handle = informerd_host_event_path(text.data, text.length);
  p->id = handle < 0 ? 0 : (uint32_t)handle + 1;
  if (p->id) {
    informerd_prefetch_compiled(p->id - 1);
    return true;
  }
  if (!informerd_path_error.length) {
    informerd_path_error = informerd_join(T("path "), text,
                                          handle == INFORMERD_QUOTA         ? T(": there are too many paths")
                                          : handle == INFORMERD_WRONG_PHASE ? T(": paths can be compiled in configure only")
                                                                               : T(": this is not the path of a field"));
  }
  return false;
}

static uint32_t handle_of(const informerd_path *p) {
  if (!p->id) __builtin_trap();
  return p->id - 1;
}

bool informerd_changed(const informerd_event *e, const informerd_path *p) {
  (void)e; // the host has the event
  return informerd_host_event_changed(handle_of(p)) == 1;
}

// read_field calls the host for a field. Only a handler that uses caches has objects with a
// function of their own, so only its module has that import.
static int64_t read_field(informerd_object o, uint32_t handle, void *to, uint32_t room) {
  return o.field ? o.field(o.which, handle, to, room) : informerd_host_event_field(o.which, handle, to, room);
}

static informerd_value read(informerd_object o, uint32_t handle) {
  uint32_t room;
  char *to = informerd_room(64, &room);
  int64_t packed = read_field(o, handle, to, room);
  if (packed <= 0) return (informerd_value){0};
  uint32_t length = (uint32_t)packed;
  if (length > room) {
    to = informerd_room(length, &room);
    read_field(o, handle, to, room);
  }
  informerd_take(length);
  return (informerd_value){(informerd_kind)(packed >> 32), {to, length}};
}

informerd_value informerd_get(informerd_object o, const informerd_path *p) {
  informerd_value v;
  return informerd_prefetched(o, handle_of(p), &v) ? v : read(o, handle_of(p));
}

bool informerd_has(informerd_object o, const informerd_path *p) {
  informerd_value v;
  return informerd_prefetched(o, handle_of(p), &v) ? informerd_exists(v) : read_field(o, handle_of(p), 0, 0) > 0;
}

informerd_text informerd_get_string(informerd_object o, const informerd_path *p) {
  return informerd_string(informerd_get(o, p));
}

int64_t informerd_get_int(informerd_object o, const informerd_path *p) {
  int64_t n = 0;
  return informerd_int(informerd_get(o, p), &n) ? n : 0;
}

bool informerd_get_bool(informerd_object o, const informerd_path *p) { return informerd_bool(informerd_get(o, p)); }

informerd_value informerd_json(informerd_object o) {
  if (o.field) return read(o, whole_object);
  if (!o.size) return (informerd_value){0};
  char *to = informerd_alloc(o.size);
  int32_t length = informerd_host_event_object(o.which, 0, to, o.size);
  if (length <= 0) return (informerd_value){0};
  return (informerd_value){INFORMERD_MAP, {to, (uint32_t)length}};
}
