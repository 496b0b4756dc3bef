// The host functions of the interface informerd/v1, and the SDK's shared internals. Built natively,
// fake/informerd_fake.c has the host functions.
#ifndef INFORMERD_SRC_HOST_H
#define INFORMERD_SRC_HOST_H

#include "../informerd.h"

#ifdef __wasm__
#define HOST(module, name) __attribute__((import_module("informerd/" module), import_name(name)))
#else
#define HOST(module, name)
#endif
#define EXPORT(name) INFORMERD_EXPORT(name)

HOST("event.v1", "object") int32_t informerd_host_event_object(uint32_t which, uint32_t off, void *ptr, uint32_t cap);
HOST("event.v1", "path") int32_t informerd_host_event_path(const void *ptr, uint32_t len);
HOST("event.v1", "field") int64_t informerd_host_event_field(uint32_t which, uint32_t handle, void *ptr, uint32_t cap);
HOST("event.v1", "changed") int32_t informerd_host_event_changed(uint32_t handle);
HOST("event.v1", "prefetch")
int32_t informerd_host_event_prefetch(void *ptr, uint32_t cap, const uint32_t *handles, uint32_t n);
HOST("event.v1", "next") int32_t informerd_host_event_next(void *ptr, uint32_t cap);
HOST("result.v1", "emit") int32_t informerd_host_result_emit(int32_t kind, const void *ptr, uint32_t len);
HOST("result.v1", "error") void informerd_host_result_error(const void *ptr, uint32_t len);
HOST("config.v1", "get") int32_t informerd_host_config_get(void *ptr, uint32_t cap);
HOST("log.v1", "log") void informerd_host_log_log(int32_t level, const void *ptr, uint32_t len);
HOST("log.v1", "enabled") int32_t informerd_host_log_enabled(int32_t level);
HOST("kv.v1", "get") int32_t informerd_host_kv_get(const void *key, uint32_t key_len, void *ptr, uint32_t cap);
HOST("kv.v1", "set")
int32_t informerd_host_kv_set(const void *key, uint32_t key_len, const void *ptr, uint32_t len, int64_t ttl_ms);
HOST("kv.v1", "delete") int32_t informerd_host_kv_delete(const void *key, uint32_t key_len);
HOST("kv.v1", "cas")
int32_t informerd_host_kv_cas(const void *key, uint32_t key_len, const void *old, uint32_t old_len, const void *ptr, uint32_t len,
                              int64_t ttl_ms);
HOST("clock.v1", "now_ns") int64_t informerd_host_clock_now_ns(void);
HOST("random.v1", "fill") int32_t informerd_host_random_fill(void *ptr, uint32_t len);
HOST("http.v1", "request")
int32_t informerd_host_http_request(const void *head, uint32_t head_len, const void *body, uint32_t body_len);
HOST("http.v1", "header") int32_t informerd_host_http_header(const void *name, uint32_t name_len, void *ptr, uint32_t cap);
HOST("http.v1", "body") int32_t informerd_host_http_body(uint32_t off, void *ptr, uint32_t cap);
HOST("cache.v1", "resource") int32_t informerd_host_cache_resource(const void *ptr, uint32_t len);
HOST("cache.v1", "get")
int32_t informerd_host_cache_get(uint32_t resource, const void *ns, uint32_t ns_len, const void *name, uint32_t name_len);
HOST("cache.v1", "by_index")
int32_t informerd_host_cache_by_index(uint32_t resource, const void *index, uint32_t index_len, const void *value, uint32_t value_len);
HOST("cache.v1", "iter_next") int32_t informerd_host_cache_iter_next(uint32_t iter);
HOST("cache.v1", "iter_field") int64_t informerd_host_cache_iter_field(uint32_t iter, uint32_t path, void *ptr, uint32_t cap);
HOST("cache.v1", "iter_close") int32_t informerd_host_cache_iter_close(uint32_t iter);

// The functions that the exports run. A fake host calls them by these names.
int32_t informerd_configure(void);
int32_t informerd_on_event(uint32_t op, uint32_t flags, uint32_t object_len, uint32_t old_len);

// Defined by batch handlers only.
#pragma weak informerd_on_batch
#pragma weak informerd_batch_of_one

// informerd_event_of makes an event of the arguments of on_event, which are also those in the
// record of next.
informerd_event informerd_event_of(uint32_t op, uint32_t flags, uint32_t object_len, uint32_t old_len);

// Prefetched fields: informerd_prefetch_compiled adds a path; informerd_prefetched returns a field,
// false if it was not prefetched or did not fit; informerd_prefetch_clear drops the fields when
// there is no current event; informerd_prefetch_reset starts over, for tests that configure a
// handler again.
void informerd_prefetch_compiled(uint32_t handle);
bool informerd_prefetched(informerd_object o, uint32_t handle, informerd_value *v);
void informerd_prefetch_clear(void);
void informerd_prefetch_reset(void);

// The memory of informerd_alloc. The host writes at its start; what it wrote is then taken.
char *informerd_room(uint32_t at_least, uint32_t *room);
void informerd_take(uint32_t size);
void informerd_keep_all(void);
void informerd_free_unkept(void);
void informerd_free_behind(char *before);

// informerd_path_error is the error of the first path that did not compile, or empty.
extern informerd_text informerd_path_error;

// Reading JSON: both return the text after the value, and allocate nothing. A text that ends early
// is never read beyond its end.
informerd_text informerd_skip_space(informerd_text json);
informerd_text informerd_skip_value(informerd_text json);
informerd_kind informerd_kind_of(informerd_text json);
// informerd_decode decodes a JSON string, given with its quotes, into to, which has room for as
// many bytes.
uint32_t informerd_decode(informerd_text quoted, char *to);

#endif
