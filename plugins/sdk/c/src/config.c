#include "host.h"

informerd_value informerd_config(void) {
  uint32_t room;
  char *to = informerd_room(64, &room);
  int32_t length = informerd_host_config_get(to, room);
  if (length > 0 && (uint32_t)length > room) {
    to = informerd_room((uint32_t)length, &room);
    length = informerd_host_config_get(to, room);
  }
  if (length <= 0) return (informerd_value){INFORMERD_MAP, T("{}")};
  informerd_take((uint32_t)length);
  return (informerd_value){INFORMERD_MAP, informerd_skip_space((informerd_text){to, (uint32_t)length})};
}

bool informerd_config_only_names(const informerd_text *names, uint32_t count) {
  informerd_items i = informerd_items_of(informerd_config());
  while (informerd_next(&i)) {
    uint32_t n = 0;
    while (n < count && !informerd_equal(i.name, names[n])) n++;
    if (n == count) return informerd_refuse(informerd_join(T("config: unknown field "), informerd_quote(i.name)));
  }
  return true;
}
