// The time. A guest that calls this needs the grant "clock".
#ifndef INFORMERD_CLOCK_H
#define INFORMERD_CLOCK_H

#include <stdint.h>

// informerd_now gives the time in nanoseconds since 1970, in UTC. It may stand still or go back.
int64_t informerd_now(void);

#endif
