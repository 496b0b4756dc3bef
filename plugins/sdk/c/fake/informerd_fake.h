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

// fake_emission is an event or, if type is empty, the data that replace those of the object's event.
typedef struct {
  informerd_text type;
  informerd_text data; // JSON
} fake_emission;

// fake_result is what the handler made of an event. Its texts are valid for good.
typedef struct {
  informerd_verdict verdict;
  uint32_t count; // of what was emitted; 0 unless the verdict is INFORMERD_DONE
  fake_emission emitted[FAKE_EMISSIONS];
  informerd_text message; // the reason of a retry or failure
  informerd_text log;     // the lines written, each with a newline
} fake_result;

// fake_load configures the handler, which may be done again; false if it refuses, with the reason in fake_message.
bool fake_load(const char *config);
informerd_text fake_message(void);

// The events, with objects as JSON.
fake_result fake_add(const char *object);
fake_result fake_update(const char *old, const char *object);
fake_result fake_delete(const char *object);
fake_result fake_resync(const char *object);
// fake_event gives an event with flags as well: 1 initial, 2 final state unknown, 4 missed. Old may be NULL.
fake_result fake_event(informerd_op op, uint32_t flags, const char *object, const char *old);

// fake_is compares a text with a string.
bool fake_is(informerd_text t, const char *want);

#endif
