#include "host.h"

informerd_status informerd_kv_get(informerd_text key, informerd_text *value) {
  uint32_t room;
  char *to = informerd_room(64, &room);
  int32_t length = informerd_host_kv_get(key.data, key.length, to, room);
  // Another worker may store a longer value in between.
  while (length > 0 && (uint32_t)length > room) {
    to = informerd_room((uint32_t)length, &room);
    length = informerd_host_kv_get(key.data, key.length, to, room);
  }
  *value = T("");
  if (length < 0) return (informerd_status)length;
  informerd_take((uint32_t)length);
  *value = (informerd_text){to, (uint32_t)length};
  return INFORMERD_OK;
}

informerd_status informerd_kv_set(informerd_text key, informerd_text value, int64_t ttl_ms) {
  return (informerd_status)informerd_host_kv_set(key.data, key.length, value.data, value.length, ttl_ms);
}

informerd_status informerd_kv_delete(informerd_text key) {
  return (informerd_status)informerd_host_kv_delete(key.data, key.length);
}

informerd_status informerd_kv_cas(informerd_text key, const informerd_text *old, informerd_text value, int64_t ttl_ms, bool *stored) {
  int32_t s = informerd_host_kv_cas(key.data, key.length, old ? old->data : 0, old ? old->length : UINT32_MAX, value.data,
                                    value.length, ttl_ms);
  *stored = s == 1;
  return s < 0 ? (informerd_status)s : INFORMERD_OK;
}
