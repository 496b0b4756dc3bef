#include "host.h"

static void put(informerd_writer *w, const char *data, uint32_t length) {
  if (w->room - w->length < length) {
    uint32_t room = (w->room + length) * 2 + 64;
    char *data2 = informerd_alloc(room);
    if (w->length) __builtin_memcpy(data2, w->data, w->length);
    w->data = data2;
    w->room = room;
  }
  if (length) __builtin_memcpy(w->data + w->length, data, length);
  w->length += length;
}

static void put_text(informerd_writer *w, informerd_text t) { put(w, t.data, t.length); }

// begin_value writes the comma before a value that follows another one.
static void begin_value(informerd_writer *w) {
  if (w->comma) put(w, ",", 1);
  w->comma = true;
}

void informerd_open(informerd_writer *w, char bracket) {
  begin_value(w);
  put(w, &bracket, 1);
  w->comma = false;
}

void informerd_close(informerd_writer *w, char bracket) {
  put(w, &bracket, 1);
  w->comma = true;
}

static void put_quoted(informerd_writer *w, informerd_text t) {
  static const char hex[] = "0123456789abcdef";
  put(w, "\"", 1);
  uint32_t from = 0;
  for (uint32_t i = 0; i < t.length; i++) {
    unsigned char c = (unsigned char)t.data[i];
    if (c >= ' ' && c != '"' && c != '\\') continue;
    put(w, t.data + from, i - from);
    from = i + 1;
    char escape[6] = {'\\', (char)c, '0', '0'};
    uint32_t length = 2;
    switch (c) {
    case '\n': escape[1] = 'n'; break;
    case '\r': escape[1] = 'r'; break;
    case '\t': escape[1] = 't'; break;
    case '"':
    case '\\': break;
    default:
      escape[1] = 'u';
      escape[4] = hex[c >> 4];
      escape[5] = hex[c & 15];
      length = 6;
    }
    put(w, escape, length);
  }
  put(w, t.data + from, t.length - from);
  put(w, "\"", 1);
}

informerd_writer *informerd_name(informerd_writer *w, informerd_text name) {
  begin_value(w);
  put_quoted(w, name);
  put(w, ":", 1);
  w->comma = false;
  return w;
}

void informerd_put_string(informerd_writer *w, informerd_text t) {
  begin_value(w);
  put_quoted(w, t);
}

void informerd_put_json(informerd_writer *w, informerd_text json) {
  begin_value(w);
  put_text(w, json);
}

void informerd_put_int(informerd_writer *w, int64_t n) { informerd_put_json(w, informerd_decimal(n)); }

void informerd_put_bool(informerd_writer *w, bool b) { informerd_put_json(w, b ? T("true") : T("false")); }

void informerd_put_null(informerd_writer *w) { informerd_put_json(w, T("null")); }

informerd_text informerd_written(const informerd_writer *w) { return (informerd_text){w->data, w->length}; }
