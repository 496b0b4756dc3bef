// Values that outlive the instance: all workers of a listener share them, and they survive a crash
// and a replacement of the module. A guest that calls any of this needs the grant "kv".
#ifndef INFORMERD_KV_H
#define INFORMERD_KV_H

#include "status.h"

// Keys have 1 to 256 bytes and values up to 64 KiB, of any content. A time to live is in
// milliseconds; 0, or a longer time than the grant allows, means as long as the grant allows.

// informerd_kv_get reads a value: INFORMERD_NOT_FOUND, and "", if there is none.
informerd_status informerd_kv_get(informerd_text key, informerd_text *value);

// informerd_kv_set stores a value; INFORMERD_QUOTA means that this would exceed the grant.
informerd_status informerd_kv_set(informerd_text key, informerd_text value, int64_t ttl_ms);

// informerd_kv_delete removes a value; INFORMERD_NOT_FOUND means that there is none.
informerd_status informerd_kv_delete(informerd_text key);

// informerd_kv_cas stores a value if the present one equals old or, if old is NULL, if there is
// none; stored reports whether it was. Instances that share a counter retry until it is:
//
//	informerd_status s;
//	for (bool stored = false; !stored;) {
//	  informerd_text old;
//	  s = informerd_kv_get(key, &old); // "" if there is none
//	  s = informerd_kv_cas(key, s == INFORMERD_OK ? &old : NULL, one_more(old), 0, &stored);
//	  if (s != INFORMERD_OK) return informerd_retry(informerd_status_text(s));
//	}
informerd_status informerd_kv_cas(informerd_text key, const informerd_text *old, informerd_text value, int64_t ttl_ms, bool *stored);

#endif
