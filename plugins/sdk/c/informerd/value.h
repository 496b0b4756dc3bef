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

// informerd_value is valid until on_event returns, or for good if it was got in configure. In a batch, informerd_next ends it.
typedef struct {
  informerd_kind kind;
  informerd_text text; // a string decoded, and any other value as its JSON text
} informerd_value;

// informerd_exists is true if the value is there, be it null.
bool informerd_exists(informerd_value v);

// informerd_string gives a string, "" for any other value.
informerd_text informerd_string(informerd_value v);

// informerd_bool is true only for the value true.
bool informerd_bool(informerd_value v);

// informerd_int gives a number that is an integer, and false for any other value.
bool informerd_int(informerd_value v, int64_t *n);

// informerd_member reads a member of a map. It is missing if v is no map.
informerd_value informerd_member(informerd_value v, informerd_text name);

// informerd_items goes through an array or a map; any other value has no items.
//
//	informerd_items i = informerd_items_of(v);
//	while (informerd_next(&i)) … i.index, i.name, i.value …
typedef struct {
  uint32_t index;
  informerd_text name; // in a map
  informerd_value value;
  informerd_text rest; // the SDK's own
  informerd_kind of;
  bool begun;
} informerd_items;

informerd_items informerd_items_of(informerd_value v);
bool informerd_next(informerd_items *i);

// informerd_writer writes JSON. The zero value is ready, and commas are set by it:
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
// informerd_put_json writes what is JSON already.
void informerd_put_json(informerd_writer *w, informerd_text json);
informerd_text informerd_written(const informerd_writer *w);

#endif
