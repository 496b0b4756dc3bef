// A handler's result for an event.
#ifndef INFORMERD_RESULT_H
#define INFORMERD_RESULT_H

#include "status.h"
#include "value.h"

// informerd_verdict is a handler's decision about an event.
typedef enum {
  INFORMERD_DONE = 0,  // the event, or what was emitted in its place, goes to the outputs
  INFORMERD_DROP = 1,  // nothing goes to the outputs
  INFORMERD_RETRY = 2, // try this event again later
  INFORMERD_FAIL = 3,  // do not try again; the event becomes a dead letter
} informerd_verdict;

// informerd_retry returns the verdict to try this event again later, and records the reason.
informerd_verdict informerd_retry(informerd_text reason);

// informerd_fail returns the verdict not to try this event again, and records the reason.
informerd_verdict informerd_fail(informerd_text reason);

// informerd_reason returns why the host rejected an emission.
informerd_text informerd_reason(informerd_status status);

// informerd_emit sends an event of the handler's own, with data as JSON; an empty writer means no
// data. If on_event returns INFORMERD_DONE, the emitted events go to the outputs in place of the
// object's event. The type is a reverse domain name, such as com.example.backup.missed.
informerd_status informerd_emit(informerd_text type, const informerd_writer *data);

// informerd_set_data replaces the data of the object's event. It may be called once for each event.
informerd_status informerd_set_data(const informerd_writer *data);

#endif
