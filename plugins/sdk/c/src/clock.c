#include "host.h"

int64_t informerd_now(void) { return informerd_host_clock_now_ns(); }
