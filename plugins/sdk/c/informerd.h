// The C SDK for informerd's WebAssembly handlers. A handler defines informerd_handler and is built
// by the script build next to this file:
//
//	#include "informerd.h"
//
//	static informerd_path phase;
//
//	static bool configure(void) { return informerd_compile(&phase, T("status.phase")); }
//
//	static informerd_verdict on_event(const informerd_event *e) {
//	  return informerd_equal(informerd_get_string(e->object, &phase), T("Failed")) ? INFORMERD_DONE : INFORMERD_DROP;
//	}
//
//	const informerd_registration informerd_handler = {configure, on_event};
//
// A handler reads the fields it needs through the host, which finds them in the object's text and
// prefetches those whose paths configure compiled; see informerd/prefetch.h. Everything runs on one
// thread, one event after the other, and each worker of a listener has an instance with its own
// variables. An instance that traps or is too slow is replaced by a new one, so variables are only
// a cache.
//
// Built natively, the SDK runs against the fake host of fake/informerd_fake.h.
#ifndef INFORMERD_H
#define INFORMERD_H

#include "informerd/batch.h"
#include "informerd/cache.h"
#include "informerd/clock.h"
#include "informerd/config.h"
#include "informerd/event.h"
#include "informerd/http.h"
#include "informerd/kv.h"
#include "informerd/log.h"
#include "informerd/prefetch.h"
#include "informerd/random.h"
#include "informerd/result.h"
#include "informerd/status.h"
#include "informerd/text.h"
#include "informerd/value.h"

// informerd_registration is a guest's implementation. on_event is required, unless there is an
// informerd_batch_handler.
typedef struct {
  // configure runs once, before the first event. It compiles paths, reads the configuration and
  // rejects invalid settings with informerd_refuse.
  bool (*configure)(void);
  // on_event runs for each event.
  informerd_verdict (*on_event)(const informerd_event *e);
} informerd_registration;

// informerd_handler is defined by the handler.
extern const informerd_registration informerd_handler;

// informerd_refuse returns false and records the reason why configure rejects the configuration.
bool informerd_refuse(informerd_text reason);

#endif
