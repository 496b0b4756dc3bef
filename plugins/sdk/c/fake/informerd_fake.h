// A fake host, to test a handler natively: a small model of the real one, without limits and
// deadlines. Compile the handler, src/*.c and this with any C compiler; fake/build does it.
//
//	if (!fake_load("{\"threshold\": 2}")) puts(fake_message());
//	fake_result r = fake_add("{\"metadata\": {\"name\": \"web\"}}");
//	… r.verdict, r.emitted[0].type, r.emitted[0].data …
#ifndef INFORMERD_FAKE_H
#define INFORMERD_FAKE_H

#include "../informerd.h"

#define FAKE_EMISSIONS 64
#define FAKE_REQUESTS 16

// fake_emission is an emitted event or, if type is empty, the data that replaces the data of the
// object's event.
typedef struct {
  informerd_text type;
  informerd_text data; // JSON
} fake_emission;

// fake_request is an HTTP request that the handler made.
typedef struct {
  informerd_text method, url, body;
  informerd_text headers; // a JSON object
} fake_request;

// fake_result is a handler's result for an event. Its texts are never freed.
typedef struct {
  informerd_verdict verdict;
  uint32_t count; // of emissions; 0 unless the verdict is INFORMERD_DONE
  fake_emission emitted[FAKE_EMISSIONS];
  informerd_text message; // the reason for a retry or failure
  informerd_text log;     // the lines written, each with a newline
  uint32_t request_count;
  fake_request requests[FAKE_REQUESTS];
} fake_result;

// fake_load configures the handler and may be called repeatedly; it returns false if the handler
// rejects the configuration, with the reason in fake_message. What the functions below have set up
// remains, and so do the handler's values in kv; fake_reset clears both.
bool fake_load(const char *config);
informerd_text fake_message(void);
void fake_reset(void);

// The events, with objects as JSON.
fake_result fake_add(const char *object);
fake_result fake_update(const char *old, const char *object);
fake_result fake_delete(const char *object);
fake_result fake_resync(const char *object);
// fake_event passes an event with flags: 1 initial, 2 final state unknown, 4 missed, 8 resumed. Old
// may be NULL.
fake_result fake_event(informerd_op op, uint32_t flags, const char *object, const char *old);

// fake_batch passes several events, at once or, to a handler without an informerd_batch_handler,
// one after the other; it writes one result for each:
//
//	fake_result results[2];
//	fake_batch((fake_input[]){{INFORMERD_ADD, 0, a}, {INFORMERD_UPDATE, 0, b, a}}, 2, results);
typedef struct {
  informerd_op op;
  uint32_t flags;
  const char *object, *old;
} fake_input;
void fake_batch(const fake_input *events, uint32_t count, fake_result *results);

// fake_time sets the clock, which starts at 1970 and stands still. Values in kv expire by it, too.
void fake_time(int64_t ns);
// fake_seed restarts the random bytes with a seed.
void fake_seed(uint64_t seed);

// fake_kv reads a value and returns false if there is none; fake_kv_set stores one.
bool fake_kv(const char *key, informerd_text *value);
void fake_kv_set(const char *key, const char *value);

// fake_answer sets the response to later requests: a status code, headers (a JSON object of
// strings, or NULL) and a body; a negative informerd_status as the code makes them fail. Other
// requests are denied.
void fake_answer(const char *method, const char *url, int32_t code, const char *headers, const char *body);

// fake_cache puts an object, as JSON, into an informer's cache, replacing the one with the same
// namespace and name; without an object it only grants the informer. Other informers are denied.
// fake_index adds an object to an index.
void fake_cache(const char *informer, const char *object);
void fake_index(const char *informer, const char *index, const char *value, const char *namespace, const char *name);

// fake_is compares a text with a string.
bool fake_is(informerd_text t, const char *want);

#endif
