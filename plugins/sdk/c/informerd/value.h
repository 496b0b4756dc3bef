// Values: fields of objects, and the parts of the configuration.
#ifndef INFORMERD_VALUE_H
#define INFORMERD_VALUE_H

#include "text.h"

// informerd_kind is the JSON type of a value.
typedef enum {
  INFORMERD_MISSING = 0,
  INFORMERD_NULL = 1,
  INFORMERD_BOOLEAN = 2,
  INFORMERD_NUMBER = 3,
  INFORMERD_STRING = 4,
  INFORMERD_ARRAY = 5,
  INFORMERD_MAP = 6,
} informerd_kind;

// informerd_value is valid until on_event returns or, in a batch, until informerd_next. A value
// from configure stays valid.
typedef struct {
  informerd_kind kind;
  informerd_text text; // the decoded string, or the JSON text of any other value
} informerd_value;

// informerd_exists reports whether the value is present, null included.
bool informerd_exists(informerd_value v);

// informerd_string returns the string, "" for any other value.
informerd_text informerd_string(informerd_value v);

// informerd_bool reports whether the value is true.
bool informerd_bool(informerd_value v);

// informerd_int returns the number if it is an integer, and false for any other value.
bool informerd_int(informerd_value v, int64_t *n);

// informerd_member returns a member of a map. It is missing if v is not a map.
informerd_value informerd_member(informerd_value v, informerd_text name);

// informerd_items iterates over an array or a map; any other value has no items.
//
//	informerd_items i = informerd_items_of(v);
//	while (informerd_next(&i)) … i.index, i.name, i.value …
typedef struct {
  uint32_t index;
  informerd_text name; // in a map
  informerd_value value;
  informerd_text rest; // internal to the SDK
  informerd_kind of;
  bool begun;
} informerd_items;

informerd_items informerd_items_of(informerd_value v);
bool informerd_next(informerd_items *i);

// informerd_writer writes JSON and sets the commas. The zero value is ready for use:
//
//	informerd_writer w = {0};
//	informerd_open(&w, '{');
//	informerd_put_string(informerd_name(&w, T("name")), name);
//	informerd_close(&w, '}');
typedef struct {
  char *data;
  uint32_t length, room;
  bool comma;
} informerd_writer;

void informerd_open(informerd_writer *w, char bracket);
void informerd_close(informerd_writer *w, char bracket);
informerd_writer *informerd_name(informerd_writer *w, informerd_text name);
void informerd_put_string(informerd_writer *w, informerd_text t);
void informerd_put_int(informerd_writer *w, int64_t n);
void informerd_put_bool(informerd_writer *w, bool b);
void informerd_put_null(informerd_writer *w);
// informerd_put_json writes a value that is already JSON.
void informerd_put_json(informerd_writer *w, informerd_text json);
informerd_text informerd_written(const informerd_writer *w);

#endif
