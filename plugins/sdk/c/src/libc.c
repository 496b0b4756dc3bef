// Compilers call these implicitly. They are weak, so that a C library may replace them.
#ifdef __wasm__

#include <stddef.h>

__attribute__((weak)) void *memcpy(void *restrict to, const void *restrict from, size_t n) {
  return __builtin_memcpy(to, from, n); // an instruction, with -mbulk-memory
}

__attribute__((weak)) void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }

__attribute__((weak)) void *memset(void *to, int c, size_t n) { return __builtin_memset(to, c, n); }

__attribute__((weak)) int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *x = a, *y = b;
  for (; n; n--, x++, y++) {
    if (*x != *y) return *x < *y ? -1 : 1;
  }
  return 0;
}

__attribute__((weak)) size_t strlen(const char *s) {
  const char *end = s;
  while (*end) end++;
  return (size_t)(end - s);
}

#endif
