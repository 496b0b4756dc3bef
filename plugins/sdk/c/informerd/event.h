// The event at hand and the objects in it.
#ifndef INFORMERD_EVENT_H
#define INFORMERD_EVENT_H

#include "value.h"

// informerd_op says what happened to an object.
typedef enum {
  INFORMERD_ADD = 1,
  INFORMERD_UPDATE = 2,
  INFORMERD_DELETE = 3,
  INFORMERD_RESYNC = 4,
} informerd_op;

// informerd_object is the state of an object, read through the host. It is valid until on_event returns, or until
// informerd_next in a batch.
typedef struct {
  uint32_t which;
  uint32_t size; // of its JSON text; 0 if there is no object, and for one of a cache
  int64_t (*field)(uint32_t which, uint32_t handle, void *ptr, uint32_t cap); // the SDK's own
} informerd_object;

// informerd_event is what a handler gets.
typedef struct {
  informerd_op op;
  bool initial;             // part of the first list
  bool final_state_unknown; // the delete itself was missed, object is the last known state
  bool missed;              // earlier events of this object were coalesced away
  informerd_object object;
  informerd_object old; // has a size for an update only
} informerd_event;

// informerd_path is the way to a field, such as metadata.labels["app"] or spec.containers[0].image.
typedef struct {
  uint32_t id; // the host's handle and 1, so that a path that was not compiled is none of the host's
  informerd_text text;
} informerd_path;

// informerd_compile compiles a path. Only configure may call it. A text that is no path refuses the handler at load, with
// the text in the reason, whatever configure gives, so its result may be left alone. Reading a path that was not compiled
// traps.
bool informerd_compile(informerd_path *p, informerd_text text);

// informerd_changed tells whether a field differs between old and object. For an add or a delete every field that
// exists has changed, for a resync none.
bool informerd_changed(const informerd_event *e, const informerd_path *p);

// informerd_get reads a field.
informerd_value informerd_get(informerd_object o, const informerd_path *p);

// informerd_has tells whether the field is there, be it null.
bool informerd_has(informerd_object o, const informerd_path *p);

// informerd_get_string reads a string, "" if the field is none.
informerd_text informerd_get_string(informerd_object o, const informerd_path *p);

// informerd_get_int reads an integer, 0 if the field is none.
int64_t informerd_get_int(informerd_object o, const informerd_path *p);

// informerd_get_bool reads a boolean, false if the field is none.
bool informerd_get_bool(informerd_object o, const informerd_path *p);

// informerd_json copies the object's whole text, as a value of kind map; it is missing if there is no object. Prefer
// reading single fields.
informerd_value informerd_json(informerd_object o);

#endif
