// Fields that the host gives ahead. It writes them to the handler's memory before each event, so that reading them is no
// call of the host.
#ifndef INFORMERD_PREFETCH_H
#define INFORMERD_PREFETCH_H

#include "event.h"
#include "status.h"

// informerd_prefetch names the fields of the event's object that are given ahead, in place of all of which configure
// compiles the path, as it is without a call if they are at most 16. Without any, none is:
//
//	informerd_prefetch(&phase, &name);
//	informerd_prefetch();
//
// Only configure may call it, and the last call counts. A path that was not compiled is a bad argument, and changes nothing.
// The fields have 4 KB together; one that does not fit, any field of the old object and any of a cache is read through
// the host when it is needed.
#define informerd_prefetch(...)                                          \
  informerd_prefetch_paths((const informerd_path *[]){0, __VA_ARGS__}, \
                           sizeof((const informerd_path *[]){0, __VA_ARGS__}) / sizeof(informerd_path *))
// The first path is none, since C has no empty list.
informerd_status informerd_prefetch_paths(const informerd_path *const *paths, uint32_t count);

#endif
