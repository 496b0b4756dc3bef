#include "host.h"

informerd_response informerd_http(const informerd_request *r) {
  informerd_writer w = {0};
  informerd_open(&w, '{');
  if (r->method.length) informerd_put_string(informerd_name(&w, T("method")), r->method);
  informerd_put_string(informerd_name(&w, T("url")), r->url);
  informerd_open(informerd_name(&w, T("headers")), '{');
  for (uint32_t i = 0; i < r->header_count; i++) {
    informerd_put_string(informerd_name(&w, r->headers[i].name), r->headers[i].value);
  }
  informerd_close(&w, '}');
  informerd_close(&w, '}');
  int32_t code = informerd_host_http_request(w.data, w.length, r->body.data, r->body.length);
  return code < 0 ? (informerd_response){(informerd_status)code, 0} : (informerd_response){INFORMERD_OK, code};
}

informerd_text informerd_http_header(informerd_text name) {
  uint32_t room;
  char *to = informerd_room(64, &room);
  int32_t length = informerd_host_http_header(name.data, name.length, to, room);
  if (length > 0 && (uint32_t)length > room) {
    to = informerd_room((uint32_t)length, &room);
    length = informerd_host_http_header(name.data, name.length, to, room);
  }
  if (length <= 0) return T("");
  informerd_take((uint32_t)length);
  return (informerd_text){to, (uint32_t)length};
}

informerd_text informerd_http_body(void) {
  enum { window = 16 << 10 };
  uint32_t length = 0, room;
  for (;;) {
    char *to = informerd_room(length + window, &room); // the same room again: nothing of it is taken yet
    int32_t n = informerd_host_http_body(length, to + length, room - length);
    if (n <= 0) {
      informerd_take(length);
      return (informerd_text){to, length};
    }
    length += (uint32_t)n;
  }
}
