#include "host.h"

enum { record_verdict = 4, as_batch = -1 };

int32_t informerd_run_batch(uint32_t count, const informerd_event *one, informerd_verdict (*on_batch)(informerd_batch *b)) {
  informerd_batch b = {.count = count, .internal = {.one = one}};
  if (!one) {
    informerd_free_unkept();
    informerd_prefetch_clear();
  }
  int32_t verdict = (int32_t)on_batch(&b);
  int32_t own_verdict = (int32_t)b.internal.record[record_verdict];
  return one && b.internal.begun && own_verdict != as_batch ? own_verdict : verdict;
}

bool informerd_next_event(informerd_batch *b) {
  bool first = !b->internal.begun;
  b->internal.begun = true;
  if (first) b->internal.before = informerd_room(0, 0);
  informerd_free_behind(b->internal.before);
  uint32_t *record = b->internal.record;
  if (b->internal.one) {
    if (!first) return false;
    b->event = *b->internal.one;
    record[record_verdict] = (uint32_t)as_batch;
    return true;
  }
  if (informerd_host_event_next(record, sizeof b->internal.record) < 0) {
    informerd_prefetch_clear();
    return false;
  }
  b->event = informerd_event_of(record[0], record[1], record[2], record[3]);
  return true;
}

void informerd_set_verdict(informerd_batch *b, informerd_verdict verdict) { b->internal.record[record_verdict] = (uint32_t)verdict; }
