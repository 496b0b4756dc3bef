// Batches: one call of the handler for many events, when the listener has them.
#ifndef INFORMERD_BATCH_H
#define INFORMERD_BATCH_H

#include "event.h"
#include "result.h"

// informerd_batch is a batch of events, one of which is current.
typedef struct {
  uint32_t count;        // the number of events
  informerd_event event; // the current event, once informerd_next has returned true
  struct {               // internal to the SDK
    const informerd_event *one;
    char *before;
    bool begun;
    uint32_t record[5];
  } internal;
} informerd_batch;

// informerd_batch_handler declares the batch handler, at the end of the handler's file:
//
//	static informerd_verdict on_batch(informerd_batch *b) {
//	  while (informerd_next(b)) {
//	    if (!interesting(&b->event)) informerd_set_verdict(b, INFORMERD_DROP);
//	  }
//	  return INFORMERD_DONE;
//	}
//
//	const informerd_registration informerd_handler = {configure};
//	informerd_batch_handler(on_batch);
//
// on_batch returns the verdict of all events without one of their own. An on_event besides it gets
// the single events; without one, a single event is a batch of one.
#define informerd_batch_handler(on_batch)                                                      \
  INFORMERD_EXPORT("on_batch")                                                                 \
  int32_t informerd_on_batch(uint32_t count) { return informerd_run_batch(count, 0, on_batch); } \
  int32_t informerd_batch_of_one(const informerd_event *e) { return informerd_run_batch(1, e, on_batch); } \
  _Static_assert(sizeof(&on_batch) != 0, "")

// informerd_next pulls the next event of a batch; it returns false after the last. Fields,
// emissions and the reason for a verdict are those of the current event. Memory allocated during an
// event, values included, is freed by the next call; memory allocated before the first call is kept
// until on_batch returns.
//
// informerd_next also moves to the next item of informerd_items.
#define informerd_next(of) \
  _Generic((of), informerd_items *: informerd_next, informerd_batch *: informerd_next_event)(of)
bool informerd_next_event(informerd_batch *b);

// informerd_set_verdict sets the verdict of the current event: informerd_set_verdict(b,
// informerd_retry(reason)).
void informerd_set_verdict(informerd_batch *b, informerd_verdict verdict);

// The implementation of informerd_batch_handler.
#ifdef __wasm__
#define INFORMERD_EXPORT(name) __attribute__((export_name(name)))
#else
#define INFORMERD_EXPORT(name)
#endif
int32_t informerd_on_batch(uint32_t count);
int32_t informerd_batch_of_one(const informerd_event *e);
int32_t informerd_run_batch(uint32_t count, const informerd_event *one, informerd_verdict (*on_batch)(informerd_batch *b));

#endif
