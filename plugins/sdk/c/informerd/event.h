// The current event and its objects.
#ifndef INFORMERD_EVENT_H
#define INFORMERD_EVENT_H

#include "value.h"

// informerd_op is what happened to an object.
typedef enum {
  INFORMERD_ADD = 1,
  INFORMERD_UPDATE = 2,
  INFORMERD_DELETE = 3,
  INFORMERD_RESYNC = 4,
} informerd_op;

// informerd_object is the state of an object, read through the host. It is valid until on_event
// returns, or until informerd_next in a batch.
typedef struct {
  uint32_t which;
  uint32_t size; // of its JSON text; 0 if there is no object, or for one of a cache
  int64_t (*field)(uint32_t which, uint32_t handle, void *ptr, uint32_t cap); // internal to the SDK
} informerd_object;

// informerd_event is one change of an object, as a handler receives it.
typedef struct {
  informerd_op op;
  bool initial;             // part of the first list
  bool final_state_unknown; // the delete itself was missed; object is the last known state
  bool missed;              // earlier events of this object were coalesced away
  bool resumed;             // it happened while informerd was away or could not watch; states may have been passed over
  informerd_object object;
  informerd_object old; // has a size for an update only
} informerd_event;

// informerd_path is the compiled path of a field, such as metadata.labels["app"] or
// spec.containers[0].image.
typedef struct {
  uint32_t id; // the host's handle plus 1, so that 0 is not compiled
  informerd_text text;
} informerd_path;

// informerd_compile compiles a path. Only configure may call it. A malformed path rejects the
// handler at load, with the path in the reason, whatever configure returns, so the result may be
// ignored. Reading a path that was not compiled traps.
bool informerd_compile(informerd_path *p, informerd_text text);

// informerd_changed reports whether a field differs between old and object. For an add or a delete
// every existing field has changed, for a resync none.
bool informerd_changed(const informerd_event *e, const informerd_path *p);

// informerd_get returns a field's value.
informerd_value informerd_get(informerd_object o, const informerd_path *p);

// informerd_has reports whether the field is present, null included.
bool informerd_has(informerd_object o, const informerd_path *p);

// informerd_get_string returns a field that is a string, otherwise "".
informerd_text informerd_get_string(informerd_object o, const informerd_path *p);

// informerd_get_int returns a field that is an integer, otherwise 0.
int64_t informerd_get_int(informerd_object o, const informerd_path *p);

// informerd_get_bool reports whether a field is true.
bool informerd_get_bool(informerd_object o, const informerd_path *p);

// informerd_json returns a copy of the object's whole text, as a value of kind map; it is missing
// if there is no object. Prefer reading single fields.
informerd_value informerd_json(informerd_object o);

#endif
