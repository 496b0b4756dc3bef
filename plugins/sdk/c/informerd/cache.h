// Objects of other informers, from their caches: reading them is no request. A guest that calls any of this needs the grant
// "cache", which names the informers.
#ifndef INFORMERD_CACHE_H
#define INFORMERD_CACHE_H

#include "event.h"
#include "status.h"

// informerd_informer is an informer whose cache is read.
typedef struct {
  informerd_status status; // INFORMERD_OK if it may be
  uint32_t id;             // the SDK's own
} informerd_informer;

// informerd_cache gives an informer by its name in the configuration: INFORMERD_DENIED if the grant does not name it. It may
// be called in configure, and the informer be kept.
informerd_informer informerd_cache(informerd_text name);

// informerd_found is what was found in a cache. The object is read like that of an event, with informerd_get and the like.
typedef struct {
  informerd_status status;
  informerd_object object;
} informerd_found;

// informerd_cache_get finds an object: INFORMERD_NOT_FOUND if there is none. Namespace is "" for cluster-scoped objects.
informerd_found informerd_cache_get(informerd_informer in, informerd_text namespace, informerd_text name);

// informerd_cache_by_index finds the objects that have a value in one of the informer's indexes, in any order:
//
//	informerd_found f = informerd_cache_by_index(pods, T("node"), name);
//	while (informerd_cache_next(&f)) … informerd_get_string(f.object, &phase) …
//	if (f.status != INFORMERD_OK) …
informerd_found informerd_cache_by_index(informerd_informer in, informerd_text index, informerd_text value);

// informerd_cache_next goes on to the next object. False means that there is none left if the status is INFORMERD_OK, and
// else why the host goes no further; then what was found is closed.
bool informerd_cache_next(informerd_found *f);

// informerd_cache_close gives back what was found, after which its object has no fields. Up to 16 may be open at once, and
// all are closed at the end of the event.
void informerd_cache_close(informerd_found *f);

#endif
