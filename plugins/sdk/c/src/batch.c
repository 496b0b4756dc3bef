#include "host.h"

enum { record_verdict = 4, as_batch = -1 };

int32_t informerd_run_batch(uint32_t count, const informerd_event *one, informerd_verdict (*on_batch)(informerd_batch *b)) {
  informerd_batch b = {.count = count, .own = {.one = one}};
  if (!one) {
    informerd_free_unkept();
    informerd_no_event_ahead();
  }
  int32_t verdict = (int32_t)on_batch(&b);
  int32_t own = (int32_t)b.own.record[record_verdict];
  return one && b.own.begun && own != as_batch ? own : verdict;
}

bool informerd_next_event(informerd_batch *b) {
  bool first = !b->own.begun;
  b->own.begun = true;
  if (first) b->own.before = informerd_room(0, 0);
  informerd_free_behind(b->own.before);
  uint32_t *record = b->own.record;
  if (b->own.one) {
    if (!first) return false;
    b->event = *b->own.one;
    record[record_verdict] = (uint32_t)as_batch;
    return true;
  }
  if (informerd_host_event_next(record, sizeof b->own.record) < 0) {
    informerd_no_event_ahead();
    return false;
  }
  b->event = informerd_event_of(record[0], record[1], record[2], record[3]);
  return true;
}

void informerd_set_verdict(informerd_batch *b, informerd_verdict verdict) { b->own.record[record_verdict] = (uint32_t)verdict; }
