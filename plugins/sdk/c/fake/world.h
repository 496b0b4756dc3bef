// Declarations that the parts of the fake host share.
#ifndef FAKE_WORLD_H
#define FAKE_WORLD_H

#include "../src/host.h"
#include "informerd_fake.h"

enum { fake_paths = 256, fake_fields = 512, fake_max_iterators = 16 };

// fake_state is the host's state of one handler and of the current event.
typedef struct {
  informerd_text config;
  bool configuring;
  informerd_text paths[fake_paths];
  uint32_t path_count;
  struct {
    void *ptr;
    uint32_t cap, count, handles[fake_fields];
  } prefetch;
  uint32_t fields_asked; // calls of field
  informerd_op op;       // 0 if there is no current event
  informerd_text objects[2];
  fake_result result;
  struct {
    const fake_input *events; // NULL outside a batch
    fake_result *results;
    uint32_t count, pulled;
    const uint32_t *record;
  } batch;
} fake_state;

extern fake_state fake;

// fake_take allocates memory that is never freed: a test is short. fake_keep copies a text there.
char *fake_take(uint32_t size);
informerd_text fake_keep(const void *data, uint32_t length);
informerd_text fake_keep_string(const char *s);

// fake_child returns the JSON text of a member or, if index is not negative, of an item; empty if
// there is none.
informerd_text fake_child(informerd_text json, informerd_text name, int64_t index);
// fake_member_text returns a member that is a string, decoded.
informerd_text fake_member_text(informerd_text json, informerd_text name);
// fake_lookup returns the JSON text of a path's field.
informerd_text fake_lookup(informerd_text json, uint32_t handle);
// fake_field returns a field as event.v1 field does, and fake_answer_text a text as other functions
// do.
int64_t fake_field(informerd_text raw, void *ptr, uint32_t cap);
int32_t fake_answer_text(informerd_text t, void *ptr, uint32_t cap);

// fake_begin starts an event and writes the prefetched fields; fake_end ends it.
void fake_begin(informerd_op op, const char *object, const char *old);
void fake_end(void);

// The parts of the world. fake_reset empties them; fake_http_end and fake_cache_end run at the end
// of an event.
void fake_kv_reset(void);
void fake_http_reset(void);
void fake_http_end(void);
void fake_cache_reset(void);
void fake_cache_end(void);

#endif
