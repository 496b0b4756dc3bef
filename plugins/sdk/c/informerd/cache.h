// Objects of other informers, from their caches, without a request to the API server. A guest that
// calls any of this needs the grant "cache", which lists the informers.
#ifndef INFORMERD_CACHE_H
#define INFORMERD_CACHE_H

#include "event.h"
#include "status.h"

// informerd_informer is an informer whose cache is read.
typedef struct {
  informerd_status status; // INFORMERD_OK if it may be read
  uint32_t id;             // internal to the SDK
} informerd_informer;

// informerd_cache returns the informer with that name in the configuration; its status is
// INFORMERD_DENIED if the grant does not list it. configure may call it, and the informer may be
// kept.
informerd_informer informerd_cache(informerd_text name);

// informerd_found is the result of a search in a cache. The object is read like that of an event,
// with informerd_get and the like.
typedef struct {
  informerd_status status;
  informerd_object object;
} informerd_found;

// informerd_cache_get returns an object; its status is INFORMERD_NOT_FOUND if there is none.
// Namespace is "" for cluster-scoped objects.
informerd_found informerd_cache_get(informerd_informer in, informerd_text namespace, informerd_text name);

// informerd_cache_by_index returns the objects that have a value in one of the informer's indexes,
// in any order:
//
//	informerd_found f = informerd_cache_by_index(pods, T("node"), name);
//	while (informerd_cache_next(&f)) … informerd_get_string(f.object, &phase) …
//	if (f.status != INFORMERD_OK) …
informerd_found informerd_cache_by_index(informerd_informer in, informerd_text index, informerd_text value);

// informerd_cache_next moves to the next object. If it returns false, the status is INFORMERD_OK
// after the last object, and otherwise the reason why the host stopped; the search is then closed.
bool informerd_cache_next(informerd_found *f);

// informerd_cache_close closes a search, after which its object has no fields. Up to 16 may be open
// at once, and all are closed at the end of the event.
void informerd_cache_close(informerd_found *f);

#endif
