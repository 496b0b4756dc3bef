// Assertions for tests. A test continues after a failure; main returns failures() != 0.
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

#include "informerd_fake.h"

static int failed;

// check_text compares a text with a string.
#define check_text(got, want) check_text_at(__FILE__, __LINE__, (got), (want))
#define check(condition)                                                              \
  do {                                                                                \
    if (!(condition)) failed = (printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), 1); \
  } while (0)

static inline void check_text_at(const char *file, int line, informerd_text got, const char *want) {
  if (fake_is(got, want)) return;
  printf("%s:%d: got  %.*s\nwant %s\n", file, line, (int)got.length, got.data, want);
  failed = 1;
}

#endif
