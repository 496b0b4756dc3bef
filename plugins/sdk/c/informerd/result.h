// What a handler makes of an event.
#ifndef INFORMERD_RESULT_H
#define INFORMERD_RESULT_H

#include "status.h"
#include "value.h"

// informerd_verdict is what a handler decides about an event.
typedef enum {
  INFORMERD_DONE = 0,  // the event goes on to the outputs, or what was emitted does
  INFORMERD_DROP = 1,  // nothing goes to the outputs
  INFORMERD_RETRY = 2, // try this event again later
  INFORMERD_FAIL = 3,  // do not try again: to the dead letters
} informerd_verdict;

// informerd_retry is the verdict to try again later, with the reason why.
informerd_verdict informerd_retry(informerd_text reason);

// informerd_fail is the verdict not to try again, with the reason why.
informerd_verdict informerd_fail(informerd_text reason);

// informerd_reason says why the host did not take an emission.
informerd_text informerd_reason(informerd_status status);

// informerd_emit sends an event of the handler's own, with data as JSON; nothing written means no data. If on_event gives
// INFORMERD_DONE, the emitted events go to the outputs in place of the object's event. The type is a reverse domain
// name, as in com.example.backup.missed.
informerd_status informerd_emit(informerd_text type, const informerd_writer *data);

// informerd_set_data replaces the data of the object's event, once for each event.
informerd_status informerd_set_data(const informerd_writer *data);

#endif
