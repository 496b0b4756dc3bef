// Prefetched fields. The host writes them to the handler's memory before each event, so that
// reading them takes no host call.
#ifndef INFORMERD_PREFETCH_H
#define INFORMERD_PREFETCH_H

#include "event.h"
#include "status.h"

// informerd_prefetch chooses the fields of the event's object to prefetch. Without a call, these
// are all fields whose paths configure compiles, if they are at most 16. Without arguments, none
// is:
//
//	informerd_prefetch(&phase, &name);
//	informerd_prefetch();
//
// Only configure may call it, and the last call counts. A path that was not compiled is a bad
// argument, and changes nothing. All fields together have 4 KB; a field that does not fit, any
// field of the old object and any of a cache is read with a host call.
#define informerd_prefetch(...)                                          \
  informerd_prefetch_paths((const informerd_path *[]){0, __VA_ARGS__}, \
                           sizeof((const informerd_path *[]){0, __VA_ARGS__}) / sizeof(informerd_path *))
// The first path is unused, since C has no empty list.
informerd_status informerd_prefetch_paths(const informerd_path *const *paths, uint32_t count);

#endif
