#include "host.h"

// An informer's id is the host's handle plus 1, so that 0 belongs to no informer. The id of a
// cached object is that of its iterator; objects of events have no function for reading fields.

enum { closed = UINT32_MAX };

informerd_informer informerd_cache(informerd_text name) {
  int32_t handle = informerd_host_cache_resource(name.data, name.length);
  if (handle < 0) return (informerd_informer){(informerd_status)handle, 0};
  return (informerd_informer){INFORMERD_OK, (uint32_t)handle + 1};
}

static informerd_found found(int32_t iterator) {
  if (iterator < 0) return (informerd_found){(informerd_status)iterator, {closed, 0, informerd_host_cache_iter_field}};
  return (informerd_found){INFORMERD_OK, {(uint32_t)iterator, 0, informerd_host_cache_iter_field}};
}

informerd_found informerd_cache_get(informerd_informer in, informerd_text namespace, informerd_text name) {
  if (in.status != INFORMERD_OK) return found(in.status);
  return found(informerd_host_cache_get(in.id - 1, namespace.data, namespace.length, name.data, name.length));
}

informerd_found informerd_cache_by_index(informerd_informer in, informerd_text index, informerd_text value) {
  if (in.status != INFORMERD_OK) return found(in.status);
  return found(informerd_host_cache_by_index(in.id - 1, index.data, index.length, value.data, value.length));
}

bool informerd_cache_next(informerd_found *f) {
  if (f->object.which == closed) return false;
  int32_t s = informerd_host_cache_iter_next(f->object.which);
  if (s == 1) return true;
  informerd_cache_close(f);
  f->status = (informerd_status)s;
  return false;
}

void informerd_cache_close(informerd_found *f) {
  if (f->object.which != closed) informerd_host_cache_iter_close(f->object.which);
  f->object.which = closed;
}
