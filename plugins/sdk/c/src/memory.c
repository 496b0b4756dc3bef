#include "host.h"

// The memory is one stack without frames: what configure allocates stays at its bottom, and each
// event starts above that.

#ifdef __wasm__

#define PAGE 65536u

extern char __heap_base;
static char *next, *kept;

static char *end_of_memory(void) { return (char *)((uint32_t)__builtin_wasm_memory_size(0) * PAGE); }

static char *start(void) {
  // The host's pointers and 8-byte values are aligned this way.
  return (char *)(((uintptr_t)&__heap_base + 7) & ~(uintptr_t)7);
}

static void grow(uint32_t by) {
  uint32_t pages = by / PAGE + 1;
  if (__builtin_wasm_memory_grow(0, pages) == (uintptr_t)-1) __builtin_trap();
}

#else

#include <stdlib.h>

static _Alignas(8) char memory[32 << 20];
static char *next, *kept;

static char *end_of_memory(void) { return memory + sizeof memory; }
static char *start(void) { return memory; }
static void grow(uint32_t by) {
  (void)by;
  abort();
}

#endif

char *informerd_room(uint32_t at_least, uint32_t *room) {
  if (!next) next = kept = start();
  uint32_t left = (uint32_t)(end_of_memory() - next);
  if (left < at_least) {
    grow(at_least - left);
    left = (uint32_t)(end_of_memory() - next);
  }
  if (room) *room = left;
  return next;
}

void informerd_take(uint32_t size) { next += (size + 7) & ~7u; }

void *informerd_alloc(uint32_t size) {
  if (size > UINT32_MAX - 7) __builtin_trap();
  char *p = informerd_room((size + 7) & ~7u, 0);
  informerd_take(size);
  return p;
}

void informerd_keep_all(void) { kept = next; }

void informerd_free_unkept(void) { next = kept; }

void informerd_free_behind(char *before) { next = before; }
