// A fake host, to test a handler natively: a small model of the real one, without limits and deadlines. Compile the
// handler, src/*.c and this with any C compiler; fake/build does it.
//
//	if (!fake_load("{\"threshold\": 2}")) puts(fake_message());
//	fake_result r = fake_add("{\"metadata\": {\"name\": \"web\"}}");
//	… r.verdict, r.emitted[0].type, r.emitted[0].data …
#ifndef INFORMERD_FAKE_H
#define INFORMERD_FAKE_H

#include "../informerd.h"

#define FAKE_EMISSIONS 64
#define FAKE_REQUESTS 16

// fake_emission is an event or, if type is empty, the data that replace those of the object's event.
typedef struct {
  informerd_text type;
  informerd_text data; // JSON
} fake_emission;

// fake_request is what the handler asked for by HTTP.
typedef struct {
  informerd_text method, url, body;
  informerd_text headers; // a JSON object
} fake_request;

// fake_result is what the handler made of an event. Its texts are valid for good.
typedef struct {
  informerd_verdict verdict;
  uint32_t count; // of what was emitted; 0 unless the verdict is INFORMERD_DONE
  fake_emission emitted[FAKE_EMISSIONS];
  informerd_text message; // the reason of a retry or failure
  informerd_text log;     // the lines written, each with a newline
  uint32_t request_count;
  fake_request requests[FAKE_REQUESTS];
} fake_result;

// fake_load configures the handler, which may be done again; false if it refuses, with the reason in fake_message. What the
// tests have set up below stays, and so does what the handler keeps in kv; fake_reset empties all of that.
bool fake_load(const char *config);
informerd_text fake_message(void);
void fake_reset(void);

// The events, with objects as JSON.
fake_result fake_add(const char *object);
fake_result fake_update(const char *old, const char *object);
fake_result fake_delete(const char *object);
fake_result fake_resync(const char *object);
// fake_event gives an event with flags as well: 1 initial, 2 final state unknown, 4 missed. Old may be NULL.
fake_result fake_event(informerd_op op, uint32_t flags, const char *object, const char *old);

// fake_batch gives several events at once, or one after the other to a handler without an informerd_batch_handler; there
// is a result for each:
//
//	fake_result results[2];
//	fake_batch((fake_input[]){{INFORMERD_ADD, 0, a}, {INFORMERD_UPDATE, 0, b, a}}, 2, results);
typedef struct {
  informerd_op op;
  uint32_t flags;
  const char *object, *old;
} fake_input;
void fake_batch(const fake_input *events, uint32_t count, fake_result *results);

// fake_time sets the time, which begins with 1970 and stands still. It is the one that values in kv are kept by, too.
void fake_time(int64_t ns);
// fake_seed lets the random bytes begin anew.
void fake_seed(uint64_t seed);

// fake_kv reads a value, false if there is none; fake_kv_set stores one.
bool fake_kv(const char *key, informerd_text *value);
void fake_kv_set(const char *key, const char *value);

// fake_answer says how the server answers from now on: with a code, headers (a JSON object of strings, or NULL) and a body,
// or, if the code is a negative informerd_status, not at all. What no test has said anything about is denied.
void fake_answer(const char *method, const char *url, int32_t code, const char *headers, const char *body);

// fake_cache puts an object, as JSON, into the cache of an informer, in place of the one of that namespace and name; without
// an object, the informer is there. Others are denied. fake_index lets an index lead to an object as well.
void fake_cache(const char *informer, const char *object);
void fake_index(const char *informer, const char *index, const char *value, const char *namespace, const char *name);

// fake_is compares a text with a string.
bool fake_is(informerd_text t, const char *want);

#endif
