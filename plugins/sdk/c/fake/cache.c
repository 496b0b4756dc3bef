#include "world.h"

typedef struct object {
  informerd_text namespace, name, json;
  struct object *next;
} object;

typedef struct index_entry {
  informerd_text name, value, namespace, object;
  struct index_entry *next;
} index_entry;

typedef struct informer {
  informerd_text name;
  object *objects;
  index_entry *indexes;
  struct informer *next;
} informer;

static informer *informers;
static informer *handles[64];

static struct {
  bool open;
  const informer *in;
  const index_entry *next; // the rest of the index; only entries with this name and value count
  informerd_text name, value;
  const object *current; // NULL: before the first object
} iterators[fake_max_iterators];

void fake_cache_reset(void) {
  informers = NULL;
  for (uint32_t i = 0; i < sizeof handles / sizeof *handles; i++) handles[i] = NULL;
}

void fake_cache_end(void) {
  for (uint32_t i = 0; i < fake_max_iterators; i++) iterators[i].open = false;
}

static informer *informer_of(informerd_text name) {
  for (informer *i = informers; i; i = i->next) {
    if (informerd_equal(i->name, name)) return i;
  }
  return NULL;
}

static object *object_of(const informer *i, informerd_text namespace, informerd_text name) {
  for (object *o = i->objects; o; o = o->next) {
    if (informerd_equal(o->namespace, namespace) && informerd_equal(o->name, name)) return o;
  }
  return NULL;
}

static informer *make_informer(const char *name) {
  informerd_text text = fake_keep_string(name);
  informer *i = informer_of(text);
  if (i) return i;
  i = (informer *)fake_take(sizeof *i);
  *i = (informer){.name = text, .next = informers};
  return informers = i;
}

void fake_cache(const char *name, const char *json) {
  informer *i = make_informer(name);
  if (!json) return;
  informerd_text text = informerd_skip_space(fake_keep_string(json)), metadata = fake_child(text, T("metadata"), -1);
  informerd_text namespace = fake_member_text(metadata, T("namespace")), object_name = fake_member_text(metadata, T("name"));
  object *o = object_of(i, namespace, object_name);
  if (!o) {
    o = (object *)fake_take(sizeof *o);
    *o = (object){namespace, object_name, T(""), i->objects};
    i->objects = o;
  }
  o->json = text;
}

void fake_index(const char *name, const char *of, const char *value, const char *namespace, const char *object_name) {
  informer *i = make_informer(name);
  index_entry **end = &i->indexes;
  while (*end) end = &(*end)->next;
  *end = (index_entry *)fake_take(sizeof **end);
  **end = (index_entry){fake_keep_string(of), fake_keep_string(value), fake_keep_string(namespace), fake_keep_string(object_name), NULL};
}

int32_t informerd_host_cache_resource(const void *ptr, uint32_t len) {
  informer *i = informer_of((informerd_text){ptr, len});
  for (uint32_t n = 0; i && n < sizeof handles / sizeof *handles; n++) {
    if (handles[n] && handles[n] != i) continue;
    handles[n] = i;
    return (int32_t)n;
  }
  return INFORMERD_DENIED;
}

// open_iterator returns a new iterator of an informer, or a status.
static int32_t open_iterator(uint32_t resource) {
  if (!fake.op) return INFORMERD_WRONG_PHASE;
  if (resource >= sizeof handles / sizeof *handles || !handles[resource]) return INFORMERD_BAD_ARGUMENT;
  for (int32_t n = 0; n < fake_max_iterators; n++) {
    if (iterators[n].open) continue;
    iterators[n].open = true;
    iterators[n].in = handles[resource];
    iterators[n].next = NULL;
    iterators[n].current = NULL;
    return n;
  }
  return INFORMERD_QUOTA;
}

int32_t informerd_host_cache_get(uint32_t resource, const void *ns, uint32_t ns_len, const void *name, uint32_t name_len) {
  int32_t n = open_iterator(resource);
  if (n < 0) return n;
  iterators[n].current = object_of(handles[resource], (informerd_text){ns, ns_len}, (informerd_text){name, name_len});
  if (iterators[n].current) return n;
  iterators[n].open = false;
  return INFORMERD_NOT_FOUND;
}

int32_t informerd_host_cache_by_index(uint32_t resource, const void *of, uint32_t index_len, const void *value, uint32_t value_len) {
  int32_t n = open_iterator(resource);
  if (n < 0) return n;
  iterators[n].next = handles[resource]->indexes;
  iterators[n].name = fake_keep(of, index_len);
  iterators[n].value = fake_keep(value, value_len);
  return n;
}

static int32_t check(uint32_t iter) {
  if (!fake.op) return INFORMERD_WRONG_PHASE;
  return iter < fake_max_iterators && iterators[iter].open ? INFORMERD_OK : INFORMERD_BAD_ARGUMENT;
}

int32_t informerd_host_cache_iter_next(uint32_t iter) {
  int32_t s = check(iter);
  if (s < 0) return s;
  const object *o = NULL;
  while (iterators[iter].next && !o) {
    const index_entry *i = iterators[iter].next;
    iterators[iter].next = i->next;
    if (informerd_equal(i->name, iterators[iter].name) && informerd_equal(i->value, iterators[iter].value)) {
      o = object_of(iterators[iter].in, i->namespace, i->object);
    }
  }
  iterators[iter].current = o;
  return o != NULL;
}

int64_t informerd_host_cache_iter_field(uint32_t iter, uint32_t path, void *ptr, uint32_t cap) {
  int32_t s = check(iter);
  if (s < 0) return s;
  if (path != UINT32_MAX && path >= fake.path_count) return INFORMERD_BAD_ARGUMENT;
  if (!iterators[iter].current) return INFORMERD_NOT_FOUND;
  informerd_text json = iterators[iter].current->json;
  return fake_field(path == UINT32_MAX ? json : fake_lookup(json, path), ptr, cap);
}

int32_t informerd_host_cache_iter_close(uint32_t iter) {
  int32_t s = check(iter);
  if (s == INFORMERD_OK) iterators[iter].open = false;
  return s;
}
