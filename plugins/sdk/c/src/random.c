#include "host.h"

void informerd_random(void *to, uint32_t size) {
  enum { max_bytes = 64 << 10 }; // bytes per host call
  for (uint32_t n; size; size -= n, to = (char *)to + n) {
    n = size < max_bytes ? size : max_bytes;
    informerd_host_random_fill(to, n);
  }
}
