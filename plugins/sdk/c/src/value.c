#include "host.h"

bool informerd_exists(informerd_value v) { return v.kind != INFORMERD_MISSING; }

informerd_text informerd_string(informerd_value v) { return v.kind == INFORMERD_STRING ? v.text : T(""); }

bool informerd_bool(informerd_value v) { return v.kind == INFORMERD_BOOLEAN && informerd_equal(v.text, T("true")); }

bool informerd_int(informerd_value v, int64_t *n) {
  bool negative = v.text.length && v.text.data[0] == '-';
  uint64_t sum = 0, limit = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
  if (v.kind != INFORMERD_NUMBER || v.text.length <= negative) return false;
  for (uint32_t i = negative; i < v.text.length; i++) {
    uint64_t digit = (uint64_t)(v.text.data[i] - '0');
    if (digit > 9 || sum > (limit - digit) / 10) return false;
    sum = sum * 10 + digit;
  }
  *n = (int64_t)(negative ? 0 - sum : sum);
  return true;
}

// value_at returns the value at the start of a JSON text.
static informerd_value value_at(informerd_text json) {
  uint32_t length = json.length - informerd_skip_value(json).length;
  informerd_value v = {informerd_kind_of(json), informerd_slice(json, 0, length)};
  if (v.kind != INFORMERD_STRING) return v;
  if (informerd_find(v.text, '\\') < 0) {
    v.text = informerd_slice(v.text, 1, length ? length - 1 : 0);
    return v;
  }
  char *to = informerd_alloc(length);
  v.text = (informerd_text){to, informerd_decode(v.text, to)};
  return v;
}

informerd_items informerd_items_of(informerd_value v) {
  informerd_items i = {.of = v.kind};
  if (v.kind == INFORMERD_ARRAY || v.kind == INFORMERD_MAP) i.rest = informerd_slice(v.text, 1, v.text.length);
  return i;
}

// advance skips one byte and the space around it.
static informerd_text advance(informerd_text t) {
  t = informerd_skip_space(t);
  return informerd_skip_space(informerd_slice(t, 1, t.length));
}

bool(informerd_next)(informerd_items *i) { // batch.h has a macro of that name
  informerd_text at = informerd_skip_space(i->rest);
  if (i->begun && at.length && at.data[0] == ',') at = advance(at);
  if (!at.length || at.data[0] == ']' || at.data[0] == '}') {
    i->rest = T("");
    return false;
  }
  if (i->of == INFORMERD_MAP) {
    i->name = value_at(at).text;
    at = advance(informerd_skip_value(at)); // over the colon
  }
  i->index = i->begun ? i->index + 1 : 0;
  i->begun = true;
  i->value = value_at(at);
  i->rest = informerd_skip_value(at);
  if (i->rest.length == at.length) i->rest = T(""); // there was no value
  return true;
}

informerd_value informerd_member(informerd_value v, informerd_text name) {
  informerd_value found = {0};
  if (v.kind != INFORMERD_MAP) return found;
  informerd_items i = informerd_items_of(v);
  while (informerd_next(&i)) {
    if (informerd_equal(i.name, name)) found = i.value; // the last duplicate counts
  }
  return found;
}
