// Many events at once: one call of the handler for all of them, when there are many to come.
#ifndef INFORMERD_BATCH_H
#define INFORMERD_BATCH_H

#include "event.h"
#include "result.h"

// informerd_batch is a batch of events, of which one is at hand.
typedef struct {
  uint32_t count;        // how many events there are
  informerd_event event; // the one at hand, once informerd_next gave true
  struct {               // the SDK's own
    const informerd_event *one;
    char *before;
    bool begun;
    uint32_t record[5];
  } own;
} informerd_batch;

// informerd_batch_handler makes a function the handler of batches, at the end of the handler's file:
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
// What on_batch gives is the verdict of all events but those that got another. An on_event beside it gets the events that
// come alone; without one, such an event is a batch of one.
#define informerd_batch_handler(on_batch)                                                      \
  INFORMERD_EXPORT("on_batch")                                                                 \
  int32_t informerd_on_batch(uint32_t count) { return informerd_run_batch(count, 0, on_batch); } \
  int32_t informerd_batch_of_one(const informerd_event *e) { return informerd_run_batch(1, e, on_batch); } \
  _Static_assert(sizeof(&on_batch) != 0, "")

// informerd_next goes on to the next event of a batch, false if there is none left. Fields, emissions and the reason of a
// verdict are those of the event at hand. What was taken from informerd_alloc, values included, since the first call is gone
// with the second, and so on; what was taken before is kept until on_batch returns.
//
// The same word goes on to the next item of informerd_items.
#define informerd_next(of) \
  _Generic((of), informerd_items *: informerd_next, informerd_batch *: informerd_next_event)(of)
bool informerd_next_event(informerd_batch *b);

// informerd_set_verdict gives the event at hand a verdict of its own: informerd_set_verdict(b, informerd_retry(reason)).
void informerd_set_verdict(informerd_batch *b, informerd_verdict verdict);

// What informerd_batch_handler is made of.
#ifdef __wasm__
#define INFORMERD_EXPORT(name) __attribute__((export_name(name)))
#else
#define INFORMERD_EXPORT(name)
#endif
int32_t informerd_on_batch(uint32_t count);
int32_t informerd_batch_of_one(const informerd_event *e);
int32_t informerd_run_batch(uint32_t count, const informerd_event *one, informerd_verdict (*on_batch)(informerd_batch *b));

#endif
