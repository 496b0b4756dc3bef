#include "host.h"

void informerd_random(void *to, uint32_t size) {
  enum { most = 64 << 10 }; // that the host gives at once
  for (uint32_t n; size; size -= n, to = (char *)to + n) {
    n = size < most ? size : most;
    informerd_host_random_fill(to, n);
  }
}
