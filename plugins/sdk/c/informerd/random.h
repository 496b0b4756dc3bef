// Random bytes. A guest that calls this needs the grant "random".
#ifndef INFORMERD_RANDOM_H
#define INFORMERD_RANDOM_H

#include <stdint.h>

// informerd_random writes size random bytes.
void informerd_random(void *to, uint32_t size);

#endif
