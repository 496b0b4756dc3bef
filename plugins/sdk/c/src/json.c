#include "host.h"

// A reader of JSON that the host has validated. Text that is not valid yields wrong values, but is
// never read beyond its end.

static informerd_text after(informerd_text t, uint32_t n) { return informerd_slice(t, n, t.length); }

informerd_text informerd_skip_space(informerd_text json) {
  uint32_t i = 0;
  while (i < json.length && (json.data[i] == ' ' || json.data[i] == '\t' || json.data[i] == '\n' || json.data[i] == '\r')) i++;
  return after(json, i);
}

informerd_kind informerd_kind_of(informerd_text json) {
  if (!json.length) return INFORMERD_MISSING;
  switch (json.data[0]) {
  case 'n': return INFORMERD_NULL;
  case 't':
  case 'f': return INFORMERD_BOOLEAN;
  case '"': return INFORMERD_STRING;
  case '[': return INFORMERD_ARRAY;
  case '{': return INFORMERD_MAP;
  }
  return INFORMERD_NUMBER;
}

// string_length returns the length of a string with its quotes.
static uint32_t string_length(informerd_text json) {
  for (uint32_t i = 1; i < json.length; i++) {
    if (json.data[i] == '\\') i++;
    else if (json.data[i] == '"') return i + 1;
  }
  return json.length;
}

informerd_text informerd_skip_value(informerd_text json) {
  uint32_t depth = 0, i = 0;
  while (i < json.length) {
    switch (json.data[i]) {
    case '"':
      i += string_length(after(json, i));
      if (!depth) return after(json, i);
      continue;
    case '{':
    case '[':
      depth++;
      break;
    case '}':
    case ']':
      if (!depth) return after(json, i);
      if (!--depth) return after(json, i + 1);
      break;
    case ',':
    case ' ':
    case '\t':
    case '\n':
    case '\r':
      if (!depth) return after(json, i);
    }
    i++;
  }
  return after(json, json.length);
}

static uint32_t hex4(informerd_text t, uint32_t at) {
  uint32_t n = 0;
  for (uint32_t i = at; i < at + 4; i++) {
    char c = i < t.length ? t.data[i] : '0';
    n = n << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
  }
  return n;
}

static uint32_t put_rune(char *to, uint32_t rune) {
  if (rune < 0x80) {
    to[0] = (char)rune;
    return 1;
  }
  if (rune < 0x800) {
    to[0] = (char)(0xc0 | rune >> 6);
    to[1] = (char)(0x80 | (rune & 63));
    return 2;
  }
  if (rune < 0x10000) {
    to[0] = (char)(0xe0 | rune >> 12);
    to[1] = (char)(0x80 | (rune >> 6 & 63));
    to[2] = (char)(0x80 | (rune & 63));
    return 3;
  }
  to[0] = (char)(0xf0 | rune >> 18);
  to[1] = (char)(0x80 | (rune >> 12 & 63));
  to[2] = (char)(0x80 | (rune >> 6 & 63));
  to[3] = (char)(0x80 | (rune & 63));
  return 4;
}

uint32_t informerd_decode(informerd_text quoted, char *to) {
  informerd_text t = informerd_slice(quoted, 1, quoted.length ? quoted.length - 1 : 0);
  uint32_t length = 0;
  for (uint32_t i = 0; i < t.length; i++) {
    char c = t.data[i];
    if (c != '\\' || ++i == t.length) {
      to[length++] = c;
      continue;
    }
    switch (c = t.data[i]) {
    case 'n': c = '\n'; break;
    case 't': c = '\t'; break;
    case 'r': c = '\r'; break;
    case 'b': c = '\b'; break;
    case 'f': c = '\f'; break;
    case 'u': {
      uint32_t rune = hex4(t, i + 1);
      i += 4;
      if (rune >= 0xd800 && rune < 0xe000) { // half of a pair
        uint32_t low = i + 6 < t.length && t.data[i + 1] == '\\' && t.data[i + 2] == 'u' ? hex4(t, i + 3) : 0;
        if (rune < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
          rune = 0x10000 + ((rune - 0xd800) << 10) + (low - 0xdc00);
          i += 6;
        } else {
          rune = 0xfffd;
        }
      }
      length += put_rune(to + length, rune & 0x1fffff);
      continue;
    }
    }
    to[length++] = c;
  }
  return length;
}
