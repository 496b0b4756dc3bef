// The functions of the host, as in the reference of informerd/v1, and what the rest of the SDK shares. Built natively,
// fake/informerd_fake.c has them.
#ifndef INFORMERD_SRC_HOST_H
#define INFORMERD_SRC_HOST_H

#include "../informerd.h"

#ifdef __wasm__
#define HOST(module, name) __attribute__((import_module("informerd/" module), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))
#else
#define HOST(module, name)
#define EXPORT(name)
#endif

HOST("event.v1", "object") int32_t informerd_host_event_object(uint32_t which, uint32_t off, void *ptr, uint32_t cap);
HOST("event.v1", "path") int32_t informerd_host_event_path(const void *ptr, uint32_t len);
HOST("event.v1", "field") int64_t informerd_host_event_field(uint32_t which, uint32_t handle, void *ptr, uint32_t cap);
HOST("event.v1", "changed") int32_t informerd_host_event_changed(uint32_t handle);
HOST("result.v1", "emit") int32_t informerd_host_result_emit(int32_t kind, const void *ptr, uint32_t len);
HOST("result.v1", "error") void informerd_host_result_error(const void *ptr, uint32_t len);
HOST("config.v1", "get") int32_t informerd_host_config_get(void *ptr, uint32_t cap);
HOST("log.v1", "log") void informerd_host_log_log(int32_t level, const void *ptr, uint32_t len);
HOST("log.v1", "enabled") int32_t informerd_host_log_enabled(int32_t level);

// What the exports run. A fake host calls them by these names.
int32_t informerd_configure(void);
int32_t informerd_on_event(uint32_t op, uint32_t flags, uint32_t object_len, uint32_t old_len);

// The room that informerd_alloc gives from. The host writes where it begins, and what it wrote is then taken.
char *informerd_room(uint32_t at_least, uint32_t *room);
void informerd_take(uint32_t size);
void informerd_keep_all(void);
void informerd_free_unkept(void);

// informerd_path_error is empty, or why the first path that did not compile did not.
extern informerd_text informerd_path_error;

// Reading JSON: both give what is left behind the value, and take no memory. A text that ends early is not read beyond.
informerd_text informerd_skip_space(informerd_text json);
informerd_text informerd_skip_value(informerd_text json);
informerd_kind informerd_kind_of(informerd_text json);
// informerd_decode decodes a JSON string, of which quoted is the text with its quotes; to has room for as much.
uint32_t informerd_decode(informerd_text quoted, char *to);

#endif
